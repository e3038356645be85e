import v8 from 'node:v8';
import vm from 'node:vm';
import { describe, expect, test } from 'vitest';
import { Lister } from '../../src/cluster/lister.ts';
import type { KubeObject } from '../../src/core/object/object.ts';
import type { InformerEvent } from '../../src/informer/handlers/handlers.ts';
import { InformerNames } from '../../src/informer/apply/informer-name.ts';
import type { Registration } from '../../src/informer/registration.ts';
import { Indexer } from '../../src/store/indexer.ts';
import { settle } from '../../src/testing/fake-clock.ts';
import { statusFailure } from '../../src/testing/fake-source.ts';
import { named, rig } from './rig/cluster.rig.ts';
import { countingMetrics, rejected, rig as setRig } from './rig/informer-set.rig.ts';

const never = new Promise<void>(() => {});

/** Runs the garbage collector, which needs no flag this way. */
function collectGarbage(): void {
  v8.setFlagsFromString('--expose-gc');
  (vm.runInNewContext('gc') as () => void)();
}

/** An informer of two namespaces, each with one pod. */
function union(informers = {}) {
  const made = rig(informers);
  made.source('v1/pods a').create(named('a/x'));
  made.source('v1/pods b').create(named('b/y'));
  const pods = made.cluster.informer<KubeObject>('v1/pods', { namespace: ['a', 'b'] });
  return { ...made, pods };
}

describe('stop grace', () => {
  test.each([
    ['one namespace', 'a'],
    ['several namespaces', ['a', 'b']],
  ])('G21: closing waits for a hung callback at most stopGraceMs: %s', async (_, namespace) => {
    const { cluster, source, env } = rig({ stopGraceMs: 5_000 });
    source('v1/pods a').create(named('a/x'));
    source('v1/pods b').create(named('b/y'));
    const pods = cluster.informer('v1/pods', { namespace });
    pods.on({ add: () => never });
    await pods.synced();
    await settle();
    const ends: string[] = [];
    void pods.close().then(() => ends.push('handle'));
    void cluster.close().then(() => ends.push('cluster'));
    await env.clock.advance(4_999);
    expect(ends).toEqual([]);
    await env.clock.advance(1);
    await settle();
    expect(ends).toEqual(['handle', 'cluster']);
    expect(env.lines.filter(({ message }) => message.includes('stopGraceMs'))).not.toEqual([]);
  });

  test('G21: shutdown of a registration has the same limit', async () => {
    const { cluster, source, env } = rig({ stopGraceMs: 5_000 });
    source('v1/pods *').create(named('web/a'));
    const pods = cluster.informer('v1/pods');
    let free = (): void => {};
    const hung = new Promise<void>((resolve) => (free = resolve));
    const registration = pods.on({ add: () => hung });
    await pods.synced();
    await settle();
    let isOver = false;
    void registration.shutdown().then(() => (isOver = true));
    await env.clock.advance(4_999);
    expect(isOver).toBe(false);
    await env.clock.advance(1);
    await settle();
    expect(isOver).toBe(true);
    free();
  });
});

describe('state callbacks', () => {
  test('G21: a closed handle receives nothing more of a cache that another one keeps', async () => {
    const { cluster, source, env } = rig();
    const [mine, other] = [cluster.informer('v1/pods'), cluster.informer('v1/pods')];
    await mine.synced();
    const [received, toldOther]: [string[], string[]] = [[], []];
    mine.onState(({ kind }) => void received.push(kind));
    other.onState(({ kind }) => void toldOther.push(kind));
    await mine.close();
    source('v1/pods *').failNext('watch', statusFailure(503, 'ServiceUnavailable', 'away'), 3);
    source('v1/pods *').cut();
    await env.clock.advance(6_000);
    expect(received).toEqual([]);
    expect(toldOther).toEqual(['stale']);
  });

  test('G3: each handle is called for a restored storage, with the cache already there, and a closed one does not', async () => {
    const { cluster, source, env } = rig();
    const [mine, other] = [cluster.informer('v1/pods'), cluster.informer('v1/pods')];
    const pods = source('v1/pods *');
    pods.create(named('web/a'));
    await mine.synced();
    const received: string[] = [];
    mine.onEpochReset(() => void received.push('mine'));
    other.onEpochReset(() => void received.push(`other ${other.list().length}`));
    other.onEpochReset(() => void received.push('ended'))();
    await mine.close();
    pods.restore([], 1);
    pods.cut();
    await env.clock.advance(60_000);
    expect(received).toEqual(['other 0']);
  });

  test('G21: closing the last handle is reported as the end of the cache', async () => {
    const { cluster } = rig();
    const pods = cluster.informer('v1/pods');
    await pods.synced();
    const received: string[] = [];
    pods.onState(({ kind }) => void received.push(kind));
    await pods.close();
    expect(received).toEqual(['stopped']);
  });

  test('G21: a cluster whose states are followed keeps no cache that was closed', async () => {
    const { cluster } = rig();
    const received: string[] = [];
    const end = cluster.onState(({ resource, now }) => void received.push(`${resource} ${now.kind}`));
    const closed: WeakRef<object>[] = [];
    for (let i = 0; i < 5; i += 1) {
      const pods = cluster.informer('v1/pods');
      await pods.synced();
      closed.push(new WeakRef((cluster.caches()[0] as { informer: object }).informer));
      await pods.close();
    }
    await settle();
    collectGarbage();
    await settle();
    collectGarbage();
    // The last one may still be on the stack.
    expect(closed.filter((one) => one.deref() !== undefined).length).toBeLessThanOrEqual(1);
    expect(received.filter((line) => line.endsWith('stopped'))).toHaveLength(5);
    end();
  });
});

