import { expect, test } from 'vitest';
import { Coverage } from './world/coverage.ts';
import { Violation } from './checks/invariants.ts';
import { noStackTraces } from './run/no-stack-traces.ts';
import { runSeed } from './run/run.ts';

/** Seeds per test file of the slow run; four files, so that all cores have work. */
const SEEDS = 500;
/** Seeds of `npm test`: the first of shard 1. */
const QUICK_SEEDS = 10;
/**
 * Time limit that only ends a run that hangs: on two idle cores a shard takes about 70 s, on busy ones many times that.
 */
const LONGEST_MS = 1_800_000;

/** One quarter of the seeds, and the proof that they met every fault in every state. */
export function shard(part: number): void {
  const first = (part - 1) * SEEDS + 1;
  const coverage = new Coverage();
  testSeeds(first, SEEDS, `shard ${part}`, coverage);

  test(`every fault occurred in every state it can occur in (shard ${part})`, () => {
    if (part === 1) console.log(`faults of seeds ${first} to ${first + SEEDS - 1}\n${coverage.toString()}`);
    expect(coverage.missing()).toEqual([]);
    expect(coverage.surprises()).toEqual([]);
  });
}

/** The seeds that run in every `npm test`. */
export function quickShard(): void {
  testSeeds(1, QUICK_SEEDS, 'quick', new Coverage());
}

function testSeeds(first: number, count: number, name: string, coverage: Coverage): void {
  noStackTraces();
  test(
    `I1, I2, I3, I4, I5, I6, I7, I8, I9, I11, I12, I13, I16, I17, I19, G1, G2, G3, G4, G5, G18, G21, G22: hold over ${count} seeds (${name})`,
    async () => {
      const violations: string[] = [];
      for (let seed = first; seed < first + count && violations.length < 5; seed += 1) {
        try {
          await runSeed(seed, { coverage, freshness: true });
        } catch (error) {
          if (!(error instanceof Violation)) throw error;
          violations.push(error.message);
        }
      }
      expect(violations).toEqual([]);
    },
    LONGEST_MS,
  );
}
