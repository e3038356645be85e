import type { KubeError } from '../errors.ts';
import type { Key, KeyFn } from './key.ts';
import type { KubeObject } from './object.ts';

/** A registered symbol, so that several copies of this package in one process share it. */
const CAUSE = Symbol.for('kube-informer.unreadable');

/**
 * Makes a placeholder for an object that could not be decoded. `known` is the part that could be read: at
 * best type, name, UID and version, never its content.
 *
 * A source yields it in the place of the object, so that one object that cannot be read does not stop its
 * collection. The engine never stores one: the cache keeps the old state, and health names the key with the
 * error (G9).
 */
export function unreadableObject<T extends KubeObject>(known: T, error: KubeError): T {
  return Object.defineProperty(known, CAUSE, { value: error });
}

/** Why `object` could not be decoded; undefined for every object that could. */
export function unreadableCause(object: unknown): KubeError | undefined {
  return (object as { [CAUSE]?: KubeError })[CAUSE];
}

/** The key of a listed object, or why it has none. */
export type Listed = { readonly key: Key } | { readonly unnamed: KubeError };

/**
 * The key of a listed object. An object that could not be decoded may have none; any other without one throws
 * INVALID_KEY, which refuses the list.
 */
export function keyOfMaybeUnreadable<T>(keyOf: KeyFn<T>, object: T): Listed {
  const cause = unreadableCause(object);
  if (cause === undefined) return { key: keyOf(object) };
  try {
    return { key: keyOf(object) };
  } catch {
    return { unnamed: cause };
  }
}
