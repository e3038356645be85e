import { describe, expect, test } from 'vitest';
import { hasCode } from '../../src/core/errors.ts';
import type { KubeObject } from '../../src/core/object/object.ts';
import { Indexer } from '../../src/store/indexer.ts';
import { readonlyStore } from '../../src/store/readonly-store.ts';
import type { StoreWrite } from '../../src/store/store.ts';
import { coded, nameless, pod } from './rig/objects.ts';

/** An index by label `colour` that cannot take objects labelled `colour: boom`. */
const colour = (object: KubeObject): string[] => {
  const value = object.metadata?.labels?.['colour'];
  if (value === 'boom') throw new Error('no such colour');
  return value === undefined ? [] : [value];
};

const painted = (key: string, version: string, value: string): KubeObject =>
  pod(key, version, { labels: { colour: value } });

/** An indexer at resourceVersion 10 with the red `web/a` in it. */
function rig(): Indexer {
  const indexer = new Indexer({ indexers: { colour } });
  indexer.replace([painted('web/a', '1', 'red')], '10');
  return indexer;
}

describe('reading and writing', () => {
  test('STO-01: set and deleteKey give back what was there before', () => {
    const indexer = new Indexer();
    const [first, second] = [pod('web/a', '1'), pod('web/a', '2')];
    expect(indexer.set('web/a', first)).toBeUndefined();
    expect(indexer.set('web/a', second)).toBe(first);
    expect(indexer.deleteKey('web/a')).toBe(second);
    expect(indexer.deleteKey('web/a')).toBeUndefined();
  });

  test('STO-01: size and has follow the writes', () => {
    const indexer = rig();
    expect([indexer.size, indexer.has('web/a'), indexer.has('web/b')]).toEqual([1, true, false]);
    indexer.add(pod('web/b'));
    indexer.delete(pod('web/a'));
    expect([indexer.size, indexer.has('web/a'), indexer.has('web/b')]).toEqual([1, false, true]);
  });

  test('STO-01: entries gives every key with its object', () => {
    const indexer = rig();
    indexer.add(pod('web/b'));
    expect([...indexer.entries()]).toEqual(indexer.keys().map((key) => [key, indexer.get(key)]));
  });

  test('STO-02: the key function can be chosen, and its error reaches the writer', () => {
    const indexer = new Indexer({ key: ({ metadata }: KubeObject) => metadata?.uid ?? fail('no uid') });
    indexer.add(pod('web/a', '1', { uid: 'u1' }));
    expect(indexer.keys()).toEqual(['u1']);
    expect(() => indexer.add(pod('web/b'))).toThrow('no uid');
    expect(indexer.size).toBe(1);
  });

  test('STO-04: every way to read gives the same shared object', () => {
    const indexer = new Indexer({ indexers: { colour } });
    const a = Object.freeze(painted('web/a', '1', 'red'));
    indexer.add(a);
    for (const read of [
      indexer.get('web/a'),
      indexer.list()[0],
      indexer.byIndex('colour', 'red')[0],
      indexer.index('namespace', a)[0],
    ]) {
      expect(read).toBe(a);
    }
  });

  test('STO-04: a list taken before a write does not change with it', () => {
    const indexer = rig();
    const [list, keys, reds] = [indexer.list(), indexer.keys(), indexer.byIndex('colour', 'red')];
    indexer.add(painted('web/b', '2', 'red'));
    indexer.delete(pod('web/a'));
    indexer.replace([], '11');
    expect([list.length, keys, reds.length]).toEqual([1, ['web/a'], 1]);
  });

  test('STO-04: the read-only view returns the same as the store and has no write methods', () => {
    const indexer = rig();
    const face = readonlyStore<KubeObject, string>(indexer);
    indexer.add(painted('web/b', '12', 'red'));
    const a = indexer.get('web/a') as KubeObject;
    expect([face.size, face.resourceVersion, face.has('web/b'), face.hasIndex('colour')]).toEqual([
      2,
      '12',
      true,
      true,
    ]);
    expect([face.get('web/a'), face.keys(), face.list()]).toEqual([a, indexer.keys(), indexer.list()]);
    expect(face.byIndex('colour', 'red')).toEqual(indexer.list());
    expect(face.indexKeys('colour', 'red')).toEqual(['web/a', 'web/b']);
    expect(face.indexValues('colour')).toEqual(['red']);
    expect(face.index('colour', a)).toEqual(indexer.list());
    for (const write of ['add', 'update', 'delete', 'set', 'deleteKey', 'replace', 'transaction', 'addIndexers']) {
      expect(face).not.toHaveProperty(write);
    }
    expect(Object.isFrozen(face)).toBe(true);
  });
});

