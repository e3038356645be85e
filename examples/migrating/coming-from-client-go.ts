// The first program of docs/coming-from-client-go.md: one informer with an index.
//
//   npx tsx --conditions=@kube-informer/source examples/migrating/coming-from-client-go.ts

// #region informer
import { SharedInformer } from 'kube-informer';
import { Client } from 'kube-informer/client';

await using client = await Client.connect();
const pods = new SharedInformer(client.resource('v1/pods').listWatch(), {
  expected: { apiVersion: 'v1', kind: 'Pod' },
  resyncMs: 600_000,
  indexers: { node: ({ spec }) => [spec?.nodeName ?? ''] },
});
const handle = pods.on({
  add: ({ key }) => console.log('add', key),
  delete: ({ key, finalStateUnknown }) => console.log('delete', key, finalStateUnknown ? '(noticed late)' : ''),
});
pods.start(); // or: await pods.run(signal)
await handle.synced({ timeoutMs: 30_000 }); // rejects with the reason: forbidden, not found, unreachable …
const onNode = pods.byIndex('node', 'node-1');
await pods.stop();
// #endregion

console.log(`on node-1: ${onNode.map(({ metadata }) => metadata.name).join()}`);
