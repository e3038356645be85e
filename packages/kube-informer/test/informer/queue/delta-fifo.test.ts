import { describe, expect, test } from 'vitest';
import { keyOf } from '../../../src/core/object/key.ts';
import type { KubeObject } from '../../../src/core/object/object.ts';
import { DeltaFifo, type DeltaFifoOptions } from '../../../src/informer/queue/delta-fifo.ts';
import { DeletedFinalStateUnknown, isTombstone, keyOfMaybeDeleted } from '../../../src/informer/queue/delta.ts';
import type { KnownObjects } from '../../../src/informer/queue/known-objects.ts';
import { type FakeEnv, fakeEnv } from '../../../src/testing/fake-clock.ts';
import { drain, drainFlagged, known, obj, objs, popOne } from '../rig/delta-lines.ts';

type Fifo = DeltaFifo<KubeObject>;

function rig(
  knownObjects?: KnownObjects<KubeObject>,
  options: Partial<DeltaFifoOptions<KubeObject>> = {},
): { fifo: Fifo; env: FakeEnv } {
  const env = fakeEnv();
  const fifo = new DeltaFifo<KubeObject>({
    key: keyOf,
    env,
    ...(knownObjects === undefined ? {} : { knownObjects }),
    ...options,
  });
  return { fifo, env };
}

test('DFI-01: all that happened to one object comes out in one piece, in order, with the newest last', async () => {
  const { fifo } = rig();
  fifo.add(obj('web/a@1'));
  fifo.update(obj('web/a@2'));
  fifo.delete(obj('web/a@3'));
  expect(fifo.pending).toBe(1);
  expect(await popOne(fifo)).toEqual(['added web/a@1', 'updated web/a@2', 'deleted web/a web/a@3']);
  expect(fifo.pending).toBe(0);
});

test('DFI-01: an add and the list that repeats it are one piece', async () => {
  const { fifo } = rig(known('web/a@1'));
  fifo.add(obj('web/a@10'));
  fifo.replace(objs('web/a@15'), '20');
  expect(await drain(fifo)).toEqual([['added web/a@10', 'replaced web/a@15']]);
});

test('DFI-01: a queued object keeps its place when it changes, a popped one goes to the end', async () => {
  const { fifo } = rig();
  for (const each of ['a@10', 'b@1', 'a@11', 'a@13', 'c@30', 'a@14']) fifo.add(obj(`web/${each}`));
  expect(await popOne(fifo)).toEqual(['added web/a@10', 'added web/a@11', 'added web/a@13', 'added web/a@14']);
  fifo.add(obj('web/a@15'));
  expect(await drain(fifo)).toEqual([['added web/b@1'], ['added web/c@30'], ['added web/a@15']]);
});

test('DFI-02: only added, updated, deleted, replaced and sync are ever queued; a bookmark leaves no trace', async () => {
  const { fifo } = rig(known('web/old@1'));
  fifo.add(obj('web/a@1'));
  fifo.update(obj('web/b@2'));
  fifo.resync();
  fifo.bookmark();
  fifo.delete(obj('web/a@3'));
  fifo.replace(objs('web/c@4', 'web/b@2'), '5');
  const types = new Set((await drain(fifo)).flat().map((each) => each.split(' ')[0]));
  expect([...types].toSorted()).toEqual(['added', 'deleted', 'replaced', 'sync', 'updated']);
});

