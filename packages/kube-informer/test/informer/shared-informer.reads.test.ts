import { describe, expect, test } from 'vitest';
import { fakeEnv, settle } from '../../src/testing/fake-clock.ts';
import { coded, gate, type Pod, pod, QUEUES, rig, versionOf } from './rig/informer-rig.ts';

const byNode = { node: (object: Pod): string[] => [(object.spec?.['node'] as string | undefined) ?? 'none'] };
const names = (objects: readonly Pod[]): string[] => objects.map(({ metadata }) => metadata?.name ?? '?').sort();

describe.each(QUEUES)('reading, queue %s', (queue) => {
  test('IDX-05 (TestIndexer): objects are found by index, later ones too, and an index added while running works at once', async () => {
    const { informer, source, start } = rig({ queue, indexers: byNode });
    source.create(pod('web/a', { node: 'n1' }));
    source.create(pod('web/b', { node: 'n2' }));
    await start();
    source.create(pod('db/c', { node: 'n1' }));
    source.update(pod('web/b', { node: 'n1' }));
    await settle();
    expect(names(informer.byIndex('node', 'n1'))).toEqual(['a', 'b', 'c']);
    expect(informer.byIndex('node', 'n2')).toEqual([]);
    expect(names(informer.byIndex('namespace', 'web'))).toEqual(['a', 'b']);
    const wider = informer.addIndexers({ initial: (object) => [object.metadata?.name?.[0] ?? ''] });
    expect(wider).toBe(informer);
    expect(names(wider.store.byIndex('initial', 'c'))).toEqual(['c']);
    expect(() => informer.addIndexers({ node: () => [] })).toThrow(coded('INVALID_OPTION'));
    await informer.stop();
    expect(names(informer.byIndex('node', 'n1'))).toEqual(['a', 'b', 'c']);
  });

  test('INF-03, G12: when a handler gets a state, cache and indexes hold it or a newer one', async () => {
    const { informer, source, start } = rig({ queue, indexers: byNode });
    const wrong: string[] = [];
    const check = (key: string, version: string | undefined, there: boolean): void => {
      const cached = informer.get(key);
      if (there && Number(versionOf(cached) ?? 0) < Number(version)) wrong.push(`${key}@${version} is not cached`);
      if (!there && cached !== undefined && Number(versionOf(cached)) < Number(version)) wrong.push(`${key} is there`);
      if (cached !== undefined && !informer.byIndex('node', String(cached.spec?.['node'])).includes(cached))
        wrong.push(`${key} is not indexed`);
    };
    informer.on({
      add: ({ key, object }) => check(key, versionOf(object), true),
      update: ({ key, object }) => check(key, versionOf(object), true),
      delete: ({ key, object }) => check(key, versionOf(object), false),
    });
    expect(informer.store.size).toBe(0);
    for (let i = 0; i < 10; i += 1) source.create(pod(`web/${i}`, { node: `n${i % 3}` }));
    await start();
    for (let i = 0; i < 100; i += 1) {
      if (i % 7 === 0) source.delete(`web/${i % 10}`);
      else source.update(pod(`web/${i % 10}`, { node: `n${i % 4}` }));
      if (i % 5 === 0) await settle();
    }
    await settle();
    expect(wrong).toEqual([]);
    await informer.stop();
  });

  test('G20, F89: waitForVersion resolves when the own write is in the cache, and at once when it already is', async () => {
    const { informer, source, start } = rig({ queue });
    await start();
    const written = source.create(pod('web/a'));
    expect(informer.get('web/a')).toBeUndefined();
    await informer.waitForVersion(versionOf(written) as string);
    expect(informer.get('web/a')).toBe(written);
    await informer.waitForVersion(versionOf(written) as string, { timeoutMs: 0 });
    await informer.waitForVersion('1');
    await informer.stop();
  });

  test('G20: a list ends the wait too', async () => {
    const { informer, source, start } = rig({ queue });
    source.create(pod('web/a'));
    source.create(pod('web/b'));
    const waiting = informer.waitForVersion('3', { timeoutMs: 1_000 });
    await start();
    await waiting;
    expect(informer.store.size).toBe(2);
    await informer.stop();
  });

  test('G20: a bookmark ends the wait for a version that belongs to another resource', async () => {
    const { informer, source, start } = rig({ queue });
    await start();
    let reached = false;
    const waiting = informer.waitForVersion('50').then(() => {
      reached = true;
    });
    source.create(pod('web/a'));
    await settle();
    expect(reached).toBe(false);
    source.send({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '50' } } });
    await waiting;
    await informer.stop();
  });

  test('G20, G19: a version counts as reached only when every change up to it is in the cache', async () => {
    const { informer, source, start } = rig({ queue });
    await start();
    const held = gate();
    informer.on({ add: () => held.opened }, { policy: 'block', limit: 1 });
    for (const name of 'abc') source.create(pod(`web/${name}`));
    await settle();
    // These three wait in the queue; grouped by object, the last would be applied before the one in the middle.
    source.create(pod('web/d'));
    const middle = source.create(pod('web/e'));
    const last = source.update(pod('web/d', { n: 1 }));
    await settle();
    expect(informer.health().pending).toBeGreaterThan(0);
    expect(() => informer.get('web/e', { notOlderThan: versionOf(middle) as string })).toThrow(coded('STALE_CACHE'));
    held.open();
    let early = 0;
    for (let tick = 0; tick < 200; tick += 1) {
      await Promise.resolve();
      if (Number(informer.store.resourceVersion) >= Number(versionOf(middle)) && !informer.store.has('web/e'))
        early += 1;
    }
    await informer.waitForVersion(versionOf(last) as string);
    expect([early, informer.get('web/e'), informer.get('web/d')]).toEqual([0, middle, last]);
    await informer.stop();
  });

  test('G20: waiting for a version has a deadline, a signal, and ends with the informer', async () => {
    const { informer, clock, start } = rig({ queue });
    await start();
    const late = informer.waitForVersion('99', { timeoutMs: 5_000 }).catch((error: unknown) => error);
    await clock.advance(5_000);
    expect(await late).toMatchObject({
      code: 'SYNC_FAILED',
      message: expect.stringMatching(/pods at version 99 did not sync within 5000 ms/) as unknown,
    });
    const stop = new AbortController();
    const aborted = informer.waitForVersion('99', { signal: stop.signal });
    stop.abort();
    await expect(aborted).rejects.toThrow(coded('ABORTED'));
    const ended = informer.waitForVersion('99');
    await Promise.all([expect(ended).rejects.toThrow(coded('SYNC_FAILED')), informer.stop()]);
    expect(clock.sleeping).toBe(0);
  });

  test('G19, F89: a read may ask for a cache that is not older than a version, or than a time', async () => {
    const { informer, source, clock, start } = rig({ queue, indexers: byNode });
    source.create(pod('web/a'));
    expect(() => informer.get('web/a', { maxStalenessMs: 1_000 })).toThrow(coded('STALE_CACHE'));
    await start();
    const fresh = { maxStalenessMs: 1_000, notOlderThan: '2' };
    expect([informer.get('web/a', fresh), informer.list(fresh)[0], informer.byIndex('node', 'none', fresh)[0]]).toEqual(
      Array.from({ length: 3 }, () => source.get('web/a')),
    );
    for (const read of [
      () => informer.get('web/a', { notOlderThan: '3' }),
      () => informer.list({ notOlderThan: '3' }),
      () => informer.byIndex('node', 'none', { notOlderThan: '3' }),
    ]) {
      expect(read).toThrow(/pods is at version 2, notOlderThan is 3; wait with waitForVersion\(\)/);
    }
    await clock.advance(1_001);
    expect(() => informer.list({ maxStalenessMs: 1_000 })).toThrow(/was last known to be current 1001 ms ago/);
    expect(informer.list({ maxStalenessMs: 1_001 })).toHaveLength(1);
    source.create(pod('web/b'));
    await settle();
    expect(informer.list({ maxStalenessMs: 0 })).toHaveLength(2);
    await informer.stop();
  });

  test('INF-19, F88: there is no way to write into the cache from outside', async () => {
    const { informer, source, start } = rig({ queue });
    source.create(pod('web/a'));
    await start();
    const { store } = informer;
    for (const method of ['add', 'update', 'delete', 'set', 'replace', 'bookmark', 'deleteKey', 'addIndexers']) {
      expect(method in store).toBe(false);
    }
    expect(Object.isFrozen(store)).toBe(true);
    store.list().pop();
    store.keys().pop();
    store.byIndex('namespace', 'web').pop();
    expect([store.list().length, store.keys(), store.byIndex('namespace', 'web').length]).toEqual([1, ['web/a'], 1]);
    await informer.stop();
  });

  test('S31: namespaces, labels and index values may be called like parts of every object', async () => {
    const hostile = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
    const indexers = { tier: (object: Pod): string[] => [object.metadata?.labels?.['tier'] ?? 'none'] };
    const { informer, source, start, heard } = rig({ queue, indexers });
    for (const name of hostile) source.create(pod(`${name}/${name}`, {}, { labels: { tier: name } }));
    await start();
    for (const name of hostile) {
      expect(names(informer.byIndex('namespace', name))).toEqual([name]);
      expect(names(informer.byIndex('tier', name))).toEqual([name]);
      expect(informer.get(`${name}/${name}`)?.metadata?.name).toBe(name);
    }
    expect(informer.byIndex('tier', 'valueOf')).toEqual([]);
    expect(heard.view.size).toBe(hostile.length);
    for (const name of hostile) source.delete(`${name}/${name}`);
    await settle();
    expect([informer.store.size, informer.store.indexValues('tier')]).toEqual([0, []]);
    await informer.stop();
  });
});

