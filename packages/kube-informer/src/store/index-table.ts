import { KubeError, errorMessageOf } from '../core/errors.ts';
import { guardedAnswer, trustGuarded, type UserCode } from '../core/guarded.ts';
import type { Key } from '../core/object/key.ts';
import type { Scalar } from '../core/object/object-codec.ts';
import { parsePath, readPath } from '../core/object/path.ts';
import type { Path } from '../core/object/representation.ts';
import type { Index, IndexFn } from './store.ts';

/** Maximum number of values of one object; more are a mistake in the index function. */
const MAX_VALUES = 10_000;

const NO_VALUES: readonly string[] = [];

/**
 * One index: value → keys. In a Map, so that `__proto__` is an ordinary value.
 *
 * The values of each key are remembered, not computed again from its object: user code may have changed the
 * object in place, and its old values would never be found. That costs an entry in a Map per key, about 40
 * bytes; none if `usualValue` derives the value from the key.
 *
 * Room rule: stores keys and values; objects are only passed to the index function.
 */
export class IndexTable<T> {
  readonly name: string;
  readonly #fn: IndexFn<T>;
  readonly #usualValue: ((key: Key) => string) | undefined;
  readonly #keysByValue = new Map<string, Set<Key>>();
  /** One value as it is, several as an array; nothing for a key with its usual value, or without values. */
  readonly #valuesByKey = new Map<Key, string | readonly string[]>();

  /** `usualValue`: the only value that almost every object with this key has. */
  constructor(name: string, fn: UserCode<IndexFn<T>>, usualValue?: (key: Key) => string) {
    this.name = name;
    this.#fn = guardedAnswer(`index "${name}"`, fn);
    this.#usualValue = usualValue;
  }

  /** An empty table with the same function, for a replace. */
  fresh(): IndexTable<T> {
    return new IndexTable(this.name, this.#fn, this.#usualValue);
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

  /** Puts `key` under `values`, and no longer under those it had. `isNew`: it had none, because it was not in the table. */
  put(key: Key, values: readonly string[], isNew: boolean): void {
    if (!isNew) {
      const before = this.#held(key);
      // The most common case: one value, and it stayed the same.
      if (values.length === 1 && values[0] === before) return;
      this.#removeFrom(key, before);
    }
    for (const value of values) this.#add(key, value);
    this.#remember(key, values);
  }

  /** Removes a key that is in the table. Never fails. */
  delete(key: Key): void {
    this.#removeFrom(key, this.#held(key));
    this.#valuesByKey.delete(key);
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

  #removeFrom(key: Key, held: string | readonly string[]): void {
    for (const value of typeof held === 'string' ? [held] : held) {
      const keys = this.#keysByValue.get(value);
      keys?.delete(key);
      // Unused values are removed, or the index would grow with history instead of with the cache.
      if (keys?.size === 0) this.#keysByValue.delete(value);
    }
  }

  #held(key: Key): string | readonly string[] {
    const special = this.#valuesByKey.size === 0 ? undefined : this.#valuesByKey.get(key);
    return special ?? this.#usualValue?.(key) ?? NO_VALUES;
  }

  #remember(key: Key, values: readonly string[]): void {
    const usual = this.#usualValue?.(key);
    const isUsual = usual === undefined ? values.length === 0 : values.length === 1 && values[0] === usual;
    if (!isUsual) this.#valuesByKey.set(key, values.length === 1 ? (values[0] as string) : values);
    else if (this.#valuesByKey.size > 0) this.#valuesByKey.delete(key);
  }
}

/** Reads the values at a path, where they do not come from the object itself. */
interface PathReader<T> {
  read?(object: T, path: Path): readonly Scalar[];
  prepare?(path: Path): void;
}

/** The function of an index. */
export function indexTableFunction<T>(name: string, index: Index<T>, reader: PathReader<T> = {}): UserCode<IndexFn<T>> {
  if (typeof index !== 'string') return index;
  const path = parsePath(`indexers.${name}`, index);
  reader.prepare?.(path);
  return trustGuarded((object) => {
    const values = reader.read?.(object, path) ?? readPath(object, path);
    const [only] = values;
    return values.length === 1 ? [String(only)] : [...new Set(values.map(String))];
  });
}
