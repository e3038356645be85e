import { setTimeout as sleep } from 'node:timers/promises';
import type { ConfigMap, CustomResourceDefinition, Deployment } from '@kube-informer/kubernetes';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type KubeObject, SharedInformer, systemEnv } from 'kube-informer';
import {
  isAlreadyExists, isConflict, isExpired, isForbidden, isInvalid, isNotFound, isTooLargeResourceVersion, isUnauthorized,
} from 'kube-informer/core'; // prettier-ignore
import { applyConflictsOf, isApplyConflict } from '../../packages/kube-informer/src/client/apply-conflict.ts';
import { Client, type ClientOptions } from '../../packages/kube-informer/src/client/client.ts';
import type { ConnectOptions } from '../../packages/kube-informer/src/client/connect-options.ts';
import { resolveConnection } from '../../packages/kube-informer/src/client/connect.ts';
import { createNodeTransport } from '../../packages/kube-informer/src/client/node-transport.ts';
import { retryOnConflict } from '../../packages/kube-informer/src/client/retry-on-conflict.ts';
import { whatIsMissing } from './harness/binaries.ts';
import { ControlPlane } from './harness/control-plane.ts';

const missing = await whatIsMissing();
if (missing !== undefined) console.warn(`\nSKIPPED: the client on a real kube-apiserver: ${missing}\n`);

interface Widget extends KubeObject {
  readonly spec?: { readonly size?: number };
}

const failure = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (value) => {
      throw new Error(`expected a failure, got ${JSON.stringify(value)}`);
    },
    (error: unknown) => error,
  );

async function until(what: string, holds: () => boolean | Promise<boolean>, withinMs = 30_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await sleep(25);
  }
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

