// Caches the metadata of objects only, here of secrets, whose data then never enters this process. The server sends no
// bodies, so they cost neither bandwidth nor memory.
//
//   npx tsx --conditions=@kube-informer/source examples/informers/metadata-only.ts

import { Cluster } from 'kube-informer';

await using cluster = await Cluster.connect();
// #region metadata
const secrets = cluster.informer('v1/secrets', { metadataOnly: true }); // ClusterInformer<KubeObject>
await secrets.synced({ timeoutMs: 30_000 });
const unlabelled = secrets.list({ labels: '!team' });
// #endregion

for (const secret of unlabelled) {
  const { namespace, name } = secret.metadata ?? {};
  console.log(`${namespace}/${name} belongs to no team; its fields here: ${Object.keys(secret).toSorted().join(', ')}`);
}
