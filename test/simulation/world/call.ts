import type { SimClock } from './clock.ts';

/** One pending request. It is answered, failed or aborted exactly once. */
export class Call<R = unknown> {
  /** Whether it is part of the client's list, and not a probe beside its watch. */
  readonly isMain: boolean;
  readonly #clock: SimClock;
  readonly #signal: AbortSignal;
  readonly #settle: { resolve(value: R): void; reject(error: unknown): void };
  readonly #closed: (call: Call<R>) => void;
  readonly #abort = (): void => this.fail(this.#signal.reason);
  #open = true;

  constructor(
    isMain: boolean,
    clock: SimClock,
    signal: AbortSignal,
    settle: { resolve(value: R): void; reject(error: unknown): void },
    closed: (call: Call<R>) => void,
  ) {
    this.isMain = isMain;
    this.#clock = clock;
    this.#signal = signal;
    this.#settle = settle;
    this.#closed = closed;
    if (signal.aborted) this.#abort();
    else signal.addEventListener('abort', this.#abort, { once: true });
  }

  get isOpen(): boolean {
    return this.#open;
  }

  /** Continues after `ms`, unless the request is over by then. */
  later(ms: number, go: () => void): void {
    this.#clock.after(ms, () => {
      if (this.#open) go();
    });
  }

  answer(value: R): void {
    if (this.#close()) this.#settle.resolve(value);
  }

  fail(error: unknown): void {
    if (this.#close()) this.#settle.reject(error);
  }

  #close(): boolean {
    if (!this.#open) return false;
    this.#open = false;
    this.#signal.removeEventListener('abort', this.#abort);
    this.#closed(this);
    return true;
  }
}
