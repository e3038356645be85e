import { expect, test } from 'vitest';
import { noStackTraces } from './run/no-stack-traces.ts';
import { type RunOptions, runSeed } from './run/run.ts';
import type { FaultRates } from './world/faults.ts';
import type { HandlerSetup } from './world/setup.ts';

const LONGEST_MS = 1_800_000;

/** Plays the seeds from 1 to `seeds` twice: with handlers of every temper, and with the recording one alone. */
export function testHandlers(seeds: number, name: string): void {
  noStackTraces();
  test(
    `I10, G13: handlers that are slow, fail or hang change nothing for the others (${name})`,
    async () => {
      for (let seed = 1; seed <= seeds; seed += 1)
        expect(await recorded(seed, { alone: true })).toEqual(await recorded(seed));
    },
    LONGEST_MS,
  );
}

/** The lines of the recording handler only. */
async function recorded(seed: number, more: RunOptions = {}): Promise<string[]> {
  const lines: string[] = [];
  const setup = { handlers: tempers(), hiccups: 0 };
  await runSeed(seed, { setup, faults: EVERYDAY, ...more, trace: (line) => lines.push(line) });
  return lines.filter((line) => line.includes('  recording '));
}

/** Faults of single requests. Weather depends on the number of steps, which the other handlers change. */
const EVERYDAY: FaultRates = {
  'cut-rst': 0.2,
  'gone-event': 0.2,
  replay: 0.05,
  duplicate: 0.05,
  stall: 0.1,
  throttled: 0.1,
};

/** All four tempers with policies under which no handler delays the others. */
function tempers(): HandlerSetup[] {
  return (['recording', 'slow', 'throwing', 'hanging'] as const).map((temper) => ({
    temper,
    options: {
      name: temper,
      policy: temper === 'hanging' ? 'detach' : 'coalesce',
      limit: temper === 'recording' ? 1_024 : 6,
    },
  }));
}
