// Caches pods in several ways and prints the memory each way adds: complete, without managed fields, metadata only, one node
// only. Try it on your own cluster.
//
//   NODE_OPTIONS=--expose-gc npx tsx --conditions=@kube-informer/source examples/informers/big-cluster.ts withoutManagedFields

// #region ways
import { Cluster } from 'kube-informer';

const node = process.argv[3] ?? 'node-1';
// Runs once per state, before the cache and the handlers get it; may change the object, must keep its name.
const withoutManagedFields = (cluster: Cluster) =>
  cluster.informer('v1/pods', {
    transform(pod) {
      const { managedFields: _, ...metadata } = pod.metadata ?? {};
      return { ...pod, metadata };
    },
  });
// The server sends metadata only.
const metadataOnly = (cluster: Cluster) => cluster.informer('v1/pods', { metadataOnly: true });
// Managed fields are metadata, too, and often the larger part of it.
const leanMetadata = (cluster: Cluster) =>
  cluster.informer('v1/pods', {
    metadataOnly: true,
    transform(object) {
      delete (object.metadata as { managedFields?: unknown }).managedFields;
      return object;
    },
  });
// The server sends the pods of this node only.
const ofOneNode = (cluster: Cluster) => cluster.informer('v1/pods', { fields: { 'spec.nodeName': node } });
// #endregion

const everything = (cluster: Cluster) => cluster.informer('v1/pods');
const heap = (): number => {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage(); // managed fields stay bytes, outside the heap, until they are read
  return (heapUsed + external) / 1_048_576;
};

const way = process.argv[2] ?? 'everything';
const ways = { everything, withoutManagedFields, metadataOnly, leanMetadata, ofOneNode };
await using cluster = await Cluster.connect();
await cluster.resource('v1/pods').list({ limit: 1 }); // do not count connections and code
const before = heap();
const cache = ways[way as keyof typeof ways](cluster);
await cache.synced({ timeoutMs: 120_000 });
const objects = cache.list().length;
console.log(`${way}: ${objects} pods, ${(heap() - before).toFixed(1)} MB`);
