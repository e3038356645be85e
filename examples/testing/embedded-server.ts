// Starts an embedded API server that keeps its data on disk, inspects it, and makes it fail. Writes to the folder .cluster
// in the current directory.
//
//   npx tsx --conditions=@kube-informer/source examples/testing/embedded-server.ts

async function firstTime(): Promise<void> {
  await using server = await startApiServer({ data: '.cluster' });
  server.load([{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'kept', namespace: 'default' } }]);
}
await firstTime();

// #region server
import { startApiServer } from '@kube-informer/apiserver';

await using server = await startApiServer({ data: '.cluster' });
// #endregion

import { Cluster } from 'kube-informer';

await using cluster = await Cluster.connect({ kubeconfig: server.kubeconfig() });
const pods = cluster.informer('v1/pods', { namespace: 'default', onWatchError: () => {} });
await pods.synced({ timeoutMs: 30_000 });
const names = (): string => pods.list().map(({ metadata }) => metadata.name).toSorted().join(', '); // prettier-ignore
console.log(`after a restart: ${names()}`);

await cluster.resource('v1/pods').list({ namespace: 'default' });

// #region inside
await server.waitFor({ watches: 1, resource: 'pods' }); // until a client watches pods
const last = server.requests.at(-1); // has verb, path, user, status, bytes, fault
const [watch] = server.watchers(); // open watches, with their position and queue length
const object = (kind: string, name: string) => ({ apiVersion: 'v1', kind, metadata: { name, namespace: 'default' } });
server.load([object('Pod', 'one'), object('Pod', 'two')]); // 100,000 in seconds; existing objects keep their uid
server.local.create('', 'configmaps', object('ConfigMap', 'x')); // requests without HTTP
await server.idle(); // resolves when no request is running
server.history.compact(); // older versions and continue tokens now get 410
// #endregion
console.log(`last request: ${last?.verb} by ${last?.user}; watched: ${watch?.resource}`);

// #region admission
const hook = server.admission({
  on: 'v1/configmaps', // CREATE and UPDATE, unless `operations` says otherwise
  mutate: (map) => ({ ...map, metadata: { ...map.metadata, labels: { seen: 'yes' } } }),
  validate: (map) => (map.metadata?.name === 'bad' ? 'a bad name' : undefined),
});
// A whole webhook: it answers the configurations that you install, which decide about its requests.
server.admission({
  service: 'system/my-operator',
  review: ({ apiVersion, kind, request }) => ({ apiVersion, kind, response: { uid: request?.uid, allowed: true } }),
});
hook.remove();
// #endregion

// #region conversion
server.conversion({
  on: 'crontabs.example.com', // or `url`, or `service`, as the definition names it; `review` is a whole webhook
  convert: (crontab, to) => {
    const spec = crontab['spec'] as { hostPort: string } | { host: string; port: string };
    if (to === 'example.com/v2' && 'hostPort' in spec) {
      const [host, port] = spec.hostPort.split(':');
      crontab['spec'] = { host, port };
    } else if ('host' in spec) crontab['spec'] = { hostPort: `${spec.host}:${spec.port}` };
  },
});
// #endregion

// #region faults
const { faults } = server;
faults.add({
  match: { verb: 'list', resource: 'pods' },
  do: { status: { code: 429, retryAfterSeconds: 1 } },
  times: 2,
});
faults.add({ match: { verb: 'create', name: 'x' }, at: 'write', do: { status: 500 } }); // at this point the name in the body is known
faults.sequence([{ do: { status: 500 } }, { do: { cut: 'rst' } }]);
faults.clear();
// #endregion

await pods.waitFor('default/two', (object) => object !== undefined, { timeoutMs: 30_000 });
console.log(`in the cache: ${names()}`);
