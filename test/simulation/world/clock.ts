import type { Env, Log } from 'kube-informer/core';
import type { Dice } from './dice.ts';

interface Timer {
  at: number;
  /** Order of setting, so that equal times fire in that order. */
  readonly turn: number;
  readonly fire: () => void;
  readonly engine: boolean;
  /** Fired or cancelled. */
  over: boolean;
  /** No longer in the heap. */
  overslept: boolean;
}

/**
 * Virtual time. One `step` fires one timer; the driver lets all promise jobs run
 * before the next one, so a run is a sequence of steps.
 */
export class SimClock {
  #now = 0;
  #turn = 0;
  readonly #heap: Timer[] = [];
  /** Timers of the process under test that came due while it was frozen. */
  readonly #overslept: Timer[] = [];
  #sleeping = 0;

  now(): number {
    return this.#now;
  }

  /** Sleeps of the engine that have not ended. */
  get sleeping(): number {
    return this.#sleeping;
  }

  /** Calls `fire` in `ms`; the returned function cancels it. */
  after(ms: number, fire: () => void): () => void {
    const timer = this.#set(ms, fire, false);
    return () => {
      timer.over = true;
    };
  }

  /** Same as Env.sleep. */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    this.#sleeping += 1;
    return new Promise((resolve) => {
      const wake = (): void => {
        timer.over = true;
        this.#sleeping -= 1;
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const timer = this.#set(ms, wake, true);
      signal?.addEventListener('abort', wake, { once: true });
    });
  }

  /** Fires the next timer due until `end`. False when there is none; the time is then `end`. */
  step(end: number): boolean {
    for (let timer = this.#overslept.shift(); timer !== undefined; timer = this.#overslept.shift()) {
      if (timer.over) continue;
      fire(timer);
      return true;
    }
    for (let first = this.#heap[0]; first !== undefined && first.at <= end; first = this.#heap[0]) {
      pop(this.#heap);
      if (first.over || first.overslept) continue;
      this.#now = Math.max(this.#now, first.at);
      fire(first);
      return true;
    }
    this.#now = Math.max(this.#now, end);
    return false;
  }

  /** The process is busy and nothing else runs: timers become late. */
  busy(ms: number): void {
    this.#now += ms;
  }

  /**
   * Stops the process under test for a while (SIGSTOP, a closed laptop). Its timers fire
   * first when it wakes, before it reads what has arrived meanwhile: the worst of the possible orders.
   */
  freeze(ms: number): void {
    this.#now += ms;
    const due = this.#heap.filter((timer) => timer.engine && !timer.over && !timer.overslept && timer.at <= this.#now);
    due.sort((a, b) => a.at - b.at || a.turn - b.turn);
    for (const timer of due) timer.overslept = true;
    this.#overslept.push(...due);
  }

  #set(ms: number, onFire: () => void, engine: boolean): Timer {
    this.#turn += 1;
    const timer: Timer = { at: this.#now + ms, turn: this.#turn, fire: onFire, engine, over: false, overslept: false };
    push(this.#heap, timer);
    return timer;
  }
}

function fire(timer: Timer): void {
  timer.over = true;
  timer.fire();
}

function before(a: Timer, b: Timer): boolean {
  return a.at < b.at || (a.at === b.at && a.turn < b.turn);
}

function push(heap: Timer[], timer: Timer): void {
  let at = heap.length;
  while (at > 0) {
    const up = (at - 1) >> 1;
    if (!before(timer, heap[up] as Timer)) break;
    heap[at] = heap[up] as Timer;
    at = up;
  }
  heap[at] = timer;
}

function pop(heap: Timer[]): void {
  const last = heap.pop() as Timer;
  if (heap.length === 0) return;
  let at = 0;
  for (;;) {
    let down = 2 * at + 1;
    if (down >= heap.length) break;
    if (down + 1 < heap.length && before(heap[down + 1] as Timer, heap[down] as Timer)) down += 1;
    if (!before(heap[down] as Timer, last)) break;
    heap[at] = heap[down] as Timer;
    at = down;
  }
  heap[at] = last;
}

export interface SimEnvOptions {
  readonly clock: SimClock;
  readonly dice: Dice;
  readonly log: Log;
  /** How often reading the clock shows a pause of some milliseconds. */
  readonly hiccups: number;
}

/** The Env of the engine under test. */
export function simEnv({ clock, dice, log, hiccups }: SimEnvOptions): Env {
  const pauses = dice.fork(1);
  return {
    now() {
      if (hiccups > 0 && pauses.chance(hiccups)) clock.busy(12);
      return clock.now();
    },
    wallNow: () => 1_700_000_000_000 + clock.now(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
    // A turn of the event loop: everything that is due runs first.
    yield: () => new Promise((resolve) => void clock.after(0, resolve)),
    random: () => dice.unit(),
    log,
  };
}

/** Turns queued at once: a round trip through the event loop costs more than a step. */
const TURNS = 32;

/** Calls `step` until it returns false, and lets every promise job run between two calls. */
export function drive(step: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    let over = false;
    const turn = (): void => {
      if (over) return;
      try {
        if (step()) return;
        over = true;
        resolve();
      } catch (error) {
        over = true;
        reject(error as Error);
      }
    };
    const round = (): void => {
      if (over) return;
      for (let i = 0; i < TURNS; i += 1) setImmediate(turn);
      setImmediate(round);
    };
    round();
  });
}
