import { findCause, KubeError, messageOf } from '../../core/errors.ts';
import { adviceOn } from './transport-advice.ts';

/**
 * Reasons a transport gives by itself, beside those of the system (`ECONNREFUSED`, `ERR_TLS_…`). All are codes of the
 * error in `cause`, so that one look at `cause.code` tells the two kinds apart from nothing else.
 */
export type TransportReason =
  | 'ERR_CONNECT_TIMEOUT' // no connection: TCP, proxy, TLS and the server's first words together took too long
  | 'ERR_HEADERS_TIMEOUT' // connected, asked, no status and headers
  | 'ERR_SILENT' // the body stopped: no byte for too long while somebody was waiting for one
  | 'ERR_PING_TIMEOUT' // HTTP/2: a ping was not answered
  | 'ERR_STREAM_PREMATURE_CLOSE' // the connection or the stream ended before the declared end of the body
  | 'ERR_BODY_TOO_LARGE' // more bytes than allowed, after decompression
  | 'ERR_HTTP2_STREAM_REFUSED' // the server says it has not looked at the request
  | 'ERR_HTTP2_NO_STREAMS' // the server allows no stream at all
  | 'ERR_PROXY' // the proxy said no
  | 'ERR_ADDRESS_REFUSED' // an untrusted configuration led to an address that is not public
  | 'ERR_CERTIFICATE_CHANGED' // the client certificate was rotated; everything is connected anew
  | 'ERR_REDIRECT_HIDDEN' // a browser met a redirect and does not show it
  | 'ERR_TRANSPORT_CLOSED';

/** Says so on the error itself: it survives two copies of this package and a walk along causes. */
const NOT_SENT: unique symbol = Symbol.for('kube-informer.request-not-sent');

/** An error of our own with a code, to be the `cause` of a TRANSPORT error. */
export function because(code: TransportReason, message: string): Error & { readonly code: TransportReason } {
  return Object.assign(new Error(message), { code });
}

interface FailureOptions {
  /** The server cannot have seen the request. */
  readonly notSent?: boolean;
  /** The connection had no TLS, and no answer came on it yet. */
  readonly plain?: boolean;
}

/** `what` happened to which request, and why; for well-known reasons also what to do about it. */
export function transportError(what: string, cause: unknown, options: FailureOptions = {}): KubeError {
  const why = explain(cause);
  const advice = adviceOn(reasonOf(cause), why, options.plain === true);
  const error = new KubeError('TRANSPORT', `${what}: ${why}${advice === undefined ? '' : `; ${advice}`}`, { cause });
  if (options.notSent === true) Object.defineProperty(error, NOT_SENT, { value: true });
  return error;
}

/** True when the server cannot have seen the request, so that even a write may be sent again. */
export function wasNotSent(error: unknown): boolean {
  return findCause(error, (candidate) => NOT_SENT in candidate) !== undefined;
}

/** The `code` of the first error in the chain that has one of the system or of `TransportReason`. */
export function reasonOf(error: unknown): string | undefined {
  const found = findCause(error, (candidate) => {
    const { code } = candidate as { code?: unknown };
    return typeof code === 'string' && code !== 'TRANSPORT';
  });
  return (found as { code: string } | undefined)?.code;
}

/** OpenSSL's own names for "I do not trust this certificate", which carry no prefix. */
const DISTRUST =
  /^(CERT_|CRL_|ERR_TLS_CERT|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_CA$|INVALID_PURPOSE$|HOSTNAME_MISMATCH$)/;

/** The server's certificate was not accepted. Trying again helps only after somebody changed something. */
export function isTrustFailure(error: unknown): boolean {
  return DISTRUST.test(reasonOf(error) ?? '');
}

/** Several addresses tried in vain make an AggregateError with an empty message; its parts say what happened. */
function explain(cause: unknown): string {
  if (cause instanceof AggregateError && cause.message === '') return cause.errors.map(messageOf).join('; ');
  return messageOf(cause);
}
