import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { collectionOf } from '../../src/compat/collection.ts';
import { type KubeConfigLike, ListWatch, makeInformer } from '../../src/compat/index.ts';
import { plainKubeConfig, kubeConfigCredentials, hasKubeConfigCredentials } from '../../src/compat/kube-config.ts';

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
    (plainKubeConfig(config({ user })) as { users: { user: unknown }[] }).users[0]?.user;
  const clusterOf = (cluster: object): unknown =>
    (plainKubeConfig(config({ cluster })) as { clusters: { cluster: unknown }[] }).clusters[0]?.cluster;

  test('files win over data, relative ones start in the working directory, an unused certificate authority is dropped', () => {
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
      expect(hasKubeConfigCredentials(config({ user }))).toBe(false);
  });

  test('what only client-node can do is left to it', async () => {
    const foreign = { authProvider: { name: 'gcp', config: {} }, impersonateUser: 'jane' };
    expect(hasKubeConfigCredentials(config({ user: foreign }))).toBe(true);
    expect(hasKubeConfigCredentials(config({ authenticators: [{}] }))).toBe(true);
    expect(userOf(foreign)).toEqual({ as: 'jane' });
    const { signal } = new AbortController();
    const apply = (options: object): void =>
      void Object.assign(options, { headers: { Authorization: 'Bearer abc' }, cert: Buffer.from('C'), key: 'K' });
    expect(await kubeConfigCredentials(config({ apply })).current(signal)).toEqual({
      authorization: 'Bearer abc',
      certificate: { cert: 'C', key: 'K' },
    });
    const basic = (options: object): void => void Object.assign(options, { auth: 'me:secret' });
    expect(await kubeConfigCredentials(config({ apply: basic })).current(signal)).toEqual({
      authorization: `Basic ${btoa('me:secret')}`,
    });
    expect(await kubeConfigCredentials(config({})).current(signal)).toEqual({});
  });

  test('a missing cluster rejects start with a clear message; an argument that is not a KubeConfig is refused at once', async () => {
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

test('S82: the token of a custom authenticator is not sent over plain http', async () => {
  const received: string[] = [];
  const server = createServer((request, response) => {
    received.push(String(request.headers.authorization));
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const informer = makeInformer(
    config({
      cluster: { server: `http://127.0.0.1:${port}` },
      user: { authProvider: { name: 'a-cloud', config: {} } },
      apply: (options) => Object.assign(options, { headers: { Authorization: 'Bearer token-of-a-cloud' } }),
    }),
    '/api/v1/pods',
  );
  const error = await new Promise<unknown>((resolve) => {
    informer.on('error', resolve);
    void informer.start().catch(resolve);
  });
  await informer.stop();
  expect(String(error)).toContain('credentials are not sent over plain http');
  expect(received).toEqual([]);
});
