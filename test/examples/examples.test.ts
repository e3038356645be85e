import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type ApiObject, type ApiServer, startApiServer } from '@kube-informer/apiserver';
import type { Deployment } from '@kube-informer/kubernetes';
import { Cluster, type KubeObject } from 'kube-informer';
import { expect, onTestFinished, test } from 'vitest';
import { podsOfACluster } from './pods.ts';
import { runExample } from './run-example.ts';

/** Those that need what this suite does not: a real server, another client, a browser. */
const ELSEWHERE = /^auth-|^migrate-from-client-node\.mjs$|^browser$/;
/** Filled by the tests below. */
const covered = new Set<string>();

function example(file: string, title: string, run: () => Promise<void>, timeout = 240_000): void {
  covered.add(file.split('/', 1)[0] ?? file);
  test(`examples/${file} ${title}`, run, timeout);
}

const object = (kind: string, key: string, more: object = {}, meta: object = {}, apiVersion = 'v1'): ApiObject => {
  const [namespace = '', name = ''] = key.split('/');
  return { apiVersion, kind, metadata: { namespace, name, ...meta }, ...more } as unknown as ApiObject;
};
const container = (image: string) => ({ containers: [{ name: 'main', image }] });
const pod = (key: string, phase: string, spec: object = {}, labels: object = {}): ApiObject =>
  object('Pod', key, { spec: { ...container('nginx:1'), ...spec }, status: { phase } }, { labels });

/** The definition of a custom resource. */
const widgets = object(
  'CustomResourceDefinition',
  '/widgets.example.com',
  {
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          subresources: { status: {} },
        },
      ],
    },
  },
  {},
  'apiextensions.k8s.io/v1',
);

/** Writes a pod's status as a kubelet does; makes the pod where there is none. */
function report(server: ApiServer, key: string, status: object): void {
  const [namespace = '', name = ''] = key.split('/');
  if (server.local.get('', 'namespaces', '', namespace) === undefined)
    server.local.create('', 'namespaces', object('Namespace', `/${namespace}`));
  const { status: _, ...made } = pod(key, '') as ApiObject & { status?: unknown };
  const stored = server.local.get('', 'pods', namespace, name) ?? server.local.create('', 'pods', made as ApiObject);
  server.local.update('', 'pods', { ...stored, status } as ApiObject, 'status');
}

/** A server with these objects, and the variable that leads to it. */
async function rig(...objects: readonly ApiObject[]) {
  const server = await startApiServer();
  onTestFinished(() => server.close());
  server.load(objects);
  const dir = await mkdtemp(join(tmpdir(), 'examples-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const KUBECONFIG = join(dir, 'kubeconfig');
  await server.writeKubeconfig(KUBECONFIG);
  return { server, dir, env: { KUBECONFIG } };
}

example('first-informer.ts', 'needs nothing at all', async () => {
  expect(await runExample('examples/first-informer.ts').ended()).toMatch(/web\/shop-0/);
});

example('test-with-embedded-server.ts', 'needs nothing at all', async () => {
  const printed = await runExample('examples/test-with-embedded-server.ts').ended();
  expect(printed).toMatch(/cut 1 watch; in the cache: one, two, three/);
});

example('test-with-fake-clock.ts', 'needs nothing at all', async () => {
  const printed = await runExample('examples/test-with-fake-clock.ts').ended();
  expect(printed).toBe('told: add web/shop-0@2 initial, delete web/shop-0 unknown, add web/shop-1@4\n');
});

// Its backoffs are real ones.
example(
  'faults.ts',
  'needs nothing at all',
  async () => {
    const printed = await runExample('examples/faults.ts').ended();
    expect(printed.match(/^ok: /gm)).toHaveLength(6);
    expect(printed).not.toMatch('WRONG');
  },
  360_000,
);

example('embedded-server.ts', 'keeps its data where it is started', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'examples-'));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  expect(await runExample(resolve('examples/embedded-server.ts'), { cwd }).ended()).toBe(
    'after a restart: kept\nlast request: list by admin; watched: pods\nin the cache: kept, one, two\n',
  );
  expect(await readdir(join(cwd, '.cluster'))).not.toEqual([]);
});

example('watching-the-wire.ts', 'tells of its requests', async () => {
  const { env } = await rig(pod('web/shop-0', 'Running'));
  const printed = await runExample('examples/watching-the-wire.ts', { env }).ended();
  expect(printed).toMatch(/^new web\/shop-0$/m);
  expect(printed).toMatch(/^GET \/api\/v1\/namespaces\/web\/pods 200 \d/m);
});

