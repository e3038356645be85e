import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConnectOptions } from '../../../packages/kube-informer/src/client/connect/connect-options.ts';
import { resolveConnection } from '../../../packages/kube-informer/src/client/connect/resolve-connection.ts';
import type { Connection } from '../../../packages/kube-informer/src/client/connect/connection.ts';
import { loadKubeconfigFiles } from '../../../packages/kube-informer/src/client/config/node/kubeconfig-files.ts';
import { absoluteFilePath } from '../../../packages/kube-informer/src/client/config/node/read-file.ts';
import { whatIsMissing } from '../harness/binaries.ts';
import { ControlPlane } from '../harness/control-plane.ts';

const run = promisify(execFile);
const missing = await whatIsMissing();
if (missing !== undefined) console.warn(`\nSKIPPED: authentication on a real kube-apiserver: ${missing}\n`);
const hasKubectl = await run('kubectl', ['version', '--client']).then(
  () => true,
  () => false,
);
if (!hasKubectl) console.warn('\nSKIPPED: comparing with kubectl, which is not installed\n');

const V1 = 'client.authentication.k8s.io/v1';
const REVIEW = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

/** The user that the server sees, requested only with the settings of the connection. */
async function whoAmI(connection: Connection): Promise<string> {
  const { authorization } = await connection.credentials.current(new AbortController().signal);
  const { ca, certificate } = connection.tls.current();
  const headers: Record<string, string | string[]> = { 'content-type': 'application/json' };
  if (authorization !== undefined) headers['authorization'] = authorization;
  if (connection.impersonate !== undefined) {
    headers['impersonate-user'] = connection.impersonate.user;
    headers['impersonate-group'] = [...(connection.impersonate.groups ?? [])];
  }
  const body = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' });
  const text = await new Promise<string>((resolve, reject) => {
    const tls = {
      ...(ca === undefined ? {} : { ca }),
      ...(certificate === undefined ? {} : { cert: certificate.cert, key: certificate.key }),
    };
    const call = request(
      new URL(REVIEW, connection.server),
      { method: 'POST', headers, agent: new Agent({ maxCachedSessions: 0 }), ...tls },
      (answer) => {
        let all = '';
        answer
          .setEncoding('utf8')
          .on('data', (chunk: string) => (all += chunk))
          .on('end', () => resolve(all));
      },
    );
    call.on('error', reject).end(body);
  });
  const { status, message } = JSON.parse(text) as { status: { userInfo?: { username: string } }; message?: string };
  return status.userInfo?.username ?? message ?? 'nobody';
}

