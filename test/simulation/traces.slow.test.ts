import { expect, test } from 'vitest';
import { noStackTraces } from './run/no-stack-traces.ts';
import { runSeed } from './run/run.ts';
import { testTraces, traceOf } from './run/trace-seeds.ts';

noStackTraces();

testTraces([3, 58], ['relay-tail', 'suspend', 'mixed', 'replica-cut-off']);

test('I15: two seeds give different traces', async () => {
  expect(await traceOf(11)).not.toEqual(await traceOf(12));
});

test('a run is at least half an hour long and has at least 200 writes', async () => {
  for (let seed = 1; seed <= 4; seed += 1) {
    const { simulatedMs, writes } = await runSeed(seed);
    expect(simulatedMs).toBeGreaterThanOrEqual(30 * 60_000);
    expect(writes).toBeGreaterThanOrEqual(200);
  }
});
