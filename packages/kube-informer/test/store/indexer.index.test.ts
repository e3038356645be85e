import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/core/object/object.ts';
import { Indexer, type IndexerOptions, NAMESPACE_INDEX } from '../../src/store/indexer.ts';
import { readonlyStore } from '../../src/store/readonly-store.ts';
import { coded, pod } from './rig/objects.ts';

/** Files an object under the comma-separated words of its annotation `words`. */
const words = (object: KubeObject): string[] => {
  const text = object.metadata?.annotations?.['words'] ?? '';
  if (text === 'boom') throw new Error('cannot read');
  return text === '' ? [] : text.split(',');
};
const size = (object: KubeObject): string[] => [words(object).length > 1 ? 'many' : 'few'];

const said = (key: string, text: string): KubeObject => pod(key, '1', { annotations: { words: text } });

function rig(objects: KubeObject[] = [], options: IndexerOptions<KubeObject> = { indexers: { words } }): Indexer {
  const indexer = new Indexer(options);
  for (const object of objects) indexer.add(object);
  return indexer;
}

/** The whole index as value → sorted keys. */
function table(indexer: Indexer, name = 'words'): Record<string, string[]> {
  return Object.fromEntries(
    indexer
      .indexValues(name)
      .toSorted()
      .map((value) => [value, indexer.indexKeys(name, value)]),
  );
}

describe('keeping the index', () => {
  test('IDX-01: an object is filed under every value its function gives', () => {
    const indexer = rig([said('web/a', 'x,y'), said('web/b', 'y,z'), said('web/c', '')]);
    expect(table(indexer)).toEqual({ x: ['web/a'], y: ['web/a', 'web/b'], z: ['web/b'] });
    expect(indexer.byIndex('words', 'y')).toEqual([said('web/a', 'x,y'), said('web/b', 'y,z')]);
  });

  test('IDX-02: when the last key of a value goes, the value goes', () => {
    const indexer = rig([said('web/a', 'x')]);
    indexer.delete(said('web/a', ''));
    expect(indexer.indexValues('words')).toEqual([]);
    expect(indexer.byIndex('words', 'x')).toEqual([]);
    indexer.add(said('web/a', 'y'));
    indexer.update(said('web/a', 'z'));
    expect(indexer.indexValues('words')).toEqual(['z']);
  });

  test('IDX-02: a value with keys left survives a delete', () => {
    const indexer = rig([said('web/a', 'x'), said('web/b', 'x')]);
    indexer.delete(said('web/a', 'x'));
    expect(table(indexer)).toEqual({ x: ['web/b'] });
  });

  const steps: readonly [string, KubeObject, Record<string, string[]>][] = [
    ['gains a value', said('web/a', 'x,y,new'), { new: ['web/a'], x: ['web/a'], y: ['web/a', 'web/b'], z: ['web/b'] }],
    ['loses a value', said('web/a', 'y'), { y: ['web/a', 'web/b'], z: ['web/b'] }],
    ['swaps all values', said('web/a', 'z,q'), { q: ['web/a'], y: ['web/b'], z: ['web/a', 'web/b'] }],
    ['loses all values', said('web/a', ''), { y: ['web/b'], z: ['web/b'] }],
    ['has one value twice', said('web/a', 'x,x'), { x: ['web/a'], y: ['web/b'], z: ['web/b'] }],
    ['keeps its values', said('web/a', 'x,y'), { x: ['web/a'], y: ['web/a', 'web/b'], z: ['web/b'] }],
  ];
  test.each(steps)('IDX-02: an object that %s is filed under exactly the new ones', (_what, next, expected) => {
    const indexer = rig([said('web/a', 'x,y'), said('web/b', 'y,z')]);
    indexer.update(next);
    expect(table(indexer)).toEqual(expected);
    indexer.delete(next);
    expect(table(indexer)).toEqual({ y: ['web/b'], z: ['web/b'] });
  });

  test('IDX-02: a single value that changes or stays is filed right', () => {
    const indexer = rig([said('web/a', 'x')]);
    indexer.update(said('web/a', 'x'));
    expect(table(indexer)).toEqual({ x: ['web/a'] });
    indexer.update(said('web/a', 'y'));
    expect(table(indexer)).toEqual({ y: ['web/a'] });
  });

  test('IDX-02: a replace rebuilds every index', () => {
    const indexer = rig([said('web/a', 'x'), said('db/b', 'y')]);
    indexer.replace([said('web/a', 'z'), said('web/c', 'z')], '9');
    expect(table(indexer)).toEqual({ z: ['web/a', 'web/c'] });
    expect(table(indexer, 'namespace')).toEqual({ web: ['web/a', 'web/c'] });
  });

  test('IDX-03: a function that throws leaves the object and every index as they were', () => {
    for (const indexers of [
      { words },
      { first: words, words, size },
      { size: () => ['s'], words, last: () => ['l'] },
    ]) {
      const before = [said('web/a', 'x'), said('web/b', 'x,y')];
      const indexer = rig(before, { indexers });
      const tables = (): unknown => ['namespace', ...Object.keys(indexers)].map((name) => table(indexer, name));
      const expected = tables();
      expect(() => indexer.add(said('new/c', 'boom'))).toThrow(coded('INDEX_FAILED'));
      expect(() => indexer.update(said('web/b', 'boom'))).toThrow(coded('INDEX_FAILED'));
      expect(() => indexer.replace([said('web/z', 'z'), said('web/b', 'boom')], '9')).toThrow(coded('INDEX_FAILED'));
      expect(indexer.list()).toEqual(before);
      expect(tables()).toEqual(expected);
    }
  });

  test('IDX-03: with the namespace index alone, a namespace that is not a string leaves everything untouched', () => {
    const indexer = new Indexer({ key: ({ metadata }: KubeObject) => metadata?.name ?? '' });
    indexer.add(pod('web/a', '1'));
    expect(() => indexer.add({ metadata: { name: 'a', namespace: 7 as unknown as string } })).toThrow(
      coded('INDEX_FAILED'),
    );
    expect(indexer.list()).toEqual([pod('web/a', '1')]);
    expect(table(indexer, 'namespace')).toEqual({ web: ['a'] });
  });

  test('IDX-03: an object whose function fails only later can still be deleted and replaced', () => {
    let broken = false;
    const moody = (object: KubeObject): string[] => {
      if (broken && object.metadata?.name !== 'c') throw new Error('moody');
      return words(object);
    };
    const indexer = rig([said('web/a', 'x,y'), said('web/b', 'y')], { indexers: { words: moody } });
    broken = true;
    indexer.delete(said('web/a', ''));
    expect(table(indexer)).toEqual({ y: ['web/b'] });
    indexer.set('web/b', said('web/c', 'z'));
    expect(table(indexer)).toEqual({ z: ['web/b'] });
  });
});

