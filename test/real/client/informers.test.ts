import { request } from 'node:https';
import type { ConfigMap, CustomResourceDefinition } from '@kube-informer/kubernetes';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type KubeObject, SharedInformer, systemEnv } from 'kube-informer';
import { isExpired, isNotFound } from 'kube-informer/core';
import type { ListWatch } from 'kube-informer/informer';
import { failure, rig } from './rig.ts';
import { whatIsMissing } from '../harness/binaries.ts';
import { ControlPlane } from '../harness/control-plane.ts';
import { Observed, type ObservedOptions } from '../harness/observed.ts';
import { until } from '../harness/until.ts';

const missing = await whatIsMissing();
if (missing !== undefined)
  console.warn(`\nSKIPPED: watches and informers of the client on a real kube-apiserver: ${missing}\n`);

interface Widget extends KubeObject {
  readonly spec?: { readonly size?: number };
}

function widgetDefinition(plural = 'widgets', kind = 'Widget'): CustomResourceDefinition {
  return {
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural, kind, singular: kind.toLowerCase() },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
            },
          },
        },
      ],
    },
  };
}

/** The status of a POST whose body is text. */
function post(plane: ControlPlane, path: string, body: string): Promise<number> {
  const { ca, token } = plane.credentials;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const sent = request(`${plane.url}${path}`, { method: 'POST', ca, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject).end(body);
  });
}

