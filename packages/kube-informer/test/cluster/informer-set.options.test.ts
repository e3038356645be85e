import { describe, expect, test } from 'vitest';
import type { InformerRequest, SourceFactory } from '../../src/cluster/informer-set-options.ts';
import type { Scope } from '../../src/cluster/scope.ts';
import type { WatchOptions } from '../../src/core/object/list-options.ts';
import type { KubeObject } from '../../src/core/object/object.ts';
import { statusFailure } from '../../src/testing/fake-source.ts';
import { HandlerRecorder } from '../../src/testing/handler-recorder.ts';
import { type Pod, pod, RESOURCES, rig, type RigOptions, thrown } from './rig/informer-set.rig.ts';

describe('options', () => {
  test('FAC-02: a request overrides the resync of a resource, which overrides the default', async () => {
    const { informers, env, servers } = rig({ resyncMs: 60_000, resyncMsByResource: { 'v1/pods': 10_000 } });
    const resyncs = (resource: string, request: InformerRequest<Pod> = {}): (() => number) => {
      const recorder = new HandlerRecorder<Pod>();
      informers.informer<Pod>(resource, request).on(recorder);
      return () => recorder.events.filter((event) => event.type === 'update' && event.resync).length;
    };
    for (const server of Object.values(servers)) server.create(pod('web/a'));
    const services = resyncs('v1/services');
    const pods = resyncs('v1/pods');
    const webPods = resyncs('v1/pods', { namespace: 'web', resyncMs: 30_000 });
    informers.start();
    await env.clock.advance(65_000);
    expect([services(), pods(), webPods()]).toEqual([1, 6, 2]);
    await informers.shutdown();
  });

  test('FAC-02: without a namespace all namespaces are cached', () => {
    const { informers, made } = rig();
    informers.informer('v1/pods');
    expect(made[0]?.scope).toEqual({});
  });

  test('FAC-02: the namespace of the set is the default of every request', () => {
    const { informers, made } = rig({ namespace: 'web' });
    const home = informers.informer('v1/pods');
    expect(informers.informer('v1/pods', { namespace: 'web' })).toBe(home);
    informers.informer('v1/pods', { namespace: 'ops' });
    informers.informer('v1/pods', { namespace: '' });
    expect(made.map(({ scope }) => scope)).toEqual([{ namespace: 'web' }, { namespace: 'ops' }, {}]);
  });

  test('FAC-02: a request overrides the transform of a resource, which overrides the default', async () => {
    const marked =
      (by: string) =>
      (object: KubeObject): KubeObject => ({
        ...object,
        metadata: { ...object.metadata, annotations: { by } },
      });
    // A transform may declare a narrower type.
    const forPods = (object: Pod): Pod => marked('resource')(object);
    const { informers, servers, env } = rig({ transform: marked('set'), transformByResource: { 'v1/pods': forPods } });
    for (const server of Object.values(servers)) server.create(pod('web/a'));
    informers.informer('v1/services');
    informers.informer('v1/pods');
    informers.informer<Pod>('v1/pods', { namespace: 'web', transform: marked('request') });
    informers.start();
    await env.clock.advance(0);
    const by = (resource: string, scope: Scope = {}): string | undefined =>
      informers.lister(resource, scope).get('web/a').metadata?.annotations?.['by'];
    expect(by('v1/services')).toBe('set');
    expect(by('v1/pods')).toBe('resource');
    expect(by('v1/pods', { namespace: 'web' })).toBe('request');
    await informers.shutdown();
  });

  test('FAC-02: every other option of the set is a default that a request can change', async () => {
    const failures: string[] = [];
    const onWatchError = (_: unknown, about: { name: string; type: string }): void =>
      void failures.push(`${about.name}: ${about.type}`);
    const { informers, env, pods, services } = rig({ server: { watchList: false }, pageSize: 3, onWatchError });
    pods.failNext('list', statusFailure(403, 'Forbidden', 'no'));
    informers.informer('v1/pods', { namespace: 'web' });
    informers.informer('v1/services', { pageSize: 7 });
    informers.start();
    await env.clock.advance(0);
    expect(pods.calls[0]?.options.limit).toBe(3);
    expect(services.calls[0]?.options.limit).toBe(7);
    expect(failures).toEqual(['v1/pods in web: v1/pods in web']);
    await informers.shutdown();
  });

  test('FAC-02: an explicit undefined does not undo a default', async () => {
    const { informers, env, pods } = rig({ server: { watchList: false }, pageSize: 3 });
    // JavaScript can pass this.
    informers.informer('v1/pods', { pageSize: undefined, namespace: undefined } as unknown as Scope);
    informers.start();
    await env.clock.advance(0);
    expect(pods.calls[0]?.options.limit).toBe(3);
    await informers.shutdown();
  });

  test('FAC-02: impossible options are refused at once', () => {
    const { informers } = rig();
    const refused = (call: () => unknown): string => {
      const error = thrown(call);
      expect(error.code).toBe('INVALID_OPTION');
      return error.message;
    };
    expect(refused(() => rig({ source: {} as unknown as SourceFactory }))).toContain('option source');
    expect(refused(() => rig({ namespace: '../kube-system' }))).toContain('option namespace');
    expect(refused(() => rig({ resyncMsByResource: { pods: 1_000 } }))).toContain('v1/pods');
    expect(refused(() => rig({ transformByResource: { pods: (object) => object } }))).toContain('v1/pods');
    expect(refused(() => informers.informer('v1/pods', { namespace: 'Web' }))).toContain('option namespace');
    expect(refused(() => informers.informer('v1/pods', { labelSelector: 'a=b=c' }))).toContain('selector');
    expect(refused(() => informers.informer('v1/pods', { fieldSelector: '=' }))).toContain('selector');
  });
});

