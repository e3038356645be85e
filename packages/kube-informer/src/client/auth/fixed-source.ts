import { concealInPrint } from '../secrets/conceal.ts';
import { basicAuthorizationHeader, bearerAuthorizationHeader } from './authorization-header.ts';
import type { Credentials, CredentialSource } from './credentials.ts';

/** A source that sends no credentials, for a server without authentication, such as `kubectl proxy`. */
export function fixedSourceOfNothing(): CredentialSource {
  return fixedSource('none', {});
}

/** A source that sends no credentials, because the client certificate belongs to the connection (see TlsSource). */
export function fixedSourceOfCertificate(): CredentialSource {
  return fixedSource('client certificate', {});
}

/**
 * A source of one fixed token; `where` names it in errors. Throws INVALID_CONFIG when it cannot be sent in a
 * header.
 */
export function fixedSourceOfToken(token: string, where: string): CredentialSource {
  return fixedSource('token', bearerAuthorizationHeader(token, where));
}

export function fixedSourceOfPassword(username: string, password: string, where: string): CredentialSource {
  return fixedSource('basic', basicAuthorizationHeader(username, password, where));
}

function fixedSource(kind: string, credentials: Credentials): CredentialSource {
  const source: CredentialSource = {
    kind,
    current: () => Promise.resolve(credentials),
    rejected: () => false,
  };
  concealInPrint(source, () => ({ kind }));
  return source;
}
