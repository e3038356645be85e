import type { Env } from 'kube-informer/core';
import { type Entry, EntryHeap, isEntryDueBefore } from './queue-entry.ts';

/**
 * The keys with a delay, and the one timer that wakes the first of them.
 *
 * `due` gets each entry whose time has come, in order; `woken` follows once after all of them.
 */
export class WaitingLine {
  readonly #env: Env;
  readonly #due: (entry: Entry, now: number) => void;
  readonly #woken: () => void;
  readonly #heap = new EntryHeap(isEntryDueBefore);
  #timer: { readonly at: number; readonly abort: AbortController } | undefined;

  constructor(env: Env, due: (entry: Entry, now: number) => void, woken: () => void) {
    this.#env = env;
    this.#due = due;
    this.#woken = woken;
  }

  get size(): number {
    return this.#heap.size;
  }

  add(entry: Entry): void {
    this.#heap.push(entry);
    this.#armTimer();
  }

  /** Removes an entry. The timer stays: it finds nothing due and is set again. */
  remove(entry: Entry): void {
    this.#heap.remove(entry);
  }

  stopTimer(): void {
    this.#timer?.abort.abort();
    this.#timer = undefined;
  }

  #armTimer(): void {
    const { first } = this.#heap;
    if (first === undefined || (this.#timer !== undefined && this.#timer.at <= first.readyAt)) return;
    this.stopTimer();
    const timer = { at: first.readyAt, abort: new AbortController() };
    this.#timer = timer;
    const left = Math.max(0, timer.at - this.#env.now());
    void this.#env.sleep(left, timer.abort.signal).then(() => {
      if (timer.abort.signal.aborted) return;
      this.#timer = undefined;
      this.#wakeDue();
    });
  }

  #wakeDue(): void {
    const now = this.#env.now();
    for (let { first } = this.#heap; first !== undefined && first.readyAt <= now; { first } = this.#heap) {
      this.#heap.remove(first);
      this.#due(first, now);
    }
    this.#armTimer();
    this.#woken();
  }
}
