import { KubeError, messageOf } from '../core/errors.ts';
import type { Key } from '../core/object/key.ts';
import type { IndexFn } from './store.ts';

/** An object filed under more values than this is a mistake in the index function, not an index. */
const MAX_VALUES = 10_000;

/**
 * One index: value → keys. Values are data: they live in a Map, so `__proto__` is a name like any other.
 *
 * Room rule: knows keys and values; objects pass through only to be asked for their values.
 */
export class IndexTable<T> {
  readonly name: string;
  readonly #fn: IndexFn<T>;
  readonly #keysByValue = new Map<string, Set<Key>>();

  constructor(name: string, fn: IndexFn<T>) {
    this.name = name;
    this.#fn = fn;
  }

  /** Empty, for the next snapshot. */
  fresh(): IndexTable<T> {
    return new IndexTable(this.name, this.#fn);
  }

  /** The values of `object`, checked. Throws INDEX_FAILED before anything was changed. */
  valuesOf(object: T): readonly string[] {
    let values: unknown;
    try {
      values = this.#fn(object);
    } catch (cause) {
      throw new KubeError('INDEX_FAILED', `index "${this.name}" failed: ${messageOf(cause)}`, { cause });
    }
    if (!Array.isArray(values)) throw this.#notStrings();
    if (values.length > MAX_VALUES) {
      throw new KubeError(
        'INDEX_FAILED',
        `index "${this.name}" returned ${values.length} values, at most ${MAX_VALUES} are kept`,
      );
    }
    // A copy: a function that fills the same array each time must not change values asked for before.
    if (values.length === 1 && typeof values[0] === 'string') return [values[0]];
    const checked: string[] = [];
    // By position, because `every` and its kin do not see holes.
    for (let i = 0; i < values.length; i += 1) {
      const value: unknown = values[i];
      if (typeof value !== 'string') throw this.#notStrings();
      checked.push(value);
    }
    return checked;
  }

  /**
   * The values `key` is filed under. Normally what `object` says; if the function fails now, because
   * somebody changed the object, the table itself is searched so that a delete never gets stuck.
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
    // By far the most common change: one value, and it stayed the same.
    if (before.length === 1 && after.length === 1 && before[0] === after[0]) return;
    let filedAsSaid = true;
    for (const value of before) filedAsSaid = this.#remove(key, value) && filedAsSaid;
    // Somebody changed the object in place: its values of today are not those it was filed under.
    if (!filedAsSaid) for (const value of this.#search(key)) this.#remove(key, value);
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
    // A value nobody has any more must not stay behind, or the index grows with history instead of with the cache.
    if (keys.size === 0) this.#keysByValue.delete(value);
    return true;
  }

  /** The values `key` is really filed under: a walk over the whole index, for when nobody can be believed. */
  #search(key: Key): string[] {
    return [...this.#keysByValue].filter(([, keys]) => keys.has(key)).map(([value]) => value);
  }
}
