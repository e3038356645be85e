import { describe, expect, test } from 'vitest';
import { KubeError } from '../../src/core/errors.ts';
import { waitForSync } from '../../src/informer/handlers/wait-for-sync.ts';
import { settle } from '../../src/testing/fake-clock.ts';
import { statusFailure } from '../../src/testing/fake-source.ts';
import { HandlerRecorder } from '../../src/testing/handler-recorder.ts';
import { coded, gate, type Pod, pod, QUEUES, rig, type RigOptions } from './rig/informer-rig.ts';

describe.each(QUEUES)('becoming synced, queue %s', (queue) => {
  test.each([true, false])(
    'INF-16, Trap 7: synced means applied: the cache is complete in the turn it turns true (streamed: %s)',
    async (serverStreams) => {
      const { informer, source, start } = rig({ queue, serverStreams });
      for (const name of 'abc') source.create(pod(`web/${name}`));
      let sizeThen = -1;
      informer.onSynced(() => {
        sizeThen = informer.store.size;
      });
      expect([informer.hasSynced, informer.hasStarted]).toEqual([false, false]);
      await start();
      expect([sizeThen, informer.hasSynced]).toEqual([3, true]);
      await informer.stop();
      expect(informer.hasSynced).toBe(true);
    },
  );

  test('INF-16, Trap 7: an empty first list syncs too, the informer and its handlers', async () => {
    const { informer, start } = rig({ queue });
    const handle = informer.on({});
    await start();
    expect([informer.hasSynced, handle.hasSynced, informer.store.resourceVersion]).toEqual([true, true, '1']);
    await Promise.all([informer.synced(), handle.synced()]);
    await informer.stop();
  });

  test('INF-16: an informer that is stopped before its first list never becomes synced', async () => {
    const { informer, source, start } = rig({ queue, serverStreams: false });
    const answered = gate();
    source.create(pod('web/a'));
    source.delayLists(answered.opened);
    await start();
    await informer.stop();
    answered.open();
    await settle();
    expect([informer.hasSynced, informer.store.size]).toEqual([false, 0]);
  });

  test('Trap 8, DFI-10: every object of the first list is initial, the last one too; what comes later is not, a relist included', async () => {
    const { informer, source, start, heard, relist } = rig({ queue });
    for (const name of 'abc') source.create(pod(`web/${name}`));
    await start();
    expect(heard.lines.map((line) => line.endsWith('initial'))).toEqual([true, true, true]);
    source.create(pod('web/d'));
    source.loseNext(1);
    source.create(pod('web/e'));
    await relist();
    expect(heard.lines.slice(3)).toEqual(['add web/d@5', 'add web/e@6']);
    const late = new HandlerRecorder<Pod>();
    informer.on(late);
    await settle();
    expect(late.lines.every((line) => line.endsWith('initial'))).toBe(true);
    expect(late.lines).toHaveLength(5);
    await informer.stop();
  });

  test('SYN-04, G15: the informer is synced when its cache is, a handler when its callbacks are', async () => {
    const { informer, source, start } = rig({ queue });
    source.create(pod('web/a'));
    source.create(pod('web/b'));
    const callback = gate();
    const handle = informer.on({ add: () => callback.opened });
    await start();
    expect([informer.hasSynced, handle.hasSynced]).toEqual([true, false]);
    const waiting = handle.synced({ timeoutMs: 1_000 });
    callback.open();
    await waiting;
    expect(handle.hasSynced).toBe(true);
    await informer.stop();
  });
});

