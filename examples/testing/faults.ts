// Breaks an embedded API server in many ways, one after the other, and checks that the cache of an informer stays correct.
//
//   npx tsx --conditions=@kube-informer/source examples/testing/faults.ts

// #region faults
import { startApiServer } from '@kube-informer/apiserver';

await using server = await startApiServer();
const { faults } = server;
const watch = { verb: 'watch' };
const faultsByTitle: Readonly<Record<string, () => unknown>> = {
  'every open watch breaks': () => faults.cutWatches(),
  'an event is cut in the middle of a character': () =>
    faults.add({ match: watch, at: { event: 1, offset: 'mid-utf8' }, do: { cut: 'rst' } }),
  'the history expires: 410': () => [faults.expireHistory(), faults.cutWatches()],
  'the next three watches fail': () => [
    faults.failRequests({ match: watch, status: 503, times: 3 }),
    faults.cutWatches(),
  ],
  'the server is too busy': () => [faults.tooManyRequests({ match: watch, retryAfterSeconds: 1 }), faults.cutWatches()],
  'the server is restarted': () => server.restart(),
};
// #endregion

import { Cluster } from 'kube-informer';

await using cluster = await Cluster.connect({ kubeconfig: server.kubeconfig() });
const maps = cluster.informer('v1/configmaps', { namespace: 'default', onWatchError: () => {} });
await maps.synced({ timeoutMs: 10_000 });

for (const [at, [title, inject]] of Object.entries(faultsByTitle).entries()) {
  await inject();
  const name = `after-${at}`;
  server.load([{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } }]);
  await maps.waitFor(`default/${name}`, (object) => object !== undefined, { timeoutMs: 60_000 });
  const [report] = await maps.verify();
  console.log(`${report?.consistent === true ? 'ok' : 'WRONG'}: ${title}`);
  faults.clear();
}
