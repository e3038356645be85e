import { KubeError } from '../errors.ts';

/** Receives the results of a source: one call for each `pull`. Calls after the end are ignored. */
export interface PullReceiver<T, R = undefined> {
  push(value: T): void;
  end(result: R | undefined): void;
  fail(error: unknown): void;
}

/** Supplies the values of a stream, one for each request. */
export interface PullSource<T, R = undefined> {
  /** Calls one method of `receiver`, at once or later. Called again only after that. Never throws. */
  pull(receiver: PullReceiver<T, R>): void;
  /** Called at most once by a PullStream, when its consumer leaves before the end. */
  close(): unknown;
}

/**
 * An async iterator whose values come from a `PullSource`, or from outside by `push`, `end` and `fail`.
 *
 * ```
 *   consumer ── next() ──► PullStream ── pull() ──► source
 *            ◄─ promise ──            ◄─ push() ──
 * ```
 *
 * Promises:
 *  - `next` makes one promise. A stream that reads another one by `pull` makes none, however many streams are chained;
 *    `take` makes none for a value that is at hand.
 *  - The source is pulled only while a value is wanted and none is buffered.
 *  - Values arrive in order; an end or an error comes after the values before it. An error rejects one `next`.
 *    After the end, each `next` returns the end again.
 *  - `return` settles the pending `next` at once, even if the source is silent, drops buffered values, closes the source
 *    once, and waits until it is closed. A source that ended or failed by itself is not closed.
 *  - Several `next` may be pending; they settle in order. `pull` is for one caller, without `next` beside it.
 *
 * An async generator cannot do this: its `return` waits for the pending `next`, and it takes three turns of the job queue
 * for each value.
 *
 * Room rule: knows promises. No signal, no clock, no bytes.
 */
