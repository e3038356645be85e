// Signs in as the service account of the pod it runs in, and follows the token that the kubelet rotates. In a pod it needs
// no settings at all; outside of one, SERVICE_ACCOUNT_DIRECTORY is a copy of the directory a pod has.
//
//   npx tsx --conditions=@kube-informer/source examples/auth-in-cluster.ts

import { SharedInformer } from 'kube-informer';
import { Client } from 'kube-informer/client';

const serviceAccountDirectory =
  process.env['SERVICE_ACCOUNT_DIRECTORY'] ?? '/var/run/secrets/kubernetes.io/serviceaccount';
// Without `order` a kubeconfig would be asked first, as on a developer's machine.
await using client = await Client.connect({ order: ['in-cluster'], serviceAccountDirectory });

const { status } = await client.resource('authentication.k8s.io/v1/selfsubjectreviews').create({});
console.log(`${client.connection.origin}: I am ${status?.userInfo?.username}`);

const { namespace } = client.connection;
const configMaps = new SharedInformer(client.resource('v1/configmaps').listWatch({ namespace }));
await configMaps.start().synced({ timeoutMs: 30_000 });
console.log(`the informer knows ${configMaps.list().length} config maps in ${namespace}`);
await configMaps.stop();