example('generated-types.ts', 'writes types of a custom resource', async () => {
  const { server, env } = await rig();
  server.local.create('apiextensions.k8s.io', 'customresourcedefinitions', widgets);
  const args = ['example.com/v1'];
  const printed = await runExample('examples/generated-types.ts', { env, args }).ended();
  expect(printed).toMatch(/^pods are po; 3 typed objects$/m);
  expect(printed).toMatch(/^example\.com\/v1\.ts: \d+ lines$/m);
  expect(printed).toMatch(/^a gadget of size 3$/m);
});

example('coming-from-client-go.ts', 'finds a pod by its node', async () => {
  const { env } = await rig(pod('web/shop-0', 'Running', { nodeName: 'node-1' }));
  const printed = await runExample('examples/coming-from-client-go.ts', { env }).ended();
  expect(printed).toBe('add web/shop-0\non node-1: shop-0\n');
});

example('coming-from-client-go-factory.ts', 'finds a pod of its namespace', async () => {
  const { env } = await rig(pod('web/shop-0', 'Running'), pod('other/x', 'Running'));
  const printed = await runExample('examples/coming-from-client-go-factory.ts', { env }).ended();
  expect(printed).toBe('add web/shop-0\nfound: shop-0\n');
});

example('first-client.ts', 'reads, patches and replaces', async () => {
  const labels = { app: 'shop' };
  const spec = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: container('nginx:1') } };
  const shop = object('Deployment', 'web/shop', { spec, status: { readyReplicas: 2 } }, { labels }, 'apps/v1');
  const { server, env } = await rig(shop);
  expect(await runExample('examples/first-client.ts', { env }).ended()).toBe("[ 'shop: 2 ready' ]\n");
  expect(server.local.get('apps', 'deployments', 'web', 'shop')).toMatchObject({
    spec: { paused: true },
    metadata: { annotations: { 'example.com/seen': 'yes' } },
  });
});

example('informer.ts', 'follows pods until it is interrupted', async () => {
  const { server, env } = await rig();
  report(server, 'web/shop-0', { phase: 'Pending' });
  report(server, 'other/x', { phase: 'Running' });
  const running = runExample('examples/informer.ts', { env });
  await running.prints('1 pods in web\n');
  report(server, 'web/shop-0', { phase: 'Running' });
  report(server, 'web/shop-1', { phase: 'Pending' });
  server.local.remove('', 'pods', 'web', 'shop-1', { gracePeriodSeconds: 0 });
  await running.prints('- web/shop-1\n');
  const lines = (await running.interrupt()).split('\n');
  const expected = ['+ web/shop-0 Pending', '+ other/x Running', '~ web/shop-0 Pending → Running', '- web/shop-1'];
  expect(lines).toEqual(expect.arrayContaining(expected));
});

example('indexers-and-listers.ts', 'finds what is there', async () => {
  const { env } = await rig(
    pod('web/shop-0', 'Running', { nodeName: 'node-1' }, { app: 'shop' }),
    pod('web/cart-0', 'Running', { nodeName: 'node-1', ...container('cart:1') }, { app: 'cart' }),
    pod('web/cart-1', 'Running', { nodeName: 'node-2', ...container('cart:1') }, { app: 'cart', tier: 'test' }),
    pod('other/shop-9', 'Running', {}, { app: 'shop' }),
  );
  expect(await runExample('examples/indexers-and-listers.ts', { env }).ended()).toBe(
    [
      'on node-1: cart-0, shop-0',
      'with image nginx:1: shop-0, shop-9',
      'shops in web: cart-0, shop-0',
      'web/shop-0 is on node-1',
      '',
    ].join('\n'),
  );
});

example('custom-resource.ts', 'writes a status and waits for it', async () => {
  const { server, env } = await rig();
  server.local.create('apiextensions.k8s.io', 'customresourcedefinitions', widgets);
  server.load([object('Widget', 'default/w', { spec: { size: 3 } }, {}, 'example.com/v1')]);
  expect(await runExample('examples/custom-resource.ts', { env }).ended()).toBe('w: size 3, ready\n');
});

example('metadata-only.ts', 'never sees a secret', async () => {
  const secret = (key: string, labels: object): ApiObject =>
    object('Secret', key, { data: { password: btoa('xyzzy') } }, { labels });
  const { server, env } = await rig(secret('web/db', {}), secret('web/owned', { team: 'blue' }));
  expect(await runExample('examples/metadata-only.ts', { env }).ended()).toBe(
    'web/db belongs to no team; its fields here: apiVersion, kind, metadata\n',
  );
  expect(server.requests.some(({ path }) => path.includes('/secrets'))).toBe(true);
});

