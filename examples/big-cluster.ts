// Ways to keep less than everything, and what each costs in memory: all of the pods, without what nobody reads, only their
// metadata, only those of one node. Prints the heap that the cache adds; try it on a cluster of yours.
//
//   NODE_OPTIONS=--expose-gc npx tsx --conditions=@kube-informer/source examples/big-cluster.ts withoutManagedFields

import { Cluster } from 'kube-informer';

const [way = 'everything', node = 'node-1'] = process.argv.slice(2);
const heap = (): number => {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1_048_576;
};

const everything = (cluster: Cluster) => cluster.informer('v1/pods');
// #region ways
// Runs once per state, before anybody sees it; may change the object, must keep its name.
const withoutManagedFields = (cluster: Cluster) =>
  cluster.informer('v1/pods', {
    transform(pod) {
      const { managedFields: _, ...metadata } = pod.metadata ?? {};
      return { ...pod, metadata };
    },
  });
// The server leaves the bodies out.
const metadataOnly = (cluster: Cluster) => cluster.informer('v1/pods', { metadataOnly: true });
// The list of who owns which field is metadata, too, and often the larger part of it.
const leanMetadata = (cluster: Cluster) =>
  cluster.informer('v1/pods', {
    metadataOnly: true,
    transform(object) {
      delete (object.metadata as { managedFields?: unknown }).managedFields;
      return object;
    },
  });
// The server sends no others.
const ofOneNode = (cluster: Cluster) => cluster.informer('v1/pods', { fields: { 'spec.nodeName': node } });
// #endregion

const ways = { everything, withoutManagedFields, metadataOnly, leanMetadata, ofOneNode };
await using cluster = await Cluster.connect();
await cluster.resource('v1/pods').list({ limit: 1 }); // connections and code are not part of the price
const before = heap();
const cache = ways[way as keyof typeof ways](cluster);
await cache.synced({ timeoutMs: 120_000 });
const objects = cache.list().length;
console.log(`${way}: ${objects} pods, ${(heap() - before).toFixed(1)} MB`);
