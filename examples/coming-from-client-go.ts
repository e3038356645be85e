// The two programs of docs/coming-from-client-go.md, on a server in memory.
//
//   npx tsx --conditions=@kube-informer/source examples/coming-from-client-go.ts

import { InformerSet, type KubeObject, SharedInformer } from 'kube-informer';
import { FakeSource } from 'kube-informer/testing';

interface Pod extends KubeObject {
  readonly spec: { readonly nodeName?: string };
}
const source = new FakeSource<Pod>();
source.create({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'web', name: 'shop-0' },
  spec: { nodeName: 'node-1' },
});

async function informer(): Promise<readonly Pod[]> {
  // #region informer
  const pods = new SharedInformer<Pod, 'node'>(source, {
    expected: { apiVersion: 'v1', kind: 'Pod' },
    resyncMs: 600_000,
    indexers: { node: (pod) => [pod.spec.nodeName ?? ''] },
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
  return onNode;
}

async function factory(): Promise<Pod> {
  const handler = { add: ({ key }: { key: string }) => console.log('add', key) };
  // #region factory
  // Where objects come from: `client.resource(resource).listWatch(scope)`, or in a test a FakeSource.
  const informers = new InformerSet({ source: () => source, resyncMs: 600_000, namespace: 'web' });
  informers.informer<Pod>('v1/pods').on(handler);
  const pods = informers.lister<Pod>('v1/pods');
  informers.start();
  await informers.synced({ timeoutMs: 30_000 }); // rejects with the names of those that failed, and why
  const pod = pods.namespace('web').get('shop-0'); // throws NOT_FOUND; `find` gives undefined
  await informers.shutdown(); // stops them too
  // #endregion
  return pod;
}

console.log(`on node-1: ${(await informer()).map(({ metadata }) => metadata?.name).join()}`);
console.log(`found: ${(await factory()).metadata?.name}`);
