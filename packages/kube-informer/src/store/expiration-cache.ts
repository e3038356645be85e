import { guardedAnswer, type UserCode } from '../core/guarded.ts';
import { type Env, guardedEnv, systemEnv } from '../core/env.ts';
import { requireOption } from '../core/errors.ts';
import { guardedKey, type Key, type KeyFn } from '../core/object/key.ts';
import type { KubeObject } from '../core/object/object.ts';
import type { Store } from './store.ts';

/** An object and the time of its last write, on the clock of `Env.now`. */
export interface ExpirationEntry<T> {
  readonly object: T;
  readonly storedAt: number;
}

export interface ExpirationCacheOptions<T> {
  /** Maximum age of an object; 0 for no limit. @default 0 */
  readonly ttlMs?: number;
  /** Decides whether an entry is expired, in place of `ttlMs`. Must be synchronous and must not write to the cache. */
  readonly policy?: UserCode<(entry: ExpirationEntry<T>) => boolean>;
  /** @default `namespace/name` from the metadata */
  readonly key?: UserCode<KeyFn<T>>;
  readonly env?: UserCode<Env>;
}

/**
 * A store whose objects expire unless they are written again.
 *
 * Promises: `get` and `list` never return an expired object, and remove those
 * they find; a write resets an object's age; all objects of one `replace` have
 * the same age. An object exactly as old as `ttlMs` is not expired.
 * Does not promise to free memory without a call, and `keys` may contain keys of
 * expired objects.
 *
 * Room rule: never waits and has no timer; reads the time from Env at each call.
 */
export class ExpirationCache<T extends object = KubeObject> implements Store<T> {
  readonly #env: Env;
  readonly #keyOf: KeyFn<T>;
  readonly #isExpired: (entry: ExpirationEntry<T>) => boolean;
  #entries = new Map<Key, ExpirationEntry<T>>();

  constructor(options: ExpirationCacheOptions<T> = {}) {
    const { ttlMs = 0, policy, key } = options;
    const env = guardedEnv(options.env ?? systemEnv);
    requireOption(ttlMs >= 0, 'ttlMs', 'a number >= 0', ttlMs);
    this.#env = env;
    this.#keyOf = guardedKey(key);
    const isOld = ({ storedAt }: ExpirationEntry<T>): boolean => ttlMs > 0 && env.now() - storedAt > ttlMs;
    this.#isExpired = guardedAnswer('policy', policy ?? isOld);
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

  /** Replaces all objects. One object without a key rejects the whole list, and nothing changes. */
  replace(items: readonly T[], _resourceVersion: string): void {
    const storedAt = this.#env.now();
    this.#entries = new Map(items.map((object) => [this.#keyOf(object), { object, storedAt }]));
  }

  get(key: Key): T | undefined {
    const entry = this.#entries.get(key);
    return entry === undefined ? undefined : this.#ifAlive(key, entry);
  }

  /** All keys, including those of expired objects that have not been removed yet. */
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
