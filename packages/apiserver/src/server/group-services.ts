import { serverTimestamp } from '../core/server-timestamp.ts';
import type { Registry } from '../registry/registry.ts';
import type { Served } from '../registry/served.ts';
import { customApiService } from './defaults/api-services.ts';
import type { LocalClient } from './local-client.ts';

/**
 * Maintains an APIService for every group version that definitions use. A deleted one is created again.
 * Returns a function that checks all of them, to be called after everything was replaced at once.
 */
export function followGroupServices(registry: Registry, local: LocalClient): () => void {
  const find = (group: string, resource: string): Served => registry.find(group, 'v1', resource) as Served;
  const services = find('apiregistration.k8s.io', 'apiservices');
  const definitions = find('apiextensions.k8s.io', 'customresourcedefinitions');
  let kept = new Set<string>();
  const wanted = (): Set<string> =>
    new Set(
      registry
        .definitions()
        .flatMap((name) => registry.custom(name).map(({ resource }) => `${resource.version}.${resource.group}`)),
    );
  const follow = (): void => {
    const before = kept;
    kept = wanted();
    for (const name of before)
      if (!kept.has(name) && services.collection.get('', name) !== undefined) services.collection.remove('', name);
    const missing = [...kept].filter((name) => services.collection.get('', name) === undefined);
    if (missing.length > 0)
      local.load(missing.map((name) => customApiService(name, serverTimestamp(local.env.wallNow()))));
  };
  definitions.collection.listen(follow);
  services.collection.listen(({ type, previous }) => {
    if (type === 'DELETED' && previous !== undefined && kept.has(previous.name)) follow();
  });
  return follow;
}