example('filtering-handler.ts', 'hears of failed pods only', async () => {
  const { server, env } = await rig();
  for (const name of ['good', 'bad']) report(server, `web/${name}`, { phase: 'Running' });
  const running = runExample('examples/filtering-handler.ts', { env });
  await running.prints('watching\n');
  report(server, 'web/good', { phase: 'Succeeded' });
  report(server, 'web/bad', { phase: 'Failed', reason: 'Evicted' });
  await running.prints('web/bad failed: Evicted\n');
  report(server, 'web/bad', { phase: 'Running' });
  await running.prints('web/bad is no longer failed\n');
  expect(await running.interrupt()).not.toMatch('web/good');
});

example('two-clusters.ts', 'compares two contexts', async () => {
  const deployment = (name: string, image: string): ApiObject => {
    const labels = { app: name };
    const spec = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: container(image) } };
    return object('Deployment', `web/${name}`, { spec }, {}, 'apps/v1');
  };
  const staging = await rig(deployment('shop', 'shop:2'), deployment('cart', 'cart:1'), deployment('new', 'new:1'));
  const production = await rig(deployment('shop', 'shop:1'), deployment('cart', 'cart:1'));
  const renamed = async (dir: string, file: string, name: string): Promise<string> => {
    const path = join(dir, name);
    await writeFile(path, (await readFile(file, 'utf8')).replaceAll('kube-informer', name));
    return path;
  };
  const files = [
    await renamed(staging.dir, staging.env.KUBECONFIG, 'staging'),
    await renamed(staging.dir, production.env.KUBECONFIG, 'production'),
  ];
  const env = { KUBECONFIG: files.join(':') };
  const printed = await runExample('examples/two-clusters.ts', { env, args: ['staging', 'production'] }).ended();
  expect(new Set(printed.trimEnd().split('\n'))).toEqual(
    new Set(['web/shop: shop:2 in staging, shop:1 in production', 'web/new: only in staging']),
  );
});

example('changes.ts', 'reads until it has seen a delete', async () => {
  const map = (x: string): ApiObject => object('ConfigMap', 'web/one', { data: { x } });
  const { server, env } = await rig(map('1'));
  const running = runExample('examples/changes.ts', { env });
  await running.prints('web/one: add\n');
  const stored = server.local.get('', 'configmaps', 'web', 'one');
  server.local.update('', 'configmaps', { ...stored, data: { x: '2' } } as ApiObject);
  await running.prints('web/one: 1 → 2\n');
  server.local.remove('', 'configmaps', 'web', 'one');
  expect(await running.ended()).toBe('web/one: add\nweb/one: 1 → 2\nweb/one: delete\n');
});

example('wait-for.ts', 'waits for the rollout it started', async () => {
  const labels = { app: 'shop' };
  const template = { metadata: { labels }, spec: container('nginx:1') };
  const spec = { replicas: 2, selector: { matchLabels: labels }, template };
  const { server, env } = await rig(object('Deployment', 'web/shop', { spec }, {}, 'apps/v1'));
  const running = runExample('examples/wait-for.ts', { env });
  const stored = (): { metadata: { generation: number }; spec: typeof spec } =>
    server.local.get('apps', 'deployments', 'web', 'shop') as never;
  await expect.poll(() => stored().spec.template.spec.containers[0]?.image, { timeout: 90_000 }).toBe('nginx:2');
  const report = (availableReplicas: number): void => {
    const { generation: observedGeneration } = stored().metadata;
    const status = { observedGeneration, replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas };
    server.local.update('apps', 'deployments', { ...stored(), status } as unknown as ApiObject, 'status');
  };
  report(1);
  await server.waitFor({ watches: 1, resource: 'deployments' });
  expect(running.printed()).toBe('');
  report(2);
  expect(await running.ended()).toBe('web/shop runs nginx:2\n');
});

example('freshness.ts', 'reads its own write, and verifies', async () => {
  const { env } = await rig();
  expect(await runExample('examples/freshness.ts', { env }).ended()).toBe(
    'read my write: 1\nlooked up: 1\ncompared with the server: no difference\n',
  );
});

example('big-cluster.ts', 'keeps less and less', async () => {
  // With EXAMPLE_PODS=10000 it prints the figures of docs/guides/big-clusters.md.
  const { env } = await rig(...podsOfACluster(Number(process.env['EXAMPLE_PODS'] ?? 2_000)));
  const found: Record<string, { readonly count: number; readonly megabytes: number }> = {};
  for (const way of ['everything', 'withoutManagedFields', 'metadataOnly', 'leanMetadata', 'ofOneNode']) {
    const options = { env: { ...env, NODE_OPTIONS: '--expose-gc' }, args: [way] };
    const printed = await runExample('examples/big-cluster.ts', options).ended();
    if (process.env['EXAMPLE_PODS'] !== undefined) console.log(printed);
    const [, count, megabytes] = /: (\d+) pods, (-?[\d.]+) MB$/m.exec(printed) ?? [];
    found[way] = { count: Number(count), megabytes: Number(megabytes) };
  }
  const { everything, withoutManagedFields, metadataOnly, leanMetadata, ofOneNode } = found;
  expect(withoutManagedFields?.count).toBe(everything?.count);
  expect(metadataOnly?.count).toBe(everything?.count);
  expect(leanMetadata?.count).toBe(everything?.count);
  expect(ofOneNode?.count).toBe((everything?.count ?? 0) / 20);
  for (const less of [withoutManagedFields, metadataOnly, leanMetadata, ofOneNode])
    expect(less?.megabytes).toBeLessThan(everything?.megabytes ?? 0);
});

