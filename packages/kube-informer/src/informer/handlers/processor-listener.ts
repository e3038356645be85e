import { defined } from '../../core/defined.ts';
import type { Env } from '../../core/env.ts';
import { errorMessageOf, errorStackOf } from '../../core/errors.ts';
import { Slices } from '../../core/async/slices.ts';
import { CallLog } from './call-log.ts';
import { HandlerQueue } from './handler-queue.ts';
import type { Bulk } from './bulk.ts';
import { type Handler, type InformerEvent, deliverToHandlers } from './handlers.ts';
import { isMutationAttempt } from './mutation-attempt.ts';
import { SyncTracker } from './wait-for-sync.ts';

/**
 * What to do when a handler is slower than its events:
 *  - `coalesce`: keep every state up to the limit, beyond it only the newest per key, with correct adds and deletes;
 *  - `block`: stop applying changes, for all handlers, until this handler has caught up;
 *  - `detach`: drop the waiting events, call `overflow`, then send everything as initial adds.
 */
export type BacklogPolicy = 'coalesce' | 'block' | 'detach';

export interface ListenerOptions {
  readonly name: string;
  readonly policy: BacklogPolicy;
  readonly limit: number;
  /** Pause after a callback that threw or rejected. */
  readonly errorPauseMs: number;
  readonly env: Env;
}

/** One in this many synchronous callbacks is timed. */
const TIMING_SAMPLE = 16;
/** Minimum duration of a callback that is logged as slow while more than `limit` events wait. */
const SLOW_CALLBACK_MS = 100;

/**
 * One handler and the events that wait for it.
 *
 * Promises: one callback at a time, in order, each settled before the next; a
 * callback that throws, rejects or hangs affects no other handler; after `stop`
 * no callback starts.
 *
 * Room rule: sync in (`push`), async out. Knows no deltas, no cache.
 */
export class Listener<T> {
  readonly name: string;
  readonly policy: BacklogPolicy;
  readonly tracker: SyncTracker = new SyncTracker();
  readonly log: CallLog = new CallLog();
  readonly #handler: Handler<T>;
  readonly #options: ListenerOptions;
  readonly #queue: HandlerQueue<T>;
  readonly #stop = new AbortController();
  readonly #slices: Slices;
  readonly #idleWaiters: (() => void)[] = [];
  readonly #roomWaiters: (() => void)[] = [];
  #snapshot: () => Bulk<T>;
  #stopped = false;
  #running = false;
  #overflowed = false;
  #hasWarned = false;
  #callStartedAt: number | undefined;

  /** `snapshot` returns everything in the cache, for a handler that restarts after an overflow. */
  constructor(handler: Handler<T>, snapshot: () => Bulk<T>, options: ListenerOptions) {
    this.name = options.name;
    this.policy = options.policy;
    this.#handler = handler;
    this.#snapshot = snapshot;
    this.#options = options;
    this.#slices = new Slices(options.env);
    const limit = options.policy === 'coalesce' ? options.limit : Number.POSITIVE_INFINITY;
    this.#queue = new HandlerQueue(limit, (event) => this.#countDropped(event));
  }

  /** Number of events accepted and not yet handled. */
  get pending(): number {
    return this.#queue.length;
  }

  get isStopped(): boolean {
    return this.#stopped;
  }

  /** Time for which the current callback has been running; undefined between callbacks. */
  get busyForMs(): number | undefined {
    return this.#callStartedAt === undefined ? undefined : this.#options.env.now() - this.#callStartedAt;
  }

