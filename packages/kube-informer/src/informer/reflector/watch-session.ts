import { type LinkedAbort, linkedAbort } from '../../core/async/abort.ts';
import { type PullSource, pullSourceOf, PullStream } from '../../core/async/pull-stream.ts';
import type { Env } from '../../core/env.ts';
import { guardedAnswer } from '../../core/guarded.ts';
import { statusError } from '../../core/status.ts';
import type { WatchOptions } from '../../core/object/list-options.ts';
import type { WatchEvent } from '../../core/object/watch-event.ts';
import type { ListWatch, WatchProgress } from '../list-watch/list-watch.ts';

/** Maximum time that a watch stays open after its requested lifetime. */
const LIFETIME_GRACE_MS = 30_000;
/** Why a session was ended from outside. */
export interface Interruption {
  readonly reason: unknown;
}

/**
 * One open watch: pulls events, can be interrupted at any moment, and is closed exactly once.
 *
 * A source that ignores its signal, or a connection that hangs in mid-event, cannot
 * block the reflector: `interrupt` settles the pending `next` itself.
 *
 * Room rule: knows streams and deadlines. Interprets no event.
 */
export class WatchSession<T> {
  readonly openedWith: WatchOptions;
  /** Progress besides whole events; undefined where the source cannot tell. */
  readonly progress: WatchProgress | undefined;
  readonly startedAt: number;
  readonly #env: Env;
  readonly #abort: LinkedAbort;
  readonly #source: PullSource<WatchEvent<T>>;
  readonly #events: PullStream<WatchEvent<T>, Interruption | undefined>;
  readonly #parent: AbortSignal;
  readonly #onStop = (): void => this.interrupt(this.#parent.reason);
  #interruption: Interruption | undefined;
  /** Ends the wait of `orInterrupted`. */
  #wake: (() => void) | undefined;
  #closed = false;
  /** Number of events that the caller accepted. */
  accepted = 0;
  /** Time at which it last delivered something that shows that the cache is current, on the monotonic clock. */
  heardAt: number | undefined;
  /** Time of its last bookmark, on the monotonic clock. The next one is due a minute later. */
  bookmarkAt: number | undefined;
  /** Whether the server confirmed that it is not older than the version at which the watch was opened. */
  isAnswered = false;
  /**
   * Whether the server no longer has the changes since its last event: only a list can show what it may have
   * withheld.
   */
  isForgotten = false;
  /** The first event, if it was awaited before the stream is read. */
  #first: Promise<IteratorResult<WatchEvent<T>, Interruption | undefined>> | undefined;
  #isPaused = false;
  /** The streamed list this stream began with: its events and its time do not count as those of the watch. */
  listed: { readonly events: number; readonly endedAt: number } | undefined;

  constructor(source: ListWatch<T>, options: WatchOptions, parent: AbortSignal, env: Env) {
    this.openedWith = options;
    this.#env = env;
    this.#parent = parent;
    // The session closes the source itself: an interruption ends the events first.
    this.#events = new PullStream({ pull: (receiver) => this.#source.pull(receiver), close() {} });
    // Before the source's own listener: a stop is an interruption, also for a source that ends when it is aborted.
    parent.addEventListener('abort', this.#onStop, { once: true });
    this.#abort = linkedAbort(parent);
    // Before the request: some proxies hold the headers back until the first event.
    this.startedAt = env.now();
    const { events, progress } = openWatch(source, options, this.#abort.signal);
    this.#source = events;
    this.progress = progress;
    if (parent.aborted) this.#onStop();
  }

  /** Aborts when the session is closed. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get isInterrupted(): boolean {
    return this.#interruption !== undefined;
  }

  /** The next event; `done` at the end of the stream, or with the interruption. Rejects when the stream fails. */
  next(): Promise<IteratorResult<WatchEvent<T>, Interruption | undefined>> {
    const first = this.#first;
    this.#first = undefined;
    return first ?? this.#events.next();
  }

  /** The result of `next`, if it is known in this turn; throws what `next` would reject with. If undefined, call `next`. */
  take(): IteratorResult<WatchEvent<T>, Interruption | undefined> | undefined {
    return this.#first === undefined ? this.#events.take() : undefined;
  }

  /**
   * Waits for the first event before the stream is read, and resolves with whether there is one. `next`
   * returns the same event again.
   */
  async first(): Promise<{ readonly delivers: boolean; readonly error?: unknown }> {
    this.#first ??= this.#events.next();
    try {
      const { done, value } = await this.#first;
      if (done === true) return { delivers: false };
      return value.type === 'ERROR' ? { delivers: false, error: statusError(value.object) } : { delivers: true };
    } catch (error) {
      return { delivers: false, error };
    }
  }

  /** Whether reading is paused because the sink is full. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Ends the session from outside. Settles the pending `next` at once. */
  interrupt(reason: unknown): void {
    if (this.#interruption !== undefined || this.#closed) return;
    this.#interruption = { reason };
    this.#events.end(this.#interruption);
    this.#wake?.();
  }

  /** Settles with `work`, or as soon as the session is interrupted or closed. */
  async orInterrupted(work: Promise<unknown>): Promise<void> {
    if (this.#interruption !== undefined || this.#closed) return;
    this.#isPaused = true;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      void work.then(
        () => resolve(),
        () => resolve(),
      );
    });
    this.#isPaused = false;
  }

  /** Closes the stream. Idempotent. Does not wait: a source that hangs while closing must not block the caller. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#parent.removeEventListener('abort', this.#onStop);
    this.#abort.abort();
    void (async () => this.#source.close())().catch(() => {}); // the session is over either way
    this.#events.end(undefined);
    this.#wake?.();
  }

  /**
   * Interrupts the session with the reason that `overdue()` returns, if any, until `signal` aborts. `overdue`
   * is called whenever `nextLook()` milliseconds have passed, and once more after a turn of the event loop
   * before it counts: after a pause of the whole process, events that have already arrived must be read
   * first.
   */
  async watchdog(nextLook: () => number, overdue: () => unknown, signal: AbortSignal = this.signal): Promise<void> {
    while (!signal.aborted && this.#interruption === undefined) {
      await this.#env.sleep(Math.max(1, nextLook()), signal);
      if (signal.aborted || overdue() === undefined) continue;
      await this.#env.yield();
      if (signal.aborted) return;
      const reason = overdue();
      if (reason !== undefined) this.interrupt(reason);
    }
  }

  /** The requested end of the watch. */
  get endsAt(): number {
    const { timeoutSeconds } = this.openedWith;
    return timeoutSeconds === undefined ? Number.POSITIVE_INFINITY : this.startedAt + timeoutSeconds * 1_000;
  }

  /** The time by which the server should have closed the stream itself, with a margin. */
  get deadlineAt(): number {
    return this.endsAt + LIFETIME_GRACE_MS;
  }
}

/** Opens the watch. A source that throws instead of returning a stream counts as a stream that fails at once. */
function openWatch<T>(
  source: ListWatch<T>,
  options: WatchOptions,
  signal: AbortSignal,
): { events: PullSource<WatchEvent<T>>; progress: WatchProgress | undefined } {
  try {
    const open = guardedAnswer('watch', () => source.watch(options, signal));
    const stream = open();
    return { events: pullSourceOf(stream[Symbol.asyncIterator]()), progress: stream.progress };
  } catch (error) {
    return { events: { pull: (receiver) => receiver.fail(error), close() {} }, progress: undefined };
  }
}
