// Signs in with the token that a credential plugin prints, as most cloud kubeconfigs do. The plugin runs when a token is
// needed and again before the token expires, never through a shell. Here it is exec-plugin.sh, which prints KUBE_TOKEN.
//
//   KUBE_SERVER=https://… KUBE_CA=ca.crt KUBE_TOKEN=… npx tsx --conditions=@kube-informer/source examples/auth/exec-plugin.ts

import { fileURLToPath } from 'node:url';
import { Client } from 'kube-informer/client';

const { KUBE_SERVER: server = '', KUBE_CA: ca = '' } = process.env;
const command = fileURLToPath(new URL('exec-plugin.sh', import.meta.url));
const kubeconfig = {
  clusters: [{ name: 'here', cluster: { server, 'certificate-authority': ca } }],
  users: [
    {
      name: 'me',
      user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command, interactiveMode: 'Never' } },
    },
  ],
  contexts: [{ name: 'here', context: { cluster: 'here', user: 'me' } }],
  'current-context': 'here',
};
// Only this program may run, whatever the kubeconfig names.
await using client = await Client.connect({ kubeconfig, execPolicy: { allow: [command] } });

const { status } = await client.resource('authentication.k8s.io/v1/selfsubjectreviews').create({});
console.log(`I am ${status?.userInfo?.username}, by ${client.connection.credentials.kind}`);
