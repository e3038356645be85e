import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiServer, startApiServer } from '@kube-informer/apiserver';
import type { Deployment } from '@kube-informer/kubernetes';
import { Cluster, type KubeObject } from 'kube-informer';
import { expect, onTestFinished } from 'vitest';
import { object, pod } from './objects.ts';
import { asked, example, rig, run } from './rig.ts';

example('operations/health-probes.ts', 'is not ready before its cache is, and ready after', async () => {
  const { server, env } = await rig();
  const locked = server.faults.add({ match: { resource: 'pods' }, do: { status: 403 }, times: Infinity });
  const running = run('examples/operations/health-probes.ts', { env: { ...env, PORT: '0' } });
  await running.prints('/readyz\n');
  await locked.hit;
  await expect
    .poll(() => asked(running.printed()), { timeout: 60_000 })
    .toMatchObject({ status: 503, text: 'v1/pods has not synced yet: forbidden\n' });
  expect(await asked(running.printed(), '/livez')).toEqual({ status: 200, text: 'ok\n' });
  locked.remove();
  await running.prints('synced\n');
  await expect.poll(() => asked(running.printed())).toEqual({ status: 200, text: 'ok\n' });
  running.child.kill('SIGINT');
  // stderr is not checked: the refusals are logged there.
  await expect.poll(() => running.child.exitCode, { timeout: 60_000 }).toBe(0);
});

example('operations/inspector.ts', 'serves a page about its informers', async () => {
  const { env } = await rig(pod('web/shop-0', 'Running'));
  const running = run('examples/operations/inspector.ts', { env });
  await running.prints(/^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}\n/);
  const { origin, hash } = new URL(running.printed().trim());
  const headers = { 'x-inspector-token': hash.slice('#token='.length) };
  const objects = async (): Promise<unknown> => {
    const overview = (await (await fetch(`${origin}/api/overview`, { headers })).json()) as {
      caches: readonly object[];
    };
    return overview.caches[0];
  };
  await expect.poll(objects, { timeout: 60_000 }).toMatchObject({ id: 'v1/pods', state: 'synced', objects: 1 });
  await running.interrupt();
});

example('operations/logging.ts', 'sends the log where it is wanted: the first failure is a warning', async () => {
  const { server, env } = await rig(pod('web/shop-0', 'Running'));
  server.faults.add({ match: { resource: 'pods' }, do: { status: 503 }, times: 2 });
  const printed = await run('examples/operations/logging.ts', { env }).ended();
  expect(printed).toContain('warn: to pino {"tries":3}\nerror: to winston {}\n');
  const lines = printed.split('\n').filter((line) => line.startsWith('{"level":'));
  expect(lines.map((line) => JSON.parse(line) as object)).toContainEqual(
    expect.objectContaining({ level: 'warn', message: 'list or watch failed; retrying', reason: 'server-error' }),
  );
});

example('operations/metrics.ts', 'shows its numbers', async () => {
  const { env } = await rig(pod('web/shop-0', 'Running'));
  const running = run('examples/operations/metrics.ts', { env: { ...env, PORT: '0' } });
  await running.prints('/metrics\n');
  const text = async (): Promise<string> => (await asked(running.printed())).text;
  await expect.poll(text).toMatch(/^reflector_watches_total\{name="[^"]*v1\/pods[^"]*"\} 1$/m);
  await expect.poll(text).toMatch(/^informer_store_resource_version\{name="example",resource="v1\/pods"\} \d+$/m);
  await running.interrupt();
});

/** Applies the manifests, and writes the files of their service account as a pod has them. */
async function podOf(server: ApiServer, dir: string, without: readonly string[] = []) {
  await using admin = await Cluster.connect({ kubeconfig: server.kubeconfig() });
  const manifests = (await readFile('examples/operations/in-cluster/manifests.yaml', 'utf8')).split(/^---$/m);
  const made = new Map<string, KubeObject>();
  for (const body of manifests) {
    const [, apiVersion = ''] = /^apiVersion: (\S+)$/m.exec(body) ?? [];
    const [, kind = ''] = /^kind: (\S+)$/m.exec(body) ?? [];
    if (without.includes(kind)) continue;
    const base = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
    const path = `${base}/namespaces/default/${kind.toLowerCase()}s`;
    made.set(
      kind,
      await admin.client.request({ method: 'POST', path, body, headers: { 'content-type': 'application/yaml' } }),
    );
  }
  const deployment = made.get('Deployment') as Deployment | undefined;
  const { namespace = '' } = deployment?.metadata ?? {};
  const account = `${namespace}/${deployment?.spec?.template.spec?.serviceAccountName}`;
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const { status } = await admin
    .resource('v1/serviceaccounts')
    .subresource<{ status: { token: string } }>(account, 'token', { body });
  await writeFile(join(dir, 'token'), status.token);
  await writeFile(join(dir, 'ca.crt'), server.ca ?? '');
  await writeFile(join(dir, 'namespace'), namespace);
  const { hostname, port } = new URL(server.url);
  return {
    KUBERNETES_SERVICE_HOST: hostname,
    KUBERNETES_SERVICE_PORT: port,
    SERVICE_ACCOUNT_DIRECTORY: dir,
    PORT: '0',
  };
}

async function rbacRig() {
  const server = await startApiServer({ auth: 'rbac' });
  onTestFinished(() => server.close());
  const dir = await mkdtemp(join(tmpdir(), 'examples-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return { server, dir };
}

example(
  'operations/in-cluster/main.ts',
  'works with exactly the rights of its manifests, and ends on SIGTERM',
  async () => {
    const { server, dir } = await rbacRig();
    server.load([object('ConfigMap', 'default/one')]);
    const running = run('examples/operations/in-cluster/main.ts', { env: await podOf(server, dir) });
    await running.prints('+ default/one\n');
    server.local.remove('', 'configmaps', 'default', 'one');
    await running.prints('- default/one\n');
    expect(await running.interrupt('SIGTERM')).toBe('+ default/one\n- default/one\nreceived SIGTERM\n');
    await expect.poll(() => server.watchers().length).toBe(0);
    const users = new Set(server.requests.filter(({ path }) => path.includes('configmaps')).map(({ user }) => user));
    expect(users).toContain('system:serviceaccount:default:config-watcher');
  },
);

example('operations/in-cluster/main.ts', 'can do nothing without its binding', async () => {
  const { server, dir } = await rbacRig();
  server.load([object('ConfigMap', 'default/one')]);
  const running = run('examples/operations/in-cluster/main.ts', { env: await podOf(server, dir, ['RoleBinding']) });
  await expect
    .poll(() => server.requests.filter(({ path, status }) => path.includes('configmaps') && status === 403).length, {
      timeout: 90_000,
    })
    .toBeGreaterThan(0);
  running.child.kill('SIGTERM');
  await expect.poll(() => running.child.exitCode, { timeout: 60_000 }).toBe(0);
  expect(running.printed()).toBe('received SIGTERM\n');
});
