import { KubeError, errorMessageOf } from '../../core/errors.ts';
import { guardedAnswer, type UserCode } from '../../core/guarded.ts';
import type { Key, KeyFn } from '../../core/object/key.ts';
import { unreadableCause } from '../../core/object/unreadable.ts';

/**
 * Shrinks or reshapes an object before it enters the queue, the cache and the
 * handlers. Runs once per state, never for tombstones or resyncs.
 * May change the object in place; must be synchronous, fast, keep namespace and name, and give the same result for
 * the same object, because a relist announces what differs from the cache.
 */
export type TransformFn<T> = (object: T) => T;

/**
 * A guarded transform from the options of a queue. A promise as its result is refused; see `applyTransform`
 * for the rest.
 */
export function guardedTransform<T>(transform: UserCode<TransformFn<T>> | undefined): TransformFn<T> | undefined {
  return transform === undefined ? undefined : guardedAnswer('the transform', transform);
}

/** The error for a key that is missing from a list with an object whose name could not be read. */
export function unreadableInTransform(key: Key, cause: KubeError): KubeError {
  const message = `${key} is missing from a list that has an object with an unreadable name; it may be that object`;
  return new KubeError('LIST_INVALID', message, { cause });
}

/**
 * The state to keep of a received object: the transformed one. Throws for an object that could not be decoded, and
 * TRANSFORM_FAILED for one that the transform refused; either poisons the key and nothing else.
 */
export function transformReceived<T>(transform: TransformFn<T> | undefined, keyOf: KeyFn<T>, key: Key, object: T): T {
  const cause = unreadableCause(object);
  if (cause !== undefined) throw cause;
  return transform === undefined ? object : applyTransform(transform, keyOf, key, object);
}

/** Runs the user's transform and checks its result. Throws TRANSFORM_FAILED, which poisons the key and nothing else. */
export function applyTransform<T>(transform: TransformFn<T>, keyOf: KeyFn<T>, key: Key, object: T): T {
  let result: T;
  try {
    result = transform(object);
  } catch (cause) {
    throw new KubeError('TRANSFORM_FAILED', `transform failed for ${key}: ${errorMessageOf(cause)}`, { cause });
  }
  if (typeof result !== 'object' || result === null) {
    throw new KubeError('TRANSFORM_FAILED', `transform for ${key} must return an object, synchronously`);
  }
  let resultKey: Key;
  try {
    resultKey = keyOf(result);
  } catch {
    return result; // the transform removed the metadata: the object keeps its key
  }
  if (resultKey !== key) {
    throw new KubeError('TRANSFORM_FAILED', `transform must not rename objects: ${key} became ${resultKey}`);
  }
  return result;
}
