// A controller in twelve lines: every namespace has a label `team`. Stop it with Ctrl-C.
//
//   npx tsx --conditions=@kube-informer/source examples/controllers/controller.ts

// #region readme
import { controller, run, shutdownSignal } from '@kube-informer/controller';
import { Cluster } from 'kube-informer';

await using cluster = await Cluster.connect(); // KUBECONFIG, the pod's service account, or ~/.kube/config
const teams = controller(cluster, 'v1/namespaces', {
  name: 'team-labels',
  reconcile: async ({ object, patch }) => {
    if (object.metadata.labels?.['team'] !== undefined) return;
    await patch({ metadata: { labels: { team: 'nobody' } } });
  },
});
await run([teams], { signal: shutdownSignal() }).ended; // SIGTERM: what runs may finish; twice: at once
// #endregion
