import type { UserCode } from '../../core/guarded.ts';
import { type Env, guardedEnv } from '../../core/env.ts';
import { KubeError } from '../../core/errors.ts';
import { Latch } from '../../core/async/latch.ts';

/**
 * Whether one handler has handled all initial adds.
 *
 * Counts initial adds up when they are queued and down when their callback has
 * settled. Synced means that the upstream list is applied and the count is 0.
 * `upstreamSynced` must be called after the initial adds of a late handler were counted.
 */
export class SyncTracker {
  readonly synced: Latch = new Latch();
  #waiting = 0;
  #upstream = false;

  get hasSynced(): boolean {
    return this.synced.isOpen;
  }

  get waiting(): number {
    return this.#waiting;
  }

  start(count = 1): void {
    this.#waiting += count;
  }

  finished(): void {
    this.#waiting -= 1;
    if (this.#waiting < 0) throw new KubeError('ILLEGAL_STATE', 'more initial events finished than were started');
    this.#check();
  }

  /** Must be called when all initial events have been started. */
  upstreamSynced(): void {
    this.#upstream = true;
    this.#check();
  }

  #check(): void {
    if (this.#upstream && this.#waiting === 0) this.synced.open();
  }
}

/** Like SyncTracker, for workers that finish in any order: a set of keys instead of a count. */
export class KeyedSyncTracker<K> {
  readonly synced: Latch = new Latch();
  readonly #waiting = new Set<K>();
  #upstream = false;

  get hasSynced(): boolean {
    return this.synced.isOpen;
  }

  start(key: K): void {
    this.#waiting.add(key);
  }

  /** Ignores a key that was never started. */
  finished(key: K): void {
    this.#waiting.delete(key);
    this.#check();
  }

  upstreamSynced(): void {
    this.#upstream = true;
    this.#check();
  }

  #check(): void {
    if (this.#upstream && this.#waiting.size === 0) this.synced.open();
  }
}

/**
 * A value computed at most once per `notify`.
 *
 * Concurrent readers share one evaluation. An evaluation that began before a `notify`
 * still resolves its own readers but is not cached; failures are not cached.
 */
export class Lazy<R> {
  readonly #evaluate: () => Promise<R> | R;
  #cached: Promise<R> | undefined;

  constructor(evaluate: () => Promise<R> | R) {
    this.#evaluate = evaluate;
  }

  notify(): void {
    this.#cached = undefined;
  }

  get(): Promise<R> {
    if (this.#cached !== undefined) return this.#cached;
    const running = (async () => this.#evaluate())();
    this.#cached = running;
    running.catch(() => {
      if (this.#cached === running) this.#cached = undefined;
    });
    return running;
  }
}

/** Something that becomes synced, with a name for log lines. */
export interface SyncChecker {
  readonly name: string;
  readonly hasSynced: boolean;
  onSynced(callback: () => void): () => void;
}

export interface WaitForSyncOptions {
  readonly signal?: AbortSignal;
  readonly env?: UserCode<Env>;
  /** The name of the wait in log lines. Without it nothing is logged. */
  readonly what?: string;
}

/** Resolves true when every checker has synced, false when `signal` aborts first. Polls nothing. */
export async function waitForSync(
  checkers: readonly SyncChecker[],
  options: WaitForSyncOptions = {},
): Promise<boolean> {
  const { signal, what } = options;
  const env = options.env === undefined ? undefined : guardedEnv(options.env);
  const log = (level: 'info' | 'warn', message: string, fields: Record<string, unknown>): void => {
    if (what !== undefined) env?.log(level, message, { what, ...fields });
  };
  log('info', 'waiting for caches to sync', { count: checkers.length });
  const all = new Latch();
  const open = new Set(checkers);
  const forget = checkers.map((checker) =>
    checker.onSynced(() => {
      open.delete(checker);
      log('info', 'cache synced', { name: checker.name });
      if (open.size === 0) all.open();
    }),
  );
  if (open.size === 0) all.open();
  await all.wait(signal);
  for (const unlink of forget) unlink();
  // A checker that became synced in the turn of the abort still counts.
  const missing = checkers.filter((checker) => !checker.hasSynced).map((checker) => checker.name);
  if (missing.length > 0) log('warn', 'caches did not sync', { missing: missing.sort(), cause: signal?.reason });
  return missing.length === 0;
}
