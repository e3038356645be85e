import { type ErrorCode, KubeError } from '../../core/errors.ts';
import { conceal } from '../secrets/conceal.ts';
import type { Impersonation } from '../config/connection-plan.ts';
import type { Credentials } from './credentials.ts';
import { base64, rememberSecret } from '../secrets/redact.ts';

/**
 * Values that become HTTP headers. Checked where they enter, because a line break in one is a second header, and
 * because a platform's own error would quote the value.
 */

/** A bearer token is one word of visible ASCII: no space, no line break, nothing a header could end with. */
export function isToken(token: string): boolean {
  return /^[\u0021-\u007e]+$/.test(token);
}

/** Throws `code` unless the token can be sent. */
export function bearer(token: string, where: string, code: ErrorCode = 'INVALID_CONFIG'): Credentials {
  rememberSecret(token);
  if (!isToken(token)) throw new KubeError(code, `${where}: expected a token: one word of visible ASCII characters`);
  return conceal({ authorization: `Bearer ${token}` }, { authorization: 'Bearer [redacted]' });
}

export function basic(username: string, password: string, where: string): Credentials {
  if (username === '' || username.includes(':') || hasControls(username) || hasControls(password))
    throw new KubeError('INVALID_CONFIG', `${where}: expected a user name without ":" and no control characters`);
  const packed = base64(`${username}:${password}`);
  rememberSecret(password, packed);
  return conceal({ authorization: `Basic ${packed}` }, { authorization: 'Basic [redacted]' });
}

/** Returns `who` when every part can be sent as a header. Throws INVALID_CONFIG. */
export function checkedImpersonation(who: Impersonation, where: string): Impersonation {
  const { user, uid, groups = [], extra = {} } = who;
  const check = (part: string, value: unknown): void => {
    if (typeof value === 'string' && value !== '' && !/[^\u0020-\u007e]/.test(value)) return;
    throw new KubeError('INVALID_CONFIG', `${where}: ${part}: expected a text of visible ASCII characters, not empty`);
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

/** Control characters end a header, start another one, or are refused by whoever reads it. */
function hasControls(text: string): boolean {
  return /\p{Cc}/u.test(text);
}
