// An informer in fifteen lines: all pods of a cluster, live, until Ctrl-C.
//
//   npx tsx --conditions=@kube-informer/source examples/informers/informer.ts

// #region readme
import { once } from 'node:events';
import { Cluster } from 'kube-informer';

await using cluster = await Cluster.connect(); // KUBECONFIG, the pod's service account, or ~/.kube/config
const pods = cluster.informer('v1/pods'); // starts at once; objects are typed
pods.on({
  add: ({ key, object }) => console.log(`+ ${key} ${object.status?.phase}`),
  update: ({ key, object, old }) => console.log(`~ ${key} ${old.status?.phase} → ${object.status?.phase}`),
  delete: ({ key }) => console.log(`- ${key}`),
});
await pods.synced({ timeoutMs: 30_000 }); // rejects with the reason: forbidden, not found, TLS, no route …
console.log(`${pods.list({ namespace: 'shop' }).length} pods in shop`);
await once(process, 'SIGINT');
// #endregion
