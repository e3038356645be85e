// Compares two clusters, given as contexts of one kubeconfig: which deployments run different images?
//
//   npx tsx --conditions=@kube-informer/source examples/informers/two-clusters.ts staging production

// #region two
import { Cluster } from 'kube-informer';

const [left = 'staging', right = 'production'] = process.argv.slice(2);
await using one = await Cluster.connect({ context: left });
await using other = await Cluster.connect({ context: right });
const [here, there] = [one, other].map((cluster) => cluster.informer('apps/v1/deployments'));
await Promise.all([here?.synced({ timeoutMs: 30_000 }), there?.synced({ timeoutMs: 30_000 })]);
// #endregion

for (const { metadata, spec } of here?.list() ?? []) {
  const key = `${metadata.namespace}/${metadata.name}`;
  const imagesOf = (of: typeof spec): string => of?.template.spec?.containers.map(({ image }) => image).join() ?? '';
  const counterpart = there?.get(key);
  if (counterpart === undefined) console.log(`${key}: only in ${left}`);
  else if (imagesOf(spec) !== imagesOf(counterpart.spec))
    console.log(`${key}: ${imagesOf(spec)} in ${left}, ${imagesOf(counterpart.spec)} in ${right}`);
}
