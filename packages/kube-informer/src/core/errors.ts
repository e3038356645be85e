/** Names a caller may compare with. Adding one is a minor release, changing one a major. */
export type ErrorCode =
  | 'API_STATUS' // the server answered with a failure; see `status`
  | 'API_WARNING' // the server did what it was asked and warned, and the caller wanted warnings to be failures
  | 'TRANSPORT' // the server could not be reached or the connection broke
  | 'WATCH_DECODE' // a watch delivered something that is not an event
  | 'WATCH_ENDED' // a watch ended in a way that needs a pause: too short, silent, past its deadline
  | 'WATCH_LIST' // a streaming list did not complete
  | 'LIST_INVALID' // a list answered with something that is not a list of the expected objects
  | 'STALE_SERVER' // the server answered with an older state than the one already seen
  | 'CONTINUITY_LOST' // what follows on the watch does not build on what is cached: list again
  | 'SYNC_FAILED' // waiting for a complete cache ended without one
  | 'STALE_CACHE' // a read asked for a fresher cache than there is
  | 'INVALID_KEY' // an object has no usable name
  | 'INDEX_FAILED' // an index function threw, or returned something that is no index value
  | 'TRANSFORM_FAILED' // the user's transform threw or changed the object's key
  | 'QUEUE_CLOSED' // the queue was closed and has nothing left
  | 'NOT_FOUND' // a lister has no such object
  | 'CACHE_MUTATED' // user code changed an object that belongs to the cache
  | 'INVALID_CONFIG' // a kubeconfig, a service account or the environment does not say how to reach a cluster
  | 'CREDENTIALS' // a token, a certificate or a credential plugin gave nothing that can be used
  | 'INVALID_OPTION'
  | 'ILLEGAL_STATE'
  | 'ABORTED';

/** One reason behind a Status, machine-readable. */
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
  /** What a `Retry-After` header or Status asked for. */
  readonly retryAfterMs?: number;
}

/**
 * The only error class this project throws.
 *
 * Match on `code`, or better with the predicates of `status.ts`: both survive two
 * copies of this package in one process, which `instanceof` does not. What went
 * wrong underneath is always in `cause`.
 */
export class KubeError extends Error {
  override readonly name = 'KubeError';
  readonly code: ErrorCode;
  /** The server's own answer, when there was one. */
  readonly status: Status | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, message: string, options: KubeErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** Throws INVALID_OPTION unless `ok`. Messages say what was expected and what came. */
export function requireOption(ok: boolean, name: string, expected: string, got: unknown): void {
  if (!ok) throw new KubeError('INVALID_OPTION', `option ${name}: expected ${expected}, got ${printable(got)}`);
}

/** The error with `code`, if `error` or something in its chain of causes has it. */
export function findCause(error: unknown, matches: (candidate: object) => boolean): object | undefined {
  // A chain of causes is short; the bound only guards against a cycle.
  for (let at = error, depth = 0; typeof at === 'object' && at !== null && depth < 16; depth += 1) {
    if (matches(at)) return at;
    at = (at as { cause?: unknown }).cause;
  }
  return undefined;
}

export function hasCode(error: unknown, code: ErrorCode): boolean {
  return findCause(error, (candidate) => (candidate as { code?: unknown }).code === code) !== undefined;
}

/** One line about anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : printable(error);
}

/** The error to hand on when a signal ended the work. */
export function abortError(signal: AbortSignal, what: string): KubeError {
  return new KubeError('ABORTED', `${what} was aborted`, { cause: signal.reason });
}

function printable(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object';
  return String(value);
}
