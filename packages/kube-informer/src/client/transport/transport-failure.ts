import { errorCauseOf, walkErrorCauses, KubeError, errorMessageOf } from '../../core/errors.ts';
import { adviceOnTransport } from './transport-advice.ts';

/**
 * Error codes of the transports, in addition to those of the system (`ECONNREFUSED`, `ERR_TLS_…`). Both are the `code` of
 * the error in `cause`.
 */
export type TransportReason =
  | 'ERR_CONNECT_TIMEOUT' // TCP, proxy, TLS and the first HTTP/2 frame together took too long
  | 'ERR_HEADERS_TIMEOUT' // no status and headers in time
  | 'ERR_SILENT' // no byte of the body for too long while the reader waited
  | 'ERR_TOO_SLOW' // too few bytes of the body in a minute
  | 'ERR_PING_TIMEOUT' // HTTP/2: no response to a ping
  | 'ERR_STREAM_PREMATURE_CLOSE' // the connection or the stream ended before the declared end of the body
  | 'ERR_BODY_TOO_LARGE' // more bytes than allowed, after decompression
  | 'ERR_COMPRESSION_RATIO' // a few compressed bytes became very many
  | 'ERR_HTTP2_STREAM_REFUSED' // the server did not process the request
  | 'ERR_HTTP2_NO_STREAMS' // the server allows no streams
  | 'ERR_PROXY' // the proxy refused the connection
  | 'ERR_ADDRESS_REFUSED' // an untrusted configuration led to an address that is not public
  | 'ERR_CERTIFICATE_CHANGED' // the client certificate was rotated; all connections are replaced
  | 'ERR_UPGRADE' // the server switched to another protocol, which the request did not ask for
  | 'ERR_REDIRECT_HIDDEN' // a browser hides the target of a redirect
  | 'ERR_TRANSPORT_CLOSED';

/**
 * Marks errors of requests that were not sent. `Symbol.for`, so that two copies of this package recognise
 * each other's errors.
 */
const NOT_SENT: unique symbol = Symbol.for('kube-informer.request-not-sent');

/** An error with a code, for the `cause` of a TRANSPORT error. */
export function transportFailureCause(
  code: TransportReason,
  message: string,
): Error & { readonly code: TransportReason } {
  return Object.assign(new Error(message), { code });
}

interface FailureOptions {
  /** Whether the server cannot have seen the request. */
  readonly notSent?: boolean;
  /** Whether the connection had no TLS, and no response has come on it yet. */
  readonly plain?: boolean;
}

/** A TRANSPORT error: the request (`what`), the reason, and for well-known reasons advice. */
export function transportFailure(what: string, cause: unknown, options: FailureOptions = {}): KubeError {
  const why = explainTransportFailure(cause);
  const advice = adviceOnTransport(transportFailureReason(cause), why, options.plain === true);
  const error = new KubeError('TRANSPORT', `${what}: ${why}${advice === undefined ? '' : `; ${advice}`}`, { cause });
  if (options.notSent === true) Object.defineProperty(error, NOT_SENT, { value: true });
  return error;
}

/** True when the server cannot have seen the request, so that even a write may be sent again. */
export function isUnsentTransportFailure(error: unknown): boolean {
  return errorCauseOf(error, (candidate) => NOT_SENT in candidate) !== undefined;
}

/** The first `code` in the chain of causes: of the system or a `TransportReason`. */
export function transportFailureReason(error: unknown): string | undefined {
  return walkErrorCauses(error, (candidate) => {
    const { code } = candidate as { code?: unknown };
    return typeof code === 'string' && code !== 'TRANSPORT' ? code : undefined;
  });
}

/** OpenSSL's codes for a certificate that is not trusted; they have no common prefix. */
const DISTRUST =
  /^(CERT_|CRL_|ERR_TLS_CERT|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_CA$|INVALID_PURPOSE$|HOSTNAME_MISMATCH$)/;

/** True when the server's certificate was not accepted. A retry helps only after a change of certificates. */
export function isTransportTrustFailure(error: unknown): boolean {
  return DISTRUST.test(transportFailureReason(error) ?? '');
}

/** When several addresses fail, Node throws an AggregateError with an empty message; its parts have the reasons. */
function explainTransportFailure(cause: unknown): string {
  const errors = walkErrorCauses(cause, (candidate) => {
    const isEmpty = candidate === cause && candidate instanceof AggregateError && candidate.message === '';
    return isEmpty ? candidate.errors : undefined;
  });
  return errors === undefined ? errorMessageOf(cause) : errors.map(errorMessageOf).join('; ');
}
