import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { startApiServer } from '@kube-informer/apiserver';
import { describe, expect, onTestFinished, test } from 'vitest';
import { collectionOf } from '../../src/compat/collection.ts';
import { type KubeConfigLike, ListWatch, makeInformer } from '../../src/compat/index.ts';
import { kubeconfigOf, ownCredentials, usesOwnCredentials } from '../../src/compat/kube-config.ts';
import type { KubeObject } from '../../src/core/object.ts';

interface Given {
  readonly cluster?: object | null;
  readonly user?: object | null;
  readonly apply?: (options: object) => void;
  readonly authenticators?: readonly object[];
}

function config({ cluster = {}, user = {}, apply = () => {}, authenticators = [] }: Given): KubeConfigLike {
  return {
    getCurrentCluster: () =>
      cluster === null ? null : { server: 'https://api.test', skipTLSVerify: false, ...cluster },
    getCurrentUser: () => user,
    applyToHTTPSOptions: async (options: object) => apply(options),
    custom_authenticators: authenticators,
  } as KubeConfigLike;
}

describe('a path names a collection', () => {
  test.each([
    ['/api/v1/pods', { resource: 'v1/pods', namespace: '' }],
    ['/api/v1/namespaces/web/pods', { resource: 'v1/pods', namespace: 'web' }],
    ['/api/v1/namespaces', { resource: 'v1/namespaces', namespace: '' }],
    ['/apis/apps/v1/deployments', { resource: 'apps/v1/deployments', namespace: '' }],
    ['/apis/example.com/v1/namespaces/web/widgets', { resource: 'example.com/v1/widgets', namespace: 'web' }],
    [
      '/api/v1/pods?fieldSelector=spec.nodeName%3Dnode-1&limit=5',
      { resource: 'v1/pods', namespace: '', fieldSelector: 'spec.nodeName=node-1' },
    ],
  ])('%s', (path, expected) => expect(collectionOf(path)).toEqual(expected));

  test.each([
    '',
    'api/v1/pods',
    '/api/v1',
    '/version',
    '/api/v1/namespaces/web/pods/one',
    '/apis/apps/v1/watch/deployments',
  ])('not so "%s"', (path) =>
    expect(() => collectionOf(path)).toThrow(/option path: expected the path of a collection/),
  );
});

describe('a KubeConfig, by its shape', () => {
  const userOf = (user: object): unknown =>
    (kubeconfigOf(config({ user })) as { users: { user: unknown }[] }).users[0]?.user;
  const clusterOf = (cluster: object): unknown =>
    (kubeconfigOf(config({ cluster })) as { clusters: { cluster: unknown }[] }).clusters[0]?.cluster;

  test('files win over data, relative ones start in the working directory, an authority nobody checks is dropped', () => {
    expect(clusterOf({ caFile: 'ca.crt', caData: 'x' })).toMatchObject({
      'certificate-authority': join(process.cwd(), 'ca.crt'),
    });
    expect(clusterOf({ caFile: 'ca.crt', caData: 'x' })).not.toHaveProperty('certificate-authority-data');
    expect(clusterOf({ caData: 'x', skipTLSVerify: true })).not.toHaveProperty('certificate-authority-data');
    expect(userOf({ certFile: '/me.crt', keyData: 'x' })).toMatchObject({
      'client-certificate': '/me.crt',
      'client-key-data': 'x',
    });
  });

  test('the service account of a pod, exec plugins and identity providers are handled by our own code', () => {
    const pod = { authProvider: { name: 'tokenFile', config: { tokenFile: '/var/run/token' } } };
    expect(userOf(pod)).toMatchObject({ tokenFile: '/var/run/token' });
    expect(userOf(pod)).not.toHaveProperty('auth-provider');
    expect(userOf({ exec: { command: 'aws' } })).toMatchObject({
      exec: { command: 'aws', interactiveMode: 'IfAvailable' },
    });
    const oidc = { name: 'oidc', config: { 'id-token': 'x' } };
    expect(userOf({ authProvider: oidc })).toMatchObject({ 'auth-provider': oidc });
    for (const user of [pod, { authProvider: oidc }, { exec: {} }, { token: 'x', authProvider: null }, null])
      expect(usesOwnCredentials(config({ user }))).toBe(false);
  });

  test('what only client-node can do is left to it', async () => {
    const foreign = { authProvider: { name: 'gcp', config: {} }, impersonateUser: 'jane' };
    expect(usesOwnCredentials(config({ user: foreign }))).toBe(true);
    expect(usesOwnCredentials(config({ authenticators: [{}] }))).toBe(true);
    expect(userOf(foreign)).toEqual({ as: 'jane' });
    const { signal } = new AbortController();
    const apply = (options: object): void =>
      void Object.assign(options, { headers: { Authorization: 'Bearer abc' }, cert: Buffer.from('C'), key: 'K' });
    expect(await ownCredentials(config({ apply })).current(signal)).toEqual({
      authorization: 'Bearer abc',
      certificate: { cert: 'C', key: 'K' },
    });
    const basic = (options: object): void => void Object.assign(options, { auth: 'me:secret' });
    expect(await ownCredentials(config({ apply: basic })).current(signal)).toEqual({
      authorization: `Basic ${btoa('me:secret')}`,
    });
    expect(await ownCredentials(config({})).current(signal)).toEqual({});
  });

  test('no cluster rejects start with a sentence; what is no KubeConfig is refused at once', async () => {
    const informer = makeInformer(config({ cluster: null }), '/api/v1/pods');
    await expect(informer.start()).rejects.toThrow(/no current cluster: load it/);
    expect(() => makeInformer({} as KubeConfigLike, '/api/v1/pods')).toThrow(/a KubeConfig of @kubernetes/);
    expect(() => new ListWatch('/api/v1/pods', {} as never)).toThrow(/a Watch of client-node/);
    const errors: unknown[] = [];
    const started = new ListWatch('/api/v1/pods', { config: config({ cluster: null }) });
    started.on('error', (error) => errors.push(error));
    await expect.poll(() => errors).toMatchObject([{ code: 'INVALID_CONFIG' }]);
  });
});

