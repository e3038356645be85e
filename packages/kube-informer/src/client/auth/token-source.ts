import { defined } from '../../core/defined.ts';
import type { Env } from '../../core/env.ts';
import { KubeError } from '../../core/errors.ts';
import { printAs } from '../secrets/conceal.ts';
import type { Credentials, CredentialSource } from './credentials.ts';
import { basic, bearer, isToken } from './header-value.ts';
import { RenewingSource } from './renewing-source.ts';

/** How long a token read from a file is used before the file is looked at again; ten seconds earlier, in fact. */
const FILE_AGE_MS = 60_000;

/** Nothing to send: an open server, or one that `kubectl proxy` speaks to for us. */
export function noCredentials(): CredentialSource {
  return fixed('none', {});
}

/** The certificate belongs to the connection (see TlsSource); a request has nothing to add. */
export function certificateCredentials(): CredentialSource {
  return fixed('client certificate', {});
}

/** `where` names the token in errors. Throws INVALID_CONFIG when it cannot be a header. */
export function staticToken(token: string, where: string): CredentialSource {
  return fixed('token', bearer(token, where));
}

export function basicCredentials(username: string, password: string, where: string): CredentialSource {
  return fixed('basic', basic(username, password, where));
}

export interface TokenFileOptions {
  /** For people. */
  readonly path: string;
  /** The file's content. Rejects when it cannot be read. */
  readonly read: () => Promise<string>;
  /** Used until the file gives a token. */
  readonly fallback?: string;
  readonly env?: Env;
}

/**
 * A token in a file that somebody else rotates, such as a pod's service account token.
 *
 * Promises: read again after at most a minute and after a 401; a file that is missing, empty, cut off or no token at
 * all never replaces a good one. White space and a byte order mark around the token do not matter.
 */
export function tokenFile(options: TokenFileOptions): CredentialSource {
  const { path, read, fallback, env } = options;
  const spare = fallback === undefined ? undefined : bearer(fallback, 'token');
  let wasRead = false;
  return new RenewingSource({
    kind: 'token file',
    keepLastGood: true,
    maxAgeMs: FILE_AGE_MS,
    leastAgeMs: 0,
    ...defined({ env }),
    async renew() {
      try {
        const credentials = bearer(usable((await read()).trim(), path), `token file ${path}`, 'CREDENTIALS');
        wasRead = true;
        return { credentials };
      } catch (error) {
        // The file's last good token is worth more than the fixed one, which is there for when there was none.
        if (spare === undefined || wasRead) throw error;
        return { credentials: spare };
      }
    },
  });
}

function usable(token: string, path: string): string {
  if (token === '') throw new KubeError('CREDENTIALS', `token file ${path}: the file is empty`);
  // A file that is being written: the signature, or what comes before it, is not there yet.
  const parts = token.startsWith('eyJ') ? token.split('.') : undefined;
  const isCut =
    parts !== undefined && ((parts.length !== 3 && parts.length !== 5) || parts.includes('', parts.length - 1));
  if (isCut || !isToken(token))
    throw new KubeError('CREDENTIALS', `token file ${path}: the file holds no complete token`);
  return token;
}

function fixed(kind: string, credentials: Credentials): CredentialSource {
  const source: CredentialSource = {
    kind,
    current: () => Promise.resolve(credentials),
    rejected: () => false,
  };
  printAs(source, () => ({ kind }));
  return source;
}
