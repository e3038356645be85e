import type { Handler, InformerEvent } from '../informer/handlers/handlers.ts';
import type { HandlerOptions } from '../informer/handlers/handler-options.ts';

export interface ChangesOptions extends HandlerOptions {
  /** Ends the iteration without an error. */
  readonly signal?: AbortSignal;
}

/** Sent with the policy `detach` when changes were dropped: discard your state, all objects follow as initial adds. */
export interface Overflow {
  readonly type: 'overflow';
}

/** A change that was not read yet. `done` tells the informer that the reader has handled it. */
interface UnreadChange<E> {
  readonly event: E;
  readonly done: () => void;
}

const END: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * A handler whose events are read with `for await`.
 *
 * A change counts as handled when the reader requests the next one. A slow reader is therefore a slow handler, subject to
 * the handler's policy, and nothing accumulates here. Ends when its signal aborts, on `end`, or when the loop is left.
 */
export class ChangeStream<T> implements AsyncIterableIterator<InformerEvent<T> | Overflow, undefined> {
  /** The handler to register, with one or several informers. */
  readonly handler: Handler<T>;
  readonly #unread: UnreadChange<InformerEvent<T> | Overflow>[] = [];
  readonly #onEnd: () => void;
  readonly #signal: AbortSignal | undefined;
  #reading: UnreadChange<unknown> | undefined;
  #wake: (() => void) | undefined;
  #hasEnded = false;

  /** `onEnd` is called once and must remove the handler. */
  constructor(signal: AbortSignal | undefined, onEnd: () => void) {
    this.#signal = signal;
    this.#onEnd = onEnd;
    const push = (event: InformerEvent<T>): Promise<void> => this.#push(event);
    this.handler = { add: push, update: push, delete: push, overflow: () => this.#push({ type: 'overflow' }) };
    if (signal?.aborted === true) this.end();
    else signal?.addEventListener('abort', this.end, { once: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<InformerEvent<T> | Overflow, undefined>> {
    this.#reading?.done();
    this.#reading = undefined;
    while (!this.#hasEnded) {
      const change = this.#unread.shift();
      if (change !== undefined) {
        this.#reading = change;
        return { done: false, value: change.event };
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

  /** Drops unread changes and ends the iteration. Idempotent. */
  readonly end = (): void => {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#signal?.removeEventListener('abort', this.end);
    this.#onEnd();
    for (const { done } of this.#unread.splice(0)) done();
    this.#reading?.done();
    this.#wake?.();
  };

  /** Resolves when the reader has handled the event. */
  #push(event: InformerEvent<T> | Overflow): Promise<void> {
    if (this.#hasEnded) return Promise.resolve();
    return new Promise((done) => {
      this.#unread.push({ event, done });
      this.#wake?.();
    });
  }
}
