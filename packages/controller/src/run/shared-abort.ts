import { setMaxListeners } from 'node:events';

/** An AbortController whose signal any number may wait for. */
export function sharedAbort(): AbortController {
  const abort = new AbortController();
  shareAbort(abort.signal);
  return abort;
}

/** Lets any number wait for a signal. Node takes more than ten listeners for a leak, and warns. */
export function shareAbort(signal: AbortSignal): void {
  setMaxListeners(0, signal);
}
