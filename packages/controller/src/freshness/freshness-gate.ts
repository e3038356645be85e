import { type Env, errorMessageOf, type Key, type KubeObject } from 'kube-informer/core';
import { type LiveObject, LiveObjects } from './live-objects.ts';
import type { WriteLedger, WrittenObject } from './write-ledger.ts';

/** Wait after which a key is counted and shown as slow. */
const SLOW_MS = 10_000;
/**
 * Maximum wait. A healthy watch proves any version within the minute between two bookmarks; after that, with
 * some margin, the key runs with `fresh: false`.
 */
export const MAX_STALE_MS = 75_000;
/** Pause before a live read that failed is repeated. */
const LIVE_READ_PAUSE_MS = 1_000;
/** Wait after which a key reads what it wrote from the server: a broken watch must not stop its work. */
const LIVE_READ_AFTER_MS = 2_000;
/** Maximum number of objects that a key reads from the server. A key that wrote more waits for the cache. */
const MAX_LIVE_READS = 20;
/** Maximum number of keys that read at the same time: after a broken watch all keys may be held. */
const MAX_READERS = 4;
/** Pause before a key tries again to become a reader. */
const READERS_TURN_MS = 100;

export interface FreshnessGateOptions {
  readonly env: Env;
  readonly ledger: WriteLedger;
  /** Reads an object from the server; undefined if it does not exist. */
  readonly readLive: (resource: string, key: Key, signal: AbortSignal) => Promise<KubeObject | undefined>;
  /** Lets a key run that `admit` held. */
  readonly release: (key: Key) => void;
  /** Called with the time that a key waited. */
  readonly waited?: (ms: number) => void;
}

interface Held {
  readonly since: number;
  readonly stop: AbortController;
  readonly look: () => void;
}

/**
 * Holds a key until the caches have what its last run wrote. Meanwhile no worker waits, and other keys run.
 *
 *   admit ─► fresh                      the caches have everything
 *        └─► held ─► (caches reach it) ─► release ─► admit ─► fresh
 *                ├─► (2 s, live reads) ─► release ─► admit ─► LiveObjects
 *                └─► (75 s)            ─► release ─► admit ─► unproven
 */
export class FreshnessGate {
  readonly #options: FreshnessGateOptions;
  readonly #held = new Map<Key, Held>();
  /** Keys whose wait is over without proof: they run next time. */
  readonly #unproven = new Set<Key>();
  /** Objects that keys have read from the server after writing them. */
  readonly #live = new Map<Key, LiveObjects>();
  #readers = 0;
  #slow = 0;

  constructor(options: FreshnessGateOptions) {
    this.#options = options;
  }

  /** Number of keys that are held. */
  get size(): number {
    return this.#held.size;
  }

  /** Number of waits that took longer than 10 s. */
  get slow(): number {
    return this.#slow;
  }

  heldSince(key: Key): number | undefined {
    return this.#held.get(key)?.since;
  }

  /**
   * `held`: the key must be put aside; `release` is called when it may be tried again. LiveObjects: what was
   * written, as read from the server, to be laid over the caches.
   */
  admit(key: Key): 'fresh' | 'held' | 'unproven' | LiveObjects {
    const { ledger, env } = this.#options;
    const live = this.#live.get(key);
    this.#live.delete(key);
    if (this.#unproven.delete(key)) {
      ledger.forget(key);
      return 'unproven';
    }
    if (ledger.pending(key).length === 0) return 'fresh';
    if (live !== undefined) return live;
    if (!this.#held.has(key)) {
      const stop = new AbortController();
      const look = (): void => {
        if (!stop.signal.aborted && ledger.pending(key).length === 0) this.#letGo(key);
      };
      this.#held.set(key, { since: env.now(), stop, look });
      void this.#wait(key, stop.signal);
    }
    return 'held';
  }

