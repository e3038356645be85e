import { onTestFinished } from 'vitest';
import type { Unguarded } from '../../src/core/guarded.ts';

/** Code of a user that misbehaves. Assignable to every function, so that it can be planted everywhere. */
export type Misbehaviour = (...args: unknown[]) => never;

const unreadable = (): never => {
  throw new Error('a trap');
};
/** Throws for everything that is done with it, `instanceof` included. */
const proxy = (): object =>
  new Proxy(new Error('hidden'), { get: unreadable, has: unreadable, getPrototypeOf: unreadable, ownKeys: unreadable });
const cyclic = (): Error => {
  const error = new Error('its own cause');
  return Object.assign(error, { cause: error });
};
const throws = (make: () => unknown) => (): never => {
  throw make();
};

/** Made once: to make it for each error took half of the time of these tests. */
const LONG = 'x'.repeat(10_000_000);

/** Everything a function can do wrong when it is called, by name. */
export const MISBEHAVIOURS: Readonly<Record<string, Misbehaviour>> = {
  'throws an Error': throws(() => new Error('user bug')),
  'throws undefined': throws(() => undefined),
  'throws a Symbol': throws(() => Symbol('user bug')),
  'throws an object without a prototype': throws(() => Object.create(null)),
  'throws a frozen error': throws(() => Object.freeze(new Error('frozen'))),
  'throws an error that is its own cause': throws(cyclic),
  'throws an error with a message of 10 MB': throws(() => new Error(LONG)),
  'throws an error whose message throws': throws(() =>
    Object.defineProperty(new Error('hidden'), 'message', { get: unreadable }),
  ),
  'throws an error whose code and status throw': throws(() =>
    Object.defineProperties(new Error('hidden'), { code: { get: unreadable }, status: { get: unreadable } }),
  ),
  'throws an object that cannot be printed': throws(() => ({ toString: unreadable, toJSON: unreadable })),
  'throws a Proxy that refuses everything': throws(proxy),
  rejects: () => Promise.reject(new Error('user bug')) as never,
  'rejects with a Symbol': () => Promise.reject(Symbol('user bug')) as never,
  'rejects with a Proxy that refuses everything': () => Promise.reject(proxy()) as never,
  'rejects later': async () => {
    await Promise.resolve();
    throw new Error('user bug');
  },
  // oxlint-disable-next-line unicorn/no-thenable -- on purpose
  'returns an object whose then throws': () => Object.defineProperty({}, 'then', { get: unreadable }) as never,
  // oxlint-disable-next-line unicorn/no-thenable -- on purpose
  'returns a thenable that throws': () => ({ then: unreadable }) as never,
} as unknown as Readonly<Record<string, Misbehaviour>>;

/** Fails only where an answer is needed at once. */
export const PROMISES: Readonly<Record<string, Misbehaviour>> = {
  'returns a promise': () => Promise.resolve(undefined) as never,
  'returns a promise of the answer': () => Promise.resolve(true) as never,
};

/** The names in `O` that carry code of the user, also in a record of functions such as `indexers`. */
export type UserCodeNames<O> = {
  [K in keyof O]-?: Holds<NonNullable<O[K]>> extends true ? K : never;
}[keyof O];
type Holds<V> = [Extract<V | Values<V>, Unguarded>] extends [never] ? false : true;
type Values<V> = V extends Readonly<Record<string, unknown>> ? V[keyof V] : never;

/**
 * Collects what would end the process until the test is over. The returned function lets the event loop turn, and
 * returns how many there were.
 */
export function wouldEndTheProcess(): () => Promise<number> {
  let count = 0;
  const note = (): void => void (count += 1);
  process.on('unhandledRejection', note);
  process.on('uncaughtException', note);
  onTestFinished(() => {
    process.off('unhandledRejection', note);
    process.off('uncaughtException', note);
  });
  return async () => {
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    return count;
  };
}
