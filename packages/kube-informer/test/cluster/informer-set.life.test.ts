import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { InformerSet } from '../../src/cluster/informer-set.ts';
import type { SourceFactory } from '../../src/cluster/informer-set-options.ts';
import { hasCode } from '../../src/core/errors.ts';
import { isForbidden } from '../../src/core/status.ts';
import { InformerNames, processNames } from '../../src/informer/apply/informer-name.ts';
import { settle } from '../../src/testing/fake-clock.ts';
import { FakeSource, statusFailure } from '../../src/testing/fake-source.ts';
import { countingMetrics, pod, rejected, rig, thrown, warnings } from './rig/informer-set.rig.ts';

describe('start', () => {
  test('FAC-04: starts every informer requested so far, at once and without waiting', async () => {
    const { informers, env, pods, services } = rig();
    const informer = informers.informer('v1/pods');
    expect(informers.start()).toBeUndefined();
    expect(informer.hasStarted).toBe(true);
    const late = informers.informer('v1/services');
    await env.clock.advance(10_000);
    expect(informer.hasSynced).toBe(true);
    expect(late.hasStarted).toBe(false);
    expect(services.calls).toEqual([]);
    informers.start();
    informers.start();
    await env.clock.advance(0);
    expect(late.hasSynced).toBe(true);
    expect([pods.openWatches, services.openWatches]).toEqual([1, 1]);
    expect(warnings(env)).toEqual([]);
    await informers.shutdown();
  });

  test('FAC-04: a later start may use another signal; each informer stops with its own', async () => {
    const { informers, env } = rig();
    const [first, second] = [new AbortController(), new AbortController()];
    const pods = informers.informer('v1/pods');
    informers.start(first.signal);
    const services = informers.informer('v1/services');
    informers.start(second.signal);
    await env.clock.advance(0);
    first.abort();
    await env.clock.advance(0);
    expect([pods.isStopped, services.isStopped]).toEqual([true, false]);
    second.abort();
    await env.clock.advance(0);
    expect(services.isStopped).toBe(true);
    for (const { signal } of [first, second]) expect(getEventListeners(signal, 'abort')).toEqual([]);
    informers.start();
    expect(warnings(env)).toEqual([]);
  });

  test('FAC-04: nothing starts once the set is shutting down', async () => {
    const { informers, env, pods } = rig();
    const informer = informers.informer('v1/pods');
    const over = informers.shutdown();
    informers.start();
    await over;
    informers.start(new AbortController().signal);
    await env.clock.advance(0);
    expect(informer.hasStarted).toBe(false);
    expect(pods.calls).toEqual([]);
    expect(warnings(env)).toEqual([]);
  });

  test('FAC-04: does not touch an informer that its user has started or stopped', async () => {
    const { informers, env, pods } = rig();
    const own = informers.informer('v1/pods').start();
    const given = informers.informer('v1/services');
    await given.stop();
    informers.start();
    await env.clock.advance(0);
    expect(pods.openWatches).toBe(1);
    expect([own.hasStarted, given.hasStarted]).toEqual([true, false]);
    expect(warnings(env)).toEqual([]);
    await informers.shutdown();
  });
});