describe('asking the index', () => {
  test('IDX-04: keys come sorted, whatever the order of adding', () => {
    const indexer = rig(['web/b', 'web/c', 'web/a', 'app/z', 'web/B'].map((key) => said(key, 'x')));
    expect(indexer.indexKeys('words', 'x')).toEqual(['app/z', 'web/B', 'web/a', 'web/b', 'web/c']);
    expect(indexer.indexKeys('words', 'nobody')).toEqual([]);
  });

  test('IDX-04: index gives the objects that share a value with the one given, each once', () => {
    const indexer = rig([said('web/a', 'x,y'), said('web/b', 'y,z'), said('web/c', 'q')]);
    const ask = (text: string): string[] =>
      indexer.index('words', said('any/thing', text)).map(({ metadata }) => metadata?.name ?? '');
    expect(ask('x,y,z').toSorted()).toEqual(['a', 'b']);
    expect(ask('z')).toEqual(['b']);
    expect(ask('nobody,')).toEqual([]);
    expect(ask('')).toEqual([]);
    expect(() => ask('boom')).toThrow(coded('INDEX_FAILED'));
  });

  test('IDX-04: all values of an index are listed, once each', () => {
    const indexer = rig([said('web/a', 'x,y'), said('web/b', 'y')]);
    expect(indexer.indexValues('words').toSorted()).toEqual(['x', 'y']);
  });

  test('IDX-04: an unknown index is an error that names the known ones, and has no values', () => {
    const indexer = rig([said('web/a', 'x')]);
    const unknown = expect.objectContaining({
      code: 'INVALID_OPTION',
      message: expect.stringMatching(/"wrods".*"namespace", "words"/),
    });
    expect(() => indexer.byIndex('wrods', 'x')).toThrow(unknown);
    expect(() => indexer.indexKeys('wrods', 'x')).toThrow(unknown);
    expect(() => indexer.index('wrods', said('web/a', 'x'))).toThrow(unknown);
    expect(indexer.indexValues('wrods')).toEqual([]);
    expect([indexer.hasIndex('wrods'), indexer.hasIndex('words')]).toEqual([false, true]);
    expect(indexer.indexNames()).toEqual(['namespace', 'words']);
    expect(readonlyStore<KubeObject, string>(indexer).indexNames()).toEqual(['namespace', 'words']);
  });

  test('IDX-06: the namespace index is always there, with "" for cluster scope', () => {
    const indexer = rig([said('web/a', ''), said('db/a', ''), said('node-1', '')], {});
    expect(NAMESPACE_INDEX).toBe('namespace');
    expect(table(indexer, NAMESPACE_INDEX)).toEqual({ '': ['node-1'], db: ['db/a'], web: ['web/a'] });
    expect(indexer.byIndex('namespace', '')).toEqual([said('node-1', '')]);
    indexer.set('bare', {});
    expect(indexer.indexKeys('namespace', '')).toEqual(['bare', 'node-1']);
  });
});

