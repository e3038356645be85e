import type { ApiObject } from '../../core/kube-object.ts';
import type { Resource } from '../schema/resource.ts';
import { scalarValueAt, valueAt } from './value-at.ts';

/** Reads one field of an object as field selectors compare it. */
export type FieldReader = (object: ApiObject) => string;

/** The fields by which the objects of a resource can be selected. */
export interface FieldLookup {
  /** The reader of a field; undefined if objects cannot be selected by it. */
  reader(field: string): FieldReader | undefined;
  /** The server's error message about an unsupported field. */
  unsupported(field: string): string;
}

interface Fields {
  /** Readers by field name. */
  readonly readers: Readonly<Record<string, FieldReader>>;
  readonly unsupported: (field: string) => string;
}

/** The parts of an object reference. */
const REFERENCE_FIELDS = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];

const NAME = fieldLookupAt('metadata.name');
const NAMESPACE = fieldLookupAt('metadata.namespace');

const fieldLookupNotSupported = (field: string): string => `field label not supported: ${field}`;

const EVERY_KIND: Fields = {
  readers: { 'metadata.name': NAME, 'metadata.namespace': NAMESPACE },
  unsupported: (field) =>
    `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
};

/** The kinds with further fields. The server has no others: ReplicaSets, for example, are selected by name and namespace only. */
const OWN_FIELDS: ReadonlyMap<string, Fields> = new Map<string, Fields>(
  Object.entries({
    '/pods': {
      readers: {
        ...EVERY_KIND.readers,
        ...plainFieldLookup(
          'spec.nodeName',
          'spec.restartPolicy',
          'spec.schedulerName',
          'spec.serviceAccountName',
          'status.phase',
        ),
        ...plainFieldLookup('status.podIP', 'status.nominatedNodeName'),
        'spec.host': fieldLookupAt('spec.nodeName'),
        'spec.hostNetwork': fieldLookupAt('spec.hostNetwork', 'false'),
        // Accepted, and empty for every pod.
        'status.podIPs': () => '',
      },
      unsupported: fieldLookupNotSupported,
    },
    '/nodes': {
      readers: { 'metadata.name': NAME, 'spec.unschedulable': fieldLookupAt('spec.unschedulable', 'false') },
      unsupported: fieldLookupNotSupported,
    },
    '/namespaces': {
      readers: { 'metadata.name': NAME, ...plainFieldLookup('status.phase') },
      unsupported: fieldLookupNotSupported,
    },
    '/secrets': {
      readers: { ...EVERY_KIND.readers, ...plainFieldLookup('type') },
      unsupported: fieldLookupNotSupported,
    },
    '/services': {
      readers: { ...EVERY_KIND.readers, ...plainFieldLookup('spec.clusterIP', 'spec.type') },
      unsupported: fieldLookupNotSupported,
    },
    '/replicationcontrollers': {
      readers: { ...EVERY_KIND.readers, 'status.replicas': fieldLookupAt('status.replicas', '0') },
      unsupported: fieldLookupNotSupported,
    },
    '/events': { readers: { ...EVERY_KIND.readers, ...coreEventFieldLookup() }, unsupported: fieldLookupNotSupported },
    'events.k8s.io/events': {
      readers: { ...EVERY_KIND.readers, ...newEventFieldLookup() },
      unsupported: fieldLookupNotSupported,
    },
    'batch/jobs': {
      readers: { ...EVERY_KIND.readers, 'status.successful': fieldLookupAt('status.succeeded', '0') },
      unsupported: (field) => `field label ${JSON.stringify(field)} not supported for Job`,
    },
    'certificates.k8s.io/certificatesigningrequests': {
      readers: { 'metadata.name': NAME, ...plainFieldLookup('spec.signerName') },
      unsupported: fieldLookupNotSupported,
    },
    'resource.k8s.io/resourceslices': {
      readers: { 'metadata.name': NAME, ...plainFieldLookup('spec.nodeName', 'spec.driver') },
      unsupported: (field) => `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${field}`,
    },
  }),
);

/**
 * The fields of a resource. `selectableFields`: those of a custom resource's version, as JSON paths
 * (`.spec.color`).
 */
export function fieldLookup(
  resource: Pick<Resource, 'group' | 'resource' | 'namespaced' | 'custom'>,
  selectableFields: readonly string[] = [],
): FieldLookup {
  const { readers, unsupported } = resource.custom
    ? customFieldLookup(resource.namespaced, selectableFields)
    : (OWN_FIELDS.get(`${resource.group}/${resource.resource}`) ?? EVERY_KIND);
  return { reader: (field) => (Object.hasOwn(readers, field) ? readers[field] : undefined), unsupported };
}

function customFieldLookup(namespaced: boolean, selectableFields: readonly string[]): Fields {
  return {
    readers: {
      'metadata.name': NAME,
      ...(namespaced ? { 'metadata.namespace': NAMESPACE } : {}),
      ...plainFieldLookup(...selectableFields.map((path) => path.replace(/^\./, ''))),
    },
    unsupported: fieldLookupNotSupported,
  };
}

function coreEventFieldLookup(): Record<string, FieldReader> {
  const component = fieldLookupAt('source.component');
  const reporter = fieldLookupAt('reportingComponent');
  return {
    ...plainFieldLookup(
      ...REFERENCE_FIELDS.map((field) => `involvedObject.${field}`),
      'reason',
      'type',
      'reportingComponent',
    ),
    source: (event) => component(event) || reporter(event),
  };
}

function newEventFieldLookup(): Record<string, FieldReader> {
  return plainFieldLookup(
    ...REFERENCE_FIELDS.map((field) => `regarding.${field}`),
    'reason',
    'type',
    'reportingController',
  );
}

/** Fields that are read at the path of their name. */
function plainFieldLookup(...fields: readonly string[]): Record<string, FieldReader> {
  return Object.fromEntries(fields.map((field) => [field, fieldLookupAt(field)]));
}

function fieldLookupAt(path: string, absent = ''): FieldReader {
  const keys = path.split('.');
  return (object) => scalarValueAt(valueAt(object, keys)) ?? absent;
}
