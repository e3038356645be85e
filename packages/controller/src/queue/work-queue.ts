import {
  type Env,
  guardedEnv,
  guardedMetrics,
  KubeError,
  noMetrics,
  requireKnown,
  requireOption,
  systemEnv,
} from 'kube-informer/core';
import { type Entry, EntryList, type KeyState } from './queue-entry.ts';
import { QueueMetrics } from './queue-metrics.ts';
import { ADD_OPTIONS, type AddOptions, QUEUE_OPTIONS, type Taken, type WorkQueueOptions } from './queue-options.ts';
import { ReadyLine } from './ready-line.ts';
import { WaitingLine } from './waiting-line.ts';
import { WorkSampler } from './work-sampler.ts';

const NOW: AddOptions = {};

interface Getter {
  give(taken: Taken | undefined): void;
}

/**
 * Keys that need work: each at most once in line, and never in two workers.
 *
 * Promises: any number of adds before its turn cause one run of a key; an add while it runs causes exactly
 * one more, placed by the time of the add. Of two delays the shorter counts. Getters are served in order. One
 * timer.
 *
 * Not promised: a bound on the number of keys. `size`, `waiting` and `oldestReadyMs` show it.
 *
 * Room rule: `get` and `drained` wait, nothing else. No logging, no retries.
 */
export class WorkQueue {
  readonly #env: Env;
  readonly #metrics: QueueMetrics | undefined;
  readonly #sampler: WorkSampler | undefined;
  readonly #entries = new Map<string, Entry>();
  readonly #ready: ReadyLine;
  readonly #waiting: WaitingLine;
  readonly #running = new EntryList();
  readonly #getters = new Set<Getter>();
  readonly #drained = new Set<() => void>();
  #order = 0;
  #closed = false;

