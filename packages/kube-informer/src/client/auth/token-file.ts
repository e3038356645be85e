import { defined } from '../../core/defined.ts';
import type { Env } from '../../core/env.ts';
import { KubeError } from '../../core/errors.ts';
import type { CredentialSource } from './credentials.ts';
import { bearerAuthorizationHeader, isAuthorizationHeaderToken } from './authorization-header.ts';
import { RenewingSource } from './renewing-source.ts';

/** The file is reread at the latest after this time (RenewingSource rereads it ten seconds earlier). */
const FILE_AGE_MS = 60_000;

export interface TokenFileOptions {
  /** Path of the file, for messages. */
  readonly path: string;
  /** Reads the file. */
  readonly read: () => Promise<string>;
  /** Used until the file contains a token. */
  readonly fallback?: string;
  readonly env?: Env;
}

/**
 * A token in a file that is rotated, such as a pod's service account token.
 *
 * Promises: the file is reread after at most a minute and after a 401; a file that is missing, empty, truncated or not
 * a token never replaces a good one. White space and a byte order mark around the token are ignored.
 */
export function tokenFile(options: TokenFileOptions): CredentialSource {
  const { path, read, fallback, env } = options;
  const spare = fallback === undefined ? undefined : bearerAuthorizationHeader(fallback, 'token');
  let wasRead = false;
  return new RenewingSource({
    kind: 'token file',
    keepLastGood: true,
    maxAgeMs: FILE_AGE_MS,
    minAgeMs: 0,
    ...defined({ env }),
    async renew() {
      try {
        const credentials = bearerAuthorizationHeader(
          requireCompleteTokenFile((await read()).trim(), path),
          `token file ${path}`,
          'CREDENTIALS',
        );
        wasRead = true;
        return { credentials };
      } catch (error) {
        // The file's last good token is preferred to the fallback.
        if (spare === undefined || wasRead) throw error;
        return { credentials: spare };
      }
    },
  });
}

function requireCompleteTokenFile(token: string, path: string): string {
  if (token === '') throw new KubeError('CREDENTIALS', `token file ${path}: the file is empty`);
  // A JWT without its signature, or with parts missing: the file is still being written.
  const parts = token.startsWith('eyJ') ? token.split('.') : undefined;
  const isTruncated =
    parts !== undefined && ((parts.length !== 3 && parts.length !== 5) || parts.includes('', parts.length - 1));
  if (isTruncated || !isAuthorizationHeaderToken(token))
    throw new KubeError('CREDENTIALS', `token file ${path}: the file does not contain a complete token`);
  return token;
}
