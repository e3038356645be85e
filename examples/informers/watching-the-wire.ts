// Prints new pods, and every request that was sent for them.
//
//   npx tsx --conditions=@kube-informer/source examples/informers/watching-the-wire.ts

// #region wire
import { subscribe } from 'node:diagnostics_channel';

subscribe('kube-informer:request', (event) => {
  const { method, path, ms, status, error } = event as Record<string, string | number>;
  console.log(method, path, status ?? error, ms);
});
// #endregion

// #region readme
import { SharedInformer } from 'kube-informer';
import { Client } from 'kube-informer/client';

await using client = await Client.connect(); // KUBECONFIG, the pod's service account, or ~/.kube/config
const pods = new SharedInformer(client.resource('v1/pods').listWatch({ namespace: 'web' })); // objects are typed: Pod
pods.on({ add: ({ key }) => console.log('new', key) });
await pods.start().synced({ timeoutMs: 30_000 });
// #endregion

await pods.stop();
