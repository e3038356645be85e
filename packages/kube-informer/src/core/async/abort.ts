import { abortError } from '../errors.ts';

/**
 * Settles like `work`, or rejects ABORTED as soon as `signal` aborts. A late result is ignored.
 *
 * A server that never answers, or a source that ignores its signal, must not keep anybody from stopping.
 */
export function untilAborted<R>(work: Promise<R>, signal: AbortSignal, what: string): Promise<R> {
  if (signal.aborted) {
    work.catch(() => {}); // nobody is left to be told
    return Promise.reject(abortError(signal, what));
  }
  return new Promise((resolve, reject) => {
    const aborted = (): void => reject(abortError(signal, what));
    signal.addEventListener('abort', aborted, { once: true });
    const unlink = (): void => signal.removeEventListener('abort', aborted);
    work.then(
      (value) => {
        unlink();
        resolve(value);
      },
      (error: unknown) => {
        unlink();
        reject(error);
      },
    );
  });
}

/** A controller that aborts with `parent` and can be taken off it again. */
export interface LinkedAbort extends Disposable {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

/** A child of `parent`: one long-lived signal must not collect the listeners of every request made under it. */
export function linkedAbort(parent: AbortSignal): LinkedAbort {
  const controller = new AbortController();
  const follow = (): void => controller.abort(parent.reason);
  if (parent.aborted) follow();
  else parent.addEventListener('abort', follow, { once: true });
  const unlink = (): void => parent.removeEventListener('abort', follow);
  return {
    signal: controller.signal,
    abort(reason) {
      unlink();
      controller.abort(reason);
    },
    [Symbol.dispose]: unlink,
  };
}
