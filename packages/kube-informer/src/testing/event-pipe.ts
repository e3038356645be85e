import { PullStream } from '../core/async/pull-stream.ts';

/**
 * An async iterable that is fed from outside: what a fake server writes a watch into.
 * Ends when told, when its consumer leaves, or when the signal aborts.
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

  /** What was pushed before is still delivered; then the end, or the error. Idempotent. */
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
