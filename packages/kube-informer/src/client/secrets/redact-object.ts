import type { Env } from '../../core/env.ts';
import { redact } from './redact.ts';

/** Maximum depth; deeper parts are replaced, so that a cycle ends. Objects in Kubernetes are not that deep. */
const MAX_DEPTH = 64;

const SECRET_FIELD = /(?:token|password|passwd|secret|private-?key|key-data|keydata|authorization|certificate-?data)$/i;
/** Names that end like a secret but contain a name, a number or a flag. */
const HARMLESS_FIELD = /^(?:automountServiceAccountToken|secretName|continue)$/;

/**
 * Returns a function that copies objects without their secrets, for traces and bug reports.
 *
 * `data` and `stringData` of a Secret (also inside a list, a watch event or a last-applied annotation), fields named
 * like credentials, PEM blocks and tokens inside any string become `[12 characters, #1a2b3c4d]`. Equal values give equal
 * hashes, so a change is still visible; the hash has a random key, so that guesses cannot be verified. Everything else
 * is copied unchanged.
 */
export function objectRedactor(env: Pick<Env, 'random'>): (value: unknown) => unknown {
  const seed = Math.floor(env.random() * 2 ** 53);
  const mark = (text: string): string => `[${text.length} characters, #${hashRedactedSecret(text, seed)}]`;

  const hide = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') return mark(value);
    if (typeof value !== 'object' || value === null)
      return value === undefined || value === null ? value : mark(typeof value);
    if (depth > MAX_DEPTH) return mark('');
    return Array.isArray(value)
      ? value.map((item) => hide(item, depth + 1))
      : mapObjectFields(value, (_, item) => hide(item, depth + 1));
  };

  const copy = (value: unknown, depth: number, inSecret: boolean): unknown => {
    if (typeof value === 'string') return redact(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth > MAX_DEPTH) return '[too deep]';
    if (Array.isArray(value)) return value.map((item) => copy(item, depth + 1, inSecret));
    const kind = (value as { kind?: unknown }).kind;
    const isSecret = kind === 'Secret' || (inSecret && kind === undefined);
    return mapObjectFields(value, (name, item) => {
      if (isSecret && (name === 'data' || name === 'stringData')) return hide(item, depth + 1);
      // kubectl stores the whole object here, as JSON text.
      if (name === 'kubectl.kubernetes.io/last-applied-configuration') return hide(item, depth + 1);
      if (SECRET_FIELD.test(name) && !HARMLESS_FIELD.test(name) && typeof item === 'string') return mark(item);
      // Items of a SecretList have no kind.
      return copy(item, depth + 1, name === 'items' && kind === 'SecretList');
    });
  };
  return (value) => copy(value, 0, false);
}

function mapObjectFields(value: object, change: (name: string, item: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, change(name, item)]));
}

/** A keyed hash of 32 bits: enough to tell two values apart, too few to recover one. */
function hashRedactedSecret(text: string, seed: number): string {
  let a = 0xdeadbeef ^ (seed % 2 ** 32);
  let b = 0x41c6ce57 ^ Math.floor(seed / 2 ** 32);
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  return (a >>> 0).toString(16).padStart(8, '0');
}
