import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/core/object/object.ts';
import { Indexer } from '../../src/store/indexer.ts';
import { coded, pod } from './rig/objects.ts';

const colour = (object: KubeObject): string[] => {
  const value = object.metadata?.labels?.['colour'];
  if (value === 'boom') throw new Error('no such colour');
  return value === undefined ? [] : [value];
};
const first = (object: KubeObject): string[] => [object.metadata?.name?.[0] ?? ''];

const painted = (key: string, value: string): KubeObject => pod(key, '1', { labels: { colour: value } });

/** Holds a red and a blue object, at resourceVersion 10. `look` is all that can be seen. */
function rig(): { indexer: Indexer; look: () => unknown; before: unknown } {
  const indexer = new Indexer({ indexers: { colour } });
  indexer.replace([painted('web/a', 'red'), painted('web/b', 'blue')], '10');
  const look = (): unknown => ({
    keys: indexer.keys(),
    list: indexer.list(),
    colours: indexer.indexValues('colour').map((value) => [value, indexer.indexKeys('colour', value)]),
    namespaces: indexer.indexValues('namespace'),
    version: indexer.resourceVersion,
  });
  return { indexer, look, before: look() };
}

describe('a staged replace', () => {
  test('G7: it is invisible until it is committed, and then everything changes at once', () => {
    const { indexer, look, before } = rig();
    const stage = indexer.stageReplace();
    stage.set('db/c', painted('db/c', 'green'));
    stage.set('db/a', painted('db/a', 'red'));
    expect(look()).toEqual(before);
    stage.commit('20');
    expect(look()).toEqual({
      keys: ['db/c', 'db/a'],
      list: [painted('db/c', 'green'), painted('db/a', 'red')],
      colours: [
        ['green', ['db/c']],
        ['red', ['db/a']],
      ],
      namespaces: ['db'],
      version: '20',
    });
  });

  test('G7: one that is given up leaves no trace', () => {
    const { indexer, look, before } = rig();
    indexer.stageReplace().set('db/c', painted('db/c', 'green'));
    expect(look()).toEqual(before);
  });

  test('G7: it knows what was staged, and a second state of a key wins', () => {
    const { indexer } = rig();
    const stage = indexer.stageReplace();
    expect(stage.has('web/a')).toBe(false);
    stage.set('web/a', painted('web/a', 'red'));
    stage.set('web/a', painted('web/a', 'green'));
    expect(stage.has('web/a')).toBe(true);
    stage.commit('20');
    expect([indexer.indexValues('colour'), indexer.size]).toEqual([['green'], 1]);
  });

  test('G7: an object that cannot be indexed is not staged, the others are', () => {
    const { indexer, look, before } = rig();
    const stage = indexer.stageReplace();
    stage.set('web/a', painted('web/a', 'red'));
    expect(() => stage.set('web/x', painted('web/x', 'boom'))).toThrow(coded('INDEX_FAILED'));
    expect(() => stage.set('web/a', painted('web/a', 'boom'))).toThrow(coded('INDEX_FAILED'));
    expect([stage.has('web/x'), look()]).toEqual([false, before]);
    stage.commit('20');
    expect(indexer.list()).toEqual([painted('web/a', 'red')]);
    expect(indexer.indexValues('colour')).toEqual(['red']);
  });

  test('G7: reads during staging see the writes made meanwhile, and the commit still replaces everything', () => {
    const { indexer } = rig();
    const stage = indexer.stageReplace();
    stage.set('web/c', painted('web/c', 'green'));
    indexer.update(painted('web/a', 'yellow'));
    expect(indexer.indexValues('colour').toSorted()).toEqual(['blue', 'yellow']);
    stage.commit('20');
    expect([indexer.keys(), indexer.indexValues('colour')]).toEqual([['web/c'], ['green']]);
  });

  test('G7: what was read before the commit stays what it was', () => {
    const { indexer } = rig();
    const [list, keys, reds, entries] = [
      indexer.list(),
      indexer.keys(),
      indexer.byIndex('colour', 'red'),
      indexer.entries(),
    ];
    indexer.replace([painted('web/z', 'red')], '20');
    expect([list.length, keys, reds]).toEqual([2, ['web/a', 'web/b'], [painted('web/a', 'red')]]);
    expect([...entries].map(([key]) => key)).toEqual(['web/a', 'web/b']);
  });

  test('IDX-05: an index added while a replace is open works before and after the commit', () => {
    const { indexer } = rig();
    const stage = indexer.stageReplace();
    stage.set('web/c', painted('web/c', 'green'));
    indexer.addIndexers({ first });
    expect(indexer.indexValues('first')).toEqual(['a', 'b']);
    stage.set('web/d', painted('web/d', 'green'));
    stage.commit('20');
    expect(indexer.indexValues('first')).toEqual(['c', 'd']);
    indexer.add(painted('web/e', 'red'));
    expect(indexer.indexKeys('first', 'e')).toEqual(['web/e']);
  });

  test('IDX-05: an existing name is refused also while a replace is open, and the commit does not bring it', () => {
    const { indexer } = rig();
    const stage = indexer.stageReplace();
    stage.set('web/c', painted('web/c', 'green'));
    expect(() => indexer.addIndexers({ first, colour: first })).toThrow(coded('INVALID_OPTION'));
    stage.commit('20');
    expect([indexer.hasIndex('first'), indexer.indexValues('colour')]).toEqual([false, ['green']]);
  });

  test('IDX-05, G7: an index that fails for a staged object is refused, and the commit works without it', () => {
    const { indexer, look, before } = rig();
    const stage = indexer.stageReplace();
    stage.set('web/c', painted('web/c', 'green'));
    const picky = ({ metadata }: KubeObject): string[] => {
      if (metadata?.name === 'c') throw new Error('not c');
      return ['ok'];
    };
    expect(() => indexer.addIndexers({ picky })).toThrow(coded('INDEX_FAILED'));
    expect(look()).toEqual(before);
    expect(indexer.hasIndex('picky')).toBe(false);
    stage.commit('20');
    expect(indexer.keys()).toEqual(['web/c']);
    expect(indexer.hasIndex('picky')).toBe(false);
  });
});

