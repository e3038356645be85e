import type { ApiObject } from '../../core/kube-object.ts';
import { unknownStatusError } from '../../core/status-error.ts';
import { type Change, History, type HistoryLimits } from './stored-history.ts';
import type { ObjectCache } from './stored-object-cache.ts';
import { lowerBoundInSortedKeys, SortedKeys } from './sorted-keys.ts';
import { encodeRecord, isSameRecord, recordKey, type Layout, type StoredRecord } from './stored-record.ts';

/**
 * Maximum size of an object. Bodies have a limit of their own, but managed fields grow with every applier.
 * The limit of etcd is 1.5 MB, for objects in protobuf.
 */
const MAX_OBJECT_BYTES = 4 * 1024 * 1024;

/** The part of the store that its collections use. */
export interface CollectionHost {
  readonly objects: ObjectCache;
  revision(): number;
  /** Calls the seam for transactions, and takes the next revision. */
  begin(write: Write): number;
  committed(collection: Collection, change: Change): void;
}

/** A write that is about to be stored. */
export interface Write {
  readonly collection: string;
  readonly type: Change['type'];
  readonly namespace: string;
  readonly name: string;
}

export interface CollectionOptions {
  /** Id of the collection, such as `pods` or `deployments.apps`: all versions of a resource share one. */
  readonly id: string;
  readonly layout: Layout;
  readonly limits?: HistoryLimits;
}

/** The start and the namespace of a list; empty for the beginning, and for all namespaces. */
export interface Range {
  readonly namespace?: string;
  /** First key to list. */
  readonly start?: string;
}

/** Maximum number of old states kept for lists that are being paged. */
const SNAPSHOTS = 8;

/**
 * The objects of one resource: the newest state by key, and a history for exact lists and watches.
 *
 * - `put` and `remove` are transactions: they take one revision, change one key and add one change. Nothing
 * else writes.
 * - Records are never changed in place. A list that is being sent does not change.
 * - `at(revision)` is exactly the state after that revision, for every revision not below `oldest`.
 *
 * Room rule: knows keys, bytes and revisions. No kinds, no rules about objects, no HTTP.
 */
export class Collection {
  readonly id: string;
  readonly layout: Layout;
  readonly #host: CollectionHost;
  readonly #limits: HistoryLimits | undefined;
  #history: History;
  readonly #records = new Map<string, StoredRecord>();
  #keys = new SortedKeys();
  readonly #snapshots = new Map<number, readonly StoredRecord[]>();
  readonly #listeners = new Set<(change: Change) => void>();
  /** Revision at which this collection was opened: earlier changes are not available. */
  #opened: number;
  #lastRevision = 0;
  #version = 0;
  #bytes = 0;

  constructor(host: CollectionHost, { id, layout, limits }: CollectionOptions) {
    this.#host = host;
    this.id = id;
    this.layout = layout;
    this.#limits = limits;
    this.#history = new History(limits);
    this.#opened = host.revision();
  }

  get size(): number {
    return this.#records.size;
  }

  /** Bytes of all current objects. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Revision of the last change here. */
  get lastRevision(): number {
    return this.#lastRevision;
  }

  /** A number that changes with every change. Unlike a revision it is never reused, not even after a restore. */
  get version(): number {
    return this.#version;
  }