describe('on the embedded server', () => {
  async function rig() {
    const server = await startApiServer();
    onTestFinished(() => server.close());
    const dir = await mkdtemp(join(tmpdir(), 'compat-'));
    onTestFinished(() => rm(dir, { recursive: true, force: true }));
    const caFile = join(dir, 'ca.crt');
    await writeFile(caFile, server.ca ?? '');
    const cluster = { server: server.url, caFile: relative(process.cwd(), caFile) };
    const load = (name: string, labels: Record<string, string> = {}): number =>
      server.load([{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default', labels } }]);
    return { server, load, config: config({ cluster, user: { token: server.token } }), cluster };
  }
  const PATH = '/api/v1/namespaces/default/configmaps';
  const namesOf = (objects: readonly KubeObject[]): string[] =>
    objects.map(({ metadata }) => metadata?.name ?? '').toSorted();

  test('all objects have one shape, and a cut and a server that fails are lived through', async () => {
    const { server, load, config: given } = await rig();
    load('one');
    const informer = makeInformer<KubeObject>(given, PATH);
    onTestFinished(() => informer.stop());
    const errors: { statusCode?: number }[] = [];
    let connects = 0;
    informer.on('error', (error) => errors.push(error));
    informer.on('connect', () => void (connects += 1));
    await informer.start();
    expect(connects).toBe(1);
    const failing = server.faults.add({ match: { verb: 'watch' }, do: { status: 500 }, times: 2 });
    server.faults.cutWatches();
    await expect.poll(() => errors.filter(({ statusCode }) => statusCode === 500).length, { timeout: 30_000 }).toBe(2);
    failing.remove();
    load('two');
    await expect.poll(() => namesOf(informer.list()), { timeout: 30_000 }).toContain('two');
    expect(connects).toBe(2);
    const shapes = informer
      .list()
      .map(({ kind, apiVersion, metadata }) => [kind, apiVersion, typeof metadata?.creationTimestamp]);
    expect(new Set(shapes.map(String))).toEqual(new Set(['ConfigMap,v1,string']));
    await informer.stop();
    await expect.poll(() => server.watchers().length).toBe(0);
  });

  test('selectors: by parameter, in the path, and those of ListWatch', async () => {
    const { load, config: given } = await rig();
    load('blue', { colour: 'blue' });
    load('red', { colour: 'red' });
    const byParameter = makeInformer<KubeObject>(given, PATH, undefined, 'colour=blue');
    const inPath = makeInformer<KubeObject>(given, `${PATH}?labelSelector=${encodeURIComponent('colour=red')}`);
    const both = new ListWatch<KubeObject>(PATH, { config: given }, undefined, false, 'colour', 'metadata.name=red');
    onTestFinished(async () => void (await Promise.all([byParameter, inPath, both].map((one) => one.stop()))));
    await Promise.all([byParameter.start(), inPath.start(), both.start()]);
    expect(namesOf(byParameter.list())).toEqual(['blue']);
    expect(namesOf(inPath.list())).toEqual(['red']);
    expect(namesOf(both.list())).toEqual(['red']);
  });

  test('credentials that only the KubeConfig has', async () => {
    const { server, load, cluster } = await rig();
    load('one');
    let asked = 0;
    const apply = (options: object): void => {
      asked += 1;
      Object.assign(options, { headers: { Authorization: `Bearer ${server.token}` } });
    };
    const given = config({ cluster, user: { authProvider: { name: 'mine' } }, apply, authenticators: [{}] });
    const informer = makeInformer<KubeObject>(given, PATH);
    onTestFinished(() => informer.stop());
    await informer.start();
    expect(namesOf(informer.list())).toContain('one');
    expect(asked).toBeGreaterThan(0);
  });
});
