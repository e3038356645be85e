// Signs in with an ID token of an identity provider, and renews it with the refresh token before it expires. The user in
// the kubeconfig has an `auth-provider` named `oidc`.
//
//   KUBECONFIG=~/.kube/config npx tsx --conditions=@kube-informer/source examples/auth/oidc.ts

import { Client } from 'kube-informer/client';

await using client = await Client.connect({
  // Kubeconfigs are never written. Save the new tokens here if the next start should use them.
  onOidcRenewed: ({ idToken }) => {
    const claims = JSON.parse(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString()) as { exp: number };
    console.log(`a new ID token, valid until ${new Date(claims.exp * 1000).toISOString()}`);
  },
});

const { status } = await client.resource('authentication.k8s.io/v1/selfsubjectreviews').create({});
console.log(`I am ${status?.userInfo?.username}, of ${status?.userInfo?.groups?.join(' and ')}`);
