import { KubeError } from '../../core/errors.ts';
import { encodeBase64 } from '../../core/base64.ts';
import { trimEnd } from '../../core/trim-end.ts';

const HIDDEN = '[redacted]';

/** Shorter values are ordinary words too often: hiding them would make messages unreadable and hide nothing. */
const LEAST_SECRET = 6;
/** Rotated tokens come for as long as the process lives; the newest are the ones a server may echo. */
const MOST_SECRETS = 512;

/** Each secret with the ways it may be written down, least recently seen first. */
const known = new Map<string, readonly string[]>();

/**
 * Tells `redact` about a secret by value. Every credential source does this with what it reads, before it is used,
 * so that whoever echoes it later (a server, a plugin, a library's error) is caught whatever the words around it.
 */
export function rememberSecret(...secrets: readonly (string | undefined)[]): void {
  for (const secret of secrets) {
    if (secret === undefined || secret.length < LEAST_SECRET) continue;
    known.delete(secret);
    known.set(secret, spellings(secret));
    if (known.size > MOST_SECRETS) {
      for (const [oldest] of known) {
        known.delete(oldest);
        break;
      }
    }
  }
}

/**
 * `text` without anything secret: what `rememberSecret` was told, and whatever looks like a credential.
 *
 * The one choke point: text that came from outside (a server's body, a plugin's stderr, a library's message) passes
 * here before it gets into an error or a log line. Cut to length afterwards, never before: half a token is no longer
 * recognised. Linear in the length of the text.
 *
 * Room rule: pure text; knows no request, no file, no kubeconfig.
 */
export function redact(text: string): string {
  let out = text;
  for (const spelling of knownIn(text)) out = out.replaceAll(spelling, HIDDEN);
  return out
    .replaceAll(PEM, HIDDEN)
    .replaceAll(HEADER, `$1 ${HIDDEN}`)
    .replaceAll(ASSIGNMENT, `$1${HIDDEN}`)
    .replaceAll(USER_INFO, `//${HIDDEN}@`)
    .replaceAll(LONG_WORD, withoutJwt);
}

/**
 * As `redact`, and also hides long opaque words. For the output of programs that handle secrets we have not been told:
 * a request id lost is better than a token shown.
 */
export function redactOpaque(text: string): string {
  return redact(text).replaceAll(OPAQUE, (word) => (looksRandom(word) ? HIDDEN : word));
}

/**
 * `error` as a cause that can be shown: its name, its code and its redacted message, nothing it carries along.
 * (A failed spawn carries the arguments, a failed parse quotes the text.)
 */
export function safeCause(error: unknown): Error {
  if (error instanceof KubeError) return error;
  const { name, message, code } = (error ?? {}) as { name?: unknown; message?: unknown; code?: unknown };
  const safe = new Error(redact(typeof message === 'string' ? message : typeof error));
  if (typeof name === 'string' && name !== 'Error') safe.name = name;
  return typeof code === 'string' ? Object.assign(safe, { code }) : safe;
}

const PEM = /-----BEGIN [A-Z0-9 ]{1,40}-----[\s\S]*?(?:-----END [A-Z0-9 ]{1,40}-----|$)/g;
/** "Bearer token" and "basic authentication" are prose, not credentials. */
const HEADER = /\b(bearer|basic)[ \t]+(?!tokens?\b|auth|credentials?\b)[^\s"',;]+/gi;
const ASSIGNMENT =
  /((?:token|password|passwd|passphrase|secret|api[_-]?key|access[_-]?key|key-data|keydata|authorization)["']?\s{0,4}[:=]\s{0,4})(?:"(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s"',;&}]+)/gi;
const USER_INFO = /\/\/[^\s/@]+@/g;
const LONG_WORD = /[\w.~+/=-]{20,}/g;
const OPAQUE = /[\w+=~-]{20,}/g;

function withoutJwt(word: string): string {
  const start = word.indexOf('eyJ');
  return start >= 0 && word.includes('.', start) ? `${word.slice(0, start)}${HIDDEN}` : word;
}

function looksRandom(word: string): boolean {
  return word.length >= 32 || (/\d/.test(word) && /[A-Za-z]/.test(word));
}

/** Longest first, so that a secret that contains another one is hidden whole. */
function knownIn(text: string): string[] {
  const found: string[] = [];
  for (const all of known.values()) for (const spelling of all) if (text.includes(spelling)) found.push(spelling);
  return found.toSorted((a, b) => b.length - a.length);
}

function spellings(secret: string): readonly string[] {
  const all = [secret, JSON.stringify(secret).slice(1, -1), formEncoded(secret), encodeBase64(secret)];
  // A base64 text that somebody continued loses its padding; what is left still gives the secret away.
  const bare = all.map((spelling) => trimEnd(spelling, '='));
  return [...new Set([...all, ...bare])].filter((spelling) => spelling.length >= LEAST_SECRET);
}

function formEncoded(secret: string): string {
  try {
    return encodeURIComponent(secret);
  } catch {
    return secret; // half a surrogate pair has no encoding, so nobody can have written it
  }
}
