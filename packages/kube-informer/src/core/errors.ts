/** Codes that callers may compare with. Adding one is a minor release, changing one a major. */
export type ErrorCode =
  | 'API_STATUS' // the server responded with a failure; see `status`
  | 'API_WARNING' // the request succeeded with a warning, and the caller treats warnings as failures
  | 'TRANSPORT' // the server could not be reached or the connection broke
  | 'WATCH_DECODE' // a watch delivered something that is not an event
  | 'WATCH_ENDED' // a watch was too short, silent or past its deadline; the next one waits
  | 'WATCH_LIST' // a streaming list did not complete
  | 'LIST_INVALID' // the response to a list is not a list of the expected objects
  | 'STALE_SERVER' // the server returned an older state than one seen before
  | 'CONTINUITY_LOST' // the watch cannot continue from the cached state; a relist follows
  | 'SYNC_FAILED' // the cache was not complete in time, or the informer stopped
  | 'STALE_CACHE' // the cache is older than a read requires
  | 'INVALID_KEY' // an object has no usable name
  | 'INDEX_FAILED' // an index function threw, or did not return strings
  | 'TRANSFORM_FAILED' // the user's transform threw or changed the object's key
  | 'QUEUE_CLOSED' // the queue was closed and has nothing left
  | 'NOT_FOUND' // a lister has no such object
  | 'CACHE_MUTATED' // user code changed an object that belongs to the cache
  | 'INVALID_CONFIG' // a kubeconfig, a service account or an environment variable is missing or wrong
  | 'CREDENTIALS' // a token file, a credential plugin or an identity provider gave no usable credentials
  | 'INVALID_OPTION'
  | 'ILLEGAL_STATE'
  | 'ABORTED';

/** One machine-readable cause of a Status. */
export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** The body Kubernetes sends with a failure (`kind: Status`). */
export interface Status {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: {
    readonly name?: string;
    readonly group?: string;
    readonly kind?: string;
    readonly retryAfterSeconds?: number;
    readonly causes?: readonly StatusCause[];
  };
}

export interface KubeErrorOptions {
  readonly cause?: unknown;
  readonly status?: Status;
  /** Delay from a `Retry-After` header or a Status. */
  readonly retryAfterMs?: number;
}

/**
 * The only error class this project throws.
 *
 * Match on `code`, or better with predicates such as `isNotFound`: both work with
 * two copies of this package in one process, `instanceof` does not. The
 * underlying error is always in `cause`.
 */
export class KubeError extends Error {
  override readonly name = 'KubeError';
  readonly code: ErrorCode;
  /** The server's Status, if it sent one. */
  readonly status: Status | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, message: string, options: KubeErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** Throws INVALID_OPTION with the expected and the given value unless `ok`. */
export function requireOption(ok: boolean, name: string, expected: string, got: unknown): void {
  if (!ok)
    throw new KubeError('INVALID_OPTION', `option ${name}: expected ${expected}, got ${printableErrorValue(got)}`);
}

/** The first of `error` and its chain of causes that matches. */
export function findErrorCause(error: unknown, matches: (candidate: object) => boolean): object | undefined {
  // A chain of causes is short; the bound only guards against a cycle.
  for (let at = error, depth = 0; typeof at === 'object' && at !== null && depth < 16; depth += 1) {
    if (matches(at)) return at;
    at = (at as { cause?: unknown }).cause;
  }
  return undefined;
}

export function hasCode(error: unknown, code: ErrorCode): boolean {
  return findErrorCause(error, (candidate) => (candidate as { code?: unknown }).code === code) !== undefined;
}

/** The message of any thrown value. */
export function errorMessageOf(error: unknown): string {
  return error instanceof Error ? error.message : printableErrorValue(error);
}

/** The error for work that a signal aborted. */
export function abortError(signal: AbortSignal, what: string): KubeError {
  return new KubeError('ABORTED', `${what} was aborted`, { cause: signal.reason });
}

function printableErrorValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object';
  return String(value);
}