describe.skipIf(missing !== undefined)('authentication on a real kube-apiserver', () => {
  let plane: ControlPlane;
  let dir: string;
  beforeAll(async () => {
    plane = await ControlPlane.start({ log: (line) => console.log(line) });
    dir = await mkdtemp(join(tmpdir(), 'auth-real-'));
  }, 1_800_000);
  afterAll(async () => {
    await plane?.[Symbol.asyncDispose]();
    await rm(dir, { recursive: true, force: true });
  });

  const write = async (name: string, content: string): Promise<string> => {
    await mkdir(join(dir, name, '..'), { recursive: true });
    await writeFile(join(dir, name), content);
    return join(dir, name);
  };
  async function rig(user: object, options: ConnectOptions = {}): Promise<Connection> {
    const cluster = { server: plane.url, 'certificate-authority': await write('ca.crt', plane.credentials.ca) };
    const config = {
      'current-context': 'c',
      clusters: [{ name: 'c', cluster }],
      users: [{ name: 'c', user }],
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'c' } }],
    };
    return resolveConnection({
      kubeconfigFile: await write('config', JSON.stringify(config)),
      environment: {},
      ...options,
    });
  }
  async function plugin(status: object): Promise<object> {
    const path = await write(
      'plugin',
      `#!${process.execPath}\nconsole.log(${JSON.stringify(JSON.stringify({ kind: 'ExecCredential', apiVersion: V1, status }))})\n`,
    );
    await chmod(path, 0o755);
    return { exec: { apiVersion: V1, command: './plugin', interactiveMode: 'Never' } };
  }

  test('D7: the kubeconfig of the cluster, by path and by KUBECONFIG', async () => {
    expect(await whoAmI(await resolveConnection({ kubeconfigFile: plane.kubeconfig, environment: {} }))).toBe('admin');
    expect(await whoAmI(await resolveConnection({ environment: { KUBECONFIG: plane.kubeconfig } }))).toBe('admin');
  });

  test('D8: a token, a token file, and a client certificate', async () => {
    const { token, clientCertificate, clientKey } = plane.credentials;
    expect(await whoAmI(await rig({ token }))).toBe('admin');
    await write('token', `${token}\n`);
    expect(await whoAmI(await rig({ tokenFile: 'token' }))).toBe('admin');
    expect(
      await whoAmI(
        await rig({ 'client-certificate-data': btoa(clientCertificate), 'client-key-data': btoa(clientKey) }),
      ),
    ).toBe('cert-admin');
    await write('me.crt', clientCertificate);
    await write('me.key', clientKey);
    expect(await whoAmI(await rig({ 'client-certificate': 'me.crt', 'client-key': 'me.key' }))).toBe('cert-admin');
    const { url } = plane;
    const { ca } = plane.credentials;
    expect(await whoAmI(await resolveConnection({ url, token, ca }))).toBe('admin');
    expect(await whoAmI(await resolveConnection({ url, ca, cert: clientCertificate, key: clientKey }))).toBe(
      'cert-admin',
    );
  });

  test('D9: a plugin that prints a token, and one that prints a certificate', async () => {
    const { token, clientCertificate, clientKey } = plane.credentials;
    expect(await whoAmI(await rig(await plugin({ token })))).toBe('admin');
    const withCertificate = await rig(
      await plugin({ clientCertificateData: clientCertificate, clientKeyData: clientKey }),
    );
    expect(await whoAmI(withCertificate)).toBe('cert-admin');
  });

  test("D8, G23: a pod's service account, and its rotated token", async () => {
    const account = '/api/v1/namespaces/default/serviceaccounts';
    await plane.ask('POST', account, { metadata: { name: 'pod' } });
    const fresh = async (): Promise<string> =>
      (
        JSON.parse((await plane.ask('POST', `${account}/pod/token`, { spec: {} })).text) as {
          status: { token: string };
        }
      ).status.token;
    const serviceAccountDirectory = join(dir, 'sa');
    await write('sa/ca.crt', plane.credentials.ca);
    await write('sa/namespace', 'default');
    await write('sa/token', await fresh());
    const { hostname, port } = new URL(plane.url);
    const environment = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
    const connection = await resolveConnection({ environment, serviceAccountDirectory });
    expect(await whoAmI(connection)).toBe('system:serviceaccount:default:pod');
    const old = await connection.credentials.current(new AbortController().signal);
    await write('sa/token', await fresh());
    expect(connection.credentials.rejected(old)).toBe(true);
    expect(await connection.credentials.current(new AbortController().signal)).not.toBe(old);
    expect(await whoAmI(connection)).toBe('system:serviceaccount:default:pod');
  });

  test('D7: impersonation', async () => {
    const { token } = plane.credentials;
    expect(await whoAmI(await rig({ token, as: 'jane', 'as-groups': ['system:masters', 'dev'] }))).toBe('jane');
    expect(await whoAmI(await rig({ token }, { impersonate: { user: 'joe', groups: ['system:masters'] } }))).toBe(
      'joe',
    );
  });
});

