import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RingBuffer } from '../../src/store/ring-buffer.ts';
import { coded } from './rig/objects.ts';

/** A ring that has wrapped: `length` elements waiting, the oldest in the middle of its slots. */
function rig(capacity: number, length: number): RingBuffer<number> {
  const ring = new RingBuffer<number>(capacity);
  for (let i = 0; i < capacity - 1; i += 1) ring.push(-1);
  for (let i = 0; i < capacity - 1; i += 1) ring.shift();
  for (let i = 0; i < length; i += 1) ring.push(i);
  return ring;
}

test('PRO-07: elements come out in the order they went in, across the end of the slots', () => {
  const ring = rig(4, 4);
  expect(ring.capacity).toBe(4);
  expect([ring.shift(), ring.shift(), ring.shift(), ring.shift()]).toEqual([0, 1, 2, 3]);
});

test('PRO-07: an empty ring gives undefined and stays usable', () => {
  const ring = new RingBuffer<string>(2);
  expect(ring.shift()).toBeUndefined();
  expect(ring.peek()).toBeUndefined();
  ring.push('a');
  expect([ring.shift(), ring.shift(), ring.length]).toEqual(['a', undefined, 0]);
  ring.push('b');
  expect(ring.shift()).toBe('b');
});

test('PRO-07: it starts with room for 1024, doubles when full and never shrinks', () => {
  const ring = new RingBuffer<number>();
  const capacities: number[] = [];
  for (let i = 0; i < 4097; i += 1) {
    if (capacities.at(-1) !== ring.capacity) capacities.push(ring.capacity);
    ring.push(i);
  }
  expect([...capacities, ring.capacity]).toEqual([1024, 2048, 4096, 8192]);
  for (let i = 0; i < 4097; i += 1) expect(ring.shift()).toBe(i);
  ring.clear();
  expect(ring.capacity).toBe(8192);
});

test('PRO-07: growing keeps the order of a ring that had wrapped', () => {
  const ring = rig(4, 4);
  ring.push(4);
  expect(ring.capacity).toBe(8);
  expect([...ring]).toEqual([0, 1, 2, 3, 4]);
  for (let i = 5; i < 8; i += 1) ring.push(i);
  expect(ring.capacity).toBe(8);
  expect([...ring]).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

test('PRO-07: looking at the oldest takes nothing', () => {
  const ring = rig(4, 2);
  expect([ring.peek(), ring.peek(), ring.length]).toEqual([0, 0, 2]);
});

test('PRO-07: iterating goes oldest first and takes nothing', () => {
  const ring = rig(4, 3);
  expect([...ring]).toEqual([0, 1, 2]);
  expect(ring.length).toBe(3);
});

test('PRO-07: clearing leaves an empty ring that works on', () => {
  const ring = rig(4, 3);
  ring.clear();
  expect([ring.length, ring.peek(), ring.shift(), [...ring]]).toEqual([0, undefined, undefined, []]);
  ring.push(7);
  expect([...ring]).toEqual([7]);
});

const takeAll = (ring: RingBuffer<object>): void => {
  while (ring.length > 0) ring.shift();
};
test.each([
  ['taking', takeAll],
  ['clearing', (ring: RingBuffer<object>) => ring.clear()],
])('PRO-07: after %s, no slot keeps an element alive, also not in a ring that has grown', async (_how, empty) => {
  const collect = await exposedGc();
  const ring = new RingBuffer<object>(4);
  const refs = fillAndEmpty(ring, empty);
  for (let tries = 0; tries < 20 && refs.some((ref) => ref.deref() !== undefined); tries += 1) {
    // A WeakRef that was just made or read holds its target until the turn ends.
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  expect(refs.filter((ref) => ref.deref() !== undefined)).toEqual([]);
  expect([ring.length, ring.capacity]).toEqual([0, 8]);
});

test('PRO-07: capacities are rounded up to a power of two, impossible ones are refused', () => {
  expect([1, 3, 1000].map((wanted) => new RingBuffer(wanted).capacity)).toEqual([1, 4, 1024]);
  for (const wrong of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(() => new RingBuffer(wrong)).toThrow(coded('INVALID_OPTION'));
  }
});

test('PRO-07: whatever is pushed and taken, the ring behaves like an array', () => {
  const op = fc.oneof(
    { weight: 6, arbitrary: fc.record({ type: fc.constant('push' as const), value: fc.nat() }) },
    { weight: 4, arbitrary: fc.constant({ type: 'shift' as const }) },
    { weight: 1, arbitrary: fc.constant({ type: 'clear' as const }) },
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9 }), fc.array(op, { maxLength: 120 }), (capacity, ops) => {
      const ring = new RingBuffer<number>(capacity);
      const model: number[] = [];
      for (const step of ops) {
        if (step.type === 'push') {
          model.push(step.value);
          ring.push(step.value);
        } else if (step.type === 'shift') {
          expect(ring.shift()).toBe(model.shift());
        } else {
          model.length = 0;
          ring.clear();
        }
        expect(ring.length).toBe(model.length);
        expect(ring.peek()).toBe(model[0]);
        expect([...ring]).toEqual(model);
      }
    }),
  );
});

/** In its own frame, so that no local variable keeps an element. */
function fillAndEmpty(ring: RingBuffer<object>, empty: (ring: RingBuffer<object>) => void): WeakRef<object>[] {
  const refs: WeakRef<object>[] = [];
  const push = (): void => {
    const object = {};
    refs.push(new WeakRef(object));
    ring.push(object);
  };
  for (let i = 0; i < 3; i += 1) push();
  ring.shift();
  ring.shift();
  // One more than fits: what growing left beside the elements must not be overwritten by chance.
  for (let i = 0; i < 4; i += 1) push();
  empty(ring);
  return refs;
}

async function exposedGc(): Promise<() => void> {
  const [{ setFlagsFromString }, { runInNewContext }] = await Promise.all([import('node:v8'), import('node:vm')]);
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
