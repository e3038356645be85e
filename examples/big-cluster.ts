// Ways to keep less than everything, and what each costs in memory: all of the pods, without what nobody reads, only their
// metadata, only those of one node. Prints the heap that the cache adds; try it on a cluster of yours.
//
//   NODE_OPTIONS=--expose-gc npx tsx --conditions=@kube-informer/source examples/big-cluster.ts withoutManagedFields

// #region ways
import { Cluster } from 'kube-informer';

const node = process.argv[3] ?? 'node-1';
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

const everything = (cluster: Cluster) => cluster.informer('v1/pods');
const heap = (): number => {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1_048_576;
};

const way = process.argv[2] ?? 'everything';
const ways = { everything, withoutManagedFields, metadataOnly, leanMetadata, ofOneNode };
await using cluster = await Cluster.connect();
await cluster.resource('v1/pods').list({ limit: 1 }); // connections and code are not part of the price
const before = heap();
const cache = ways[way as keyof typeof ways](cluster);
await cache.synced({ timeoutMs: 120_000 });
const objects = cache.list().length;
console.log(`${way}: ${objects} pods, ${(heap() - before).toFixed(1)} MB`);
