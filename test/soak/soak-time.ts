import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { type Env, systemEnv } from 'kube-informer';
import { FakeClock, fakeEnv, seededRandom } from 'kube-informer/testing';

/** Simulated time passes in steps of this size: half of what a leader waits between two renewals. */
const STEP_MS = 1_000;
/** Turns of the event loop in a row without a request under way. Sockets are real, also where time is not. */
const QUIET_TURNS = 4;
/** Real time that a step waits for requests. One that a fault holds back until later must not stop the clock. */
const MAX_STEP_REAL_MS = 250;

/** The time of a soak: that of this machine, or one that moves as fast as the work is done. */
export interface SoakTime {
  /** `wallOffMs`: what the wall clock of this process is wrong by. */
  env(seed: number, wallOffMs?: number): Env;
  now(): number;
  /** Lets time pass. */
  pass(ms: number): Promise<void>;
  /** Timers that wait; undefined where they cannot be counted. */
  readonly timers: number | undefined;
}

const quietly = (env: Env, wallOffMs: number): Env => ({
  ...env,
  wallNow: () => env.wallNow() + wallOffMs,
  log: () => {},
});

/** Time that moves when nothing is under way. `requests`: how many are. */
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
