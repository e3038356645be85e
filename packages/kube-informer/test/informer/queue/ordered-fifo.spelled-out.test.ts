import { describe, expect, test } from 'vitest';
import { keyOf } from '../../../src/core/object/key.ts';
import type { KubeObject } from '../../../src/core/object/object.ts';
import { DeletedFinalStateUnknown } from '../../../src/informer/queue/delta.ts';
import { OrderedFifo } from '../../../src/informer/queue/ordered-fifo.ts';
import type { KnownObjects } from '../../../src/informer/queue/known-objects.ts';
import { type FakeEnv, fakeEnv } from '../../../src/testing/fake-clock.ts';
import { coded, drain, drainFlagged, known, nameless, obj, objs } from '../rig/delta-lines.ts';

type Fifo = OrderedFifo<KubeObject>;

/** The queue that spells a list and a resync out, object by object. */
function rig(
  knownObjects: KnownObjects<KubeObject> = known(),
  transform?: (object: KubeObject) => KubeObject,
): { fifo: Fifo; env: FakeEnv; lines: () => Promise<string[]> } {
  const env = fakeEnv();
  const fifo = new OrderedFifo<KubeObject>({
    key: keyOf,
    env,
    atomic: false,
    knownObjects,
    ...(transform === undefined ? {} : { transform }),
  });
  return { fifo, env, lines: async () => (await drain(fifo)).flat() };
}

test('RFI-03, Trap 13: a waiting delete and the listed object both stay, in that order', async () => {
  const { fifo, lines } = rig(known('web/a@1'));
  fifo.delete(obj('web/a@2'));
  await fifo.replace(objs('web/a@3'), '4');
  expect(await lines()).toEqual(['deleted web/a web/a@2', 'replaced web/a@3']);
});

test('RFI-01: an add and the list that repeats it are both delivered', async () => {
  const { fifo, lines } = rig(known('web/a@1'));
  fifo.add(obj('web/a@10'));
  await fifo.replace(objs('web/a@15'), '20');
  expect(await lines()).toEqual(['added web/a@10', 'replaced web/a@15']);
});

test('RFI-01, RFI-02: updates and deletes of known objects are queued in order', async () => {
  const { fifo, lines } = rig(known('web/a@1', 'web/b@2'));
  fifo.add(obj('web/new@10'));
  fifo.update(obj('web/a@15'));
  fifo.delete(obj('web/b@20'));
  expect(await lines()).toEqual(['added web/new@10', 'updated web/a@15', 'deleted web/b web/b@20']);
});

describe('objects that are only queued', () => {
  test.each<[string, (fifo: Fifo) => unknown, string[]]>([
    ['added', (fifo) => fifo.add(obj('web/a@5')), ['added web/a@5', 'deleted web/a web/a@5 unknown']],
    ['listed', (fifo) => fifo.replace(objs('web/a@5'), '5'), ['replaced web/a@5', 'deleted web/a web/a@5 unknown']],
    [
      'added and deleted',
      (fifo) => {
        fifo.add(obj('web/a@5'));
        fifo.delete(obj('web/a@6'));
      },
      ['added web/a@5', 'deleted web/a web/a@6'],
    ],
    [
      'listed twice',
      async (fifo) => {
        await fifo.replace(objs('web/a@5'), '5');
        await fifo.replace(objs('web/a@7'), '7');
      },
      ['replaced web/a@5', 'replaced web/a@7', 'deleted web/a web/a@7 unknown'],
    ],
    [
      'added and found missing before',
      async (fifo) => {
        fifo.add(obj('web/a@5'));
        await fifo.replace([], '6');
      },
      ['added web/a@5', 'deleted web/a web/a@5 unknown'],
    ],
    [
      'added, deleted and added again',
      (fifo) => {
        fifo.add(obj('web/a@5'));
        fifo.delete(obj('web/a@6'));
        fifo.add(obj('web/a@7'));
      },
      ['added web/a@5', 'deleted web/a web/a@6', 'added web/a@7', 'deleted web/a web/a@7 unknown'],
    ],
  ])(
    'RFI-03, RFI-08, Trap 13: an object %s and missing from a list is deleted once more at most; a bookmark leaves no trace',
    async (_, act, expected) => {
      const { fifo, lines } = rig();
      await act(fifo);
      fifo.bookmark('8');
      await fifo.replace([], '9');
      expect(await lines()).toEqual(expected);
    },
  );
});

