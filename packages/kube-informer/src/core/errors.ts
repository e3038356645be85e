import { boundedText, redactedQuote, safeText } from './redact.ts';
import { safeErrorCause } from './safe-error.ts';
import { safeStatus } from './safe-status.ts';

/** Codes that callers may compare with. Adding one is a minor release, changing one a major. */
export type ErrorCode =
  | 'API_STATUS' // the server responded with a failure; see `status`
  | 'API_WARNING' // the request succeeded with a warning, and the caller treats warnings as failures
  | 'TRANSPORT' // the server could not be reached or the connection broke
  | 'WATCH_DECODE' // a watch delivered something that is not an event
  | 'WATCH_ENDED' // a watch was too short, silent or past its deadline; the next one waits
  | 'WATCH_BUFFERED' // watches are held back on the path to the server; changes are polled
  | 'WATCH_DEAF' // a watch withheld events that the server sent to another watch
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
  | 'LEASE_LOST' // the process no longer leads, so a controller may not write
  | 'RUN_ABORTED' // a run of a controller was aborted, so it may not write
  | 'NOT_FRESH' // the caches do not have what an earlier run wrote
  | 'OWNER_INVALID' // an object cannot be owned by the given one
  | 'TERMINAL' // a run failed in a way that a retry cannot repair
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
  /** `Failure`; `Success` in the response to a delete. */
  readonly status?: string;
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

/** Codes whose cause is an error of the user's own code: the user gets back what was thrown. */
const CAUSED_BY_USER: ReadonlySet<ErrorCode> = new Set([
  'TRANSFORM_FAILED',
  'INDEX_FAILED',
  'INVALID_KEY',
  'TERMINAL',
  'ABORTED',
]);

/**
 * The only error class this project throws, and the only way text from outside gets into an error.
 *
 * Message, Status and cause are redacted and bounded here, for every error: without credentials, without
 * content of a Secret, without bytes of a response (`redact.ts`, `safe-status.ts`, `safe-error.ts`).
 *
 * Match on `code`, or better with predicates such as `isNotFound`: both work with two copies of this package
 * in one process, `instanceof` does not. The underlying error is always in `cause`.
 */
export class KubeError extends Error {
  override readonly name = 'KubeError';
  readonly code: ErrorCode;
  /** The server's Status, if it sent one. */
  readonly status: Status | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, message: string, options: KubeErrorOptions = {}) {
    const { cause, status } = options;
    const shown = CAUSED_BY_USER.has(code) ? cause : safeErrorCause(cause);
    super(safeText(message, MAX_OWN_MESSAGE), 'cause' in options ? { cause: shown } : undefined);
    this.code = code;
    this.status = status === undefined ? undefined : safeStatus(status);
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** Like `instanceof`, but safe for anything that was thrown: a Proxy may throw. */
export function isKubeError(error: unknown): error is KubeError {
  try {
    return error instanceof KubeError;
  } catch {
    return false;
  }
}

/** Throws INVALID_OPTION with the expected and the given value unless `ok`. */
export function requireOption(ok: boolean, name: string, expected: string, got: unknown): void {
  if (!ok)
    throw new KubeError('INVALID_OPTION', `option ${name}: expected ${expected}, got ${printableErrorValue(got)}`);
}

/** Maximum length of the chain of causes that is searched. A real one is short; this only ends a cycle. */
const MAX_CAUSES = 16;
/** Maximum length of a message of our own: it may quote several others. */
const MAX_OWN_MESSAGE = 16_384;
/** Maximum length of a message that is quoted in another message, a log line or a health report. */
const MAX_MESSAGE = 4_096;
/** Maximum length of a value that is quoted in a message. */
const MAX_VALUE = 80;

/**
 * The first result of `read` that is not undefined, for `error` and its chain of causes. A value that
 * cannot be read (a getter or a Proxy that throws) ends the search: whatever was thrown, asking about it never throws.
 */
export function walkErrorCauses<V>(error: unknown, read: (candidate: object) => V | undefined): V | undefined {
  try {
    for (let at = error, depth = 0; typeof at === 'object' && at !== null && depth < MAX_CAUSES; depth += 1) {
      const found = read(at);
      if (found !== undefined) return found;
      at = (at as { cause?: unknown }).cause;
    }
  } catch {
    // Unreadable, so it is not an error that callers look for.
  }
  return undefined;
}

/** The first of `error` and its chain of causes that matches. */
export function errorCauseOf(error: unknown, matches: (candidate: object) => boolean): object | undefined {
  return walkErrorCauses(error, (candidate) => (matches(candidate) ? candidate : undefined));
}

export function hasCode(error: unknown, code: ErrorCode): boolean {
  return errorCauseOf(error, (candidate) => (candidate as { code?: unknown }).code === code) !== undefined;
}

/** The message of any thrown value, redacted and of bounded length. Never throws, whatever was thrown. */
export function errorMessageOf(error: unknown): string {
  try {
    // Errors of another realm, or of some libraries, are not instances of Error.
    const { message } = (error ?? {}) as { message?: unknown };
    // Our own messages were made safe when they were created.
    if (typeof message === 'string' && message !== '')
      return isKubeError(error) ? boundedText(message, MAX_MESSAGE) : redactedQuote(message, MAX_MESSAGE);
    if (error instanceof Error) return `${printableErrorName(error)} without a message`;
  } catch {
    return UNPRINTABLE;
  }
  return printableErrorValue(error);
}

/** Where an error was made: the frames of its stack, redacted and of bounded length. Undefined when it has none. Never throws. */
export function errorStackOf(error: unknown): string | undefined {
  try {
    const { stack } = (error ?? {}) as { stack?: unknown };
    // The lines before the frames are the message.
    const frames = typeof stack === 'string' ? stack.indexOf('\n    at ') : -1;
    return frames === -1 ? undefined : redactedQuote((stack as string).slice(frames + 1), MAX_MESSAGE);
  } catch {
    return undefined; // a getter or a Proxy that throws
  }
}

/** The error for work that a signal aborted. */
export function abortError(signal: AbortSignal, what: string): KubeError {
  return new KubeError('ABORTED', `${what} was aborted`, { cause: signal.reason });
}

/** A value in a few words: the contents of an object may be large, or secret. Never throws. */
function printableErrorValue(value: unknown): string {
  try {
    if (typeof value === 'function') return 'a function';
    if (typeof value === 'string') return JSON.stringify(boundedText(value, MAX_VALUE));
    if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object';
    return boundedText(String(value), MAX_VALUE);
  } catch {
    return UNPRINTABLE;
  }
}

const UNPRINTABLE = 'an unprintable value';

function printableErrorName({ name }: { readonly name?: unknown }): string {
  return typeof name === 'string' && name !== '' ? boundedText(name, MAX_VALUE) : 'an error';
}
