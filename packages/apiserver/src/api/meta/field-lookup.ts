import type { ApiObject } from '../../core/object.ts';
import type { Resource } from '../schema/resource.ts';
import { scalarValueText, valueAt } from './value-at.ts';

/** Reads one field of an object as field selectors compare it. */
export type FieldReader = (object: ApiObject) => string;

/** By which fields the objects of a resource can be selected. */
export interface FieldLookup {
  /** Undefined: objects cannot be selected by this field. */
  reader(field: string): FieldReader | undefined;
  /** The server's error message about such a field. */
  unsupported(field: string): string;
}

interface Fields {
  /** Readers by field name. */
  readonly readers: Readonly<Record<string, FieldReader>>;
  readonly unsupported: (field: string) => string;
}

/** The parts of an object reference. */
const REFERENCE_FIELDS = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];

const NAME = fieldReaderAt('metadata.name');
const NAMESPACE = fieldReaderAt('metadata.namespace');

const fieldNotSupported = (field: string): string => `field label not supported: ${field}`;

const EVERY_KIND: Fields = {
  readers: { 'metadata.name': NAME, 'metadata.namespace': NAMESPACE },
  unsupported: (field) =>
    `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
};

/** The kinds with a list of their own. The server has no others: ReplicaSets, for example, are selected by name and namespace only. */
const OWN_FIELDS: ReadonlyMap<string, Fields> = new Map<string, Fields>(
  Object.entries({
    '/pods': {
      readers: {
        ...EVERY_KIND.readers,
        ...plainFieldReaders(
          'spec.nodeName',
          'spec.restartPolicy',
          'spec.schedulerName',
          'spec.serviceAccountName',
          'status.phase',
        ),
        ...plainFieldReaders('status.podIP', 'status.nominatedNodeName'),
        'spec.host': fieldReaderAt('spec.nodeName'),
        'spec.hostNetwork': fieldReaderAt('spec.hostNetwork', 'false'),
        // Accepted, and empty for every pod.
        'status.podIPs': () => '',
      },
      unsupported: fieldNotSupported,
    },
    '/nodes': {
      readers: { 'metadata.name': NAME, 'spec.unschedulable': fieldReaderAt('spec.unschedulable', 'false') },
      unsupported: fieldNotSupported,
    },
    '/namespaces': {
      readers: { 'metadata.name': NAME, ...plainFieldReaders('status.phase') },
      unsupported: fieldNotSupported,
    },
    '/secrets': { readers: { ...EVERY_KIND.readers, ...plainFieldReaders('type') }, unsupported: fieldNotSupported },
    '/services': {
      readers: { ...EVERY_KIND.readers, ...plainFieldReaders('spec.clusterIP', 'spec.type') },
      unsupported: fieldNotSupported,
    },
    '/replicationcontrollers': {
      readers: { ...EVERY_KIND.readers, 'status.replicas': fieldReaderAt('status.replicas', '0') },
      unsupported: fieldNotSupported,
    },
    '/events': { readers: { ...EVERY_KIND.readers, ...coreEventFields() }, unsupported: fieldNotSupported },
    'events.k8s.io/events': { readers: { ...EVERY_KIND.readers, ...newEventFields() }, unsupported: fieldNotSupported },
    'batch/jobs': {
      readers: { ...EVERY_KIND.readers, 'status.successful': fieldReaderAt('status.succeeded', '0') },
      unsupported: (field) => `field label ${JSON.stringify(field)} not supported for Job`,
    },
    'certificates.k8s.io/certificatesigningrequests': {
      readers: { 'metadata.name': NAME, ...plainFieldReaders('spec.signerName') },
      unsupported: fieldNotSupported,
    },
    'resource.k8s.io/resourceslices': {
      readers: { 'metadata.name': NAME, ...plainFieldReaders('spec.nodeName', 'spec.driver') },
      unsupported: (field) => `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${field}`,
    },
  }),
);

/** `selectableFields`: those of a custom resource's version, as JSON paths (`.spec.color`). */
export function fieldLookup(
  resource: Pick<Resource, 'group' | 'resource' | 'namespaced' | 'custom'>,
  selectableFields: readonly string[] = [],
): FieldLookup {
  const { readers, unsupported } = resource.custom
    ? customFields(resource.namespaced, selectableFields)
    : (OWN_FIELDS.get(`${resource.group}/${resource.resource}`) ?? EVERY_KIND);
  return { reader: (field) => (Object.hasOwn(readers, field) ? readers[field] : undefined), unsupported };
}

function customFields(namespaced: boolean, selectableFields: readonly string[]): Fields {
  return {
    readers: {
      'metadata.name': NAME,
      ...(namespaced ? { 'metadata.namespace': NAMESPACE } : {}),
      ...plainFieldReaders(...selectableFields.map((path) => path.replace(/^\./, ''))),
    },
    unsupported: fieldNotSupported,
  };
}

function coreEventFields(): Record<string, FieldReader> {
  const component = fieldReaderAt('source.component');
  const reporter = fieldReaderAt('reportingComponent');
  return {
    ...plainFieldReaders(
      ...REFERENCE_FIELDS.map((field) => `involvedObject.${field}`),
      'reason',
      'type',
      'reportingComponent',
    ),
    source: (event) => component(event) || reporter(event),
  };
}

function newEventFields(): Record<string, FieldReader> {
  return plainFieldReaders(
    ...REFERENCE_FIELDS.map((field) => `regarding.${field}`),
    'reason',
    'type',
    'reportingController',
  );
}

/** Fields that are read at the path of their name. */
function plainFieldReaders(...fields: readonly string[]): Record<string, FieldReader> {
  return Object.fromEntries(fields.map((field) => [field, fieldReaderAt(field)]));
}

function fieldReaderAt(path: string, absent = ''): FieldReader {
  const keys = path.split('.');
  return (object) => scalarValueText(valueAt(object, keys)) ?? absent;
}
