// Signs in with a token from a file that another program renews. Runs until the token has changed: the file is read again
// every minute, and at once when the server refuses the token. The refused request is then sent again.
//
//   KUBE_SERVER=https://… KUBE_CA=ca.crt KUBE_TOKEN_FILE=token \
//     npx tsx --conditions=@kube-informer/source examples/auth/token-file.ts

import { setInterval } from 'node:timers/promises';
import { Client } from 'kube-informer/client';

const { KUBE_SERVER: url = '', KUBE_CA: caFile = '', KUBE_TOKEN_FILE: tokenFile = '' } = process.env;
await using client = await Client.connect({ url, caFile, tokenFile });

const tokens = new Set<string>();
for await (const _ of setInterval(500)) {
  const { status } = await client.resource('authentication.k8s.io/v1/selfsubjectreviews').create({});
  const { username, extra } = status?.userInfo ?? {};
  const [token = 'a token without a name'] = extra?.['authentication.kubernetes.io/credential-id'] ?? [];
  if (!tokens.has(token)) console.log(`I am ${username}, by ${token}`);
  if (tokens.add(token).size === 2) break;
}
