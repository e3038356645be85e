import { expect, test } from 'vitest';
import { type RunOptions, runSeed } from './run.ts';

/** Everything that happens in a run. */
export async function traceOf(seed: number, options: RunOptions = {}): Promise<string[]> {
  const lines: string[] = [];
  await runSeed(seed, { ...options, trace: (line) => lines.push(line) });
  return lines;
}

/** Runs each seed, and one seed of each scenario, twice. */
export function testTraces(seeds: readonly number[], scenarios: readonly string[]): void {
  test.each(seeds)('I15, G25: seed %i run twice gives the same trace', async (seed) => {
    const story = await traceOf(seed);
    expect(story.length).toBeGreaterThan(1_000);
    expect(await traceOf(seed)).toEqual(story);
  });

  test.each(scenarios)('I15: a seed run twice in the scenario %s gives the same trace', async (scenario) => {
    // What is compared is the world; whether the informer keeps its word in it is another question.
    const options = { scenario, freshness: false };
    const story = await traceOf(4, options);
    expect(story.length).toBeGreaterThan(300);
    expect(await traceOf(4, options)).toEqual(story);
  });
}
