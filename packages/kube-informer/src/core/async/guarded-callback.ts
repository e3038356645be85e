import type { Env } from '../env.ts';
import { errorMessageOf } from '../errors.ts';

/** Wraps a user's callback: what it throws or rejects with is logged, so that its caller continues. */
export function guardedCallback<A extends readonly unknown[]>(
  env: Env,
  name: string,
  callback: (...args: A) => void | Promise<void>,
): (...args: A) => void {
  const failed = (error: unknown): void =>
    env.log('error', 'a callback failed; nothing else is affected', { callback: name, error: errorMessageOf(error) });
  return (...args) => {
    try {
      const returned = callback(...args);
      if (typeof (returned as Promise<void> | undefined)?.then === 'function')
        (returned as Promise<void>).then(undefined, failed);
    } catch (error) {
      failed(error);
    }
  };
}
