// Reads objects from the cache by key, by namespace and labels, and by your own indexes. Sends no request.
//
//   npx tsx --conditions=@kube-informer/source examples/informers/indexers-and-listers.ts

// #region index
import { Cluster } from 'kube-informer';

await using cluster = await Cluster.connect();
const pods = cluster.informer('v1/pods', {
  indexers: {
    node: ({ spec }) => (spec?.nodeName === undefined ? [] : [spec.nodeName]),
    image: ({ spec }) => spec?.containers.map(({ image = '' }) => image) ?? [], // several values: the pod is found under each
  },
});
await pods.synced({ timeoutMs: 30_000 });

const onNode = pods.byIndex('node', 'node-1'); // names are checked: 'nodes' does not compile
const shops = pods.list({ namespace: 'web', labels: 'app in (shop, cart), tier!=test' });
const one = pods.get('web/shop-0');
// #endregion

const names = (objects: typeof onNode): string => {
  const all: string[] = objects.map(({ metadata }) => metadata.name);
  return all.toSorted().join(', ');
};
console.log(`on node-1: ${names(onNode)}`);
console.log(`with image nginx:1: ${names(pods.byIndex('image', 'nginx:1'))}`);
console.log(`shops in web: ${names(shops)}`);
console.log(`web/shop-0 is on ${one?.spec?.nodeName}`);
