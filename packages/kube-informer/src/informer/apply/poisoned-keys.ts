import type { Env } from '../../core/env.ts';
import { errorMessageOf } from '../../core/errors.ts';
import type { Key } from '../../core/object/key.ts';
import type { ObjectAccess } from '../../core/object/object.ts';
import type { PoisonedObject } from '../queue/delta.ts';
import type { PoisonedState } from '../verify/consistency.ts';
import { fingerprintIfReadable, UNKNOWN_STATE } from '../verify/fingerprint.ts';

/** Keys whose newest state could not be decoded, transformed or indexed. Their old state, if any, stays in the cache. */
export class PoisonedKeys<T> {
  readonly #access: ObjectAccess<T>;
  readonly #env: Env;
  readonly #states = new Map<Key, PoisonedState>();
  /** Poisoned keys whose cached state is from a past epoch: any later state is newer. */
  readonly #outlived = new Set<Key>();

  constructor(access: ObjectAccess<T>, env: Env) {
    this.#access = access;
    this.#env = env;
  }

  get states(): ReadonlyMap<Key, PoisonedState> {
    return this.#states;
  }

  /** Whether the cached state of a key is from a past epoch. */
  isOutlived(key: Key): boolean {
    return this.#outlived.has(key);
  }

  add(key: Key, { object, error }: PoisonedObject<T | undefined>, newEpoch = false): void {
    const state = object === undefined ? UNKNOWN_STATE : fingerprintIfReadable(this.#access, object);
    this.#states.set(key, { error, state });
    if (newEpoch) this.#outlived.add(key);
    this.#env.log(
      'error',
      'an object could not be decoded, transformed or indexed; its old state is kept and its key is poisoned',
      { key, error: errorMessageOf(error) },
    );
  }

  /** Clears a key that has a valid state again, or is gone. On the path of every event. */
  cured(key: Key): void {
    if (this.#states.size === 0) return;
    this.#states.delete(key);
    this.#outlived.delete(key);
  }

  /** Records a complete list that was stored: the keys in `failed` are poisoned, and no others. */
  replaced(failed: ReadonlyMap<Key, PoisonedObject<T>>, newEpoch: boolean): void {
    for (const key of this.#states.keys()) if (!failed.has(key)) this.cured(key);
    for (const [key, poisoned] of failed) this.add(key, poisoned, newEpoch);
  }
}
