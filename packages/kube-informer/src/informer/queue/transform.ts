import { KubeError, errorMessageOf } from '../../core/errors.ts';
import type { Key, KeyFn } from '../../core/object/key.ts';

/**
 * Shrinks or reshapes an object before it enters the queue, the cache and the
 * handlers. Runs once per state, never for tombstones or resyncs.
 * May change the object in place; must be synchronous, fast, and keep namespace and name.
 */
export type TransformFn<T> = (object: T) => T;

/** Runs the user's transform and checks its result. Throws TRANSFORM_FAILED, which poisons the key and nothing else. */
export function applyTransform<T>(transform: TransformFn<T>, keyOf: KeyFn<T>, key: Key, object: T): T {
  let result: T;
  try {
    result = transform(object);
  } catch (cause) {
    throw new KubeError('TRANSFORM_FAILED', `transform failed for ${key}: ${errorMessageOf(cause)}`, { cause });
  }
  if (typeof result !== 'object' || result === null || typeof (result as { then?: unknown }).then === 'function') {
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
