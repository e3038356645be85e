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

/** The resolution of a timer; that of a platform is coarser. */
const MIN_SLEEP_MS = 0.01;

/**
 * Virtual time. One `step` fires one timer; the driver lets all promise jobs run
 * before the next one, so a run is a sequence of steps.
 *
 * `now` is the true time, on which the world lives. The process under test has three clocks of its own: the
 * monotonic one, which stands still during a suspend and drives its timers; the boot clock, which does not; and
 * the wall clock, which can be set.
 */
export class SimClock {
  #now = 0;
  #suspendedMs = 0;
  #wallMs = 1_700_000_000_000;
  #turn = 0;
  readonly #heap: Timer[] = [];
  /** Timers of the process under test that came due while it was frozen. */
  readonly #overslept: Timer[] = [];
  #sleeping = 0;
  #awakeSince = 0;
  /** A check reads the engine's state, which must not cost time. */
  isObserved = false;

  now(): number {
    return this.#now;
  }

  /** The monotonic clock of the process. */
  monotonic(): number {
    return this.#now - this.#suspendedMs;
  }

  /** Milliseconds since the machine started, suspends included. */
  boot(): number {
    return 5_000_000 + this.#now;
  }

  wall(): number {
    return this.#wallMs + this.#now;
  }

  /** Sets the wall clock, as an administrator or NTP would. */
  setWall(byMs: number): void {
    this.#wallMs += byMs;
  }

  /** When the process last came back from a freeze or a suspend. */
  get awakeSince(): number {
    return this.#awakeSince;
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
      // After a suspend the clocks differ by rounding; a timer for such a difference must still move time.
      const timer = this.#set(ms > 0 ? Math.max(ms, MIN_SLEEP_MS) : ms, wake, true);
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
   * `halfway` is what the world does meanwhile.
   */
  freeze(ms: number, halfway: () => void = () => {}): void {
    this.#pass(ms, halfway);
    const due = this.#heap.filter((timer) => timer.engine && !timer.over && !timer.overslept && timer.at <= this.#now);
    due.sort((a, b) => a.at - b.at || a.turn - b.turn);
    for (const timer of due) timer.overslept = true;
    this.#overslept.push(...due);
  }

  /** Suspends the machine: its monotonic clock stands still, and its timers with it. */
  suspend(ms: number, halfway: () => void = () => {}): void {
    const sleepers = this.#heap.filter((timer) => timer.engine && !timer.over && !timer.overslept);
    this.#pass(ms, halfway);
    this.#suspendedMs += ms;
    for (const timer of sleepers) timer.at += ms;
    const all = this.#heap.splice(0);
    for (const timer of all) push(this.#heap, timer);
  }

  #pass(ms: number, halfway: () => void): void {
    this.#now += ms / 2;
    halfway();
    this.#now += ms / 2;
    this.#awakeSince = this.#now;
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
  /** Whether the platform has a clock that runs during a suspend. */
  readonly bootClock: boolean;
}

/** An Env that may have the boot clock. */
export interface SimEnv extends Env {
  bootNow?(): number;
}

/** The Env of the engine under test. */
export function simEnv({ clock, dice, log, hiccups, bootClock }: SimEnvOptions): SimEnv {
  const pauses = dice.fork(1);
  return {
    now() {
      if (hiccups > 0 && !clock.isObserved && pauses.chance(hiccups)) clock.busy(12);
      return clock.monotonic();
    },
    wallNow: () => clock.wall(),
    ...(bootClock ? { bootNow: () => clock.boot() } : {}),
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
