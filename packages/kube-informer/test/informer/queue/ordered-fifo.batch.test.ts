import { describe, expect, test } from 'vitest';
import { keyOf } from '../../../src/core/object/key.ts';
import type { KubeObject } from '../../../src/core/object/object.ts';
import { OrderedFifo } from '../../../src/informer/queue/ordered-fifo.ts';
import type { ProcessFn } from '../../../src/informer/queue/queue.ts';
import { type FakeEnv, fakeEnv, settle } from '../../../src/testing/fake-clock.ts';
import { coded, known, line, nameless, obj, objs } from '../rig/delta-lines.ts';

type Fifo = OrderedFifo<KubeObject>;

/** `batches` pops everything: `many: …` for the batch function, `one: …` for the single one, each with its flag. */
function rig(atomic = true): { fifo: Fifo; env: FakeEnv; batches: () => Promise<string[]> } {
  const env = fakeEnv();
  const fifo = new OrderedFifo<KubeObject>({
    key: keyOf,
    env,
    atomic,
    transform: (object) => {
      if (object.metadata?.resourceVersion === '13') throw new Error('unlucky');
      return object;
    },
    ...(atomic ? {} : { knownObjects: known('web/old@1') }),
  });
  const batches = async (): Promise<string[]> => {
    const seen: string[] = [];
    const note =
      (how: string): ProcessFn<KubeObject> =>
      (deltas, initial) =>
        void seen.push(`${how}${initial ? ' initial' : ''}: ${deltas.map(line).join(', ')}`);
    while (fifo.pending > 0) await fifo.popBatch(note('many'), note('one'));
    return seen;
  };
  return { fifo, env, batches };
}

function addAll(fifo: Fifo, ...texts: readonly string[]): void {
  for (const text of texts) fifo.add(obj(text));
}

describe('RFI-12: what goes into one batch', () => {
  test.each<[string, (fifo: Fifo) => unknown, string[]]>([
    ['a single change uses the single function', (fifo) => addAll(fifo, 'a@1'), ['one: added a@1']],
    [
      'different objects go together, in order, whatever happened to them',
      (fifo) => {
        fifo.add(obj('b@1'));
        fifo.update(obj('a@2'));
        fifo.delete(obj('c@3'));
      },
      ['many: added b@1, updated a@2, deleted c c@3'],
    ],
    [
      'an object that comes again closes the batch',
      (fifo) => addAll(fifo, 'a@1', 'b@2', 'a@3', 'c@4', 'c@5'),
      ['many: added a@1, added b@2', 'many: added a@3, added c@4', 'one: added c@5'],
    ],
    [
      'a list, a resync and a bookmark go alone',
      async (fifo) => {
        addAll(fifo, 'a@1', 'b@2');
        await fifo.replace(objs('c@3', 'd@4'), '5');
        addAll(fifo, 'e@6', 'f@7');
        fifo.resync();
        fifo.bookmark('8');
        addAll(fifo, 'g@9', 'h@10');
      },
      [
        'many: added a@1, added b@2',
        'one: replacedAll@5 c@3 d@4',
        'many: added e@6, added f@7',
        'one: syncAll',
        'one: bookmark@8',
        'many: added g@9, added h@10',
      ],
    ],
    [
      'a poisoned state is part of it; an object without a key was refused before',
      (fifo) => {
        addAll(fifo, 'a@1', 'b@13');
        expect(() => fifo.add(nameless)).toThrow(coded('INVALID_KEY'));
        addAll(fifo, 'c@3');
      },
      ['many: added a@1, poisoned b, added c@3'],
    ],
    [
      'the first list is initial and alone, what follows is not',
      async (fifo) => {
        await fifo.replace(objs('a@1'), '2');
        addAll(fifo, 'b@3', 'c@4');
      },
      ['one initial: replacedAll@2 a@1', 'many: added b@3, added c@4'],
    ],
  ])('RFI-12: %s', async (_, act, expected) => {
    const { fifo, batches } = rig();
    await act(fifo);
    expect(await batches()).toEqual(expected);
  });

  test('RFI-12, Trap 8: a batch never straddles the end of the first list', async () => {
    const { fifo, batches } = rig(false);
    await fifo.replace(objs('a@1', 'b@2'), '3');
    addAll(fifo, 'c@4', 'd@5');
    expect(await batches()).toEqual([
      'many initial: deleted web/old web/old@1 unknown, replaced a@1, replaced b@2',
      'many: added c@4, added d@5',
    ]);
  });

  test('RFI-12: resyncs of single objects are batched', async () => {
    const { fifo, batches } = rig(false);
    addAll(fifo, 'a@1');
    fifo.resync();
    expect(await batches()).toEqual(['many: added a@1, sync web/old@1']);
  });

  test.each([
    [999, false, [999]],
    [1_000, false, [1_000]],
    [1_001, false, [1_000, 1]],
    [2_500, true, [1_000, 1_000, 500]],
  ])('RFI-12: %i changes (first list: %s) come as %j', async (count, listed, expected) => {
    const fifo = new OrderedFifo<KubeObject>({ key: keyOf, env: fakeEnv(), atomic: false, knownObjects: known() });
    const objects = Array.from({ length: count }, (_, i) => obj(`web/${i}@1`));
    if (listed) await fifo.replace(objects, '2');
    else for (const object of objects) fifo.add(object);
    const sizes: number[] = [];
    const flags: boolean[] = [];
    const note: ProcessFn<KubeObject> = (deltas, initial) => {
      sizes.push(deltas.length);
      flags.push(initial);
      expect(fifo.hasSynced).toBe(!listed);
    };
    while (fifo.pending > 0) await fifo.popBatch(note, note);
    expect(sizes).toEqual(expected);
    expect(new Set(flags)).toEqual(new Set([listed]));
    expect(fifo.hasSynced).toBe(true);
  });
});

test('RFI-10: a batch counts as one step: synced opens after it', async () => {
  const { fifo } = rig(false);
  await fifo.replace(objs('a@1', 'b@2'), '3');
  let during: boolean | undefined;
  const failing: ProcessFn<KubeObject> = () => {
    during = fifo.hasSynced;
    throw new Error('boom');
  };
  await expect(fifo.popBatch(failing, failing)).rejects.toThrow('boom');
  expect([during, fifo.hasSynced, fifo.pending]).toEqual([false, true, 0]);
});

test('RFI-11: popBatch waits, and is released by close', async () => {
  const { fifo } = rig();
  const got: string[] = [];
  const note: ProcessFn<KubeObject> = (deltas) => void got.push(...deltas.map(line));
  const first = fifo.popBatch(note, note);
  await settle();
  addAll(fifo, 'a@1', 'b@2');
  await first;
  expect(got).toEqual(['added a@1', 'added b@2']);
  const second = fifo.popBatch(note, note);
  fifo.close();
  await expect(second).rejects.toEqual(coded('QUEUE_CLOSED'));
});

test.each([
  [3, 299, 0],
  [3, 300, 1],
  [20, 999, 0],
  [20, 1_000, 1],
])('RFI-14: a batch of %i that takes %i ms gives %i warnings', async (size, ms, warnings) => {
  const { fifo, env } = rig();
  for (let i = 0; i < size; i += 1) fifo.add(obj(`web/${i}@1`));
  for (let i = 0; i < 11; i += 1) fifo.add(obj('web/0@2'));
  await fifo.popBatch(
    () => env.clock.freeze(ms),
    () => {},
  );
  const said = env.lines.filter(({ level }) => level === 'warn');
  expect(said.map(({ fields }) => fields['entries'])).toEqual(Array.from({ length: warnings }, () => size));
});
