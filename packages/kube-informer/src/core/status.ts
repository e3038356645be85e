import { defined } from './defined.ts';
import { errorCauseOf, walkErrorCauses, KubeError, type Status, type StatusCause } from './errors.ts';
import { isStatus, safeStatus, UNPARSABLE_VERSION } from './safe-status.ts';

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
  return walkErrorCauses(error, (candidate) => {
    const { status } = candidate as { status?: Status | null };
    if (typeof status !== 'object' || status === null) return undefined;
    // Read here, where an unreadable field does no harm: the predicates below read the same fields.
    const { code: _, reason: __, message: ___, details } = status;
    const { causes: ____, retryAfterSeconds: _____ } = details ?? {};
    return status;
  });
}

/**
 * Makes an error from the object of a watch `ERROR` event or the body of a failed response.
 *
 * An object that is not a Status becomes an error that no predicate matches, so that it is not retried like one.
 * `isSecret`: the request was about a Secret, whose content the server may quote.
 */
export function statusError(object: unknown, context?: string, about: { readonly isSecret?: boolean } = {}): KubeError {
  if (!isStatus(object)) {
    return new KubeError(
      'WATCH_DECODE',
      `${context ?? 'the server sent an error'}: unexpected object instead of a Status`,
    );
  }
  const status = safeStatus(object, about);
  const retryAfterMs = retryAfterMsOf(status.details?.retryAfterSeconds);
  const text = status.message ?? status.reason ?? `code ${status.code ?? 'unknown'}`;
  return new KubeError('API_STATUS', context === undefined ? text : `${context}: ${text}`, {
    status,
    ...defined({ retryAfterMs }),
  });
}

function hasStatusReason(error: unknown, reason: string, code?: number): boolean {
  const status = statusOf(error);
  if (status === undefined) return false;
  if (status.reason === reason) return true;
  return code !== undefined && status.code === code && !KNOWN_REASONS.has(status.reason ?? '');
}

/** Whether the resourceVersion or continue token is too old, so that a relist is needed. */
export const isExpired = (error: unknown): boolean => hasStatusReason(error, 'Expired') || isGone(error);
export const isGone = (error: unknown): boolean => hasStatusReason(error, 'Gone', 410);
/** Whether the reason is `Expired`, after which a pager lists everything at once; not `Gone`. */
export const isResourceExpired = (error: unknown): boolean => hasStatusReason(error, 'Expired');
export const isNotFound = (error: unknown): boolean => hasStatusReason(error, 'NotFound', 404);
export const isForbidden = (error: unknown): boolean => hasStatusReason(error, 'Forbidden', 403);
export const isUnauthorized = (error: unknown): boolean => hasStatusReason(error, 'Unauthorized', 401);
export const isConflict = (error: unknown): boolean => hasStatusReason(error, 'Conflict', 409);
export const isAlreadyExists = (error: unknown): boolean => hasStatusReason(error, 'AlreadyExists');
export const isInvalid = (error: unknown): boolean => hasStatusReason(error, 'Invalid', 422);
export const isBadRequest = (error: unknown): boolean => hasStatusReason(error, 'BadRequest', 400);
export const isTimeout = (error: unknown): boolean => hasStatusReason(error, 'Timeout', 504);
export const isInternalError = (error: unknown): boolean => hasStatusReason(error, 'InternalError', 500);
/** Whether the code is 429, with any reason: proxies send it without a Status. */
export const isTooManyRequests = (error: unknown): boolean =>
  hasStatusReason(error, 'TooManyRequests') || statusOf(error)?.code === 429;

/** Whether the server has not reached the requested resourceVersion yet, or never will (restored storage). */
export function isTooLargeResourceVersion(error: unknown): boolean {
  const status = statusOf(error);
  const causes = statusCausesOf(status);
  if (causes.some((cause) => cause.reason === 'ResourceVersionTooLarge')) return true;
  // Servers before 1.19 send only a message, with the reason Timeout.
  if (!isTimeout(error)) return false;
  const message: unknown = status?.message;
  return (
    causes.some((cause) => cause.message === TOO_LARGE) || (typeof message === 'string' && message.includes(TOO_LARGE))
  );
}

/** The causes of a Status; none if the server sent something else in their place. */
function statusCausesOf(status: Status | undefined): readonly Partial<StatusCause>[] {
  const causes: unknown = status?.details?.causes;
  return Array.isArray(causes) ? causes.filter((cause) => typeof cause === 'object' && cause !== null) : [];
}
const TOO_LARGE = 'Too large resource version';

/**
 * Whether the server cannot parse the requested resourceVersion, so that the newest state must be requested
 * instead.
 *
 * kube-apiserver responds to a list with 400, and to a watch with 500 and no reason; the message is the same.
 */
export function isUnparsableVersion(error: unknown): boolean {
  const { code, message } = statusOf(error) ?? {};
  return (code === 400 || code === 500) && typeof message === 'string' && message.includes(UNPARSABLE_VERSION);
}

/** Whether ECONNREFUSED is in the chain of causes: nothing listens at the address. */
export function isConnectionRefused(error: unknown): boolean {
  return errorCauseOf(error, (candidate) => (candidate as { code?: unknown }).code === 'ECONNREFUSED') !== undefined;
}

/** Whether the response was larger than the client reads: the same request would fail again, a smaller one may not. */
export function isTooLargeStatus(error: unknown): boolean {
  return errorCauseOf(error, (candidate) => (candidate as { code?: unknown }).code === TOO_LARGE_BODY) !== undefined;
}
/** The code of the `cause` of an error about a response that is larger than the client reads. */
export const TOO_LARGE_BODY = 'ERR_BODY_TOO_LARGE';

/** Whether the status is 5xx, from the server or a proxy. */
export function isServerFailure(error: unknown): boolean {
  const code = statusOf(error)?.code;
  return code !== undefined && code >= 500 && code < 600;
}

/** Whether the status is 4xx other than 429: the same request would be refused again. */
export function isRefusalStatus(error: unknown): boolean {
  const code = statusOf(error)?.code;
  return code !== undefined && code >= 400 && code < 500 && code !== 429;
}

/** The delay requested by the server, in milliseconds. */
export function retryAfterOf(error: unknown): number | undefined {
  const ms = walkErrorCauses(error, (candidate) => {
    const { retryAfterMs } = candidate as { retryAfterMs?: unknown };
    return typeof retryAfterMs === 'number' ? retryAfterMs : undefined;
  });
  if (ms !== undefined) return ms <= MAX_CONFIGURED_RETRY_AFTER_MS ? ms : MAX_RETRY_AFTER_MS;
  return retryAfterMsOf(statusOf(error)?.details?.retryAfterSeconds);
}

/** Default maximum of a Retry-After: a server may ask for days, by mistake or to do harm. */
export const MAX_RETRY_AFTER_MS = 60_000;
/** Maximum pause of an error that carries one itself, which may be configured. A longer one is a mistake of its source. */
const MAX_CONFIGURED_RETRY_AFTER_MS = 3_600_000;

/**
 * The delay for a Retry-After in seconds, from a header or a Status; undefined when it is absent or 0,
 * because a pause of 0 would repeat requests in a hot loop. No other code reads Retry-After.
 */
export function retryAfterMsOf(seconds: unknown, maxMs: number = MAX_RETRY_AFTER_MS): number | undefined {
  return typeof seconds === 'number' && seconds > 0 ? Math.min(seconds * 1_000, maxMs) : undefined;
}
