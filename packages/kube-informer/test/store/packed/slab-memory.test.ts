import { expect, test } from 'vitest';
import { SLAB_BYTES } from '../../../src/store/packed/slab.ts';
import { SlabMemory } from '../../../src/store/packed/slab-memory.ts';

test('PKD-11: memory of slabs is used again only when it was given back, and each piece by one slab', () => {
  const memory = new SlabMemory();
  const [one, other] = [memory.take(10), memory.take(SLAB_BYTES)];
  expect([one.length, other.length]).toEqual([SLAB_BYTES, SLAB_BYTES]);
  expect(one.buffer).not.toBe(other.buffer);
  memory.give(one);
  expect(memory.freeBytes).toBe(SLAB_BYTES);
  expect(memory.take(10)).toBe(one);
  expect(memory.freeBytes).toBe(0);
  const third = memory.take(10);
  expect([one.buffer, other.buffer]).not.toContain(third.buffer);
});

test('PKD-24: an object that is larger than a slab has memory of its own, and a few slabs are kept, until little arrives', () => {
  const memory = new SlabMemory();
  const large = memory.take(SLAB_BYTES + 1);
  expect(large.length).toBe(SLAB_BYTES + 1);
  memory.give(large);
  expect(memory.freeBytes).toBe(0);
  for (const bytes of Array.from({ length: 100 }, () => memory.take(1))) memory.give(bytes);
  expect(memory.freeBytes).toBe(32 * SLAB_BYTES);
  memory.clear();
  expect(memory.freeBytes).toBe(0);
});

test('PKD-11: V8 does not count the memory of slabs, so that they do not make it collect', () => {
  expect(new SlabMemory().take(1).buffer).toBeInstanceOf(SharedArrayBuffer);
});
