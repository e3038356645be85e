// Caches a custom resource with your own type. `npx kube-informer generate-types` writes such types from a live cluster.
//
//   npx tsx --conditions=@kube-informer/source examples/informers/custom-resource.ts

// #region crd
import { Cluster, type KubeObject } from 'kube-informer';

interface Widget extends KubeObject {
  readonly spec: { readonly size: number };
  readonly status?: { readonly ready?: boolean };
}

await using cluster = await Cluster.connect();
const widgets = cluster.informer<Widget>('example.com/v1/widgets');
await widgets.synced({ timeoutMs: 30_000 }); // rejects if the cluster has no such resource
const waiting = widgets.list().filter(({ status }) => status?.ready !== true);

const client = cluster.resource<Widget>('example.com/v1/widgets'); // writes go to the server
for (const { metadata } of waiting) {
  const key = `${metadata.namespace}/${metadata.name}`;
  await client.patch(key, { status: { ready: true } }, { subresource: 'status' });
  await widgets.waitFor(key, (widget) => widget?.status?.ready === true, { timeoutMs: 30_000 });
}
// #endregion

for (const { metadata, spec, status } of widgets.list())
  console.log(`${metadata.name}: size ${spec.size}, ${status?.ready === true ? 'ready' : 'not ready'}`);
