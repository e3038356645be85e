import { startApiServer } from '@kube-informer/apiserver';
import { Cluster, type KubeObject } from 'kube-informer';
import { systemEnv } from 'kube-informer/core';
import { expect, onTestFinished, test } from 'vitest';
import { InformerStats } from '../../src/top/informer-stats.ts';

const DEADLINE = { timeout: 60_000 };

test('a watch that fails counts as a restart; one that ends at its timeout does not', async () => {
  const env = { ...systemEnv, log: () => {} };
  const server = await startApiServer();
  const stats = new InformerStats(env);
  const cluster = await Cluster.connect({ kubeconfig: server.kubeconfig(), env, informers: stats.informers });
  onTestFinished(async () => {
    await cluster.close();
    await server.close();
  });
  const informer = cluster.informer<KubeObject, never>('v1/configmaps');
  stats.add('configmaps', informer, cluster);
  await informer.synced({ timeoutMs: 60_000 });
  const watches = (): number => cluster.caches()[0]?.informer.timeline.filter(({ kind }) => kind === 'watch').length ?? 0;
  const restarts = (): number | undefined => stats.rows()[0]?.restarts;
  await expect.poll(watches, DEADLINE).toBe(1);
  expect(restarts()).toBe(0);
  // A watch that ends within a second counts as a failure.
  await systemEnv.sleep(1_100);
  server.faults.add({ match: { verb: 'watch' }, at: { event: 0 }, do: { end: true } });
  server.local.create('', 'configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'one' } });
  await expect.poll(watches, DEADLINE).toBe(2);
  expect(restarts()).toBe(0);
  // The watch may not be open yet.
  await expect.poll(() => server.faults.cutWatches(), DEADLINE).toBe(1);
  await expect.poll(restarts, DEADLINE).toBe(1);
}); // prettier-ignore
