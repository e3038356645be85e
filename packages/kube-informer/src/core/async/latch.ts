/**
 * A condition that becomes true once and stays true. Can be read at any time and awaited by many.
 *
 * Room rule: has no timer and no signal; a caller with a deadline passes its own.
 */
export class Latch {
  #open = false;
  readonly #waiters = new Set<() => void>();

  get isOpen(): boolean {
    return this.#open;
  }

  open(): void {
    if (this.#open) return;
    this.#open = true;
    for (const wake of this.#waiters) wake();
    this.#waiters.clear();
  }

  /** Calls `callback` once open, immediately if it is open. The returned function removes the callback. */
  onOpen(callback: () => void): () => void {
    if (this.#open) {
      callback();
      return () => {};
    }
    this.#waiters.add(callback);
    return () => void this.#waiters.delete(callback);
  }

  /** Resolves true once open, false if `signal` aborts first. Leaves no listener behind. */
  wait(signal?: AbortSignal): Promise<boolean> {
    if (this.#open) return Promise.resolve(true);
    if (signal?.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const opened = (): void => {
        signal?.removeEventListener('abort', aborted);
        resolve(true);
      };
      const aborted = (): void => {
        forget();
        resolve(false);
      };
      const forget = this.onOpen(opened);
      signal?.addEventListener('abort', aborted, { once: true });
    });
  }
}
