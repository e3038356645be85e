import type { ObjectAccess } from '../../core/object/object.ts';
import { compareVersions } from '../../core/object/resource-version.ts';

/** The relation of a received state to the cached one of its key. `replaced`: another object of the same name. */
export type StateVerdict = 'same' | 'older' | 'changed' | 'replaced';

export interface ComparedAs {
  /** Whether the cached state may be from another history, whose versions cannot be compared with this one. */
  readonly acrossEpochs: boolean;
  readonly isListed: boolean;
  /** False for a server that counts versions per object: a recreated object may then have a lower version. */
  readonly isOrdered: boolean;
}

/**
 * Compares a received state with the cached one. Without a known order, the received state is the newer.
 *
 * A listed state is compared completely. Of the same version, it may still be another one: the schema or the defaults
 * of the server changed, user code changed the object in the cache, or the storage went back and assigned the version
 * again. An event of the same version is a repetition.
 */
export function compareStates<T>(
  access: ObjectAccess<T>,
  cached: T,
  object: T,
  { acrossEpochs, isListed, isOrdered }: ComparedAs,
): StateVerdict {
  const version = access.resourceVersion(object);
  const cachedVersion = access.resourceVersion(cached);
  const order = compareVersions(version, cachedVersion);
  const sameUid = access.uid(cached) === access.uid(object);
  // A transform may have removed the versions of both.
  const isSameVersion = order === 0 || (isListed && !version && !cachedVersion);
  const mustCompare = acrossEpochs || isListed;
  if (isSameVersion && sameUid && (!mustCompare || access.hasSameContent?.(cached, object) !== false)) return 'same';
  const comparable = sameUid || isOrdered;
  if (order !== undefined && order < 0 && !acrossEpochs && comparable) return 'older';
  return sameUid ? 'changed' : 'replaced';
}
