import { isConflict, isNotFound, keyOf, type KubeObject } from 'kube-informer/core';
import type { ObjectCall, ObjectClient } from './object-client.ts';
import { hasOwnerReferenceTo } from './owner-reference.ts';

/** Maximum number of objects that one run deletes: a mistake in a reconcile must not empty a cluster in one go. */
const MAX_PRUNED = 100;

export interface PruneOptions extends ObjectCall {
  readonly owner: KubeObject;
  /** Keys of the objects that the run applied. */
  readonly applied: ReadonlySet<string>;
  /** Whether the run has succeeded. A failed run may not have reached all of its children. */
  readonly succeeded: boolean;
  /** Whether the caches had all earlier writes. A stale run does not know its children. */
  readonly fresh: boolean;
  /** Maximum number of deletes. @default 100 */
  readonly limit?: number;
}

export interface Pruned {
  /** Keys of the objects that were deleted. */
  readonly deleted: readonly string[];
  /** Whether no object is left for another run to decide about. */
  readonly isComplete: boolean;
}

/**
 * Deletes objects that `owner` controls and that its run did not apply.
 *
 * Each delete carries uid and resourceVersion: an object that was changed, replaced or given away since it
 * was cached stays, and the next run decides about it. The caller must request that run: a conflict may come
 * without an event.
 */
export async function pruneOwned<T extends KubeObject>(
  client: Pick<ObjectClient<T>, 'delete'>,
  cached: Iterable<T>,
  { owner, applied, succeeded, fresh, limit = MAX_PRUNED, ...call }: PruneOptions,
): Promise<Pruned> {
  const deleted: string[] = [];
  if (!succeeded || !fresh) return { deleted, isComplete: false };
  let isComplete = true;
  for (const object of cached) {
    const { uid, resourceVersion, deletionTimestamp } = object.metadata ?? {};
    const key = keyOf(object);
    if (!hasOwnerReferenceTo(object, owner) || applied.has(key) || deletionTimestamp !== undefined) continue;
    if (uid === undefined || resourceVersion === undefined) continue;
    if (deleted.length >= limit) return { deleted, isComplete: false };
    try {
      await client.delete(key, { ...call, preconditions: { uid, resourceVersion }, propagation: 'Background' });
      deleted.push(key);
    } catch (error) {
      if (isConflict(error)) isComplete = false;
      else if (!isNotFound(error)) throw error;
    }
  }
  return { deleted, isComplete };
}
