import { StatusError } from '../core/status-error.ts';
import type { ControllerHost, Stop } from './common/controller-host.ts';
import { workLoop } from './common/work-loop.ts';

const NAME = 'default';

/** Creates in every namespace the ServiceAccount of pods that name none. */
export function startDefaultServiceAccount(host: ControllerHost): Stop {
  const loop = workLoop(host.env, 'default service account', (namespace) => {
    const found = host.get('', 'namespaces', '', namespace);
    const { phase } = (found?.['status'] ?? {}) as { phase?: string };
    if (phase !== 'Active' || host.get('', 'serviceaccounts', namespace, NAME) !== undefined) return undefined;
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: NAME, namespace } };
    try {
      host.create('', 'serviceaccounts', account);
    } catch (error) {
      // Another client created it, or the namespace is being deleted.
      if (!(error instanceof StatusError && [403, 404, 409].includes(error.status.code ?? 0))) throw error;
    }
    return undefined;
  });
  const stopNamespaces = host.watch('', 'namespaces', (type, { metadata }) => {
    if (type !== 'DELETED') loop.add(metadata?.name ?? '');
  });
  const stopAccounts = host.watch('', 'serviceaccounts', (type, { metadata }) => {
    if (type === 'DELETED' && metadata?.name === NAME) loop.add(metadata.namespace ?? '');
  });
  for (const { metadata } of host.list('', 'namespaces')) loop.add(metadata?.name ?? '');
  return () => {
    loop.stop();
    stopNamespaces();
    stopAccounts();
  };
}
