import { setMaxListeners } from 'node:events';

/** Aborts when the first of the signals does. May have any number of listeners without a warning. */
export function anySignal(...signals: readonly AbortSignal[]): AbortSignal {
  const any = AbortSignal.any([...signals]);
  setMaxListeners(0, any);
  return any;
}

/** Resolves when the signal has aborted. */
export function signalAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
