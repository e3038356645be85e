import type { Env } from '../../core/env.ts';
import type { Key } from '../../core/object/key.ts';

/** The queue's view of what the consumer already holds. The Indexer fits. */
export interface KnownObjects<T> {
  keys(): Iterable<Key>;
  get(key: Key): T | undefined;
  /** Whether a delete of `key` matters, also without a state to show. @default whether `get` finds one */
  has?(key: Key): boolean;
}

/** What is known of `key`. A lookup that fails finds nothing: what is certain must not wait for it. */
export function lookUpKnown<T>(known: KnownObjects<T>, key: Key): T | undefined {
  try {
    return known.get(key);
  } catch {
    return undefined;
  }
}

/** The same for a resync, where finding nothing is worth a line: the key was there a moment ago. */
export function lookUpKnownForResync<T>(known: KnownObjects<T>, key: Key, env: Env): T | undefined {
  const object = lookUpKnown(known, key);
  if (object === undefined) env.log('warn', 'a known object could not be found and is not resynced', { key });
  return object;
}
