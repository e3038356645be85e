// Tests an informer against an API server in this process. Its watch is cut in the middle of an event.
//
//   npx tsx --conditions=@kube-informer/source examples/testing/test-with-embedded-server.ts

// #region readme
import assert from 'node:assert/strict';
import { startApiServer } from '@kube-informer/apiserver';
import { Cluster } from 'kube-informer';

await using server = await startApiServer(); // no Go, no etcd, no Docker
await using cluster = await Cluster.connect({ kubeconfig: server.kubeconfig() });
const pods = cluster.informer('v1/pods', { namespace: 'default' });
await pods.synced({ timeoutMs: 10_000 });

// The connection breaks inside the second event, in the middle of a character …
const cut = server.faults.add({ match: { verb: 'watch' }, at: { event: 2, offset: 'mid-utf8' }, do: { cut: 'rst' } });
const pod = (name: string) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default' } });
server.load(['one', 'two', 'three'].map(pod));
await cut.hit;

// … and nothing is missing: the informer resumes at the last version it has applied.
await pods.waitFor('default/three', (object) => object !== undefined, { timeoutMs: 10_000 });
const names = pods.list().map(({ metadata }) => metadata.name);
assert.deepEqual(new Set(names), new Set(['one', 'two', 'three']));
console.log(`cut ${cut.count} watch; in the cache: ${names.join(', ')}`);
// #endregion
