import { KubeError } from '../../core/errors.ts';
import type { Impersonation } from '../config/connection-plan.ts';
import type { Credentials } from '../auth/credentials.ts';
import { checkedImpersonation } from '../auth/authorization-header.ts';
import { rememberSecret } from '../secrets/redact.ts';

export type Headers = Record<string, string | readonly string[]>;

/** What describes the message on the wire is the transport's business; a wrong one would let requests run together. */
const OF_THE_TRANSPORT: ReadonlySet<string> = new Set([
  'connection', 'content-length', 'expect', 'host', 'keep-alive', 'proxy-authorization', 'proxy-connection', 'te', 'trailer',
  'transfer-encoding', 'upgrade',
]); // prettier-ignore

/** Headers that carry secrets. A server may echo what it was sent, and its words get into errors. */
const TELLING = /auth|token|secret|passw|credential|cookie|api-?key/;

/** Headers a caller adds, names in lower case. Throws INVALID_OPTION. */
export function checkedHeaders(headers: Readonly<Record<string, string>>): Headers {
  const checked: Headers = {};
  for (const [given, value] of Object.entries(headers)) {
    const name = given.toLowerCase();
    const shown = JSON.stringify(given.slice(0, 80));
    if (!/^[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(name)) throw new KubeError('INVALID_OPTION', `header ${shown}: not a name`);
    if (OF_THE_TRANSPORT.has(name)) throw new KubeError('INVALID_OPTION', `header ${shown}: set by the transport only`);
    // Not printed: it may be a token.
    if (typeof value !== 'string' || /[^\t\u0020-\u007e]/.test(value))
      throw new KubeError('INVALID_OPTION', `header ${shown}: expected a text of visible ASCII characters`);
    if (TELLING.test(name)) remember(value);
    checked[name] = value;
  }
  return checked;
}

/** The value, and without the scheme or the name before it: `Bearer x`, `session=x; theme=y`. */
function remember(value: string): void {
  rememberSecret(value);
  for (const part of value.split(/;\s*/)) {
    const secret = part.replace(/^(?:[\w-]+ +|[^\s=]+=(?=.))/, '');
    rememberSecret(secret);
    if (/^basic /i.test(part)) rememberSecret(passwordIn(secret));
  }
}

function passwordIn(packed: string): string | undefined {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(packed), (char) => char.charCodeAt(0))).replace(/^[^:]*:/, '');
  } catch {
    return undefined; // no base64, so there is none
  }
}

/** Whom the requests speak for. Throws INVALID_CONFIG when a part cannot be a header. */
export function impersonationHeaders(who: Impersonation | undefined): Headers {
  if (who === undefined) return {};
  const { user, uid, groups = [], extra = {} } = checkedImpersonation(who, 'impersonate');
  const headers: Headers = { 'impersonate-user': user };
  if (uid !== undefined) headers['impersonate-uid'] = uid;
  if (groups.length > 0) headers['impersonate-group'] = groups;
  for (const [name, values] of Object.entries(extra)) {
    if (values.length > 0) headers[`impersonate-extra-${headerName(name)}`] = values;
  }
  return headers;
}

/** Percent-encoded where a header's name needs it; the server reads names without case. */
function headerName(name: string): string {
  const encoded = encodeURIComponent(name).replaceAll(/[()]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
  return encoded.toLowerCase();
}

export function authorizationHeader({ authorization }: Credentials): Headers {
  if (authorization === undefined) return {};
  if (/^[\u0020-\u007e]+$/.test(authorization)) return { authorization };
  throw new KubeError('CREDENTIALS', 'the credentials hold a character that cannot be sent in a header');
}