describe.skipIf(!hasKubectl)('kubeconfig files as kubectl merges them', () => {
  const name = fc.constantFrom('a', 'b', 'c');
  const maybe = (...texts: string[]) => fc.option(fc.constantFrom(...texts), { nil: undefined });
  const named = <T>(body: fc.Arbitrary<T>) =>
    fc.uniqueArray(fc.tuple(name, body), { selector: ([n]) => n, maxLength: 3 });
  const path = maybe('pem', '../pem', './sub/../pem');
  const file = fc.record({
    current: maybe('', 'a', 'b'),
    clusters: named(fc.record({ server: maybe('https://x', 'https://y'), 'certificate-authority': path })),
    users: named(fc.record({ token: maybe('t1', 't2'), username: maybe('u1'), 'client-certificate': path })),
    contexts: named(fc.record({ cluster: maybe('a', 'b'), user: maybe('a'), namespace: maybe('ns1', 'ns2') })),
  });
  type Named = readonly { readonly name: string }[];
  type Theirs = Record<'clusters' | 'users' | 'contexts', Named | null> & { readonly 'current-context'?: string };
  const sorted = (list: Named | null): unknown =>
    JSON.parse(JSON.stringify([...(list ?? [])].toSorted((x, y) => (x.name < y.name ? -1 : 1))));
  /** The content of a file that a kubeconfig names, in base64 as kubectl shows it. */
  const content = async (path: string | undefined, beside = ''): Promise<string | undefined> =>
    path && btoa(await readFile(absoluteFilePath({ path, beside, where: 'x' }), 'utf8'));

  test('S23, D7: the same entries win, and relative paths lead to the same files', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'kubectl-'));
    await writeFile(join(dir, 'pem'), 'beside the directories');
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(file, { minLength: 1, maxLength: 4 }), async (files) => {
          const paths: string[] = [];
          for (const [at, { current, clusters, users, contexts }] of files.entries()) {
            const own = join(dir, `d${at}`);
            await mkdir(join(own, 'sub'), { recursive: true });
            await writeFile(join(own, 'pem'), `of directory ${at}`);
            const kubeconfig = {
              apiVersion: 'v1', kind: 'Config', 'current-context': current,
              clusters: clusters.map(([n, cluster]) => ({ name: n, cluster })),
              users: users.map(([n, user]) => ({ name: n, user })),
              contexts: contexts.map(([n, context]) => ({ name: n, context })),
            }; // prettier-ignore
            await writeFile(join(own, 'config'), JSON.stringify(kubeconfig));
            paths.push(join(own, 'config'));
          }
          const env = { ...process.env, KUBECONFIG: [...paths, join(dir, 'missing')].join(':') };
          // Flattened, so that paths are followed.
          const { stdout } = await run('kubectl', ['config', 'view', '--raw', '--flatten', '-o', 'json'], { env });
          const theirs = JSON.parse(stdout) as Theirs;

          const { config } = await loadKubeconfigFiles(paths);
          const clusters = [...config.clusters.values()].map(
            async ({ name: n, file: from, server = '', certificateAuthority }) => ({
              name: n,
              cluster: { server, 'certificate-authority-data': await content(certificateAuthority, from) },
            }),
          );
          const users = [...config.users.values()].map(async (user) => ({
            name: user.name,
            user: {
              token: user.token,
              username: user.username,
              'client-certificate-data': await content(user.clientCertificate, user.file),
            },
          }));
          const contexts = [...config.contexts.values()].map(({ name: n, cluster = '', user = '', namespace }) => ({
            name: n,
            context: { cluster, user, namespace },
          }));
          expect(config.currentContext ?? '').toBe(theirs['current-context'] ?? '');
          expect(sorted(await Promise.all(clusters))).toEqual(sorted(theirs.clusters));
          expect(sorted(await Promise.all(users))).toEqual(sorted(theirs.users));
          expect(sorted(contexts)).toEqual(sorted(theirs.contexts));
        }),
        { numRuns: 60 },
      );
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  });

  test('S12, D7: merge keys (<<) mean the same', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'kubectl-'));
    const path = join(dir, 'config');
    const users = {
      alias: '<<: *one',
      own: '<<: *one, token: mine',
      after: 'username: mine, <<: *two',
      several: '<<: [*one, *two]',
      nested: '<<: *three',
      inline: '<<: [{token: a}, {token: b, as: jane}]',
      quoted: '"<<": *one',
      tagged: '!!str <<: *one',
    };
    const text = [
      'x-one: &one {token: one, as: jane}',
      'x-two: &two {token: two, password: two}',
      'x-three: &three {<<: *two, token: three}',
      'users:',
      ...Object.entries(users).map(([key, user]) => `- {name: ${key}, user: {${user}}}`),
    ].join('\n');
    try {
      await writeFile(path, text);
      const env = { ...process.env, KUBECONFIG: path };
      const { stdout } = await run('kubectl', ['config', 'view', '--raw', '-o', 'json'], { env });
      const { config } = await loadKubeconfigFiles([path]);
      const ours = [...config.users.values()].map(({ name: n, token, username, password, as }) => ({
        name: n,
        user: { token, username, password, as },
      }));
      expect(ours).toHaveLength(Object.keys(users).length);
      expect(sorted(ours)).toEqual(sorted((JSON.parse(stdout) as Theirs).users));

      // Where they differ, our client refuses.
      await writeFile(path, 'x: &x {token: merged}\nusers:\n- name: a\n  user: {token: own, <<: *x}');
      const { stdout: theirs } = await run('kubectl', ['config', 'view', '--raw', '-o', 'json'], { env });
      expect(theirs).toContain('"merged"');
      const { problems } = await loadKubeconfigFiles([path]);
      expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining('put << first, line 4')]);
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  });
});
