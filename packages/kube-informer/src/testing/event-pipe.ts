/**
 * An async iterable that a fake server writes the events of a watch into.
 * Ends with `end`, when its consumer returns, or when the signal aborts.
 */
export class EventPipe<E> implements AsyncIterable<E>, AsyncIterator<E> {
  readonly #waiting: E[] = [];
  readonly #onEnd: () => void;
  readonly #signal: AbortSignal;
  readonly #aborted = (): void => this.end();
  #reader: { resolve(result: IteratorResult<E>): void; reject(error: unknown): void } | undefined;
  #ended: { readonly error: unknown } | undefined;

  constructor(signal: AbortSignal, onEnd: () => void = () => {}) {
    this.#onEnd = onEnd;
    this.#signal = signal;
    if (signal.aborted) this.#ended = { error: undefined };
    else signal.addEventListener('abort', this.#aborted, { once: true });
  }

  get isEnded(): boolean {
    return this.#ended !== undefined;
  }

  push(event: E): void {
    if (this.#ended !== undefined) return;
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader === undefined) this.#waiting.push(event);
    else reader.resolve({ done: false, value: event });
  }

  /** Events pushed before are still delivered; then the end, or the error. Idempotent. */
  end(error?: unknown): void {
    if (this.#ended !== undefined) return;
    this.#ended = { error };
    this.#signal.removeEventListener('abort', this.#aborted);
    this.#onEnd();
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader === undefined) return;
    if (error === undefined) reader.resolve({ done: true, value: undefined });
    else reader.reject(error);
  }

  next(): Promise<IteratorResult<E>> {
    if (this.#waiting.length > 0) return Promise.resolve({ done: false, value: this.#waiting.shift() as E });
    if (this.#ended !== undefined) {
      const { error } = this.#ended;
      this.#ended = { error: undefined };
      return error === undefined ? Promise.resolve({ done: true, value: undefined }) : Promise.reject(error as Error);
    }
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  return(): Promise<IteratorResult<E>> {
    this.#waiting.length = 0;
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): AsyncIterator<E> {
    return this;
  }
}
