import { printableText } from './unprintable.ts';
import { knownSecretsIn, MAX_SECRET_LENGTH } from './known-secrets.ts';

const HIDDEN = '[redacted]';

/** Maximum length of a text that is searched for secrets; what follows is dropped. Longer than any text that is shown. */
const MAX_SEARCHED = 65_536;

/**
 * Replaces the secrets of all connections, and everything that looks like a credential, with `[redacted]`.
 *
 * For text from outside: a server's body, a plugin's stderr, a library's message. `KubeError` and the log do it
 * themselves; other code needs it only for text that goes elsewhere. Truncate afterwards, never before: half a token is
 * not recognised. Linear in the length of the text.
 *
 * Room rule: pure text; knows no request, no file, no kubeconfig.
 */
export function redact(text: string): string {
  return redactCredentials(text).replaceAll(ASSIGNMENT, `$1${HIDDEN}`);
}

/**
 * Like `redact`, and also hides long random words. For the output of programs with secrets that are not remembered:
 * losing a request id is better than showing a token.
 */
export function redactOpaque(text: string): string {
  return redact(text).replaceAll(OPAQUE, (word) => (isWordToRedact(word) ? HIDDEN : word));
}

/** Text from outside as it may be quoted: redacted, printable and at most `max` characters long. */
export function redactedQuote(text: string, max: number): string {
  return boundedText(printableText(redact(cutBeforeRedaction(text, MAX_SEARCHED))), max);
}

/**
 * Makes a message of our own, which may quote text from outside, safe to show. Words after `token:` are kept:
 * in our own messages they tell what was expected.
 */
export function safeText(text: string, max: number): string {
  return boundedText(printableText(redactCredentials(cutBeforeRedaction(text, MAX_SEARCHED))), max);
}

/**
 * The beginning of a text that is not redacted yet. Ends before the word that would be cut in two: half a
 * token is not recognised, and it would be shown if the text before it shrinks.
 */
export function cutBeforeRedaction(text: string, max: number): string {
  if (text.length <= max) return text;
  let end = max;
  while (end > max - MAX_SECRET_LENGTH && end > 0 && WORD_CODES.has(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

export function boundedText(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max)}…` : text;
}

function redactCredentials(text: string): string {
  let out = text;
  for (const spelling of knownSecretsIn(text)) out = redactKnown(out, spelling);
  return out
    .replaceAll(PEM, HIDDEN)
    .replaceAll(HEADER, `$1 ${HIDDEN}`)
    .replaceAll(USER_INFO, `//${HIDDEN}@`)
    .replaceAll(LONG_WORD, redactJwt);
}

/**
 * Hides a known secret. Only the beginning of a very long one is remembered, so what follows, up to a space
 * or a quote, is hidden with it.
 */
function redactKnown(text: string, spelling: string): string {
  if (spelling.length < MAX_SECRET_LENGTH) return text.replaceAll(spelling, HIDDEN);
  let out = '';
  let from = 0;
  for (let at = text.indexOf(spelling); at !== -1; at = text.indexOf(spelling, from)) {
    out += text.slice(from, at) + HIDDEN;
    from = at + spelling.length;
    while (from < text.length && !/[\s"]/.test(text.charAt(from))) from += 1;
  }
  return out + text.slice(from);
}

const PEM = /-----BEGIN [A-Z0-9 ]{1,40}-----[\s\S]*?(?:-----END [A-Z0-9 ]{1,40}-----|$)/g;
/** Authorization values. Does not match "bearer token" and "basic authentication", which are prose. */
const HEADER = /\b(bearer|basic)[ \t]+(?!tokens?\b|auth|credentials?\b)[^\s"',;]+/gi;
const ASSIGNMENT =
  /((?:token|password|passwd|passphrase|secret|api[_-]?key|access[_-]?key|key-data|keydata|authorization)["']?\s{0,4}[:=]\s{0,4})(?:"(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s"',;&}]+)/gi;
const USER_INFO = /\/\/[^\s/@]+@/g;
/** The characters of tokens, as in LONG_WORD. At most 16,383 of them are examined for each long text. */
const WORD_CODES = new Set(
  Array.from({ length: 128 }, (_, code) => code).filter((code) => /[\w.~+/=-]/.test(String.fromCharCode(code))),
);
const LONG_WORD = /[\w.~+/=-]{20,}/g;
const OPAQUE = /[\w+=~-]{20,}/g;

function redactJwt(word: string): string {
  const start = word.indexOf('eyJ');
  return start >= 0 && word.includes('.', start) ? `${word.slice(0, start)}${HIDDEN}` : word;
}

function isWordToRedact(word: string): boolean {
  return word.length >= 32 || (/\d/.test(word) && /[A-Za-z]/.test(word));
}
