import { describe, expect, test } from 'vitest';
import { KubeError } from '../../src/core/errors.ts';
import { expired, statusFailure } from '../../src/testing/fake-source.ts';
import { settle } from '../../src/testing/fake-clock.ts';
import { coded, CountingMetrics, pod, QUEUES, rig } from './rig/informer-rig.ts';

const refused = (): Error => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

describe('states', () => {
  test('G16: idle, starting, synced, stale, synced, stopped', async () => {
    const { informer, source, clock, env, start } = rig();
    expect(informer.state).toEqual({ kind: 'idle' });
    source.failNext('watch', refused());
    await start();
    const startedAt = env.wallNow();
    expect(informer.state).toMatchObject({ kind: 'starting', problem: { since: startedAt, reason: 'unreachable' } });
    await clock.advance(800);
    expect(informer.state).toEqual({ kind: 'synced' });
    source.failNext('watch', refused(), 4);
    source.cut(refused());
    await clock.advance(0);
    const brokeAt = env.wallNow();
    // What the stream has shown counts for 5 s after its end: most are resumed sooner.
    expect(informer.state).toEqual({ kind: 'synced' });
    await clock.advance(5_001);
    expect(informer.state).toMatchObject({ kind: 'stale', since: brokeAt, reason: 'unreachable' });
    await clock.advance(60_000);
    expect(informer.state).toEqual({ kind: 'synced' });
    await informer.stop('done');
    expect(informer.state).toEqual({ kind: 'stopped', cause: 'done' });
  });

  test('G16: starting without a problem has no reason', () => {
    const { informer } = rig();
    informer.start();
    expect(informer.state).toEqual({ kind: 'starting' });
    return informer.stop();
  });

  test.each([
    ['forbidden', statusFailure(403, 'Forbidden', 'no longer')],
    ['unauthorized', statusFailure(401, 'Unauthorized', 'token expired')],
    ['not-found', statusFailure(404, 'NotFound', 'the CRD is gone')],
    ['throttled', statusFailure(429, 'TooManyRequests', 'later')],
    ['server-error', statusFailure(503, 'ServiceUnavailable', 'restarting')],
    ['unreachable', new KubeError('TRANSPORT', 'socket hang up')],
    ['dns', Object.assign(new Error('getaddrinfo'), { code: 'EAI_AGAIN' })],
    ['tls', Object.assign(new Error('certificate has expired'), { code: 'CERT_HAS_EXPIRED' })],
  ])(
    'G16: a synced informer that loses its server is stale and reports why: %s; it can be read, and recovers',
    async (reason, error) => {
      const { informer, source, clock, start } = rig();
      source.create(pod('web/a'));
      await start();
      for (const verb of ['watch', 'list'] as const) source.failNext(verb, error, 4);
      source.cut(error);
      await clock.advance(5_001);
      expect(informer.state).toMatchObject({ kind: 'stale', reason });
      expect(informer.get('web/a')).toBeDefined();
      source.create(pod('web/b'));
      await clock.advance(60_000);
      expect(informer.state).toEqual({ kind: 'synced' });
      expect(informer.get('web/b')).toBeDefined();
      await informer.stop();
    },
  );

  test('G16: an expired watch is followed by a list within the 5 s for which it still counts', async () => {
    const { informer, source, clock, start } = rig();
    await start();
    source.failNext('watch', refused(), 2);
    source.cut(expired('too old'));
    await clock.advance(0);
    expect(informer.state).toEqual({ kind: 'synced' });
    await clock.advance(6_000);
    expect(informer.state).toEqual({ kind: 'synced' });
    await informer.stop();
  });

  test('F76, G16: running out of file descriptors is waited out', async () => {
    const { informer, source, clock, start } = rig();
    const exhausted = Object.assign(new Error('connect EMFILE'), { code: 'EMFILE', syscall: 'connect' });
    source.failNext('watch', exhausted, 6);
    source.failNext('list', exhausted, 6);
    source.create(pod('web/a'));
    await start();
    expect(informer.state).toMatchObject({ kind: 'starting', problem: { reason: 'unreachable' } });
    await clock.advance(180_000);
    expect([informer.state.kind, informer.store.size]).toEqual(['synced', 1]);
    source.failNext('watch', exhausted, 3);
    source.cut(exhausted);
    source.create(pod('web/b'));
    await clock.advance(120_000);
    expect([informer.state.kind, informer.store.size]).toEqual(['synced', 2]);
    // Resumed, not listed again.
    expect(source.calls.filter(({ options }) => 'sendInitialEvents' in options)).toHaveLength(7);
    await informer.stop();
  });
});