describe('several namespaces', () => {
  test.each(['remove', 'close', 'close of the cluster'])('G21: no callback starts after %s', async (how) => {
    const { pods, cluster } = union();
    const started: string[] = [];
    let free = (): void => {};
    const blocked = new Promise<void>((resolve) => (free = resolve));
    const registration: Registration = pods.on({
      add: ({ key }) => {
        started.push(key);
        return blocked;
      },
    });
    await pods.synced();
    await settle();
    expect(started).toHaveLength(1); // the other one waits for its turn
    const ended = how === 'remove' ? registration.remove() : how === 'close' ? pods.close() : cluster.close();
    free();
    await ended;
    await settle();
    expect(started).toHaveLength(1);
  });

  test('G11: a handler that returns a thenable gets one event at a time, too', async () => {
    const { pods } = union();
    let running = 0;
    let most = 0;
    const later = (done: () => void): void => void settle().then(() => ((running -= 1), done()));
    pods.on({
      add: () => {
        running += 1;
        most = Math.max(most, running);
        // oxlint-disable-next-line unicorn/no-thenable -- what some promise libraries return
        return { then: later } as unknown as Promise<void>;
      },
    });
    await pods.synced();
    for (let turn = 0; turn < 5; turn += 1) await settle();
    expect({ running, most }).toEqual({ running: 0, most: 1 });
  });

  test('a handler that the second namespace refuses is not left at the first', async () => {
    const { pods, cluster } = union();
    await pods.synced();
    await cluster.caches()[1]?.informer.stop();
    expect(() => pods.on({ add: () => {} })).toThrow(/stopped/);
    expect(() => pods.changes()).toThrow(/stopped/);
    expect(cluster.caches()[0]?.informer.health().handlers).toEqual([]);
  });

  test('G19, G20: staleFor and waitForVersion cover all namespaces', async () => {
    const { pods, source } = union();
    expect(pods.staleFor()).toBe(Number.POSITIVE_INFINITY);
    await pods.synced();
    expect(pods.staleFor()).toBe(0);
    source('v1/pods a').create(named('a/z'));
    const { resourceVersion } = source('v1/pods a');
    let isReached = false;
    const reached = pods.waitForVersion(resourceVersion, { timeoutMs: 60_000 }).then(() => (isReached = true));
    await settle();
    expect(isReached).toBe(false); // the other namespace has not received that version
    source('v1/pods b').create(named('b/z'));
    await reached;
    expect(pods.get('a/z')).toBeDefined();
  });

  test('G19: a list of one namespace asks how fresh that one is, as get does; a list of all asks all', async () => {
    const { pods, source, env } = union();
    await pods.synced();
    const refused = statusFailure(403, 'Forbidden', 'no');
    source('v1/pods b').failNext('watch', refused, 100);
    source('v1/pods b').failNext('list', refused, 100);
    source('v1/pods b').cut();
    await env.clock.advance(200_000);
    source('v1/pods a').create(named('a/z'));
    await env.clock.advance(10);
    const fresh = { maxStalenessMs: 75_000 };
    expect(pods.get('a/x', fresh)).toBeDefined();
    expect(pods.list({ namespace: 'a', ...fresh })).toHaveLength(2);
    for (const query of [fresh, { namespace: 'b', ...fresh }])
      expect(() => pods.list(query)).toThrow(expect.objectContaining({ code: 'STALE_CACHE' }) as Error);
  });
});