describe('RFI-03: what a list misses', () => {
  const three = ['web/foo@5', 'web/bar@6', 'web/baz@7'];
  test.each<[string, readonly string[], (fifo: Fifo) => unknown, readonly string[], string[]]>([
    [
      'a known object, and one whose delete waits',
      three,
      (fifo) => fifo.delete(obj('web/baz@10')),
      ['web/foo@5'],
      ['deleted web/baz web/baz@10', 'deleted web/bar web/bar@6 unknown', 'replaced web/foo@5'],
    ],
    [
      'a known object, and one that is only queued: the queued one first',
      ['web/foo@5', 'web/bar@6'],
      (fifo) => fifo.add(obj('web/baz@10')),
      ['web/foo@5'],
      [
        'added web/baz@10',
        'deleted web/baz web/baz@10 unknown',
        'deleted web/bar web/bar@6 unknown',
        'replaced web/foo@5',
      ],
    ],
    [
      'an object that was deleted and made again while it waited',
      three,
      (fifo) => {
        fifo.delete(obj('web/bar@6'));
        fifo.add(obj('web/bar@100'));
      },
      ['web/foo@5'],
      [
        'deleted web/bar web/bar@6',
        'added web/bar@100',
        'deleted web/bar web/bar@100 unknown',
        'deleted web/baz web/baz@7 unknown',
        'replaced web/foo@5',
      ],
    ],
    [
      'an object that an earlier list brought in a newer state',
      three,
      (fifo) => fifo.replace(objs('web/bar@100', 'web/foo@5', 'web/baz@7'), '100'),
      ['web/foo@5', 'web/baz@7'],
      [
        'replaced web/bar@100',
        'replaced web/foo@5',
        'replaced web/baz@7',
        'deleted web/bar web/bar@100 unknown',
        'replaced web/foo@5',
        'replaced web/baz@7',
      ],
    ],
    [
      'a known object, while another one changed',
      three,
      (fifo) => fifo.delete(obj('web/baz@10')),
      ['web/foo@6'],
      ['deleted web/baz web/baz@10', 'deleted web/bar web/bar@6 unknown', 'replaced web/foo@6'],
    ],
    [
      'several that are queued: in the order they were first seen',
      [],
      (fifo) => {
        for (const each of ['b@1', 'a@2', 'b@3']) fifo.add(obj(`web/${each}`));
      },
      [],
      [
        'added web/b@1',
        'added web/a@2',
        'added web/b@3',
        'deleted web/b web/b@3 unknown',
        'deleted web/a web/a@2 unknown',
      ],
    ],
    [
      'known objects whose lookup fails or finds nothing: the delete is certain, the last state is not',
      ['web/foo@5!', 'web/bar@6?'],
      () => {},
      ['web/new@1'],
      ['deleted web/foo - unknown', 'deleted web/bar - unknown', 'replaced web/new@1'],
    ],
  ])('RFI-03, RFI-15, Trap 13: %s', async (_, held, act, list, expected) => {
    const { fifo, lines } = rig(known(...held));
    await act(fifo);
    await fifo.replace(objs(...list), '200');
    expect(await lines()).toEqual(expected);
  });

  test('RFI-03, G9: an object whose listed state is poisoned exists; one whose queued state was poisoned is found missing', async () => {
    const { fifo, lines } = rig(known('web/a@1', 'web/b@1', 'web/c@1!'), (object) => {
      if (object.metadata?.resourceVersion === '13') throw new Error('unlucky');
      return object;
    });
    fifo.update(obj('web/b@13'));
    fifo.update(obj('web/c@13'));
    await fifo.replace(objs('web/a@13'), '14');
    expect(await lines()).toEqual([
      'poisoned web/b',
      'poisoned web/c',
      'deleted web/b web/b@1 unknown',
      'deleted web/c - unknown',
      'poisoned web/a',
    ]);
  });
});