describe('DFI-03: two deletes in a row', () => {
  const gone = (text: string): DeletedFinalStateUnknown<KubeObject> => new DeletedFinalStateUnknown('web/a', obj(text));
  test.each([
    ['seen and seen', [obj('web/a@2'), obj('web/a@3')], ['deleted web/a web/a@2']],
    ['seen and found by a list', [obj('web/a@2'), gone('web/a@1')], ['deleted web/a web/a@2']],
    ['found by a list and seen', [gone('web/a@1'), obj('web/a@2')], ['deleted web/a web/a@2']],
    ['both found by lists', [gone('web/a@1'), gone('web/a@4')], ['deleted web/a web/a@4 unknown']],
  ])('DFI-03: %s are one delete, with the better-known state', async (_, deletes, expected) => {
    const { fifo } = rig(known('web/a@1'));
    for (const each of deletes) fifo.delete(each);
    expect(await drain(fifo)).toEqual([expected]);
  });

  test('DFI-03: only neighbours are merged, and only deletes', async () => {
    const { fifo } = rig(known('web/a@1'));
    fifo.delete(obj('web/a@2'));
    fifo.add(obj('web/a@3'));
    fifo.add(obj('web/a@3'));
    fifo.delete(obj('web/a@4'));
    expect(await popOne(fifo)).toEqual([
      'deleted web/a web/a@2',
      'added web/a@3',
      'added web/a@3',
      'deleted web/a web/a@4',
    ]);
  });
});

describe('DFI-04: a delete', () => {
  test.each<[string, KnownObjects<KubeObject> | undefined, (fifo: Fifo) => void, string[][]]>([
    ['of an unknown object is ignored, without known objects', undefined, () => {}, []],
    ['of an unknown object is ignored, with known objects', known('web/z@1'), () => {}, []],
    ['of a known object is queued', known('web/a@1'), () => {}, [['deleted web/a web/a@9']]],
    [
      'is queued when the lookup fails: the object may well be known',
      known('web/a@1!'),
      () => {},
      [['deleted web/a web/a@9']],
    ],
    [
      'of an object that is only queued is kept behind its add',
      known(),
      (fifo) => fifo.add(obj('web/a@5')),
      [['added web/a@5', 'deleted web/a web/a@9']],
    ],
    [
      'of an object that is only queued is kept, without known objects',
      undefined,
      (fifo) => fifo.add(obj('web/a@5')),
      [['added web/a@5', 'deleted web/a web/a@9']],
    ],
  ])('DFI-04: a delete %s', async (_, knownObjects, before, expected) => {
    const { fifo } = rig(knownObjects);
    before(fifo);
    fifo.delete(obj('web/a@9'));
    expect(await drain(fifo)).toEqual(expected);
  });

  test('DFI-04: updates and deletes of known objects are queued, deletes of popped and unknown ones are not', async () => {
    const { fifo } = rig(known('web/a@1', 'web/b@2'));
    fifo.add(obj('web/new@10'));
    fifo.update(obj('web/a@15'));
    fifo.delete(obj('web/b@20'));
    await popOne(fifo);
    fifo.delete(obj('web/new@21'));
    expect(await drain(fifo)).toEqual([['updated web/a@15'], ['deleted web/b web/b@20']]);
  });
});

test('DFI-08, DFI-10: deletes that the first list implies count for sync and are initial', async () => {
  const { fifo } = rig(known('web/foo@5', 'web/bar@6', 'web/baz@7'));
  fifo.replace(objs('web/foo@5'), '8');
  const lines: string[] = [];
  for (let i = 0; i < 3; i += 1) {
    expect(fifo.hasSynced).toBe(false);
    await fifo.pop(([delta], initial) => void lines.push(`${delta.type} ${initial} ${fifo.hasSynced}`));
  }
  expect(lines).toEqual(['replaced true false', 'deleted true false', 'deleted true false']);
  expect(fifo.hasSynced).toBe(true);
});

test('DFI-08: what a resync queued before the first list counts with it', async () => {
  const { fifo } = rig(known('web/a@1', 'web/b@1'));
  fifo.resync();
  expect(fifo.hasSynced).toBe(false);
  fifo.replace(objs('web/a@2', 'web/c@3'), '4');
  expect(await drainFlagged(fifo)).toEqual([
    'sync web/a@1, replaced web/a@2 initial',
    'sync web/b@1, deleted web/b web/b@1 unknown initial',
    'replaced web/c@3 initial',
  ]);
  expect(fifo.hasSynced).toBe(true);
});

