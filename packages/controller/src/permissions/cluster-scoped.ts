/** Built-in resources that a controller may watch and whose objects are cluster-scoped, by group. */
const CLUSTER_SCOPED: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    '': ['componentstatuses', 'namespaces', 'nodes', 'persistentvolumes'],
    'admissionregistration.k8s.io': [
      'mutatingadmissionpolicies', 'mutatingadmissionpolicybindings', 'mutatingwebhookconfigurations',
      'validatingadmissionpolicies', 'validatingadmissionpolicybindings', 'validatingwebhookconfigurations',
    ],
    'apiextensions.k8s.io': ['customresourcedefinitions'],
    'apiregistration.k8s.io': ['apiservices'],
    'certificates.k8s.io': ['certificatesigningrequests', 'clustertrustbundles'],
    'flowcontrol.apiserver.k8s.io': ['flowschemas', 'prioritylevelconfigurations'],
    'internal.apiserver.k8s.io': ['storageversions'],
    'networking.k8s.io': ['ingressclasses', 'ipaddresses', 'servicecidrs'],
    'node.k8s.io': ['runtimeclasses'],
    'rbac.authorization.k8s.io': ['clusterrolebindings', 'clusterroles'],
    'resource.k8s.io': ['deviceclasses', 'devicetaintrules', 'resourcepoolstatusrequests', 'resourceslices'],
    'scheduling.k8s.io': ['priorityclasses'],
    'storage.k8s.io': ['csidrivers', 'csinodes', 'storageclasses', 'volumeattachments', 'volumeattributesclasses'],
    'storagemigration.k8s.io': ['storageversionmigrations'],
  }).map(([group, names]) => [group, new Set(names)]),
); // prettier-ignore

/**
 * Whether a built-in resource is cluster-scoped, so that a Role cannot grant it. Known without a request,
 * because permissions are printed without one; unknown for custom resources.
 */
export function isClusterScoped(resource: string): boolean {
  const parts = resource.split('/');
  const [group = '', plural = ''] = parts.length === 2 ? ['', parts[1]] : [parts[0], parts[2]];
  return CLUSTER_SCOPED.get(group)?.has(plural) ?? false;
}
