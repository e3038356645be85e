import { describe, expect, test } from 'vitest';
import { CANARY } from './zoo/bugs.ts';
import { Coverage, FAULTS, STATES } from './world/coverage.ts';
import { noStackTraces } from './run/no-stack-traces.ts';
import { testTraces } from './run/trace-seeds.ts';
import { kill } from './zoo/zoo.ts';

noStackTraces();

describe('one seed, one run', () => testTraces([11], []));

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
