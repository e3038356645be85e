import { describe, expect, test } from 'vitest';
import { keyOf } from '../../../src/core/object/key.ts';
import type { KubeObject } from '../../../src/core/object/object.ts';
import { DeltaFifo } from '../../../src/informer/queue/delta-fifo.ts';
import { DeletedFinalStateUnknown } from '../../../src/informer/queue/delta.ts';
import { OrderedFifo } from '../../../src/informer/queue/ordered-fifo.ts';
import type { Queue, QueueOptions } from '../../../src/informer/queue/queue.ts';
import { type FakeEnv, fakeEnv, settle } from '../../../src/testing/fake-clock.ts';
import { coded, drain, drainFlagged, known, nameless, obj, objs, popOne } from '../rig/delta-lines.ts';

/** The contract of both kinds of queue, for all users. */
interface Kind {
  readonly name: string;
  readonly make: (options: QueueOptions<KubeObject>) => Queue<KubeObject>;
  /** Entries a first list of so many objects becomes. */
  readonly entriesOf: (objects: number) => number;
}

const kinds: readonly Kind[] = [
  { name: 'DeltaFifo', make: (options) => new DeltaFifo(options), entriesOf: (n) => n },
  {
    name: 'DeltaFifo with known objects',
    make: (options) => new DeltaFifo({ ...options, knownObjects: known() }),
    entriesOf: (n) => n,
  },
  { name: 'OrderedFifo', make: (options) => new OrderedFifo(options), entriesOf: () => 1 },
  {
    name: 'OrderedFifo, not atomic',
    make: (options) => new OrderedFifo({ ...options, atomic: false, knownObjects: known() }),
    entriesOf: (n) => n,
  },
];

function rig(
  kind: Kind,
  options: Partial<QueueOptions<KubeObject>> = {},
): { queue: Queue<KubeObject>; env: FakeEnv; pops: (count: number) => Promise<void> } {
  const env = fakeEnv();
  const queue = kind.make({ key: keyOf, env, ...options });
  const pops = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i += 1) await queue.pop(() => {});
  };
  return { queue, env, pops };
}

