import { defaultRbacObjects } from './auth/default-roles.ts';
import type { LocalClient } from './local.ts';

const NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

/** What is there before the first request: the namespaces of every cluster, its own service, and roles if they count. */
export function seed(client: LocalClient, { hasRoles }: { readonly hasRoles: boolean }): void {
  for (const name of NAMESPACES)
    client.create('', 'namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  client.create('', 'services', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'kubernetes', namespace: 'default', labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: {
      type: 'ClusterIP',
      clusterIP: '10.96.0.1',
      ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: 6443 }],
    },
  });
  if (!hasRoles) return;
  for (const object of defaultRbacObjects())
    client.create(
      'rbac.authorization.k8s.io',
      object.kind === 'ClusterRole' ? 'clusterroles' : 'clusterrolebindings',
      object,
    );
}
