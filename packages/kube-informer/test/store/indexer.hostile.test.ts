import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/core/object/object.ts';
import { Indexer } from '../../src/store/indexer.ts';
import { coded, pod } from './rig/objects.ts';

const labels = (object: KubeObject): string[] =>
  Object.entries(object.metadata?.labels ?? {}).map(([name, value]) => `${name}=${value}`);

/** An indexer that answers for `web/a` with whatever `answer` says, and holds it already under `fine`. */
function rig(): { indexer: Indexer; answerWith: (answer: unknown) => void } {
  let answer: unknown = ['fine'];
  const wild = (): string[] => answer as string[];
  const indexer = new Indexer({ indexers: { before: () => ['b'], wild, after: () => ['a'] } });
  indexer.add(pod('web/a', '1'));
  return { indexer, answerWith: (next) => void (answer = next) };
}

const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype', 'valueOf'];

describe('names that mean something to JavaScript', () => {
  const prototype = Object.getOwnPropertyNames(Object.prototype).toSorted();

  test.each(names)('S31, F53: %s is a name, a namespace and a key like any other', (name) => {
    const indexer = new Indexer();
    expect([indexer.get(name), indexer.has(name), indexer.byIndex('namespace', name)]).toEqual([undefined, false, []]);
    const [cluster, inside, both] = [pod(name), pod(`${name}/a`), pod(`${name}/${name}`)];
    for (const object of [cluster, inside, both]) indexer.add(object);
    expect(indexer.get(name)).toBe(cluster);
    expect(indexer.get(`${name}/a`)).toBe(inside);
    expect(indexer.indexKeys('namespace', name)).toEqual([`${name}/a`, `${name}/${name}`].toSorted());
    indexer.delete(inside);
    indexer.delete(both);
    expect(indexer.indexValues('namespace')).toEqual(['']);
    expect(Object.getOwnPropertyNames(Object.prototype).toSorted()).toEqual(prototype);
  });

  test.each(names)('S31, F53: %s is an index value like any other', (name) => {
    const indexer = new Indexer({ indexers: { label: (object) => Object.keys(object.metadata?.labels ?? {}) } });
    expect(indexer.indexKeys('label', name)).toEqual([]);
    // As the wire brings it: an own property, also for `__proto__`.
    const parsed = JSON.parse(`{"metadata":{"name":"a","labels":{${JSON.stringify(name)}:"x"}}}`) as KubeObject;
    indexer.add(parsed);
    expect([indexer.indexValues('label'), indexer.byIndex('label', name)]).toEqual([[name], [parsed]]);
    indexer.replace([parsed, pod('b')], '2');
    expect(indexer.indexKeys('label', name)).toEqual(['a']);
    indexer.delete(pod('a'));
    expect(indexer.indexValues('label')).toEqual([]);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
    expect(Object.getOwnPropertyNames(Object.prototype).toSorted()).toEqual(prototype);
  });

  test.each(names)('S31, F53: %s is the name of an index like any other', (name) => {
    const bare = new Indexer();
    expect([bare.hasIndex(name), bare.indexValues(name)]).toEqual([false, []]);
    expect(() => bare.byIndex(name, 'x')).toThrow(coded('INVALID_OPTION'));
    for (const indexer of [new Indexer({ indexers: { [name]: () => ['x'] } }), bare]) {
      if (indexer === bare) bare.addIndexers({ [name]: () => ['x'] });
      indexer.add(pod('web/a'));
      expect(indexer.indexKeys(name, 'x')).toEqual(['web/a']);
    }
  });
});

describe('index functions that go wrong', () => {
  const million = Array.from({ length: 1_000_000 }, (_, i) => `v${i}`);
  const answers: readonly [string, unknown][] = [
    ['undefined', undefined],
    ['null', null],
    ['a string', 'fine'],
    ['a number', 7],
    ['a Set', new Set(['fine'])],
    ['a promise', Promise.resolve(['fine'])],
    ['an array with a number', ['x', 7]],
    ['an array with undefined', [undefined]],
    ['an array with null', ['x', null]],
    ['an array with holes', Object.assign(Array.from({ length: 0 }), { length: 3 })],
    ['an array with a String object', [Object('x')]],
    ['10,001 values', million.slice(0, 10_001)],
    ['a million values', million],
  ];
  test.each(answers)('F87: %s instead of strings is INDEX_FAILED, and nothing has changed', (_what, answer) => {
    const { indexer, answerWith } = rig();
    answerWith(answer);
    expect(() => indexer.update(pod('web/a', '2'))).toThrow(coded('INDEX_FAILED'));
    expect(() => indexer.add(pod('web/b', '3'))).toThrow(coded('INDEX_FAILED'));
    expect(() => indexer.replace([pod('web/c')], '4')).toThrow(coded('INDEX_FAILED'));
    expect(indexer.list()).toEqual([pod('web/a', '1')]);
    expect(['before', 'wild', 'after', 'namespace'].map((name) => indexer.indexValues(name))).toEqual([
      ['b'],
      ['fine'],
      ['a'],
      ['web'],
    ]);
    expect([indexer.indexKeys('wild', 'fine'), indexer.resourceVersion]).toEqual([['web/a'], '1']);
  });

  test('F87: a function that throws is INDEX_FAILED, with the name of the index and the cause', () => {
    const cause = new Error('cannot');
    const indexer = new Indexer({
      indexers: {
        wild: () => {
          throw cause;
        },
      },
    });
    const failed = expect.objectContaining({
      code: 'INDEX_FAILED',
      message: expect.stringMatching(/"wild".*cannot/),
      cause,
    });
    expect(() => indexer.add(pod('web/a'))).toThrow(failed);
    expect([indexer.size, indexer.indexValues('namespace')]).toEqual([0, []]);
  });

  test('F87: an object filed under very many values can be held, moved and deleted', () => {
    const { indexer, answerWith } = rig();
    answerWith(million.slice(0, 10_000));
    indexer.update(pod('web/b', '2'));
    expect(indexer.indexValues('wild')).toHaveLength(10_001);
    indexer.deleteKey('web/b');
    expect(indexer.indexValues('wild')).toEqual(['fine']);
  });
});

describe('large objects', () => {
  test('S32: names and namespaces of 253 characters are keys like any other', () => {
    const [namespace, name] = ['n'.repeat(253), 'a'.repeat(253)];
    const indexer = new Indexer();
    const object = pod(`${namespace}/${name}`, '1');
    indexer.add(object);
    expect(indexer.get(`${namespace}/${name}`)).toBe(object);
    expect(indexer.indexKeys('namespace', namespace)).toEqual([`${namespace}/${name}`]);
  });

  test('S32: an object with 10,000 labels is filed under each, and leaves no trace when it goes', () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`label-${i}`, 'x']));
    const indexer = new Indexer({ indexers: { labels } });
    indexer.add(pod('web/a', '1', { labels: many }));
    indexer.add(pod('web/b', '2', { labels: { 'label-9999': 'x' } }));
    expect(indexer.indexValues('labels')).toHaveLength(10_000);
    expect(indexer.indexKeys('labels', 'label-9999=x')).toEqual(['web/a', 'web/b']);
    indexer.update(pod('web/a', '3', { labels: { ...many, 'label-0': 'y' } }));
    expect(indexer.indexKeys('labels', 'label-0=x')).toEqual([]);
    indexer.delete(pod('web/a'));
    expect(indexer.indexValues('labels')).toEqual(['label-9999=x']);
  });
});