describe('errors', () => {
  test('ERR-08, INF-14 (TestSharedInformerErrorHandling): the handler set last is called for every failed cycle', async () => {
    const heard: string[] = [];
    const { informer, source, clock, start, env } = rig({
      serverStreams: false,
      onWatchError: () => heard.push('first'),
    });
    informer.setWatchErrorHandler((error, about) => heard.push(`${about.name}: ${(error as Error).message}`));
    source.failNext('list', new Error('Access Denied'));
    await start();
    expect(heard).toEqual(['pods: failed to list <unspecified>: Access Denied']);
    expect(env.lines.filter(({ level }) => level === 'error')).toEqual([]);
    await clock.advance(800);
    expect(informer.hasSynced).toBe(true);
    await informer.stop();
  });

  test('INF-14 (TestSharedInformerStartRace): transform and error handler can be set before the start, and are refused after it', async () => {
    const { informer, start } = rig();
    informer.setTransform((object) => object);
    informer.setWatchErrorHandler(() => {});
    const starting = start();
    expect(() => informer.setTransform((object) => object)).toThrow(coded('ILLEGAL_STATE'));
    expect(() => informer.setWatchErrorHandler(() => {})).toThrow(
      /setWatchErrorHandler: the informer has already started/,
    );
    await starting;
    await informer.stop();
    expect(() => informer.setTransform((object) => object)).toThrow(coded('ILLEGAL_STATE'));
  });

  test('G22: a server that never works sees less than one request in four seconds, growing apart', async () => {
    const { informer, source, clock, start } = rig();
    const down = statusFailure(500, 'InternalError', 'down');
    source.failNext('watch', down, 10_000);
    source.failNext('list', down, 10_000);
    await start();
    await clock.advance(3_600_000);
    expect(source.calls.length / 3_600).toBeLessThanOrEqual(0.25);
    expect(source.calls.length).toBeGreaterThan(100);
    await informer.stop();
  });

  test('G22: Retry-After is obeyed when it is longer than the backoff', async () => {
    const { informer, source, clock, start } = rig();
    source.failNext('watch', statusFailure(429, 'TooManyRequests', 'later', { details: { retryAfterSeconds: 17 } }));
    await start();
    await clock.advance(16_999);
    expect(source.calls).toHaveLength(1);
    await clock.advance(1);
    expect(source.calls).toHaveLength(2);
    expect(informer.hasSynced).toBe(true);
    await informer.stop();
  });

  test('G22: never more than one watch, and no list besides the probe, however often the connection breaks', async () => {
    const { informer, source, clock, start } = rig();
    await start();
    let most = 0;
    for (let i = 0; i < 50; i += 1) {
      source.create(pod(`web/${i}`));
      source.cut(refused());
      await clock.advance(70_000);
      most = Math.max(most, source.openWatches);
    }
    expect(most).toBe(1);
    const lists = source.calls.filter(({ verb, options }) => verb === 'list' && options.limit !== 1);
    expect([lists, informer.store.size]).toEqual([[], 50]);
    await informer.stop();
  });
});

