import { beforeAll, describe, expect, test } from 'vitest';
import type { ConnectOptions } from '../../../src/client/connect/connect-options.ts';
import { resolveConnection } from '../../../src/client/connect/resolve-connection.ts';
import type { Connection } from '../../../src/client/connect/connection.ts';
import { fakeEnv } from '../../../src/testing/fake-clock.ts';
import { failure, kubeconfig, never, TempDir } from '../rig/auth-rig.ts';
import { type Pair, TestAuthority } from '../rig/certificates.ts';

let authority: TestAuthority;
let pair: Pair;
let otherPair: Pair;
beforeAll(async () => {
  authority = new TestAuthority();
  [pair, otherPair] = [authority.client('me'), authority.client('other')];
});

const named = (name: string, user: object = {}): object => ({
  'current-context': name,
  clusters: [{ name, cluster: { server: `https://${name}` } }],
  users: [{ name, user }],
  contexts: [{ name, context: { cluster: name, user: name } }],
});

/** A machine on which everything is there: KUBECONFIG, a service account and a home directory, unless left out. */
async function rig(without: readonly ('KUBECONFIG' | 'pod' | 'home')[] = []) {
  const dir = await TempDir.create();
  const env = fakeEnv();
  await dir.write('one', named('one'));
  await dir.write('home/.kube/config', named('home'));
  if (!without.includes('pod'))
    for (const [file, text] of [
      ['token', 't'],
      ['ca.crt', authority.ca],
      ['namespace', 'pod-ns'],
    ] as const)
      await dir.write(`sa/${file}`, text);
  const environment: Record<string, string> = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };
  if (!without.includes('KUBECONFIG')) environment['KUBECONFIG'] = dir.join('one');
  if (!without.includes('home')) environment['HOME'] = dir.join('home');
  const connect = (options: ConnectOptions = {}): Promise<Connection> =>
    resolveConnection({ environment, serviceAccountDirectory: dir.join('sa'), ...options }, env);
  const host = async (options?: ConnectOptions): Promise<string> => (await connect(options)).server.hostname;
  return { dir, env, environment, connect, host, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
}

