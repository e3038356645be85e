import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Heap } from '../../src/store/heap.ts';
import { settle } from '../../src/testing/fake-clock.ts';
import { coded } from './rig/objects.ts';

interface Job {
  readonly name: string;
  readonly rank: number;
}

const job = (name: string, rank: number): Job => ({ name, rank });

/** A heap of jobs, lowest rank first. */
function rig(...jobs: Job[]): { heap: Heap<Job>; drain: () => Promise<string[]> } {
  const heap = new Heap<Job>({
    key: ({ name }) => {
      if (name === '') throw new Error('a job needs a name');
      return name;
    },
    less: (a, b) => a.rank < b.rank,
  });
  for (const each of jobs) heap.add(each);
  const drain = async (): Promise<string[]> => {
    const names: string[] = [];
    while (heap.length > 0) names.push((await heap.pop()).name);
    return names;
  };
  return { heap, drain };
}

test('OTH-03: whatever the order of adding, the lowest comes out first', async () => {
  const ranks = Array.from({ length: 500 }, (_, i) => (i * 263) % 500);
  const { drain } = rig(...ranks.map((rank) => job(`job-${rank}`, rank)));
  expect(await drain()).toEqual(Array.from({ length: 500 }, (_, i) => `job-${i}`));
});

test('OTH-03: a job added while others wait and pop finds its place', async () => {
  const { heap, drain } = rig(job('d', 40), job('b', 20), job('c', 30));
  expect((await heap.pop()).name).toBe('b');
  heap.add(job('a', 10));
  heap.add(job('z', 35));
  expect(await drain()).toEqual(['a', 'c', 'z', 'd']);
});

test('OTH-03: adding a key again replaces its object and moves it up or down', async () => {
  const { heap, drain } = rig(job('a', 10), job('b', 20), job('c', 30), job('d', 40));
  heap.update(job('a', 35));
  heap.add(job('d', 1));
  expect(heap.length).toBe(4);
  expect(heap.getByKey('a')).toEqual(job('a', 35));
  expect(await drain()).toEqual(['d', 'b', 'c', 'a']);
});

test('OTH-03: updating an unknown key adds it', async () => {
  const { heap, drain } = rig(job('b', 20));
  heap.update(job('a', 10));
  expect(await drain()).toEqual(['a', 'b']);
});

test('OTH-03: a deleted job is gone, wherever it stood, and the others keep their order', async () => {
  for (const victim of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) {
    // The last leaf is lower than the inner node beside it, so filling a gap must be able to move up.
    const ranks = { a: 0, b: 50, c: 1, d: 60, e: 70, f: 2, g: 3 };
    const { heap, drain } = rig(...Object.entries(ranks).map(([name, rank]) => job(name, rank)));
    expect(heap.delete(job(victim, -1))).toBe(true);
    expect(heap.getByKey(victim)).toBeUndefined();
    expect(await drain()).toEqual(['a', 'c', 'f', 'g', 'b', 'd', 'e'].filter((name) => name !== victim));
  }
});

test('OTH-03: deleting a missing object returns false and changes nothing', async () => {
  const { heap, drain } = rig(job('a', 10));
  expect(heap.delete(job('zzz', 0))).toBe(false);
  expect(await drain()).toEqual(['a']);
  expect(heap.delete(job('a', 10))).toBe(false);
});

test('OTH-03: all jobs of a bulk are there before a waiting pop gets the first', async () => {
  const { heap } = rig();
  const first = heap.pop();
  await settle();
  heap.bulkAdd([job('c', 30), job('a', 10), job('b', 20)]);
  expect(heap.length).toBe(3);
  expect(await first).toEqual(job('a', 10));
  expect(heap.listKeys().toSorted()).toEqual(['b', 'c']);
});

test('OTH-03: one job without a key rejects the whole bulk', () => {
  const { heap } = rig(job('a', 10));
  expect(() => heap.bulkAdd([job('b', 20), job('', 0)])).toThrow('a job needs a name');
  expect(heap.listKeys()).toEqual(['a']);
});

test('OTH-03: addIfNotPresent leaves the entry that is there', async () => {
  const { heap, drain } = rig(job('a', 10), job('b', 20));
  expect(heap.addIfNotPresent(job('b', 1))).toBe(false);
  expect(heap.addIfNotPresent(job('c', 5))).toBe(true);
  expect(heap.getByKey('b')).toEqual(job('b', 20));
  expect(await drain()).toEqual(['c', 'a', 'b']);
});

test('OTH-03: a job is found by an object of its key', () => {
  const held = job('a', 10);
  const { heap } = rig(held, job('b', 20));
  expect(heap.get(job('a', 999))).toBe(held);
  expect(heap.get(job('zzz', 10))).toBeUndefined();
});

