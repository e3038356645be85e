import { KubeError } from '../../core/errors.ts';
import type { Impersonation } from '../config/connection-plan.ts';
import type { Credentials } from '../auth/credentials.ts';
import { checkedImpersonationHeader } from '../auth/authorization-header.ts';
import { rememberCredentialHeaders } from '../auth/remembered-credentials.ts';
import type { KnownSecrets } from '../../core/known-secrets.ts';

export type Headers = Record<string, string | readonly string[]>;

/** Headers only the transport may set; a wrong one could smuggle in a second request. */
const TRANSPORT_HEADERS: ReadonlySet<string> = new Set([
  'connection', 'content-length', 'expect', 'host', 'keep-alive', 'proxy-authorization', 'proxy-connection', 'te', 'trailer',
  'transfer-encoding', 'upgrade',
]); // prettier-ignore

/** Names of headers that carry secrets. Their values are redacted: a server may echo them in an error message. */
const SECRET_HEADER = /auth|token|secret|passw|credential|cookie|api-?key/;

/** The headers of a caller, with names in lower case; those that carry secrets are remembered. Throws INVALID_OPTION. */
export function checkedHeaders(headers: Readonly<Record<string, string>>, secrets: KnownSecrets): Headers {
  const checked: Headers = {};
  for (const [given, value] of Object.entries(headers)) {
    const name = given.toLowerCase();
    const shown = JSON.stringify(given.slice(0, 80));
    if (!/^[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(name))
      throw new KubeError('INVALID_OPTION', `header ${shown}: not a valid header name`);
    if (TRANSPORT_HEADERS.has(name))
      throw new KubeError('INVALID_OPTION', `header ${shown}: set by the transport only`);
    // The value is not printed: it may be a token.
    if (typeof value !== 'string' || /[^\t\u0020-\u007e]/.test(value))
      throw new KubeError('INVALID_OPTION', `header ${shown}: expected a text of visible ASCII characters`);
    if (SECRET_HEADER.test(name)) rememberCredentialHeaders(value, secrets);
    checked[name] = value;
  }
  return checked;
}

/** The headers that impersonate a user. Throws INVALID_CONFIG when a part cannot be a header. */
export function impersonationHeaders(who: Impersonation | undefined): Headers {
  if (who === undefined) return {};
  const { user, uid, groups = [], extra = {} } = checkedImpersonationHeader(who, 'impersonate');
  const headers: Headers = { 'impersonate-user': user };
  if (uid !== undefined) headers['impersonate-uid'] = uid;
  if (groups.length > 0) headers['impersonate-group'] = groups;
  for (const [name, values] of Object.entries(extra)) {
    if (values.length > 0) headers[`impersonate-extra-${extraRequestHeader(name)}`] = values;
  }
  return headers;
}

/** Percent-encodes the characters a header name cannot hold; the server ignores case. */
function extraRequestHeader(name: string): string {
  const encoded = encodeURIComponent(name).replaceAll(/[()]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
  return encoded.toLowerCase();
}

/**
 * The Authorization header. Remembers its value for redaction, because a source of the user may not have.
 * Throws CREDENTIALS when it cannot be a header.
 */
export function authorizationHeader({ authorization }: Credentials, secrets: KnownSecrets): Headers {
  if (authorization === undefined) return {};
  rememberCredentialHeaders(authorization, secrets);
  if (/^[\u0020-\u007e]+$/.test(authorization)) return { authorization };
  throw new KubeError('CREDENTIALS', 'the credentials hold a character that cannot be sent in a header');
}
