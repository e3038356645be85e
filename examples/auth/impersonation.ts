// Acts as another user, like `kubectl --as`: to see what they may do, or to have their name in the audit log.
// Your own user needs the permission to impersonate.
//
//   KUBECONFIG=~/.kube/config npx tsx --conditions=@kube-informer/source examples/auth/impersonation.ts jane developers

import { Client } from 'kube-informer/client';

const [user = 'jane', ...groups] = process.argv.slice(2);
await using client = await Client.connect({ impersonate: { user, groups } });

const { status } = await client.resource('authentication.k8s.io/v1/selfsubjectreviews').create({});
console.log(`I am ${status?.userInfo?.username}, of ${status?.userInfo?.groups?.join(' and ')}`);

const review = await client
  .resource('authorization.k8s.io/v1/selfsubjectaccessreviews')
  .create({ spec: { resourceAttributes: { verb: 'list', resource: 'secrets', namespace: 'default' } } });
console.log(`${user} ${review.status?.allowed === true ? 'may' : 'may not'} list secrets`);
