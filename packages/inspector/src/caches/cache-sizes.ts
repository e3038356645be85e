import type { ClusterCache } from 'kube-informer';
import type { Env } from 'kube-informer/core';

/** Time for which an estimate is reused, and number of objects it is based on. */
const REUSE_MS = 10_000;
const SAMPLE = 16;
/** Size at which a sample of large objects stops: serializing them takes time. */
const ENOUGH_BYTES = 1_000_000;

/** Estimates the size of a cache's objects as JSON, from a sample. */
export class CacheSizes {
  readonly #env: Pick<Env, 'now'>;
  readonly #known = new WeakMap<object, { readonly at: number; readonly each: number }>();

  constructor(env: Pick<Env, 'now'>) {
    this.#env = env;
  }

  of(informer: ClusterCache['informer']): number {
    const { size } = informer.store;
    if (size === 0) return 0;
    const known = this.#known.get(informer);
    if (known !== undefined && this.#env.now() - known.at < REUSE_MS) return Math.round(known.each * size);
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
