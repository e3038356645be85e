import { type LinkedAbort, linkedAbort } from './abort.ts';

type Result<E> = IteratorResult<E, undefined>;

const END: { readonly done: true; readonly value: undefined } = { done: true, value: undefined };

/**
 * A stream that is opened by the first `next()`, and fails to open as that `next()`. Can be iterated once.
 *
 * Promises: leaving early closes what is behind, also while it is being opened or silent; nothing stays on the caller's
 * signal after the end. Adds no queue: an item is asked for when it is asked for here.
 *
 * (A generator would answer `return()` only after the `next()` before it, which on a silent watch means never.)
 */
export class LazyStream<E> implements AsyncIterableIterator<E, undefined> {
  readonly #signal: AbortSignal | undefined;
  readonly #open: (signal: AbortSignal) => Promise<AsyncIterable<E>>;
  #link: LinkedAbort | undefined;
  #opening: Promise<AsyncIterator<E>> | undefined;
  #stream: AsyncIterator<E> | undefined;
  #isOver = false;

  constructor(signal: AbortSignal | undefined, open: (signal: AbortSignal) => Promise<AsyncIterable<E>>) {
    this.#signal = signal;
    this.#open = open;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result<E>> {
    if (this.#isOver) return Promise.resolve(END);
    const next = this.#stream === undefined ? this.#opened().then((stream) => stream.next()) : this.#stream.next();
    return next.then(this.#seen, this.#failed);
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    if (this.#isOver) return END;
    this.#isOver = true;
    const stream = this.#stream;
    if (stream === undefined) this.#link?.abort();
    else await stream.return?.();
    this.#unlink();
    return END;
  }

  #opened(): Promise<AsyncIterator<E>> {
    this.#opening ??= this.#start();
    return this.#opening;
  }

  async #start(): Promise<AsyncIterator<E>> {
    const link = linkedAbort(this.#signal ?? new AbortController().signal);
    this.#link = link;
    const stream = (await this.#open(link.signal))[Symbol.asyncIterator]();
    if (this.#isOver) await stream.return?.();
    else this.#stream = stream;
    return stream;
  }

  readonly #seen = (result: IteratorResult<E, unknown>): Result<E> => {
    if (result.done !== true) return result;
    this.#end();
    return END;
  };

  readonly #failed = (error: unknown): Result<E> => {
    // Who left does not want to hear that it was therefore aborted.
    if (this.#isOver) return END;
    this.#end();
    throw error;
  };

  #end(): void {
    this.#isOver = true;
    this.#unlink();
  }

  #unlink(): void {
    this.#link?.[Symbol.dispose]();
  }
}
