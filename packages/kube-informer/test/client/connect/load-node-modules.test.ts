import { expect, test } from 'vitest';
import { systemEnv } from '../../../src/core/env.ts';
import { loadNodeModules } from '../../../src/client/connect/load-node-modules.ts';

/** Loading a module takes this long by the clock of the test. */
async function turnsOfLoading(loadMs: number): Promise<number> {
  let now = 0;
  let turns = 0;
  await loadNodeModules({
    ...systemEnv,
    now: () => (now += loadMs),
    yield: async () => {
      turns += 1;
    },
  });
  return turns;
}

test('a turn of the event loop follows each module of Node that had to be compiled', async () => {
  expect(await turnsOfLoading(20)).toBe(8);
});

test('modules that are there cost no turn', async () => {
  expect(await turnsOfLoading(0.01)).toBe(0);
});
