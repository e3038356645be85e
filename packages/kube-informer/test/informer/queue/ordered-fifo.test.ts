import { describe, expect, test } from 'vitest';
import { keyOf } from '../../../src/core/object/key.ts';
import type { KubeObject } from '../../../src/core/object/object.ts';
import { OrderedFifo } from '../../../src/informer/queue/ordered-fifo.ts';
import { type FakeEnv, fakeEnv } from '../../../src/testing/fake-clock.ts';
import { coded, drain, drainFlagged, known, obj, objs, popOne, versionOf } from '../rig/delta-lines.ts';

function rig(transform?: (object: KubeObject) => KubeObject): { fifo: OrderedFifo<KubeObject>; env: FakeEnv } {
  const env = fakeEnv();
  const fifo = new OrderedFifo<KubeObject>({
    key: keyOf,
    env,
    resourceVersion: versionOf,
    ...(transform === undefined ? {} : { transform }),
  });
  return { fifo, env };
}

test('RFI-01, RFI-11: an add, an update and a delete of one object are three entries, each alone', async () => {
  const { fifo } = rig();
  fifo.add(obj('web/a@1'));
  fifo.update(obj('web/a@2'));
  fifo.delete(obj('web/a@3'));
  expect(fifo.pending).toBe(3);
  expect(await drain(fifo)).toEqual([['added web/a@1'], ['updated web/a@2'], ['deleted web/a web/a@3']]);
});

test('RFI-01: repeated objects never overtake others', async () => {
  const { fifo } = rig();
  for (const each of ['a@10', 'b@1', 'a@11', 'a@13', 'c@30']) fifo.add(obj(`web/${each}`));
  const first = await popOne(fifo);
  fifo.add(obj('web/a@14'));
  expect([first, ...(await drain(fifo))]).toEqual(
    ['a@10', 'b@1', 'a@11', 'a@13', 'c@30', 'a@14'].map((each) => [`added web/${each}`]),
  );
});

test('RFI-01, RFI-02: an add and a delete of an unknown object are both kept', async () => {
  const { fifo } = rig();
  fifo.add(obj('web/a@1'));
  fifo.delete(obj('web/a@2'));
  expect(await drain(fifo)).toEqual([['added web/a@1'], ['deleted web/a web/a@2']]);
});

test('RFI-02: a delete of an unknown object is queued: the consumer decides whether to announce it', async () => {
  const { fifo } = rig();
  fifo.delete(obj('web/ghost@9'));
  expect(await drain(fifo)).toEqual([['deleted web/ghost web/ghost@9']]);
});

describe('RFI-06, RFI-08: a list', () => {
  test.each<[string, (fifo: OrderedFifo<KubeObject>) => Promise<void>, string[][]]>([
    ['is one entry', (fifo) => fifo.replace(objs('web/a@1', 'web/b@2'), '5'), [['replacedAll@5 web/a@1 web/b@2']]],
    [
      'stays behind what was queued before, a delete of the same object included',
      async (fifo) => {
        fifo.add(obj('web/a@1'));
        fifo.delete(obj('web/a@2'));
        await fifo.replace(objs('web/a@3'), '5');
      },
      [['added web/a@1'], ['deleted web/a web/a@2'], ['replacedAll@5 web/a@3']],
    ],
    [
      'after another is a second entry: only the cache can tell what is missing',
      async (fifo) => {
        await fifo.replace(objs('web/a@1'), '5');
        await fifo.replace([], '6');
      },
      [['replacedAll@5 web/a@1'], ['replacedAll@6 ']],
    ],
    [
      'and bookmarks keep their order among changes',
      async (fifo) => {
        fifo.bookmark('4');
        await fifo.replace(objs('web/a@1'), '5');
        fifo.add(obj('web/b@6'));
        fifo.bookmark('7');
        fifo.update(obj('web/b@8'));
      },
      [['bookmark@4'], ['replacedAll@5 web/a@1'], ['added web/b@6'], ['bookmark@7'], ['updated web/b@8']],
    ],
  ])('RFI-06, RFI-08: a list %s', async (_, act, expected) => {
    const { fifo } = rig();
    await act(fifo);
    expect(await drain(fifo)).toEqual(expected);
  });

  test('RFI-06, RFI-11: popping gives the add, then the whole list with its keys, then nothing', async () => {
    const { fifo } = rig();
    fifo.add(obj('web/x@1'));
    await fifo.replace(objs('web/a@2', 'web/b@3'), '5');
    expect(await popOne(fifo)).toEqual(['added web/x@1']);
    await fifo.pop(([delta]) => {
      expect(delta).toEqual({
        type: 'replacedAll',
        keys: ['web/a', 'web/b'],
        objects: objs('web/a@2', 'web/b@3'),
        resourceVersion: '5',
        poisoned: new Map(),
        newEpoch: false,
      });
    });
    expect(fifo.pending).toBe(0);
  });

  test('RFI-08: a bookmark neither syncs the queue nor counts as the first list', async () => {
    const { fifo } = rig();
    fifo.bookmark('4');
    expect(fifo.hasSynced).toBe(false);
    await popOne(fifo);
    expect(fifo.hasSynced).toBe(false);
    await fifo.replace(objs('web/a@1'), '5');
    expect(await drainFlagged(fifo)).toEqual(['replacedAll@5 web/a@1 initial']);
    expect(fifo.hasSynced).toBe(true);
  });

  test('F43: an object that is listed twice counts once, in its newer state', async () => {
    const { fifo } = rig();
    await fifo.replace(objs('web/a@9', 'web/b@5', 'web/a@10', 'web/b@4', 'web/c@7', 'web/c@7'), '12');
    expect(await drain(fifo)).toEqual([['replacedAll@12 web/a@10 web/b@5 web/c@7']]);
  });

  test('RFI-07: a failing transform does not refuse the list; it poisons its object, and the others are queued', async () => {
    const { fifo } = rig((object) => {
      if (object.metadata?.name === 'b') throw new Error('unlucky');
      return object;
    });
    await fifo.replace(objs('web/a@1', 'web/b@2', 'web/c@3'), '5');
    await fifo.pop(([delta]) => {
      if (delta.type !== 'replacedAll') throw new Error('not a list');
      expect([delta.keys, [...delta.poisoned.keys()]]).toEqual([['web/a', 'web/c'], ['web/b']]);
      expect(delta.objects).toEqual(objs('web/a@1', 'web/c@3'));
      expect(delta.poisoned.get('web/b')).toEqual({ object: objs('web/b@2')[0], error: coded('TRANSFORM_FAILED') });
    });
  });

  test('G3: a list of a new epoch is marked', async () => {
    const { fifo } = rig();
    await fifo.replace(objs('web/a@1'), '5', { newEpoch: true });
    expect(await drain(fifo)).toEqual([['replacedAll@5 web/a@1 newEpoch']]);
  });
});

