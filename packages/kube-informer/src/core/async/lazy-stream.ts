import { type LinkedAbort, linkedAbort } from './abort.ts';
import { type PullReceiver, type PullSource, pullSourceOf, PullStream } from './pull-stream.ts';

/**
 * A stream that is opened by the first `next()`; an error of opening rejects that `next()`. Can be iterated once.
 *
 * Promises: leaving early closes the opened stream, or aborts `signal` of `open` while it is still being opened; a
 * stream that is opened after that is closed, too. No listener stays on the caller's signal after the end.
 */
export function lazyStream<E>(
  signal: AbortSignal | undefined,
  open: (signal: AbortSignal) => Promise<AsyncIterable<E>>,
): PullStream<E> {
  return new PullStream(new LazySource(signal, open));
}

class LazySource<E> implements PullSource<E>, PullReceiver<E> {
  readonly #signal: AbortSignal | undefined;
  readonly #open: (signal: AbortSignal) => Promise<AsyncIterable<E>>;
  #link: LinkedAbort | undefined;
  #source: PullSource<E> | undefined;
  #receiver: PullReceiver<E> | undefined;
  #isClosed = false;

  constructor(signal: AbortSignal | undefined, open: (signal: AbortSignal) => Promise<AsyncIterable<E>>) {
    this.#signal = signal;
    this.#open = open;
  }

  pull(receiver: PullReceiver<E>): void {
    this.#receiver = receiver;
    if (this.#source === undefined) void this.#openSource();
    else this.#source.pull(this);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    try {
      if (this.#source === undefined) this.#link?.abort();
      else await this.#source.close();
    } finally {
      this.#unlink();
    }
  }

  push(value: E): void {
    this.#receiver?.push(value);
  }

  end(): void {
    this.#unlink();
    this.#receiver?.end(undefined);
  }

  fail(error: unknown): void {
    this.#unlink();
    this.#receiver?.fail(error);
  }

  async #openSource(): Promise<void> {
    try {
      this.#link = linkedAbort(this.#signal ?? new AbortController().signal);
      const stream = await this.#open(this.#link.signal);
      this.#source = pullSourceOf(stream[Symbol.asyncIterator]());
      if (this.#isClosed) await this.#source.close();
      else this.#source.pull(this);
    } catch (error) {
      this.fail(error); // ignored if the consumer has left
    }
  }

  #unlink(): void {
    this.#link?.[Symbol.dispose]();
  }
}