describe('waiting', () => {
  test('SYN-07: waitForSync is true when all have synced, and false when the signal aborts first', async () => {
    const [quick, slow] = [rig(), rig({ serverStreams: false })];
    const answered = gate();
    slow.source.delayLists(answered.opened);
    await Promise.all([quick.start(), slow.start()]);
    const stop = new AbortController();
    const some = waitForSync([quick.informer, slow.informer], { signal: stop.signal });
    stop.abort();
    expect(await some).toBe(false);
    const all = waitForSync([quick.informer, slow.informer, slow.informer.on({})]);
    answered.open();
    expect(await all).toBe(true);
    await Promise.all([quick.informer.stop(), slow.informer.stop()]);
  });

  test('G15: waiting with a signal rejects ABORTED with the reason of the signal, and leaves no listener', async () => {
    const { informer } = rig();
    const stop = new AbortController();
    const waiting = informer.synced({ signal: stop.signal });
    stop.abort('enough');
    await expect(waiting).rejects.toMatchObject({ code: 'ABORTED', cause: 'enough' });
    await expect(informer.synced({ signal: stop.signal })).rejects.toThrow(coded('ABORTED'));
  });

  test('G15, Trap 19: waits for an informer that is stopped reject, those of its handlers too', async () => {
    const { informer, source, start } = rig({ serverStreams: false });
    source.delayLists(new Promise(() => {}));
    const handle = informer.on({}, { name: 'mine' });
    await start();
    const waiting = [informer.synced(), handle.synced(), informer.waitForVersion('5')].map((each) =>
      each.catch((e: unknown) => e),
    );
    await informer.stop();
    const errors = (await Promise.all(waiting)) as KubeError[];
    expect(errors.map(({ code }) => code)).toEqual(['SYNC_FAILED', 'SYNC_FAILED', 'SYNC_FAILED']);
    expect(errors[0]?.message).toMatch(/pods did not sync before it was stopped/);
    expect(errors[1]?.message).toMatch(/event handler mine did not sync/);
    await expect(informer.synced()).rejects.toThrow(coded('SYNC_FAILED'));
  });

  test('G15: a handler that is removed, or stopped, before its last initial add never becomes synced, and its waits reject', async () => {
    for (const end of ['remove', 'shutdown', 'stop'] as const) {
      const { informer, source, start } = rig();
      for (const name of 'abc') source.create(pod(`web/${name}`));
      const callback = gate();
      const handle = informer.on({ add: () => callback.opened });
      await start();
      const waiting = handle.synced().catch((error: unknown) => error);
      const ended = end === 'stop' ? informer.stop() : handle[end]();
      await settle();
      callback.open();
      await ended;
      expect(await waiting).toMatchObject({
        code: 'SYNC_FAILED',
        message: expect.stringMatching(/its callbacks have not finished yet/) as unknown,
      });
      expect(handle.hasSynced).toBe(false);
      await expect(handle.synced()).rejects.toThrow(coded('SYNC_FAILED'));
      await informer.stop();
    }
  });

  test('G15, F66: a deadline or a staleness that is not a duration is refused', async () => {
    const { informer, start } = rig();
    for (const ms of [Number.NaN, -1, '5', null] as number[]) {
      await expect(informer.synced({ timeoutMs: ms })).rejects.toThrow(coded('INVALID_OPTION'));
      await expect(informer.on({}).synced({ timeoutMs: ms })).rejects.toThrow(coded('INVALID_OPTION'));
      await expect(informer.waitForVersion('1', { timeoutMs: ms })).rejects.toThrow(coded('INVALID_OPTION'));
      expect(() => informer.list({ maxStalenessMs: ms })).toThrow(coded('INVALID_OPTION'));
    }
    await start();
    await informer.synced({ timeoutMs: Number.POSITIVE_INFINITY });
    await informer.stop();
  });

  test('G15: a wait for an informer that was not started reports that', async () => {
    const { informer, clock } = rig();
    const waiting = [informer.synced({ timeoutMs: 10 }), informer.on({}).synced({ timeoutMs: 10 })].map((each) =>
      each.catch((error: unknown) => error),
    );
    await clock.advance(10);
    for (const error of await Promise.all(waiting))
      expect(error).toMatchObject({ message: expect.stringMatching(/\(it has not been started\)/) as unknown });
  });

  test('G15: a deadline that is met leaves no sleeper behind', async () => {
    const { informer, clock, start } = rig();
    const waiting = informer.synced({ timeoutMs: 60_000 });
    await start();
    await waiting;
    const asleep = clock.sleeping;
    await informer.synced({ timeoutMs: 60_000 });
    expect(clock.sleeping).toBe(asleep);
    await informer.stop();
    expect(clock.sleeping).toBe(0);
  });
});

const system = (code: string, message: string): Error =>
  new KubeError('TRANSPORT', 'GET /api/v1/pods failed', { cause: Object.assign(new Error(message), { code }) });

