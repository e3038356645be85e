import { KubeError, errorMessageOf } from '../core/errors.ts';
import type { Key } from '../core/object/key.ts';
import type { IndexFn } from './store.ts';

/** Maximum number of values of one object; more are a mistake in the index function. */
const MAX_VALUES = 10_000;

/**
 * One index: value → keys. In a Map, so that `__proto__` is an ordinary value.
 *
 * Room rule: stores keys and values; objects are only passed to the index function.
 */
export class IndexTable<T> {
  readonly name: string;
  readonly #fn: IndexFn<T>;
  readonly #keysByValue = new Map<string, Set<Key>>();

  constructor(name: string, fn: IndexFn<T>) {
    this.name = name;
    this.#fn = fn;
  }

  /** An empty table with the same function, for a replace. */
  fresh(): IndexTable<T> {
    return new IndexTable(this.name, this.#fn);
  }

  /** The checked values of `object`. Throws INDEX_FAILED; nothing has been changed then. */
  valuesOf(object: T): readonly string[] {
    let values: unknown;
    try {
      values = this.#fn(object);
    } catch (cause) {
      throw new KubeError('INDEX_FAILED', `index "${this.name}" failed: ${errorMessageOf(cause)}`, { cause });
    }
    if (!Array.isArray(values)) throw this.#notStrings();
    if (values.length > MAX_VALUES) {
      throw new KubeError(
        'INDEX_FAILED',
        `index "${this.name}" returned ${values.length} values, at most ${MAX_VALUES} are allowed`,
      );
    }
    // A copy, because a function may return the same array each time.
    if (values.length === 1 && typeof values[0] === 'string') return [values[0]];
    const checked: string[] = [];
    // By position, because `every` skips holes.
    for (let i = 0; i < values.length; i += 1) {
      const value: unknown = values[i];
      if (typeof value !== 'string') throw this.#notStrings();
      checked.push(value);
    }
    return checked;
  }

  /**
   * The values that `key` is indexed under: those of `object`. If the function fails now, because the
   * object was changed, the table is searched, so that a delete never fails.
   */
  valuesHeld(key: Key, object: T): readonly string[] {
    try {
      return this.valuesOf(object);
    } catch {
      return this.#search(key);
    }
  }

  /** Moves `key` from its old values to the new ones. */
  move(key: Key, before: readonly string[], after: readonly string[]): void {
    // The most common case: one value, and it stayed the same.
    if (before.length === 1 && after.length === 1 && before[0] === after[0]) return;
    let wereIndexed = true;
    for (const value of before) wereIndexed = this.#remove(key, value) && wereIndexed;
    // The object was changed in place: its values now are not those it was indexed under.
    if (!wereIndexed) for (const value of this.#search(key)) this.#remove(key, value);
    for (const value of after) this.#add(key, value);
  }

  keys(value: string): ReadonlySet<Key> | undefined {
    return this.#keysByValue.get(value);
  }

  values(): string[] {
    return [...this.#keysByValue.keys()];
  }

  #notStrings(): KubeError {
    return new KubeError('INDEX_FAILED', `index "${this.name}" must return an array of strings`);
  }

  #add(key: Key, value: string): void {
    const keys = this.#keysByValue.get(value);
    if (keys === undefined) this.#keysByValue.set(value, new Set([key]));
    else keys.add(key);
  }

  /** Whether the key was there. */
  #remove(key: Key, value: string): boolean {
    const keys = this.#keysByValue.get(value);
    if (keys === undefined || !keys.delete(key)) return false;
    // Unused values are removed, or the index would grow with history instead of with the cache.
    if (keys.size === 0) this.#keysByValue.delete(value);
    return true;
  }

  /** The values that `key` is really indexed under, found by searching the whole index. */
  #search(key: Key): string[] {
    return [...this.#keysByValue].filter(([, keys]) => keys.has(key)).map(([value]) => value);
  }
}