describe('the resourceVersion of the store', () => {
  test('STO-06: it is empty before the first write', () => {
    expect(new Indexer().resourceVersion).toBe('');
  });

  const cases: readonly [string, (indexer: Indexer) => unknown, string][] = [
    ['add takes the object’s', (indexer) => indexer.add(pod('web/b', '11')), '11'],
    ['update takes the object’s', (indexer) => indexer.update(pod('web/a', '12')), '12'],
    ['set takes the object’s', (indexer) => indexer.set('web/a', pod('web/a', '12')), '12'],
    ['delete takes the one of the object passed', (indexer) => indexer.delete(pod('web/a', '13')), '13'],
    ['delete of a missing object takes it too', (indexer) => indexer.delete(pod('web/zzz', '14')), '14'],
    ['delete by key leaves it', (indexer) => indexer.deleteKey('web/a'), '10'],
    ['replace takes the argument', (indexer) => indexer.replace([pod('web/a', '15')], '20'), '20'],
    ['replace with an empty list takes the argument', (indexer) => indexer.replace([], '21'), '21'],
    ['a bookmark takes the argument', (indexer) => indexer.bookmark('22'), '22'],
    ['an object without one leaves it', (indexer) => indexer.add(pod('web/b')), '10'],
    ['an object with an empty one leaves it', (indexer) => indexer.add(pod('web/b', '')), '10'],
    ['deleting an object without one leaves it', (indexer) => indexer.delete(pod('web/a')), '10'],
    ['objects without metadata leave it', (indexer) => indexer.set('bare', {}), '10'],
    ['an older write wins too, if it comes last', (indexer) => indexer.update(pod('web/a', '3')), '3'],
    ['an opaque one is taken as it is', (indexer) => indexer.update(pod('web/a', 'x-y')), 'x-y'],
    ['an older bookmark wins too, if it comes last', (indexer) => indexer.bookmark('4'), '4'],
    [
      'reading leaves it',
      (indexer) => [indexer.list(), indexer.get('web/a'), indexer.index('colour', pod('x', '9'))],
      '10',
    ],
    ['a new index leaves it', (indexer) => indexer.addIndexers({ fresh: () => [] }), '10'],
  ];
  test.each(cases)('STO-06: %s', (_what, act, version) => {
    const indexer = rig();
    act(indexer);
    expect(indexer.resourceVersion).toBe(version);
  });

  test('STO-06: a write that failed leaves it', () => {
    const indexer = rig();
    expect(() => indexer.add(painted('web/b', '11', 'boom'))).toThrow(coded('INDEX_FAILED'));
    expect(() => indexer.add({ metadata: { resourceVersion: '12' } })).toThrow(coded('INVALID_KEY'));
    expect(() => indexer.replace([painted('web/b', '13', 'boom')], '14')).toThrow(coded('INDEX_FAILED'));
    expect(indexer.resourceVersion).toBe('10');
  });

  test('STO-06, STO-07: a transaction leaves that of its last object', () => {
    const indexer = rig();
    indexer.transaction([
      { type: 'set', object: pod('web/b', '30') },
      { type: 'delete', key: 'web/a', object: pod('web/a', '31') },
    ]);
    expect(indexer.resourceVersion).toBe('31');
    indexer.transaction([
      { type: 'set', object: pod('web/c', '32') },
      { type: 'delete', key: 'web/b' },
    ]);
    expect(indexer.resourceVersion).toBe('32');
    indexer.transaction([]);
    expect(indexer.resourceVersion).toBe('32');
  });
});

describe('transactions', () => {
  const good: StoreWrite<KubeObject>[] = [
    { type: 'set', object: painted('web/b', '11', 'red') },
    { type: 'set', key: 'web/c', object: painted('web/c', '12', 'blue') },
    { type: 'delete', key: 'web/a' },
  ];
  const badKey: StoreWrite<KubeObject> = { type: 'set', object: nameless };
  const badIndex: StoreWrite<KubeObject> = { type: 'set', object: painted('web/d', '13', 'boom') };
  const cases: readonly [string, StoreWrite<KubeObject>[], number[], string[]][] = [
    ['all of them can be applied', good, [], ['web/b', 'web/c']],
    ['some of them fail', [badKey, ...good, badIndex], [0, 4], ['web/b', 'web/c']],
    ['all of them fail', [badKey, badIndex], [0, 1], ['web/a']],
  ];
  test.each(cases)(
    'STO-07: when %s, failures are named by place and the rest is applied',
    (_when, writes, failed, left) => {
      const indexer = rig();
      const { total, failures } = indexer.transaction(writes);
      expect(total).toBe(writes.length);
      expect(failures.map(({ at }) => at)).toEqual(failed);
      expect(indexer.keys()).toEqual(left);
      expect(indexer.indexKeys('colour', 'boom')).toEqual([]);
      for (const value of indexer.indexValues('colour')) {
        expect(indexer.indexKeys('colour', value).every((key) => left.includes(key))).toBe(true);
      }
    },
  );

  test('STO-02, STO-07: each failure carries its reason', () => {
    const { failures } = rig().transaction([badKey, badIndex]);
    const [key, index] = failures.map(({ error }) => error);
    expect([hasCode(key, 'INVALID_KEY'), hasCode(index, 'INDEX_FAILED')]).toEqual([true, true]);
    expect(index).toMatchObject({ cause: { message: 'no such colour' } });
    expect(hasCode(new Error('outer', { cause: key }), 'INVALID_KEY')).toBe(true);
  });

  test('STO-07: writes of one key apply in their order', () => {
    const indexer = rig();
    indexer.transaction([
      { type: 'set', object: painted('web/a', '11', 'blue') },
      { type: 'delete', key: 'web/a' },
      { type: 'set', object: painted('web/a', '12', 'green') },
    ]);
    expect(indexer.get('web/a')).toEqual(painted('web/a', '12', 'green'));
    expect(indexer.indexValues('colour')).toEqual(['green']);
  });
});

function fail(message: string): never {
  throw new Error(message);
}
