import type { Env } from './env.ts';
import { errorMessageOf, KubeError } from './errors.ts';

declare const ONLY_GUARDED: unique symbol;

/** A type without values. As a member of a union it removes the calls and fields that not all members have. */
export interface Unguarded {
  readonly [ONLY_GUARDED]: never;
}

/**
 * Code of the user in an option: a function, or an object with methods such as Metrics and Env.
 *
 * Every `C` is assignable, so users notice nothing. In this package it can be neither called nor read,
 * because of the second member of the union: only a guard of this file makes it callable.
 *
 * | the code is called for … | guard | when it throws | when it returns a promise |
 * |---|---|---|---|
 * | nothing | `guardedCallback` | reported, the caller continues | a rejection is reported |
 * | an answer now | `guardedAnswer` | the caller gets the error and knows what it means | disarmed and refused |
 * | an answer later | `guardedPromise` | the promise rejects | is returned |
 *
 * Room rule: calls and reports. What a failure means is decided by the caller.
 */
export type UserCode<C> = C | Unguarded;

/** The results of guards, which need no second one. */
const guards = new WeakSet<object>();

/** Calls `callback` and never throws. `failed` gets what it throws or rejects with, and the arguments. @default logs an error */
export function guardedCallback<A extends readonly unknown[]>(
  env: Env,
  name: string,
  callback: UserCode<(...args: A) => unknown>,
  failed?: (error: unknown, ...args: A) => void,
): (...args: A) => void {
  const call = callback as (...args: A) => unknown;
  const report =
    failed ??
    ((...[error]: [error: unknown, ...args: A]): void =>
      env.log('error', 'a callback failed; nothing else is affected', {
        callback: name,
        error: errorMessageOf(error),
      }));
  return (...args) => {
    try {
      const returned = call(...args);
      if (isGuardedThenable(returned)) returned.then(undefined, (error: unknown) => report(error, ...args));
    } catch (error) {
      report(error, ...args);
    }
  };
}

/**
 * Calls `question` for a result that is needed at once. What it throws goes to the caller. A promise is
 * refused and its rejection handled: otherwise it would be taken for `true`, for an object without fields or
 * for a key.
 */
export function guardedAnswer<A extends readonly unknown[], R>(
  name: string,
  question: UserCode<(...args: A) => R>,
): (...args: A) => R {
  const ask = question as (...args: A) => R;
  if (guards.has(ask)) return ask;
  const guard = (...args: A): R => {
    const answer = ask(...args);
    if (isGuardedThenable(answer)) throw guardedPromiseRefusal(name, answer);
    return answer;
  };
  guards.add(guard);
  return guard;
}

/** Calls `request` for a promise. An error it throws becomes a rejection, and any other result a resolved promise. */
export function guardedPromise<A extends readonly unknown[], R>(
  request: UserCode<(...args: A) => R | Promise<R>>,
): (...args: A) => Promise<R> {
  const call = request as (...args: A) => R | Promise<R>;
  return async (...args) => call(...args);
}

/** Marks a function of our own, so that `guardedAnswer` returns it as it is. */
export function trustGuarded<F extends (...args: never[]) => unknown>(own: F): F {
  guards.add(own);
  return own;
}

/**
 * Whether the `count`th failure of a sink is reported: 1, 10, 100 … A sink that fails for every value must not flood the
 * log, and the report carries the count.
 */
export function reportGuarded(count: number): boolean {
  return Number.isInteger(Math.log10(count));
}

function isGuardedThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' && value !== null && typeof (value as { readonly then?: unknown }).then === 'function'
  );
}

function guardedPromiseRefusal(name: string, promise: PromiseLike<unknown>): KubeError {
  promise.then(undefined, () => {}); // refused as a whole, so its own error does not matter
  return new KubeError('INVALID_OPTION', `${name} returned a promise: it must return its result, not a promise of it`);
}
