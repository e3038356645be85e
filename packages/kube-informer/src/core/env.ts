import { errorMessageOf } from './errors.ts';
import { safeText } from './redact.ts';
import { printableText } from './unprintable.ts';
import { safeErrorCause } from './safe-error.ts';
import { guardedCallback, reportGuarded, type UserCode } from './guarded.ts';

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
  /** Milliseconds since the machine was started, also while it was suspended. Undefined where no such clock exists. */
  bootNow?(): number | undefined;
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
  bootNow() {
    try {
      return uptime === undefined ? undefined : uptime() * 1_000;
    } catch {
      return undefined; // Deno without permission throws
    }
  },

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

  // Without a log from the user, warnings and errors are printed; the rest would be noise.
  log(level, message, fields) {
    if (level !== 'warn' && level !== 'error') return;
    const values =
      fields === undefined
        ? ''
        : ` ${Object.entries(fields)
            .map(([k, v]) => `${k}=${printableEnvLogValue(v)}`)
            .join(' ')}`;
    // One line for any values: no line breaks, no escape sequences, no change of the writing direction.
    console.error(printableText(`kube-informer ${level}: ${message}${values}`).replaceAll('\n', '\\n'));
  },
};

/**
 * Reads the uptime, which on Linux includes the time of a suspend. This file runs in browsers too, so the
 * module is not imported.
 */
const uptime: (() => number) | undefined = (() => {
  const { process } = globalThis as {
    process?: { getBuiltinModule?: (name: string) => { uptime?: () => number } | undefined };
  };
  try {
    return process?.getBuiltinModule?.('os')?.uptime;
  } catch {
    return undefined; // a runtime that forbids it
  }
})();

/** Runs a callback in a later turn: `setImmediate` runs after I/O; browsers have only a timer of zero. */
const nextTurn: (callback: () => void) => void =
  typeof setImmediate === 'function'
    ? // The first may run before any timer or socket, if it is set while a socket is read.
      (callback) => void setImmediate(() => void setImmediate(callback))
    : (callback) => void setTimeout(callback, 0);

/** Maximum length of one value in a printed line. */
const MAX_PRINTED = 2_000;

/** The text of a logged value. Never throws: a cycle, a BigInt or a getter that throws must not lose the line. */
function printableEnvLogValue(value: unknown): string {
  let text: string;
  try {
    text = value instanceof Error ? JSON.stringify(errorMessageOf(value)) : (JSON.stringify(value) ?? String(value));
  } catch {
    text = errorMessageOf(value);
  }
  return safeText(text, MAX_PRINTED);
}

/** Maximum length of one text in a log line. */
const MAX_LOGGED = 16_384;

/** The fields of a log line: texts and errors without credentials, as in a `KubeError`. */
function envLogFields(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, envLogValue(value)]));
}

function envLogValue(value: unknown): unknown {
  if (typeof value === 'string') return safeText(value, MAX_LOGGED);
  if (Array.isArray(value)) return value.map((each) => (typeof each === 'string' ? safeText(each, MAX_LOGGED) : each));
  return value instanceof Error ? safeErrorCause(value) : value;
}

/** An environment variable; undefined in browsers, which have none. */
export function envPlatformFlag(name: string): string | undefined {
  try {
    return (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env?.[name];
  } catch {
    return undefined; // Deno without permission throws
  }
}

/** A random number from the user's Env. A value outside 0 to 1 would remove the delays between requests, so 0.5 is used instead. */
function envRandom(env: Env): number {
  try {
    const random = env.random();
    return random >= 0 && random <= 1 ? random : 0.5;
  } catch {
    return 0.5;
  }
}

/** Environments whose log never fails. */
const guardedEnvs = new WeakSet<Env>();

/**
 * Wraps an Env so that its log never fails and gets no credentials: a line that cannot be written is dropped
 * and counted, and the platform's log reports that. Random numbers are between 0 and 1. The clock is trusted:
 * nothing works without one.
 */
export function guardedEnv(env: UserCode<Env>): Env {
  const given = env as Env;
  if (guardedEnvs.has(given)) return given;
  let dropped = 0;
  const log = (level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>): unknown =>
    given.log(level, message, fields === undefined ? undefined : envLogFields(fields));
  const guarded: Env = {
    now: () => given.now(),
    wallNow: () => given.wallNow(),
    bootNow: () => given.bootNow?.(),
    sleep: (ms, signal) => given.sleep(ms, signal),
    yield: () => given.yield(),
    random: () => envRandom(given),
    log: guardedCallback(systemEnv, 'log', log, (error) => {
      dropped += 1;
      if (!reportGuarded(dropped)) return;
      systemEnv.log('error', 'the log of this Env fails; its lines are dropped', {
        dropped,
        error: errorMessageOf(error),
      });
    }),
  };
  guardedEnvs.add(guarded);
  return guarded;
}
guardedEnvs.add(systemEnv);
