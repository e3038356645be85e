import { KubeError } from '../core/errors.ts';
import { type Key, type KeyFn, keyFn } from '../core/object/key.ts';
import { type KubeObject, type ObjectAccess, plainAccess } from '../core/object/object.ts';
import { IndexTable } from './index-table.ts';
import type { Indexers, IndexFn, ReadonlyStore, Store, StoreWrite, TransactionResult } from './store.ts';

/** Name of the index by namespace; cluster-scoped objects have the value "". */
export const NAMESPACE_INDEX = 'namespace';

export interface IndexerOptions<T> {
  /** Additional indexes; the index `namespace` always exists. */
  readonly indexers?: Indexers<T>;
  /** @default `namespace/name` from the metadata */
  readonly key?: KeyFn<T>;
  /** How metadata is read. @default plain decoded JSON */
  readonly access?: ObjectAccess<T>;
}

/** A replace in preparation: a new content of the cache, which becomes visible with `commit`. */
export interface StagedReplace<T> {
  /** Throws INDEX_FAILED; this object is then left out. */
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
  #current: Generation<T>;
  #stage: Generation<T> | undefined;
  #resourceVersion = '';

  constructor(options: IndexerOptions<T> = {}) {
    const { indexers = {}, access = plainAccess as unknown as ObjectAccess<T>, key = keyFn(access) } = options;
    this.keyOf = key;
    this.#access = access;
    this.#current = { items: new Map(), tables: new Map() };
    this.addIndexers({ [NAMESPACE_INDEX]: (object) => [access.namespace(object) ?? ''], ...indexers });
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
    const before = putInIndexerGeneration(this.#current, key, object);
    this.#advanceTo(object);
    return before;
  }

  /** Removes an object and returns it. Does not change the store's resourceVersion. */
  deleteKey(key: Key): T | undefined {
    const { items, tables } = this.#current;
    const before = items.get(key);
    if (before === undefined) return undefined;
    for (const table of tables.values()) table.move(key, table.valuesHeld(key, before), NO_VALUES);
    items.delete(key);
    return before;
  }

  /** One object without a key, or with a failing index, rejects the whole list, and nothing changes. */
  replace(items: readonly T[], resourceVersion: string): void {
    const keyed = items.map((object) => [this.keyOf(object), object] as const);
    const next = this.#emptyGeneration();
    for (const [key, object] of keyed) putInIndexerGeneration(next, key, object);
    this.#current = next;
    this.#resourceVersion = resourceVersion;
  }

  /** Begins a replace. An earlier one that was not committed is abandoned. */
  stageReplace(): StagedReplace<T> {
    const stage = this.#emptyGeneration();
    this.#stage = stage;
    const requireOpen = (): void => {
      if (this.#stage !== stage)
        throw new KubeError('ILLEGAL_STATE', 'this replace has ended: it was committed, or another one was begun');
    };
    return {
      set: (key, object) => {
        requireOpen();
        putInIndexerGeneration(stage, key, object);
      },
      has: (key) => stage.items.has(key),
      commit: (resourceVersion) => {
        requireOpen();
        this.#stage = undefined;
        this.#current = stage;
        this.#resourceVersion = resourceVersion;
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
    for (const [name, fn] of Object.entries(indexers) as [string, IndexFn<T>][]) {
      if (this.#current.tables.has(name)) throw new KubeError('INVALID_OPTION', `index "${name}" already exists`);
      for (const to of generations) added.push({ to, table: fillIndexerTable(new IndexTable(name, fn), to.items) });
    }
    for (const { to, table } of added) to.tables.set(table.name, table);
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
    const table = this.#table(name);
    const keys = new Set<Key>();
    for (const value of table.valuesOf(object)) for (const key of table.keys(value) ?? []) keys.add(key);
    return this.#pick(keys);
  }

  hasIndex(name: string): boolean {
    return this.#current.tables.has(name);
  }

  indexNames(): string[] {
    return [...this.#current.tables.keys()];
  }

  /** The live entries, to be read in one turn of the event loop. A replace creates a new map. */
  entries(): IterableIterator<[Key, T]> {
    return this.#current.items.entries();
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
      const names = [...this.#current.tables.keys()].map((known) => `"${known}"`).join(', ');
      throw new KubeError('INVALID_OPTION', `unknown index "${name}": expected one of ${names}`);
    }
    return table;
  }

  /** An object without a resourceVersion does not change that of the store. */
  #advanceTo(object: T): void {
    const version = this.#access.resourceVersion(object);
    if (version !== undefined && version !== '') this.#resourceVersion = version;
  }
}

/** Writes the item and its indexes, or throws before changing anything. */
function putInIndexerGeneration<T>({ items, tables }: Generation<T>, key: Key, object: T): T | undefined {
  const before = items.get(key);
  if (tables.size === 1) {
    for (const table of tables.values()) {
      table.move(key, before === undefined ? NO_VALUES : table.valuesHeld(key, before), table.valuesOf(object));
    }
  } else {
    const moves: [IndexTable<T>, readonly string[], readonly string[]][] = [];
    for (const table of tables.values()) {
      moves.push([table, before === undefined ? NO_VALUES : table.valuesHeld(key, before), table.valuesOf(object)]);
    }
    for (const [table, from, to] of moves) table.move(key, from, to);
  }
  items.set(key, object);
  return before;
}

const NO_VALUES: readonly string[] = [];

function fillIndexerTable<T>(table: IndexTable<T>, items: ReadonlyMap<Key, T>): IndexTable<T> {
  for (const [key, object] of items) table.move(key, NO_VALUES, table.valuesOf(object));
  return table;
}
