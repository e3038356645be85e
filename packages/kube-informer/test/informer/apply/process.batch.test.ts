import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../src/core/object/object.ts';
import type { Delta, Deltas } from '../../../src/informer/queue/delta.ts';
import { name } from '../rig/delta-lines.ts';
import {
  gone,
  poison,
  type ProcessRig,
  processRig,
  type ProcessRigOptions,
  set,
  unluckyIndex,
} from '../rig/process-rig.ts';

interface BatchRig extends ProcessRig {
  readonly batch: (...deltas: readonly Delta<KubeObject>[]) => void;
}

async function rig(texts: readonly string[] = [], options: ProcessRigOptions = {}): Promise<BatchRig> {
  const made = processRig({ indexers: { unlucky: unluckyIndex }, ...options });
  for (const text of texts) await made.apply(set('added', text));
  made.heard();
  const batch = (...deltas: readonly Delta<KubeObject>[]): void =>
    made.process.processBatch(deltas as unknown as Deltas<KubeObject>, false);
  return { ...made, batch };
}

describe('CTL-10, TestProcessDeltasInBatch', () => {
  test.each<[string, readonly Delta<KubeObject>[], readonly string[], readonly string[]]>([
    ['all adds succeed', [set('added', 'web/c@5'), set('added', 'web/d@6')], ['add web/c@5', 'add web/d@6'], []],
    [
      'adds, updates and deletes, in the order they came',
      [set('updated', 'web/a@5'), gone('web/b@6'), set('added', 'web/c@7')],
      ['update web/a@1→5', 'delete web/b', 'add web/c@7'],
      [],
    ],
    [
      'one that fails is named; the others are announced',
      [set('added', 'web/c@5'), set('updated', 'web/a@13'), gone('web/b@14'), set('added', 'web/d@15')],
      ['add web/c@5', 'delete web/b', 'add web/d@15'],
      ['web/a'],
    ],
    ['all fail', [set('updated', 'web/a@13'), set('added', 'web/c@13')], [], ['web/a', 'web/c']],
    [
      'a poisoned, an older, an unchanged and an unknown one are as they are one by one',
      [poison('web/a@13'), set('updated', 'web/b@1'), set('added', 'web/c@5'), gone('web/ghost@6')],
      ['add web/c@5'],
      ['web/a'],
    ],
  ])('CTL-10: %s', async (_, deltas, events, poisoned) => {
    const { batch, heard, process, held } = await rig(['web/a@1', 'web/b@2']);
    batch(...deltas);
    expect(heard()).toEqual(events);
    expect([...process.poisoned.keys()]).toEqual(poisoned);
    if (poisoned.includes('web/a')) expect(held()).toContain('web/a@1');
  });
});

test('CTL-10, G12: the whole batch is in the cache and its indexes before its first event is sent', async () => {
  const seen: string[][] = [];
  const { batch } = await rig(['web/a@1'], {
    onEvent: (_, store) => void seen.push([...store.list().map(name), ...store.indexKeys('unlucky', '6')]),
  });
  seen.length = 0;
  batch(set('updated', 'web/a@5'), set('added', 'web/b@6'));
  expect(seen).toEqual([
    ['web/a@5', 'web/b@6', 'web/b'],
    ['web/a@5', 'web/b@6', 'web/b'],
  ]);
});

test('CTL-10, STO-06: a batch leaves the version of its last object', async () => {
  const { batch, store } = await rig(['web/a@1']);
  batch(set('added', 'web/b@6'), gone('web/a@7'));
  expect(store.resourceVersion).toBe('7');
});

test('CTL-10: a batch sends the same events as the same changes one by one', async () => {
  const deltas = [
    set('updated', 'web/a@5#second'),
    gone('web/b@6'),
    set('sync', 'web/c@3'),
    set('replaced', 'web/d@7'),
    gone('web/e@2'),
  ];
  const before = ['web/a@1#first', 'web/b@2', 'web/c@3', 'web/e@4'];
  for (const uidChange of ['flag', 'split'] as const) {
    const together = await rig(before, { uidChange });
    together.batch(...deltas);
    const apart = await rig(before, { uidChange });
    for (const delta of deltas) await apart.apply(delta);
    expect(together.held()).toEqual(apart.held());
    expect(together.heard().toSorted()).toEqual(apart.heard().toSorted());
    expect(together.process.staleDropped).toBe(apart.process.staleDropped);
  }
});

describe('G9: a poisoned key', () => {
  test('G9, F87: keeps its old state, is named with the reason, and the next good state clears it', async () => {
    const { apply, heard, held, process, env } = await rig(['web/a@1']);
    await apply(set('updated', 'web/a@13'), set('updated', 'web/b@14'));
    expect([heard(), held()]).toEqual([['add web/b@14'], ['web/a@1', 'web/b@14']]);
    expect(process.poisoned.get('web/a')).toMatchObject({
      error: { code: 'INDEX_FAILED' },
      state: expect.stringMatching(/@13$/),
    });
    expect(env.lines).toMatchObject([{ level: 'error', fields: { key: 'web/a' } }]);
    await apply(set('updated', 'web/a@15'));
    expect([heard(), process.poisoned.size]).toEqual([['update web/a@1→15'], 0]);
  });

  test('G9: an unknown object that fails is not announced, then or when it is deleted', async () => {
    const { apply, heard, process } = await rig();
    await apply(set('added', 'web/a@13'));
    expect([...process.poisoned.keys()]).toEqual(['web/a']);
    await apply(gone('web/a@14'));
    expect([heard(), process.poisoned.size, process.unknownDeletes]).toEqual([[], 0, 1]);
  });

  test('G9, F62: a poisoned delta does the same; the cached state again, or a delete, clears it', async () => {
    const { apply, heard, process } = await rig(['web/a@1', 'web/b@2']);
    await apply(poison('web/a@7'), poison('web/b@8'));
    expect([heard(), [...process.poisoned.keys()]]).toEqual([[], ['web/a', 'web/b']]);
    await apply(set('updated', 'web/a@1'), gone('web/b@5'));
    expect([heard(), process.poisoned.size]).toEqual([['delete web/b'], 0]);
  });

  test('G9: an older state does not clear it: what is newest is still not known', async () => {
    const { apply, process } = await rig(['web/a@10']);
    await apply(set('updated', 'web/a@13'), set('updated', 'web/a@9'), gone('web/a@8'));
    expect([...process.poisoned.keys()]).toEqual(['web/a']);
  });
});

test('G12, INF-03: when a handler gets a change, the cache and its indexes already have it', async () => {
  const wrong: string[] = [];
  const { apply, heard } = await rig([], {
    onEvent(event, store) {
      const indexed = store.indexKeys('unlucky', event.object.metadata?.resourceVersion ?? '');
      const there = store.get(event.key) === event.object && indexed.includes(event.key);
      const absent = !store.has(event.key) && !indexed.includes(event.key);
      if (event.type === 'delete' ? !absent : !there) wrong.push(event.key);
    },
  });
  await apply(set('added', 'web/a@1'), set('updated', 'web/a@2'), gone('web/a@3'));
  expect([heard().length, wrong]).toEqual([3, []]);
});
