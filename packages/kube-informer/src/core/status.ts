import { findErrorCause, KubeError, type Status } from './errors.ts';

/**
 * Classifies the errors of a server.
 *
 * Every predicate searches the chain of causes, so an error may be wrapped with
 * context ("failed to list pods") and is still recognised.
 *
 * Room rule: classifies only; the reflector decides what to do.
 */

/** Reasons of apimachinery. The code is compared only when the reason is none of these. */
const KNOWN_REASONS: ReadonlySet<string> = new Set([
  'Unauthorized', 'Forbidden', 'NotFound', 'AlreadyExists', 'Conflict', 'Gone', 'Invalid', 'ServerTimeout',
  'StoreReadError', 'StorageReadError', 'Timeout', 'TooManyRequests', 'BadRequest', 'MethodNotAllowed', 'NotAcceptable',
  'RequestEntityTooLarge', 'UnsupportedMediaType', 'InternalError', 'Expired', 'ServiceUnavailable',
]); // prettier-ignore

/** The server's Status in an error or its chain of causes. */
export function statusOf(error: unknown): Status | undefined {
  const found = findErrorCause(error, (candidate) => {
    const { status } = candidate as { status?: unknown };
    return typeof status === 'object' && status !== null;
  });
  return (found as { status?: Status } | undefined)?.status;
}

/**
 * Makes an error from the object of a watch `ERROR` event or the body of a failed response.
 *
 * An object that is not a Status becomes an error that no predicate matches, so that it is not retried like one.
 */
export function statusError(object: unknown, context?: string): KubeError {
  if (!isStatus(object)) {
    return new KubeError(
      'WATCH_DECODE',
      `${context ?? 'the server sent an error'}: unexpected object instead of a Status`,
    );
  }
  const seconds = object.details?.retryAfterSeconds;
  const text = object.message ?? object.reason ?? `code ${object.code ?? 'unknown'}`;
  return new KubeError('API_STATUS', context === undefined ? text : `${context}: ${text}`, {
    status: object,
    ...(typeof seconds === 'number' && seconds > 0 ? { retryAfterMs: seconds * 1_000 } : {}),
  });
}

function isStatus(object: unknown): object is Status {
  if (typeof object !== 'object' || object === null || Array.isArray(object)) return false;
  const { kind, apiVersion, code, reason, status } = object as Status & { status?: unknown };
  if (kind !== undefined)
    return kind === 'Status' && (apiVersion === undefined || apiVersion === 'v1' || apiVersion === 'meta.k8s.io/v1');
  // Typed clients pass the struct without kind; it still has a code, a reason or "Failure".
  return typeof code === 'number' || typeof reason === 'string' || status === 'Failure';
}

function hasReason(error: unknown, reason: string, code?: number): boolean {
  const status = statusOf(error);
  if (status === undefined) return false;
  if (status.reason === reason) return true;
  return code !== undefined && status.code === code && !KNOWN_REASONS.has(status.reason ?? '');
}

/** The resourceVersion or continue token is too old: a relist is needed. */
export const isExpired = (error: unknown): boolean => hasReason(error, 'Expired') || isGone(error);
export const isGone = (error: unknown): boolean => hasReason(error, 'Gone', 410);
/** Only the reason `Expired`, after which a pager lists everything at once; not `Gone`. */
export const isResourceExpired = (error: unknown): boolean => hasReason(error, 'Expired');
export const isNotFound = (error: unknown): boolean => hasReason(error, 'NotFound', 404);
export const isForbidden = (error: unknown): boolean => hasReason(error, 'Forbidden', 403);
export const isUnauthorized = (error: unknown): boolean => hasReason(error, 'Unauthorized', 401);
export const isConflict = (error: unknown): boolean => hasReason(error, 'Conflict', 409);
export const isAlreadyExists = (error: unknown): boolean => hasReason(error, 'AlreadyExists');
export const isInvalid = (error: unknown): boolean => hasReason(error, 'Invalid', 422);
export const isBadRequest = (error: unknown): boolean => hasReason(error, 'BadRequest', 400);
export const isTimeout = (error: unknown): boolean => hasReason(error, 'Timeout', 504);
export const isInternalError = (error: unknown): boolean => hasReason(error, 'InternalError', 500);
/** Also 429 with any other reason: proxies send it without a Status. */
export const isTooManyRequests = (error: unknown): boolean =>
  hasReason(error, 'TooManyRequests') || statusOf(error)?.code === 429;

/** The server has not reached the requested resourceVersion yet, or never will (restored storage). */
export function isTooLargeResourceVersion(error: unknown): boolean {
  const status = statusOf(error);
  const causes = status?.details?.causes ?? [];
  if (causes.some((cause) => cause.reason === 'ResourceVersionTooLarge')) return true;
  // Servers before 1.19 send only a message, with the reason Timeout.
  if (!isTimeout(error)) return false;
  return causes.some((cause) => cause.message === TOO_LARGE) || (status?.message?.includes(TOO_LARGE) ?? false);
}
const TOO_LARGE = 'Too large resource version';

/** ECONNREFUSED anywhere in the chain of causes: nothing listens at the address. */
export function isConnectionRefused(error: unknown): boolean {
  return findErrorCause(error, (candidate) => (candidate as { code?: unknown }).code === 'ECONNREFUSED') !== undefined;
}

/** A 5xx status, from the server or a proxy. */
export function isServerFailure(error: unknown): boolean {
  const code = statusOf(error)?.code;
  return code !== undefined && code >= 500 && code < 600;
}

/** A 4xx status other than 429: the same request would be refused again. */
export function isRefusal(error: unknown): boolean {
  const code = statusOf(error)?.code;
  return code !== undefined && code >= 400 && code < 500 && code !== 429;
}

/** The delay requested by the server, in milliseconds. */
export function retryAfterOf(error: unknown): number | undefined {
  const found = findErrorCause(
    error,
    (candidate) => typeof (candidate as { retryAfterMs?: unknown }).retryAfterMs === 'number',
  );
  const ms = (found as { retryAfterMs?: number } | undefined)?.retryAfterMs;
  if (ms !== undefined) return ms;
  const seconds = statusOf(error)?.details?.retryAfterSeconds;
  return typeof seconds === 'number' && seconds > 0 ? seconds * 1_000 : undefined;
}