describe('D7: where a cluster is looked for', () => {
  test('KUBECONFIG, then the service account, then the home directory', async () => {
    await using all = await rig();
    expect(await all.host()).toBe('one');
    await using noEnv = await rig(['KUBECONFIG']);
    expect(await noEnv.host()).toBe('10.0.0.1');
    await using onlyHome = await rig(['KUBECONFIG', 'pod']);
    expect(await onlyHome.host()).toBe('home');
  });

  test("with `order` in kubectl's way: the service account last", async () => {
    const order = ['KUBECONFIG', 'home', 'in-cluster'] as const;
    await using all = await rig();
    expect(await all.host({ order })).toBe('one');
    await using noEnv = await rig(['KUBECONFIG']);
    expect(await noEnv.host({ order })).toBe('home');
    await using pod = await rig(['KUBECONFIG', 'home']);
    expect(await pod.host({ order })).toBe('10.0.0.1');
    expect(await all.host({ order: ['in-cluster'] })).toBe('10.0.0.1');
    expect(await failure(() => all.connect({ order: ['nowhere' as 'home'] }))).toMatchObject({
      code: 'INVALID_OPTION',
    });
    expect(await failure(() => all.connect({ order: ['toString' as 'home'] }))).toMatchObject({
      code: 'INVALID_OPTION',
    });
  });

  test('options come first: url, kubeconfig, kubeconfigFile', async () => {
    await using r = await rig();
    expect(await r.host({ url: 'https://said' })).toBe('said');
    expect(await r.host({ kubeconfig: named('text') })).toBe('text');
    expect(await r.host({ kubeconfig: JSON.stringify(named('text')) })).toBe('text');
    expect(await r.host({ kubeconfigFile: await r.dir.write('named', named('file')) })).toBe('file');
    expect((await failure(() => r.connect({ kubeconfigFile: r.dir.join('missing') }))).message).toContain(
      'no such file',
    );
    expect(await failure(() => r.connect({ kubeconfig: '', kubeconfigFile: 'x' }))).toMatchObject({
      code: 'INVALID_OPTION',
    });
  });

  test('files of KUBECONFIG that name no cluster lead on to the service account, not to the home directory', async () => {
    await using r = await rig();
    r.environment['KUBECONFIG'] = `${r.dir.join('missing')}:${await r.dir.write('empty', '')}`;
    expect(await r.host()).toBe('10.0.0.1');
    await using noPod = await rig(['pod']);
    noPod.environment['KUBECONFIG'] = noPod.dir.join('missing');
    const { message } = await failure(() => noPod.connect());
    expect(message).toContain(
      'KUBECONFIG: its files contain no cluster; in-cluster: not in a pod with a service account; home: skipped, because KUBECONFIG is set',
    );
    expect(noPod.env.lines).toHaveLength(1);
  });

  test('a context, cluster or user is looked for in kubeconfigs only', async () => {
    await using r = await rig(['KUBECONFIG']);
    expect(await r.host({ context: 'home' })).toBe('home');
    expect(await r.host({ cluster: 'home' })).toBe('home');
  });

  test('without any configuration, the error lists the places that were searched', async () => {
    await using r = await rig(['KUBECONFIG', 'pod', 'home']);
    expect((await failure(() => r.connect())).message).toBe(
      'no cluster is configured (KUBECONFIG: not set; in-cluster: not in a pod with a service account; home: no home directory): set KUBECONFIG, or pass option url or kubeconfig',
    );
    r.environment['HOME'] = r.dir.join('nobody');
    expect((await failure(() => r.connect())).message).toContain(`${r.dir.join('nobody/.kube/config')} does not exist`);
  });

  test('a broken file is an error and not a reason to look further; several are all named', async () => {
    await using r = await rig();
    const [a, b] = [await r.dir.write('a', '{'), await r.dir.write('b', '[]')];
    r.environment['KUBECONFIG'] = [a, r.dir.join('one'), b].join(':');
    const { message } = await failure(() => r.connect());
    expect(message).toContain(a);
    expect(message).toContain(b);
    await using home = await rig(['KUBECONFIG', 'pod']);
    await home.dir.write('home/.kube/config', '{');
    expect((await failure(() => home.connect())).message).toContain('not valid YAML');
  });

  test('the merged files give one context, with relative paths of the file that named them', async () => {
    await using r = await rig();
    await r.dir.write('x/token', 'from-x');
    const first = await r.dir.write('x/config', { users: [{ name: 'one', user: { tokenFile: 'token' } }] });
    r.environment['KUBECONFIG'] = `${first}:${r.dir.join('one')}`;
    const connection = await r.connect();
    expect(connection.server.hostname).toBe('one');
    expect((await connection.credentials.current(never)).authorization).toBe('Bearer from-x');
    expect(connection.origin).toBe(`kubeconfig ${r.dir.join('one')}, context "one"`);
  });
});

