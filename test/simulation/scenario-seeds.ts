import { expect, test } from 'vitest';
import { Violation } from './checks/invariants.ts';
import { noStackTraces } from './run/no-stack-traces.ts';
import { runSeed } from './run/run.ts';
import { SCENARIOS } from './scenarios/index.ts';
import type { Scenario } from './scenarios/scenario.ts';

const LONGEST_MS = 1_800_000;

/** Runs scenarios with the seeds `first` to `last`: `pure`, or with the faults of the seed those that allow it. */
export function testScenarios(
  first: number,
  last: number,
  name: string,
  { pure = true, which = () => true }: { readonly pure?: boolean; readonly which?: (one: Scenario) => boolean } = {},
): void {
  noStackTraces();
  const scenarios = SCENARIOS.filter((one) => which(one) && (pure || one.alone !== true));
  test.each(scenarios.map((scenario) => [scenario.name, scenario] as const))(
    `I16, I17, I18, I19, I20: the cache is as old as it says, or younger, with seeds ${first} to ${last} (${name}): %s`,
    async (_name, scenario) => {
      const violations: string[] = [];
      let struck = 0;
      for (let seed = first; seed <= last && violations.length < 5; seed += 1) {
        try {
          struck += (await runSeed(seed, { scenario: scenario.name, pure })).struck;
        } catch (error) {
          if (!(error instanceof Violation)) throw error;
          violations.push(error.message);
        }
      }
      expect(violations).toEqual([]);
      // A scenario in which nothing happens shows nothing.
      if (scenario.expects.healthy !== true) expect(struck).toBeGreaterThan(0);
    },
    LONGEST_MS,
  );
}
