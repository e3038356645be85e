import { type ErrorCode, KubeError } from '../../core/errors.ts';
import { conceal } from '../secrets/conceal.ts';
import type { Impersonation } from '../config/connection-plan.ts';
import type { Credentials } from './credentials.ts';
import { encodeBase64 } from '../../core/base64.ts';

/**
 * Values of HTTP headers. They are checked here, because a line break would start another header and the platform's
 * own error would quote the value.
 */

/** Whether it is one word of visible ASCII characters: no space and no line break. */
export function isAuthorizationHeaderToken(token: string): boolean {
  return /^[\u0021-\u007e]+$/.test(token);
}

/** Throws `code` unless the token can be sent in a header. */
export function bearerAuthorizationHeader(
  token: string,
  where: string,
  code: ErrorCode = 'INVALID_CONFIG',
): Credentials {
  if (!isAuthorizationHeaderToken(token))
    throw new KubeError(code, `${where}: expected a token of visible ASCII characters without spaces`);
  return conceal({ authorization: `Bearer ${token}` }, { authorization: 'Bearer [redacted]' });
}

export function basicAuthorizationHeader(username: string, password: string, where: string): Credentials {
  if (
    username === '' ||
    username.includes(':') ||
    hasControlInAuthorizationHeader(username) ||
    hasControlInAuthorizationHeader(password)
  )
    throw new KubeError(
      'INVALID_CONFIG',
      `${where}: expected a user name without ":", and no control characters in user name and password`,
    );
  const packed = encodeBase64(`${username}:${password}`);
  return conceal({ authorization: `Basic ${packed}` }, { authorization: 'Basic [redacted]' });
}

/** Returns `who` if every part can be sent in a header. Throws INVALID_CONFIG. */
export function checkedImpersonationHeader(who: Impersonation, where: string): Impersonation {
  const { user, uid, groups = [], extra = {} } = who;
  const check = (part: string, value: unknown): void => {
    if (typeof value === 'string' && value !== '' && !/[^\u0020-\u007e]/.test(value)) return;
    throw new KubeError('INVALID_CONFIG', `${where}: ${part}: expected a non-empty string of visible ASCII characters`);
  };
  check('user', user);
  if (uid !== undefined) check('uid', uid);
  groups.forEach((group, at) => check(`groups[${at}]`, group));
  for (const [name, values] of Object.entries(extra)) {
    check('name of an extra', name);
    values.forEach((value, at) => check(`extra[${JSON.stringify(name)}][${at}]`, value));
  }
  return who;
}

function hasControlInAuthorizationHeader(text: string): boolean {
  return /\p{Cc}/u.test(text);
}
