import type { Key } from '../core/object/key.ts';
import type { Representation } from '../core/object/representation.ts';
import type { LabelSelector } from '../core/selector/selector.ts';
import { LabelPostings } from './label-postings.ts';
import type { Indexer } from './indexer.ts';
import { indexTableFunction, IndexTable } from './index-table.ts';
import { NAMESPACE_INDEX } from './indexer.ts';
import type { Index, Indexers, IndexFn, ReadonlyStore } from './store.ts';

/**
 * A cache as readers see it: every result of the cache shows its objects through the representation.
 *
 * Room rule: keeps nothing but index functions. Two reads of one state show the same object, because `see` does.
 */
export class SeenStore<Stored extends object, Seen extends object, I extends string> implements ReadonlyStore<Seen, I> {
  readonly #indexer: Indexer<Stored>;
  readonly #representation: Representation<Stored, Seen>;
  readonly #postings: LabelPostings<Stored>;
  readonly #see: (stored: Stored) => Seen;
  /** Tables for the index values of an object of the user, which need not be in the cache. */
  readonly #values = new Map<string, IndexTable<Seen>>();

  constructor(indexer: Indexer<Stored>, representation: Representation<Stored, Seen>) {
    this.#indexer = indexer;
    this.#representation = representation;
    this.#postings = new LabelPostings(indexer, representation);
    this.#see = (stored) => representation.see(stored);
    const namespace: IndexFn<Seen> = (object) => [representation.seen.namespace(object) ?? ''];
    this.#values.set(NAMESPACE_INDEX, new IndexTable(NAMESPACE_INDEX, namespace));
  }

  /** Adds indexes to the cache. Their functions get the objects that readers see. */
  addIndexers(indexers: Indexers<Seen>): void {
    const tables = new Map<string, IndexTable<Seen>>();
    const stored: [string, Index<Stored>][] = [];
    for (const [name, index] of Object.entries(indexers)) {
      const table = new IndexTable<Seen>(name, indexTableFunction(name, index));
      tables.set(name, table);
      // A path is read from the bytes; a function gets the object that readers see, and decodes what it reads.
      const values: IndexFn<Stored> = (object) => table.valuesOf(this.#representation.see(object));
      stored.push([name, typeof index === 'string' ? index : values]);
    }
    this.#indexer.addIndexers(Object.fromEntries(stored));
    for (const [name, table] of tables) this.#values.set(name, table);
  }

  get size(): number {
    return this.#indexer.size;
  }

  get resourceVersion(): string {
    return this.#indexer.resourceVersion;
  }

  get(key: Key): Seen | undefined {
    const stored = this.#indexer.get(key);
    return stored === undefined ? undefined : this.#see(stored);
  }

  has(key: Key): boolean {
    return this.#indexer.has(key);
  }

  keys(): Key[] {
    return this.#indexer.keys();
  }

  list(): Seen[] {
    return this.#indexer.list().map(this.#see);
  }

  byIndex(name: I | 'namespace', value: string): Seen[] {
    return this.#indexer.byIndex(name, value).map(this.#see);
  }

  byLabels(selector: LabelSelector, namespace: string): Seen[] {
    return this.#postings.select(selector, namespace).map(this.#see);
  }

  indexKeys(name: I | 'namespace', value: string): Key[] {
    return this.#indexer.indexKeys(name, value);
  }

  indexValues(name: I | 'namespace'): string[] {
    return this.#indexer.indexValues(name);
  }

  index(name: I | 'namespace', object: Seen): Seen[] {
    const values = this.#values.get(name)?.valuesOf(object) ?? [];
    return this.#indexer.byIndexValues(name, values).map(this.#see);
  }

  hasIndex(name: string): boolean {
    return this.#indexer.hasIndex(name);
  }

  indexNames(): string[] {
    return this.#indexer.indexNames();
  }
}
