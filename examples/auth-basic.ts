// Signs in with a user name and a password (HTTP basic authentication).
//
//   KUBE_SERVER=https://… KUBE_CA=ca.crt KUBE_USER=… KUBE_PASSWORD=… \
//     npx tsx --conditions=@kube-informer/source examples/auth-basic.ts /version
//
// Not for kube-apiserver itself: it dropped basic authentication in 1.19. A gateway in front of it, an aggregated API
// server that is asked directly, and servers of others that speak the same protocol may still take it. This program is
// tested on a scripted server. In a kubeconfig the fields are `username` and `password` of the user.

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

// It is safe to print a client: the password is in nobody's output.
console.log(client);
