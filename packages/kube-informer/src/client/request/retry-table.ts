import { errorCauseOf, hasCode } from '../../core/errors.ts';
import { isServerFailure, isTooManyRequests, retryAfterOf } from '../../core/status.ts';
import { transportFailureReason, isUnsentTransportFailure } from '../transport/transport-failure.ts';

/** Maximum number of retries of one call, for all reasons together. */
const MAX_RETRIES = 10;
/** Maximum attempts at a read that fails with 5xx and no Retry-After. */
const MAX_SERVER_FAILURES = 3;
/** Maximum attempts at a server that cannot be reached: a mistyped address must not take minutes to fail. */
const MAX_UNREACHABLE = 4;
const RECONNECT_MS = 1_000;
const FIRST_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 30_000;

/** Codes of a connection that broke or was closed during the request. */
const BROKEN: ReadonlySet<string> = new Set([
  'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'UND_ERR_SOCKET', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED', 'ERR_PING_TIMEOUT',
  'ERR_CERTIFICATE_CHANGED', 'ERR_HTTP2_STREAM_REFUSED', 'ERR_HTTP2_STREAM_ERROR', 'ERR_HTTP2_STREAM_CANCEL', 'ERR_HTTP2_SESSION_ERROR',
  'ERR_HTTP2_GOAWAY_SESSION', 'ERR_HTTP2_INVALID_SESSION', 'ERR_HTTP2_INVALID_STREAM',
]); // prettier-ignore

/** Codes of no connection, an unknown host, or no response in time. */
const UNREACHABLE: ReadonlySet<string> = new Set([
  'ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN', 'ETIMEDOUT', 'ERR_CONNECT_TIMEOUT',
  'ERR_HEADERS_TIMEOUT', 'ERR_SILENT', 'ERR_TOO_SLOW', 'ERR_HTTP2_NO_STREAMS', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT',
]); // prettier-ignore

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * The delay before the next attempt; undefined when the call is not retried.
 *
 * | failure                            | retried                                | delay        |
 * | ---------------------------------- | -------------------------------------- | ------------ |
 * | 429 with Retry-After               | everything                             | Retry-After  |
 * | 5xx with Retry-After               | reads                                  | Retry-After  |
 * | 429                                | reads                                  | backoff      |
 * | 5xx                                | reads, 3 attempts                      | backoff      |
 * | the connection broke               | reads; writes the server has not seen  | 1 s          |
 * | refused, unknown host, no response | reads, 4 attempts                      | backoff      |
 * | certificate, any other failure     | nothing                                |              |
 *
 * A write is sent again only after a failure that proves that nothing was carried out. 429 does: the server refuses before
 * it begins. A 5xx does not, with Retry-After or without: it comes from a timeout, a webhook or a proxy, often after the
 * object was stored. A repeated create would make a second object, a repeated delete would hit the successor.
 *
 * Backoff: up to 1 s, 2 s, 4 s … 30 s, full jitter. `failures` counts this one.
 */
export function retryTableDelayMs(
  method: string,
  error: unknown,
  failures: number,
  random: () => number,
): number | undefined {
  if (failures > MAX_RETRIES) return undefined;
  const isRead = READS.has(method);
  const backoff = (): number => random() * Math.min(FIRST_BACKOFF_MS * 2 ** (failures - 1), MAX_BACKOFF_MS);
  const isBusy = isTooManyRequests(error);
  if (isBusy || isServerFailure(error)) {
    if (!isRead && !isBusy) return undefined;
    const asked = retryAfterOf(error);
    if (asked !== undefined) return asked;
    return isRead && (isBusy || failures < MAX_SERVER_FAILURES) ? backoff() : undefined;
  }
  if (!hasCode(error, 'TRANSPORT')) return undefined;
  const reason = transportFailureReason(error);
  if (isTruncationInRetryTable(error) || (reason !== undefined && BROKEN.has(reason))) {
    const isUnseen = isUnsentTransportFailure(error) || reason === 'ERR_HTTP2_STREAM_REFUSED';
    return isRead || isUnseen ? RECONNECT_MS : undefined;
  }
  // Browsers hide the reason; most often the server cannot be reached.
  const isUnreachable = reason === undefined || UNREACHABLE.has(reason);
  return isRead && isUnreachable && failures < MAX_UNREACHABLE ? backoff() : undefined;
}

/** Whether the body ended too early. The decoders report that with the message `unexpected EOF`, as Go does. */
function isTruncationInRetryTable(error: unknown): boolean {
  return (
    errorCauseOf(error, (candidate) => (candidate as { message?: unknown }).message === 'unexpected EOF') !== undefined
  );
}
