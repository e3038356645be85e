import type { Env } from '../../core/env.ts';
import type { Key } from '../../core/object/key.ts';

/** The objects that the consumer of a queue holds. Indexer implements it. */
export interface KnownObjects<T> {
  keys(): Iterable<Key>;
  get(key: Key): T | undefined;
  /** Whether a delete of `key` must be queued, also when `get` finds no state. @default whether `get` finds one */
  has?(key: Key): boolean;
}

/** The known state of `key`. Undefined when the lookup throws: the delete is queued without a state. */
export function knownObject<T>(known: KnownObjects<T>, key: Key): T | undefined {
  try {
    return known.get(key);
  } catch {
    return undefined;
  }
}

/** The known state of `key`, for a resync. Logs a missing object, because its key was just enumerated. */
export function knownObjectForResync<T>(known: KnownObjects<T>, key: Key, env: Env): T | undefined {
  const object = knownObject(known, key);
  if (object === undefined) env.log('warn', 'a known object could not be found and is not resynced', { key });
  return object;
}
