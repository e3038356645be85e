import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { TestAuthority } from '../../../packages/kube-informer/test/client/rig/certificates.ts';
import { certificates, serve } from '../../../packages/kube-informer/test/client/rig/transport-rig.ts';
import { onPath } from '../../runtimes/find.ts';
import { type IdentityProvider, startIdentityProvider } from '../../runtimes/identity-provider.ts';
import { kubectlProxy } from '../../runtimes/kubectl-proxy.ts';
import { whatIsMissing } from '../harness/binaries.ts';
import { ConnectProxy } from '../harness/connect-proxy.ts';
import { ControlPlane } from '../harness/control-plane.ts';
import { withoutSlowLists } from '../../examples/run-example.ts';

const missing = await whatIsMissing();
if (missing !== undefined) console.warn(`\nSKIPPED: the examples on a real kube-apiserver: ${missing}\n`);
const hasKubectl = onPath('kubectl') !== undefined;
if (!hasKubectl) console.warn('\nSKIPPED: examples/auth/kubectl-proxy.ts: kubectl is not installed\n');

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';

describe.skipIf(missing !== undefined)('the authentication examples on a real kube-apiserver', () => {
  let plane: ControlPlane;
  let dir: string;
  let authority: TestAuthority;
  let provider: IdentityProvider;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'examples-'));
    authority = new TestAuthority('identity-provider');
    provider = await startIdentityProvider(authority.server(), 'kube-informer');
    const flags = {
      'issuer-url': provider.issuer,
      'client-id': 'kube-informer',
      'ca-file': await write('provider.crt', authority.ca),
      'username-prefix': 'oidc:',
      'groups-claim': 'groups',
    };
    plane = await ControlPlane.start({
      log: (line) => console.log(line),
      apiserverFlags: Object.entries(flags).map(([name, value]) => `--oidc-${name}=${value}`),
    });
    await plane.ask('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'one' } });
    await plane.ask('POST', ACCOUNTS, { metadata: { name: 'pod' } });
    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
    await plane.ask('POST', `${rbac}/roles`, {
      metadata: { name: 'pod' },
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }],
    });
    await plane.ask('POST', `${rbac}/rolebindings`, {
      metadata: { name: 'pod' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'pod' },
      subjects: [{ kind: 'ServiceAccount', namespace: 'default', name: 'pod' }],
    });
  }, 1_800_000);
  afterAll(async () => {
    await plane?.[Symbol.asyncDispose]();
    await provider?.stop();
    await rm(dir, { recursive: true, force: true });
  });

  async function write(name: string, content: string): Promise<string> {
    const path = join(dir, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
    return path;
  }

  /** Starts an example with only the given variables in its environment. */
  function start(name: string, env: Readonly<Record<string, string>>, ...args: readonly string[]) {
    const tsx = join(repository, 'node_modules/tsx/dist/cli.mjs');
    const command = [tsx, '--conditions=@kube-informer/source', join(repository, 'examples/auth', name), ...args];
    const child = spawn(process.execPath, command, {
      cwd: dir,
      env: { PATH: process.env['PATH'], HOME: dir, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const printed = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk: Buffer) => (printed.stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (printed.stderr += chunk.toString()));
    const ended = new Promise<string>((resolve, reject) => {
      child.once('close', (code) => {
        if (code === 0 && withoutSlowLists(printed.stderr) === '') resolve(printed.stdout);
        else reject(new Error(`${name} ended with ${code}\n${printed.stdout}${printed.stderr}`));
      });
    });
    return { printed, ended };
  }
  const run = (name: string, env: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<string> =>
    start(name, env, ...args).ended;
  const explicit = () => ({ KUBE_SERVER: plane.url, KUBE_CA: plane.credentials.caFile });

  /** A kubeconfig for the real server with a user of its own. */
  const kubeconfig = (name: string, user: object, cluster: object = {}): Promise<string> =>
    write(
      name,
      JSON.stringify({
        clusters: [
          { name: 'c', cluster: { server: plane.url, 'certificate-authority': plane.credentials.caFile, ...cluster } },
        ],
        users: [{ name: 'u', user }],
        contexts: [{ name: 'other', context: { cluster: 'c', user: 'u', namespace: 'kube-public' } }],
        'current-context': 'other',
      }),
    );

  /** A token of a service account that is valid as long as the secret it is bound to exists. */
  async function boundToken(secret: string): Promise<string> {
    await plane.ask('POST', '/api/v1/namespaces/default/secrets', { metadata: { name: secret } });
    const { text } = await plane.ask('POST', `${ACCOUNTS}/pod/token`, {
      spec: { boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name: secret } },
    });
    return (JSON.parse(text) as { status: { token: string } }).status.token;
  }

  test('auth/kubeconfig: the current context, and another one', async () => {
    expect(await run('kubeconfig.ts', { KUBECONFIG: plane.kubeconfig })).toMatch(
      /context "test": I am admin\ncached 1 config maps in default\n$/,
    );
    const { clientCertificate, clientKey } = plane.credentials;
    const user = { 'client-certificate-data': btoa(clientCertificate), 'client-key-data': btoa(clientKey) };
    const merged = `${plane.kubeconfig}:${await kubeconfig('other', user)}`;
    expect(await run('kubeconfig.ts', { KUBECONFIG: merged }, 'other')).toMatch(
      /context "other": I am cert-admin\ncached 0 config maps in kube-public\n$/,
    );
  });

  test('auth/token: its output does not contain the token', async () => {
    const { token } = plane.credentials;
    const printed = await run('token.ts', { ...explicit(), KUBE_TOKEN: token });
    expect(printed).toContain('I am admin, of system:masters and system:authenticated\n');
    expect(printed).toContain(plane.url);
    expect(printed).not.toContain(token);
  });

  test('auth/token-file: a revoked token is replaced by the one in the file', async () => {
    const file = await write('rotated', await boundToken('first'));
    const example = start('token-file.ts', { ...explicit(), KUBE_TOKEN_FILE: file });
    const line = 'I am system:serviceaccount:default:pod, by JTI=[-0-9a-f]+\n';
    await Promise.race([
      example.ended,
      expect.poll(() => example.printed.stdout, { timeout: 90_000 }).toMatch(new RegExp(`^${line}$`)),
    ]);
    await write('rotated', await boundToken('second'));
    // kube-apiserver caches a valid token for ten seconds.
    await plane.ask('DELETE', '/api/v1/namespaces/default/secrets/first');
    expect(await example.ended).toMatch(new RegExp(`^${line}${line}$`));
  });

  test('auth/client-certificate', async () => {
    const { clientCertificate, clientKey } = plane.credentials;
    const files = { KUBE_CERT: await write('me.crt', clientCertificate), KUBE_KEY: await write('me.key', clientKey) };
    expect(await run('client-certificate.ts', { ...explicit(), ...files })).toBe(
      'I am cert-admin, of system:masters and system:authenticated\n',
    );
  });

  test('auth/exec-plugin', async () => {
    const env = { ...explicit(), KUBE_TOKEN: plane.credentials.token };
    expect(await run('exec-plugin.ts', env)).toMatch(/^I am admin, by exec /);
  });

  test('auth/oidc: an expired ID token is renewed, a valid one is used', async () => {
    const user = (idToken: string) => ({
      'auth-provider': {
        name: 'oidc',
        config: {
          'idp-issuer-url': provider.issuer,
          'idp-certificate-authority-data': btoa(authority.ca),
          'client-id': 'kube-informer',
          'id-token': idToken,
          'refresh-token': 'refresh-0',
        },
      },
    });
    const jane = 'I am oidc:jane, of developers and system:authenticated\n';
    const good = await kubeconfig('oidc-good', user(provider.idToken(600)));
    // The provider's keys are fetched in the background, after the server is ready.
    await expect.poll(() => run('oidc.ts', { KUBECONFIG: good }).catch(String), { timeout: 120_000 }).toBe(jane);
    expect(provider.shown).toEqual([]);
    const expired = await kubeconfig('oidc-expired', user(provider.idToken(-600)));
    expect(await run('oidc.ts', { KUBECONFIG: expired })).toMatch(
      new RegExp(`^a new ID token, valid until .*Z\n${jane}$`),
    );
    expect(provider.shown).toEqual(['refresh-0']);
  });

  test('auth/in-cluster', async () => {
    const { hostname, port } = new URL(plane.url);
    await write('account/token', await boundToken('in-cluster'));
    await write('account/ca.crt', plane.credentials.ca);
    await write('account/namespace', 'default');
    const env = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port, KUBECONFIG: plane.kubeconfig };
    expect(await run('in-cluster.ts', { ...env, SERVICE_ACCOUNT_DIRECTORY: join(dir, 'account') })).toBe(
      'service account of the pod: I am system:serviceaccount:default:pod\ncached 1 config maps in default\n',
    );
  });

  test('auth/impersonation', async () => {
    const printed = await run('impersonation.ts', { KUBECONFIG: plane.kubeconfig }, 'jane', 'developers', 'testers');
    expect(printed).toBe('I am jane, of developers and testers and system:authenticated\njane may not list secrets\n');
  });

  test.skipIf(!hasKubectl)('auth/kubectl-proxy', async () => {
    const proxy = await kubectlProxy(plane.kubeconfig);
    onTestFinished(() => proxy.stop());
    expect(await run('kubectl-proxy.ts', { KUBECTL_PROXY: proxy.url })).toBe(
      'kubectl signed me in as admin\ncached 4 namespaces\n',
    );
  });

  test('auth/http-proxy: a server that only the proxy can reach', async () => {
    const { port } = new URL(plane.url);
    await using proxy = await ConnectProxy.start({ host: '127.0.0.1', port: Number(port) });
    const address = `127.0.0.1:${proxy.port}`;

    const inside = { server: `https://cluster.internal:${port}`, 'tls-server-name': 'localhost' };
    const env = {
      KUBECONFIG: await kubeconfig('inside', { token: plane.credentials.token }, inside),
      HTTPS_PROXY: `http://${address}`,
      NO_PROXY: 'localhost,example.com',
    };
    expect(await run('http-proxy.ts', env)).toBe(
      `cluster.internal:${port} through ${address}\nI am admin\ncached 0 config maps in kube-public\n`,
    );
    expect(new Set(proxy.asked.map(({ target }) => target))).toEqual(new Set([`cluster.internal:${port}`]));
  });
});

