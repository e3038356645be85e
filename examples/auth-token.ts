// Signs in with a bearer token, without a kubeconfig: the server, whom to trust, and who you are.
//
//   KUBE_SERVER=https://… KUBE_CA=ca.crt KUBE_TOKEN=… npx tsx --conditions=@kube-informer/source examples/auth-token.ts
//
// A user name and a password go the same way: see auth-basic.ts.

import { Client } from 'kube-informer/client';

const { KUBE_SERVER: url = '', KUBE_CA: caFile = '', KUBE_TOKEN: token = '' } = process.env;
await using client = await Client.connect({ url, caFile, token });

const { status } = await client.resource('authentication.k8s.io/v1/selfsubjectreviews').create({});
console.log(`I am ${status?.userInfo?.username}, of ${status?.userInfo?.groups?.join(' and ')}`);

// It is safe to print a client: the token is in nobody's output.
console.log(client);
