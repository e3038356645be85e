// The second program of docs/coming-from-client-go.md: a set of informers. Most programs use Cluster instead.
//
//   npx tsx --conditions=@kube-informer/source examples/migrating/coming-from-client-go-factory.ts

// #region factory
import type { Pod } from '@kube-informer/kubernetes';
import { InformerSet, type KubeObject } from 'kube-informer';
import { Client } from 'kube-informer/client';

await using client = await Client.connect();
const informers = new InformerSet({
  source: (resource, scope) => client.resource<KubeObject>(resource).listWatch(scope), // in a test: a FakeSource
  resyncMs: 600_000,
  namespace: 'web',
});
informers.informer<Pod>('v1/pods').on({ add: ({ key }) => console.log('add', key) });
const pods = informers.lister<Pod>('v1/pods');
informers.start();
await informers.synced({ timeoutMs: 30_000 }); // rejects with the informers that failed, and why
const pod = pods.namespace('web').get('shop-0'); // throws NOT_FOUND; `find` returns undefined
await informers.shutdown(); // also stops the informers
// #endregion

console.log(`found: ${pod.metadata?.name}`);
