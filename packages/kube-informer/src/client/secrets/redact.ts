import { KubeError } from '../../core/errors.ts';
import { encodeBase64 } from '../../core/base64.ts';
import { trimEnd } from '../../core/trim-end.ts';

const HIDDEN = '[redacted]';

/** Minimum length of a remembered secret. Shorter values are often ordinary words, and hiding them makes messages unreadable. */
const MIN_SECRET = 6;
/** Maximum number of remembered secrets. Tokens are rotated as long as the process runs; a server may echo the newest. */
const MAX_SECRETS = 512;

/** Each secret with its encodings, least recently remembered first. */
const knownSecrets = new Map<string, readonly string[]>();

/**
 * Makes `redact` hide a secret by its value. Every credential source calls this before a secret is used, so that it is
 * hidden wherever it is echoed: by a server, a plugin, a library's error.
 */
export function rememberSecret(...secrets: readonly (string | undefined)[]): void {
  for (const secret of secrets) {
    if (secret === undefined || secret.length < MIN_SECRET) continue;
    knownSecrets.delete(secret);
    knownSecrets.set(secret, encodingsToRedact(secret));
    if (knownSecrets.size > MAX_SECRETS) {
      for (const [oldest] of knownSecrets) {
        knownSecrets.delete(oldest);
        break;
      }
    }
  }
}

/**
 * Replaces remembered secrets, and everything that looks like a credential, with `[redacted]`.
 *
 * All text from outside (a server's body, a plugin's stderr, a library's message) must pass through here before it gets
 * into an error or a log line. Truncate afterwards, never before: half a token is not recognised. Linear in the length
 * of the text.
 *
 * Room rule: pure text; knows no request, no file, no kubeconfig.
 */
export function redact(text: string): string {
  let out = text;
  for (const spelling of knownSecretsToRedact(text)) out = out.replaceAll(spelling, HIDDEN);
  return out
    .replaceAll(PEM, HIDDEN)
    .replaceAll(HEADER, `$1 ${HIDDEN}`)
    .replaceAll(ASSIGNMENT, `$1${HIDDEN}`)
    .replaceAll(USER_INFO, `//${HIDDEN}@`)
    .replaceAll(LONG_WORD, redactJwt);
}

/**
 * Like `redact`, and also hides long random words. For the output of programs with secrets that are not remembered:
 * losing a request id is better than showing a token.
 */
export function redactOpaque(text: string): string {
  return redact(text).replaceAll(OPAQUE, (word) => (redactsRandomWord(word) ? HIDDEN : word));
}

/**
 * Returns a cause that can be shown: the error's name, code and redacted message, and no other properties.
 * (The error of a failed spawn contains the arguments, that of a failed parse quotes the text.)
 */
export function redactCause(error: unknown): Error {
  if (error instanceof KubeError) return error;
  const { name, message, code } = (error ?? {}) as { name?: unknown; message?: unknown; code?: unknown };
  const safe = new Error(redact(typeof message === 'string' ? message : typeof error));
  if (typeof name === 'string' && name !== 'Error') safe.name = name;
  return typeof code === 'string' ? Object.assign(safe, { code }) : safe;
}

const PEM = /-----BEGIN [A-Z0-9 ]{1,40}-----[\s\S]*?(?:-----END [A-Z0-9 ]{1,40}-----|$)/g;
/** Does not match "bearer token" and "basic authentication", which are prose. */
const HEADER = /\b(bearer|basic)[ \t]+(?!tokens?\b|auth|credentials?\b)[^\s"',;]+/gi;
const ASSIGNMENT =
  /((?:token|password|passwd|passphrase|secret|api[_-]?key|access[_-]?key|key-data|keydata|authorization)["']?\s{0,4}[:=]\s{0,4})(?:"(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s"',;&}]+)/gi;
const USER_INFO = /\/\/[^\s/@]+@/g;
const LONG_WORD = /[\w.~+/=-]{20,}/g;
const OPAQUE = /[\w+=~-]{20,}/g;

function redactJwt(word: string): string {
  const start = word.indexOf('eyJ');
  return start >= 0 && word.includes('.', start) ? `${word.slice(0, start)}${HIDDEN}` : word;
}

function redactsRandomWord(word: string): boolean {
  return word.length >= 32 || (/\d/.test(word) && /[A-Za-z]/.test(word));
}

/** Longest first, so that a secret that contains another one is hidden completely. */
function knownSecretsToRedact(text: string): string[] {
  const found: string[] = [];
  for (const all of knownSecrets.values())
    for (const spelling of all) if (text.includes(spelling)) found.push(spelling);
  return found.toSorted((a, b) => b.length - a.length);
}

function encodingsToRedact(secret: string): readonly string[] {
  const all = [secret, JSON.stringify(secret).slice(1, -1), urlEncodingToRedact(secret), encodeBase64(secret)];
  // Base64 of a longer text that begins with the secret has other characters in place of the padding.
  const bare = all.map((spelling) => trimEnd(spelling, '='));
  return [...new Set([...all, ...bare])].filter((spelling) => spelling.length >= MIN_SECRET);
}

function urlEncodingToRedact(secret: string): string {
  try {
    return encodeURIComponent(secret);
  } catch {
    return secret; // half a surrogate pair has no encoding
  }
}
