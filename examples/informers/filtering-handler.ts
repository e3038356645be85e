// A handler for some objects only. An object that starts to match is an add, one that stops to match is a delete. If the
// server can filter (labels, fields), use the options `labels` and `fields` instead.
//
//   npx tsx --conditions=@kube-informer/source examples/informers/filtering-handler.ts

import { once } from 'node:events';
// #region filter
import { Cluster, filtered } from 'kube-informer';

await using cluster = await Cluster.connect();
const pods = cluster.informer('v1/pods', { namespace: 'web' });
pods.on(
  filtered((pod) => pod.status?.phase === 'Failed', {
    add: ({ key, object }) => console.log(`${key} failed: ${object.status?.reason ?? 'no reason given'}`),
    delete: ({ key }) => console.log(`${key} is no longer failed`),
  }),
);
// #endregion
await pods.synced({ timeoutMs: 30_000 });
console.log('watching');
await once(process, 'SIGINT');
