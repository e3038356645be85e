// A program for a Deployment: signs in as the service account of its pod, follows the ConfigMaps of its namespace, answers
// probes, and ends in good order when it is told to. manifests.yaml has the few rights it needs.
//
// Outside of a pod: SERVICE_ACCOUNT_DIRECTORY is a copy of the directory a pod has.

// #region program
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Cluster } from 'kube-informer';

const serviceAccountDirectory =
  process.env['SERVICE_ACCOUNT_DIRECTORY'] ?? '/var/run/secrets/kubernetes.io/serviceaccount';
await using cluster = await Cluster.connect({ order: ['in-cluster'], serviceAccountDirectory });
const { namespace } = cluster.client.connection;

const configMaps = cluster.informer('v1/configmaps', { namespace });
configMaps.on({
  add: ({ key }) => console.log(`+ ${key}`),
  update: ({ key }) => console.log(`~ ${key}`),
  delete: ({ key }) => console.log(`- ${key}`),
});
const probes = createServer(cluster.probes()).listen(Number(process.env['PORT'] ?? 8080));

await once(process, 'SIGTERM');
console.log('told to end');
probes.close();
// #endregion
// `await using` stops the informers, waits for running callbacks and closes all connections.