describe('RFI-06, CTL-08: a resync', () => {
  test.each<[string, (fifo: OrderedFifo<KubeObject>) => void, string[][]]>([
    ['is one entry', (fifo) => fifo.resync(), [['syncAll']]],
    [
      'stays behind what was queued before it, so it can never overtake a newer state (Trap 12)',
      (fifo) => {
        fifo.update(obj('web/a@6'));
        fifo.resync();
        fifo.update(obj('web/a@7'));
        fifo.resync();
      },
      [['updated web/a@6'], ['syncAll'], ['updated web/a@7'], ['syncAll']],
    ],
  ])('RFI-06, CTL-08: a resync %s', async (_, act, expected) => {
    const { fifo } = rig();
    act(fifo);
    expect(await drain(fifo)).toEqual(expected);
  });
});

test.each([
  ['known objects with atomic', { atomic: true, knownObjects: known() }],
  ['known objects without saying atomic', { knownObjects: known() }],
  ['no known objects without atomic', { atomic: false }],
])('RFI-06: %s are a mistake of the caller', (_, options) => {
  expect(() => new OrderedFifo<KubeObject>({ key: keyOf, env: fakeEnv(), ...options })).toThrow(
    coded('INVALID_OPTION'),
  );
});

describe('RFI-09: an empty first list', () => {
  test('RFI-09: is one entry, and the queue is synced when it was applied', async () => {
    const { fifo } = rig();
    await fifo.replace([], '5');
    expect([fifo.pending, fifo.hasSynced]).toEqual([1, false]);
    await popOne(fifo);
    expect(fifo.hasSynced).toBe(true);
  });

  test('RFI-09: what waited before the first list is worked off as part of it', async () => {
    const { fifo } = rig();
    fifo.bookmark('3');
    fifo.resync();
    await fifo.replace([], '5');
    expect(await drainFlagged(fifo)).toEqual(['bookmark@3 initial', 'syncAll initial', 'replacedAll@5  initial']);
    expect(fifo.hasSynced).toBe(true);
  });
});

test('RFI-13: while a list is being applied in slices, later changes are taken in and wait', async () => {
  const { fifo } = rig();
  await fifo.replace(objs('web/a@1'), '5');
  let release = (): void => {};
  const popping = fifo.pop(() => new Promise<void>((resolve) => (release = resolve)));
  fifo.add(obj('web/b@6'));
  expect([fifo.pending, fifo.hasSynced]).toEqual([1, false]);
  release();
  await popping;
  expect(await drainFlagged(fifo)).toEqual(['added web/b@6']);
});

test('Trap 17: a large list is prepared in slices and queued in one step', async () => {
  const { env } = rig();
  let yields = 0;
  let most = 0;
  const slicing = {
    ...env,
    yield: () => {
      yields += 1;
      most = Math.max(most, fifo.pending);
      return Promise.resolve();
    },
  };
  const transform = (object: KubeObject): KubeObject => {
    env.clock.freeze(0.1);
    return object;
  };
  const fifo: OrderedFifo<KubeObject> = new OrderedFifo<KubeObject>({ key: keyOf, env: slicing, transform });
  await fifo.replace(
    Array.from({ length: 5_000 }, (_, i) => obj(`web/${i}@1`)),
    '5',
  );
  // 5,000 objects at 0.1 ms are 500 ms of work: a turn for others at least every 10 to 14 ms.
  expect(yields).toBeGreaterThan(30);
  expect(most).toBe(0);
  expect(fifo.pending).toBe(1);
});

test('O2: a replace is one entry, so half of it is never visible', async () => {
  const queue = new OrderedFifo<KubeObject>({ key: keyOf, env: fakeEnv() });
  await queue.replace([{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }], '5');
  expect(queue.pending).toBe(1);
  const seen: string[] = [];
  await queue.pop(([delta]) => void seen.push(delta.type === 'replacedAll' ? delta.keys.join() : delta.type));
  expect(seen).toEqual(['a,b']);
});

test('O3: a list with an unusable key is refused whole, before anything is queued', async () => {
  const queue = new OrderedFifo<KubeObject>({ key: keyOf, env: fakeEnv() });
  await expect(queue.replace([{ metadata: { name: 'a' } }, { metadata: {} }], '5')).rejects.toMatchObject({
    code: 'INVALID_KEY',
  });
  expect(queue.pending).toBe(0);
  expect(queue.hasSynced).toBe(false);
});
