/** Resources that are stored under an older name. */
const OLD_NAMES: ReadonlyMap<string, string> = new Map<string, string>(
  Object.entries({
    services: 'services/specs',
    endpoints: 'services/endpoints',
    ingresses: 'ingress',
    replicationcontrollers: 'controllers',
    nodes: 'minions',
  }),
);

/** The etcd key of an object, or of all objects of a namespace: some failures quote it. */
export function storageKey(
  { group, resource, custom }: { readonly group: string; readonly resource: string; readonly custom: boolean },
  namespace: string,
  name: string,
): string {
  const kept = custom ? `${group}/${resource}` : (OLD_NAMES.get(resource) ?? resource);
  return ['', kept, namespace, name].filter((part, at) => at === 0 || part !== '').join('/');
}
