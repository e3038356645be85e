import type { Key } from '../../core/object/key.ts';
import type { InformerEvent } from './handlers.ts';

/** Many events, each created when it is delivered: a handler holds only a position in the bulk. */
export interface Bulk<T> {
  readonly size: number;
  at(i: number): InformerEvent<T>;
}

/** Adds for a snapshot. The arrays are shared by all handlers and never changed. */
export function bulkOfAdds<T>(keys: readonly Key[], objects: readonly T[], initial: boolean): Bulk<T> {
  return {
    size: keys.length,
    at: (i) => ({ type: 'add', key: keys[i] as Key, object: objects[i] as T, initial }),
  };
}

/** Initial adds for everything in a store now. */
export function bulkOfStore<T>(store: { entries(): Iterable<[Key, T]> }): Bulk<T> {
  const keys: Key[] = [];
  const objects: T[] = [];
  for (const [key, object] of store.entries()) {
    keys.push(key);
    objects.push(object);
  }
  return bulkOfAdds(keys, objects, true);
}

/** Resync updates for everything in a store now. */
export function bulkOfResync<T>(store: { entries(): Iterable<[Key, T]> }): Bulk<T> {
  const entries = [...store.entries()];
  return {
    size: entries.length,
    at(i) {
      const [key, object] = entries[i] as [Key, T];
      return { type: 'update', key, object, old: object, replaced: false, resync: true };
    },
  };
}

export function bulkOf<T>(events: readonly InformerEvent<T>[]): Bulk<T> {
  return { size: events.length, at: (i) => events[i] as InformerEvent<T> };
}
