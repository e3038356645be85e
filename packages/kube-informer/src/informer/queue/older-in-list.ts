import type { Key } from '../../core/object/key.ts';
import type { ObjectAccess } from '../../core/object/object.ts';
import { isOlder } from '../../core/object/resource-version.ts';

/**
 * Finds a key whose listed object is older than the known one; undefined when there is none.
 *
 * A list that is not older than the cache contains no older object, unless the storage was replaced: by a backup that
 * was restored with raised versions (`etcdutl snapshot restore --bump-revision`). Some servers list an object twice; the newest counts.
 */
export function findOlderInList<T>(
  keys: readonly Key[],
  objects: readonly T[],
  known: (key: Key) => T | undefined,
  access: ObjectAccess<T>,
): Key | undefined {
  const behind = new Set<Key>();
  const version = (object: T): string => access.resourceVersion(object) ?? '';
  for (const [at, key] of keys.entries()) {
    const held = known(key);
    if (held !== undefined && isOlder(version(objects[at] as T), version(held))) behind.add(key);
  }
  if (behind.size === 0) return undefined;
  for (const [at, key] of keys.entries()) {
    if (!behind.has(key)) continue;
    if (!isOlder(version(objects[at] as T), version(known(key) as T))) behind.delete(key);
  }
  const [first] = behind;
  return first;
}

/** The objects of a list without older duplicates: some servers list an object twice. */
export function withoutOlderTwins<T>(objects: readonly T[], key: (object: T) => Key, access: ObjectAccess<T>): T[] {
  const newest = new Map<Key, T>();
  for (const object of objects) {
    const twin = newest.get(key(object));
    if (twin === undefined || !isOlder(access.resourceVersion(object), access.resourceVersion(twin)))
      newest.set(key(object), object);
  }
  return newest.size === objects.length ? [...objects] : objects.filter((object) => newest.get(key(object)) === object);
}
