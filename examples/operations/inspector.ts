// Serves a page about the informers of this program: their objects, changes and delays. Open the address it prints.
//
//   npx tsx --conditions=@kube-informer/source examples/operations/inspector.ts

import { once } from 'node:events';
// #region readme
import { startInspector } from '@kube-informer/inspector';
import { Cluster } from 'kube-informer';

await using cluster = await Cluster.connect();
const pods = cluster.informer('v1/pods');
await using inspector = await startInspector(cluster);
console.log(inspector.url); // http://127.0.0.1:41234/#token=…
// #endregion

await pods.synced({ timeoutMs: 30_000 });
await once(process, 'SIGINT');
