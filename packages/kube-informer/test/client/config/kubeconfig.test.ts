import { describe, expect, test } from 'vitest';
import { chooseContext } from '../../../src/client/config/choose-context.ts';
import { isEmptyKubeconfig, mergeKubeconfigs, parseKubeconfig } from '../../../src/client/config/kubeconfig.ts';
import { everyPrint, failure, kubeconfig } from '../rig/auth-rig.ts';

const problem = async (content: string | object): Promise<string> =>
  (await failure(() => parseKubeconfig(content, { file: '/home/me/.kube/config' }))).message;

describe('D7: a kubeconfig of the wrong shape is refused with the file and the field', () => {
  test.each<[string, string | object, string]>([
    ['a list', '[]', 'the content: expected a mapping, got a list'],
    ['a string', 'hello', 'the content: expected a mapping, got a string'],
    ['another kind', { kind: 'Pod' }, 'kind: expected Config'],
    ['another version', { apiVersion: 'v2' }, 'apiVersion: expected v1'],
    ['clusters as a mapping', { clusters: {} }, 'clusters: expected a list, got a mapping'],
    ['a cluster that is a string', { clusters: ['x'] }, 'clusters[0]: expected a mapping, got a string'],
    ['a cluster without a name', { clusters: [{ cluster: {} }] }, 'clusters[0].name: is missing'],
    [
      'a cluster that is a list',
      { clusters: [{ name: 'a', cluster: [] }] },
      'clusters["a"].cluster: expected a mapping',
    ],
    [
      'a server that is a number',
      { clusters: [{ name: 'a', cluster: { server: 5 } }] },
      'clusters["a"].cluster.server: expected a string',
    ],
    [
      'a flag in quotes',
      kubeconfig({ cluster: { 'insecure-skip-tls-verify': 'true' } }),
      'clusters["dev"].cluster.insecure-skip-tls-verify: expected true or false, got a string',
    ],
    [
      'a token without quotes',
      'users: [{name: a, user: {token: 12345678}}]',
      'users["a"].user.token: expected a string (put it in quotes), got a number',
    ],
    [
      'groups as a string',
      kubeconfig({ user: { as: 'x', 'as-groups': 'g' } }),
      'users["dev"].user.as-groups: expected a list',
    ],
    [
      'an argument that is a number',
      kubeconfig({ user: { exec: { args: [1] } } }),
      'users["dev"].user.exec.args[0]: expected a string',
    ],
    [
      'an env entry that is a string',
      kubeconfig({ user: { exec: { env: ['A=b'] } } }),
      'users["dev"].user.exec.env[0]: expected a mapping',
    ],
    ['a name given twice', { users: [{ name: 'a' }, { name: 'a' }] }, 'users["a"]: this name occurs twice'],
    [
      'a context name that is hostile',
      { contexts: [{ name: 'a\n\u001b[31m', context: 1 }] },
      'contexts["a\\n\\u001b[31m"].context: expected a mapping',
    ],
  ])('%s', async (_, content, expected) => {
    expect(await problem(content)).toContain(`kubeconfig /home/me/.kube/config: ${expected}`);
  });
});

test('D7: null counts as not given, unknown keys are ignored, an empty file is an empty configuration', async () => {
  const config = await parseKubeconfig(
    'clusters: null\nusers: [{name: a, user: null}]\nfuture: {x: 1}\ncurrent-context: ""',
  );
  expect(config.users.get('a')).toMatchObject({ name: 'a' });
  expect(config.currentContext).toBeUndefined();
  expect(isEmptyKubeconfig(await parseKubeconfig(''))).toBe(true);
  expect(isEmptyKubeconfig(await parseKubeconfig(kubeconfig()))).toBe(false);
});

test('D7: every field of a cluster, a user and a context is read', async () => {
  const config = await parseKubeconfig({
    ...kubeconfig({
      cluster: {
        'tls-server-name': 'api.example.com', 'certificate-authority': 'ca.crt', 'proxy-url': 'http://proxy:3128', 'disable-compression': true,
        extensions: [{ name: 'other', extension: 1 }, { name: 'client.authentication.k8s.io/exec', extension: { audience: ['a'] } }],
      },
      user: {
        token: 't', tokenFile: 'tf', username: 'u', password: 'p', 'client-certificate': 'c', 'client-certificate-data': 'cd', 'client-key': 'k',
        'client-key-data': 'kd', as: 'x', 'as-uid': '1', 'as-groups': ['g'], 'as-user-extra': { scope: ['s'] },
        exec: { apiVersion: 'v', command: 'c', args: ['a'], env: [{ name: 'N', value: 'V' }], interactiveMode: 'Never', provideClusterInfo: true, installHint: 'h' },
        'auth-provider': { name: 'oidc', config: { 'client-id': 'i' } },
      },
      context: { namespace: 'ns' },
    }),
    preferences: { colors: true },
  }); // prettier-ignore
  const cluster = config.clusters.get('dev');
  expect(cluster?.server).toBe('https://dev.example.com:6443');
  expect(cluster?.tlsServerName).toBe('api.example.com');
  expect(cluster?.certificateAuthority).toBe('ca.crt');
  expect(cluster?.proxyUrl).toBe('http://proxy:3128');
  expect(cluster?.disableCompression).toBe(true);
  expect(cluster?.execConfig).toEqual({ audience: ['a'] });
  const user = config.users.get('dev');
  expect([user?.token, user?.tokenFile, user?.username, user?.password]).toEqual(['t', 'tf', 'u', 'p']);
  expect([user?.clientCertificate, user?.clientCertificateData, user?.clientKey, user?.clientKeyData]).toEqual([
    'c',
    'cd',
    'k',
    'kd',
  ]);
  expect([user?.as, user?.asUid, user?.asGroups, user?.asUserExtra]).toEqual([
    'x',
    '1',
    ['g'],
    new Map([['scope', ['s']]]),
  ]);
  const exec = user?.exec;
  expect([exec?.apiVersion, exec?.command, exec?.args, exec?.env]).toEqual([
    'v',
    'c',
    ['a'],
    [{ name: 'N', value: 'V' }],
  ]);
  expect([exec?.interactiveMode, exec?.provideClusterInfo, exec?.installHint]).toEqual(['Never', true, 'h']);
  expect(user?.authProvider?.config.get('client-id')).toBe('i');
  expect(config.contexts.get('dev')).toMatchObject({ cluster: 'dev', user: 'dev', namespace: 'ns' });
  expect(config.preferences).toEqual(new Map([['colors', true]]));
});

