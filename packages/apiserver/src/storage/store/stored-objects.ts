import { integerShapeCheck, checkShape } from '../../core/shape-check.ts';
import { Collection, type CollectionHost, type CollectionOptions, type Write } from './stored-collection.ts';
import type { Change, HistoryLimits } from './stored-history.ts';
import { ObjectCache } from './stored-object-cache.ts';
import type { Layout, StoredRecord } from './stored-record.ts';

export interface StoreOptions {
  readonly history?: HistoryLimits;
  /** Revision before the first write. @default 1 */
  readonly revision?: number;
}

/** All objects at one moment. Records never change, so it costs no copies. */
export interface StoreSnapshot {
  readonly revision: number;
  readonly collections: ReadonlyMap<string, { readonly layout: Layout; readonly records: readonly StoredRecord[] }>;
}

/** Called before every write; it may throw a StatusError to refuse it. */
export type WriteGuard = (write: Write) => void;

/**
 * All data of the server, with one increasing revision.
 *
 * - Every write takes the next revision, whatever its collection; nothing else takes one.
 * - Listeners get changes in the order of revisions, each after it is stored, also when a listener writes
 * itself.
 * - Memory only, synchronous, single-threaded: between two awaits a caller sees one state.
 *
 * Room rule: knows keys, bytes and revisions. No kinds, no rules about objects, no HTTP.
 */
export class Store {
  readonly #collections = new Map<string, Collection>();
  readonly #limits: HistoryLimits;
  readonly #host: CollectionHost;
  readonly #pending: [Collection, Change][] = [];
  readonly #waiters = new Set<{ readonly revision: number; readonly done: () => void }>();
  readonly #listeners = new Set<(collection: Collection, change: Change) => void>();
  #revision: number;
  #compacted = 0;
  #guard: WriteGuard | undefined;
  #isNotifying = false;

  constructor({ history = {}, revision = 1 }: StoreOptions = {}) {
    this.#limits = history;
    this.#revision = revision;
    this.#host = {
      objects: new ObjectCache(),
      revision: () => this.#revision,
      begin: (write) => {
        this.#guard?.(write);
        return this.#revision + 1;
      },
      committed: (collection, change) => this.#committed(collection, change),
    };
  }

  get revision(): number {
    return this.#revision;
  }

  /** The highest revision `compact` was called with. */
  get compacted(): number {
    return this.#compacted;
  }

  set guard(guard: WriteGuard | undefined) {
    this.#guard = guard;
  }

  /** Opens a collection, or returns the existing one of that id. */
  collection({ id, layout }: Omit<CollectionOptions, 'limits'>): Collection {
    const known = this.#collections.get(id);
    if (known !== undefined) return known;
    const collection = new Collection(this.#host, { id, layout, limits: this.#limits });
    if (this.#compacted > 0) collection.compact(this.#compacted);
    this.#collections.set(id, collection);
    return collection;
  }

  collections(): Iterable<Collection> {
    return this.#collections.values();
  }

  /** Removes an empty collection whose resource is gone. */
  close(id: string): void {
    this.#collections.delete(id);
  }

  /** Drops history up to `revision`: older watches and exact lists get 410. */
  compact(revision: number = this.#revision): void {
    checkShape(integerShapeCheck(0), revision, 'revision', 'compact');
    const to = Math.min(revision, this.#revision);
    this.#compacted = Math.max(this.#compacted, to);
    for (const collection of this.#collections.values()) collection.compact(to);
  }

  /** Allows watches only from now on, as after a start of the server. */
  reopen(): void {
    for (const collection of this.#collections.values()) collection.reopen();
  }

  snapshot(): StoreSnapshot {
    const collections: [string, { layout: Layout; records: readonly StoredRecord[] }][] = [];
    for (const collection of this.#collections.values())
      collections.push([collection.id, { layout: collection.layout, records: collection.current() }]);
    return { revision: this.#revision, collections: new Map(collections) };
  }

  /** Replaces everything, with any revision and without a history. Listeners are not called. */
  restore({ collections }: StoreSnapshot, revision: number): void {
    this.#revision = revision;
    this.#compacted = revision;
    for (const [id, { layout }] of collections) this.collection({ id, layout });
    for (const [id, collection] of this.#collections) collection.reset(collections.get(id)?.records ?? []);
    this.#wake();
  }

  /**
   * Returns to a snapshot by ordinary writes: listeners are called, revisions increase. `first` is the
   * collection whose objects define the others: objects of the defined kinds are written after their
   * definitions and removed before them.
   */
  rewind({ collections }: StoreSnapshot, first: string): void {
    const isFirst = (id: string): boolean => id === first;
    const keep = (id: string): ReadonlySet<string> => new Set(collections.get(id)?.records.map(({ key }) => key));
    const ids = [...this.#collections.keys()].toSorted((a, b) => Number(isFirst(a)) - Number(isFirst(b)));
    for (const id of ids) {
      const [collection, kept] = [this.#collections.get(id), keep(id)];
      for (const { key, namespace, name } of collection?.current() ?? [])
        if (!kept.has(key)) collection?.remove(namespace, name);
    }
    for (const [id, { layout, records }] of [...collections].toSorted(([a], [b]) => Number(isFirst(b)) - Number(isFirst(a)))) {
      if (records.length === 0) continue;
      const collection = this.collection({ id, layout });
      for (const record of records)
        if (collection.get(record.namespace, record.name) !== record) collection.change(this.#host.objects.get(record));
    }
  } // prettier-ignore

  /** Moves the counter forward, as writes to other resources do. */
  skip(revisions: number): void {
    checkShape(integerShapeCheck(0, Number.MAX_SAFE_INTEGER - this.#revision), revisions, 'revisions', 'jump');
    this.#revision += revisions;
    this.#wake();
  }

  listen(listener: (collection: Collection, change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Resolves when the store has reached `revision`, or when `signal` aborts. */
  reached(revision: number, signal: AbortSignal): Promise<void> {
    if (this.#revision >= revision || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        this.#waiters.delete(waiter);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const waiter = { revision, done };
      this.#waiters.add(waiter);
      signal.addEventListener('abort', done, { once: true });
    });
  }

  #committed(collection: Collection, change: Change): void {
    this.#revision = change.revision;
    this.#pending.push([collection, change]);
    // When a listener writes, the others must get this change before the new one.
    if (this.#isNotifying) return;
    this.#isNotifying = true;
    try {
      for (let next = this.#pending.shift(); next !== undefined; next = this.#pending.shift()) {
        next[0].notify(next[1]);
        for (const listener of this.#listeners) listener(next[0], next[1]);
      }
    } finally {
      this.#isNotifying = false;
    }
    this.#wake();
  }

  #wake(): void {
    for (const { revision, done } of this.#waiters) if (this.#revision >= revision) done();
  }
}
