import { trustGuarded, type UserCode } from '../core/guarded.ts';
import { KubeError } from '../core/errors.ts';
import { guardedKey, type Key, type KeyFn } from '../core/object/key.ts';
import type { Scalar } from '../core/object/object-codec.ts';
import { type KubeObject, type ObjectAccess, plainAccess } from '../core/object/object.ts';
import type { Path } from '../core/object/representation.ts';
import { indexTableFunction, IndexTable } from './index-table.ts';
import type { Indexers, IndexFn, ReadonlyStore, Store, StoreWrite, TransactionResult } from './store.ts';

/** Name of the index by namespace; cluster-scoped objects have the value "". */
export const NAMESPACE_INDEX = 'namespace';
/** Prefix of the names of label indexes; no option can have such a name by chance. */
const POSTING_PREFIX = '\0label ';
const NO_KEYS: ReadonlySet<Key> = new Set();

export interface IndexerOptions<T> {
  /** Additional indexes; the index `namespace` always exists. */
  readonly indexers?: Indexers<T>;
  /** @default `namespace/name` from the metadata */
  readonly key?: UserCode<KeyFn<T>>;
  /** How metadata is read. @default plain decoded JSON */
  readonly access?: ObjectAccess<T>;
  /** Receives the objects that the cache holds: a packed cache counts the bytes behind them. */
  readonly holder?: StoreHolder<T>;
}

/** Follows what a cache holds. An object that two generations of the cache hold is kept twice and dropped twice. */
export interface StoreHolder<T> {
  keep?(object: T): void;
  drop?(object: T): void;
  /** Reads the values at a path, where they do not come from the object itself. */
  read?(object: T, path: Path): readonly Scalar[];
  /** Announces that `read` will be called with this path, always with the same array. */
  prepare?(path: Path): void;
}

/** A replace in preparation: a new content of the cache, which becomes visible with `commit`. */
export interface StagedReplace<T> {
  /** Adds an object. Throws INDEX_FAILED; the object is then left out. */
  set(key: Key, object: T): void;
  has(key: Key): boolean;
  commit(resourceVersion: string): void;
}

interface Generation<T> {
  readonly items: Map<Key, T>;
  readonly tables: Map<string, IndexTable<T>>;
}

/**
 * The cache: objects by key and by index.
 *
 * Promises: a write changes the items and every index, or nothing (G7); a replace
 * is prepared separately and becomes visible in one step; `keys`, `list` and
 * `byIndex` return new arrays.
 *
 * Room rule: never waits, never logs, knows nothing of events or handlers.
 */