describe('adding indexes', () => {
  test('IDX-05: existing objects are indexed at once, and the index is kept up to date', () => {
    const indexer = rig([said('web/a', 'x'), said('web/b', 'x,y')]);
    indexer.addIndexers({ size });
    expect(table(indexer, 'size')).toEqual({ few: ['web/a'], many: ['web/b'] });
    indexer.update(said('web/a', 'q,r'));
    expect(table(indexer, 'size')).toEqual({ many: ['web/a', 'web/b'] });
  });

  test('IDX-05: a name that exists is an error and nothing of the call is added', () => {
    const indexer = rig([said('web/a', 'x')]);
    expect(() => indexer.addIndexers({ size, words: () => ['other'] })).toThrow(coded('INVALID_OPTION'));
    expect(() => indexer.addIndexers({ namespace: () => ['other'] })).toThrow(coded('INVALID_OPTION'));
    expect([indexer.hasIndex('size'), table(indexer)]).toEqual([false, { x: ['web/a'] }]);
  });

  test('IDX-05: if a function fails for an existing object, no index is added', () => {
    const indexer = rig([said('web/a', 'boom')], {});
    expect(() => indexer.addIndexers({ size: () => ['s'], words })).toThrow(coded('INDEX_FAILED'));
    expect([indexer.hasIndex('size'), indexer.hasIndex('words')]).toEqual([false, false]);
    indexer.add(said('web/b', 'x'));
    expect(indexer.size).toBe(2);
  });

  test('IDX-07: the caller’s object is copied, later changes to it change nothing', () => {
    const indexers: Record<string, (object: KubeObject) => string[]> = { words };
    const indexer = rig([], { indexers });
    indexers['words'] = () => ['changed'];
    indexers['late'] = () => ['late'];
    const more: typeof indexers = { size };
    indexer.addIndexers(more);
    more['size'] = () => ['changed'];
    delete indexers['words'];
    indexer.add(said('web/a', 'x'));
    expect([table(indexer), table(indexer, 'size'), indexer.hasIndex('late')]).toEqual([
      { x: ['web/a'] },
      { few: ['web/a'] },
      false,
    ]);
  });

  test('IDX-07: without any indexers given, some can be added later', () => {
    const indexer = new Indexer();
    indexer.addIndexers({ words });
    indexer.add(said('web/a', 'x'));
    expect(table(indexer)).toEqual({ x: ['web/a'] });
  });
});

describe('IDX-02, Trap 20: an object that user code changed in place, then updated', () => {
  const byNode = (object: KubeObject): string[] =>
    (object.metadata?.labels?.['nodes'] ?? '').split(' ').filter((node) => node !== '');
  const on = (nodes: string): KubeObject => pod('web/a', '1', { labels: { nodes } });
  const cases: [string, string, string, string][] = [
    ['to the value of the update', 'n1', 'n2', 'n2'],
    ['to a third value', 'n1', 'n2', 'n3'],
    ['to nothing', 'n1', '', 'n2'],
    ['to a part of its values', 'n1 n2', 'n1', 'n1'],
    ['from nothing', '', 'n1', 'n2'],
    ['to more values', 'n1', 'n1 n2', 'n2 n3'],
  ];
  test.each(cases)('IDX-02: %s', (_, before, inPlace, after) => {
    const indexer = new Indexer({ indexers: { node: byNode } });
    const object = on(before);
    indexer.add(object);
    (object.metadata as { labels: Record<string, string> }).labels['nodes'] = inPlace;
    indexer.update(on(after));
    const nodes = after.split(' ').filter((node) => node !== '');
    expect(indexer.indexValues('node').toSorted()).toEqual(nodes);
    for (const node of nodes) expect(indexer.indexKeys('node', node)).toEqual(['web/a']);
    indexer.deleteKey('web/a');
    expect(indexer.indexValues('node')).toEqual([]);
  });

  test('IDX-02: to another namespace, which is not the one of its key', () => {
    const indexer = new Indexer();
    const object = pod('web/a', '1');
    indexer.add(object);
    (object.metadata as { namespace: string }).namespace = 'shop';
    indexer.update(pod('web/a', '2'));
    expect(indexer.indexValues('namespace')).toEqual(['web']);
    // A key that disagrees with the object is remembered as it is.
    indexer.set('web/a', pod('shop/a', '3'));
    expect(indexer.indexValues('namespace')).toEqual(['shop']);
    indexer.set('web/a', pod('web/a', '4'));
    expect(indexer.indexValues('namespace')).toEqual(['web']);
    indexer.deleteKey('web/a');
    expect(indexer.indexValues('namespace')).toEqual([]);
  });
});

test('IDX-02, Trap 20: an object changed in place leaves no stale entry behind when it is deleted', () => {
  const indexer = new Indexer<KubeObject & { color: string }, 'color'>({ indexers: { color: (o) => [o.color] } });
  const object = { metadata: { name: 'a' }, color: 'red' };
  indexer.add(object);
  object.color = 'blue';
  indexer.deleteKey('a');
  expect(indexer.indexValues('color')).toEqual([]);
  expect(indexer.byIndex('color', 'red')).toEqual([]);
});
