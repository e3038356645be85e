import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../src/core/object/object.ts';
import type { Delta } from '../../../src/informer/queue/delta.ts';
import { obj } from '../rig/delta-lines.ts';
import {
  all,
  gone,
  poison,
  type ProcessRig,
  processRig,
  type ProcessRigOptions,
  set,
  unluckyIndex,
} from '../rig/process-rig.ts';

/** A cache that holds `texts`, in a storage that may go back in time. */
async function rig(texts: readonly string[], options: ProcessRigOptions = {}): Promise<ProcessRig> {
  const made = processRig(options);
  for (const text of texts) await made.apply(set('added', text));
  made.heard();
  return made;
}

/** The same state with another content, as a storage writes it that gives a version out a second time. */
function rewritten(text: string, content: unknown): KubeObject & { readonly spec: unknown } {
  return { ...obj(text), spec: content };
}

describe('G3, F28: a version that is given out twice', () => {
  const first = rewritten('web/a@7#u', { image: 'one', ports: [80, 81] });

  test.each<[string, unknown]>([
    ['a field', { image: 'two', ports: [80, 81] }],
    ['something deep inside', { image: 'one', ports: [80, 82] }],
    ['more', { image: 'one', ports: [80, 81], more: true }],
    ['less', { image: 'one' }],
    ['nothing at all', null],
  ])('G3, F28: with other content (%s) is a change, from a list and object by object', async (_, content) => {
    const second = rewritten('web/a@7#u', content);
    for (const delta of [
      { ...all('5', ['web/a@7#u'], { newEpoch: true }), objects: [second] },
      { type: 'replaced', key: 'web/a', object: second, newEpoch: true },
    ] as Delta<KubeObject>[]) {
      const { apply, heard, store } = await rig([]);
      await apply({ type: 'added', key: 'web/a', object: first });
      heard();
      await apply(delta);
      expect(heard()).toEqual(['update web/a@7→7']);
      expect(store.get('web/a')).toBe(second);
    }
  });

  test('G3, F28: with another field where one was undefined is a change', async () => {
    const { apply, heard } = await rig([]);
    await apply({
      type: 'added',
      key: 'web/a',
      object: { ...obj('web/a@7'), spec: undefined } as unknown as KubeObject,
    });
    heard();
    const object = { ...obj('web/a@7'), status: 'v1' } as KubeObject;
    await apply({ type: 'replaced', key: 'web/a', object, newEpoch: true });
    expect(heard()).toEqual(['update web/a@7→7']);
  });

  test('G3, G18: with the same content is not a change', async () => {
    const { apply, heard, store } = await rig([]);
    await apply({ type: 'added', key: 'web/a', object: first });
    heard();
    const same = structuredClone(first);
    await apply({ ...all('5', ['web/a@7#u'], { newEpoch: true }), objects: [same] } as Delta<KubeObject>);
    expect(heard()).toEqual([]);
    expect(store.get('web/a')).toBe(first);
  });

  test('G18: inside an epoch the content is not even looked at', async () => {
    const { apply, heard } = await rig([]);
    await apply({ type: 'added', key: 'web/a', object: first });
    heard();
    await apply({ type: 'updated', key: 'web/a', object: rewritten('web/a@7#u', 'never') });
    expect(heard()).toEqual([]);
  });
});

describe('G3, G9: a key that was poisoned in the new epoch', () => {
  const unlucky = new Error('unlucky');
  const poisonings: readonly [string, Delta<KubeObject>, ProcessRigOptions][] = [
    ['by the transform, in a list', all('40', [], { newEpoch: true, poisoned: { 'web/a@13': unlucky } }), {}],
    ['by the transform, alone', poison('web/a@13', unlucky, { newEpoch: true }), {}],
    ['by an index, in a list', all('40', ['web/a@13'], { newEpoch: true }), { indexers: { unlucky: unluckyIndex } }],
  ];

  test.each(poisonings)(
    'G3, G9: (%s) takes the next good one, whatever its version; then G1 holds again',
    async (_, poison, options) => {
      const { apply, heard, process } = await rig(['web/a@50'], options);
      await apply(poison);
      expect([heard(), [...process.poisoned.keys()]]).toEqual([[], ['web/a']]);
      await apply(set('updated', 'web/a@20'));
      expect([heard(), process.poisoned.size]).toEqual([['update web/a@50→20'], 0]);
      await apply(set('updated', 'web/a@19'));
      expect([heard(), process.staleDropped]).toEqual([[], 1]);
    },
  );

  test.each(poisonings)('G3, G5: (%s) is deleted by a delete of that epoch', async (_, poison, options) => {
    const { apply, heard, process } = await rig(['web/a@50'], options);
    await apply(poison);
    await apply(gone('web/a@20'));
    expect([heard(), process.poisoned.size]).toEqual([['delete web/a'], 0]);
  });

  test('G3, G9: still counts as old when the next list of the same epoch poisons it again', async () => {
    const { apply, heard } = await rig(['web/a@50'], { indexers: { unlucky: unluckyIndex } });
    await apply(all('40', ['web/a@13'], { newEpoch: true }));
    await apply(all('41', ['web/a@13']));
    await apply(set('updated', 'web/a@20'));
    expect(heard()).toEqual(['update web/a@50→20']);
  });

  test('G1, G9: one that was poisoned inside an epoch still never goes back', async () => {
    const { apply, heard, process } = await rig(['web/a@50']);
    await apply(poison('web/a@51', unlucky), set('updated', 'web/a@20'));
    expect([heard(), process.staleDropped, process.poisoned.size]).toEqual([[], 1, 1]);
  });
});

describe('G3, F28: a newer list that holds an older state', () => {
  test('G3, F28: shows that the storage was replaced: the cache follows it and reports one epoch', async () => {
    const { apply, heard, held, process, epochs } = await rig(['web/a@10', 'web/b@12#first', 'web/c@11', 'web/d@9']);
    await apply(all('1000000', ['web/a@8', 'web/b@7#second', 'web/d@9', 'web/e@6']));
    expect(held()).toEqual(['web/a@8', 'web/b@7', 'web/d@9', 'web/e@6']);
    expect(heard().sort()).toEqual(
      ['add web/e@6', 'delete web/c unknown', 'update web/a@10→8', 'update web/b@12→7 replaced'].sort(),
    );
    expect([process.contradictions, process.staleDropped, epochs()]).toEqual([1, 0, 1]);
  });

  test('F43: shows nothing when the list has the object a second time, as new as the cached one', async () => {
    const { apply, heard, held, process } = await rig(['web/a@10']);
    await apply(all('20', ['web/a@10', 'web/a@8']));
    expect([heard(), held(), process.contradictions]).toEqual([[], ['web/a@10'], 0]);
  });

  test('G3: shows nothing when versions cannot be ordered, or the list is older itself', async () => {
    const opaque = await rig(['web/a@10'], { versionsAreOrdered: () => false });
    await opaque.apply(all('20', ['web/a@8']));
    const older = await rig(['web/a@10']);
    await older.apply(all('9', ['web/a@8']));
    expect([opaque.process.contradictions, older.process.contradictions]).toEqual([0, 0]);
    expect(older.held()).toEqual(['web/a@10']);
  });
});