test('G7, Trap 17: while a large list is put in place, readers see all of the old cache or all of the new one', async () => {
  let looking = (): void => {};
  // Time passes with every look at the clock, so that long work is cut into slices, and others run between them.
  let looks = 0;
  const base = fakeEnv();
  const env = { ...base, now: () => base.clock.now() + (looks += 1), yield: async () => looking() };
  const { informer, source, relist } = rig({
    env,
    indexers: { half: (object: Pod) => [String(object.spec?.['half'])] },
  });
  for (let i = 0; i < 2_000; i += 1) source.create(pod(`web/${i}`, { half: i % 2, round: 1 }));
  informer.start();
  await settle();
  expect(informer.store.size).toBe(2_000);
  for (let i = 0; i < 2_000; i += 1) source.loseNext(1);
  for (let i = 0; i < 1_000; i += 1) source.delete(`web/${i * 2}`);
  for (let i = 0; i < 1_000; i += 1) source.update(pod(`web/${i * 2 + 1}`, { half: 1, round: 2 }));
  const seen = new Set<string>();
  looking = () => {
    const rounds = new Set(informer.list().map(({ spec }) => spec?.['round']));
    seen.add(
      `${informer.store.size} ${[...rounds].join('+')} ${informer.byIndex('half', '0').length} ${informer.byIndex('half', '1').length}`,
    );
  };
  await relist();
  looking();
  expect([...seen]).toEqual(['2000 1 1000 1000', '1000 2 0 1000']);
  await informer.stop();
});
