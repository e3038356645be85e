import type { Handler, InformerEvent } from '../informer/handlers/handlers.ts';
import type { HandlerOptions } from '../informer/handlers/handler-options.ts';

export interface ChangesOptions extends HandlerOptions {
  /** Ends the iteration, without an error. */
  readonly signal?: AbortSignal;
}

/** Policy `detach`: changes were dropped; forget what you know, everything follows as initial adds. */
export interface Overflow {
  readonly type: 'overflow';
}

/** A change waiting to be taken, and what to call when the reader is done with it. */
interface Offer<E> {
  readonly event: E;
  readonly done: () => void;
}

const END: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * A handler that is read instead of called.
 *
 * A change counts as handled when the reader asks for the next one, so a slow reader is a slow handler: what happens then
 * is the policy's business, and nothing piles up here. Ends when its signal aborts, when it is ended, or when it is left.
 */
export class ChangeStream<T> implements AsyncIterableIterator<InformerEvent<T> | Overflow, undefined> {
  /** What is to be registered. Several informers may share it. */
  readonly handler: Handler<T>;
  readonly #offers: Offer<InformerEvent<T> | Overflow>[] = [];
  readonly #onEnd: () => void;
  readonly #signal: AbortSignal | undefined;
  #reading: Offer<unknown> | undefined;
  #wake: (() => void) | undefined;
  #isOver = false;

  /** `onEnd` is called once, and is where the handler is removed. */
  constructor(signal: AbortSignal | undefined, onEnd: () => void) {
    this.#signal = signal;
    this.#onEnd = onEnd;
    const offer = (event: InformerEvent<T>): Promise<void> => this.#offer(event);
    this.handler = { add: offer, update: offer, delete: offer, overflow: () => this.#offer({ type: 'overflow' }) };
    if (signal?.aborted === true) this.end();
    else signal?.addEventListener('abort', this.end, { once: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<InformerEvent<T> | Overflow, undefined>> {
    this.#reading?.done();
    this.#reading = undefined;
    while (!this.#isOver) {
      const offer = this.#offers.shift();
      if (offer !== undefined) {
        this.#reading = offer;
        return { done: false, value: offer.event };
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return END;
  }

  return(): Promise<IteratorReturnResult<undefined>> {
    this.end();
    return Promise.resolve(END);
  }

  /** Idempotent. What was not read yet is dropped. */
  readonly end = (): void => {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#signal?.removeEventListener('abort', this.end);
    this.#onEnd();
    for (const { done } of this.#offers.splice(0)) done();
    this.#reading?.done();
    this.#wake?.();
  };

  #offer(event: InformerEvent<T> | Overflow): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    return new Promise((done) => {
      this.#offers.push({ event, done });
      this.#wake?.();
    });
  }
}
