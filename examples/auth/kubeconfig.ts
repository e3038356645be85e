// Signs in like kubectl: with the files in KUBECONFIG, or ~/.kube/config, and the current context or the one given.
//
//   KUBECONFIG=~/.kube/config npx tsx --conditions=@kube-informer/source examples/auth/kubeconfig.ts [context]

import { SharedInformer } from 'kube-informer';
import { Client } from 'kube-informer/client';

const [context] = process.argv.slice(2);
await using client = await Client.connect(context === undefined ? {} : { context });

const { status } = await client.resource('authentication.k8s.io/v1/selfsubjectreviews').create({});
console.log(`${client.connection.origin}: I am ${status?.userInfo?.username}`);

// Credentials belong to the client: everything built on it is signed in.
const { namespace } = client.connection;
const configMaps = new SharedInformer(client.resource('v1/configmaps').listWatch({ namespace }));
await configMaps.start().synced({ timeoutMs: 30_000 });
console.log(`cached ${configMaps.list().length} config maps in ${namespace}`);
await configMaps.stop();
