// Signs in with a client certificate. Both files are read again when they change, and connections with the old
// certificate are closed.
//
//   KUBE_SERVER=https://… KUBE_CA=ca.crt KUBE_CERT=me.crt KUBE_KEY=me.key \
//     npx tsx --conditions=@kube-informer/source examples/auth/client-certificate.ts

import { Client } from 'kube-informer/client';

const { KUBE_SERVER: url = '', KUBE_CA: caFile = '', KUBE_CERT: certFile = '', KUBE_KEY: keyFile = '' } = process.env;
await using client = await Client.connect({ url, caFile, certFile, keyFile });

const { status } = await client.resource('authentication.k8s.io/v1/selfsubjectreviews').create({});
console.log(`I am ${status?.userInfo?.username}, of ${status?.userInfo?.groups?.join(' and ')}`);
