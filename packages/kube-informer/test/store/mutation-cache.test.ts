import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/core/object/object.ts';
import { Indexer } from '../../src/store/indexer.ts';
import { MutationCache, type MutationCacheOptions } from '../../src/store/mutation-cache.ts';
import { fakeEnv, type FakeEnv } from '../../src/testing/fake-clock.ts';
import { coded, pod, versionOf } from './rig/objects.ts';

const byColour = { colour: (object: KubeObject) => [object.metadata?.labels?.['colour'] ?? ''] };

interface Rig {
  readonly store: Indexer;
  readonly cache: MutationCache;
  readonly env: FakeEnv;
  /** The resourceVersion a read by key gives. */
  readonly read: (key?: string) => string | undefined;
}

function rig(options: MutationCacheOptions<KubeObject> = {}): Rig {
  const env = fakeEnv();
  const store = new Indexer({ indexers: byColour });
  const cache = new MutationCache(store, { indexers: byColour, env, ...options });
  return { store, cache, env, read: (key = 'web/a') => versionOf(cache.get(key)) };
}

const red = (key: string, version: string): KubeObject => pod(key, version, { labels: { colour: 'red' } });

describe('remembered objects', () => {
  test('MUT-01: an entry is read up to and including five minutes, not longer', () => {
    const { store, cache, env, read } = rig();
    store.add(pod('web/a', '1'));
    cache.mutation(pod('web/a', '2'));
    env.clock.freeze(300_000);
    expect(read()).toBe('2');
    env.clock.freeze(1);
    expect(read()).toBe('1');
  });

  test('MUT-01: the hundred entries used last are kept, the others give way', () => {
    const { cache, read } = rig({ includeAdds: true });
    for (let i = 0; i < 100; i += 1) cache.mutation(pod(`web/${i}`, '1'));
    expect(read('web/0')).toBe('1');
    cache.mutation(pod('web/100', '1'));
    expect([read('web/0'), read('web/1'), read('web/2'), read('web/100')]).toEqual(['1', undefined, '1', '1']);
  });

  test('MUT-01: number and age can be chosen, impossible ones are refused', () => {
    const { cache, env, read } = rig({ includeAdds: true, maxEntries: 1, ttlMs: 10 });
    cache.mutation(pod('web/a', '1'));
    cache.mutation(pod('web/b', '1'));
    expect([read('web/a'), read('web/b')]).toEqual([undefined, '1']);
    env.clock.freeze(11);
    expect(read('web/b')).toBeUndefined();
    for (const wrong of [{ maxEntries: 0 }, { maxEntries: 1.5 }, { ttlMs: 0 }, { ttlMs: Number.NaN }]) {
      expect(() => rig(wrong)).toThrow(coded('INVALID_OPTION'));
    }
  });

  test('MUT-01: writing an entry again renews its time and its place', () => {
    const { cache, env, read } = rig({ includeAdds: true, maxEntries: 2, ttlMs: 100 });
    cache.mutation(pod('web/a', '1'));
    cache.mutation(pod('web/b', '1'));
    env.clock.freeze(60);
    cache.mutation(pod('web/a', '2'));
    cache.mutation(pod('web/c', '1'));
    expect(read('web/b')).toBeUndefined();
    env.clock.freeze(60);
    cache.mutation(pod('web/a', '2'));
    env.clock.freeze(60);
    expect(read('web/a')).toBe('2');
  });

  test('MUT-01: versions are compared by length, then text, beyond what a double can hold', () => {
    const { store, cache, read } = rig();
    store.add(pod('web/a', '9'));
    cache.mutation(pod('web/a', '10'));
    expect(read()).toBe('10');
    cache.mutation(pod('web/a', '9007199254740993'));
    cache.mutation(pod('web/a', '9007199254740992'));
    expect(read()).toBe('9007199254740993');
  });

  test('MUT-01: a missing version, "" and "0" are older than any other', () => {
    for (const oldest of [pod('web/a'), pod('web/a', ''), pod('web/a', '0')]) {
      const { store, cache, read } = rig();
      store.add(oldest);
      cache.mutation(pod('web/a', '1'));
      expect(read()).toBe('1');
      cache.mutation(oldest);
      expect(read()).toBe('1');
    }
  });

  test('MUT-01: a version that is not a number is refused in every call', () => {
    const { store, cache } = rig({ includeAdds: true });
    for (const wrong of ['abc', '1a', '-1', '007', '1.5']) {
      expect(() => cache.mutation(pod('web/a', wrong))).toThrow(coded('INVALID_OPTION'));
      expect(() => cache.onDelete(pod('web/a', wrong))).toThrow(coded('INVALID_OPTION'));
    }
    cache.mutation(pod('web/a', '5'));
    expect(() => cache.onAddOrUpdate(pod('web/a', 'abc'))).toThrow(coded('INVALID_OPTION'));
    store.add(pod('web/a', 'abc'));
    expect(() => cache.get('web/a')).toThrow(coded('INVALID_OPTION'));
  });
});