describe('why it did not sync', () => {
  test.each<[string, unknown, string, RegExp]>([
    [
      '403',
      statusFailure(403, 'Forbidden', 'pods is forbidden: User "x" cannot list'),
      'forbidden',
      /forbidden.*cannot list/,
    ],
    [
      '404',
      statusFailure(404, 'NotFound', 'the server could not find the requested resource'),
      'not-found',
      /not-found.*could not find/,
    ],
    ['401', statusFailure(401, 'Unauthorized', 'Unauthorized'), 'unauthorized', /unauthorized/],
    ['TLS', system('DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate'), 'tls', /tls/],
    ['DNS', system('ENOTFOUND', 'getaddrinfo ENOTFOUND api.example'), 'dns', /dns/],
    ['refused', system('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:6443'), 'unreachable', /unreachable/],
    ['500', statusFailure(500, 'InternalError', 'etcd is down'), 'server-error', /server-error.*etcd is down/],
    ['429', statusFailure(429, 'TooManyRequests', 'slow down'), 'throttled', /throttled/],
  ])('G15: synced rejects in time with the reason: %s', async (_, error, reason, message) => {
    const { informer, source, clock, start } = rig();
    source.failNext('watch', error, 100);
    source.failNext('list', error, 100);
    const waiting = informer.synced({ timeoutMs: 30_000 }).catch((failed: unknown) => failed);
    await start();
    await clock.advance(29_999);
    expect(informer.state).toMatchObject({ kind: 'starting', problem: { reason } });
    await clock.advance(1);
    const failed = (await waiting) as KubeError;
    expect(failed).toMatchObject({ code: 'SYNC_FAILED' });
    expect(failed.message).toMatch(/^SharedInformer pods did not sync within 30000 ms/);
    expect(failed.message).toMatch(message);
    expect(failed.cause).toBeDefined();
    // G16: it was only the waiting that ended.
    expect(informer.isStopped).toBe(false);
    await informer.stop();
  });

  test('G15: a server that never ends its streamed list is named, and found out after the marker deadline', async () => {
    const silent: RigOptions<never> = {
      wrap: (source) => ({
        list: source.list,
        watch: (options, signal) => source.watch({ ...options, sendInitialEvents: false, resourceVersion: '' }, signal),
      }),
    };
    const { informer, source, clock, start, logged } = rig(silent);
    source.create(pod('web/a'));
    source.failNext('list', statusFailure(500, 'InternalError', 'no'), 100);
    const waiting = informer.synced({ timeoutMs: 29_000 }).catch((failed: unknown) => failed);
    await start();
    await clock.advance(29_000);
    expect((await waiting) as KubeError).toMatchObject({
      code: 'SYNC_FAILED',
      message: expect.stringMatching(/the server has not sent everything yet/) as unknown,
    });
    expect(logged('warn', 'still waiting for the end marker').length).toBeGreaterThan(0);
    await clock.advance(1_000);
    expect(informer.health().usesWatchList).toBe(false);
    expect(logged('warn', 'the streaming list failed; using a plain list')[0]?.fields['error']).toMatch(
      /no end marker within 30 s/,
    );
    await informer.stop();
  });

  test('G15, G16: when the reason goes away, it syncs', async () => {
    const { informer, source, clock, start } = rig();
    const forbidden = statusFailure(403, 'Forbidden', 'not yet');
    source.failNext('watch', forbidden, 3);
    source.failNext('list', forbidden, 3);
    source.create(pod('web/a'));
    const waiting = informer.synced({ timeoutMs: 60_000 });
    await start();
    await clock.advance(10_000);
    await waiting;
    expect(informer.state).toEqual({ kind: 'synced' });
    await informer.stop();
  });
});

test('SYN-12: with failFast the first 403 rejects at once, and a server that is away does not', async () => {
  const { informer, source, clock, start } = rig({});
  const away = statusFailure(503, 'ServiceUnavailable', 'away');
  const forbidden = statusFailure(403, 'Forbidden', 'pods is forbidden');
  for (const verb of ['list', 'watch'] as const) {
    source.failNext(verb, away, 3);
    source.failNext(verb, forbidden, 100);
  }
  await start();
  let outcome: unknown = 'waiting';
  const wait = informer.synced({ failFast: true }).catch((error: unknown) => (outcome = error));
  expect([informer.state, outcome]).toMatchObject([{ problem: { reason: 'server-error' } }, 'waiting']);
  await clock.advance(60_000);
  await wait;
  expect(outcome).toMatchObject({
    code: 'SYNC_FAILED',
    message: expect.stringMatching(/did not sync \(forbidden: .*pods is forbidden/),
  });
  // A problem that is there already ends the wait at once; the others keep waiting.
  await expect(informer.synced({ failFast: true })).rejects.toThrow('forbidden');
  await informer.stop();
});