  constructor(options: WorkQueueOptions = {}) {
    requireKnown('WorkQueue', options, QUEUE_OPTIONS);
    const { name, controller = name, strict = false, metrics = noMetrics, env = systemEnv } = options;
    this.#env = guardedEnv(env);
    this.#ready = new ReadyLine(strict);
    this.#waiting = new WaitingLine(
      this.#env,
      (entry, now) => this.#arrive(entry, now),
      () => this.#serve(),
    );
    if (name === undefined || controller === undefined || metrics === noMetrics) return;
    this.#metrics = new QueueMetrics(guardedMetrics(this.#env, metrics), name, controller);
    this.#sampler = new WorkSampler(this.#env, this.#metrics, this.#running);
  }

  // — writing ————————————————————————————————————————————————————————————

  /** Adds a key, or improves its place: the higher priority and the earlier time count. Ignored after `close`. */
  add(key: string, options: AddOptions = NOW): void {
    if (options !== NOW) requireKnown('add', options, ADD_OPTIONS);
    const { afterMs = 0, priority = 0 } = options;
    requireOption(typeof key === 'string' && key !== '', 'key', 'a text that is not empty', key);
    requireOption(!Number.isNaN(afterMs), 'afterMs', 'a number of milliseconds', afterMs);
    requireOption(Number.isFinite(priority), 'priority', 'a number', priority);
    if (this.#closed) return;
    const now = this.#env.now();
    const readyAt = afterMs > 0 ? now + afterMs : now;
    const entry = this.#entries.get(key);
    if (entry === undefined) this.#create(key, priority, readyAt, now);
    else this.#improve(entry, priority, readyAt, now);
    this.#serve();
  }

  /** Adds a key again after a failed or unfinished run; counted as a retry. */
  retry(key: string, options: AddOptions = NOW): void {
    if (!this.#closed) this.#metrics?.retried();
    this.add(key, options);
  }

  /** Ends the work on a key that `get` returned. */
  done(key: string): void {
    const entry = this.#leave(key, 'done');
    const now = this.#env.now();
    this.#metrics?.finished(now - (entry.startedAt as number));
    if (entry.state === 'running+again') this.#settle(entry, now);
    else this.#entries.delete(key);
    this.#serve();
  }

  /**
   * Puts a key that `get` returned aside until `release`, without a run. It keeps its place. Used when the
   * data that the run would read has not arrived yet.
   */
  hold(key: string): void {
    const entry = this.#leave(key, 'hold');
    // It was due; a later add may have another time.
    entry.readyAt = Math.min(entry.readyAt, this.#env.now());
    entry.startedAt = 'held';
    if (this.#closed) this.#entries.delete(key);
    else entry.state = 'stale';
    this.#serve();
  }

  /** Puts a key that was held back in line. */
  release(key: string): void {
    const entry = this.#entries.get(key);
    if (entry?.state !== 'stale') return;
    this.#settle(entry, this.#env.now());
    this.#serve();
  }

  // — taking —————————————————————————————————————————————————————————————

  /**
   * Waits for a key. Resolves with undefined when `signal` aborts, or when the queue is closed and has no ready key. Call `done`
   * for every key.
   */
  get(signal?: AbortSignal): Promise<Taken | undefined> {
    // Pending calls of `get` are served first.
    const taken = signal?.aborted === true || this.#getters.size > 0 ? undefined : this.#take();
    if (taken !== undefined || signal?.aborted === true || this.#closed) return Promise.resolve(taken);
    return new Promise((resolve) => {
      const getter: Getter = {
        give: (given) => {
          this.#getters.delete(getter);
          signal?.removeEventListener('abort', aborted);
          resolve(given);
        },
      };
      const aborted = (): void => getter.give(undefined);
      signal?.addEventListener('abort', aborted, { once: true });
      this.#getters.add(getter);
    });
  }

  /**
   * Refuses all further adds. Ready keys are still handed out; keys that wait or are held are dropped. With `drop` ready ones are
   * dropped too, and keys that were added again while they run.
   */
  close({ drop = false }: { readonly drop?: boolean } = {}): void {
    this.#closed = true;
    this.#waiting.stopTimer();
    for (const entry of this.#entries.values()) {
      if (entry.state === 'running+again' && (drop || entry.readyAt > this.#env.now())) entry.state = 'running';
      if (entry.state === 'waiting' || entry.state === 'stale' || (drop && entry.state === 'ready'))
        this.#forget(entry);
    }
    this.#serve();
  }

  /** Drops keys that are ready, waiting or held. Keys at work are not added again. */
  clear(): void {
    for (const entry of this.#entries.values()) {
      if (entry.list === this.#running) entry.state = 'running';
      else this.#forget(entry);
    }
  }

  /** Resolves when no key is ready and none is at work. */
  drained(): Promise<void> {
    if (this.#isDrained) return Promise.resolve();
    return new Promise((resolve) => void this.#drained.add(resolve));
  }

  // — reading ————————————————————————————————————————————————————————————

  /** Number of ready keys. */
  get size(): number {
    return this.#ready.size;
  }

  /** Number of keys with a delay. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Number of keys at work. */
  get running(): number {
    return this.#running.size;
  }

  /** Number of keys that are held. */
  get held(): number {
    return this.#entries.size - this.#ready.size - this.#waiting.size - this.#running.size;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Time since the first key in line became ready; 0 if none is. */
  get oldestReadyMs(): number {
    const first = this.#ready.peek();
    return first === undefined ? 0 : this.#env.now() - first.readyAt;
  }

  /** State of a key, and when it is due or became ready on the monotonic clock; undefined if it needs no work. */
  look(key: string): { readonly state: KeyState; readonly readyAt: number; readonly priority: number } | undefined {
    const entry = this.#entries.get(key);
    return entry && { state: entry.state, readyAt: entry.readyAt, priority: entry.priority };
  }

  /** Place of a ready key in line, from 1; undefined for one that is not ready. Walks the line up to it. */
  place(key: string): number | undefined {
    if (this.#entries.get(key)?.state !== 'ready') return undefined;
    let place = 0;
    for (const entry of this.#ready.inOrder()) {
      place += 1;
      if (entry.key === key) break;
    }
    return place;
  }

  /** Keys that need work, `max` at most: those at work, then the line in its order, then those that wait or are held. */
  *keys(max: number): Generator<string> {
    let left = max;
    for (const { key } of this.#inOrder()) {
      if ((left -= 1) < 0) return;
      yield key;
    }
  }

  *#inOrder(): Generator<Entry> {
    yield* this.#running;
    yield* this.#ready.inOrder();
    for (const entry of this.#entries.values()) if (entry.state === 'waiting' || entry.state === 'stale') yield entry;
  }

  // — inside —————————————————————————————————————————————————————————————

  #create(key: string, priority: number, readyAt: number, now: number): void {
    const entry: Entry = {
      key,
      state: 'ready',
      priority,
      readyAt,
      order: (this.#order += 1),
      addedAt: undefined,
      startedAt: undefined,
      list: undefined,
      previous: undefined,
      next: undefined,
      at: -1,
    };
    this.#entries.set(key, entry);
    this.#settle(entry, now);
  }

  #improve(entry: Entry, priority: number, readyAt: number, now: number): void {
    switch (entry.state) {
      case 'running':
        entry.state = 'running+again';
        entry.priority = priority;
        entry.readyAt = readyAt;
        entry.order = this.#order += 1;
        entry.addedAt = now;
        if (readyAt <= now) this.#metrics?.added();
        return;
      case 'running+again': {
        const wasDue = entry.readyAt <= now;
        this.#raise(entry, priority);
        entry.readyAt = Math.min(entry.readyAt, readyAt);
        if (!wasDue && readyAt <= now) this.#metrics?.added();
        return;
      }
      case 'stale':
        this.#raise(entry, priority);
        return;
      case 'waiting':
        if (readyAt >= entry.readyAt && priority <= entry.priority) return;
        this.#waiting.remove(entry);
        this.#raise(entry, priority);
        entry.readyAt = Math.min(entry.readyAt, readyAt);
        this.#settle(entry, now);
        return;
      case 'ready':
        if (priority <= entry.priority) return;
        this.#unready(entry);
        this.#raise(entry, priority);
        this.#enter(entry);
    }
  }

  /**
   * Raises the priority of a key. With `strict` it goes to the end of its new priority, as in
   * controller-runtime; otherwise its time decides.
   */
  #raise(entry: Entry, priority: number): void {
    if (priority <= entry.priority) return;
    entry.priority = priority;
    entry.order = this.#order += 1;
  }

  /** Puts an entry that is in no list into the line of ready keys, or to those that wait. */
  #settle(entry: Entry, now: number): void {
    if (entry.readyAt <= now) {
      entry.addedAt ??= now;
      // A key that was added again while it ran was already counted.
      if (entry.state !== 'stale' && entry.state !== 'running+again') this.#metrics?.added();
      this.#enter(entry);
      return;
    }
    entry.state = 'waiting';
    entry.addedAt = undefined;
    this.#waiting.add(entry);
  }

  /** Makes a key ready whose delay is over. It goes behind those that became ready at the same time. */
  #arrive(entry: Entry, now: number): void {
    entry.order = this.#order += 1;
    this.#settle(entry, now);
  }

  #enter(entry: Entry): void {
    entry.state = 'ready';
    this.#ready.add(entry);
    this.#metrics?.deeper(entry.priority, 1);
  }

  #unready(entry: Entry): void {
    this.#ready.remove(entry);
    this.#metrics?.deeper(entry.priority, -1);
  }

  #take(): Taken | undefined {
    const entry = this.#ready.peek();
    if (entry === undefined) return undefined;
    this.#unready(entry);
    entry.state = 'running';
    const wasHeld = entry.startedAt === 'held';
    const now = this.#env.now();
    const queuedMs = now - (entry.addedAt ?? now);
    entry.startedAt = now;
    this.#running.append(entry);
    // Once for each run: a held key was counted when it was first taken.
    if (!wasHeld) this.#metrics?.started(queuedMs);
    this.#sampler?.start();
    return { key: entry.key, priority: entry.priority, queuedMs };
  }

  /** Takes a key away from its worker. */
  #leave(key: string, what: string): Entry {
    const entry = this.#entries.get(key);
    if (entry?.list !== this.#running)
      throw new KubeError(
        'ILLEGAL_STATE',
        `${what}: ${JSON.stringify(key)} is not at work: call it once for each get()`,
      );
    this.#running.remove(entry);
    return entry;
  }

  #forget(entry: Entry): void {
    if (entry.state === 'ready') this.#unready(entry);
    if (entry.state === 'waiting') this.#waiting.remove(entry);
    this.#entries.delete(entry.key);
  }

  /** Gives ready keys to waiting `get` calls; once closed and empty, resolves them with undefined. */
  #serve(): void {
    for (const getter of this.#getters) {
      const taken = this.#take();
      if (taken === undefined && !this.#closed) break;
      getter.give(taken);
    }
    if (!this.#isDrained) return;
    if (this.#closed) this.#sampler?.stop();
    for (const resolve of this.#drained) resolve();
    this.#drained.clear();
  }

  get #isDrained(): boolean {
    return this.#ready.size === 0 && this.#running.size === 0;
  }
}
