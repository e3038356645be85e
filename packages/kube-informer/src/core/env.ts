/** One structured line. `message` never holds a value; `fields` are the facts. */
export type Log = (level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>) => void;
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/**
 * Everything the code takes from the world besides its inputs.
 *
 * Given the same Env and the same server replies, a run is the same run. That is
 * what lets a failing simulation be reported as one seed. Only this file may
 * touch the platform's timers, clocks and random numbers; lint holds the rest of
 * the code to that.
 */
export interface Env {
  /** Milliseconds on a clock that never jumps. Only differences have meaning. */
  now(): number;
  /** Milliseconds since 1970, for people to read. Never used for deadlines. */
  wallNow(): number;
  /**
   * Resolves after `ms`, or as soon as `signal` aborts. Never rejects: a loop
   * asks `signal.aborted` itself, so stopping needs no try/catch.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Lets timers, sockets and other turns run before the caller goes on. */
  yield(): Promise<void>;
  /** Uniform in [0, 1). */
  random(): number;
  readonly log: Log;
}

/** Longest delay a platform timer can hold; Node turns anything above into 1 ms. */
const MAX_TIMER_MS = 2_147_483_647;

export const systemEnv: Env = {
  now: () => performance.now(),
  wallNow: () => Date.now(),

  sleep(ms, signal) {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const settle = (): void => {
        clearTimeout(timer);
        // `once` removes a listener that fired, not one that lost the race.
        signal?.removeEventListener('abort', settle);
        resolve();
      };
      const wait = (left: number): void => {
        const step = Math.min(left, MAX_TIMER_MS);
        timer = setTimeout(() => (left > step ? wait(left - step) : settle()), step);
      };
      let timer: ReturnType<typeof setTimeout>;
      wait(ms);
      signal?.addEventListener('abort', settle, { once: true });
    });
  },

  yield: () => new Promise((resolve) => nextTurn(resolve)),
  random: () => Math.random(),

  // Warnings and errors must be seen by whoever has not set up a log yet; the rest must not bother them.
  log(level, message, fields) {
    if (level !== 'warn' && level !== 'error') return;
    const facts =
      fields === undefined
        ? ''
        : ` ${Object.entries(fields)
            .map(([k, v]) => `${k}=${brief(v)}`)
            .join(' ')}`;
    console.error(`kube-informer ${level}: ${message}${facts}`);
  },
};

/** Node and Bun have `setImmediate`, which runs after I/O; a browser's nearest is a zero timer. */
const nextTurn: (callback: () => void) => void =
  typeof setImmediate === 'function'
    ? (callback) => void setImmediate(callback)
    : (callback) => void setTimeout(callback, 0);

function brief(value: unknown): string {
  if (value instanceof Error) return JSON.stringify(value.message);
  return JSON.stringify(value) ?? String(value);
}

/** A switch from the platform's environment, where there is one: browsers have none. */
export function platformFlag(name: string): string | undefined {
  try {
    return (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env?.[name];
  } catch {
    return undefined; // Deno asks before it lets anybody look
  }
}

const safe = new WeakSet<Env>();

/**
 * The same Env with a log that cannot hurt: a logger that throws must not end the loop that wanted to tell it
 * something. Whoever takes an Env from a user takes it through here.
 */
export function safeEnv(env: Env): Env {
  if (safe.has(env)) return env;
  const wrapped: Env = {
    now: () => env.now(),
    wallNow: () => env.wallNow(),
    sleep: (ms, signal) => env.sleep(ms, signal),
    yield: () => env.yield(),
    random: () => env.random(),
    log(level, message, fields) {
      try {
        env.log(level, message, fields);
      } catch {
        // The one place that could report it has just failed.
      }
    },
  };
  safe.add(wrapped);
  return wrapped;
}
safe.add(systemEnv);
