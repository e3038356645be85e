import type { UserCode } from 'kube-informer';
import { KubeError, type Metrics, noMetrics } from 'kube-informer/core';
import type { ControllerDefinition } from './controller.ts';
import { controllerFinalizer } from './controller-options.ts';

/** Names of the controllers that run, by their `Cluster` and by their `metrics`, and their finalizers by `Cluster`. */
const claimed = new WeakMap<object, Set<string>>();

interface Claim {
  readonly owner: object;
  readonly name: string;
  /** The message if another controller has it. */
  readonly taken: string;
}

/**
 * Claims the names and finalizers of controllers until the returned function is called. Throws INVALID_OPTION
 * if one is taken: two controllers with one name would share a field manager and their metrics, and with a
 * common finalizer the first cleanup would free the object for both. Two replicas in one process each need
 * their own `Cluster`.
 */
export function claimNames(definitions: readonly ControllerDefinition[], metrics?: UserCode<Metrics>): () => void {
  const made: { readonly names: Set<string>; readonly name: string }[] = [];
  const release = (): void => {
    for (const { names, name } of made) names.delete(name);
  };
  for (const { owner, name, taken } of definitions.flatMap((one) => claimsOf(one, metrics))) {
    const names = claimed.get(owner) ?? new Set();
    claimed.set(owner, names);
    if (names.has(name)) {
      release();
      throw new KubeError('INVALID_OPTION', taken);
    }
    names.add(name);
    made.push({ names, name });
  }
  return release;
}

function claimsOf({ cluster, name, resource, options }: ControllerDefinition, metrics?: UserCode<Metrics>): Claim[] {
  const owners = metrics === undefined || metrics === noMetrics ? [cluster] : [cluster, metrics];
  const taken = `name: a controller ${JSON.stringify(name)} is running already`;
  const claims: Claim[] = owners.map((owner) => ({ owner, name, taken }));
  const finalizer = controllerFinalizer(resource, options);
  if (finalizer === undefined) return claims;
  const parts = resource.split('/');
  const id = `${parts.length === 3 ? parts[0] : ''}/${parts.at(-1)} ${finalizer}`; // of all versions of the resource
  const shared = `finalizer: another controller of ${resource} uses ${finalizer}; the first cleanup would free the object for both`;
  return [...claims, { owner: cluster, name: id, taken: shared }];
}
