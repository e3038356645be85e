// Waits until one object meets a condition, without polling: here until a rollout is complete.
//
//   npx tsx --conditions=@kube-informer/source examples/informers/wait-for.ts web/shop nginx:2

// #region wait
import { Cluster } from 'kube-informer';

const [key = 'web/shop', image = 'nginx:2'] = process.argv.slice(2);
await using cluster = await Cluster.connect();

const deployments = cluster.resource('apps/v1/deployments'); // reads and writes on the server
const cache = cluster.informer('apps/v1/deployments', { namespace: 'web' }); // reads from the cache
const patch = [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: image }];
const { metadata } = await deployments.patch(key, patch, { type: 'json' });
await cache.waitFor(
  key,
  (deployment) => {
    const { observedGeneration = 0, updatedReplicas = 0, availableReplicas = 0 } = deployment?.status ?? {};
    const isSeen = observedGeneration >= (metadata.generation ?? 0);
    return isSeen && Math.min(updatedReplicas, availableReplicas) === deployment?.spec?.replicas;
  },
  { timeoutMs: 60_000 }, // rejects with the reason
);
// #endregion
console.log(`${key} runs ${image}`);
