import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { type Env, systemEnv } from 'kube-informer';
import { FakeClock, fakeEnv, seededRandom } from 'kube-informer/testing';

/** Simulated time passes in steps of this size: half the time between two renewals of a lease. */
const STEP_MS = 1_000;
/**
 * Turns of the event loop without a request in flight before time moves on. Sockets are real even in simulated time.
 */
const QUIET_TURNS = 4;
/** Maximum real time that a step waits for requests. A request that a fault delays must not stop the clock. */
const MAX_STEP_REAL_MS = 250;

/** The clock of a soak: real, or simulated and as fast as the work is done. */
export interface SoakTime {
  /** `wallOffMs`: error of the wall clock of this process. */
  env(seed: number, wallOffMs?: number): Env;
  now(): number;
  /** Lets time pass. */
  pass(ms: number): Promise<void>;
  /** Number of pending timers; undefined where they cannot be counted. */
  readonly timers: number | undefined;
}

const quietly = (env: Env, wallOffMs: number): Env => ({
  ...env,
  wallNow: () => env.wallNow() + wallOffMs,
  log: () => {},
});

/** Simulated time, which moves on when no request is in flight. `requests` returns their number. */
export function simulatedTime(requests: () => number): SoakTime {
  const clock = new FakeClock();
  return {
    env: (seed, wallOffMs = 0) => quietly(fakeEnv({ clock, random: seededRandom(seed) }), wallOffMs),
    now: () => clock.now(),
    get timers() {
      return clock.sleeping;
    },
    async pass(ms) {
      for (let left = ms; left > 0; left -= STEP_MS) {
        await clock.advance(Math.min(STEP_MS, left));
        const startedAt = performance.now();
        for (let quiet = 0; quiet < QUIET_TURNS && performance.now() - startedAt < MAX_STEP_REAL_MS;) {
          await turn();
          quiet = requests() === 0 ? quiet + 1 : 0;
        }
      }
    },
  };
}

/** The time of this machine. */
export const realTime: SoakTime = {
  env: (_, wallOffMs = 0) => quietly(systemEnv, wallOffMs),
  now: () => systemEnv.now(),
  timers: undefined,
  pass: (ms) => sleep(ms),
};
