import type { Env } from '../env.ts';
import { messageOf } from '../errors.ts';

/** A callback of the user's that cannot harm whoever calls it: what it throws, or rejects with, is logged. */
export function guarded<A extends readonly unknown[]>(
  env: Env,
  name: string,
  callback: (...told: A) => void | Promise<void>,
): (...told: A) => void {
  const failed = (error: unknown): void =>
    env.log('error', 'a callback failed; nothing else is affected', { callback: name, error: messageOf(error) });
  return (...told) => {
    try {
      const returned = callback(...told);
      if (typeof (returned as Promise<void> | undefined)?.then === 'function')
        (returned as Promise<void>).then(undefined, failed);
    } catch (error) {
      failed(error);
    }
  };
}
