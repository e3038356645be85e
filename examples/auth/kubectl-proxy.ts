// Connects to `kubectl proxy`, which signs in: plain http to this machine, no credentials in the program. Browsers reach
// the API in the same way.
//
//   kubectl proxy &
//   npx tsx --conditions=@kube-informer/source examples/auth/kubectl-proxy.ts

import { SharedInformer } from 'kube-informer';
import { Client } from 'kube-informer/client';

await using client = await Client.connect({ url: process.env['KUBECTL_PROXY'] ?? 'http://127.0.0.1:8001' });

const { status } = await client.resource('authentication.k8s.io/v1/selfsubjectreviews').create({});
console.log(`kubectl signed me in as ${status?.userInfo?.username}`);

const namespaces = new SharedInformer(client.resource('v1/namespaces').listWatch());
await namespaces.start().synced({ timeoutMs: 30_000 });
console.log(`cached ${namespaces.list().length} namespaces`);
await namespaces.stop();