describe('synced', () => {
  test('FAC-05: waits for the started informers, returns their names, and warns about others', async () => {
    const { informers, env } = rig();
    informers.informer('v1/pods');
    informers.informer('v1/services', { namespace: 'web' });
    informers.start();
    informers.informer('v1/nodes');
    const synced = informers.synced();
    await env.clock.advance(0);
    expect([...(await synced)]).toEqual([
      ['v1/pods', true],
      ['v1/services in web', true],
    ]);
    expect(warnings(env)).toEqual(['synced() does not wait for informers that are not started; call start() first']);
    await informers.shutdown();
  });

  test('FAC-05: without informers it resolves at once and logs nothing', async () => {
    const { informers, env } = rig();
    expect((await informers.synced({ timeoutMs: 1 })).size).toBe(0);
    expect(env.lines).toEqual([]);
  });

  test('FAC-05: resolves only when the last one has synced', async () => {
    const { informers, env, services } = rig({ server: { watchList: false } });
    let answer = (): void => {};
    services.delayLists(new Promise((resolve) => (answer = resolve)));
    informers.informer('v1/pods');
    informers.informer('v1/services');
    informers.start();
    let done = false;
    const waiting = informers.synced().then(() => (done = true));
    await env.clock.advance(60_000);
    expect(done).toBe(false);
    answer();
    await env.clock.advance(0);
    await waiting;
    expect(done).toBe(true);
    await informers.shutdown();
  });

  test('FAC-05: a failure lists the informers that have not synced, sorted, and the reasons', async () => {
    const { informers, env, servers } = rig({ server: { watchList: false } });
    for (const resource of ['v1/pods', 'apps/v1/deployments'])
      servers[resource]?.failNext('list', statusFailure(403, 'Forbidden', `${resource} are forbidden`), 99);
    informers.informer('v1/services');
    informers.informer('v1/pods');
    informers.informer('apps/v1/deployments');
    informers.start();
    const failed = rejected(informers.synced({ timeoutMs: 5_000 }));
    await env.clock.advance(5_000);
    const error = await failed;
    expect(error.code).toBe('SYNC_FAILED');
    expect(error.message).toMatch(
      /^failed to sync all caches: apps\/v1\/deployments, v1\/pods: .*within 5000 ms.*deployments are forbidden.*pods are forbidden/,
    );
    expect(error.message).not.toContain('services');
    expect(isForbidden(error)).toBe(true);
    await informers.shutdown();
  });

  test('FAC-05: an aborted wait has the reason as its cause', async () => {
    const { informers, env, pods } = rig({ server: { watchList: false } });
    pods.delayLists(new Promise(() => {}));
    informers.informer('v1/pods');
    informers.start();
    const stop = new AbortController();
    const reason = new Error('Ctrl-C');
    const failed = rejected(informers.synced({ signal: stop.signal }));
    await env.clock.advance(0);
    stop.abort(reason);
    const error = await failed;
    expect(error.message).toBe('failed to sync all caches: v1/pods: the wait was aborted: Ctrl-C');
    expect(error.code).toBe('SYNC_FAILED');
    expect(hasCode(error, 'ABORTED')).toBe(true);
    expect((error.cause as Error).cause).toBe(reason);
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
    await informers.shutdown();
  });

  test('FAC-05: an informer stopped before it has synced is a failure, one stopped later is not', async () => {
    const { informers, env, pods } = rig({ server: { watchList: false } });
    pods.delayLists(new Promise(() => {}));
    const stuck = informers.informer('v1/pods');
    const fine = informers.informer('v1/services');
    informers.start();
    await env.clock.advance(0);
    await Promise.all([stuck.stop(), fine.stop()]);
    const error = await rejected(informers.synced());
    expect(error.message).toContain('failed to sync all caches: v1/pods: ');
    expect(error.message).toContain('before it was stopped');
  });

  test('FAC-05: leaves no timer behind', async () => {
    const { informers, env } = rig();
    informers.informer('v1/pods');
    informers.start();
    await env.clock.advance(0);
    const before = env.clock.sleeping;
    await informers.synced({ timeoutMs: 60_000 });
    expect(env.clock.sleeping).toBe(before);
    await informers.shutdown();
    expect(env.clock.sleeping).toBe(0);
  });
});

