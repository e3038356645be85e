import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/core/object/object.ts';
import { Indexer } from '../../src/store/indexer.ts';
import { UndeltaStore, type UndeltaStoreOptions } from '../../src/store/undelta-store.ts';
import { coded, nameless, pod } from './rig/objects.ts';

function rig(options: UndeltaStoreOptions<KubeObject> = {}): { store: UndeltaStore; pushed: KubeObject[][] } {
  const pushed: KubeObject[][] = [];
  return { store: new UndeltaStore((objects) => void pushed.push(objects), options), pushed };
}

test('OTH-02: adding and updating push the full list each time', () => {
  const { store, pushed } = rig();
  const [a, b, newer] = [pod('web/a', '1'), pod('web/b', '2'), pod('web/a', '3')];
  store.add(a);
  store.add(b);
  store.update(newer);
  expect(pushed).toEqual([[a], [a, b], [newer, b]]);
});

test('OTH-02: deleting pushes the remaining objects, also when there was nothing to delete', () => {
  const { store, pushed } = rig();
  const [a, b] = [pod('web/a'), pod('web/b')];
  store.replace([a, b], '1');
  store.delete(a);
  store.delete(a);
  expect(pushed.slice(1)).toEqual([[b], [b]]);
});

test('OTH-02: a replace pushes once, with everything', () => {
  const { store, pushed } = rig();
  const objects = [pod('web/a'), pod('web/b'), pod('web/c')];
  store.replace(objects, '1');
  store.replace([], '2');
  expect(pushed).toEqual([objects, []]);
});

test('OTH-02: reads never push', () => {
  const { store, pushed } = rig();
  store.add(pod('web/a'));
  pushed.length = 0;
  store.get('web/a');
  store.get('web/zzz');
  store.keys();
  store.list();
  expect(pushed).toEqual([]);
});

test('OTH-02: a write that fails pushes nothing', () => {
  const { store, pushed } = rig();
  expect(() => store.add(nameless)).toThrow(coded('INVALID_KEY'));
  expect(() => store.update(nameless)).toThrow(coded('INVALID_KEY'));
  expect(() => store.delete(nameless)).toThrow(coded('INVALID_KEY'));
  expect(() => store.replace([nameless], '1')).toThrow(coded('INVALID_KEY'));
  expect(pushed).toEqual([]);
});

test('OTH-02, Trap 20: a pushed list belongs to the receiver', () => {
  const { store, pushed } = rig();
  store.add(pod('web/a'));
  pushed[0]?.splice(0);
  store.add(pod('web/b'));
  expect(store.keys()).toEqual(['web/a', 'web/b']);
  expect(pushed[1]).toHaveLength(2);
});

test('OTH-02: when the receiver throws, the write is done and the writer gets the error', () => {
  const store = new UndeltaStore(() => {
    throw new Error('receiver is full');
  });
  expect(() => store.add(pod('web/a'))).toThrow('receiver is full');
  expect(store.keys()).toEqual(['web/a']);
});

test('OTH-02: the key function and the store underneath can be chosen', () => {
  const byUid = rig({ key: (object) => object.metadata?.uid ?? '' });
  byUid.store.add(pod('web/a', '1', { uid: 'u1' }));
  expect(byUid.store.keys()).toEqual(['u1']);

  const indexer = new Indexer();
  const over = rig({ store: indexer });
  over.store.add(pod('web/a', '4'));
  over.store.replace([pod('web/b')], '9');
  expect([indexer.keys(), indexer.resourceVersion]).toEqual([['web/b'], '9']);
});