describe.each(QUEUES)('health, queue %s', (queue) => {
  test('G19: before the start everything is empty, and staleness is infinite', () => {
    const { informer } = rig({ queue });
    expect(informer.health()).toMatchObject({
      state: { kind: 'idle' },
      reflector: { kind: 'idle' },
      lastContactAt: undefined,
      resourceVersion: '',
      objects: 0,
      pending: 0,
      poisoned: [],
      epochs: 0,
      versions: 'ordered',
      usesWatchList: true,
    });
    expect([informer.staleFor(), informer.lastSyncResourceVersion]).toEqual([Number.POSITIVE_INFINITY, '']);
  });

  test('G19, INF-17: contact, version, size and handlers are reported as they are', async () => {
    const { informer, source, clock, env, start } = rig({ queue });
    source.create(pod('web/a'));
    source.create(pod('web/b'));
    await start();
    expect(informer.health()).toMatchObject({
      state: { kind: 'synced' },
      reflector: { kind: 'watching', resourceVersion: '3' },
      lastContactAt: env.wallNow(),
      resourceVersion: '3',
      objects: 2,
      handlers: [{ name: 'heard', pending: 0, synced: true, failures: 0, busyForMs: undefined }],
    });
    await clock.advance(40_000);
    expect(informer.staleFor()).toBe(40_000);
    // The same version once more: the stream delivers, the server may be cut off from its storage.
    source.bookmark();
    await settle();
    expect([informer.staleFor(), informer.lastSyncResourceVersion]).toEqual([40_000, '3']);
    source.delete('web/a');
    await settle();
    expect(informer.staleFor()).toBe(0);
    expect([informer.lastSyncResourceVersion, informer.store.resourceVersion]).toEqual(['4', '4']);
    await informer.stop();
  });

  test('G19, F63: staleness is counted on the clock that does not jump', async () => {
    const { informer, clock, start } = rig({ queue });
    await start();
    await clock.advance(5_000);
    clock.jumpWall(3_600_000);
    expect(informer.staleFor()).toBe(5_000);
    clock.jumpWall(-7_200_000);
    expect(informer.staleFor()).toBe(5_000);
    await informer.stop();
  });

  test('INF-17, STO-06 (TestStoreResourceVersion): the version of the cache follows adds, updates, deletes and bookmarks', async () => {
    const { informer, source, start } = rig({ queue, startVersion: 10 });
    source.create(pod('web/a'));
    await start();
    const seen = [informer.store.resourceVersion];
    const steps = [
      () => source.create(pod('web/b')),
      () => source.update(pod('web/a', { n: 1 })),
      () => source.delete('web/a'),
      () => source.send({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '99' } } }),
    ];
    for (const step of steps) {
      step();
      await settle();
      seen.push(informer.store.resourceVersion);
    }
    expect(seen).toEqual(['11', '12', '13', '14', '99']);
    await informer.stop();
  });
});

test('MET-01: the reflector of an informer counts under the name of the informer', async () => {
  for (const serverStreams of [true, false]) {
    const metrics = new CountingMetrics();
    const { informer, source, start } = rig({ serverStreams, metrics, metricLabels: { resource: 'pods' } });
    source.create(pod('web/a'));
    await start();
    expect(metrics.sum('reflector_lists_total')).toBe(1);
    expect(metrics.labels.get('reflector_lists_total')).toEqual({ name: 'pods', resource: 'pods' });
    expect(metrics.last('reflector_last_resource_version')).toBe(2);
    await informer.stop();
  }
});

test('MET-01: a relist shows in the number of lists, a resumed watch does not, streamed or not', async () => {
  for (const serverStreams of [true, false]) {
    const metrics = new CountingMetrics();
    const { informer, source, start, relist, env } = rig({ serverStreams, metrics });
    source.create(pod('web/a'));
    await start();
    source.cut();
    await env.clock.advance(5_000);
    expect([metrics.sum('reflector_lists_total'), metrics.sum('reflector_watches_total')]).toEqual([1, 2]);
    await relist();
    expect(metrics.sum('reflector_lists_total')).toBe(2);
    await informer.stop();
  }
});
