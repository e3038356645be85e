import { describe, expect, test } from 'vitest';
import { keyOf } from '../../../src/core/object/key.ts';
import type { KubeObject } from '../../../src/core/object/object.ts';
import { DeltaFifo, type DeltaFifoOptions } from '../../../src/informer/queue/delta-fifo.ts';
import { DeletedFinalStateUnknown } from '../../../src/informer/queue/delta.ts';
import type { KnownObjects } from '../../../src/informer/queue/known-objects.ts';
import { fakeEnv } from '../../../src/testing/fake-clock.ts';
import { coded, drain, known, nameless, obj, objs } from '../rig/delta-lines.ts';

type Fifo = DeltaFifo<KubeObject>;

function rig(
  knownObjects?: KnownObjects<KubeObject>,
  options: Partial<DeltaFifoOptions<KubeObject>> = {},
): { fifo: Fifo } {
  const fifo = new DeltaFifo<KubeObject>({
    key: keyOf,
    env: fakeEnv(),
    ...(knownObjects === undefined ? {} : { knownObjects }),
    ...options,
  });
  return { fifo };
}

describe('DFI-05: a list', () => {
  test('DFI-05: its objects are appended also behind a waiting delete', async () => {
    const { fifo } = rig(known('web/a@1'));
    fifo.delete(obj('web/a@2'));
    fifo.replace(objs('web/a@3'), '4');
    expect(await drain(fifo)).toEqual([['deleted web/a web/a@2', 'replaced web/a@3']]);
  });

  test.each([
    [true, 'replaced web/a@3'],
    [false, 'sync web/a@3'],
  ])('DFI-05: with emitReplaced %s an object of it is "%s"', async (emitReplaced, expected) => {
    const { fifo } = rig(undefined, { emitReplaced });
    fifo.replace(objs('web/a@3'), '4');
    expect(await drain(fifo)).toEqual([[expected]]);
  });

  test('DFI-05, Trap 16: one unusable key refuses the list and leaves what was queued as it was', async () => {
    const { fifo } = rig(known('web/a@1'));
    fifo.update(obj('web/b@2'));
    expect(() => fifo.replace([obj('web/c@3'), nameless], '4')).toThrow(coded('INVALID_KEY'));
    expect(await drain(fifo)).toEqual([['updated web/b@2']]);
  });

  test('G3: a list of a new epoch marks every object it brings, whatever its delta type, and the poisoned ones', async () => {
    const transform = (object: KubeObject): KubeObject => {
      if (object.metadata?.name === 'bad') throw new Error('unlucky');
      return object;
    };
    const { fifo } = rig(undefined, { emitReplaced: false, transform });
    fifo.replace(objs('web/a@3', 'web/b@1', 'web/bad@2'), '4', { newEpoch: true });
    expect(await drain(fifo)).toEqual([
      ['sync web/a@3 newEpoch'],
      ['sync web/b@1 newEpoch'],
      ['poisoned web/bad newEpoch'],
    ]);
  });
});

describe.each([
  ['without known objects', undefined],
  ['with known objects', known()],
])('objects that are only queued, %s', (_, knownObjects) => {
  test.each<[string, (fifo: Fifo) => void, string[]]>([
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
      (fifo) => {
        fifo.replace(objs('web/a@5'), '5');
        fifo.replace(objs('web/a@7'), '7');
      },
      ['replaced web/a@5', 'replaced web/a@7', 'deleted web/a web/a@7 unknown'],
    ],
    [
      'added and found missing before',
      (fifo) => {
        fifo.add(obj('web/a@5'));
        fifo.replace([], '6');
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
    'DFI-03, DFI-06, Trap 13: an object %s and missing from a list is deleted once, in its newest state',
    async (__, act, expected) => {
      const { fifo } = rig(knownObjects);
      act(fifo);
      fifo.replace([], '9');
      expect(await drain(fifo)).toEqual([expected]);
    },
  );
});

test('DFI-06: a waiting tombstone is unwrapped, and a poisoned state is passed over for the one before it', async () => {
  const transform = (object: KubeObject): KubeObject => {
    if (object.metadata?.resourceVersion === '13') throw new Error('unlucky');
    return object;
  };
  const { fifo } = rig(known('web/a@1', 'web/b@1'), { transform });
  fifo.delete(new DeletedFinalStateUnknown('web/a', obj('web/a@4')));
  fifo.update(obj('web/b@5'));
  fifo.update(obj('web/b@13'));
  fifo.replace([], '14');
  expect(await drain(fifo)).toEqual([
    ['deleted web/a web/a@4 unknown'],
    ['updated web/b@5', 'poisoned web/b', 'deleted web/b web/b@5 unknown'],
  ]);
});

describe('DFI-06, DFI-07: what a list misses', () => {
  const three = ['web/foo@5', 'web/bar@6', 'web/baz@7'];
  test.each<[string, readonly string[] | undefined, (fifo: Fifo) => void, readonly string[], string[][]]>([
    [
      'a known object, and one whose delete waits',
      three,
      (fifo) => fifo.delete(obj('web/baz@10')),
      ['web/foo@5'],
      [['deleted web/baz web/baz@10'], ['replaced web/foo@5'], ['deleted web/bar web/bar@6 unknown']],
    ],
    [
      'a known object, and one that is only queued',
      ['web/foo@5', 'web/bar@6'],
      (fifo) => fifo.add(obj('web/baz@10')),
      ['web/foo@5'],
      [
        ['added web/baz@10', 'deleted web/baz web/baz@10 unknown'],
        ['replaced web/foo@5'],
        ['deleted web/bar web/bar@6 unknown'],
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
        ['deleted web/bar web/bar@6', 'added web/bar@100', 'deleted web/bar web/bar@100 unknown'],
        ['replaced web/foo@5'],
        ['deleted web/baz web/baz@7 unknown'],
      ],
    ],
    [
      'an object that an earlier list brought in a newer state',
      three,
      (fifo) => fifo.replace(objs('web/bar@100', 'web/foo@5', 'web/baz@7'), '100'),
      ['web/foo@5', 'web/baz@7'],
      [
        ['replaced web/bar@100', 'deleted web/bar web/bar@100 unknown'],
        ['replaced web/foo@5', 'replaced web/foo@5'],
        ['replaced web/baz@7', 'replaced web/baz@7'],
      ],
    ],
    [
      'an object that is only queued, without known objects',
      undefined,
      (fifo) => fifo.add(obj('web/baz@10')),
      ['web/foo@5'],
      [['added web/baz@10', 'deleted web/baz web/baz@10 unknown'], ['replaced web/foo@5']],
    ],
    [
      'a known object, while another one changed',
      three,
      (fifo) => fifo.delete(obj('web/baz@10')),
      ['web/foo@6'],
      [['deleted web/baz web/baz@10'], ['replaced web/foo@6'], ['deleted web/bar web/bar@6 unknown']],
    ],
    [
      'known objects whose lookup fails or finds nothing: the delete is certain, the last state is not',
      ['web/foo@5!', 'web/bar@6?'],
      () => {},
      [],
      [['deleted web/foo - unknown'], ['deleted web/bar - unknown']],
    ],
  ])('DFI-06, DFI-07, Trap 13: %s', async (_, held, act, list, expected) => {
    const { fifo } = rig(held === undefined ? undefined : known(...held));
    act(fifo);
    fifo.replace(objs(...list), '200');
    expect(await drain(fifo)).toEqual(expected);
  });
});
