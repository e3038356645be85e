import { describe, expect, test } from 'vitest';
import { CANARY } from './zoo/bugs.ts';
import { Coverage, FAULTS, STATES } from './world/coverage.ts';
import { type RunOptions, runSeed } from './run/run.ts';
import { kill } from './zoo/zoo.ts';

function rig(options: RunOptions = {}) {
  const play = async (seed: number, more: RunOptions = {}): Promise<string[]> => {
    const lines: string[] = [];
    await runSeed(seed, { ...options, ...more, trace: (line) => lines.push(line) });
    return lines;
  };
  return { play };
}

describe('one seed, one run', () => {
  test.each([3, 11, 58])('I15, G25: seed %i run twice gives the same trace', async (seed) => {
    const { play } = rig();
    const story = await play(seed);
    expect(story.length).toBeGreaterThan(1_000);
    expect(await play(seed)).toEqual(story);
  });

  test.each(['relay-tail', 'replica-cut-off', 'suspend', 'mixed'])(
    'I15: a seed run twice in the scenario %s gives the same trace',
    async (scenario) => {
      // What is compared is the world; whether the informer keeps its word in it is another question.
      const { play } = rig({ scenario, freshness: false });
      const story = await play(4);
      expect(story.length).toBeGreaterThan(300);
      expect(await play(4)).toEqual(story);
    },
  );

  test('I15: two seeds give different traces', async () => {
    const { play } = rig();
    expect(await play(3)).not.toEqual(await play(4));
  });

  test('a run is at least half an hour long and has at least 200 writes', async () => {
    for (let seed = 1; seed <= 4; seed += 1) {
      const { simulatedMs, writes } = await runSeed(seed);
      expect(simulatedMs).toBeGreaterThanOrEqual(30 * 60_000);
      expect(writes).toBeGreaterThanOrEqual(200);
    }
  });
});

describe('the canary', () => {
  test('I1, G1: an engine that applies older states is found at once', async () => {
    const killed = await kill(CANARY);
    expect(killed?.violation.invariant).toBe('I1');
  });
});

describe('the table of faults and states', () => {
  test('a pair that never happened is named, unless it cannot happen', () => {
    const coverage = new Coverage();
    expect(coverage.missing()).toContain('stall while watching');
    expect(coverage.missing()).not.toContain('stall while listing');
    for (const fault of FAULTS) for (const state of STATES) coverage.count(fault, state);
    expect(coverage.missing()).toEqual([]);
    expect(coverage.surprises()).toContain('stall while listing');
  });
});
