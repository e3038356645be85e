// Signs in the way kubectl does: the files KUBECONFIG names (or ~/.kube/config), and one of their contexts if you name it.
//
//   KUBECONFIG=~/.kube/config npx tsx --conditions=@kube-informer/source examples/auth-kubeconfig.ts [context]

import { SharedInformer } from 'kube-informer';
import { Client } from 'kube-informer/client';

const [context] = process.argv.slice(2);
await using client = await Client.connect(context === undefined ? {} : { context });

const { status } = await client.resource('authentication.k8s.io/v1/selfsubjectreviews').create({});
console.log(`${client.connection.origin}: I am ${status?.userInfo?.username}`);

// Credentials belong to the client: whatever is built on it is signed in.
const { namespace } = client.connection;
const configMaps = new SharedInformer(client.resource('v1/configmaps').listWatch({ namespace }));
await configMaps.start().synced({ timeoutMs: 30_000 });
console.log(`the informer knows ${configMaps.list().length} config maps in ${namespace}`);
await configMaps.stop();
