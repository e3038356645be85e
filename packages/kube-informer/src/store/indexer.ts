import { KubeError } from '../core/errors.ts';
import { type Key, type KeyFn, keyFn } from '../core/object/key.ts';
import { type KubeObject, type ObjectAccess, plainAccess } from '../core/object/object.ts';
import { IndexTable } from './index-table.ts';
import type { Indexers, IndexFn, ReadonlyStore, Store, StoreWrite, TransactionResult } from './store.ts';

/** Files every object under its namespace; cluster-scoped ones under "". */
export const NAMESPACE_INDEX = 'namespace';

export interface IndexerOptions<T> {
  /** Extra ways to look objects up; the index `namespace` is always there. */
  readonly indexers?: Indexers<T>;
  /** @default `namespace/name` from the metadata */
  readonly key?: KeyFn<T>;
  /** How metadata is read. @default plain decoded JSON */
  readonly access?: ObjectAccess<T>;
}

/** Half of a replace: a new generation of the cache, filled aside and swapped in by `commit`. */
export interface StagedReplace<T> {
  /** Throws INDEX_FAILED and leaves the stage without this object. */
  set(key: Key, object: T): void;
  has(key: Key): boolean;
  commit(resourceVersion: string): void;
}

interface Generation<T> {
  readonly items: Map<Key, T>;
  readonly tables: Map<string, IndexTable<T>>;
}

/**
 * The cache: objects by key, and by whatever else was asked for.
 *
 * Promises: a write either happens in the items and in every index, or nowhere
 * (G7); a replace is prepared aside and becomes visible in one step; `keys`,
 * `list` and `byIndex` give arrays of the caller's own.
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

  /** Stores `object` and returns what it replaced. */
  set(key: Key, object: T): T | undefined {
    const before = put(this.#current, key, object);
    this.#advanceTo(object);
    return before;
  }

  /** Removes an object and returns it. Says nothing about time: the store's resourceVersion stays. */
  deleteKey(key: Key): T | undefined {
    const { items, tables } = this.#current;
    const before = items.get(key);
    if (before === undefined) return undefined;
    for (const table of tables.values()) table.move(key, table.valuesHeld(key, before), NO_VALUES);
    items.delete(key);
    return before;
  }

  /** All keys are computed before anything changes: one bad object rejects the whole list and loses nothing. */
  replace(items: readonly T[], resourceVersion: string): void {
    const keyed = items.map((object) => [this.keyOf(object), object] as const);
    const next = this.#emptyGeneration();
    for (const [key, object] of keyed) put(next, key, object);
    this.#current = next;
    this.#resourceVersion = resourceVersion;
  }

  /** One stage at a time: opening another abandons the first. */
  stageReplace(): StagedReplace<T> {
    const stage = this.#emptyGeneration();
    this.#stage = stage;
    const whileOpen = (): void => {
      if (this.#stage !== stage)
        throw new KubeError('ILLEGAL_STATE', 'this replace is over: it was committed or another one was begun');
    };
    return {
      set: (key, object) => {
        whileOpen();
        put(stage, key, object);
      },
      has: (key) => stage.items.has(key),
      commit: (resourceVersion) => {
        whileOpen();
        this.#stage = undefined;
        this.#current = stage;
        this.#resourceVersion = resourceVersion;
      },
    };
  }

  /** Everything up to `resourceVersion` has been seen, though no object changed. */
  bookmark(resourceVersion: string): void {
    this.#resourceVersion = resourceVersion;
  }

  /** Applies all writes in one step; those that fail are named and skipped. */
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

  /** Adds ways to look objects up, also while running: what is held is indexed at once, or nothing is added. */
  addIndexers(indexers: Indexers<T>): void {
    // A replace that is being prepared must come out with the same indexes.
    const generations = this.#stage === undefined ? [this.#current] : [this.#current, this.#stage];
    const added: { to: Generation<T>; table: IndexTable<T> }[] = [];
    for (const [name, fn] of Object.entries(indexers) as [string, IndexFn<T>][]) {
      if (this.#current.tables.has(name)) throw new KubeError('INVALID_OPTION', `index "${name}" exists already`);
      for (const to of generations) added.push({ to, table: filled(new IndexTable(name, fn), to.items) });
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

  /** The live entries: read them in one turn. A replace makes a new map, so a reader never sees half of one. */
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
      throw new KubeError('INVALID_OPTION', `there is no index "${name}"; there are: ${names}`);
    }
    return table;
  }

  /** Objects without a resourceVersion leave the store's own where it is. */
  #advanceTo(object: T): void {
    const version = this.#access.resourceVersion(object);
    if (version !== undefined && version !== '') this.#resourceVersion = version;
  }
}

/** Writes items and indexes together, or throws before touching either. */
function put<T>({ items, tables }: Generation<T>, key: Key, object: T): T | undefined {
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

function filled<T>(table: IndexTable<T>, items: ReadonlyMap<Key, T>): IndexTable<T> {
  for (const [key, object] of items) table.move(key, NO_VALUES, table.valuesOf(object));
  return table;
}

/** The face for users: the same answers, and no way to write, also not from JavaScript. */
export function readonlyStore<T extends object, I extends string>(store: ReadonlyStore<T, I>): ReadonlyStore<T, I> {
  return Object.freeze({
    get size() {
      return store.size;
    },
    get resourceVersion() {
      return store.resourceVersion;
    },
    get: (key: Key) => store.get(key),
    has: (key: Key) => store.has(key),
    keys: () => store.keys(),
    list: () => store.list(),
    byIndex: (name: I | 'namespace', value: string) => store.byIndex(name, value),
    indexKeys: (name: I | 'namespace', value: string) => store.indexKeys(name, value),
    indexValues: (name: I | 'namespace') => store.indexValues(name),
    index: (name: I | 'namespace', object: T) => store.index(name, object),
    hasIndex: (name: string) => store.hasIndex(name),
    indexNames: () => store.indexNames(),
  });
}