test('DFI-09: removing and processing are one turn, so a list that comes next misses nothing', async () => {
  const held = new Map<string, KubeObject>();
  const { fifo } = rig({ keys: () => held.keys(), get: (key) => held.get(key) });
  fifo.add(obj('web/a@1'));
  const popping = fifo.pop(([delta]) => void (delta.type === 'added' && held.set(delta.key, delta.object)));
  fifo.replace([], '2');
  await popping;
  expect(await drain(fifo)).toEqual([['deleted web/a web/a@1 unknown']]);
});

describe('DFI-11, Trap 12: a resync', () => {
  test.each<[string, readonly string[] | undefined, (fifo: Fifo) => void, string[][]]>([
    ['queues every idle known object', ['web/a@5', 'web/b@6'], () => {}, [['sync web/a@5'], ['sync web/b@6']]],
    [
      'leaves an object with a waiting delete alone',
      ['web/a@5'],
      (fifo) => fifo.delete(obj('web/a@10')),
      [['deleted web/a web/a@10']],
    ],
    [
      'never overtakes a waiting update with an older state',
      ['web/a@5'],
      (fifo) => fifo.update(obj('web/a@6')),
      [['updated web/a@6']],
    ],
    ['is nothing without known objects', undefined, () => {}, []],
  ])('DFI-11, Trap 12: a resync %s', async (_, held, act, expected) => {
    const { fifo } = rig(held === undefined ? undefined : known(...held));
    act(fifo);
    fifo.resync();
    expect(await drain(fifo)).toEqual(expected);
  });

  test('DFI-11: known objects that cannot be found are named and skipped', async () => {
    const { fifo, env } = rig(known('web/a@1!', 'web/b@2?', 'web/c@3'));
    fifo.resync();
    expect(await drain(fifo)).toEqual([['sync web/c@3']]);
    expect(env.lines.map(({ level, fields }) => [level, fields['key']])).toEqual([
      ['warn', 'web/a'],
      ['warn', 'web/b'],
    ]);
  });

  test('DFI-15: known objects that cannot be listed to the end stop the resync; what was queued before stays', async () => {
    const held = known('web/a@1', 'web/b@2');
    const keys = function* (): IterableIterator<string> {
      yield 'web/a';
      throw new Error('listing broke');
    };
    const { fifo } = rig({ keys, get: (key) => held.get(key) });
    expect(() => fifo.resync()).toThrow('listing broke');
    expect(await drain(fifo)).toEqual([['sync web/a@1']]);
  });
});

test('DFI-12, TRF-02: listed objects are transformed even when they are called sync; resyncs and tombstones are not', async () => {
  let calls = 0;
  const transform = (object: KubeObject): KubeObject => {
    calls += 1;
    return { metadata: { ...object.metadata, resourceVersion: `${object.metadata?.resourceVersion}00` } };
  };
  const { fifo } = rig(known('web/old@1'), { transform, emitReplaced: false });
  fifo.resync();
  fifo.replace(objs('web/a@2'), '3');
  fifo.replace([], '4');
  expect(await drain(fifo)).toEqual([
    ['sync web/old@1', 'deleted web/old web/old@1 unknown'],
    ['sync web/a@200', 'deleted web/a web/a@200 unknown'],
  ]);
  expect(calls).toBe(1);
});

test.each<[string, unknown, string]>([
  ['an object', obj('web/a@1'), 'web/a'],
  ['a tombstone with a last state', new DeletedFinalStateUnknown('web/b', obj('web/other@1')), 'web/b'],
  ['a tombstone without one', new DeletedFinalStateUnknown('web/c', undefined), 'web/c'],
  [
    'a tombstone of another copy of this package',
    { tag: 'kube-informer.tombstone', key: 'web/d', object: undefined },
    'web/d',
  ],
])('DFI-13, Trap 14: the key of %s', (_, value, key) => {
  expect(keyOfMaybeDeleted(keyOf, value as KubeObject)).toBe(key);
  expect(isTombstone(value)).toBe(key !== 'web/a');
});