export class Indexer<T extends object = KubeObject, I extends string = string>
  implements Store<T>, ReadonlyStore<T, I>
{
  readonly keyOf: KeyFn<T>;
  readonly #access: ObjectAccess<T>;
  readonly #holder: StoreHolder<T>;
  #current: Generation<T>;
  #stage: Generation<T> | undefined;
  #resourceVersion = '';

  constructor(options: IndexerOptions<T> = {}) {
    const { indexers = {}, access = plainAccess, key, holder = {} } = options;
    this.keyOf = guardedKey(key, access);
    this.#access = access;
    this.#holder = holder;
    this.#current = { items: new Map(), tables: new Map() };
    const namespace: IndexFn<T> = (object) => [access.namespace(object) ?? ''];
    if (!Object.hasOwn(indexers, NAMESPACE_INDEX))
      this.#current.tables.set(NAMESPACE_INDEX, new IndexTable(NAMESPACE_INDEX, namespace, indexerNamespaceOfKey));
    this.addIndexers(indexers);
  }

  get size(): number {
    return this.#current.items.size;
  }

  get resourceVersion(): string {
    return this.#resourceVersion;
  }

  // — writing ————————————————————————————————————————————————————————————

  add(object: T): void {
    this.set(this.keyOf(object), object);
  }

  update(object: T): void {
    this.set(this.keyOf(object), object);
  }

  delete(object: T): void {
    this.deleteKey(this.keyOf(object));
    this.#advanceTo(object);
  }

  /** Stores `object` and returns the one it replaced. */
  set(key: Key, object: T): T | undefined {
    const before = putInIndexer(this.#current, key, object);
    this.#holder.keep?.(object);
    if (before !== undefined) this.#holder.drop?.(before);
    this.#advanceTo(object);
    return before;
  }

  /** Removes an object and returns it. Does not change the store's resourceVersion. */
  deleteKey(key: Key): T | undefined {
    const { items, tables } = this.#current;
    const before = items.get(key);
    if (before === undefined) return undefined;
    for (const table of tables.values()) table.delete(key);
    items.delete(key);
    this.#holder.drop?.(before);
    return before;
  }

  /**
   * Reports that an object will never be stored, so that code that counts what the cache holds need not wait
   * for it.
   */
  discard(object: T): void {
    this.#holder.drop?.(object);
  }

  /** Replaces all objects. One without a key, or with a failing index, rejects the whole list, and nothing changes. */
  replace(items: readonly T[], resourceVersion: string): void {
    const keyed = items.map((object) => [this.keyOf(object), object] as const);
    const next = this.#emptyGeneration();
    for (const [key, object] of keyed) putInIndexer(next, key, object);
    for (const object of next.items.values()) this.#holder.keep?.(object);
    this.#swap(next, resourceVersion);
  }

  /** Begins a replace. An earlier one that was not committed is abandoned. */
  stageReplace(): StagedReplace<T> {
    if (this.#stage !== undefined) this.#release(this.#stage);
    const stage = this.#emptyGeneration();
    this.#stage = stage;
    const requireOpen = (): void => {
      if (this.#stage !== stage)
        throw new KubeError('ILLEGAL_STATE', 'this replace has ended: it was committed, or another one was begun');
    };
    return {
      set: (key, object) => {
        requireOpen();
        const before = putInIndexer(stage, key, object);
        this.#holder.keep?.(object);
        if (before !== undefined) this.#holder.drop?.(before);
      },
      has: (key) => stage.items.has(key),
      commit: (resourceVersion) => {
        requireOpen();
        this.#stage = undefined;
        this.#swap(stage, resourceVersion);
      },
    };
  }

  /** Advances the resourceVersion without a change of an object. */
  bookmark(resourceVersion: string): void {
    this.#resourceVersion = resourceVersion;
  }

  /** Applies all writes in one step; those that fail are skipped and reported. */
  transaction(writes: readonly StoreWrite<T>[]): TransactionResult {
    const failures: { at: number; error: unknown }[] = [];
    writes.forEach((write, at) => {
      try {
        if (write.type === 'set') this.set(write.key ?? this.keyOf(write.object), write.object);
        else {
          this.deleteKey(write.key);
          if (write.object !== undefined) this.#advanceTo(write.object);
        }
      } catch (error) {
        failures.push({ at, error });
      }
    });
    return { total: writes.length, failures };
  }

  /** Adds indexes and fills them with the current objects. If a function fails, none is added. */
  addIndexers(indexers: Indexers<T>): void {
    // A replace in preparation needs the same indexes.
    const generations = this.#stage === undefined ? [this.#current] : [this.#current, this.#stage];
    const added: { to: Generation<T>; table: IndexTable<T> }[] = [];
    for (const [name, fn] of Object.entries(indexers)) {
      if (this.#current.tables.has(name)) throw new KubeError('INVALID_OPTION', `index "${name}" already exists`);
      const values = indexTableFunction(name, fn, this.#holder);
      for (const to of generations) added.push({ to, table: fillIndexer(new IndexTable(name, values), to.items) });
    }
    for (const { to, table } of added) to.tables.set(table.name, table);
  }

  /** Adds an index by label that readers do not see by name. */
  addPosting(label: string, values: IndexFn<T>): void {
    this.addIndexers({ [POSTING_PREFIX + label]: trustGuarded(values) });
  }

  postedKeys(label: string, value: string): ReadonlySet<Key> {
    return this.#table(POSTING_PREFIX + label).keys(value) ?? NO_KEYS;
  }

  // — reading ————————————————————————————————————————————————————————————

  get(key: Key): T | undefined {
    return this.#current.items.get(key);
  }

  has(key: Key): boolean {
    return this.#current.items.has(key);
  }

  keys(): Key[] {
    return [...this.#current.items.keys()];
  }

  list(): T[] {
    return [...this.#current.items.values()];
  }

  byIndex(name: I | 'namespace', value: string): T[] {
    return this.#pick(this.#table(name).keys(value) ?? []);
  }

  indexKeys(name: I | 'namespace', value: string): Key[] {
    return [...(this.#table(name).keys(value) ?? [])].sort();
  }

  indexValues(name: I | 'namespace'): string[] {
    return this.#current.tables.get(name)?.values() ?? [];
  }

  index(name: I | 'namespace', object: T): T[] {
    return this.byIndexValues(name, this.#table(name).valuesOf(object));
  }

  /** Objects with at least one of `values` in the index, each once. */
  byIndexValues(name: I | 'namespace', values: readonly string[]): T[] {
    const table = this.#table(name);
    const keys = new Set<Key>();
    for (const value of values) for (const key of table.keys(value) ?? []) keys.add(key);
    return this.#pick(keys);
  }

  hasIndex(name: string): boolean {
    return this.#current.tables.has(name);
  }

  indexNames(): string[] {
    return [...this.#current.tables.keys()].filter((name) => !name.startsWith(POSTING_PREFIX));
  }

  /** The live entries, to be read in one turn of the event loop. A replace creates a new map. */
  entries(): IterableIterator<[Key, T]> {
    return this.#current.items.entries();
  }

  #swap(next: Generation<T>, resourceVersion: string): void {
    this.#release(this.#current);
    this.#current = next;
    this.#resourceVersion = resourceVersion;
  }

  #release({ items }: Generation<T>): void {
    if (this.#holder.drop === undefined) return;
    for (const object of items.values()) this.#holder.drop(object);
  }

  #emptyGeneration(): Generation<T> {
    return {
      items: new Map(),
      tables: new Map([...this.#current.tables].map(([name, table]) => [name, table.fresh()])),
    };
  }

  #pick(keys: Iterable<Key>): T[] {
    const objects: T[] = [];
    for (const key of keys) {
      const object = this.#current.items.get(key);
      if (object !== undefined) objects.push(object);
    }
    return objects;
  }

  #table(name: string): IndexTable<T> {
    const table = this.#current.tables.get(name);
    if (table === undefined) {
      const names = this.indexNames()
        .map((known) => `"${known}"`)
        .join(', ');
      throw new KubeError('INVALID_OPTION', `unknown index "${name}": expected one of ${names}`);
    }
    return table;
  }

  /** Advances the store's resourceVersion to that of an object, if it has one. */
  #advanceTo(object: T): void {
    const version = this.#access.resourceVersion(object);
    if (version !== undefined && version !== '') this.#resourceVersion = version;
  }
}

/** Writes the item and its indexes, or throws before changing anything. */
function putInIndexer<T>({ items, tables }: Generation<T>, key: Key, object: T): T | undefined {
  const before = items.get(key);
  const isNew = before === undefined;
  if (tables.size === 1) {
    for (const table of tables.values()) table.put(key, table.valuesOf(object), isNew);
  } else {
    const computed: (readonly string[])[] = [];
    for (const table of tables.values()) computed.push(table.valuesOf(object));
    let at = 0;
    for (const table of tables.values()) {
      table.put(key, computed[at] as readonly string[], isNew);
      at += 1;
    }
  }
  items.set(key, object);
  return before;
}

/** The namespace in a key of the default form. */
function indexerNamespaceOfKey(key: Key): string {
  const slash = key.indexOf('/');
  return slash === -1 ? '' : key.slice(0, slash);
}

function fillIndexer<T>(table: IndexTable<T>, items: ReadonlyMap<Key, T>): IndexTable<T> {
  for (const [key, object] of items) table.put(key, table.valuesOf(object), true);
  return table;
}
