import type { Env } from 'kube-informer/core';
import type { CacheRecord } from './cache-book.ts';

/** How often, and on how many objects, sizes are guessed. */
const WEIGH_MS = 10_000;
const SAMPLE = 16;
/** Large objects are written out one by one: a few of them say enough. */
const ENOUGH_BYTES = 1_000_000;

/** About how much the objects of a cache would take as JSON: a few stand for all, and not every second. */
export class Weights {
  readonly #env: Pick<Env, 'now'>;
  readonly #known = new WeakMap<object, { readonly at: number; readonly each: number }>();

  constructor(env: Pick<Env, 'now'>) {
    this.#env = env;
  }

  of({ cache: { informer } }: CacheRecord): number {
    const { size } = informer.store;
    if (size === 0) return 0;
    const known = this.#known.get(informer);
    if (known !== undefined && this.#env.now() - known.at < WEIGH_MS) return Math.round(known.each * size);
    const keys = informer.store.keys();
    const step = Math.max(1, Math.floor(keys.length / SAMPLE));
    let [bytes, count] = [0, 0];
    for (let at = 0; at < keys.length && bytes < ENOUGH_BYTES; at += step) {
      bytes += JSON.stringify(informer.store.get(keys[at] ?? '') ?? null).length;
      count += 1;
    }
    const each = bytes / Math.max(1, count);
    this.#known.set(informer, { at: this.#env.now(), each });
    return Math.round(each * size);
  }
}
