import type { Env } from 'kube-informer/core';

/**
 * A listener that cannot end the process: its errors and rejections are logged and passed to `failed`.
 *
 * Node calls listeners outside of any `try`, so an exception in one is an uncaught exception of the whole
 * process. Every listener of a request or a response must be one of these.
 */
export function guardedListener<A extends readonly unknown[]>(
  { log }: Pick<Env, 'log'>,
  listener: (...values: A) => void | Promise<void>,
  failed: (...values: A) => void = () => {},
): (...values: A) => void {
  const fail = (error: unknown, values: A): void => {
    log('error', 'a listener of the embedded server failed', { error });
    failed(...values);
  };
  return (...values) => {
    try {
      const result = listener(...values);
      if (result instanceof Promise) result.catch((error: unknown) => fail(error, values));
    } catch (error) {
      fail(error, values);
    }
  };
}
