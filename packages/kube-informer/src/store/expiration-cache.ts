import { type Env, systemEnv } from '../core/env.ts';
import { requireOption } from '../core/errors.ts';
import { type Key, type KeyFn, keyFn } from '../core/object/key.ts';
import { type KubeObject, type ObjectAccess, plainAccess } from '../core/object/object.ts';
import type { Store } from './store.ts';

/** One object and when it was last written, on the clock of `Env.now`. */
export interface ExpirationEntry<T> {
  readonly object: T;
  readonly storedAt: number;
}

export interface ExpirationCacheOptions<T> {
  /** An object older than this is gone; 0 keeps objects for ever. @default 0 */
  readonly ttlMs?: number;
  /** Decides instead of `ttlMs` whether an entry is gone. Must be synchronous and must not write to the cache. */
  readonly policy?: (entry: ExpirationEntry<T>) => boolean;
  /** @default `namespace/name` from the metadata */
  readonly key?: KeyFn<T>;
  readonly env?: Env;
}

/**
 * A store that forgets what was not written again in time.
 *
 * Promises: `get` and `list` never give an expired object, and remove it when
 * they meet it; writing an object again starts its time anew; all objects of one
 * `replace` have the same age. An object exactly as old as `ttlMs` is still there.
 * Does not promise to free memory by itself, and `keys` may name expired objects:
 * nothing happens here without a call.
 *
 * Room rule: never waits and holds no timer; time is read from Env at each call.
 */
export class ExpirationCache<T extends object = KubeObject> implements Store<T> {
  readonly #env: Env;
  readonly #keyOf: KeyFn<T>;
  readonly #isExpired: (entry: ExpirationEntry<T>) => boolean;
  #entries = new Map<Key, ExpirationEntry<T>>();

  constructor(options: ExpirationCacheOptions<T> = {}) {
    const { ttlMs = 0, policy, env = systemEnv, key = keyFn(plainAccess as unknown as ObjectAccess<T>) } = options;
    requireOption(ttlMs >= 0, 'ttlMs', 'a number >= 0', ttlMs);
    this.#env = env;
    this.#keyOf = key;
    this.#isExpired = policy ?? (({ storedAt }) => ttlMs > 0 && env.now() - storedAt > ttlMs);
  }

  add(object: T): void {
    this.#entries.set(this.#keyOf(object), { object, storedAt: this.#env.now() });
  }

  update(object: T): void {
    this.add(object);
  }

  delete(object: T): void {
    this.#entries.delete(this.#keyOf(object));
  }

  /** One bad key rejects the whole list and changes nothing. */
  replace(items: readonly T[], _resourceVersion: string): void {
    const storedAt = this.#env.now();
    this.#entries = new Map(items.map((object) => [this.#keyOf(object), { object, storedAt }]));
  }

  get(key: Key): T | undefined {
    const entry = this.#entries.get(key);
    return entry === undefined ? undefined : this.#ifAlive(key, entry);
  }

  /** Also the keys of expired objects nobody has asked for since. */
  keys(): Key[] {
    return [...this.#entries.keys()];
  }

  list(): T[] {
    const objects: T[] = [];
    for (const [key, entry] of this.#entries) {
      const object = this.#ifAlive(key, entry);
      if (object !== undefined) objects.push(object);
    }
    return objects;
  }

  #ifAlive(key: Key, entry: ExpirationEntry<T>): T | undefined {
    if (!this.#isExpired(entry)) return entry.object;
    this.#entries.delete(key);
    return undefined;
  }
}
