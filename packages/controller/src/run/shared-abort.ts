import { setMaxListeners } from 'node:events';

/** An AbortController whose signal may have any number of listeners. */
export function sharedAbort(): AbortController {
  const abort = new AbortController();
  shareAbort(abort.signal);
  return abort;
}

/** Allows any number of listeners on a signal. Node takes more than ten for a leak, and warns. */
export function shareAbort(signal: AbortSignal): void {
  setMaxListeners(0, signal);
}
