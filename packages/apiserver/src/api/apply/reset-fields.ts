import type { Resource } from '../schema/resource.ts';
import { FieldSet, fieldSetAt } from './structured-merge/field-set.ts';

/**
 * Fields that a request to one endpoint of a resource cannot change: `status` through the main one where it
 * has its own, the rest through `status`. A client that sends such fields does not own them. Facts of Kubernetes 1.36.
 */
export function resetFields(resource: ResetResource, subresource = ''): FieldSet {
  const { group, custom } = resource;
  const key = `${group}/${resource.resource}`;
  const hasStatus = resource.subresources.some(({ name }) => name === 'status');
  switch (subresource) {
    case '':
      if (key === 'certificates.k8s.io/certificatesigningrequests') return SPEC_AND_STATUS;
      return hasStatus ? STATUS : NOTHING;
    case 'status':
      return custom || STATUS_KEEPS_METADATA.has(key) ? METADATA_AND_SPEC : (STATUS_KEEPS.get(key) ?? SPEC);
    case 'approval':
      return fieldSetAt(['spec'], ['status', 'certificate']);
    case 'finalize':
      return STATUS;
    default:
      return NOTHING;
  }
}

type ResetResource = Pick<Resource, 'group' | 'resource' | 'custom' | 'subresources'>;

const NOTHING = new FieldSet();
const STATUS = fieldSetAt(['status']);
const SPEC = fieldSetAt(['spec']);
const SPEC_AND_STATUS = fieldSetAt(['spec'], ['status']);
const METADATA_AND_SPEC = fieldSetAt(['metadata'], ['spec']);

const STATUS_KEEPS_METADATA: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io/validatingadmissionpolicies',
  'apiregistration.k8s.io/apiservices',
  'flowcontrol.apiserver.k8s.io/flowschemas',
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations',
  'internal.apiserver.k8s.io/storageversions',
  'networking.k8s.io/servicecidrs',
  'resource.k8s.io/devicetaintrules',
  'resource.k8s.io/resourceclaims',
  'resource.k8s.io/resourcepoolstatusrequests',
  'storage.k8s.io/volumeattachments',
  'storagemigration.k8s.io/storageversionmigrations',
]);

const STATUS_KEEPS: ReadonlyMap<string, FieldSet> = new Map([
  ['/pods', fieldSetAt(['spec'], ['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences'])],
  ['apps/deployments', fieldSetAt(['spec'], ['metadata', 'labels'])],
  ['certificates.k8s.io/certificatesigningrequests', fieldSetAt(['spec'], ['status', 'conditions'])],
]);
