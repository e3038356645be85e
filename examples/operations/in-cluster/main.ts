// A program for a Deployment: signs in as the service account of its pod, watches the ConfigMaps of its namespace, serves
// probes, and shuts down on SIGTERM. manifests.yaml has the permissions it needs.
//
// Outside of a pod, set SERVICE_ACCOUNT_DIRECTORY to a copy of a pod's directory.

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
console.log('received SIGTERM');
probes.close();
// #endregion
// `await using` stops the informers, waits for running callbacks and closes all connections.