test('S13: __proto__ and constructor are names like any other', async () => {
  const before = Object.getOwnPropertyNames(Object.prototype);
  const names = ['__proto__', 'constructor', 'toString'];
  const text = `
current-context: __proto__
clusters: [${names.map((n) => `{name: ${n}, cluster: {server: "https://${n.replaceAll('_', '')}.example.com"}}`).join(', ')}]
users: [${names.map((n) => `{name: ${n}, user: {token: "token-of-${n}", as: a, as-user-extra: {__proto__: [polluted]}}}`).join(', ')}]
contexts: [${names.map((n) => `{name: ${n}, context: {cluster: ${n}, user: ${n}}}`).join(', ')}]
`;
  const config = await parseKubeconfig(text);
  for (const name of names) {
    const plan = chooseContext(config, { context: name });
    expect(plan.server).toBe(`https://${name.replaceAll('_', '')}.example.com`);
    expect(plan.auth).toHaveProperty('token', `token-of-${name}`);
    expect(Object.keys(plan.impersonate?.extra ?? {})).toEqual(['__proto__']);
  }
  expect(await failure(() => chooseContext(config, { context: 'hasOwnProperty' }))).toMatchObject({
    code: 'INVALID_CONFIG',
  });
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

test('S23: with several files the first one wins a whole entry, and nothing is merged inside it', async () => {
  const first = await parseKubeconfig(
    { users: [{ name: 'dev', user: { username: 'first' } }] },
    { file: '/one/config' },
  );
  const second = await parseKubeconfig(
    {
      'current-context': 'b',
      users: [
        { name: 'dev', user: { token: 'second', password: 'x' } },
        { name: 'other', user: {} },
      ],
    },
    { file: '/two/config' },
  );
  const merged = mergeKubeconfigs([first, second]);
  expect(merged.users.get('dev')).toMatchObject({ username: 'first', file: '/one/config' });
  expect(merged.users.get('dev')?.token).toBeUndefined();
  expect(merged.users.get('other')?.file).toBe('/two/config');
  expect(merged.currentContext).toBe('b');
});

test('D7: an explicit empty entry in the first file still wins', async () => {
  const first = await parseKubeconfig({ users: [{ name: 'dev', user: {} }] });
  const second = await parseKubeconfig({ users: [{ name: 'dev', user: { token: 'x' } }] });
  expect(mergeKubeconfigs([first, second]).users.get('dev')?.token).toBeUndefined();
});

test('S25: printing a kubeconfig shows names and paths, nothing secret', async () => {
  const config = await parseKubeconfig(
    kubeconfig({
      cluster: { 'proxy-url': 'http://me:CANARY@proxy:3128', extensions: [{ name: 'client.authentication.k8s.io/exec', extension: 'CANARY' }] },
      user: {
        token: 'CANARY', password: 'CANARY', username: 'shown', 'client-key-data': 'CANARY', 'client-certificate-data': 'CANARY',
        exec: { command: 'shown-too', args: ['CANARY'], env: [{ name: 'X', value: 'CANARY' }] },
        'auth-provider': { name: 'oidc', config: { 'refresh-token': 'CANARY' } },
      },
    }),
  ); // prettier-ignore
  expect(everyPrint(config)).not.toContain('CANARY');
  expect(everyPrint(mergeKubeconfigs([config]))).not.toContain('CANARY');
  expect(everyPrint(config)).toContain('shown-too');
  expect(JSON.stringify(config.users.get('dev'))).toContain('"token":"[redacted]"');
});

test.each(['./config', '~/.kube/config', '/etc/kubernetes/admin.conf'])(
  'a path in place of the content (%s) gets the name of the right option',
  async (path) => {
    await expect(parseKubeconfig(path)).rejects.toThrow(/for the path of a file use option kubeconfigFile/);
  },
);
