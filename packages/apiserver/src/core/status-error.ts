import { defined } from 'kube-informer/core';
import { aggregateFieldErrors, type FieldError } from './field-error.ts';
import type { JsonObject } from './json.ts';

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** A `kind: Status` body. The order of its keys is the order on the wire. */
export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: JsonObject;
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code?: number;
}

/** Names of a resource or kind in messages and details. */
export interface Named {
  readonly group: string;
  readonly resource: string;
  readonly kind: string;
}

/** A failure response. Thrown by verbs, and encoded in one place. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly status: Status;
  /** Name of the fault that caused this response on request, if nothing really failed. */
  readonly fault: string | undefined;

  constructor(status: Status, fault?: string) {
    super(status.message ?? '');
    this.status = status;
    this.fault = fault;
  }
}

export function statusError(
  code: number,
  reason: string,
  message: string,
  { details, metadata = {} }: { details?: StatusDetails; metadata?: JsonObject } = {},
): StatusError {
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata,
    status: 'Failure',
    message,
    ...(reason === '' ? {} : { reason }),
    ...defined({ details }),
    code,
  });
}

/** The name of a resource in messages: `pods`, `deployments.apps`. */
export const statusErrorResource = ({ group, resource }: Named): string =>
  group === '' ? resource : `${resource}.${group}`;

const statusErrorGroup = ({ group }: Named): { group?: string } => (group === '' ? {} : { group });

/** `details` with the name of a resource, as in most failures. */
export const statusErrorDetails = (resource: Named, name?: string): StatusDetails => ({
  ...(name === undefined || name === '' ? {} : { name }),
  ...statusErrorGroup(resource),
  kind: resource.resource,
});

export const badRequestStatusError = (message: string): StatusError => statusError(400, 'BadRequest', message);

export const unauthorizedStatusError = (): StatusError => statusError(401, 'Unauthorized', 'Unauthorized');

export function forbiddenStatusError(
  resource: Named,
  name: string,
  why: string,
  causes?: readonly StatusCause[],
): StatusError {
  const subject =
    name === '' ? statusErrorResource(resource) : `${statusErrorResource(resource)} ${JSON.stringify(name)}`;
  return statusError(403, 'Forbidden', `${subject} is forbidden: ${why}`, {
    details: { ...statusErrorDetails(resource, name), ...defined({ causes }) },
  });
}

export const notFoundStatusError = (resource: Named, name: string): StatusError =>
  statusError(404, 'NotFound', `${statusErrorResource(resource)} ${JSON.stringify(name)} not found`, {
    details: statusErrorDetails(resource, name),
  });

/** The status 404 for a path of a known group-version without such a resource. */
export const noSuchResourceStatusError = (): StatusError =>
  statusError(404, 'NotFound', 'the server could not find the requested resource', { details: {} });

export const methodNotAllowedStatusError = (): StatusError =>
  statusError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {
    details: {},
  });

/** The status 405 of a kind's own storage: custom resources, kinds that cannot be watched. */
export const verbNotSupportedStatusError = (resource: Named, verb: string): StatusError =>
  statusError(
    405,
    'MethodNotAllowed',
    `${verb} is not supported on resources of kind "${statusErrorResource(resource)}"`,
    {
      details: { ...statusErrorGroup(resource), kind: resource.resource },
    },
  );

export const notAcceptableStatusError = (types: readonly string[]): StatusError =>
  statusError(406, 'NotAcceptable', `only the following media types are accepted: ${types.join(', ')}`);

export const alreadyExistsStatusError = (resource: Named, name: string, isBeingDeleted = false): StatusError =>
  statusError(
    409,
    'AlreadyExists',
    `${isBeingDeleted ? 'object is being deleted: ' : ''}${statusErrorResource(resource)} ${JSON.stringify(name)} already exists`,
    { details: statusErrorDetails(resource, name) },
  );

export const exhaustedNamesStatusError = (resource: Named, name: string): StatusError =>
  statusError(
    409,
    'AlreadyExists',
    `${statusErrorResource(resource)} ${JSON.stringify(name)} already exists, the server was not able to generate a unique name for the object`,
    { details: { ...statusErrorDetails(resource, name), retryAfterSeconds: 1 } },
  );

export const conflictStatusError = (resource: Named, name: string, why: string): StatusError =>
  statusError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${statusErrorResource(resource)} ${JSON.stringify(name)}: ${why}`,
    {
      details: statusErrorDetails(resource, name),
    },
  );

export const staleUpdateStatusError = (resource: Named, name: string): StatusError =>
  conflictStatusError(
    resource,
    name,
    'the object has been modified; please apply your changes to the latest version and try again',
  );

/** The status 410; `continueToken` lets a pager continue with an inconsistent list. */
export const expiredStatusError = (message: string, continueToken?: string): StatusError =>
  statusError(410, 'Expired', message, continueToken === undefined ? {} : { metadata: { continue: continueToken } });

export const tooLargeStatusError = (message: string): StatusError => statusError(413, 'RequestEntityTooLarge', message);

export const unsupportedMediaTypeStatusError = (types: readonly string[]): StatusError =>
  statusError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${types.join(', ')}`,
  );

/** Maximum number of errors in a response: an error is many times longer than its value. */
const MAX_FIELD_ERRORS = 1_000;

/** The status 422; here `details.kind` is the kind, not the resource. */
export function invalidStatusError(
  resource: Pick<Named, 'group' | 'kind'>,
  name: string,
  all: readonly FieldError[],
): StatusError {
  const errors = all.slice(0, MAX_FIELD_ERRORS);
  return statusError(
    422,
    'Invalid',
    `${resource.group === '' ? resource.kind : `${resource.kind}.${resource.group}`} ${JSON.stringify(name)} is invalid: ${aggregateFieldErrors(errors)}`,
    {
      details: {
        ...(name === '' ? {} : { name }),
        ...(resource.group === '' ? {} : { group: resource.group }),
        ...(resource.kind === '' ? {} : { kind: resource.kind }),
        causes: errors.map(({ reason, message, field }) => ({ reason, message, field })),
      },
    },
  );
}

export const internalStatusError = (why: string): StatusError =>
  statusError(500, 'InternalError', `Internal error occurred: ${why}`, { details: { causes: [{ message: why }] } });

/** A failure without a `reason`. */
export const unknownStatusError = (message: string): StatusError => statusError(500, '', message);

export const tooLargeVersionStatusError = (
  asked: string | number | bigint,
  current: string | number | bigint,
): StatusError =>
  statusError(504, 'Timeout', `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  });

export function successInsteadOfStatusError(details: StatusDetails): Status {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}