describe.skipIf(missing !== undefined)('watches and informers of the client on a real kube-apiserver', () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await ControlPlane.start({ log: (line) => console.log(line) });
  }, 1_800_000);
  afterAll(() => plane?.[Symbol.asyncDispose]());

  /** An informer that runs until the test is over. */
  function observe<T extends KubeObject>(
    source: ListWatch<T>,
    options: ObservedOptions,
    informers: { readonly watchList?: boolean } = {},
  ): Observed<SharedInformer<T>> {
    const informer = new SharedInformer(source, { ...informers, env: { ...systemEnv, log: () => {} } });
    onTestFinished(() => informer.stop());
    const observed = new Observed(plane, informer, options);
    informer.start();
    return observed;
  }

  test('watch: receives every change, and nothing after the loop is left', async () => {
    const cluster = await rig(plane);
    const { maps, namespace, transport } = cluster;
    const { metadata } = await maps.list({ namespace });
    const events = maps.watch({
      namespace,
      resourceVersion: metadata?.resourceVersion as string,
      allowWatchBookmarks: true,
      labelSelector: '!skipped',
    });
    const first = events.next();
    await maps.create({ metadata: { name: 'skipped', namespace, labels: { skipped: '' } } });
    await maps.create({ metadata: { name: 'a', namespace }, data: { x: 'ü\u2028' } });
    await maps.patch(`${namespace}/a`, { data: { x: '2' } });
    await maps.delete(`${namespace}/a`);
    const seen = [await first, await events.next(), await events.next()];
    expect(seen.map(({ value }) => [value?.type, (value?.object as ConfigMap | undefined)?.data?.['x']])).toEqual([
      ['ADDED', 'ü\u2028'],
      ['MODIFIED', '2'],
      ['DELETED', '2'],
    ]);
    const waiting = events.next();
    await events.return?.();
    expect((await waiting).done).toBe(true);
    await until('the stream is closed', () => transport.stats().streams === 0);
  });

  test('LW-01, WLS-07: an informer on listWatch() syncs and stays synced', async () => {
    const cluster = await rig(plane);
    const { maps, namespace } = cluster;
    for (let i = 0; i < 20; i += 1)
      await maps.create({ metadata: { name: `m-${i}`, namespace, labels: { even: String(i % 2 === 0) } } });
    const paths = [`/api/v1/namespaces/${namespace}/configmaps?labelSelector=even%3Dtrue`];
    const both = [{}, { watchList: false }].map((options) =>
      observe(maps.listWatch({ namespace, labelSelector: { even: 'true' } }), { paths }, options),
    );
    for (const { informer } of both) {
      await informer.synced({ timeoutMs: 60_000 });
      expect(informer.list()).toHaveLength(10);
    }
    await maps.patch(`${namespace}/m-0`, { metadata: { labels: { even: 'not-any-more' } } });
    await maps.create({ metadata: { name: 'late', namespace, labels: { even: 'true' } } });
    for (const observed of both) {
      await observed.agrees();
      const { informer } = observed;
      expect(informer.get(`${namespace}/m-0`)).toBeUndefined();
      expect(informer.get(`${namespace}/late`)).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1' });
    }
  });

  test('an informer created by kind, before and after the CRD exists', async () => {
    const cluster = await rig(plane);
    const { client, namespace } = cluster;
    const gadgets = client.resource<Widget>('Gadget');
    expect(isNotFound(await failure(gadgets.list()))).toBe(true);
    const paths = [`/apis/example.com/v1/namespaces/${namespace}/gadgets`];
    const observed = observe(gadgets.listWatch({ namespace }), { paths });
    const { informer } = observed;
    await until(
      'the informer knows why',
      () => informer.state.kind === 'starting' && informer.state.problem?.reason === 'not-found',
    );
    await client
      .resource('apiextensions.k8s.io/v1/customresourcedefinitions')
      .create(widgetDefinition('gadgets', 'Gadget'));
    await until('it is served', async () => !isNotFound(await gadgets.list().catch((error: unknown) => error)));
    await gadgets.create({ apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name: 'a', namespace } });
    await observed.agrees();
    expect(informer.get(`${namespace}/a`)).toBeDefined();
  });

  test('F52, G9: an object of 9,990 levels, which the server accepts, is poisoned; the informer continues', async () => {
    const cluster = await rig(plane);
    const { client, namespace } = cluster;
    const definition = widgetDefinition('abysses', 'Abyss');
    const [version] = definition.spec.versions;
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    await client.resource('apiextensions.k8s.io/v1/customresourcedefinitions').create({
      ...definition,
      spec: { ...definition.spec, versions: [{ ...(version as NonNullable<typeof version>), schema }] },
    });
    const abysses = client.resource<Widget>('example.com/v1/abysses');
    await until('it is served', async () => !isNotFound(await abysses.list().catch((error: unknown) => error)));
    // Not through the client: JSON.stringify cannot write so many levels.
    const path = `/apis/example.com/v1/namespaces/${namespace}/abysses`;
    const create = (name: string, levels: number): Promise<number> => {
      const spec = `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
      return post(
        plane,
        path,
        `{"apiVersion":"example.com/v1","kind":"Abyss","metadata":{"name":"${name}"},"spec":${spec}}`,
      );
    };
    expect([await create('deep', 9_990), await create('too-deep', 10_010), await create('a', 1)]).toEqual([
      201, 400, 201,
    ]);
    for (const watchList of [true, false]) {
      const informer = new SharedInformer(abysses.listWatch({ namespace }), {
        watchList,
        env: { ...systemEnv, log: () => {} },
      });
      onTestFinished(() => informer.stop());
      informer.start();
      await informer.synced({ timeoutMs: 60_000 });
      const late = `late-${String(watchList)}`;
      expect(await create(`deep-${late}`, 1_200)).toBe(201);
      expect(await create(late, 1)).toBe(201);
      await until('the event after it arrives', () => informer.get(`${namespace}/${late}`) !== undefined);
      const poisoned = informer.health().poisoned.map(({ key }) => key);
      expect(poisoned).toEqual(expect.arrayContaining([`${namespace}/deep`, `${namespace}/deep-${late}`]));
      expect(informer.get(`${namespace}/a`)).toBeDefined();
      expect(informer.state.kind).toBe('synced');
      expect((await informer.verify()).consistent).toBe(true);
    }
  });

  test('discovery: a CRD that came meanwhile, by kind, plural and full name; refused types', async () => {
    const cluster = await rig(plane);
    const { client, namespace, transport } = cluster;
    const before = await client.discovery.resources();
    expect(before.length).toBeGreaterThan(50);
    expect(before.find(({ resource, group }) => resource === 'deployments' && group === 'apps')).toMatchObject({
      kind: 'Deployment',
      namespaced: true,
      shortNames: ['deploy'],
      subresources: ['scale', 'status'],
    });
    await client.resource('apiextensions.k8s.io/v1/customresourcedefinitions').create(widgetDefinition());
    await until(
      'it is known',
      async () => (await client.discovery.find('Widget').catch(() => undefined)) !== undefined,
    );
    for (const name of [
      'Widget',
      'widgets',
      'widget',
      'widgets.example.com',
      'example.com/v1/widgets',
      'example.com/v1/Widget',
    ]) {
      expect(await client.discovery.find(name)).toMatchObject({
        group: 'example.com',
        version: 'v1',
        resource: 'widgets',
        kind: 'Widget',
      });
    }
    const widgets = client.resource<Widget>('Widget');
    await until('it can be made', async () => !isNotFound(await widgets.list().catch((error: unknown) => error)));
    const made = await widgets.create({
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'a', namespace },
      spec: { size: 3 },
    });
    expect(made.spec).toEqual({ size: 3 });
    expect(
      (
        await widgets.apply(
          { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a', namespace }, spec: { size: 4 } },
          { fieldManager: 'me', force: true },
        )
      ).spec,
    ).toEqual({ size: 4 });
    // Strategic merge is for built-in kinds.
    expect(await failure(widgets.patch(`${namespace}/a`, { spec: { size: 5 } }, { type: 'strategic' }))).toMatchObject({
      status: { code: 415 },
    });
    expect(transport.stats().handshakes).toBeLessThanOrEqual(2);
  });

  test('metadata only: lists, watches and informers without bodies', async () => {
    const cluster = await rig(plane);
    const { maps, namespace } = cluster;
    await maps.create({ metadata: { name: 'a', namespace }, data: { big: 'x'.repeat(10_000) } });
    const bare = maps.metadataOnly();
    const { items, kind } = await bare.list({ namespace, fieldSelector: 'metadata.name=a' });
    expect(kind).toBe('PartialObjectMetadataList');
    expect(items).toMatchObject([{ kind: 'PartialObjectMetadata', metadata: { name: 'a' } }]);
    expect(JSON.stringify(items)).not.toContain('xxxx');
    expect(JSON.stringify(await bare.get(`${namespace}/a`))).not.toContain('xxxx');
    const paths = [`/api/v1/namespaces/${namespace}/configmaps`];
    const observed = observe(bare.listWatch({ namespace }), { paths, metadataOnly: true });
    const { informer } = observed;
    await informer.synced({ timeoutMs: 60_000 });
    await maps.create({ metadata: { name: 'b', namespace }, data: { big: 'x'.repeat(10_000) } });
    await maps.patch(`${namespace}/a`, { metadata: { labels: { changed: 'yes' } } });
    await observed.agrees();
    expect(informer.list()).toHaveLength(2);
    expect(JSON.stringify(informer.list())).not.toContain('xxxx');
  });

  test('STR-08: a compacted version is expired, for lists and for watches, and a restart in between is survived', async () => {
    const cluster = await rig(plane);
    const { maps, namespace } = cluster;
    const old = (await maps.create({ metadata: { name: 'a', namespace } })).metadata?.resourceVersion as string;
    const newer = (await maps.create({ metadata: { name: 'b', namespace } })).metadata?.resourceVersion as string;
    await plane.compactEtcd(newer);
    await plane.killApiserver();
    // Requested while the server is down: a read waits until it is back.
    const listing = maps.list({ namespace, fieldSelector: 'metadata.name!=kube-root-ca.crt' });
    await plane.startApiserver();
    expect((await listing).items).toHaveLength(2);
    expect(
      isExpired(await failure(maps.list({ namespace, resourceVersion: old, resourceVersionMatch: 'Exact' }))),
    ).toBe(true);
    const { value: gone } = await maps.watch({ namespace, resourceVersion: old }).next();
    expect([gone?.type, isExpired({ status: gone?.object })]).toEqual(['ERROR', true]);
  });
});
