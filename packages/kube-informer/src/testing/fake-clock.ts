import type { Env, Log, LogLevel } from '../core/env.ts';

interface Sleeper {
  readonly at: number;
  /** Sequence number: equal deadlines wake in this order. */
  readonly turn: number;
  readonly wake: () => void;
}

/**
 * A clock that moves only with `advance`, `freeze` and `suspend`. Sleepers wake in order of
 * deadline, and the continuation of each runs before the next wakes.
 *
 * Three clocks in one, as a machine has them:
 *
 *             advance, freeze   suspend       jumpWall
 *   now       moves             stands still  –          deadlines of sleepers
 *   bootNow   moves             moves         –          time since the machine started
 *   wallNow   moves             moves         jumps      timestamps
 */
export class FakeClock {
  #now = 0;
  #suspendedMs = 0;
  #wall = 1_700_000_000_000;
  #turn = 0;
  readonly #sleepers = new Set<Sleeper>();

  now(): number {
    return this.#now;
  }

  wallNow(): number {
    return this.#wall + this.#suspendedMs + this.#now;
  }

  /** Milliseconds since the machine started. Unlike `now`, it runs during a suspend. */
  bootNow(): number {
    return this.#suspendedMs + this.#now;
  }

  /** Moves the wall clock only, as an administrator or NTP would. Deadlines are not affected. */
  jumpWall(ms: number): void {
    this.#wall += ms;
  }

  /** Number of sleepers. A stopped informer leaves none. */
  get sleeping(): number {
    return this.#sleepers.size;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#sleepers.delete(sleeper);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const sleeper: Sleeper = { at: this.#now + ms, turn: (this.#turn += 1), wake };
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', wake, { once: true });
    });
  }

  /** Moves time forward and wakes sleepers whose deadline is reached. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#now = Math.max(this.#now, next.at);
      next.wake();
      await settle();
    }
    this.#now = end;
  }

  /**
   * Moves time without waking sleepers, like a suspended process or a blocked event loop;
   * they wake at the next `advance`.
   */
  freeze(ms: number): void {
    this.#now += ms;
  }

  /**
   * Suspends the machine: time passes on the boot and wall clocks only, and sleepers still have as long to
   * sleep as before. Nothing runs meanwhile.
   */
  suspend(ms: number): void {
    this.#suspendedMs += ms;
  }

  #next(end: number): Sleeper | undefined {
    let first: Sleeper | undefined;
    for (const sleeper of this.#sleepers) {
      if (sleeper.at > end) continue;
      if (first === undefined || sleeper.at < first.at || (sleeper.at === first.at && sleeper.turn < first.turn))
        first = sleeper;
    }
    return first;
  }
}

/** Resolves after all queued promise jobs, and those they queue, have run. */
export function settle(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve);
    else setTimeout(resolve, 0);
  });
}

export interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** An Env with a FakeClock, which records its log lines and has repeatable random numbers. */
export interface FakeEnv extends Env {
  readonly clock: FakeClock;
  /** Absent with `bootClock: false`. */
  bootNow?(): number;
  readonly lines: LogLine[];
}

export interface FakeEnvOptions {
  readonly clock?: FakeClock;
  /** Random numbers: a fixed value, or a function such as `seededRandom(1)`. @default 0 */
  readonly random?: number | (() => number);
  readonly log?: Log;
  /** Whether there is a clock that runs during a suspend; some platforms have none. @default true */
  readonly bootClock?: boolean;
}

export function fakeEnv(options: FakeEnvOptions = {}): FakeEnv {
  const { clock = new FakeClock(), random = 0, log, bootClock = true } = options;
  const lines: LogLine[] = [];
  return {
    clock,
    lines,
    now: () => clock.now(),
    wallNow: () => clock.wallNow(),
    ...(bootClock ? { bootNow: () => clock.bootNow() } : {}),
    sleep: (ms, signal) => clock.sleep(ms, signal),
    // A yield takes no time, so it must not need `advance`.
    yield: () => Promise.resolve(),
    random: typeof random === 'number' ? () => random : random,
    log: log ?? ((level, message, fields = {}) => void lines.push({ level, message, fields })),
  };
}

/** A repeatable sequence of numbers in [0, 1): the same seed gives the same run. (mulberry32) */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
