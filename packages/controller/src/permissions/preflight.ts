import { defined, type Env, errorMessageOf, isNotFound } from 'kube-informer/core';
import type { Permissions } from './needed-permissions.ts';

/**
 * Checks the permissions on the server and logs missing ones: one sentence at the start instead of a 403 later.
 * Returns the sentences. A check that fails is not an error.
 */
export async function preflight(
  permissions: readonly Permissions[],
  { env, signal }: { readonly env: Env; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const one of permissions) {
    try {
      for await (const sentence of missingInPreflight(one, signal)) missing.push(sentence);
    } catch (error) {
      if (signal.aborted) return missing;
      env.log(isNotFound(error) ? 'debug' : 'info', 'permissions could not be checked', {
        error: errorMessageOf(error),
      });
    }
  }
  for (const sentence of missing) env.log('warn', 'a permission is missing', { sentence });
  return missing;
}

/** One sentence for each verb that is not allowed. */
async function* missingInPreflight(
  { cluster, namespace, rules }: Permissions,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const reviews = cluster.client.resource('authorization.k8s.io/v1/selfsubjectaccessreviews');
  const where = namespace === undefined ? 'in all namespaces' : `in namespace ${namespace}`;
  for (const { apiGroups, resources, verbs } of rules) {
    for (const verb of verbs) {
      const [group = ''] = apiGroups;
      const [resource = '', subresource] = (resources[0] ?? '').split('/');
      const asked = {
        verb,
        group,
        resource,
        ...defined({ subresource, namespace }),
      };
      const { status } = await reviews.create({ spec: { resourceAttributes: asked } }, { signal, attempts: 'once' });
      if (status?.allowed !== true)
        yield `missing permission: ${verb} ${resources[0]} of group ${JSON.stringify(group)} ${where}`;
    }
  }
}