  /** Oldest revision that a watch can start from. */
  get windowStart(): number {
    return Math.max(this.#opened, this.#history.dropped);
  }

  /** Oldest revision that can be listed exactly. */
  get oldest(): number {
    return this.#history.dropped;
  }

  get(namespace: string, name: string): StoredRecord | undefined {
    return this.#records.get(recordKey(namespace, name));
  }

  /** The object of a record, without kind and apiVersion. Shared: copy before changing it. */
  object(record: StoredRecord): ApiObject {
    return this.#host.objects.get(record);
  }

  /** Creates or replaces. The object's resourceVersion becomes the revision of this write. */
  put(object: ApiObject): StoredRecord {
    return this.#put(object);
  }

  /** Creates or replaces an object, unless nothing would change. */
  change(object: ApiObject): void {
    const encoded = encodeRecord(object, this.#host.revision() + 1, this.layout);
    const previous = this.#records.get(encoded.key);
    if (previous === undefined || !isSameRecord(encoded, previous)) this.#put(object, encoded);
  }

  /** Stores an object. `encoded` is valid for the revision that it has. */
  #put(object: ApiObject, encoded?: StoredRecord): StoredRecord {
    const { namespace = '', name = '' } = object.metadata ?? {};
    const previous = this.#records.get(recordKey(namespace, name));
    const type = previous === undefined ? 'ADDED' : 'MODIFIED';
    const next = encoded ?? encodeRecord(object, this.#host.revision() + 1, this.layout);
    if (next.tail.length > MAX_OBJECT_BYTES) throw unknownStatusError('etcdserver: request is too large');
    const revision = this.#host.begin({ collection: this.id, type, namespace, name });
    const record = next.revision === revision ? next : encodeRecord(object, revision, this.layout);
    this.#records.set(record.key, record);
    if (previous === undefined) this.#keys.add(record.key);
    this.#bytes += record.tail.length - (previous?.tail.length ?? 0);
    this.#commit({ type, revision, key: record.key, record, previous });
    return record;
  }

  /** Removes an object. Returns the revision of the delete; undefined when it did not exist. */
  remove(namespace: string, name: string): number | undefined {
    const previous = this.get(namespace, name);
    if (previous === undefined) return undefined;
    const revision = this.#host.begin({ collection: this.id, type: 'DELETED', namespace, name });
    this.#records.delete(previous.key);
    this.#keys.remove(previous.key);
    this.#bytes -= previous.tail.length;
    this.#commit({ type: 'DELETED', revision, key: previous.key, record: undefined, previous });
    return revision;
  }

  /** The newest state in key order. */
  current(range: Range = {}): StoredRecord[] {
    const keys = this.#keys.all();
    const [from, to] = storedCollectionBounds(keys, range);
    const records: StoredRecord[] = Array.from({ length: to - from });
    for (let i = from; i < to; i += 1) records[i - from] = this.#records.get(keys[i] as string) as StoredRecord;
    return records;
  }

  /** The state after `revision` in key order. The caller has made sure that `revision` is not below `oldest`. */
  at(revision: number, range: Range = {}): readonly StoredRecord[] {
    if (revision >= this.#lastRevision) return this.current(range);
    const records = this.#snapshot(revision);
    const [from, to] = storedCollectionBounds(
      records.map(({ key }) => key),
      range,
    );
    return from === 0 && to === records.length ? records : records.slice(from, to);
  }

  /** Changes above `revision`, oldest first. The caller has made sure that it is not below `windowStart`. */
  after(revision: number, max?: number): readonly Change[] {
    return this.#history.after(revision, max);
  }

  compact(revision: number): void {
    this.#history.compact(revision);
    for (const kept of this.#snapshots.keys()) if (kept < revision) this.#snapshots.delete(kept);
  }

  /** Allows watches only from now on, as after a start of the server; exact lists still reach back. */
  reopen(): void {
    this.#opened = this.#host.revision();
  }

  /** Replaces all objects, without a history. Listeners are not called: watches have to start again. */
  reset(records: Iterable<StoredRecord>): void {
    this.#records.clear();
    this.#snapshots.clear();
    this.#keys = new SortedKeys();
    this.#history = new History(this.#limits);
    this.#history.compact(this.#host.revision());
    this.#opened = this.#host.revision();
    this.#lastRevision = 0;
    this.#bytes = 0;
    this.#version += 1;
    for (const record of records) {
      this.#records.set(record.key, record);
      this.#keys.add(record.key);
      this.#bytes += record.tail.length;
      this.#lastRevision = Math.max(this.#lastRevision, record.revision);
    }
  }

  /** Adopts a change of another store as it is, including its revision. */
  adopt(change: Change): void {
    const { key, record } = change;
    const known = this.#records.get(key);
    if (record === undefined) this.#records.delete(key);
    else this.#records.set(key, record);
    if (record === undefined && known !== undefined) this.#keys.remove(key);
    if (record !== undefined && known === undefined) this.#keys.add(key);
    this.#bytes += (record?.tail.length ?? 0) - (known?.tail.length ?? 0);
    this.#commit(change);
  }

  /** Calls `listener` for every change, in order, after it is stored. Returns a function that ends it. */
  listen(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Called by the store, one change at a time. */
  notify(change: Change): void {
    for (const listener of this.#listeners) listener(change);
  }

  #commit(change: Change): void {
    this.#lastRevision = change.revision;
    this.#version += 1;
    this.#history.push(change);
    this.#host.committed(this, change);
  }

  /** Computes the state at a revision by undoing later changes; kept for the next pages of the same list. */
  #snapshot(revision: number): readonly StoredRecord[] {
    const known = this.#snapshots.get(revision);
    if (known !== undefined) return known;
    const changed = new Map<string, StoredRecord | undefined>();
    // The first change of a key after `revision` has its state at `revision`.
    for (const { key, previous } of this.#history.after(revision)) if (!changed.has(key)) changed.set(key, previous);
    const records = this.current().filter(({ key }) => !changed.has(key));
    for (const record of changed.values()) if (record !== undefined) records.push(record);
    records.sort((a, b) => (a.key < b.key ? -1 : 1));
    if (this.#snapshots.size >= SNAPSHOTS) {
      const first = this.#snapshots.keys().next();
      if (first.done !== true) this.#snapshots.delete(first.value);
    }
    this.#snapshots.set(revision, records);
    return records;
  }
}

function storedCollectionBounds(keys: readonly string[], { namespace = '', start = '' }: Range): [number, number] {
  const prefix = namespace === '' ? '' : `${namespace}/`;
  const first = start > prefix ? start : prefix;
  const from = first === '' ? 0 : lowerBoundInSortedKeys(keys, first);
  // '0' is the character after '/': the first key that cannot be in the namespace.
  const to = namespace === '' ? keys.length : lowerBoundInSortedKeys(keys, `${namespace}0`);
  return [from, Math.max(from, to)];
}
