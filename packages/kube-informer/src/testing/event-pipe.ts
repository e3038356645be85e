import { PullStream } from '../core/async/pull-stream.ts';

/**
 * An async iterable that a fake server writes the events of a watch into.
 * Ends with `end`, when its consumer returns, or when the signal aborts.
 */
export class EventPipe<E> implements AsyncIterable<E>, AsyncIterator<E> {
  readonly #events = new PullStream<E>({ pull() {}, close: () => this.end() });
  readonly #onEnd: () => void;
  readonly #signal: AbortSignal;
  readonly #aborted = (): void => this.end();

  constructor(signal: AbortSignal, onEnd: () => void = () => {}) {
    this.#onEnd = onEnd;
    this.#signal = signal;
    if (signal.aborted) this.#events.end(undefined);
    else signal.addEventListener('abort', this.#aborted, { once: true });
  }

  get isEnded(): boolean {
    return this.#events.isOver;
  }

  push(event: E): void {
    this.#events.push(event);
  }

  /** Ends the stream. Events pushed before are still delivered; then the end, or the error. Idempotent. */
  end(error?: unknown): void {
    if (this.#events.isOver) return;
    this.#signal.removeEventListener('abort', this.#aborted);
    if (error === undefined) this.#events.end(undefined);
    else this.#events.fail(error);
    this.#onEnd();
  }

  next(): Promise<IteratorResult<E>> {
    return this.#events.next();
  }

  return(): Promise<IteratorResult<E>> {
    return this.#events.return();
  }

  [Symbol.asyncIterator](): AsyncIterator<E> {
    return this.#events;
  }
}