describe.skipIf(missing !== undefined)('the client on a real kube-apiserver', () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await ControlPlane.start({ log: (line) => console.log(line) });
  }, 1_800_000);
  afterAll(() => plane?.[Symbol.asyncDispose]());

  /** A client of its own, in a namespace of its own. */
  async function rig(options: { readonly connect?: ConnectOptions; readonly client?: Partial<ClientOptions> } = {}) {
    const warnings: string[] = [];
    const connection = await resolveConnection({ kubeconfigFile: plane.kubeconfig, ...options.connect });
    const { server, tls } = connection;
    const transport = createNodeTransport({ server, tls });
    const client = new Client({
      connection,
      transport,
      onWarning: ({ text }) => void warnings.push(text),
      ...options.client,
    });
    onTestFinished(() => client.close());
    const namespace = `test-${Math.random().toString(36).slice(2, 10)}`;
    return {
      client,
      transport,
      warnings,
      namespace,
      maps: client.resource('v1/configmaps'),
      deployments: client.resource('apps/v1/deployments'),
      async withNamespace() {
        await client.resource('v1/namespaces').create({ metadata: { name: namespace } });
        return this;
      },
    };
  }

  test('every verb on ConfigMaps', async () => {
    const cluster = await (await rig()).withNamespace();
    const { maps, namespace } = cluster;
    const made = await maps.create(
      { metadata: { name: 'a', namespace, labels: { app: 'shop' } }, data: { x: '1' } },
      { fieldManager: 'tests' },
    );
    expect(made.metadata).toMatchObject({ name: 'a', namespace, managedFields: [{ manager: 'tests' }] });
    expect(await maps.get(`${namespace}/a`)).toEqual(made);
    const replaced = await maps.replace({ ...made, data: { x: '2' } });
    expect(replaced.data).toEqual({ x: '2' });
    expect((await maps.patch(`${namespace}/a`, { data: { y: '1', x: null } })).data).toEqual({ y: '1' });
    expect((await maps.patch(`${namespace}/a`, [{ op: 'add', path: '/data/z', value: '1' }])).data).toEqual({
      y: '1',
      z: '1',
    });
    expect((await maps.patch(`${namespace}/a`, { data: { y: '2' } }, { type: 'strategic' })).data).toEqual({
      y: '2',
      z: '1',
    });
    const { items, metadata } = await maps.list({
      namespace,
      labelSelector: { app: 'shop' },
      fieldSelector: { 'metadata.name': 'a' },
    });
    expect(items.map((one) => [one.kind, one.apiVersion, one.metadata?.name])).toEqual([['ConfigMap', 'v1', 'a']]);
    expect(metadata?.resourceVersion).toMatch(/^\d+$/);
    expect(await maps.delete(`${namespace}/a`)).toMatchObject({ kind: 'Status', status: 'Success' });
    expect(isNotFound(await failure(maps.get(`${namespace}/a`)))).toBe(true);
  });

  test('a bare name is in the connection’s namespace, and a list goes by pages', async () => {
    const cluster = await (await rig()).withNamespace();
    const { client, namespace } = cluster;
    const connection = {
      ...client.connection,
      namespace,
      server: client.connection.server,
      tls: client.connection.tls,
      credentials: client.connection.credentials,
      origin: 'test',
    };
    const inside = new Client({ connection, transport: cluster.transport });
    const maps = inside.resource('v1/configmaps');
    for (const name of ['a', 'b', 'c']) await maps.create({ metadata: { name, labels: { page: 'x' } } });
    expect((await maps.get('b')).metadata?.namespace).toBe(namespace);
    const first = await maps.list({ namespace, labelSelector: 'page', limit: 2 });
    expect([first.items.length, first.metadata?.remainingItemCount]).toEqual([2, undefined]);
    const second = await maps.list({
      namespace,
      labelSelector: 'page',
      limit: 2,
      continue: first.metadata?.continue as string,
    });
    expect(second.items.map((one) => one.metadata?.name)).toEqual(['c']);
    await maps.deleteCollection({ namespace, labelSelector: 'page=x' });
    expect((await maps.list({ namespace, labelSelector: 'page' })).items).toEqual([]);
  });

  test('dry run stores nothing; preconditions and field validation hold', async () => {
    const cluster = await (await rig()).withNamespace();
    const { maps, namespace, warnings } = cluster;
    const object: ConfigMap = { metadata: { name: 'a', namespace } };
    expect((await maps.create(object, { dryRun: true })).metadata?.uid).toBeDefined();
    expect(isNotFound(await failure(maps.get(`${namespace}/a`)))).toBe(true);
    const made = await maps.create(object);
    expect(isConflict(await failure(maps.delete(`${namespace}/a`, { preconditions: { uid: 'another' } })))).toBe(true);
    expect(isConflict(await failure(maps.delete(`${namespace}/a`, { preconditions: { resourceVersion: '1' } })))).toBe(
      true,
    );
    await maps.delete(`${namespace}/a`, { dryRun: true });
    const strange = { metadata: { name: 'b', namespace }, colour: 'red' } as ConfigMap;
    expect(await failure(maps.create(strange, { fieldValidation: 'Strict' }))).toMatchObject({ status: { code: 400 } });
    expect(warnings).toEqual([]);
    await maps.create(strange, { fieldValidation: 'Warn' });
    expect(warnings).toEqual(['unknown field "colour"']);
    await maps.delete(`${namespace}/a`, {
      preconditions: { uid: made.metadata?.uid as string },
      propagation: 'Foreground',
      gracePeriodSeconds: 0,
    });
  });

  test('typed failures: 404, 409 of both kinds, 422, 504', async () => {
    const cluster = await (await rig()).withNamespace();
    const { maps, namespace, deployments } = cluster;
    expect(await failure(maps.get(`${namespace}/none`))).toMatchObject({
      code: 'API_STATUS',
      status: { reason: 'NotFound', details: { name: 'none', kind: 'configmaps' } },
    });
    const made = await maps.create({ metadata: { name: 'a', namespace } });
    expect(isAlreadyExists(await failure(maps.create({ metadata: { name: 'a', namespace } })))).toBe(true);
    await maps.replace({ ...made, data: { x: '1' } });
    expect(isConflict(await failure(maps.replace({ ...made, data: { x: '2' } })))).toBe(true);
    const invalid = await failure(deployments.create({ metadata: { name: 'A!', namespace } } as Deployment));
    expect(isInvalid(invalid)).toBe(true);
    expect(invalid).toMatchObject({
      status: {
        details: { causes: expect.arrayContaining([expect.objectContaining({ field: 'metadata.name' })]) as unknown },
      },
    });
    expect(
      isTooLargeResourceVersion(
        await failure(
          maps.list({
            namespace,
            resourceVersion: '999999999',
            resourceVersionMatch: 'NotOlderThan',
            attempts: 'once',
          }),
        ),
      ),
    ).toBe(true);
  });

  test('S1, S26: nothing of a Secret is in the error about it, and no path leaves its place', async () => {
    const cluster = await (await rig()).withNamespace();
    const secrets = cluster.client.resource('v1/secrets');
    const error = await failure(
      secrets.create({
        metadata: { name: 'a', namespace: cluster.namespace },
        data: { 'bad key': 'not base64 canary!' },
      }),
    );
    expect(JSON.stringify(error) + String(error)).not.toContain('canary');
    for (const key of [`${cluster.namespace}/..`, '../secrets', 'a%2Fb/c']) {
      expect(await failure(secrets.get(key))).toMatchObject({ code: 'INVALID_OPTION' });
    }
  });

  test('retryOnConflict gets there', async () => {
    const cluster = await (await rig()).withNamespace();
    const { maps, namespace } = cluster;
    await maps.create({ metadata: { name: 'a', namespace }, data: { n: '0' } });
    const add = (): Promise<unknown> =>
      retryOnConflict(
        async () => {
          const map = await maps.get(`${namespace}/a`);
          return maps.replace({ ...map, data: { n: String(Number(map.data?.['n']) + 1) } });
        },
        { attempts: 50 },
      );
    await Promise.all([1, 2, 3, 4, 5].map(add));
    expect((await maps.get(`${namespace}/a`)).data).toEqual({ n: '5' });
  });

  test('Deployments: scale, status, and server-side apply with a conflict', async () => {
    const cluster = await (await rig()).withNamespace();
    const { deployments, namespace } = cluster;
    const key = `${namespace}/web`;
    const applied = (replicas?: number): object => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace },
      spec: {
        ...(replicas === undefined ? {} : { replicas }),
        selector: { matchLabels: { app: 'web' } },
        template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'nginx' }] } },
      },
    });
    await deployments.apply(applied(1), { fieldManager: 'first' });
    expect((await deployments.getScale(key)).spec).toEqual({ replicas: 1 });
    expect((await deployments.scale(key, 4, { fieldManager: 'scaler' })).spec).toEqual({ replicas: 4 });

    const refused = await failure(deployments.apply(applied(2), { fieldManager: 'first' }));
    expect([isConflict(refused), isApplyConflict(refused)]).toEqual([true, true]);
    expect(applyConflictsOf(refused)).toEqual([{ manager: 'scaler', field: '.spec.replicas' }]);
    expect((await deployments.apply(applied(2), { fieldManager: 'first', force: true })).spec?.replicas).toBe(2);
    await deployments.apply(applied(), { fieldManager: 'first' });

    const status = { replicas: 2, observedGeneration: 7 };
    expect((await deployments.patch(key, { status }, { subresource: 'status' })).status).toMatchObject(status);
    expect((await deployments.subresource<Deployment>(key, 'status')).status).toMatchObject(status);
    const whole = await deployments.get(key);
    await deployments.replace(
      {
        ...whole,
        spec: { ...whole.spec, paused: true } as Deployment['spec'],
        status: { ...whole.status, replicas: 3 },
      } as Deployment,
      { subresource: 'status' },
    );
    const after = await deployments.get(key);
    expect([after.status?.replicas, after.spec?.paused]).toEqual([3, undefined]);
    expect(await deployments.delete(key, { propagation: 'Foreground' })).toMatchObject({
      kind: 'Deployment',
      metadata: { finalizers: ['foregroundDeletion'] },
    });
  });

  test('watch: what happens, and nothing after leaving', async () => {
    const cluster = await (await rig()).withNamespace();
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

  test('LW-01, WLS-07: listWatch() drives an informer to sync and keeps it so', async () => {
    const cluster = await (await rig()).withNamespace();
    const { maps, namespace } = cluster;
    for (let i = 0; i < 20; i += 1)
      await maps.create({ metadata: { name: `m-${i}`, namespace, labels: { even: String(i % 2 === 0) } } });
    const env = { ...systemEnv, log: () => {} };
    const informer = new SharedInformer(maps.listWatch({ namespace, labelSelector: { even: 'true' } }), { env });
    const paged = new SharedInformer(maps.listWatch({ namespace, labelSelector: { even: 'true' } }), {
      env,
      watchList: false,
    });
    for (const one of [informer, paged]) {
      one.start();
      await one.synced({ timeoutMs: 30_000 });
      expect(one.list()).toHaveLength(10);
    }
    await maps.patch(`${namespace}/m-0`, { metadata: { labels: { even: 'not-any-more' } } });
    await maps.create({ metadata: { name: 'late', namespace, labels: { even: 'true' } } });
    for (const one of [informer, paged]) {
      await until(
        'the changes arrived',
        () => one.get(`${namespace}/late`) !== undefined && one.get(`${namespace}/m-0`) === undefined,
      );
      expect(one.get(`${namespace}/late`)).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1' });
      expect((await one.verify()).consistent).toBe(true);
      await one.stop();
    }
  });

  test('an informer named by a kind, before and after its CRD is there', async () => {
    const cluster = await (await rig()).withNamespace();
    const { client, namespace } = cluster;
    const gadgets = client.resource<Widget>('Gadget');
    expect(isNotFound(await failure(gadgets.list()))).toBe(true);
    const informer = new SharedInformer(gadgets.listWatch({ namespace }), { env: { ...systemEnv, log: () => {} } });
    informer.start();
    await until(
      'the informer knows why',
      () => informer.state.kind === 'starting' && informer.state.trouble?.reason === 'not-found',
    );
    await client
      .resource('apiextensions.k8s.io/v1/customresourcedefinitions')
      .create(widgetDefinition('gadgets', 'Gadget'));
    await until('it is served', async () => !isNotFound(await gadgets.list().catch((error: unknown) => error)));
    await gadgets.create({ apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name: 'a', namespace } });
    await until('the informer has it', () => informer.get(`${namespace}/a`) !== undefined, 60_000);
    await informer.stop();
  });

  test('discovery: a CRD that came meanwhile, by kind, plural and full name; refused types', async () => {
    const cluster = await (await rig()).withNamespace();
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
    const cluster = await (await rig()).withNamespace();
    const { maps, namespace } = cluster;
    await maps.create({ metadata: { name: 'a', namespace }, data: { big: 'x'.repeat(10_000) } });
    const bare = maps.metadataOnly();
    const { items, kind } = await bare.list({ namespace, fieldSelector: 'metadata.name=a' });
    expect(kind).toBe('PartialObjectMetadataList');
    expect(items).toMatchObject([{ kind: 'PartialObjectMetadata', metadata: { name: 'a' } }]);
    expect(JSON.stringify(items)).not.toContain('xxxx');
    expect(JSON.stringify(await bare.get(`${namespace}/a`))).not.toContain('xxxx');
    const informer = new SharedInformer(bare.listWatch({ namespace }), { env: { ...systemEnv, log: () => {} } });
    informer.start();
    await informer.synced({ timeoutMs: 30_000 });
    expect(informer.get(`${namespace}/a`)).toMatchObject({ metadata: { name: 'a' } });
    expect(JSON.stringify(informer.list())).not.toContain('xxxx');
    await informer.stop();
  });

  test('warnings of a deprecated API, once in the log', async () => {
    const lines: string[] = [];
    const cluster = await rig({
      client: {
        onWarning: 'log',
        env: { ...systemEnv, log: (level, _, fields) => void lines.push(`${level} ${String(fields?.['text'])}`) },
      },
    });
    const statuses = cluster.client.resource('v1/componentstatuses');
    await statuses.list();
    await statuses.list();
    expect(lines).toEqual(['warn v1 ComponentStatus is deprecated in v1.19+']);
    expect(await failure(statuses.list({ onWarning: 'throw' }))).toMatchObject({ code: 'API_WARNING' });
  });

  test('raw requests, reviews, logs of a pod that never ran', async () => {
    const cluster = await (await rig()).withNamespace();
    const { client, namespace } = cluster;
    expect(await client.request<{ major: string }>({ path: '/version' })).toMatchObject({ major: '1' });
    expect(await client.request({ path: '/readyz' })).toBe('ok');
    const review = await client
      .resource('authorization.k8s.io/v1/selfsubjectaccessreviews')
      .create({ spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } });
    expect(review.status?.allowed).toBe(true);
    await client
      .resource('v1/pods')
      .create({ metadata: { name: 'p', namespace }, spec: { containers: [{ name: 'c', image: 'nginx' }] } });
    const log = client.logs(`${namespace}/p`, { follow: true, attempts: 'once' });
    expect(await failure(log.next() as Promise<unknown>)).toMatchObject({ code: 'API_STATUS' });
    expect(isNotFound(await failure(client.logs(`${namespace}/none`).next() as Promise<unknown>))).toBe(true);
    expect(await failure(client.request({ path: '/apis/none.example.com/v1/x' }))).toMatchObject({
      status: { code: 404, reason: 'NotFound' },
    });
  });

  test('impersonation: who is asked for is who is refused', async () => {
    const cluster = await rig({
      connect: { impersonate: { user: 'jane', groups: ['dev', 'ops'], extra: { 'example.com/reason': ['a b', 'c'] } } },
    });
    const error = await failure(cluster.maps.list());
    expect(isForbidden(error)).toBe(true);
    expect(String(error)).toContain('User "jane"');
    const { status } = await cluster.client.resource('authentication.k8s.io/v1/selfsubjectreviews').create({});
    expect(status?.userInfo).toMatchObject({
      username: 'jane',
      groups: expect.arrayContaining(['dev', 'ops']) as unknown,
      extra: { 'example.com/reason': ['a b', 'c'] },
    });
  });

  test('a wrong token is Unauthorized, and is not in the error', async () => {
    const cluster = await rig({ connect: { token: 'canary-wrong-token' } });
    const error = await failure(cluster.maps.list());
    expect(isUnauthorized(error)).toBe(true);
    expect(JSON.stringify(error) + String(error)).not.toContain('canary');
  });

  test('timeouts and signals end calls on a real connection', async () => {
    const cluster = await (await rig()).withNamespace();
    const { maps, transport } = cluster;
    // The server waits three seconds for a version it does not have.
    const future = { resourceVersion: '999999999', resourceVersionMatch: 'NotOlderThan' } as const;
    expect(await failure(maps.list({ ...future, timeoutMs: 200 }))).toMatchObject({ code: 'TRANSPORT' });
    const stop = new AbortController();
    const running = failure(maps.list({ ...future, signal: stop.signal }));
    await sleep(50);
    stop.abort();
    expect(await running).toMatchObject({ code: 'ABORTED' });
    await until('the streams are closed', () => transport.stats().streams === 0);
    expect((await maps.list()).kind).toBe('ConfigMapList');
  });

  test('fifty calls at once share a connection', async () => {
    const cluster = await (await rig()).withNamespace();
    const { maps, transport, namespace } = cluster;
    await Promise.all(Array.from({ length: 50 }, (_, i) => maps.create({ metadata: { name: `m-${i}`, namespace } })));
    expect((await maps.list({ namespace, fieldSelector: 'metadata.name!=kube-root-ca.crt' })).items).toHaveLength(50);
    expect(transport.stats().handshakes).toBeLessThanOrEqual(2);
  });

  test('STR-08: a compacted version is expired, for lists and for watches, and a restart in between is survived', async () => {
    const cluster = await (await rig()).withNamespace();
    const { maps, namespace } = cluster;
    const old = (await maps.create({ metadata: { name: 'a', namespace } })).metadata?.resourceVersion as string;
    const newer = (await maps.create({ metadata: { name: 'b', namespace } })).metadata?.resourceVersion as string;
    await plane.etcdctl('compact', newer);
    await plane.killApiserver();
    // Asked while nobody is there: a read waits for the server to come back.
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
