// What you will see: an embedded API server that keeps its data from one start to the next, is looked into, and
// misbehaves when it is told to. Writes into the folder .cluster where it is started.
//
//   npx tsx --conditions=@kube-informer/source examples/embedded-server.ts

import { startApiServer } from '@kube-informer/apiserver';
import { Cluster } from 'kube-informer';

const pod = (name: string) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default' } });

async function firstTime(): Promise<void> {
  // #region data
  await using server = await startApiServer({ data: '.cluster' });
  // #endregion
  server.load([pod('kept')]);
}

await firstTime();
await using server = await startApiServer({ data: '.cluster' });
await using cluster = await Cluster.connect({ kubeconfig: server.kubeconfig() });
const pods = cluster.informer('v1/pods', { namespace: 'default', onWatchError: () => {} });
await pods.synced({ timeoutMs: 30_000 });
const names = (): string => pods.list().map(({ metadata }) => metadata?.name ?? '').toSorted().join(', '); // prettier-ignore
console.log(`after a restart: ${names()}`);

await cluster.resource('v1/pods').list({ namespace: 'default' });

const objects = ['one', 'two'].map(pod);
const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'default' } };
// #region inside
await server.waitFor({ watches: 1, resource: 'pods' });
const last = server.requests.at(-1); // they have verb, path, user, status, bytes, fault
const [watch] = server.watchers(); // what is open, how far it is, how much is queued
server.load(objects); // 100,000 of them in seconds; what is there is changed and keeps its uid
server.local.create('', 'configmaps', map); // the verbs without HTTP
await server.idle(); // nothing is being answered
server.history.compact(); // older watches and tokens now get 410
// #endregion
console.log(`last request: ${last?.verb} by ${last?.user}; watched: ${watch?.resource}`);

// #region faults
const { faults } = server;
faults.add({
  match: { verb: 'list', resource: 'pods' },
  do: { status: { code: 429, retryAfterSeconds: 1 } },
  times: 2,
});
faults.add({ match: { verb: 'create', name: 'x' }, at: 'write', do: { status: 500 } }); // names in bodies are known here
faults.sequence([{ do: { status: 500 } }, { do: { cut: 'rst' } }]);
faults.clear();
// #endregion

await pods.waitFor('default/two', (object) => object !== undefined, { timeoutMs: 30_000 });
console.log(`in the cache: ${names()}`);
