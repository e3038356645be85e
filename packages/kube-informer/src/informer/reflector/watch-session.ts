import { type LinkedAbort, linkedAbort } from '../../core/async/abort.ts';
import type { Env } from '../../core/env.ts';
import type { WatchOptions } from '../../core/object/list-options.ts';
import type { WatchEvent } from '../../core/object/watch-event.ts';
import type { ListWatch } from '../list-watch/list-watch.ts';

/** How long a server may overrun the lifetime it was asked for. */
const LIFETIME_GRACE_MS = 30_000;
/** Waking up this late means that the process was stopped or its event loop blocked. */
const STALL_MS = 1_000;

export type NextEvent<T> =
  | { readonly kind: 'event'; readonly event: WatchEvent<T> }
  | { readonly kind: 'end' }
  | { readonly kind: 'interrupted'; readonly reason: unknown };

/**
 * One open watch: pulls events, can be interrupted at any moment, and is closed exactly once.
 *
 * A source that ignores its signal, or a connection that hangs in mid-event, cannot
 * keep the reflector: `interrupt` answers the pending `next` itself.
 *
 * Room rule: knows streams and deadlines. Interprets no event.
 */
export class WatchSession<T> {
  readonly openedWith: WatchOptions;
  readonly startedAt: number;
  readonly #env: Env;
  readonly #onStall: (lateMs: number) => void;
  readonly #abort: LinkedAbort;
  readonly #iterator: AsyncIterator<WatchEvent<T>>;
  readonly #onStop: () => void;
  readonly #parent: AbortSignal;
  #answer: ((next: NextEvent<T>) => void) | undefined;
  #fail: ((error: unknown) => void) | undefined;
  #interruption: { readonly kind: 'interrupted'; readonly reason: unknown } | undefined;
  #closed = false;
  /** Events the caller accepted. */
  accepted = 0;
  /** A probe has shown that the server behind it is not older than where it was opened. */
  probed = false;
  lastEventAt: number;

  constructor(
    source: ListWatch<T>,
    options: WatchOptions,
    parent: AbortSignal,
    env: Env,
    onStall: (lateMs: number) => void = () => {},
  ) {
    this.#onStall = onStall;
    this.openedWith = options;
    this.#env = env;
    this.#parent = parent;
    this.#abort = linkedAbort(parent);
    // Before the request: some proxies hold the headers back until the first event.
    this.startedAt = env.now();
    this.lastEventAt = this.startedAt;
    this.#iterator = open(source, options, this.#abort.signal);
    this.#onStop = () => this.interrupt(parent.reason);
    if (parent.aborted) this.#onStop();
    else parent.addEventListener('abort', this.#onStop, { once: true });
  }

  /** Aborts when the session is closed. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get isInterrupted(): boolean {
    return this.#interruption !== undefined;
  }

  /** The next event, or why there is none. Rejects when the stream fails. */
  next(): Promise<NextEvent<T>> {
    if (this.#interruption !== undefined) return Promise.resolve(this.#interruption);
    return new Promise(this.#pull);
  }

  // Made once: a watch delivers hundreds of thousands of events.
  readonly #pull = (resolve: (next: NextEvent<T>) => void, reject: (error: unknown) => void): void => {
    this.#answer = resolve;
    this.#fail = reject;
    this.#iterator.next().then(this.#arrived, this.#failed);
  };
  readonly #arrived = (result: IteratorResult<WatchEvent<T>>): void => {
    this.#answer?.(result.done === true ? END : { kind: 'event', event: result.value });
  };
  readonly #failed = (error: unknown): void => this.#fail?.(error);

  /** Ends the session from outside; the pending `next` is answered at once. */
  interrupt(reason: unknown): void {
    if (this.#interruption !== undefined || this.#closed) return;
    this.#interruption = { kind: 'interrupted', reason };
    this.#answer?.(this.#interruption);
  }

  /** Settles with `work`, or as soon as the session is interrupted or closed. */
  orInterrupted(work: Promise<unknown>): Promise<void> {
    if (this.#interruption !== undefined || this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#answer = () => resolve();
      void work.then(
        () => resolve(),
        () => resolve(),
      );
    });
  }

  /** Idempotent. Does not wait: a source that hangs while closing must not hold anybody up. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#parent.removeEventListener('abort', this.#onStop);
    this.#abort.abort();
    void (async () => this.#iterator.return?.())().catch(() => {}); // it is over either way
  }

  /**
   * Interrupts the session with `overdue()` when it gives a reason, until `signal` aborts. It is asked
   * whenever `nextLook()` milliseconds have passed, and once more after a turn of the event loop before it
   * counts: after a pause of the whole process, events that are already here must be read first.
   */
  async watchdog(nextLook: () => number, overdue: () => unknown, signal: AbortSignal = this.signal): Promise<void> {
    while (!signal.aborted && this.#interruption === undefined) {
      const ms = Math.max(1, nextLook());
      const asleepAt = this.#env.now();
      await this.#env.sleep(ms, signal);
      const lateMs = this.#env.now() - asleepAt - ms;
      if (lateMs >= STALL_MS) this.#onStall(lateMs);
      if (signal.aborted || overdue() === undefined) continue;
      await this.#env.yield();
      if (signal.aborted) return;
      const reason = overdue();
      if (reason !== undefined) this.interrupt(reason);
    }
  }

  /** When the server should long have closed the stream by itself. */
  get deadlineAt(): number {
    const { timeoutSeconds } = this.openedWith;
    return timeoutSeconds === undefined
      ? Number.POSITIVE_INFINITY
      : this.startedAt + timeoutSeconds * 1_000 + LIFETIME_GRACE_MS;
  }
}

const END: { readonly kind: 'end' } = { kind: 'end' };

/** A source that throws instead of giving a stream is a stream that fails at once. */
function open<T>(source: ListWatch<T>, options: WatchOptions, signal: AbortSignal): AsyncIterator<WatchEvent<T>> {
  try {
    return source.watch(options, signal)[Symbol.asyncIterator]();
  } catch (error) {
    return { next: () => Promise.reject(error as Error) };
  }
}