describe('D7: options are laid over what was found', () => {
  const found = (): object => kubeconfig({
    cluster: { 'tls-server-name': 'tls-name', 'certificate-authority-data': btoa(authority.ca) },
    user: { 'client-certificate-data': btoa(pair.cert), 'client-key-data': btoa(pair.key), token: 'found' },
    context: { namespace: 'found-ns' },
  }); // prettier-ignore
  const look = async (options: ConnectOptions) => {
    const connection = await resolveConnection({ kubeconfig: found(), environment: {}, ...options }, fakeEnv());
    const { ca, serverName, insecureSkipVerify, certificate } = connection.tls.current();
    const { authorization } = await connection.credentials.current(never);
    return {
      connection,
      server: connection.server.href,
      namespace: connection.namespace,
      ca,
      serverName,
      insecureSkipVerify,
      cert: certificate?.cert,
      authorization,
    };
  };

  test('without options the configuration stays as found', async () => {
    expect(await look({})).toMatchObject({
      server: 'https://dev.example.com:6443/', namespace: 'found-ns', ca: authority.ca, serverName: 'tls-name', cert: pair.cert, authorization: 'Bearer found',
    }); // prettier-ignore
  });

  test('another server drops the certificate name of the old one, unless it is given too', async () => {
    expect(await look({ url: 'https://other' })).toMatchObject({
      server: 'https://other/',
      serverName: undefined,
      ca: authority.ca,
    });
    expect(await look({ url: 'https://other', serverName: 'said' })).toMatchObject({
      server: 'https://other/',
      serverName: 'said',
    });
    expect(await look({ serverName: 'said' })).toMatchObject({
      server: 'https://dev.example.com:6443/',
      serverName: 'said',
    });
  });

  test('trust is replaced as one thing', async () => {
    expect(await look({ insecureSkipTlsVerify: true })).toMatchObject({
      ca: undefined,
      insecureSkipVerify: true,
      cert: pair.cert,
    });
    const other = new TestAuthority('other');
    expect(await look({ ca: other.ca })).toMatchObject({ ca: other.ca, insecureSkipVerify: undefined });
  });

  test('new credentials leave none of the old ones behind', async () => {
    expect(await look({ token: 'said' })).toMatchObject({ authorization: 'Bearer said', cert: undefined });
    expect(await look({ username: 'me', password: 'pw' })).toMatchObject({
      authorization: `Basic ${btoa('me:pw')}`,
      cert: undefined,
    });
    expect(await look({ cert: otherPair.cert, key: otherPair.key })).toMatchObject({
      authorization: undefined,
      cert: otherPair.cert,
    });
    expect(await look({ cert: otherPair.cert, key: otherPair.key, token: 'said' })).toMatchObject({
      authorization: 'Bearer said',
      cert: otherPair.cert,
    });
  });

  test('namespace and impersonation', async () => {
    const { connection, namespace } = await look({ namespace: 'said', impersonate: { user: 'jane' } });
    expect([namespace, connection.impersonate]).toEqual(['said', { user: 'jane' }]);
    expect(await failure(() => look({ namespace: 'a/b' }))).toMatchObject({ code: 'INVALID_CONFIG' });
  });

  test('options that contradict each other are refused', async () => {
    const bad: ConnectOptions[] = [
      { token: 'a', username: 'b', password: 'c' }, { username: 'b' }, { password: 'c' }, { cert: 'x' }, { keyFile: 'x' },
      { ca: 'a', caFile: 'b' }, { cert: 'a', certFile: 'b', key: 'k' }, { ca: 'a', insecureSkipTlsVerify: true }, { token: '' }, { url: 5 as never },
    ]; // prettier-ignore
    for (const options of bad)
      expect(await failure(() => look(options)), JSON.stringify(options)).toMatchObject({ code: 'INVALID_OPTION' });
  });
});

describe('D7: explicit options are enough', () => {
  test('url, token and authority as text or files, relative to the working directory', async () => {
    await using dir = await TempDir.create();
    const [ca, cert, key, token] = [
      await dir.write('ca', authority.ca),
      await dir.write('c', pair.cert),
      await dir.write('k', pair.key),
      await dir.write('t', 'tok\n'),
    ];
    for (const options of [
      { url: 'https://api', token: 'tok', ca: authority.ca, ...pair },
      { url: new URL('https://api'), tokenFile: token, caFile: ca, certFile: cert, keyFile: key },
    ]) {
      const connection = await resolveConnection({ ...options, environment: {} }, fakeEnv());
      expect(connection.server.href).toBe('https://api/');
      expect(connection.tls.current()).toMatchObject({ ca: authority.ca });
      expect(connection.tls.current().certificate?.key).toBe(pair.key);
      expect((await connection.credentials.current(never)).authorization).toBe('Bearer tok');
      expect([connection.namespace, connection.origin]).toEqual(['default', 'option url']);
    }
  });

  test('a path prefix stays, query and fragment go', async () => {
    const { server } = await resolveConnection(
      { url: 'https://rancher/k8s/clusters/c-1?x=1#y', environment: {} },
      fakeEnv(),
    );
    expect(server.href).toBe('https://rancher/k8s/clusters/c-1');
  });

  test('a host without a scheme means https if there are TLS settings, http otherwise', async () => {
    const href = async (options: ConnectOptions): Promise<string> =>
      (await resolveConnection({ environment: {}, ...options }, fakeEnv())).server.href;
    expect(await href({ url: 'localhost:8080' })).toBe('http://localhost:8080/');
    expect(await href({ url: '10.0.0.1:6443', ca: authority.ca, token: 't' })).toBe('https://10.0.0.1:6443/');
  });

  test('a server that is not an http URL, or has a password, is refused without being shown', async () => {
    for (const url of [
      'ftp://CANARY',
      'unix:///CANARY',
      'https://me:CANARY@api',
      'https://',
      'https://CANARY:99999',
      'https://a b.CANARY',
    ]) {
      const error = await failure(() => resolveConnection({ url, environment: {} }, fakeEnv()));
      expect(error, url).toMatchObject({ code: 'INVALID_CONFIG' });
      expect(error.message).not.toContain('CANARY');
    }
  });
});

