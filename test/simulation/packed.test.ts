import { describe, expect, test } from 'vitest';
import { runSeed } from './run/run.ts';

const SEEDS = 24;

describe('a packed cache', () => {
  test('PKD-25, I3, I5, I13: keeps every promise of a plain one, whatever goes wrong', async () => {
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const { writes } = await runSeed(seed, { setup: { hold: 'packed' } });
      expect(writes).toBeGreaterThanOrEqual(200);
    }
  });

  test.each(['replica-cut-off', 'suspend'])('PKD-25: … also in the scenario %s', async (scenario) => {
    for (let seed = 1; seed <= 4; seed += 1) await runSeed(seed, { scenario, setup: { hold: 'packed' } });
  });
});