export class PullStream<T, R = undefined>
  implements AsyncIterableIterator<T, R | undefined>, PullSource<T, R>, PullReceiver<T, R>
{
  readonly #source: PullSource<T, R>;
  readonly #buffer: T[] = [];
  /** The receiver that waits for the next value. */
  #receiver: PullReceiver<T, R> | undefined;
  /** The promise of a `next` that waits. */
  #pending: Promise<IteratorResult<T, R | undefined>> | undefined;
  /** A result that arrived before it was pulled. */
  #answer: IteratorResult<T, R | undefined> | undefined;
  /** Whether `take` has pulled a value that has not been delivered yet. */
  #hasAsked = false;
  /** A failure that arrived before it was pulled. */
  #early: { readonly error: unknown } | undefined;
  #resolve: (result: IteratorResult<T, R | undefined>) => void = ignorePullFailure;
  #reject: (error: unknown) => void = ignorePullFailure;
  #end: IteratorReturnResult<R | undefined> | undefined;
  /** An error that no `next` has reported yet. */
  #failure: { readonly error: unknown } | undefined;
  #closing: Promise<void> | undefined;

  constructor(source: PullSource<T, R>) {
    this.#source = source;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Whether it has ended or failed, although values may still be buffered. */
  get isOver(): boolean {
    return this.#end !== undefined;
  }

  // — for the consumer —

  next(): Promise<IteratorResult<T, R | undefined>> {
    if (this.#pending !== undefined) {
      const again = (): Promise<IteratorResult<T, R | undefined>> => this.next();
      return this.#pending.then(again, again);
    }
    this.#ask();
    const failure = this.#early;
    if (failure !== undefined) {
      this.#forgetAnswer();
      return Promise.reject(failure.error as Error);
    }
    const answer = this.#answer;
    this.#forgetAnswer();
    return answer === undefined ? (this.#pending = new Promise(this.#keepSettlers)) : Promise.resolve(answer);
  }

  /**
   * Returns what `next` would resolve with, if known now; throws what it would reject with. Undefined: call `next`.
   * The events of one chunk need no promise each.
   */
  take(): IteratorResult<T, R | undefined> | undefined {
    if (this.#pending !== undefined) return undefined;
    this.#ask();
    const failure = this.#early;
    const answer = this.#answer;
    if (failure === undefined && answer === undefined) return undefined;
    this.#forgetAnswer();
    if (failure !== undefined) throw failure.error;
    return answer;
  }

  #ask(): void {
    if (this.#hasAsked) return;
    this.pull(this.#settler);
    this.#hasAsked = true;
  }

  #forgetAnswer(): void {
    this.#answer = undefined;
    this.#early = undefined;
    this.#hasAsked = false;
  }

  async return(): Promise<IteratorReturnResult<R | undefined>> {
    this.#buffer.length = 0;
    this.#failure = undefined;
    if (this.#answer !== undefined || this.#early !== undefined) this.#forgetAnswer();
    if (this.#end === undefined) {
      this.#closing = this.#close();
      this.end(undefined);
    }
    await this.#closing;
    return END;
  }

  /** Requests the next value like `next`, without a promise. */
  pull(receiver: PullReceiver<T, R>): void {
    if (this.#receiver !== undefined) throw new KubeError('ILLEGAL_STATE', 'the stream is already being read');
    if (this.#buffer.length > 0) return receiver.push(this.#buffer.shift() as T);
    if (this.#failure !== undefined) {
      const { error } = this.#failure;
      this.#failure = undefined;
      return receiver.fail(error);
    }
    if (this.#end !== undefined) return receiver.end(this.#end.value);
    this.#receiver = receiver;
    this.#source.pull(this);
  }

  close(): Promise<unknown> {
    return this.return();
  }

  // — for the source —

  push(value: T): void {
    if (this.#end !== undefined) return;
    const receiver = this.#receiver;
    if (receiver === undefined) return void this.#buffer.push(value);
    this.#receiver = undefined;
    receiver.push(value);
  }

  end(result: R | undefined): void {
    if (this.#end !== undefined) return;
    this.#end = result === undefined ? END : { done: true, value: result };
    const receiver = this.#receiver;
    this.#receiver = undefined;
    receiver?.end(result);
  }

  fail(error: unknown): void {
    if (this.#end !== undefined) return;
    this.#end = END;
    const receiver = this.#receiver;
    this.#receiver = undefined;
    if (receiver === undefined) this.#failure = { error };
    else receiver.fail(error);
  }

  /** Fails with `error` and closes the source. `error` is reported at once, an error of closing never. */
  abandon(error: unknown): void {
    if (this.#end !== undefined) return;
    this.#closing = this.#close().catch(ignorePullFailure);
    this.fail(error);
  }

  async #close(): Promise<void> {
    await this.#source.close();
  }

  // Made once: a watch delivers hundreds of thousands of events.
  readonly #keepSettlers = (
    resolve: (result: IteratorResult<T, R | undefined>) => void,
    reject: (error: unknown) => void,
  ): void => {
    this.#resolve = resolve;
    this.#reject = reject;
  };

  /** Settles the pending `next`. */
  readonly #settler: PullReceiver<T, R> = {
    push: (value) => this.#settle({ done: false, value }),
    end: () => this.#settle(this.#end ?? END),
    fail: (error) => {
      if (this.#pending === undefined) this.#early = { error };
      else this.#reject(error);
      this.#pending = undefined;
    },
  };

  #settle(result: IteratorResult<T, R | undefined>): void {
    if (this.#pending === undefined) this.#answer = result;
    else this.#resolve(result);
    this.#pending = undefined;
  }
}

/** Reads `iterator` without promises if it is a PullStream, by its `next` otherwise. */
export function pullSourceOf<T>(iterator: AsyncIterator<T>): PullSource<T> {
  return iterator instanceof PullStream ? iterator : new IteratorSource(iterator);
}

/** Reads any async iterator by its `next`. It never settles a `pull` at once, unless `next` throws. */
export class IteratorSource<T> implements PullSource<T> {
  readonly #iterator: AsyncIterator<T>;
  #receiver: PullReceiver<T> | undefined;

  constructor(iterator: AsyncIterator<T>) {
    this.#iterator = iterator;
  }

  pull(receiver: PullReceiver<T>): void {
    this.#receiver = receiver;
    try {
      // `resolve` costs nothing for a promise, and accepts an iterator that returns its result without one.
      void Promise.resolve(this.#iterator.next()).then(this.#arrived, this.#failed);
    } catch (error) {
      receiver.fail(error);
    }
  }

  close(): unknown {
    return this.#iterator.return?.();
  }

  readonly #arrived = (result: IteratorResult<T, unknown>): void => {
    let done: boolean | undefined;
    let value: unknown;
    try {
      // The iterator may be code of a user: what is not a result is a failure of the stream, as in `for await`.
      ({ done, value } = result);
    } catch (error) {
      return this.#failed(error);
    }
    if (done === true) this.#receiver?.end(undefined);
    else this.#receiver?.push(value as T);
  };

  readonly #failed = (error: unknown): void => this.#receiver?.fail(error);
}

const END: IteratorReturnResult<undefined> = { done: true, value: undefined };

function ignorePullFailure(): void {}
