import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import type { PackedState } from '../../../src/store/packed/slab.ts';
import { pod, rig } from './packed-objects-rig.ts';

test('PKD-23: raw bytes are bounded while a list arrives, and while all objects change', () => {
  const { objects, build } = rig();
  let states = Array.from({ length: 10_000 }, (_, i) => build(pod(i)));
  expect(objects.usage().young).toBeLessThanOrEqual(33 * 1_048_576);
  for (const state of states) objects.keep(state);
  const { wire } = objects.usage();
  for (let round = 1; round <= 2; round += 1) {
    states = states.map((state, i) => {
      const next = build(pod(i, round * 20_000 + i));
      objects.keep(next);
      objects.drop(state);
      return next;
    });
    expect(objects.usage().young).toBeLessThanOrEqual(wire * 1.25 + 1_048_576);
  }
  // States that are replaced in turn are never packed.
  expect(states.filter(({ slab }) => slab.dictionary !== undefined)).toEqual([]);
});

test('PKD-11: slabs that are filled again hold nothing that can be reached', () => {
  const { objects, build } = rig();
  const states: PackedState[] = [];
  for (let i = 0; i < 6_000; i += 1) {
    const state = build(pod(i));
    states.push(state);
    // Dropped while it is raw: a reader that holds it reads it where it was written.
    if (i % 499 === 0) objects.drop(state);
  }
  const raw = states.filter(({ slab }) => slab.dictionary === undefined);
  const filledAgain = new Set(raw.map(({ slab }) => slab.bytes));
  expect(raw.length).toBeLessThan(5_500);
  expect(filledAgain.size).toBe(new Set(raw.map(({ slab }) => slab)).size);
  states.forEach((state, i) => {
    if (i % 499 < 3) expect(isDeepStrictEqual(objects.see(state), pod(i))).toBe(true);
  });
});

test('PKD-24, PKA-16: churn does not grow the cache', async () => {
  const { objects, env, build, run } = rig();
  const states = Array.from({ length: 1_000 }, (_, i) => build(pod(i)));
  for (const state of states) objects.keep(state);
  const stop = run();
  await env.clock.advance(10_000);
  const first = objects.usage().held;
  for (let version = 2_000; version < 12_000; version += 1) {
    const i = (version * 7) % 1_000;
    const next = build(pod(i, version));
    objects.keep(next);
    objects.drop(states[i] as PackedState);
    states[i] = next;
    if (version % 1_000 === 0) await env.clock.advance(10_000);
  }
  await env.clock.advance(20_000);
  await stop();
  const { held, pinned } = objects.usage();
  expect(held - pinned).toBeLessThan(first * 1.5);
  states.forEach((state) => expect(objects.see(state).status.phase).toBe('Running'));
});
