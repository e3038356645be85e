import type { UserCode } from 'kube-informer';
import { KubeError, type Metrics, noMetrics } from 'kube-informer/core';
import type { ControllerDefinition } from './controller.ts';

/** Names of the controllers that run, by their `Cluster` and by their `metrics`. */
const claimed = new WeakMap<object, Set<string>>();

/**
 * Claims the names of controllers until the returned function is called. Throws INVALID_OPTION if one is taken: two controllers of
 * a name would share a field manager and their series. Two replicas in one process have a `Cluster` each.
 */
export function claimNames(definitions: readonly ControllerDefinition[], metrics?: UserCode<Metrics>): () => void {
  const claims: { readonly names: Set<string>; readonly name: string }[] = [];
  const release = (): void => {
    for (const { names, name } of claims) names.delete(name);
  };
  for (const { cluster, name } of definitions) {
    const owners = metrics === undefined || metrics === noMetrics ? [cluster] : [cluster, metrics];
    for (const owner of owners) {
      const names = claimed.get(owner) ?? new Set();
      claimed.set(owner, names);
      if (names.has(name)) {
        release();
        throw new KubeError('INVALID_OPTION', `name: a controller ${JSON.stringify(name)} is running already`);
      }
      names.add(name);
      claims.push({ names, name });
    }
  }
  return release;
}
