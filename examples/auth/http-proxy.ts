// Connects to a cluster through an HTTP proxy, set by HTTPS_PROXY and NO_PROXY, `proxy-url` in the kubeconfig, or the
// option `proxy`. The proxy sees the name of the server only: TLS is end to end.
//
//   HTTPS_PROXY=http://proxy:3128 KUBECONFIG=~/.kube/config \
//     npx tsx --conditions=@kube-informer/source examples/auth/http-proxy.ts

import { SharedInformer } from 'kube-informer';
import { Client } from 'kube-informer/client';

await using client = await Client.connect();
const { server, proxy, namespace } = client.connection;
console.log(`${server.host} through ${proxy?.host ?? 'no proxy'}`);

const { status } = await client.resource('authentication.k8s.io/v1/selfsubjectreviews').create({});
console.log(`I am ${status?.userInfo?.username}`);

// Watches also go through the proxy.
const configMaps = new SharedInformer(client.resource('v1/configmaps').listWatch({ namespace }));
await configMaps.start().synced({ timeoutMs: 30_000 });
console.log(`cached ${configMaps.list().length} config maps in ${namespace}`);
await configMaps.stop();
