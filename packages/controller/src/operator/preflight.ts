import { type Env, errorMessageOf, isNotFound } from 'kube-informer/core';
import type { ControllerDefinition } from '../front/controller.ts';
import type { PolicyRule } from './rbac.ts';

/**
 * Asks the server whether the permissions are there, and logs those that are not: one sentence at the start instead of a 403 later.
 * Returns the sentences. A server that cannot be asked is not an error.
 */
export async function preflight(
  definitions: readonly ControllerDefinition[],
  rules: readonly PolicyRule[],
  { env, signal }: { readonly env: Env; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const [first] = definitions;
  if (first === undefined) return [];
  const { options, cluster } = first;
  const namespace = typeof options.namespace === 'string' ? options.namespace : undefined;
  const reviews = cluster.client.resource('authorization.k8s.io/v1/selfsubjectaccessreviews');
  const missing: string[] = [];
  for (const { apiGroups, resources, verbs } of rules) {
    for (const verb of verbs) {
      const [group = ''] = apiGroups;
      const [resource = '', subresource] = (resources[0] ?? '').split('/');
      const asked = {
        verb,
        group,
        resource,
        ...(subresource === undefined ? {} : { subresource }),
        ...(namespace === undefined ? {} : { namespace }),
      };
      try {
        const { status } = await reviews.create({ spec: { resourceAttributes: asked } }, { signal, attempts: 'once' });
        if (status?.allowed === true) continue;
        const where = namespace === undefined ? 'in all namespaces' : `in namespace ${namespace}`;
        missing.push(`missing permission: ${verb} ${resources[0]} of group ${JSON.stringify(group)} ${where}`);
      } catch (error) {
        if (signal.aborted) return missing;
        env.log(isNotFound(error) ? 'debug' : 'info', 'permissions could not be checked', {
          error: errorMessageOf(error),
        });
        return missing;
      }
    }
  }
  for (const sentence of missing) env.log('warn', 'a permission is missing', { sentence });
  return missing;
}