describe('shutdown', () => {
  test('FAC-06: stops the informers without their signals, and waits for them', async () => {
    const { informers, env, pods } = rig();
    const { signal } = new AbortController();
    let finish = (): void => {};
    const informer = informers.informer('v1/pods');
    informer.on({ add: () => new Promise<void>((resolve) => (finish = resolve)) });
    pods.create(pod('web/a'));
    informers.start(signal);
    await env.clock.advance(0);
    let over = false;
    const closing = informers.shutdown().then(() => (over = true));
    await settle();
    expect([informer.isStopped, over]).toEqual([true, false]);
    finish();
    await closing;
    expect(pods.openWatches).toBe(0);
    expect(env.clock.sleeping).toBe(0);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('FAC-06: also waits for informers stopped by their signal', async () => {
    const { informers, env, pods } = rig();
    const stop = new AbortController();
    let finish = (): void => {};
    informers.informer('v1/pods').on({ add: () => new Promise<void>((resolve) => (finish = resolve)) });
    pods.create(pod('web/a'));
    informers.start(stop.signal);
    await env.clock.advance(0);
    stop.abort();
    await settle();
    let over = false;
    const closing = informers.shutdown().then(() => (over = true));
    await settle();
    expect(over).toBe(false);
    finish();
    await closing;
  });

  test('FAC-06, MET-07: the name is released after the last informer has stopped, and nothing is reported afterwards', async () => {
    const { metrics, series, forget } = countingMetrics();
    const { informers, env, pods, names } = rig({ name: 'my-app', metrics });
    let finish = (): void => {};
    informers.informer('v1/pods').on({ add: () => new Promise<void>((resolve) => (finish = resolve)) });
    pods.create(pod('web/a'));
    informers.start();
    await env.clock.advance(0);
    const closing = informers.shutdown();
    await settle();
    expect(thrown(() => names.reserve('my-app')).message).toContain('is taken');
    finish();
    await closing;
    names.reserve('my-app');
    forget();
    pods.create(pod('web/b'));
    await env.clock.advance(60_000);
    expect(series()).toEqual([]);
  });

  test('FAC-06: may be called many times, at once and later; a later call does not release the name of another set', async () => {
    const { informers, env, names } = rig({ name: 'my-app' });
    informers.informer('v1/pods');
    informers.start();
    await env.clock.advance(0);
    await Promise.all([informers.shutdown(), informers.shutdown()]);
    names.reserve('my-app');
    await informers.shutdown();
    await informers[Symbol.asyncDispose]();
    expect(thrown(() => names.reserve('my-app')).message).toContain('is taken');
  });

  test('FAC-06: the state of the informers has the cause of the shutdown', async () => {
    const { informers, env } = rig();
    const informer = informers.informer('v1/pods');
    informers.start();
    await env.clock.advance(0);
    const cause = new Error('the lease was lost');
    await informers.shutdown(cause);
    expect(informer.state).toEqual({ kind: 'stopped', cause });
  });

  test('FAC-06: disposing of a set shuts it down', async () => {
    const { informers, env, pods, names } = rig({ name: 'my-app' });
    informers.informer('v1/pods');
    informers.start();
    await env.clock.advance(0);
    await informers[Symbol.asyncDispose]();
    expect(pods.openWatches).toBe(0);
    expect(() => names.reserve('my-app')).not.toThrow();
  });

  test('FAC-06: rejects the wait for an informer that was never started', async () => {
    const { informers } = rig();
    const waiting = rejected(informers.informer('v1/pods').synced());
    await informers.shutdown();
    expect((await waiting).code).toBe('SYNC_FAILED');
  });

  test('FAC-06: afterwards caches can still be read, and a new informer is refused', async () => {
    const { informers, env, pods, made } = rig();
    pods.create(pod('web/a'));
    const informer = informers.informer('v1/pods');
    informers.start();
    await env.clock.advance(0);
    await informers.shutdown();
    expect(informers.informer('v1/pods')).toBe(informer);
    expect(informers.lister('v1/pods').get('web/a')).toBe(informer.get('web/a'));
    const error = thrown(() => informers.informer('v1/services'));
    expect(error.code).toBe('ILLEGAL_STATE');
    expect(error.message).toContain('v1/services would never start');
    expect(made).toHaveLength(1);
  });
});

describe('names', () => {
  test('MET-06: a name belongs to one set until it is shut down', async () => {
    const { informers, names } = rig({ name: 'my-app' });
    expect(thrown(() => rig({ name: 'my-app', names })).message).toContain('"my-app" is taken');
    await informers.shutdown();
    expect(() => rig({ name: 'my-app', names })).not.toThrow();
  });

  test('MET-06: names are reserved in the process by default', async () => {
    const source: SourceFactory = () => new FakeSource();
    const informers = new InformerSet({ source, name: 'informer-set.test' });
    expect(thrown(() => processNames.reserve('informer-set.test')).code).toBe('INVALID_OPTION');
    await informers.shutdown();
    processNames.reserve('informer-set.test').release();
  });

  test('MET-06: an empty name is refused, and a constructor that throws reserves no name', () => {
    expect(thrown(() => rig({ name: '' })).message).toContain('must not be empty');
    const names = new InformerNames();
    expect(thrown(() => rig({ name: 'my-app', names, namespace: '?' })).message).toContain('option namespace');
    expect(() => names.reserve('my-app')).not.toThrow();
  });

  test('FAC-03, MET-07: the informers of a named set report metrics, each in its own series', async () => {
    const { metrics, series } = countingMetrics();
    const { informers, env, pods } = rig({ name: 'my-app', metrics });
    pods.create(pod('web/a'));
    informers.informer('v1/pods');
    const web = informers.informer('v1/pods', { namespace: 'web' });
    informers.start();
    await env.clock.advance(0);
    expect(series().filter((line) => line.startsWith('informer_store'))).toEqual([
      'informer_store_resource_version my-app/v1/pods',
      'informer_store_resource_version my-app/v1/pods in web',
    ]);
    expect(web.name).toBe('SharedInformer my-app v1/pods in web');
    expect(warnings(env)).toEqual([]);
    await informers.shutdown();
  });

  test('MET-07: a set without a name has no informer metrics', async () => {
    const { metrics, series } = countingMetrics();
    const { informers, env, pods } = rig({ metrics });
    pods.create(pod('web/a'));
    informers.informer('v1/pods');
    informers.start();
    await env.clock.advance(0);
    expect(series()).toEqual([]);
    await informers.shutdown();
  });
});
