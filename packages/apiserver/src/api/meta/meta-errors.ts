import {
  type FieldError,
  forbiddenFieldError,
  invalidFieldError,
  requiredFieldError,
  tooLongFieldError,
} from '../../core/field-error.ts';
import type { Json } from '../../core/json.ts';
import type { ObjectMeta } from '../../core/kube-object.ts';
import type { Resource } from '../schema/resource.ts';
import { nameErrorsOfPrefix, nameErrorsOfPrefixSegment, nameErrors } from './name-errors.ts';
import { ownerReferenceErrors } from './owner-reference-errors.ts';
import {
  labelSyntaxComplaints,
  labelKeySyntaxComplaints,
  labelValueSyntaxComplaints,
  pathSegmentSyntaxComplaints,
} from './name-syntax.ts';

type MetaResource = Pick<Resource, 'group' | 'resource' | 'namespaced' | 'custom'>;

const ANNOTATIONS_MAX_BYTES = 256 * 1024;
const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/** Groups of the server that, like custom resources and core events, accept any finalizer that is a valid key. */
const GROUPS_WITH_ANY_FINALIZER: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'coordination.k8s.io',
  'node.k8s.io',
  'policy',
]);

/** Errors of the metadata of a new object, whose name has already been generated. */
export function metaErrors(resource: MetaResource, meta: ObjectMeta): FieldError[] {
  const errors: FieldError[] = [];
  if (isMetaTextSet(meta.generateName)) errors.push(...nameErrorsOfPrefix(resource, meta.generateName));
  if (isMetaTextSet(meta.name)) errors.push(...nameErrors(resource, meta.name));
  else errors.push(requiredFieldError('metadata.name', 'name or generateName is required'));
  errors.push(...commonMetaErrors(resource, meta), ...metaFinalizerKindErrors(resource, meta));
  return errors.length > 0 || !isMetaTextSet(meta.generateName) ? errors : nameErrorsOfPrefixSegment(meta.generateName);
}

/**
 * Errors of the metadata of an object that replaces `old`. Fields that a client cannot change have already
 * been restored.
 *
 * The causes repeat a mistake that the server finds in several places; the message has it once. How often
 * depends on the kind; this is the number of most kinds.
 */
export function metaUpdateErrors(resource: MetaResource, next: ObjectMeta, old: ObjectMeta): FieldError[] {
  const name = isMetaTextSet(next.name)
    ? pathSegmentSyntaxComplaints(next.name).map((complaint) =>
        invalidFieldError('metadata.name', next.name, complaint),
      )
    : [requiredFieldError('metadata.name', 'name or generateName is required')];
  const changes = metaChangeErrors(next, old);
  return [
    ...name,
    ...commonMetaErrors(resource, next),
    ...changes,
    ...changes,
    ...metaFinalizerKindErrors(resource, next),
  ];
}

/** Removes the fields that only the server sets. Changes `meta`, and returns it. */
export function wipeServerMeta(meta: ObjectMeta): ObjectMeta {
  delete meta.uid;
  delete meta.creationTimestamp;
  delete meta.deletionTimestamp;
  delete meta.deletionGracePeriodSeconds;
  delete meta.selfLink;
  return meta;
}

function commonMetaErrors(resource: MetaResource, meta: ObjectMeta): FieldError[] {
  const errors = metaNamespaceErrors(resource, meta.namespace);
  if ((meta.generation ?? 0) < 0) {
    errors.push(invalidFieldError('metadata.generation', meta.generation, 'must be greater than or equal to 0'));
  }
  errors.push(...metaLabelErrors(meta.labels), ...metaAnnotationErrors(meta.annotations));
  errors.push(...ownerReferenceErrors(meta.ownerReferences ?? []), ...metaFinalizerErrors(meta.finalizers ?? []));
  return errors;
}

function metaChangeErrors(next: ObjectMeta, old: ObjectMeta): FieldError[] {
  const errors: FieldError[] = [];
  if (old.deletionTimestamp !== undefined) errors.push(...newMetaFinalizerErrors(next, old));
  if ((next.generation ?? 0) < (old.generation ?? 0)) {
    errors.push(invalidFieldError('metadata.generation', next.generation ?? 0, 'must not be decremented'));
  }
  for (const field of IMMUTABLE_FIELDS) {
    if (isUnchangedMeta(next[field], old[field])) continue;
    errors.push(invalidFieldError(`metadata.${field}`, shownInMetaError(field, next[field]), 'field is immutable'));
  }
  errors.push(...metaLabelErrors(next.labels), ...metaAnnotationErrors(next.annotations));
  errors.push(...ownerReferenceErrors(next.ownerReferences ?? []));
  return errors;
}

