import { findCause, hasCode } from '../../core/errors.ts';
import { isServerFailure, isTooManyRequests, retryAfterOf } from '../../core/status.ts';
import { reasonOf, wasNotSent } from '../transport/transport-failure.ts';

/** Retries of one call, whatever the reasons. */
const MOST_RETRIES = 10;
/** Attempts at a read that a server answers with 5xx and no Retry-After. */
const MOST_SERVER_FAILURES = 3;
/** Attempts at a server that cannot be reached: a mistyped address must not take minutes to be told. */
const MOST_UNREACHABLE = 4;
const RECONNECT_MS = 1_000;
const FIRST_BACKOFF_MS = 1_000;
const MOST_BACKOFF_MS = 30_000;

/** A connection that broke, or was ended, under the request. */
const BROKEN: ReadonlySet<string> = new Set([
  'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'UND_ERR_SOCKET', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED', 'ERR_PING_TIMEOUT',
  'ERR_CERTIFICATE_CHANGED', 'ERR_HTTP2_STREAM_REFUSED', 'ERR_HTTP2_STREAM_ERROR', 'ERR_HTTP2_STREAM_CANCEL', 'ERR_HTTP2_SESSION_ERROR',
  'ERR_HTTP2_GOAWAY_SESSION', 'ERR_HTTP2_INVALID_SESSION', 'ERR_HTTP2_INVALID_STREAM',
]); // prettier-ignore

/** No connection, no name, or no answer in time. */
const UNREACHABLE: ReadonlySet<string> = new Set([
  'ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN', 'ETIMEDOUT', 'ERR_CONNECT_TIMEOUT',
  'ERR_HEADERS_TIMEOUT', 'ERR_SILENT', 'ERR_HTTP2_NO_STREAMS', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT',
]); // prettier-ignore

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * How long to wait before trying again; undefined when there is no second try.
 *
 * | what happened                      | who is tried again                     | wait         |
 * | ---------------------------------- | -------------------------------------- | ------------ |
 * | 429 or 5xx with Retry-After        | everything                             | as asked     |
 * | 429                                | reads                                  | backoff      |
 * | 5xx                                | reads, 3 attempts                      | backoff      |
 * | the connection broke               | reads; writes the server has not seen  | 1 s          |
 * | refused, no such name, no answer   | reads, 4 attempts                      | backoff      |
 * | no trust, any other answer or fault| nothing                                |              |
 *
 * Backoff: up to 1 s, 2 s, 4 s … 30 s, full jitter. `failures` counts this one.
 */
export function pauseBefore(
  method: string,
  error: unknown,
  failures: number,
  random: () => number,
): number | undefined {
  if (failures > MOST_RETRIES) return undefined;
  const isRead = READS.has(method);
  const backoff = (): number => random() * Math.min(FIRST_BACKOFF_MS * 2 ** (failures - 1), MOST_BACKOFF_MS);
  const isBusy = isTooManyRequests(error);
  if (isBusy || isServerFailure(error)) {
    const asked = retryAfterOf(error);
    if (asked !== undefined) return asked;
    return isRead && (isBusy || failures < MOST_SERVER_FAILURES) ? backoff() : undefined;
  }
  if (!hasCode(error, 'TRANSPORT')) return undefined;
  const reason = reasonOf(error);
  if (isCut(error) || (reason !== undefined && BROKEN.has(reason))) {
    const isUnseen = wasNotSent(error) || reason === 'ERR_HTTP2_STREAM_REFUSED';
    return isRead || isUnseen ? RECONNECT_MS : undefined;
  }
  // A browser does not say what went wrong; most often nobody could be reached.
  const isUnreachable = reason === undefined || UNREACHABLE.has(reason);
  return isRead && isUnreachable && failures < MOST_UNREACHABLE ? backoff() : undefined;
}

/** The body ended before what it was the body of: the decoders say it as everybody else does. */
function isCut(error: unknown): boolean {
  return (
    findCause(error, (candidate) => (candidate as { message?: unknown }).message === 'unexpected EOF') !== undefined
  );
}
