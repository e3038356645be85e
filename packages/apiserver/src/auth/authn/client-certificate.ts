import type { TLSSocket } from 'node:tls';
import type { User } from '../../core/user.ts';

/** The client certificate of a TLS handshake. */
export interface PeerCertificate {
  /** Whether it is signed by our authority, for clients, and valid now. */
  readonly trusted: boolean;
  readonly name: string;
  readonly groups: readonly string[];
  /** SHA-256 of the certificate, lower-case hexadecimal. */
  readonly fingerprint: string;
}

/**
 * Reads the client certificate of a handshake; undefined if the client sent none. The listener must request
 * one without requiring it (`requestCert: true, rejectUnauthorized: false`), because most clients have none.
 *
 * A certificate cannot change during a connection: ask once per socket, not per request.
 */
export function peerClientCertificate(socket: TLSSocket): PeerCertificate | undefined {
  // Typed as always present, but it is an empty object without a certificate and null after the socket has closed.
  const shown = socket.getPeerCertificate() as Partial<ReturnType<TLSSocket['getPeerCertificate']>> | null;
  if (shown?.subject === undefined) return undefined;
  const { CN, O } = shown.subject as { CN?: string | string[]; O?: string | string[] };
  return {
    trusted: socket.authorized,
    name: clientCertificateValues(CN).at(-1) ?? '',
    groups: clientCertificateValues(O),
    fingerprint: (shown.fingerprint256 ?? '').replaceAll(':', '').toLowerCase(),
  };
}

/** The user that a certificate identifies; undefined for a certificate without a name. */
export function clientCertificateUser({ trusted, name, groups, fingerprint }: PeerCertificate): User | undefined {
  if (!trusted || name === '') return undefined;
  return { name, groups, extra: { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${fingerprint}`] } };
}

/** Values of a name in a certificate: Node returns one as text and several as an array. */
const clientCertificateValues = (values: string | string[] | undefined): string[] =>
  values === undefined ? [] : Array.isArray(values) ? values : [values];
