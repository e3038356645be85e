import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApiObject } from '@kube-informer/apiserver';
import { expect } from 'vitest';
import { container, object, pod, report, widgets } from './objects.ts';
import { example, rig, run } from './rig.ts';

example('informers/watching-the-wire.ts', 'tells of its requests', async () => {
  const { env } = await rig(pod('web/shop-0', 'Running'));
  const printed = await run('examples/informers/watching-the-wire.ts', { env }).ended();
  expect(printed).toMatch(/^new web\/shop-0$/m);
  expect(printed).toMatch(/^GET \/api\/v1\/namespaces\/web\/pods 200 \d/m);
});

example('client/generated-types.ts', 'writes types of a custom resource', async () => {
  const { server, env } = await rig();
  server.local.create('apiextensions.k8s.io', 'customresourcedefinitions', widgets);
  const args = ['example.com/v1'];
  const printed = await run('examples/client/generated-types.ts', { env, args }).ended();
  expect(printed).toMatch(/^pods are po; 3 typed objects$/m);
  expect(printed).toMatch(/^example\.com\/v1\.ts: \d+ lines$/m);
  expect(printed).toMatch(/^a gadget of size 3$/m);
});

example('migrating/coming-from-client-go.ts', 'finds a pod by its node', async () => {
  const { env } = await rig(pod('web/shop-0', 'Running', { nodeName: 'node-1' }));
  const printed = await run('examples/migrating/coming-from-client-go.ts', { env }).ended();
  expect(printed).toBe('add web/shop-0\non node-1: shop-0\n');
});

example('migrating/coming-from-client-go-factory.ts', 'finds a pod of its namespace', async () => {
  const { env } = await rig(pod('web/shop-0', 'Running'), pod('other/x', 'Running'));
  const printed = await run('examples/migrating/coming-from-client-go-factory.ts', { env }).ended();
  expect(printed).toBe('add web/shop-0\nfound: shop-0\n');
});

example('client/first-client.ts', 'reads, patches and replaces', async () => {
  const labels = { app: 'shop' };
  const spec = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: container('nginx:1') } };
  const shop = object('Deployment', 'web/shop', { spec, status: { readyReplicas: 2 } }, { labels }, 'apps/v1');
  const { server, env } = await rig(shop);
  expect(await run('examples/client/first-client.ts', { env }).ended()).toBe("[ 'shop: 2 ready' ]\n");
  expect(server.local.get('apps', 'deployments', 'web', 'shop')).toMatchObject({
    spec: { paused: true },
    metadata: { annotations: { 'example.com/seen': 'yes' } },
  });
});

example('informers/indexers-and-listers.ts', 'finds what is there', async () => {
  const { env } = await rig(
    pod('web/shop-0', 'Running', { nodeName: 'node-1' }, { app: 'shop' }),
    pod('web/cart-0', 'Running', { nodeName: 'node-1', ...container('cart:1') }, { app: 'cart' }),
    pod('web/cart-1', 'Running', { nodeName: 'node-2', ...container('cart:1') }, { app: 'cart', tier: 'test' }),
    pod('other/shop-9', 'Running', {}, { app: 'shop' }),
  );
  expect(await run('examples/informers/indexers-and-listers.ts', { env }).ended()).toBe(
    [
      'on node-1: cart-0, shop-0',
      'with image nginx:1: shop-0, shop-9',
      'shops in web: cart-0, shop-0',
      'web/shop-0 is on node-1',
      '',
    ].join('\n'),
  );
});

example('informers/custom-resource.ts', 'writes a status and waits for it', async () => {
  const { server, env } = await rig();
  server.local.create('apiextensions.k8s.io', 'customresourcedefinitions', widgets);
  server.load([object('Widget', 'default/w', { spec: { size: 3 } }, {}, 'example.com/v1')]);
  expect(await run('examples/informers/custom-resource.ts', { env }).ended()).toBe('w: size 3, ready\n');
});

example('informers/metadata-only.ts', 'never sees a secret', async () => {
  const secret = (key: string, labels: object): ApiObject =>
    object('Secret', key, { data: { password: btoa('xyzzy') } }, { labels });
  const { server, env } = await rig(secret('web/db', {}), secret('web/owned', { team: 'blue' }));
  expect(await run('examples/informers/metadata-only.ts', { env }).ended()).toBe(
    'web/db belongs to no team; its fields here: apiVersion, kind, metadata\n',
  );
  expect(server.requests.some(({ path }) => path.includes('/secrets'))).toBe(true);
});

example('informers/filtering-handler.ts', 'receives failed pods only', async () => {
  const { server, env } = await rig();
  for (const name of ['good', 'bad']) report(server, `web/${name}`, { phase: 'Running' });
  const running = run('examples/informers/filtering-handler.ts', { env });
  await running.prints('watching\n');
  report(server, 'web/good', { phase: 'Succeeded' });
  report(server, 'web/bad', { phase: 'Failed', reason: 'Evicted' });
  await running.prints('web/bad failed: Evicted\n');
  report(server, 'web/bad', { phase: 'Running' });
  await running.prints('web/bad is no longer failed\n');
  expect(await running.interrupt()).not.toMatch('web/good');
});

example('informers/two-clusters.ts', 'compares two contexts', async () => {
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
  const printed = await run('examples/informers/two-clusters.ts', { env, args: ['staging', 'production'] }).ended();
  expect(new Set(printed.trimEnd().split('\n'))).toEqual(
    new Set(['web/shop: shop:2 in staging, shop:1 in production', 'web/new: only in staging']),
  );
});

example('informers/changes.ts', 'reads until it has seen a delete', async () => {
  const map = (x: string): ApiObject => object('ConfigMap', 'web/one', { data: { x } });
  const { server, env } = await rig(map('1'));
  const running = run('examples/informers/changes.ts', { env });
  await running.prints('web/one: add\n');
  const stored = server.local.get('', 'configmaps', 'web', 'one');
  server.local.update('', 'configmaps', { ...stored, data: { x: '2' } } as ApiObject);
  await running.prints('web/one: 1 → 2\n');
  server.local.remove('', 'configmaps', 'web', 'one');
  expect(await running.ended()).toBe('web/one: add\nweb/one: 1 → 2\nweb/one: delete\n');
});

example('informers/wait-for.ts', 'waits for the rollout it started', async () => {
  const labels = { app: 'shop' };
  const template = { metadata: { labels }, spec: container('nginx:1') };
  const spec = { replicas: 2, selector: { matchLabels: labels }, template };
  const { server, env } = await rig(object('Deployment', 'web/shop', { spec }, {}, 'apps/v1'));
  const running = run('examples/informers/wait-for.ts', { env });
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

example('informers/freshness.ts', 'reads its own write, and verifies', async () => {
  const { env } = await rig();
  expect(await run('examples/informers/freshness.ts', { env }).ended()).toBe(
    'read my write: 1\nlooked up: 1\ncompared with the server: no difference\n',
  );
});