const certs = certificates();

test('auth/basic: a user name and a password, which kube-apiserver no longer accepts, on a scripted server', async () => {
  const { authority, pair } = certs();
  const expected = `Basic ${Buffer.from('jane:pässword').toString('base64')}`;
  const server = await serve({
    pair,
    protocol: 'h2',
    handler(request, answer) {
      const isJane = request.headers['authorization'] === expected;
      answer.writeHead(isJane ? 200 : 401, { 'content-type': 'application/json' });
      answer.end(isJane ? `{"path":"${request.url}"}` : '{}');
    },
  });
  const dir = await mkdtemp(join(tmpdir(), 'examples-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  await writeFile(join(dir, 'ca.crt'), authority.ca);
  const tsx = join(repository, 'node_modules/tsx/dist/cli.mjs');
  const example = join(repository, 'examples/auth/basic.ts');
  const run = (password: string) =>
    promisify(execFile)(process.execPath, [tsx, '--conditions=@kube-informer/source', example, '/version'], {
      env: {
        PATH: process.env['PATH'],
        HOME: dir,
        KUBE_SERVER: String(server.url),
        KUBE_CA: join(dir, 'ca.crt'),
        KUBE_USER: 'jane',
        KUBE_PASSWORD: password,
      },
    });
  const { stdout, stderr } = await run('pässword');
  expect(stdout).toMatch(/^{ path: '\/version' }\n/);
  expect(stdout + stderr).not.toContain('pässword');
  expect(stdout).not.toContain(expected);
  const refused = (await run('wrong-password').catch((error: unknown) => error)) as { stderr: string };
  expect(refused.stderr).toContain('401');
  expect(refused.stderr).not.toContain('wrong-password');
});
