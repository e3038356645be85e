import { expect, test } from 'vitest';
import { Coverage } from './world/coverage.ts';
import { Violation } from './checks/invariants.ts';
import { runSeed } from './run/run.ts';

/** Seeds per test file; four files, so that all cores have work. */
const SEEDS = 500;
const LONGEST_MS = 180_000;

/** One quarter of the seeds. `npm test` runs the first. */
export function shard(part: number): void {
  // Stack traces of simulated failures cost a third of the run.
  Error.stackTraceLimit = 0;
  const first = (part - 1) * SEEDS + 1;
  const coverage = new Coverage();

  test(
    `I1, I2, I3, I4, I5, I6, I7, I8, I9, I11, I12, I13, G1, G2, G3, G4, G5, G18, G21, G22: hold over ${SEEDS} seeds (shard ${part})`,
    async () => {
      const violations: string[] = [];
      for (let seed = first; seed < first + SEEDS && violations.length < 5; seed += 1) {
        try {
          await runSeed(seed, { coverage });
        } catch (error) {
          if (!(error instanceof Violation)) throw error;
          violations.push(error.message);
        }
      }
      expect(violations).toEqual([]);
    },
    LONGEST_MS,
  );

  test(`every fault occurred in every state it can occur in (shard ${part})`, () => {
    if (part === 1) console.log(`faults of seeds ${first} to ${first + SEEDS - 1}\n${coverage.toString()}`);
    expect(coverage.missing()).toEqual([]);
    expect(coverage.surprises()).toEqual([]);
  });
}