describe('every informer of a set', () => {
  test('FAC-03: has the index by namespace', async () => {
    const { informers, env, pods } = rig();
    for (const key of ['web/a', 'web/b', 'ops/a']) pods.create(pod(key));
    const informer = informers.informer<Pod>('v1/pods');
    informers.start();
    await env.clock.advance(0);
    expect(informer.byIndex('namespace', 'web')).toHaveLength(2);
    await informers.shutdown();
  });

  test('FAC-03: modify receives a copy of the query of every list and every watch, selectors included', async () => {
    const seen: string[] = [];
    const modify = (options: WatchOptions, verb: 'list' | 'watch'): WatchOptions => {
      seen.push(`${verb} ${options.labelSelector}`);
      return Object.assign(options, { labelSelector: `${options.labelSelector},extra` });
    };
    const { informers, env, pods } = rig({ modify, server: { watchList: false } });
    informers.informer('v1/pods', { labelSelector: 'app=shop' });
    informers.start();
    await env.clock.advance(0);
    pods.cut();
    await env.clock.advance(2_000);
    // The third is the reopened watch; the fourth checks that the server is not behind.
    expect(seen.slice(0, 3)).toEqual(['list app=shop', 'watch app=shop', 'watch app=shop']);
    expect(pods.calls.length).toBe(seen.length);
    for (const { options } of pods.calls) expect(options.labelSelector).toBe('app=shop,extra');
    await informers.shutdown();
  });

  test('FAC-03: namespace, selectors and modify narrow what is cached', async () => {
    const modify = (options: WatchOptions): WatchOptions => ({ ...options, fieldSelector: 'metadata.name!=secret' });
    const { informers, env, pods } = rig({ namespace: 'web', modify });
    pods.create(pod('web/a', { app: 'shop' }));
    pods.create(pod('web/secret', { app: 'shop' }));
    pods.create(pod('web/b', { app: 'blog' }));
    pods.create(pod('ops/a', { app: 'shop' }));
    const all = informers.informer('v1/pods');
    const shop = informers.informer('v1/pods', { labelSelector: 'app=shop' });
    informers.start();
    await env.clock.advance(0);
    expect(all.store.keys()).toEqual(['web/a', 'web/b']);
    expect(shop.store.keys()).toEqual(['web/a']);
    pods.create(pod('web/c', { app: 'shop' }));
    pods.create(pod('ops/c', { app: 'shop' }));
    await env.clock.advance(0);
    expect(shop.store.keys()).toEqual(['web/a', 'web/c']);
    await informers.shutdown();
  });

  test('FAC-03, WLS-03: uses a streaming list if the server supports it', async () => {
    const { informers, env, pods } = rig();
    pods.create(pod('web/a'));
    informers.informer('v1/pods');
    informers.start();
    await env.clock.advance(0);
    await informers.synced();
    expect(pods.calls).toMatchObject([
      { verb: 'watch', options: { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' } },
    ]);
    await informers.shutdown();
  });

  test('FAC-03, LW-06: uses no streaming list if the source does not support it', async () => {
    const { informers, env, pods } = rig({ server: { watchList: false } });
    informers.informer('v1/pods', { watchList: true });
    informers.start();
    await env.clock.advance(0);
    await informers.synced();
    expect(pods.calls.map(({ verb }) => verb)).toEqual(['list', 'watch']);
    expect(pods.calls[1]?.options).not.toHaveProperty('sendInitialEvents');
    expect(informers.health()[0]?.health.usesWatchList).toBe(false);
    await informers.shutdown();
  });

  test('WLS-17: watchList is unset, on or off, for the set and for a request', async () => {
    const firstVerb = async (set: RigOptions, request: { watchList?: boolean }): Promise<string | undefined> => {
      const { informers, env, pods } = rig(set);
      informers.informer('v1/pods', request);
      informers.start();
      await env.clock.advance(0);
      await informers.shutdown();
      return pods.calls[0]?.verb;
    };
    expect(await firstVerb({}, {})).toBe('watch');
    expect(await firstVerb({ watchList: false }, {})).toBe('list');
    expect(await firstVerb({ watchList: false }, { watchList: true })).toBe('watch');
    expect(await firstVerb({}, { watchList: false })).toBe('list');
  });

  test('FAC-01, FAC-03: adds, updates and deletes reach the handlers', async () => {
    const { informers, env, servers } = rig();
    for (const resource of RESOURCES) {
      const recorder = new HandlerRecorder<Pod>();
      servers[resource]?.create(pod('web/a'));
      informers.informer<Pod>(resource).on(recorder);
      informers.start();
      await env.clock.advance(0);
      servers[resource]?.create(pod('web/b'));
      servers[resource]?.update(pod('web/a', { app: 'shop' }));
      servers[resource]?.delete('web/b');
      await env.clock.advance(0);
      expect(recorder.lines).toEqual(['add web/a@2 initial', 'add web/b@3', 'update web/a@2→4', 'delete web/b']);
    }
    await informers.shutdown();
  });
});
