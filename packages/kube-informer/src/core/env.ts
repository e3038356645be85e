/** Writes one structured line. `message` is constant; values are in `fields`. */
export type Log = (level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>) => void;
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/**
 * Timers, clocks, random numbers and the log.
 *
 * The same Env and the same server responses give the same run, so a failing
 * simulation is reported as one seed. Only this file may use the platform's
 * timers, clocks and random numbers (enforced by lint).
 */
export interface Env {
  /** Milliseconds on a monotonic clock. Only differences have meaning. */
  now(): number;
  /** Milliseconds since 1970, for timestamps. Never used for deadlines. */
  wallNow(): number;
  /**
   * Resolves after `ms`, or as soon as `signal` aborts. Never rejects: a loop
   * checks `signal.aborted`, so stopping needs no try/catch.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Resolves in a later turn of the event loop, after waiting timers and sockets. */
  yield(): Promise<void>;
  /** Uniform in [0, 1). */
  random(): number;
  readonly log: Log;
}

/** Maximum delay of a platform timer; Node turns a longer one into 1 ms. */
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

  // Without a log of the user's, warnings and errors are printed; the rest would be noise.
  log(level, message, fields) {
    if (level !== 'warn' && level !== 'error') return;
    const values =
      fields === undefined
        ? ''
        : ` ${Object.entries(fields)
            .map(([k, v]) => `${k}=${printableEnvLogValue(v)}`)
            .join(' ')}`;
    console.error(`kube-informer ${level}: ${message}${values}`);
  },
};

/** `setImmediate` runs after I/O; browsers have only a timer of zero. */
const nextTurn: (callback: () => void) => void =
  typeof setImmediate === 'function'
    ? (callback) => void setImmediate(callback)
    : (callback) => void setTimeout(callback, 0);

function printableEnvLogValue(value: unknown): string {
  if (value instanceof Error) return JSON.stringify(value.message);
  return JSON.stringify(value) ?? String(value);
}

/** An environment variable; undefined in browsers, which have none. */
export function envPlatformFlag(name: string): string | undefined {
  try {
    return (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env?.[name];
  } catch {
    return undefined; // Deno without permission throws
  }
}

const safeEnvs = new WeakSet<Env>();

/**
 * The same Env with a log that never throws, because a failing logger must not end the loop that called it. Use it for
 * every Env from a user.
 */
export function safeEnv(env: Env): Env {
  if (safeEnvs.has(env)) return env;
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
        // It cannot be reported: the log itself failed.
      }
    },
  };
  safeEnvs.add(wrapped);
  return wrapped;
}
safeEnvs.add(systemEnv);