/** What an address that the example prints answers. */
async function asked(printed: string, path = ''): Promise<{ status: number; text: string }> {
  const [, url = ''] = /ask (http:\S+)/.exec(printed) ?? [];
  const response = await fetch(new URL(path, url));
  return { status: response.status, text: await response.text() };
}

example('health-probes.ts', 'is not ready before its cache is, and ready after', async () => {
  const { server, env } = await rig();
  const locked = server.faults.add({ match: { resource: 'pods' }, do: { status: 403 }, times: Infinity });
  const running = runExample('examples/health-probes.ts', { env: { ...env, PORT: '0' } });
  await running.prints('/readyz\n');
  await locked.hit;
  await expect
    .poll(() => asked(running.printed()), { timeout: 60_000 })
    .toMatchObject({ status: 503, text: 'v1/pods is not complete yet: forbidden\n' });
  expect(await asked(running.printed(), '/livez')).toEqual({ status: 200, text: 'ok\n' });
  locked.remove();
  await running.prints('synced\n');
  await expect.poll(() => asked(running.printed())).toEqual({ status: 200, text: 'ok\n' });
  running.child.kill('SIGINT');
  // The refusals were logged, as they should be.
  await expect.poll(() => running.child.exitCode, { timeout: 60_000 }).toBe(0);
});

example('inspector.ts', 'serves a page about its informers', async () => {
  const { env } = await rig(pod('web/shop-0', 'Running'));
  const running = runExample('examples/inspector.ts', { env });
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

example('metrics.ts', 'shows its numbers', async () => {
  const { env } = await rig(pod('web/shop-0', 'Running'));
  const running = runExample('examples/metrics.ts', { env: { ...env, PORT: '0' } });
  await running.prints('/metrics\n');
  const text = async (): Promise<string> => (await asked(running.printed())).text;
  await expect.poll(text).toMatch(/^reflector_watches_total\{name="[^"]*v1\/pods[^"]*"\} 1$/m);
  await expect.poll(text).toMatch(/^informer_store_resource_version\{name="example",resource="v1\/pods"\} \d+$/m);
  await running.interrupt();
});

/** As a pod has them: the manifests applied, and the files of the service account they name. */
async function podOf(server: ApiServer, dir: string, without: readonly string[] = []) {
  await using admin = await Cluster.connect({ kubeconfig: server.kubeconfig() });
  const manifests = (await readFile('examples/in-cluster/manifests.yaml', 'utf8')).split(/^---$/m);
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

example('in-cluster/main.ts', 'works with exactly the rights of its manifests, and ends on SIGTERM', async () => {
  const { server, dir } = await rbacRig();
  server.load([object('ConfigMap', 'default/one')]);
  const running = runExample('examples/in-cluster/main.ts', { env: await podOf(server, dir) });
  await running.prints('+ default/one\n');
  server.local.remove('', 'configmaps', 'default', 'one');
  await running.prints('- default/one\n');
  expect(await running.interrupt('SIGTERM')).toBe('+ default/one\n- default/one\ntold to end\n');
  await expect.poll(() => server.watchers().length).toBe(0);
  const users = new Set(server.requests.filter(({ path }) => path.includes('configmaps')).map(({ user }) => user));
  expect(users).toContain('system:serviceaccount:default:config-watcher');
});

example('in-cluster/main.ts', 'can do nothing without its binding', async () => {
  const { server, dir } = await rbacRig();
  server.load([object('ConfigMap', 'default/one')]);
  const running = runExample('examples/in-cluster/main.ts', { env: await podOf(server, dir, ['RoleBinding']) });
  await expect
    .poll(() => server.requests.filter(({ path, status }) => path.includes('configmaps') && status === 403).length, {
      timeout: 90_000,
    })
    .toBeGreaterThan(0);
  running.child.kill('SIGTERM');
  await expect.poll(() => running.child.exitCode, { timeout: 60_000 }).toBe(0);
  expect(running.printed()).toBe('told to end\n');
});

test('no example is forgotten', async () => {
  const all = (await readdir('examples')).filter((file) => !ELSEWHERE.test(file) && !file.endsWith('.sh'));
  expect(all.toSorted()).toEqual([...covered].toSorted());
});