const IMMUTABLE_FIELDS = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const;

type ImmutableValue = ObjectMeta[(typeof IMMUTABLE_FIELDS)[number]];

const isUnchangedMeta = (a: ImmutableValue, b: ImmutableValue): boolean => (a ?? '') === (b ?? '');

/** A value in an error message: an absent string is shown as empty, an absent time or number as null. */
const shownInMetaError = (field: string, value: ImmutableValue): Json =>
  value ?? (field === 'name' || field === 'namespace' || field === 'uid' ? '' : null);

function metaNamespaceErrors({ namespaced }: MetaResource, namespace: string | undefined): FieldError[] {
  if (!namespaced)
    return isMetaTextSet(namespace) ? [forbiddenFieldError('metadata.namespace', 'not allowed on this type')] : [];
  if (!isMetaTextSet(namespace)) return [requiredFieldError('metadata.namespace')];
  return labelSyntaxComplaints(namespace).map((complaint) =>
    invalidFieldError('metadata.namespace', namespace, complaint),
  );
}

function metaLabelErrors(labels: Readonly<Record<string, string>> = {}): FieldError[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...labelKeySyntaxComplaints(key).map((complaint) => invalidFieldError('metadata.labels', key, complaint)),
    ...labelValueSyntaxComplaints(value).map((complaint) => invalidFieldError('metadata.labels', value, complaint)),
  ]);
}

function metaAnnotationErrors(annotations: Readonly<Record<string, string>> = {}): FieldError[] {
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations)) {
    // Their keys may be in upper case, including the prefix.
    for (const complaint of labelKeySyntaxComplaints(key.toLowerCase())) {
      errors.push(invalidFieldError('metadata.annotations', key, complaint));
    }
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (bytes > ANNOTATIONS_MAX_BYTES) {
    errors.push(tooLongFieldError('metadata.annotations', `may not be more than ${ANNOTATIONS_MAX_BYTES} bytes`));
  }
  return errors;
}

function metaFinalizerErrors(finalizers: readonly string[]): FieldError[] {
  const errors = finalizers.flatMap((finalizer) =>
    labelKeySyntaxComplaints(finalizer).map((complaint) =>
      invalidFieldError('metadata.finalizers', finalizer, complaint),
    ),
  );
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    const why = 'finalizer orphan and foregroundDeletion cannot be both set';
    errors.push(invalidFieldError('metadata.finalizers', [...finalizers], why));
  }
  return errors;
}

function metaFinalizerKindErrors(kind: MetaResource, { finalizers = [] }: ObjectMeta): FieldError[] {
  const isCoreEvent = kind.group === '' && kind.resource === 'events';
  if (kind.custom || isCoreEvent || GROUPS_WITH_ANY_FINALIZER.has(kind.group)) return [];
  return finalizers.flatMap((finalizer, index) =>
    metaFinalizerComplaints(finalizer).map((why) => invalidFieldError(`metadata.finalizers[${index}]`, finalizer, why)),
  );
}

/** Error messages about the name of a finalizer, which must be a valid label key. */
export const metaFinalizerComplaints = (finalizer: string): string[] =>
  finalizer.includes('/') || STANDARD_FINALIZERS.has(finalizer)
    ? []
    : ['name is neither a standard finalizer name nor is it fully qualified'];

function newMetaFinalizerErrors(next: ObjectMeta, old: ObjectMeta): FieldError[] {
  const known = new Set(old.finalizers);
  const added = [...new Set(next.finalizers)].filter((finalizer) => !known.has(finalizer)).sort();
  if (added.length === 0) return [];
  const list = `[]string{${added.map((finalizer) => JSON.stringify(finalizer)).join(', ')}}`;
  return [
    forbiddenFieldError(
      'metadata.finalizers',
      `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`,
    ),
  ];
}

const isMetaTextSet = (text: string | undefined): text is string => text !== undefined && text !== '';
