// Signs in with a user name and a password (HTTP basic authentication).
//
//   KUBE_SERVER=https://… KUBE_CA=ca.crt KUBE_USER=… KUBE_PASSWORD=… \
//     npx tsx --conditions=@kube-informer/source examples/auth/basic.ts /version
//
// kube-apiserver itself dropped basic authentication in 1.19. A gateway in front of it, an aggregated API server that is
// called directly, or another server with the same protocol may still accept it. In a kubeconfig the fields are
// `username` and `password` of the user.

import { Client } from 'kube-informer/client';

const {
  KUBE_SERVER: url = '',
  KUBE_CA: caFile = '',
  KUBE_USER: username = '',
  KUBE_PASSWORD: password = '',
} = process.env;
await using client = await Client.connect({ url, caFile, username, password });

const [path = '/version'] = process.argv.slice(2);
console.log(await client.request({ path }));

// A client can be printed: its output does not contain the password.
console.log(client);
