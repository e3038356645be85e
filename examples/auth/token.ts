// Signs in with a bearer token, without a kubeconfig: a server, its CA certificate and the token.
//
//   KUBE_SERVER=https://… KUBE_CA=ca.crt KUBE_TOKEN=… npx tsx --conditions=@kube-informer/source examples/auth/token.ts
//
// For a user name and a password see basic.ts.

import { Client } from 'kube-informer/client';

const { KUBE_SERVER: url = '', KUBE_CA: caFile = '', KUBE_TOKEN: token = '' } = process.env;
await using client = await Client.connect({ url, caFile, token });

const { status } = await client.resource('authentication.k8s.io/v1/selfsubjectreviews').create({});
console.log(`I am ${status?.userInfo?.username}, of ${status?.userInfo?.groups?.join(' and ')}`);

// A client can be printed: its output does not contain the token.
console.log(client);
