const UNSIGNED =
  "the server's certificate is signed by a ca that is not trusted here: set or correct certificate-authority-data";
const NO_TLS = 'the server does not speak TLS on this port: check the port, or whether the address is an http:// one';
const DATE = "renew the server's certificate, or check the clock of this machine";
const NAME = 'use a name the certificate is for as the address, or as tls-server-name';

const BY_CODE: ReadonlyMap<string, string> = new Map([
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', UNSIGNED],
  ['UNABLE_TO_GET_ISSUER_CERT', UNSIGNED],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', UNSIGNED],
  ['SELF_SIGNED_CERT_IN_CHAIN', UNSIGNED],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', UNSIGNED],
  ['CERT_SIGNATURE_FAILURE', UNSIGNED],
  ['CERT_HAS_EXPIRED', DATE],
  ['CERT_NOT_YET_VALID', DATE],
  ['ERR_TLS_CERT_ALTNAME_INVALID', NAME],
  ['HOSTNAME_MISMATCH', NAME],
  ['ERR_SSL_WRONG_VERSION_NUMBER', NO_TLS],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', NO_TLS],
  ['ENOTFOUND', 'the host name does not exist: check the address of the server, and DNS'],
  ['ECONNREFUSED', 'nothing listens there: check address and port, and whether the server runs'],
]);

/** GOAWAY and RST_STREAM with ENHANCE_YOUR_CALM; Node has the code only in the message. */
const CALM = /error code (?:11|NGHTTP2_ENHANCE_YOUR_CALM)$/;
/** How a TLS server reacts to plain HTTP: it closes the connection, or sends an alert that is not HTTP. */
const NOT_HTTP: ReadonlySet<string> = new Set(['ECONNRESET', 'HPE_INVALID_CONSTANT']);

/**
 * Advice on a failure to connect, in half a sentence; undefined when the failure is clear or has too many possible
 * causes. `plain`: the connection had no TLS, and no response has come on it yet.
 */
export function adviceOnTransport(code: string | undefined, message: string, plain: boolean): string | undefined {
  if (CALM.test(message)) return 'too many requests or pings for this server: set rateLimit, or a longer pingAfterMs';
  if (plain && code !== undefined && NOT_HTTP.has(code))
    return 'if the server speaks TLS, its address must begin with https://';
  return code === undefined ? undefined : BY_CODE.get(code);
}
