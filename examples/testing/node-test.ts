// oxlint-disable typescript/no-floating-promises -- node:test waits for its tests
/** A test of `node:test` on a cluster that moves: one server for the file, as good as new before each test. */
// #region test
import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { startApiServer } from '@kube-informer/apiserver';
import { Cluster } from 'kube-informer';

const server = await startApiServer({
  controllers: 'all', // deployments, jobs …, and fake nodes on which pods become ready
  nodes: {
    readyAfterMs: 50,
    run: ({ image }) => (image === 'shop:broken' ? { exitCode: 1, exitAfterMs: 10 } : undefined),
  },
});
const cluster = await Cluster.connect({ kubeconfig: server.kubeconfig() });
after(async () => {
  await cluster.close();
  await server.close();
});
beforeEach(() => server.reset()); // milliseconds; informers see deletes

const labels = { app: 'shop' };
const shop = (image: string) => ({
  metadata: { name: 'shop', namespace: 'default' },
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'shop', image }] } },
  },
});

test('a good release becomes available', async () => {
  await cluster.resource('apps/v1/deployments').create(shop('shop:1'));
  const deployments = cluster.informer('apps/v1/deployments');
  await deployments.waitFor('default/shop', (one) => one?.status?.availableReplicas === 2, { timeoutMs: 60_000 });
});

test('a broken one crashes', async () => {
  await cluster.resource('apps/v1/deployments').create(shop('shop:broken'));
  const pods = cluster.informer('v1/pods', { labels });
  const hasCrashed = () => pods.list().some(({ status }) => (status?.containerStatuses?.[0]?.restartCount ?? 0) > 0);
  for await (const _ of pods.changes()) if (hasCrashed()) break;
  assert.equal(
    (await cluster.resource('apps/v1/deployments').get('default/shop')).status?.availableReplicas,
    undefined,
  );
});
// #endregion
