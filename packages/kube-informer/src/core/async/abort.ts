import { abortError } from '../errors.ts';

/**
 * Settles like `work`, or rejects ABORTED as soon as `signal` aborts. A late result is ignored.
 *
 * So a server that never responds, or a source that ignores its signal, cannot prevent a stop.
 */
export function untilAborted<R>(work: Promise<R>, signal: AbortSignal, what: string): Promise<R> {
  if (signal.aborted) {
    work.catch(() => {}); // the caller gets ABORTED; this error would be an unhandled rejection
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

/**
 * The reason of an abort that ends a wait which is not needed any more. Without a reason the platform makes an error with its stack,
 * which took a fortieth of the CPU of a request.
 */
export const NOT_NEEDED = 'not needed any more';

/** A controller that aborts with its parent. `dispose` unlinks it. */
export interface LinkedAbort extends Disposable {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

/** Links a new controller to `parent`, so that a long-lived signal does not collect a listener for every request. */
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
