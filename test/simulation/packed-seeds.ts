import { describe, expect, test } from 'vitest';
import { noStackTraces } from './run/no-stack-traces.ts';
import { runSeed } from './run/run.ts';

/** Runs a packed cache through the seeds from 1 to `seeds`, and through the scenarios that decide about its age. */
export function testPacked(seeds: number, scenarioSeeds: number, name: string): void {
  noStackTraces();
  describe(`a packed cache (${name})`, () => {
    test(
      'PKD-25, I3, I5, I13: keeps every promise of a plain one, whatever goes wrong',
      async () => {
        for (let seed = 1; seed <= seeds; seed += 1) {
          const { writes } = await runSeed(seed, { setup: { hold: 'packed' } });
          expect(writes).toBeGreaterThanOrEqual(200);
        }
      },
      LONGEST_MS,
    );

    test.each(['replica-cut-off', 'suspend'])(
      'PKD-25: … also in the scenario %s',
      async (scenario) => {
        for (let seed = 1; seed <= scenarioSeeds; seed += 1)
          await runSeed(seed, { scenario, setup: { hold: 'packed' } });
      },
      LONGEST_MS,
    );
  });
}

/** Time limit that only ends a run that hangs. */
const LONGEST_MS = 1_800_000;
