import type { ConfigMap, Deployment } from '@kube-informer/kubernetes';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemEnv } from 'kube-informer';
import {
  isAlreadyExists, isConflict, isForbidden, isInvalid, isNotFound, isTooLargeResourceVersion, isUnauthorized,
} from 'kube-informer/core'; // prettier-ignore
import { applyConflictsOf, isApplyConflict } from '../../../packages/kube-informer/src/client/apply-conflict.ts';
import { Client } from '../../../packages/kube-informer/src/client/client.ts';
import { retryOnConflict } from '../../../packages/kube-informer/src/client/retry-on-conflict.ts';
import { failure, rig } from './rig.ts';
import { whatIsMissing } from '../harness/binaries.ts';
import { ControlPlane } from '../harness/control-plane.ts';
import { until } from '../harness/until.ts';

const missing = await whatIsMissing();
if (missing !== undefined) console.warn(`\nSKIPPED: the client on a real kube-apiserver: ${missing}\n`);

describe.skipIf(missing !== undefined)('the client on a real kube-apiserver', () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await ControlPlane.start({ log: (line) => console.log(line) });
  }, 1_800_000);
  afterAll(() => plane?.[Symbol.asyncDispose]());

  test('every verb on ConfigMaps', async () => {
    const cluster = await rig(plane);
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
    const cluster = await rig(plane);
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
    const cluster = await rig(plane);
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
    const cluster = await rig(plane);
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

  test('S1, S26: an error contains nothing of a Secret, and a name cannot change the path', async () => {
    const cluster = await rig(plane);
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

  test('retryOnConflict succeeds after conflicts', async () => {
    const cluster = await rig(plane);
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
    const cluster = await rig(plane);
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

  test('warnings of a deprecated API, once in the log', async () => {
    const lines: string[] = [];
    const cluster = await rig(plane, {
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
    const cluster = await rig(plane);
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

  test('impersonation: the refusal names the impersonated user', async () => {
    const cluster = await rig(plane, {
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
    const cluster = await rig(plane, { connect: { token: 'canary-wrong-token' } });
    const error = await failure(cluster.maps.list());
    expect(isUnauthorized(error)).toBe(true);
    expect(JSON.stringify(error) + String(error)).not.toContain('canary');
  });

  test('timeouts and signals end calls on a real connection', async () => {
    const cluster = await rig(plane);
    const { maps, transport } = cluster;
    // The server waits three seconds for a version it does not have.
    const future = { resourceVersion: '999999999', resourceVersionMatch: 'NotOlderThan' } as const;
    expect(await failure(maps.list({ ...future, timeoutMs: 200 }))).toMatchObject({ code: 'TRANSPORT' });
    await until('its stream is closed', () => transport.stats().streams === 0);
    const stop = new AbortController();
    const running = failure(maps.list({ ...future, signal: stop.signal }));
    await until('it is asked', () => transport.stats().streams === 1);
    stop.abort();
    expect(await running).toMatchObject({ code: 'ABORTED' });
    await until('the streams are closed', () => transport.stats().streams === 0);
    expect((await maps.list()).kind).toBe('ConfigMapList');
  });

  test('fifty calls at once share a connection', async () => {
    const cluster = await rig(plane);
    const { maps, transport, namespace } = cluster;
    await Promise.all(Array.from({ length: 50 }, (_, i) => maps.create({ metadata: { name: `m-${i}`, namespace } })));
    expect((await maps.list({ namespace, fieldSelector: 'metadata.name!=kube-root-ca.crt' })).items).toHaveLength(50);
    expect(transport.stats().handshakes).toBeLessThanOrEqual(2);
  });
});
