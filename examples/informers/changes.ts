// Reads changes as an async iterator. A slow reader gets the newest state of each object instead of every state; it does
// not delay the cache, and its queue stays bounded.
//
//   npx tsx --conditions=@kube-informer/source examples/informers/changes.ts

// #region changes
import { Cluster } from 'kube-informer';

await using cluster = await Cluster.connect();
const configMaps = cluster.informer('v1/configmaps', { namespace: 'web' });

for await (const change of configMaps.changes({ signal: AbortSignal.timeout(60_000) })) {
  if (change.type === 'update') console.log(`${change.key}: ${change.old.data?.['x']} → ${change.object.data?.['x']}`);
  else console.log(`${change.key}: ${change.type}`);
  if (change.type === 'delete') break; // leaving the loop removes the handler
}
// #endregion
