import type { Handler, InformerEvent } from '../informer/handlers/handlers.ts';
import type { HandlerOptions } from '../informer/handlers/handler-options.ts';

export interface ChangesOptions extends HandlerOptions {
  /** Ends the iteration without an error. */
  readonly signal?: AbortSignal;
  /** Adds one `{ type: 'synced' }` after the initial adds, also if there are none. @default false */
  readonly synced?: boolean;
}

/** Sent with the policy `detach` when changes were dropped: discard your state, all objects follow as initial adds. */
export interface Overflow {
  readonly type: 'overflow';
}

/** Sent once with `synced: true`: everything that was in the cache has been read, and what follows are changes. */
export interface Synced {
  readonly type: 'synced';
}

type Change<T> = InformerEvent<T> | Overflow | Synced;

/** The result of `changes(options)`. */
export type ChangeFor<T, O extends ChangesOptions> =
  | InformerEvent<T>
  | (O extends { readonly policy: 'detach' } ? Overflow : never)
  | (O extends { readonly synced: true } ? Synced : never);

/** A change, and the callback that tells the informer that the reader has handled it. */
interface PendingChange<T> {
  readonly change: Change<T>;
  readonly done: () => void;
}

const END: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * A handler whose events are read with `for await`.
 *
 * A change counts as handled when the reader requests the next one. A slow reader is therefore a slow
 * handler, subject to the handler's policy, and nothing accumulates here. Calls of `next` that do not wait
 * for each other resolve in order. Ends when its signal aborts, on `end`, or when the loop is left.
 */
export class ChangeStream<T> implements AsyncIterableIterator<Change<T>, undefined> {
  /** Changes that wait for a reader. One of the two lists is always empty. */
  readonly #unread: PendingChange<T>[] = [];
  readonly #readers: ((result: IteratorResult<Change<T>, undefined>) => void)[] = [];
  readonly #signal: AbortSignal | undefined;
  readonly #disconnect: () => void;
  #reading: PendingChange<T> | undefined;
  #hasEnded = false;

  /**
   * `connect` registers the handler, and calls `synced` after the initial adds if the reader wants to know.
   * It returns the function that removes the handler, and is not called for a signal that is aborted already.
   */
  constructor(signal: AbortSignal | undefined, connect: (handler: Handler<T>, synced: () => void) => () => void) {
    this.#signal = signal;
    this.#hasEnded = signal?.aborted === true;
    const push = (event: InformerEvent<T>): Promise<void> => this.#push(event);
    const overflow = (): Promise<void> => this.#push({ type: 'overflow' });
    const synced = (): void => void this.#push({ type: 'synced' });
    this.#disconnect = this.#hasEnded ? () => {} : connect({ add: push, update: push, delete: push, overflow }, synced);
    if (!this.#hasEnded) signal?.addEventListener('abort', this.end, { once: true });
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Change<T>, undefined>> {
    this.#reading?.done();
    this.#reading = undefined;
    if (this.#hasEnded) return Promise.resolve(END);
    const pending = this.#unread.shift();
    if (pending === undefined) return new Promise((resolve) => this.#readers.push(resolve));
    this.#reading = pending;
    return Promise.resolve({ done: false, value: pending.change });
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
    this.#disconnect();
    for (const { done } of this.#unread.splice(0)) done();
    this.#reading?.done();
    for (const answer of this.#readers.splice(0)) answer(END);
  };

  /** Resolves when the reader has handled the change. */
  #push(change: Change<T>): Promise<void> {
    if (this.#hasEnded) return Promise.resolve();
    return new Promise((done) => {
      const answer = this.#readers.shift();
      if (answer === undefined) return void this.#unread.push({ change, done });
      // Another reader is already waiting for the next one.
      if (this.#readers.length > 0) done();
      else this.#reading = { change, done };
      answer({ done: false, value: change });
    });
  }
}