describe('waitFor', () => {
  test('refuses a condition that returns a promise, and its rejection ends nothing', async () => {
    const { cluster, source } = rig();
    source('v1/pods *').create(named('web/a'));
    const pods = cluster.informer('v1/pods');
    const condition = (() => Promise.reject(new Error('no'))) as unknown as () => boolean;
    const error = await rejected(pods.waitFor('web/a', condition));
    expect(error).toMatchObject({ code: 'INVALID_OPTION', message: expect.stringContaining('a promise') });
    await settle();
  });

  test('refuses it also when the promise is returned for a later state', async () => {
    const { cluster, source } = rig();
    const pods = cluster.informer('v1/pods');
    const condition = (pod: unknown) => (pod === undefined ? false : Promise.resolve(true)) as boolean;
    const waiting = rejected(pods.waitFor('web/a', condition));
    await pods.synced();
    source('v1/pods *').create(named('web/a'));
    expect(await waiting).toMatchObject({ code: 'INVALID_OPTION' });
  });

  test('G15: the reason why the cache is stale is in the error', async () => {
    const { cluster, source, env } = rig();
    const pods = cluster.informer('v1/pods');
    await pods.synced();
    source('v1/pods *').failNext('watch', statusFailure(403, 'Forbidden', 'pods is forbidden'), 1_000);
    source('v1/pods *').failNext('list', statusFailure(403, 'Forbidden', 'pods is forbidden'), 1_000);
    source('v1/pods *').cut();
    await env.clock.advance(30_000);
    const waiting = rejected(pods.waitFor('web/a', (pod) => pod !== undefined, { timeoutMs: 1_000 }));
    await env.clock.advance(1_000);
    expect(await waiting).toMatchObject({ code: 'SYNC_FAILED', message: expect.stringContaining('is forbidden') });
  });
});

test('G21: closing a handle ends its waits, also while another keeps the cache', async () => {
  const { cluster, source, env } = rig();
  source('v1/pods *').delayLists(new Promise(() => {}));
  const [one, other] = [1, 2].map(() => cluster.informer('v1/pods', { watchList: false }));
  const waits = [one?.synced(), one?.waitForVersion('7')].map((wait) => rejected(wait as Promise<void>));
  await env.clock.advance(1_000);
  await one?.close();
  const errors = await Promise.all(waits);
  expect(errors.map(({ code }) => code)).toEqual(['SYNC_FAILED', 'SYNC_FAILED']);
  expect(errors.map(({ message }) => message)).toEqual([
    'v1/pods did not sync before its informer was closed',
    'v1/pods did not reach version 7 before its informer was closed',
  ]);
  expect(other?.state.kind).toBe('starting');
});

test('G19: a lister can require freshness, as its informer', async () => {
  const { informers, pods } = setRig();
  pods.create(named('web/a'));
  const lister = informers.lister('v1/pods');
  expect(() => lister.list({ maxStalenessMs: 1_000 })).toThrow(/has not synced yet/);
  informers.start();
  await informers.synced();
  expect(lister.namespace('web').get('a', { maxStalenessMs: 1_000 }).metadata?.name).toBe('a');
  expect(() => lister.find('web/a', { notOlderThan: '99' })).toThrow(/notOlderThan/);
  expect(lister.list({ namespace: 'web', maxStalenessMs: 1_000 })).toHaveLength(1);
  await informers.shutdown();
  const bare = new Lister(new Indexer(), { resource: 'v1/pods' });
  expect(() => bare.list({ maxStalenessMs: 1_000 })).toThrow(/without an informer/);
});

describe('changes', () => {
  test('a signal that is aborted already gives an iteration that has ended', async () => {
    const { cluster } = rig();
    const pods = cluster.informer('v1/pods');
    expect(await pods.changes({ signal: AbortSignal.abort() }).next()).toEqual({ done: true, value: undefined });
    expect(cluster.caches()[0]?.informer.health().handlers).toEqual([]);
  });

  test('calls of next that do not wait for each other are answered in order, each with its own change', async () => {
    const { cluster, source } = rig();
    const pods = cluster.informer('v1/pods');
    await pods.synced();
    const changes = pods.changes();
    const both = Promise.all([changes.next(), changes.next()]);
    source('v1/pods *').create(named('web/a'));
    source('v1/pods *').create(named('web/b'));
    const keys = (await both).map(({ value }) => (value as InformerEvent<object>).key);
    expect(keys).toEqual(['web/a', 'web/b']);
    const last = Promise.all([changes.next(), changes.next()]);
    await pods.close();
    expect((await last).map(({ done }) => done)).toEqual([true, true]);
  });

  test('G11: with several namespaces, a change counts as handled before the next one comes', async () => {
    const { pods, cluster } = union();
    const changes = pods.changes();
    await pods.synced();
    const first = await changes.next();
    await settle();
    const pending = cluster.caches().map(({ informer }) => informer.health().handlers[0]?.busyForMs !== undefined);
    expect(pending).toEqual([true, true]);
    const second = await changes.next();
    const keys = [first, second].map(({ value }) => (value as InformerEvent<object>).key);
    expect(keys.toSorted()).toEqual(['a/x', 'b/y']);
  });
});

test('MET-07: a cache that is closed and opened again has its metrics again', async () => {
  const { metrics, series, forget } = countingMetrics();
  const { cluster, source, env } = rig({ name: 'shop', names: new InformerNames(), metrics });
  source('v1/pods *').create(named('web/a'));
  const first = cluster.informer('v1/pods');
  await first.synced();
  const written = series();
  expect(written).not.toEqual([]);
  await first.close();
  forget();
  const second = cluster.informer('v1/pods');
  await second.synced();
  expect(series()).toEqual(written);
  expect(env.lines.filter(({ level }) => level === 'warn')).toEqual([]);
});
