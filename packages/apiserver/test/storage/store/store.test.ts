import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  continueTokenAfter,
  inconsistentContinueToken,
  parseContinueToken,
} from '../../../src/storage/store/continue-token.ts';
import { type Change, History } from '../../../src/storage/store/stored-history.ts';
import { SortedKeys } from '../../../src/storage/store/sorted-keys.ts';
import { configMap, storeRig } from '../../rig/workload.ts';

test('one counter for all collections: every write takes the next revision', () => {
  const { store, collection, other } = storeRig();
  const revisions = [collection, other, collection].map((one, i) => one.put(configMap('a', `n${i}`, 'red')).revision);
  expect(revisions).toEqual([2, 3, 4]);
  expect(collection.remove('a', 'n0')).toBe(5);
  expect(store.revision).toBe(5);
});

test('listeners get changes in order, also if one of them writes', () => {
  const { store, collection, other } = storeRig();
  const heard: number[] = [];
  collection.listen(({ revision }) => {
    if (revision === 2) other.put(configMap('a', 'echo', 'red'));
  });
  store.listen((_collection, { revision }) => heard.push(revision));
  collection.put(configMap('a', 'n1', 'red'));
  expect(heard).toEqual([2, 3]);
});

test('a guard that refuses a write leaves everything as it was', () => {
  const { store, collection } = storeRig();
  store.guard = () => {
    throw new Error('no');
  };
  expect(() => collection.put(configMap('a', 'n1', 'red'))).toThrow('no');
  expect([store.revision, collection.size, collection.after(0).length]).toEqual([1, 0, 0]);
});

test('compaction moves the oldest revision of every collection, also of one that is opened later', () => {
  const { store, collection, other } = storeRig();
  for (const name of ['n1', 'n2', 'n3']) collection.put(configMap('a', name, 'red'));
  store.compact(3);
  expect([collection.oldest, other.oldest]).toEqual([3, 3]);
  expect(collection.after(3).map(({ revision }) => revision)).toEqual([4]);
  store.compact();
  expect(collection.oldest).toBe(4);
  expect(store.collection({ id: 'late', layout: 'struct' }).oldest).toBe(4);
});

test('a watch cannot start before the collection was opened, an exact list can', () => {
  const { store, other } = storeRig();
  other.put(configMap('a', 'n1', 'red'));
  const late = store.collection({ id: 'late', layout: 'struct' });
  expect([late.windowStart, late.oldest]).toEqual([2, 0]);
  expect(late.at(1)).toEqual([]);
});

test('a wait for a revision ends with the write that reaches it, or with its signal', async () => {
  const { store, collection } = storeRig();
  const stop = new AbortController();
  const order: string[] = [];
  const first = store.reached(3, stop.signal).then(() => order.push('reached'));
  const second = store.reached(99, stop.signal).then(() => order.push('aborted'));
  collection.put(configMap('a', 'n1', 'red'));
  collection.put(configMap('a', 'n2', 'red'));
  await first;
  stop.abort();
  await second;
  expect(order).toEqual(['reached', 'aborted']);
});

test.each([900, 1_500, 3_000, 10_000])('dropping nine tenths of %i changes leaves the rest, in order', (count) => {
  const history = new History();
  const at = (revision: number): Change => ({
    type: 'ADDED',
    revision,
    key: 'a',
    record: undefined,
    previous: undefined,
  });
  for (let revision = 1; revision <= count; revision += 1) history.push(at(revision));
  const end = Math.floor(count * 0.9);
  history.compact(end);
  expect([history.dropped, history.length, history.bytes > 0]).toEqual([end, count - end, true]);
  expect(history.after(end).map(({ revision }) => revision)).toEqual(
    Array.from({ length: count - end }, (_, more) => end + 1 + more),
  );
  history.compact(count);
  expect([history.length, history.bytes]).toEqual([0, 0]);
});

test('history is bounded by count and by bytes, and knows what it has dropped', () => {
  const { collection } = storeRig({ history: { events: 3 } });
  for (let i = 0; i < 5; i += 1) collection.put(configMap('a', 'n1', 'red'));
  expect(collection.oldest).toBe(3);
  expect(collection.after(collection.oldest).map(({ revision }) => revision)).toEqual([4, 5, 6]);
  const small = new History({ bytes: 1000 });
  for (let revision = 1; revision <= 5000; revision += 1)
    small.push({ type: 'ADDED', revision, key: 'k', record: undefined, previous: undefined });
  expect([small.length, small.dropped, small.bytes]).toEqual([5, 4995, 1000]);
});

test('sorted keys are a sorted set, however they come and go', () => {
  const operations = fc.array(fc.tuple(fc.boolean(), fc.constantFrom('a', 'b', 'a/b', 'a-b', 'c')), { maxLength: 200 });
  fc.assert(
    fc.property(operations, fc.nat(50), (list, readEvery) => {
      const keys = new SortedKeys();
      const model = new Set<string>();
      for (const [index, [isAdd, key]] of list.entries()) {
        if (isAdd && !model.has(key)) {
          model.add(key);
          keys.add(key);
        } else if (!isAdd && model.delete(key)) keys.remove(key);
        if (index % (readEvery + 1) === 0) expect(keys.all()).toEqual([...model].sort());
      }
      expect(keys.all()).toEqual([...model].sort());
    }),
  );
});

test('continue tokens decode to what was encoded, and have the form of a real server', () => {
  const token = continueTokenAfter(293, 'b');
  expect(Buffer.from(token, 'base64url').toString()).toBe('{"v":"meta.k8s.io/v1","rv":293,"start":"/b\\u0000"}');
  expect(parseContinueToken(token)).toEqual({ revision: 293, start: 'b\u0000' });
  expect(parseContinueToken(inconsistentContinueToken('ns/b\u0000'))).toEqual({ revision: -1, start: 'ns/b\u0000' });
});

test.each([
  ['!!', 'illegal base64 data at input byte 0'],
  ['garbage', "invalid character '\\u0081' looking for beginning of value"],
  [token({ v: 'v2', rv: 1, start: 'a' }), 'server does not recognize this encoded version v2'],
  [
    token({ v: 'meta.k8s.io/v1', rv: 0, start: 'a' }),
    'incorrect encoded start resourceVersion (version meta.k8s.io/v1)',
  ],
  [token({ v: 'meta.k8s.io/v1', rv: 5 }), 'encoded start key empty (version meta.k8s.io/v1)'],
  [token({ v: 'meta.k8s.io/v1', rv: 5, start: '../x' }), '../x'],
])('an invalid token is refused: %s', (text, why) => {
  expect(() => parseContinueToken(text)).toThrow(`invalid continue token: continue key is not valid: ${why}`);
});

function token(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
