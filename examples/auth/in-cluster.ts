// Signs in as the service account of its pod, and reads the token again when the kubelet rotates it. Needs no settings in
// a pod; outside of a pod, set SERVICE_ACCOUNT_DIRECTORY to a copy of a pod's directory.
//
//   npx tsx --conditions=@kube-informer/source examples/auth/in-cluster.ts

import { SharedInformer } from 'kube-informer';
import { Client } from 'kube-informer/client';

const serviceAccountDirectory =
  process.env['SERVICE_ACCOUNT_DIRECTORY'] ?? '/var/run/secrets/kubernetes.io/serviceaccount';
// Without `order` a kubeconfig would be used if there is one, as on a developer's machine.
await using client = await Client.connect({ order: ['in-cluster'], serviceAccountDirectory });

const { status } = await client.resource('authentication.k8s.io/v1/selfsubjectreviews').create({});
console.log(`${client.connection.origin}: I am ${status?.userInfo?.username}`);

const { namespace } = client.connection;
const configMaps = new SharedInformer(client.resource('v1/configmaps').listWatch({ namespace }));
await configMaps.start().synced({ timeoutMs: 30_000 });
console.log(`cached ${configMaps.list().length} config maps in ${namespace}`);
await configMaps.stop();
