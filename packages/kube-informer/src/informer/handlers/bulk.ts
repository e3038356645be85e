import type { Key } from '../../core/object/key.ts';
import type { EventMaker } from './event-maker.ts';
import type { InformerEvent } from './handlers.ts';

/** Many events, each created when it is delivered: a handler holds only a position in the bulk. */
export interface Bulk<T> {
  readonly size: number;
  at(i: number): InformerEvent<T>;
}

/** Adds for a snapshot. The arrays are shared by all handlers and never changed. */
export function bulkOfAdds<Stored, Seen>(
  events: EventMaker<Stored, Seen>,
  keys: readonly Key[],
  objects: readonly Stored[],
  initial: boolean,
): Bulk<Seen> {
  return {
    size: keys.length,
    at: (i) => events.add(keys[i] as Key, objects[i] as Stored, initial),
  };
}

/** Initial adds for everything in a store now. */
export function bulkOfStore<Stored, Seen>(
  events: EventMaker<Stored, Seen>,
  store: { entries(): Iterable<[Key, Stored]> },
): Bulk<Seen> {
  const keys: Key[] = [];
  const objects: Stored[] = [];
  for (const [key, object] of store.entries()) {
    keys.push(key);
    objects.push(object);
  }
  return bulkOfAdds(events, keys, objects, true);
}

/** Resync updates for everything in a store now. */
export function bulkOfResync<Stored, Seen>(
  events: EventMaker<Stored, Seen>,
  store: { entries(): Iterable<[Key, Stored]> },
): Bulk<Seen> {
  const entries = [...store.entries()];
  return {
    size: entries.length,
    at(i) {
      const [key, object] = entries[i] as [Key, Stored];
      return events.resync(key, object);
    },
  };
}

export function bulkOf<T>(events: readonly InformerEvent<T>[]): Bulk<T> {
  return { size: events.length, at: (i) => events[i] as InformerEvent<T> };
}