test('OTH-03: a job is found by its key', () => {
  const held = job('a', 10);
  const { heap } = rig(held, job('b', 20));
  expect(heap.getByKey('a')).toBe(held);
  expect(heap.getByKey('zzz')).toBeUndefined();
});

test('OTH-03: list gives every job, in an array of the caller', async () => {
  const jobs = [job('c', 30), job('a', 10), job('b', 20)];
  const { heap, drain } = rig(...jobs);
  expect(new Set(heap.list())).toEqual(new Set(jobs));
  heap.list().length = 0;
  expect(await drain()).toEqual(['a', 'b', 'c']);
});

test('OTH-03: listKeys gives every key, in an array of the caller', async () => {
  const { heap, drain } = rig(job('c', 30), job('a', 10), job('b', 20));
  expect(heap.listKeys().toSorted()).toEqual(['a', 'b', 'c']);
  heap.listKeys().length = 0;
  expect(await drain()).toEqual(['a', 'b', 'c']);
});

test('OTH-03: closing releases all waiting pops of an empty heap', async () => {
  const { heap } = rig();
  const results = Promise.allSettled([heap.pop(), heap.pop()]);
  await settle();
  heap.close();
  for (const result of await results) {
    expect(result).toMatchObject({ status: 'rejected', reason: { name: 'KubeError', code: 'QUEUE_CLOSED' } });
  }
});

test('OTH-03: a closed heap gives what it has and then refuses', async () => {
  const { heap, drain } = rig(job('b', 20), job('a', 10));
  heap.close();
  heap.close();
  expect(heap.isClosed).toBe(true);
  expect(await drain()).toEqual(['a', 'b']);
  await expect(heap.pop()).rejects.toMatchObject({ code: 'QUEUE_CLOSED' });
});

test('OTH-03: after closing nothing can be added, but deleting still works', () => {
  const { heap } = rig(job('a', 10));
  heap.close();
  expect(() => heap.add(job('b', 1))).toThrow(coded('QUEUE_CLOSED'));
  expect(() => heap.update(job('a', 1))).toThrow(coded('QUEUE_CLOSED'));
  expect(() => heap.bulkAdd([job('b', 1)])).toThrow(coded('QUEUE_CLOSED'));
  expect(() => heap.addIfNotPresent(job('b', 1))).toThrow(coded('QUEUE_CLOSED'));
  expect(heap.list()).toEqual([job('a', 10)]);
  expect(heap.delete(job('a', 10))).toBe(true);
});

test('OTH-03: all waiting pops are served, one job each', async () => {
  const { heap } = rig();
  const waiting = [heap.pop(), heap.pop(), heap.pop()];
  await settle();
  heap.add(job('a', 10));
  heap.add(job('b', 5));
  await settle();
  heap.addIfNotPresent(job('c', 1));
  expect((await Promise.all(waiting)).map(({ name }) => name)).toEqual(['b', 'a', 'c']);
});

test('OTH-03: after any sequence of writes, popping gives what sorting would', async () => {
  const name = fc.constantFrom(...'abcdefghijkl'.split(''));
  const rank = fc.integer({ min: 0, max: 20 });
  const op = fc.oneof(
    { weight: 6, arbitrary: fc.record({ type: fc.constantFrom('add', 'update', 'addIfNotPresent'), name, rank }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('delete'), name, rank }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('pop'), name, rank }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(op, { maxLength: 80 }), async (ops) => {
      const { heap } = rig();
      const model = new Map<string, Job>();
      const popLowest = async (): Promise<void> => {
        const popped = await heap.pop();
        expect(popped).toBe(model.get(popped.name));
        expect(popped.rank).toBe([...model.values()].toSorted((a, b) => a.rank - b.rank)[0]?.rank);
        model.delete(popped.name);
      };
      for (const step of ops) {
        const each = job(step.name, step.rank);
        if (step.type === 'add' || step.type === 'update') {
          heap[step.type](each);
          model.set(step.name, each);
        } else if (step.type === 'addIfNotPresent') {
          expect(heap.addIfNotPresent(each)).toBe(!model.has(step.name));
          if (!model.has(step.name)) model.set(step.name, each);
        } else if (step.type === 'delete') {
          expect(heap.delete(each)).toBe(model.delete(step.name));
        } else if (model.size > 0) {
          await popLowest();
        }
        expect(heap.length).toBe(model.size);
        expect(new Set(heap.list())).toEqual(new Set(model.values()));
      }
      while (model.size > 0) await popLowest();
    }),
  );
});