describe.each(kinds)('$name', (kind) => {
  const two = objs('web/a@1', 'web/b@2');

  test('DFI-01, RFI-01: changes of two producers keep the order of each producer while a consumer pops', async () => {
    const { queue } = rig(kind);
    const produce = async (who: string): Promise<void> => {
      for (let i = 0; i < 100; i += 1) {
        queue.add(obj(`${who}/${i}@1`));
        if (i % 7 === 0) await settle();
      }
    };
    const done = Promise.all([produce('left'), produce('right')]);
    const seen: string[] = [];
    while (seen.length < 200) seen.push(...(await popOne(queue)));
    await done;
    for (const who of ['left', 'right']) {
      const mine = seen.filter((each) => each.startsWith(`added ${who}/`));
      expect(mine).toEqual(Array.from({ length: 100 }, (_, i) => `added ${who}/${i}@1`));
    }
  });

  test('DFI-09, RFI-11: pop waits for work', async () => {
    const { queue } = rig(kind);
    let popped: string[] | undefined;
    const popping = popOne(queue).then((lines) => (popped = lines));
    await settle();
    expect(popped).toBeUndefined();
    queue.add(obj('web/a@1'));
    await popping;
    expect(popped).toEqual(['added web/a@1']);
  });

  test('DFI-09, RFI-11: two waiting consumers get one entry each; a third one that is quicker does not confuse them', async () => {
    const { queue } = rig(kind);
    const got: string[][] = [];
    const waiters = [1, 2].map(async () => got.push(await popOne(queue)));
    await settle();
    queue.add(obj('web/a@1'));
    got.push(await popOne(queue));
    queue.add(obj('web/b@2'));
    queue.add(obj('web/c@3'));
    await Promise.all(waiters);
    expect(got.flat().toSorted()).toEqual(['added web/a@1', 'added web/b@2', 'added web/c@3']);
  });

  test('DFI-09, RFI-11: close releases ten waiters with QUEUE_CLOSED', async () => {
    const { queue } = rig(kind);
    const waiters = Array.from({ length: 10 }, () => queue.pop(() => {}));
    await settle();
    queue.close();
    const results = await Promise.allSettled(waiters);
    expect(results).toHaveLength(10);
    for (const result of results) expect(result).toEqual({ status: 'rejected', reason: coded('QUEUE_CLOSED') });
    await expect(queue.pop(() => {})).rejects.toEqual(coded('QUEUE_CLOSED'));
  });

  test('DFI-09, RFI-11: a closed queue still accepts writes and pops what it holds, then rejects with QUEUE_CLOSED', async () => {
    const { queue } = rig(kind);
    queue.add(obj('web/a@1'));
    queue.close();
    queue.add(obj('web/b@2'));
    expect(await drain(queue)).toEqual([['added web/a@1'], ['added web/b@2']]);
    await expect(queue.pop(() => {})).rejects.toEqual(coded('QUEUE_CLOSED'));
  });

  const truth: readonly [string, (queue: Queue<KubeObject>) => unknown, (kind: Kind) => number | undefined][] = [
    ['nothing happened', () => {}, () => undefined],
    ['an add came first', (queue) => queue.add(obj('web/a@1')), () => 0],
    ['an update came first', (queue) => queue.update(obj('web/a@1')), () => 0],
    ['a delete came first', (queue) => queue.delete(obj('web/a@1')), () => 0],
    ['the first list is empty', (queue) => queue.replace([], '5'), ({ entriesOf }) => entriesOf(0)],
    ['the first list has two', (queue) => queue.replace(two, '5'), ({ entriesOf }) => entriesOf(2)],
    [
      'the first list has one object twice',
      (queue) => queue.replace(objs('web/a@1', 'web/a@2'), '5'),
      ({ entriesOf }) => entriesOf(1),
    ],
  ];
  test.each(truth)('DFI-08, RFI-09, Trap 7: synced when %s', async (_, act, needed) => {
    const { queue, pops } = rig(kind);
    let opened = false;
    queue.synced.onOpen(() => (opened = true));
    await act(queue);
    const count = needed(kind);
    for (let popped = 0; popped < (count ?? 0); popped += 1) {
      expect([queue.hasSynced, opened]).toEqual([false, false]);
      await pops(1);
    }
    expect([queue.hasSynced, opened]).toEqual([count !== undefined, count !== undefined]);
  });

  test('DFI-08, RFI-09: a later list does not make a synced queue unsynced', async () => {
    const { queue, pops } = rig(kind);
    await queue.replace(two, '5');
    await pops(kind.entriesOf(2));
    await queue.replace(objs('web/c@7'), '8');
    expect(queue.hasSynced).toBe(true);
  });

  test('DFI-10, Trap 8: the last entry of the first list is initial, what follows is not', async () => {
    const { queue } = rig(kind);
    await queue.replace(two, '5');
    queue.add(obj('web/c@6'));
    const lines = await drainFlagged(queue);
    expect(lines.map((each) => each.endsWith(' initial'))).toEqual([
      ...Array.from({ length: kind.entriesOf(2) }, () => true),
      false,
    ]);
    await queue.replace(two, '9');
    expect((await drainFlagged(queue)).some((each) => each.endsWith(' initial'))).toBe(false);
  });

  test('RFI-10, Trap 7: synced opens after the last initial entry was processed, not when it is taken', async () => {
    const { queue, pops } = rig(kind);
    await queue.replace(two, '5');
    await pops(kind.entriesOf(2) - 1);
    let release = (): void => {};
    const during: boolean[] = [];
    const popping = queue.pop(() => {
      during.push(queue.hasSynced);
      return new Promise<void>((resolve) => (release = resolve));
    });
    await settle();
    expect([...during, queue.hasSynced]).toEqual([false, false]);
    release();
    await popping;
    expect(queue.hasSynced).toBe(true);
  });

  test.each([
    [
      'throws',
      (): void => {
        throw new Error('boom');
      },
    ],
    ['rejects', (): Promise<void> => Promise.reject(new Error('boom'))],
  ])('DFI-14: an entry whose processing %s rejects the pop, is not retried, and still counts', async (_, process) => {
    const { queue } = rig(kind);
    await queue.replace(objs('web/a@1'), '5');
    queue.add(obj('web/b@6'));
    await expect(queue.pop(process)).rejects.toThrow('boom');
    expect(queue.hasSynced).toBe(true);
    expect(await drain(queue)).toEqual([['added web/b@6']]);
  });

  test('DFI-13: a tombstone is deleted under its own key, with or without a last state', async () => {
    const { queue } = rig(kind);
    queue.add(obj('web/a@1'));
    queue.add(obj('web/b@1'));
    queue.delete(new DeletedFinalStateUnknown('web/a', obj('other/name@1')));
    queue.delete(new DeletedFinalStateUnknown<KubeObject>('web/b', undefined));
    expect((await drain(queue)).flat().filter((each) => each.startsWith('deleted'))).toEqual([
      'deleted web/a other/name@1 unknown',
      'deleted web/b - unknown',
    ]);
  });

  test('DFI-12, TRF-02: the transform runs once per state and not for tombstones; its result is what is queued', async () => {
    const seen: string[] = [];
    const transform = (object: KubeObject): KubeObject => {
      seen.push(object.metadata?.resourceVersion ?? '');
      return { metadata: { ...object.metadata, resourceVersion: `${object.metadata?.resourceVersion}0` } };
    };
    const { queue } = rig(kind, { transform });
    queue.add(obj('web/a@1'));
    queue.update(obj('web/a@2'));
    queue.delete(obj('web/a@3'));
    queue.add(obj('web/b@4'));
    queue.delete(new DeletedFinalStateUnknown('web/b', obj('web/b@5')));
    await queue.replace(objs('web/c@6'), '7');
    queue.resync();
    const lines = (await drain(queue)).flat();
    expect(seen).toEqual(['1', '2', '3', '4', '6']);
    expect(lines.slice(0, 5)).toEqual([
      'added web/a@10',
      'updated web/a@20',
      'deleted web/a web/a@30',
      'added web/b@40',
      'deleted web/b web/b@5 unknown',
    ]);
    expect(lines.at(-1 - (lines.at(-1) === 'syncAll' ? 1 : 0))).toContain('web/c@60');
  });

  test('G9, TRF-03: a state the transform fails for is queued as poisoned, and the others as they are', async () => {
    const transform = (object: KubeObject): KubeObject => {
      if (object.metadata?.resourceVersion === '13') throw new Error('unlucky');
      return object;
    };
    const { queue } = rig(kind, { transform });
    queue.add(obj('web/a@13'));
    queue.update(obj('web/b@13'));
    queue.add(obj('web/c@1'));
    const errors: unknown[] = [];
    await queue.pop(([delta]) => void errors.push(delta.type === 'poisoned' ? delta.error : undefined));
    expect(errors).toEqual([coded('TRANSFORM_FAILED')]);
    expect(await drain(queue)).toEqual([['poisoned web/b'], ['added web/c@1']]);
    await queue.replace(objs('web/d@13', 'web/e@2'), '14');
    const poisoned: string[] = [];
    while (queue.pending > 0) {
      await queue.pop(([delta]) => {
        if (delta.type === 'replacedAll') poisoned.push(...delta.poisoned.keys());
        if (delta.type === 'poisoned') poisoned.push(delta.key);
      });
    }
    expect(poisoned).toEqual(['web/d']);
  });

  test('G5, G9: a delete is never held up by a failing transform; it comes without a last state', async () => {
    const transform = (object: KubeObject): KubeObject => {
      if (object.metadata?.resourceVersion === '13') throw new Error('unlucky');
      return object;
    };
    const { queue } = rig(kind, { transform });
    queue.add(obj('web/a@1'));
    queue.delete(obj('web/a@13'));
    expect((await drain(queue)).flat()).toEqual(['added web/a@1', 'deleted web/a -']);
  });

  test('Trap 16, CTL-09, RFI-04: a list with an unusable key is refused whole, queues nothing and syncs nothing', async () => {
    const { queue } = rig(kind);
    await expect((async () => queue.replace([obj('web/a@1'), nameless, obj('web/b@2')], '5'))()).rejects.toEqual(
      coded('INVALID_KEY'),
    );
    expect([queue.pending, queue.hasSynced]).toEqual([0, false]);
  });

  test('DFI-08: a single object with an unusable key is refused and syncs nothing', () => {
    const { queue } = rig(kind);
    expect(() => queue.add(nameless)).toThrow(coded('INVALID_KEY'));
    expect(() => queue.update(nameless)).toThrow(coded('INVALID_KEY'));
    expect(() => queue.delete(nameless)).toThrow(coded('INVALID_KEY'));
    expect([queue.pending, queue.hasSynced]).toEqual([0, false]);
  });

  test('RFI-13, Trap 18: with 2000 waiting there is no room, until one was processed', async () => {
    const { queue, pops } = rig(kind);
    for (let i = 0; i < 1_999; i += 1) queue.add(obj(`web/${i}@1`));
    expect(queue.room?.()).toBeUndefined();
    queue.add(obj('web/last@1'));
    expect(queue.pending).toBe(2_000);
    let free = false;
    const waiting = queue.room?.()?.then(() => (free = true));
    await settle();
    expect(free).toBe(false);
    await pops(1);
    await waiting;
    expect(free).toBe(true);
    expect(queue.room?.()).toBeUndefined();
  });

  test('RFI-13: room comes when an entry is done, not when it is taken; closing lets every producer go', async () => {
    const { queue } = rig(kind, { pendingLimit: 1 });
    queue.add(obj('web/a@1'));
    let free = false;
    void queue.room?.()?.then(() => (free = true));
    let release = (): void => {};
    const popping = queue.pop(() => new Promise<void>((resolve) => (release = resolve)));
    await settle();
    expect(free).toBe(false);
    release();
    await popping;
    await settle();
    expect(free).toBe(true);
    queue.add(obj('web/b@1'));
    const stuck = queue.room?.();
    queue.close();
    await stuck;
    expect(queue.room?.()).toBeUndefined();
  });

  test.each([
    [11, 100, 1],
    [11, 99, 0],
    [10, 100, 0],
  ])('RFI-14, DFI-09: with %i left behind it, processing for %i ms gives %i warnings', async (left, ms, warnings) => {
    const { queue, env } = rig(kind);
    for (let i = 0; i <= left; i += 1) queue.add(obj(`web/${i}@1`));
    await queue.pop(() => env.clock.freeze(ms));
    const said = env.lines.filter(({ level }) => level === 'warn');
    expect(said).toHaveLength(warnings);
    for (const { fields } of said) expect(fields).toMatchObject({ ms, entries: 1, waiting: left });
  });

  test('MET-04: the gauge follows what waits', async () => {
    const values: number[] = [];
    const { queue, pops } = rig(kind, { queuedItems: { set: (value) => void values.push(value) } });
    queue.add(obj('web/a@1'));
    queue.add(obj('web/b@1'));
    await pops(2);
    expect(values).toEqual([1, 2, 1, 0]);
  });
});

test('RFI-14: the slow-processing warning names the queue', async () => {
  const env = fakeEnv();
  const queue = new OrderedFifo<KubeObject>({ key: keyOf, env, name: 'SharedInformer v1, Kind=Pod' });
  for (let i = 0; i < 12; i += 1) queue.add({ metadata: { name: `p${i}` } });
  await queue.pop(() => env.clock.freeze(100));
  expect(env.lines.map(({ fields }) => fields['queue'])).toEqual(['OrderedFifo SharedInformer v1, Kind=Pod']);
});