test('RFI-04, Trap 16: one unusable key refuses the list and leaves what was queued as it was', async () => {
  const { fifo, lines } = rig(known('web/a@1'));
  fifo.update(obj('web/b@2'));
  await expect(fifo.replace([obj('web/c@3'), nameless], '4')).rejects.toEqual(coded('INVALID_KEY'));
  expect(await lines()).toEqual(['updated web/b@2']);
});

describe('RFI-05, Trap 12: a resync', () => {
  test.each<[string, (fifo: Fifo) => void, string[]]>([
    ['queues every idle known object', () => {}, ['sync web/a@5', 'sync web/b@6']],
    [
      'leaves an object with a waiting delete alone',
      (fifo) => fifo.delete(obj('web/a@10')),
      ['deleted web/a web/a@10', 'sync web/b@6'],
    ],
    [
      'never overtakes a waiting update with an older state',
      (fifo) => fifo.update(obj('web/a@7')),
      ['updated web/a@7', 'sync web/b@6'],
    ],
  ])('RFI-05, Trap 12: a resync %s', async (_, act, expected) => {
    const { fifo, lines } = rig(known('web/a@5', 'web/b@6'));
    act(fifo);
    fifo.resync();
    expect(await lines()).toEqual(expected);
  });

  test('RFI-05: known objects that cannot be found are named and skipped', async () => {
    const { fifo, env, lines } = rig(known('web/a@1!', 'web/b@2?', 'web/c@3'));
    fifo.resync();
    expect(await lines()).toEqual(['sync web/c@3']);
    expect(env.lines.map(({ level, fields }) => [level, fields['key']])).toEqual([
      ['warn', 'web/a'],
      ['warn', 'web/b'],
    ]);
  });
});

test('RFI-09, RFI-10: deletes that the first list implies count for sync and are initial', async () => {
  const { fifo } = rig(known('web/foo@5', 'web/bar@6'));
  await fifo.replace(objs('web/foo@5', 'web/new@7'), '8');
  fifo.add(obj('web/later@9'));
  let synced = '';
  fifo.synced.onOpen(() => (synced = `${fifo.pending} left`));
  expect(await drainFlagged(fifo)).toEqual([
    'deleted web/bar web/bar@6 unknown initial',
    'replaced web/foo@5 initial',
    'replaced web/new@7 initial',
    'added web/later@9',
  ]);
  expect(synced).toBe('1 left');
});

test('RFI-09: an empty list that implies no deletes syncs at once', async () => {
  const { fifo } = rig();
  await fifo.replace([], '5');
  expect([fifo.pending, fifo.hasSynced]).toEqual([0, true]);
});

test('DFI-12, RFI-03, TRF-02: objects are transformed once; repeated lists add a tombstone per re-add, of the transformed object', async () => {
  let calls = 0;
  const { fifo, lines } = rig(known(), (object) => {
    calls += 1;
    return { metadata: { ...object.metadata, resourceVersion: `${object.metadata?.resourceVersion}00` } };
  });
  fifo.add(obj('web/a@1'));
  await fifo.replace([], '2');
  fifo.add(obj('web/a@3'));
  await fifo.replace([], '4');
  fifo.delete(new DeletedFinalStateUnknown('web/z', obj('web/z@5')));
  expect(await lines()).toEqual([
    'added web/a@100',
    'deleted web/a web/a@100 unknown',
    'added web/a@300',
    'deleted web/a web/a@300 unknown',
    'deleted web/z web/z@5 unknown',
  ]);
  expect(calls).toBe(2);
});

test('G3: a list of a new epoch marks every object it brings, the poisoned ones too', async () => {
  const { fifo, lines } = rig(known(), (object) => {
    if (object.metadata?.name === 'bad') throw new Error('unlucky');
    return object;
  });
  await fifo.replace(objs('web/a@3', 'web/bad@2'), '4', { newEpoch: true });
  expect(await lines()).toEqual(['replaced web/a@3 newEpoch', 'poisoned web/bad newEpoch']);
});