describe('returned values', () => {
  test('Trap 20: changing any array that was handed out changes nothing inside', () => {
    const { indexer, look, before } = rig();
    const a = indexer.get('web/a') as KubeObject;
    const handedOut: unknown[][] = [
      indexer.keys(),
      indexer.list(),
      indexer.byIndex('colour', 'red'),
      indexer.byIndex('colour', 'nobody'),
      indexer.indexKeys('colour', 'red'),
      indexer.indexKeys('colour', 'nobody'),
      indexer.indexValues('colour'),
      indexer.indexValues('nobody'),
      indexer.index('colour', a),
    ];
    for (const array of handedOut) array.splice(0, array.length, 'x', 'y');
    expect(look()).toEqual(before);
    expect(indexer.byIndex('colour', 'nobody')).toEqual([]);
    expect(indexer.indexKeys('colour', 'nobody')).toEqual([]);
  });

  test('Trap 20: two calls never share an array', () => {
    const { indexer } = rig();
    const a = indexer.get('web/a') as KubeObject;
    const calls: (() => unknown[])[] = [
      () => indexer.keys(),
      () => indexer.list(),
      () => indexer.byIndex('colour', 'nobody'),
      () => indexer.indexKeys('colour', 'red'),
      () => indexer.indexValues('colour'),
      () => indexer.index('colour', a),
    ];
    for (const call of calls) expect(call()).not.toBe(call());
  });

  test('Trap 20: the lists given to replace and transaction, and the arrays of index functions, are not kept', () => {
    const values = ['red'];
    const indexer = new Indexer({ indexers: { shared: () => values } });
    const list = [pod('web/a')];
    indexer.replace(list, '1');
    list.push(pod('web/b'));
    const writes = [{ type: 'set' as const, object: pod('web/c') }];
    indexer.transaction(writes);
    writes.length = 0;
    values[0] = 'blue';
    expect([indexer.keys(), indexer.indexKeys('shared', 'red')]).toEqual([
      ['web/a', 'web/c'],
      ['web/a', 'web/c'],
    ]);
  });

  test('Trap 20: an index function that fills the same array again and again is filed right', () => {
    const scratch: string[] = [];
    const reuse = (object: KubeObject): string[] => {
      scratch.length = 0;
      scratch.push(...colour(object).flatMap((value) => value.split(',')));
      return scratch;
    };
    for (const indexers of [{ one: reuse }, { one: reuse, two: reuse }]) {
      const indexer = new Indexer({ indexers });
      indexer.add(painted('web/a', 'red'));
      for (const values of ['blue', 'green,grey', 'black,white']) {
        indexer.update(painted('web/a', values));
        for (const name of Object.keys(indexers)) expect(indexer.indexValues(name)).toEqual(values.split(','));
      }
    }
  });
});

test('G7: a stage is over once it is committed or another one begins', () => {
  const indexer = new Indexer();
  const first = indexer.stageReplace();
  const second = indexer.stageReplace();
  expect(() => first.commit('1')).toThrow(expect.objectContaining({ code: 'ILLEGAL_STATE' }));
  second.commit('2');
  expect(() => second.set('a', { metadata: { name: 'a' } })).toThrow(
    expect.objectContaining({ code: 'ILLEGAL_STATE' }),
  );
  expect(indexer.resourceVersion).toBe('2');
});
