import { encodeBase64 } from './base64.ts';
import { trimEnd } from './trim-end.ts';

/** Minimum length of a remembered secret. Shorter values are often ordinary words, and hiding them makes messages unreadable. */
export const MIN_SECRET_LENGTH = 8;
/** Maximum length of what is remembered of a secret. A multiple of three, so that the base64 of a longer one begins alike. */
export const MAX_SECRET_LENGTH = 16_383;
/** Maximum number of secrets of one connection. Tokens are rotated as long as the process runs; a server may echo the newest. */
export const MAX_SECRETS = 32;

/** The secrets of every connection in use. Weak, so that a connection that is dropped without being closed is forgotten too. */
const inUse = new Set<WeakRef<KnownSecrets>>();

/**
 * The secrets of one connection, hidden by value in every error and log line of the process.
 *
 * Each connection has its own, so that no configuration can push out the secrets of another one, and its memory ends
 * with it. Errors are made in places that know no connection, so all those in use are searched.
 */
export class KnownSecrets {
  /** Each secret with its encodings, least recently remembered first. */
  readonly #spellings = new Map<string, readonly string[]>();
  readonly #self = new WeakRef<KnownSecrets>(this);

  /**
   * Remembers secrets. Call it before a secret is used, so that it is hidden wherever it is echoed: by a
   * server, a plugin, a library.
   */
  remember(...secrets: readonly (string | undefined)[]): void {
    for (const given of secrets) {
      if (given === undefined || given.length < MIN_SECRET_LENGTH) continue;
      const secret = given.slice(0, MAX_SECRET_LENGTH);
      const spellings = this.#spellings.get(secret) ?? spellingsOfSecret(secret);
      this.#spellings.delete(secret);
      this.#spellings.set(secret, spellings);
      for (const oldest of this.#spellings.keys()) {
        if (this.#spellings.size <= MAX_SECRETS) break;
        this.#spellings.delete(oldest);
      }
    }
    if (this.#spellings.size > 0) inUse.add(this.#self);
  }

  /** Forgets everything, when the connection is closed. */
  clear(): void {
    this.#spellings.clear();
    inUse.delete(this.#self);
  }

  /** Adds the spellings that occur in `text` to `found`. */
  findIn(text: string, found: string[]): void {
    for (const spellings of this.#spellings.values())
      for (const spelling of spellings) if (text.includes(spelling)) found.push(spelling);
  }
}

/** Spellings of known secrets in `text`; the longest first, so that a secret that contains another one is hidden completely. */
export function knownSecretsIn(text: string): readonly string[] {
  const found: string[] = [];
  if (text.length < MIN_SECRET_LENGTH) return found;
  for (const each of inUse) {
    const secrets = each.deref();
    if (secrets === undefined) inUse.delete(each);
    else secrets.findIn(text, found);
  }
  return found.toSorted((a, b) => b.length - a.length);
}

function spellingsOfSecret(secret: string): readonly string[] {
  const all = [secret, JSON.stringify(secret).slice(1, -1), encodedKnownSecret(secret), encodeBase64(secret)];
  // Base64 of a longer text that begins with the secret has other characters in place of the padding.
  const bare = all.map((spelling) => trimEnd(spelling, '='));
  return [...new Set([...all, ...bare])].filter((spelling) => spelling.length >= MIN_SECRET_LENGTH);
}

function encodedKnownSecret(secret: string): string {
  try {
    return encodeURIComponent(secret);
  } catch {
    return secret; // half a surrogate pair has no encoding
  }
}
