/**
 * Reads, writes and caches one resource of a real cluster: `npx tsx --conditions=@kube-informer/source examples/client/first-client.ts`.
 * Uses KUBECONFIG, the pod's service account or ~/.kube/config; needs a deployment `web/shop`.
 */
// #region readme
import { Cluster } from 'kube-informer';
import { retryOnConflict } from 'kube-informer/client';

await using cluster = await Cluster.connect(); // KUBECONFIG, the pod's service account, or ~/.kube/config
const cache = cluster.informer('apps/v1/deployments', { namespace: 'web', labels: { app: 'shop' } }); // objects are typed
await cache.synced({ timeoutMs: 30_000 }); // rejects with the reason: forbidden, not found, TLS, no route …
console.log(cache.list().map(({ metadata, status }) => `${metadata.name}: ${status?.readyReplicas ?? 0} ready`));

const deployments = cluster.resource('apps/v1/deployments'); // goes to the server: ResourceClient<Deployment>
await deployments.patch('web/shop', { spec: { paused: true } });
await retryOnConflict(async () => {
  const shop = await deployments.get('web/shop');
  const annotations = { ...shop.metadata.annotations, 'example.com/seen': 'yes' };
  await deployments.replace({ ...shop, metadata: { ...shop.metadata, annotations } });
});
// #endregion
