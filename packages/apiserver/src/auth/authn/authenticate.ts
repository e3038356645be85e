import { type StatusError, statusError, unauthorizedStatusError } from '../../core/status-error.ts';
import type { User } from '../../core/user.ts';
import type { Action, Authorizer } from '../authz/authorize.ts';
import { withGroupOfUserTable, type UserTable } from '../user/user-table.ts';
import { clientCertificateUser, type PeerCertificate } from './client-certificate.ts';
import { impersonate, whomToImpersonate } from './impersonate.ts';

/** Credentials of a request. */
export interface Credentials {
  readonly authorization?: string | undefined;
  /** The `Host` header, or `:authority`. */
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
  readonly peerCertificate?: PeerCertificate | undefined;
  /** Name and value in turns, as Node's `rawHeaders`; only the `Impersonate-` ones are read. */
  readonly rawHeaders?: readonly string[];
  /** The requested action, named in the refusal of an impersonation. */
  readonly action?: Action;
}

export interface AuthenticatorOptions {
  readonly users: UserTable;
  /** Decides whether an impersonation is allowed. */
  readonly authorizer: Authorizer;
  /** The user of requests without credentials. @default none: they get 401 */
  readonly anonymous?: User | undefined;
}

/**
 * Finds the user of a request. Throws 401 for an unknown user, and 400 or 403 for an impersonation that is
 * not possible.
 */
export type Authenticator = (credentials: Credentials) => User;

/**
 * Finds the user of a request: by client certificate, by bearer token, or the anonymous user.
 *
 * One valid credential is enough. An invalid one (an unknown token, a certificate of another authority)
 * without a valid one is always refused, even if anonymous requests are allowed: its sender does not expect
 * to be anonymous.
 */
export function authenticator({ users, authorizer, anonymous }: AuthenticatorOptions): Authenticator {
  return ({ authorization, peerCertificate, rawHeaders = [], action }) => {
    const token = bearerTokenToAuthenticate(authorization);
    const shown =
      (peerCertificate === undefined ? undefined : clientCertificateUser(peerCertificate)) ??
      (token === undefined ? undefined : users.userOf(token));
    const hasShownNothing = peerCertificate === undefined && token === undefined;
    const user = shown === undefined ? (hasShownNothing ? anonymous : undefined) : withGroupOfUserTable(shown);
    if (user === undefined) throw unauthorizedStatusError();
    const wanted = whomToImpersonate(rawHeaders);
    return wanted === undefined ? user : impersonate(user, wanted, authorizer, action);
  };
}

/** Host names of the loopback. */
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

/**
 * Treats every request as one of `user`, whatever its credentials. For servers that only their own machine
 * can reach.
 *
 * Every web page in a browser of that machine can reach them too, so two headers that a page cannot change
 * are checked: `Host` must be a name of the loopback, which prevents DNS rebinding, and `Origin`, if there is
 * one, must be the server itself. Throws 403.
 */
export function openAuthenticator(user: User, authorizer: Authorizer): Authenticator {
  const everybody = withGroupOfUserTable(user);
  return ({ rawHeaders = [], action, host = '', origin }) => {
    if (!LOOPBACK.has(host.replace(/:\d{1,5}$/, '').toLowerCase()))
      throw foreignPageNotAuthenticated('the Host header must be 127.0.0.1, localhost or [::1]');
    if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`)
      throw foreignPageNotAuthenticated('requests from pages of other origins are not served');
    const wanted = whomToImpersonate(rawHeaders);
    return wanted === undefined ? everybody : impersonate(everybody, wanted, authorizer, action);
  };
}

const foreignPageNotAuthenticated = (why: string): StatusError => statusError(403, 'Forbidden', why);

/**
 * The bearer token of a header; undefined if the header is missing, of another scheme, or without a token:
 * that counts as no credentials.
 */
function bearerTokenToAuthenticate(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  const [scheme = '', token = ''] = authorization.trim().split(' ', 2);
  return scheme.toLowerCase() === 'bearer' && token !== '' ? token : undefined;
}