  /** Checks pending deletes after an object of a declared cache has changed. */
  changed(): void {
    for (const { look } of this.#held.values()) look();
  }

  /** Restarts every wait, because the ledger now has other pending writes. */
  restart(): void {
    this.#live.clear();
    // A copy: a released key may be held again at once.
    for (const key of Array.from(this.#held.keys())) this.#letGo(key);
  }

  /** Ends all waits without a release. */
  close(): void {
    for (const { stop } of this.#held.values()) stop.abort();
    this.#held.clear();
    this.#unproven.clear();
    this.#live.clear();
  }

  #letGo(key: Key): void {
    const held = this.#held.get(key);
    if (held === undefined) return;
    this.#held.delete(key);
    held.stop.abort();
    this.#options.waited?.(this.#options.env.now() - held.since);
    this.#options.release(key);
  }

  async #wait(key: Key, signal: AbortSignal): Promise<void> {
    const { env, ledger } = this.#options;
    void this.#deadline(key, signal);
    void this.#readBehind(key, signal);
    await this.#readUnanswered(key, signal);
    const look = (): void => this.#held.get(key)?.look();
    // A rejection means that the handle was closed or the wait is over.
    for (const reached of ledger.versionsReached(key, signal)) reached.then(look, () => {});
    look();
    // Undecided writes end by time, not by an event.
    while (!signal.aborted) {
      await env.sleep(LIVE_READ_PAUSE_MS, signal);
      look();
    }
  }

  async #deadline(key: Key, signal: AbortSignal): Promise<void> {
    const { env, ledger } = this.#options;
    await env.sleep(SLOW_MS, signal);
    if (signal.aborted) return;
    this.#slow += 1;
    const [first] = ledger.pending(key);
    env.log('warn', 'a key waits for the cache to have what its last run wrote', {
      key,
      resource: first?.resource,
      written: first?.key,
      version: first?.version,
    });
    await env.sleep(MAX_STALE_MS - SLOW_MS, signal);
    if (signal.aborted) return;
    this.#unproven.add(key);
    this.#letGo(key);
  }

  async #readBehind(key: Key, signal: AbortSignal): Promise<void> {
    const { env, ledger } = this.#options;
    await env.sleep(LIVE_READ_AFTER_MS, signal);
    while (!signal.aborted) {
      const behind = ledger.behind(key);
      if (behind.length > MAX_LIVE_READS) return;
      const read = this.#readers < MAX_READERS ? await this.#readAll(behind, signal) : undefined;
      if (signal.aborted) return;
      if (read !== undefined) {
        this.#live.set(key, read);
        return this.#letGo(key);
      }
      await env.sleep(this.#readers < MAX_READERS ? LIVE_READ_PAUSE_MS : READERS_TURN_MS, signal);
    }
  }

  /** Reads the objects. Undefined if a read failed. */
  async #readAll(objects: readonly WrittenObject[], signal: AbortSignal): Promise<LiveObjects | undefined> {
    const { env, ledger, readLive } = this.#options;
    this.#readers += 1;
    try {
      const live: LiveObject[] = [];
      for (const { resource, key } of objects) {
        const cachedUid = ledger.cachedUid(resource, key);
        live.push({ resource, key, cachedUid, object: await readLive(resource, key, signal) });
      }
      return new LiveObjects(live, ledger);
    } catch (error) {
      env.log('debug', 'objects that a cache does not have could not be read; they are read again', {
        error: errorMessageOf(error),
      });
      return undefined;
    } finally {
      this.#readers -= 1;
    }
  }

  /** Reads each object of a write without a response once, to see what was written. */
  async #readUnanswered(key: Key, signal: AbortSignal): Promise<void> {
    const { env, ledger, readLive } = this.#options;
    for (;;) {
      const next = ledger.pending(key).find(({ waitsFor }) => waitsFor === 'unanswered');
      if (next === undefined || signal.aborted) return;
      try {
        ledger.readLive(key, next.resource, next.key, await readLive(next.resource, next.key, signal));
      } catch (error) {
        if (signal.aborted) return;
        env.log('debug', 'an object could not be read after a write without a response; it is read again', {
          key: next.key,
          resource: next.resource,
          error: errorMessageOf(error),
        });
        await env.sleep(LIVE_READ_PAUSE_MS, signal);
      }
    }
  }
}