  push(event: InformerEvent<T>): void {
    if (this.#stopped || this.#overflowed) return;
    if (event.type === 'add' && event.initial) this.tracker.start();
    this.#queue.push(event);
    if (this.#queue.held > this.#options.limit) this.#overLimit();
    this.#wake();
  }

  pushBulk(bulk: Bulk<T>, initialAdds: number): void {
    if (this.#stopped || this.#overflowed || bulk.size === 0) return;
    this.tracker.start(initialAdds);
    this.#queue.pushBulk(bulk);
    if (this.#queue.held > this.#options.limit) this.#overLimit();
    this.#wake();
  }

  /** Policy `block`: a promise that settles when the handler has caught up; undefined when there is room. */
  room(): Promise<void> | undefined {
    if (this.policy !== 'block' || this.#stopped || this.#queue.held <= this.#options.limit) return undefined;
    return new Promise((resolve) => this.#roomWaiters.push(resolve));
  }

  /** Stops the handler: no callback starts after this, but the running one may finish. Waiting events are dropped. */
  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#stop.abort();
    this.#queue.clear();
    this.#release(this.#roomWaiters);
  }

  /** Resolves when no callback is running. */
  idle(): Promise<void> {
    if (!this.#running) return Promise.resolve();
    return new Promise((resolve) => this.#idleWaiters.push(resolve));
  }

  #wake(): void {
    if (this.#running) return;
    this.#running = true;
    // A promise job, not a call: the turn that changes the cache must end before callbacks run.
    void Promise.resolve().then(() => this.#run());
  }

  async #run(): Promise<void> {
    try {
      while (!this.#stopped) {
        const event = this.#queue.shift();
        if (event === undefined) {
          if (!this.#overflowed) break;
          await this.#rejoin();
          continue;
        }
        const waiting = this.#call(event);
        if (waiting !== undefined) await waiting;
        if (this.#roomWaiters.length > 0 && this.#queue.held <= this.#options.limit / 2)
          this.#release(this.#roomWaiters);
        if (this.#queue.length === 0) this.#hasWarned = false;
        if (this.#slices.due()) await this.#slices.pause();
      }
    } finally {
      // In the turn that found the queue empty: otherwise an event pushed in between would not start a new run.
      this.#running = false;
      this.#release(this.#idleWaiters);
    }
  }

  /** Runs one callback. Stays in this turn unless the callback returns a promise or fails. */
  #call(event: InformerEvent<T>): Promise<void> | undefined {
    const { env, limit } = this.#options;
    // Reading the clock costs more than many callbacks, so it is read only with a backlog, for promises, or as a sample.
    const isTimed = this.log.calls % TIMING_SAMPLE === 0 || this.#queue.length > limit;
    const startedAt = isTimed ? env.now() : undefined;
    try {
      // Frozen: other handlers get the same event.
      const returned = deliverToHandlers(this.#handler, Object.freeze(event));
      if (typeof (returned as Promise<void> | undefined)?.then === 'function') {
        this.#callStartedAt = startedAt ?? env.now();
        return this.#settle(returned as Promise<void>, event, this.#callStartedAt);
      }
    } catch (error) {
      return this.#failed(error, event, startedAt);
    }
    this.#finished(event, startedAt);
    return undefined;
  }

  async #settle(returned: Promise<void>, event: InformerEvent<T>, startedAt: number): Promise<void> {
    try {
      await returned;
    } catch (error) {
      return this.#failed(error, event, startedAt);
    }
    this.#finished(event, startedAt);
  }

  async #failed(error: unknown, event: InformerEvent<T>, startedAt: number | undefined): Promise<void> {
    this.log.failures += 1;
    const { env, errorPauseMs } = this.#options;
    const hint = isMutationAttempt(error)
      ? 'cached objects are shared and must not be changed; change a copy (structuredClone)'
      : undefined;
    this.log.lastFailure = { key: event.key, error: errorMessageOf(error), at: env.wallNow() };
    env.log('error', 'a handler failed; the event is skipped and the next one follows after a pause', {
      handler: this.name,
      event: event.type,
      key: event.key,
      error: errorMessageOf(error),
      pauseMs: errorPauseMs,
      ...defined({ hint, stack: errorStackOf(error) }),
    });
    // Counted before the pause: a handler that fails on its first object must still become synced.
    this.#finished(event, startedAt);
    await env.sleep(errorPauseMs, this.#stop.signal);
  }

  #finished(event: InformerEvent<T>, startedAt: number | undefined): void {
    const { env, limit } = this.#options;
    this.#callStartedAt = undefined;
    this.log.calls += 1;
    this.#countInitial(event);
    if (startedAt === undefined) return;
    const ms = env.now() - startedAt;
    this.log.took(event.key, ms, env);
    if (ms >= SLOW_CALLBACK_MS && this.#queue.length > limit) this.#warnSlow(ms);
  }

  #countInitial(event: InformerEvent<T>): void {
    if (event.type === 'add' && event.initial) this.tracker.finished();
  }

  /**
   * Counts a dropped event. Events dropped by merging or an overflow count as delivered, events dropped by a
   * stop do not.
   */
  #countDropped(event: InformerEvent<T>): void {
    if (!this.#stopped) this.#countInitial(event);
  }

  #overLimit(): void {
    const busy = this.busyForMs ?? 0;
    if (this.policy === 'detach') {
      this.#overflowed = true;
      // Keeps the handler from becoming synced until everything has been queued again.
      this.tracker.start();
      this.#queue.clear();
      this.#options.env.log(
        'warn',
        'a handler fell behind; its waiting events are dropped and it gets all objects again',
        {
          handler: this.name,
          limit: this.#options.limit,
        },
      );
    } else if (this.policy === 'block' || busy >= SLOW_CALLBACK_MS) {
      this.#warnSlow(busy);
    }
  }

  /** Logs a slow handler once, until it has caught up. */
  #warnSlow(ms: number): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    const consequence =
      this.policy === 'block' ? 'the informer waits for it' : 'it gets only the newest state of each object';
    this.#options.env.log('warn', `a handler is slow; ${consequence}`, {
      handler: this.name,
      waiting: this.pending,
      callbackMs: ms,
    });
  }

  async #rejoin(): Promise<void> {
    try {
      await this.#handler.overflow?.();
    } catch (error) {
      this.log.failures += 1;
      this.#options.env.log('error', 'a handler failed in overflow()', {
        handler: this.name,
        error: errorMessageOf(error),
      });
    }
    if (this.#stopped) return;
    // Snapshot and rejoining are one turn, so no event is lost between them.
    this.#overflowed = false;
    const everything = this.#snapshot();
    this.pushBulk(everything, everything.size);
    this.tracker.finished();
  }

  #release(waiters: (() => void)[]): void {
    for (const go of waiters.splice(0)) go();
  }
}
