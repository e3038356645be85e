// Names, labels and owners of objects whose bodies nobody needs: here of secrets, which then never enter this process.
// The server leaves the bodies out, so they cost neither bandwidth nor memory.
//
//   npx tsx --conditions=@kube-informer/source examples/metadata-only.ts

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