test("D8: in a pod the token file rotates, the authority too, and the namespace is the pod's", async () => {
  await using r = await rig(['KUBECONFIG']);
  const connection = await r.connect();
  expect([connection.namespace, connection.origin, connection.credentials.kind]).toEqual([
    'pod-ns',
    'service account of the pod',
    'token file',
  ]);
  expect(connection.tls.current().ca).toBe(authority.ca);
  await r.dir.write('sa/token', 'next');
  const other = new TestAuthority('next');
  await r.dir.write('sa/ca.crt', other.ca);
  await r.env.clock.advance(60_000);
  expect((await connection.credentials.current(never)).authorization).toBe('Bearer next');
  expect(await connection.tls.refresh()).toBe(true);
});

describe('D7: the proxy of a connection', () => {
  const HTTPS_PROXY = 'http://env-proxy:1';
  const proxy = async (cluster: object, options: ConnectOptions = {}): Promise<string | undefined> =>
    (
      await resolveConnection(
        { kubeconfig: kubeconfig({ cluster }), environment: { HTTPS_PROXY }, ...options },
        fakeEnv(),
      )
    ).proxy?.href;
  test("is the option's, then the kubeconfig's (whatever NO_PROXY says), then the environment's", async () => {
    const own = { 'proxy-url': 'socks5://own:1' };
    expect(await proxy({})).toBe('http://env-proxy:1/');
    expect(await proxy(own)).toBe('socks5://own:1');
    expect(await proxy(own, { environment: { HTTPS_PROXY, NO_PROXY: '*' } })).toBe('socks5://own:1');
    expect(await proxy({}, { environment: { HTTPS_PROXY, NO_PROXY: '.example.com' } })).toBeUndefined();
    expect(await proxy(own, { proxy: 'https://said:1' })).toBe('https://said:1/');
    expect(await proxy(own, { proxy: false })).toBeUndefined();
    expect((await failure(() => proxy({ 'proxy-url': 'gopher://x' }))).message).toContain(
      'clusters["dev"].cluster.proxy-url: expected a URL',
    );
  });
});

test('D9: an exec user becomes a source that has not run yet; its certificate will reach the handshake', async () => {
  await using dir = await TempDir.create();
  await dir.script(
    'plugin',
    `console.log(JSON.stringify({ kind: 'ExecCredential', apiVersion: 'client.authentication.k8s.io/v1', status: { clientCertificateData: process.env.CERT, clientKeyData: process.env.KEY } }))`,
  );
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: './plugin',
    interactiveMode: 'Never',
    env: [
      { name: 'CERT', value: pair.cert },
      { name: 'KEY', value: pair.key },
    ],
  };
  const kubeconfigFile = await dir.write('config', kubeconfig({ user: { exec } }));
  const connection = await resolveConnection({ kubeconfigFile, environment: {} }, fakeEnv());
  expect([connection.credentials.kind, connection.tls.current().certificate]).toEqual(['exec plugin', undefined]);
  await connection.credentials.current(never);
  expect(connection.tls.current().certificate?.cert).toBe(pair.cert);
  expect(await connection.tls.refresh()).toBe(true);
});

test("D8: an oidc user asks its provider through the given exchange, with the provider's authority", async () => {
  await using dir = await TempDir.create();
  await dir.write('idp.crt', authority.ca);
  const seen: (string | undefined)[] = [];
  const oidcExchange: ConnectOptions['oidcExchange'] = async ({ ca }) => {
    seen.push(ca);
    return {
      status: 200,
      body: JSON.stringify({ issuer: 'https://idp', token_endpoint: 'https://idp/t', id_token: 'renewed' }),
    };
  };
  const base = { 'idp-issuer-url': 'https://idp', 'refresh-token': 'r' };
  for (const authorityFields of [
    { 'idp-certificate-authority': 'idp.crt' },
    { 'idp-certificate-authority-data': btoa(authority.ca) },
  ]) {
    const kubeconfigFile = await dir.write(
      'config',
      kubeconfig({ user: { 'auth-provider': { name: 'oidc', config: { ...base, ...authorityFields } } } }),
    );
    const connection = await resolveConnection({ kubeconfigFile, environment: {}, oidcExchange }, fakeEnv());
    expect((await connection.credentials.current(never)).authorization).toBe('Bearer renewed');
  }
  expect(seen).toEqual(Array(4).fill(authority.ca));
});