describe('reading by key', () => {
  test('MUT-02: the newer of both is read', () => {
    const { store, cache, read } = rig();
    store.add(pod('web/a', '5'));
    cache.mutation(pod('web/a', '7'));
    expect([read(), read()]).toEqual(['7', '7']);
    store.update(pod('web/a', '8'));
    expect(read()).toBe('8');
  });

  test('MUT-02: an entry the store has caught up with is dropped for good', () => {
    for (const caughtUp of ['7', '8']) {
      const { store, cache, read } = rig({ includeAdds: true });
      cache.mutation(pod('web/a', '7'));
      store.add(pod('web/a', caughtUp));
      expect(read()).toBe(caughtUp);
      store.deleteKey('web/a');
      expect(read()).toBeUndefined();
    }
  });

  test('MUT-02: what the store does not have is not found, unless adds are included', () => {
    const without = rig();
    without.cache.mutation(pod('web/a', '7'));
    expect(without.read()).toBeUndefined();
    const including = rig({ includeAdds: true });
    including.cache.mutation(pod('web/a', '7'));
    expect(including.read()).toBe('7');
  });

  test('MUT-02: an object only remembered is found again and again', () => {
    const { cache, read } = rig({ includeAdds: true });
    cache.mutation(pod('web/a', '7'));
    expect([read(), read(), read()]).toEqual(['7', '7', '7']);
  });

  test('MUT-02, MUT-06: a remembered deletion is never read, and does not hide what the store has', () => {
    const { store, cache, read } = rig({ includeAdds: true });
    cache.onDelete(pod('web/a', '9', { uid: 'u1' }));
    expect(cache.get('web/a')).toBeUndefined();
    expect(cache.byIndex('namespace', 'web')).toEqual([]);
    store.add(pod('web/a', '5', { uid: 'u1' }));
    expect(read()).toBe('5');
    expect(cache.byIndex('namespace', 'web').map(versionOf)).toEqual(['5']);
  });
});

describe('reading by index', () => {
  test('MUT-03: each object filed by the store is given in its newest state', () => {
    const { store, cache } = rig();
    store.add(red('web/a', '1'));
    store.add(red('web/b', '2'));
    cache.mutation(red('web/a', '3'));
    cache.mutation(red('web/new', '4'));
    expect(cache.byIndex('colour', 'red').map(versionOf)).toEqual(['3', '2']);
  });

  test('MUT-03: with adds included, unseen objects are filed by the same functions', () => {
    const { store, cache } = rig({ includeAdds: true });
    store.add(red('web/a', '1'));
    cache.mutation(red('web/new', '4'));
    cache.mutation(pod('web/blue', '5', { labels: { colour: 'blue' } }));
    expect(cache.byIndex('colour', 'red').map(versionOf)).toEqual(['1', '4']);
    expect(cache.byIndex('namespace', 'web').map(versionOf)).toEqual(['1', '4', '5']);
    expect(cache.byIndex('namespace', 'other')).toEqual([]);
  });

  test('MUT-03: an object that has just become red is found there, until the store has a newer state', () => {
    const { store, cache } = rig({ includeAdds: true });
    store.add(pod('web/a', '1'));
    cache.mutation(red('web/a', '2'));
    expect(cache.byIndex('colour', 'red').map(versionOf)).toEqual(['2']);
    store.update(pod('web/a', '3'));
    expect(cache.byIndex('colour', 'red')).toEqual([]);
  });

  test('MUT-03: an unknown index is an error, also one whose function the cache was not given', () => {
    expect(() => rig().cache.byIndex('size', 'big')).toThrow(coded('INVALID_OPTION'));
    const { store, cache } = rig({ includeAdds: true });
    store.addIndexers({ size: () => ['big'] });
    expect(() => cache.byIndex('size', 'big')).toThrow(coded('INVALID_OPTION'));
    const reading = rig({ indexers: {} });
    reading.store.add(red('web/a', '1'));
    expect(reading.cache.byIndex('colour', 'red')).toHaveLength(1);
  });

  test('MUT-03: an index function that fails for an unseen object leaves it out and says so', () => {
    const indexers = {
      colour: (object: KubeObject) => {
        if (object.metadata?.name === 'bad') throw new Error('no colour');
        return ['red'];
      },
    };
    const { cache, env } = rig({ includeAdds: true, indexers });
    cache.mutation(pod('web/bad', '1'));
    cache.mutation(pod('web/good', '2'));
    expect(cache.byIndex('colour', 'red').map(versionOf)).toEqual(['2']);
    expect(env.lines).toMatchObject([{ level: 'error', fields: { index: 'colour', error: { message: 'no colour' } } }]);
  });

  test('MUT-03: reading by index does not count as use', () => {
    const { store, cache, read } = rig({ includeAdds: true, maxEntries: 2 });
    store.add(red('web/a', '1'));
    cache.mutation(red('web/a', '2'));
    cache.mutation(pod('web/b', '3'));
    expect(cache.byIndex('colour', 'red').map(versionOf)).toEqual(['2']);
    cache.mutation(pod('web/c', '4'));
    expect([read('web/a'), read('web/b'), read('web/c')]).toEqual(['1', '3', '4']);
  });

  test('MUT-03: reading unseen objects by index does not count as use either', () => {
    const { store, cache, read } = rig({ includeAdds: true, maxEntries: 2 });
    store.add(red('web/a', '1'));
    cache.mutation(red('web/unseen', '2'));
    cache.mutation(red('web/a', '3'));
    expect(cache.byIndex('colour', 'red').map(versionOf)).toEqual(['3', '2']);
    cache.mutation(pod('web/c', '4'));
    expect([read('web/unseen'), read('web/a'), read('web/c')]).toEqual([undefined, '3', '4']);
  });

  test('MUT-01, MUT-03: an entry past its time is not found by index', () => {
    const { store, cache, env } = rig({ includeAdds: true });
    store.add(red('web/a', '1'));
    cache.mutation(red('web/a', '2'));
    cache.mutation(red('web/unseen', '3'));
    env.clock.freeze(300_000);
    expect(cache.byIndex('colour', 'red').map(versionOf)).toEqual(['2', '3']);
    env.clock.freeze(1);
    expect(cache.byIndex('colour', 'red').map(versionOf)).toEqual(['1']);
  });
});
