import { type FieldError, invalidFieldError } from '../../core/field-error.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { ApiObject } from '../../core/kube-object.ts';
import { invalidStatusError } from '../../core/status-error.ts';
import type { User } from '../../core/user.ts';
import type { Action } from '../authz/authorize.ts';

const RESOURCE_ATTRIBUTES = [
  'namespace',
  'verb',
  'group',
  'version',
  'resource',
  'subresource',
  'name',
  'fieldSelector',
  'labelSelector',
] as const;
const NON_RESOURCE_ATTRIBUTES = ['path', 'verb'] as const;
const SPEC = ['resourceAttributes', 'nonResourceAttributes', 'user', 'groups', 'extra', 'uid'] as const;

/** The `spec` of an access review: a user and an action. */
export interface AccessSpec {
  /** The spec as it is returned: known fields in order, empty ones left out. */
  readonly echo: JsonObject;
  readonly resource: JsonObject | undefined;
  readonly nonResource: JsonObject | undefined;
}

export function readReviewSpec(object: ApiObject): AccessSpec {
  const spec = reviewSpecObject(object['spec']) ?? {};
  const resource = reviewSpecObject(spec['resourceAttributes']);
  const nonResource = reviewSpecObject(spec['nonResourceAttributes']);
  const echo = pickReviewSpecFields(
    {
      ...spec,
      ...(resource === undefined ? {} : { resourceAttributes: pickReviewSpecFields(resource, RESOURCE_ATTRIBUTES) }),
      ...(nonResource === undefined
        ? {}
        : { nonResourceAttributes: pickReviewSpecFields(nonResource, NON_RESOURCE_ATTRIBUTES) }),
    },
    SPEC,
  );
  return { echo, resource, nonResource };
}

/** The user of a SubjectAccessReview. No group is added: the review is about exactly the user that it describes. */
export function reviewSpecSubject({ echo }: AccessSpec): User {
  return {
    name: reviewSpecText(echo['user']),
    groups: Array.isArray(echo['groups']) ? echo['groups'].map(reviewSpecText) : [],
    ...(echo['uid'] === undefined ? {} : { uid: reviewSpecText(echo['uid']) }),
  };
}

export function reviewSpecAction({ resource, nonResource }: AccessSpec): Action {
  const from = resource ?? nonResource ?? {};
  return {
    verb: reviewSpecText(from['verb']),
    path: resource === undefined ? reviewSpecText(from['path']) : '',
    isResource: resource !== undefined,
    group: reviewSpecText(resource?.['group']),
    resource: reviewSpecText(resource?.['resource']),
    subresource: reviewSpecText(resource?.['subresource']),
    namespace: reviewSpecText(resource?.['namespace']),
    name: reviewSpecText(resource?.['name']),
  };
}

/** Errors of a review that names both a resource and a path, or neither. */
export function reviewSpecAttributeErrors({ resource, nonResource }: AccessSpec): FieldError[] {
  if (resource === undefined && nonResource === undefined)
    return [
      invalidFieldError(
        'spec.resourceAttributes',
        null,
        'exactly one of nonResourceAttributes or resourceAttributes must be specified',
      ),
    ];
  if (resource === undefined || nonResource === undefined) return [];
  return [nonResourceReviewSpecError(nonResource, 'cannot be specified in combination with resourceAttributes')];
}

export function reviewSpecSubjectErrors(spec: AccessSpec): FieldError[] {
  const { name, groups } = reviewSpecSubject(spec);
  if (name !== '' || groups.length > 0) return [];
  return [invalidFieldError('spec.user', '', 'at least one of user or group must be specified')];
}

/** Errors of a local review that is not about its own namespace. */
export function localReviewSpecErrors({ resource, nonResource }: AccessSpec, namespace: string): FieldError[] {
  const errors: FieldError[] = [];
  const asked = reviewSpecText(resource?.['namespace']);
  if (resource !== undefined && asked !== namespace)
    errors.push(invalidFieldError('spec.resourceAttributes.namespace', asked, 'must match metadata.namespace'));
  if (nonResource !== undefined)
    errors.push(nonResourceReviewSpecError(nonResource, 'disallowed on this kind of request'));
  return errors;
}

/** A review is not stored: it has no name and no labels. */
export function reviewSpecMetadataErrors({ metadata }: ApiObject, detail: string): FieldError[] {
  // Reviews are not decoded like stored objects: metadata may be null.
  const { namespace: _namespace, managedFields: _managedFields, creationTimestamp: _created, ...rest } = metadata ?? {};
  return Object.keys(rest).length === 0 ? [] : [invalidFieldError('metadata', rest as unknown as Json, detail)];
}

export function refuseReviewSpec(errors: readonly FieldError[]): void {
  // A real server leaves the kind out here, in the message and in the details.
  if (errors.length > 0) throw invalidStatusError({ group: 'authorization.k8s.io', kind: '' }, '', errors);
}

/** The error of `nonResourceAttributes`. Its value is shown with the field names of the Go struct. */
function nonResourceReviewSpecError(attributes: JsonObject, detail: string): FieldError {
  const value = { Path: reviewSpecText(attributes['path']), Verb: reviewSpecText(attributes['verb']) };
  return invalidFieldError('spec.nonResourceAttributes', value, detail);
}

function pickReviewSpecFields(from: JsonObject, keys: readonly string[]): JsonObject {
  const picked: JsonObject = {};
  for (const key of keys) {
    const value = from[key];
    const isEmpty =
      value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
    if (!isEmpty) picked[key] = value;
  }
  return picked;
}

export const reviewSpecText = (value: unknown): string => (typeof value === 'string' ? value : '');

export const reviewSpecObject = (value: unknown): JsonObject | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
