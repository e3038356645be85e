import type { Resource } from '../schema/resource.ts';

/** Tables of facts that distinguish kinds, by `group/resource`, as of Kubernetes 1.36. */

const kindFactSet = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Kinds for which PUT creates the object if it does not exist. */
const CREATE_ON_UPDATE = kindFactSet(`
  /endpoints /events /limitranges /services events.k8s.io/events
  coordination.k8s.io/leases coordination.k8s.io/leasecandidates node.k8s.io/runtimeclasses
  rbac.authorization.k8s.io/roles rbac.authorization.k8s.io/rolebindings
  rbac.authorization.k8s.io/clusterroles rbac.authorization.k8s.io/clusterrolebindings
`);

/** Kinds for which PUT must name the resourceVersion that it replaces. */
const CONDITIONAL_UPDATE = kindFactSet(`
  apiextensions.k8s.io/customresourcedefinitions apiregistration.k8s.io/apiservices
  coordination.k8s.io/leases coordination.k8s.io/leasecandidates policy/poddisruptionbudgets node.k8s.io/runtimeclasses
  storage.k8s.io/csidrivers storage.k8s.io/csinodes storage.k8s.io/csistoragecapacities storage.k8s.io/volumeattachments
  certificates.k8s.io/clustertrustbundles certificates.k8s.io/podcertificaterequests
  storagemigration.k8s.io/storageversionmigrations internal.apiserver.k8s.io/storageversions
  admissionregistration.k8s.io/validatingwebhookconfigurations admissionregistration.k8s.io/mutatingwebhookconfigurations
  admissionregistration.k8s.io/validatingadmissionpolicies admissionregistration.k8s.io/validatingadmissionpolicybindings
  admissionregistration.k8s.io/mutatingadmissionpolicies admissionregistration.k8s.io/mutatingadmissionpolicybindings
`);

/** Kinds for which DELETE returns the object instead of a Status. */
const RETURNS_DELETED = kindFactSet(`
  /namespaces /persistentvolumeclaims /persistentvolumes /pods /podtemplates /resourcequotas /serviceaccounts /services
  storage.k8s.io/csidrivers storage.k8s.io/csinodes storage.k8s.io/storageclasses storage.k8s.io/volumeattachments
  storage.k8s.io/volumeattributesclasses resource.k8s.io/deviceclasses resource.k8s.io/devicetaintrules
  resource.k8s.io/resourceclaims resource.k8s.io/resourceclaimtemplates resource.k8s.io/resourceslices
  resource.k8s.io/resourcepoolstatusrequests
`);

/** Kinds whose `metadata.generation` counts changes of the desired state. */
const COUNTS_GENERATIONS = kindFactSet(`
  /pods /podtemplates /replicationcontrollers
  apps/daemonsets apps/deployments apps/replicasets apps/statefulsets batch/cronjobs batch/jobs
  networking.k8s.io/ingresses networking.k8s.io/ingressclasses networking.k8s.io/networkpolicies
  policy/poddisruptionbudgets discovery.k8s.io/endpointslices
  flowcontrol.apiserver.k8s.io/flowschemas flowcontrol.apiserver.k8s.io/prioritylevelconfigurations
  resource.k8s.io/deviceclasses resource.k8s.io/devicetaintrules resource.k8s.io/resourceslices
  apiextensions.k8s.io/customresourcedefinitions
  admissionregistration.k8s.io/validatingwebhookconfigurations admissionregistration.k8s.io/mutatingwebhookconfigurations
  admissionregistration.k8s.io/validatingadmissionpolicies admissionregistration.k8s.io/validatingadmissionpolicybindings
  admissionregistration.k8s.io/mutatingadmissionpolicies admissionregistration.k8s.io/mutatingadmissionpolicybindings
`);

/**
 * Kinds whose dependents are orphaned by default, for compatibility: a DELETE without a propagation policy
 * keeps them.
 */
const ORPHANS_BY_DEFAULT = kindFactSet('/replicationcontrollers batch/jobs');

/** Kinds that are too short-lived to own anything. */
const OWNS_NOTHING = kindFactSet('/events events.k8s.io/events');

/** Kinds for which a write to `status` may not change labels, annotations, finalizers and owners. */
const STATUS_KEEPS_METADATA = kindFactSet(`
  networking.k8s.io/servicecidrs storage.k8s.io/volumeattachments resource.k8s.io/resourceclaims
  resource.k8s.io/devicetaintrules resource.k8s.io/resourcepoolstatusrequests apiregistration.k8s.io/apiservices
  admissionregistration.k8s.io/validatingadmissionpolicies certificates.k8s.io/podcertificaterequests
  storagemigration.k8s.io/storageversionmigrations internal.apiserver.k8s.io/storageversions
`);

export interface KindFacts {
  readonly hasStatus: boolean;
  readonly generation: 'none' | 'spec';
  readonly allowsUnconditionalUpdate: boolean;
  readonly allowsCreateOnUpdate: boolean;
  readonly returnsDeletedObject: boolean;
  readonly gracefulDeletion: boolean;
  readonly defaultPropagation: 'Background' | 'Orphan';
  /** Whether propagation policies leave finalizers on the object. */
  readonly hasDependents: boolean;
  readonly statusKeepsMetadata: boolean;
}

export const kindFactsKey = ({ group, resource }: Pick<Resource, 'group' | 'resource'>): string =>
  `${group}/${resource}`;

export function kindFactsOf(resource: Resource): KindFacts {
  const key = kindFactsKey(resource);
  const { custom } = resource;
  return {
    hasStatus: resource.subresources.some(({ name }) => name === 'status'),
    generation: custom || COUNTS_GENERATIONS.has(key) ? 'spec' : 'none',
    allowsUnconditionalUpdate: !custom && !CONDITIONAL_UPDATE.has(key),
    allowsCreateOnUpdate: !custom && CREATE_ON_UPDATE.has(key),
    returnsDeletedObject: !custom && RETURNS_DELETED.has(key),
    gracefulDeletion: key === '/pods',
    defaultPropagation: !custom && ORPHANS_BY_DEFAULT.has(key) ? 'Orphan' : 'Background',
    hasDependents: custom || !OWNS_NOTHING.has(key),
    statusKeepsMetadata: custom || STATUS_KEEPS_METADATA.has(key),
  };
}
