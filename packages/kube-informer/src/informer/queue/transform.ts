import { KubeError, messageOf } from '../../core/errors.ts';
import type { Key, KeyFn } from '../../core/object/key.ts';

/**
 * Shrinks or reshapes an object before anybody sees it: before the queue, the
 * cache and every handler. Runs once per state, never for tombstones or resyncs.
 * May change the object in place; must be synchronous, fast, and keep namespace and name.
 */
export type TransformFn<T> = (object: T) => T;

/** Runs the user's transform and holds it to its rules. Throws TRANSFORM_FAILED, which poisons the key and nothing else. */
export function applyTransform<T>(transform: TransformFn<T>, keyOf: KeyFn<T>, key: Key, object: T): T {
  let result: T;
  try {
    result = transform(object);
  } catch (cause) {
    throw new KubeError('TRANSFORM_FAILED', `transform failed for ${key}: ${messageOf(cause)}`, { cause });
  }
  if (typeof result !== 'object' || result === null || typeof (result as { then?: unknown }).then === 'function') {
    throw new KubeError('TRANSFORM_FAILED', `transform for ${key} must return an object, synchronously`);
  }
  let resultKey: Key;
  try {
    resultKey = keyOf(result);
  } catch {
    return result; // no metadata left: the object keeps the key it came with
  }
  if (resultKey !== key) {
    throw new KubeError('TRANSFORM_FAILED', `transform must not rename objects: ${key} became ${resultKey}`);
  }
  return result;
}
