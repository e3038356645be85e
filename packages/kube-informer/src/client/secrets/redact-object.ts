import type { Env } from '../../core/env.ts';
import { isSensitiveName, isSensitiveVariable } from '../../core/sensitive-name.ts';
import { redact } from '../../core/redact.ts';

/** Maximum depth; deeper parts are replaced, so that a cycle ends. Objects in Kubernetes are not that deep. */
const MAX_DEPTH = 64;
const TOO_DEEP = '[too deep]';

/** Fields of a Secret that are shown. Its data is shown as marks, and any other field as one mark. */
const SHOWN_IN_SECRET: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'type', 'immutable']);
/** Fields of a Secret's metadata that are shown. Annotations are shown as marks: many tools keep copies of the data there. */
const SHOWN_IN_METADATA: ReadonlySet<string> = new Set([
  'name', 'generateName', 'namespace', 'uid', 'resourceVersion', 'generation', 'creationTimestamp', 'deletionTimestamp',
  'deletionGracePeriodSeconds', 'labels', 'ownerReferences', 'finalizers', 'selfLink',
]); // prettier-ignore

/** Fields of a reference to an object. `{ kind: Secret, name: x }` is a reference, not a Secret. */
const REFERENCE_FIELDS: ReadonlySet<string> = new Set([
  'apiVersion', 'apiGroup', 'group', 'kind', 'name', 'namespace', 'uid', 'resourceVersion', 'fieldPath', 'controller',
  'blockOwnerDeletion', 'optional', 'key', 'secretName', 'path', 'mountPath', 'defaultMode', 'mode', 'items',
  'expirationSeconds', 'audience', 'readOnly',
]); // prettier-ignore

/** kubectl stores the whole object here, as JSON text. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
/** Maximum length of an annotation that is read as JSON. */
const MAX_JSON = 256 * 1024;
/** Compressed or encoded annotations: base64 without a word break. */
const ENCODED = /^[A-Za-z0-9+/_-]{64,}={0,2}$/;

/**
 * Returns a function that copies objects without their secrets: for everything that shows an object, records it, or
 * compares two of them.
 *
 * A Secret shows its type and the metadata that every object has, and nothing else: its data, its annotations, and any
 * other field become marks, also inside a list, a watch event or an annotation of another object. In other objects the
 * values of fields and variables with the name of a credential become marks, whatever their type, and so do PEM blocks
 * and tokens inside any string.
 *
 * A mark is `[12 characters, #1a2b3c4d]`. Equal values give equal hashes, so a change is still visible; the hash has a
 * random key, so that guesses cannot be verified.
 */
export function objectRedactor(env: Pick<Env, 'random'>): (value: unknown) => unknown {
  const seed = Math.floor(env.random() * 2 ** 53);
  /** The objects around the one that is copied: an object inside itself is a cycle. */
  const above = new Set<object>();
  const inside = (value: object, make: () => unknown): unknown => {
    if (above.has(value)) return TOO_DEEP;
    above.add(value);
    try {
      return make();
    } finally {
      above.delete(value);
    }
  };
  const mark = (text: string): string => `[${text.length} characters, #${hashRedactedSecret(text, seed)}]`;
  /** One mark for a whole value. */
  const hideWhole = (value: unknown): unknown =>
    value === undefined || value === null ? value : mark(typeof value === 'string' ? value : redactTextOfObject(value));

  /** A mark for each value of a map. */
  const hideValues = (value: unknown): unknown =>
    isPlainObjectToRedact(value) ? redactMapOfObject(value, (_, item) => hideWhole(item)) : hideWhole(value);

  const copySecret = (secret: object, depth: number): unknown =>
    redactMapOfObject(secret, (name, item) => {
      if (SHOWN_IN_SECRET.has(name)) return copy(item, depth + 1, '');
      if (name === 'data' || name === 'stringData') return hideValues(item);
      return name === 'metadata' && isPlainObjectToRedact(item) ? copyMetadata(item, depth + 1) : hideWhole(item);
    });

  const copyMetadata = (metadata: object, depth: number): unknown =>
    redactMapOfObject(metadata, (name, item) => {
      if (name === 'annotations') return hideValues(item);
      return SHOWN_IN_METADATA.has(name) ? copy(item, depth + 1, '') : hideWhole(item);
    });

  /** The value of a field with the name of a credential. Objects are often references, and those are shown. */
  const hideSensitive = (value: unknown, depth: number): unknown => {
    if (typeof value === 'boolean' || depth > MAX_DEPTH) return value === true || value === false ? value : mark('');
    if (Array.isArray(value)) return value.map((item) => hideSensitive(item, depth + 1));
    if (!isPlainObjectToRedact(value)) return hideWhole(value);
    if (isSecretObject(value)) return copySecret(value, depth);
    return inside(value, () =>
      redactMapOfObject(value, (name, item) =>
        REFERENCE_FIELDS.has(name) && !isPlainObjectToRedact(item)
          ? copy(item, depth + 1, '')
          : hideSensitive(item, depth + 1),
      ),
    );
  };

  const copyAnnotation = (name: string, value: unknown, depth: number): unknown => {
    if (typeof value !== 'string') return copy(value, depth, '');
    if (name === LAST_APPLIED || isSensitiveName(name) || ENCODED.test(value)) return mark(value);
    if (!/^\s*[[{]/.test(value)) return redact(value);
    if (value.length > MAX_JSON) return mark(value);
    try {
      return JSON.stringify(copy(JSON.parse(value), depth, ''));
    } catch {
      return mark(value);
    }
  };

  /** `list` is the kind of the list that the value is an item of: items have none of their own. */
  const copy = (value: unknown, depth: number, list: string): unknown => {
    if (typeof value === 'string') return redact(value);
    if (typeof value !== 'object' || value === null) return value;
    return depth > MAX_DEPTH ? TOO_DEEP : inside(value, () => copyFields(value, depth, list));
  };

  const copyFields = (value: object, depth: number, list: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => copy(item, depth + 1, list));
    if (isSecretObject(value) || (list === 'SecretList' && redactFieldOfObject(value, 'kind') === undefined))
      return copySecret(value, depth);
    const kind = redactFieldOfObject(value, 'kind');
    const variable = redactFieldOfObject(value, 'name') ?? redactFieldOfObject(value, 'key');
    const isSecretVariable = typeof variable === 'string' && isSensitiveVariable(variable);
    return redactMapOfObject(value, (name, item) => {
      if (name === 'annotations' && isPlainObjectToRedact(item))
        return redactMapOfObject(item, (key, text) => copyAnnotation(key, text, depth + 2));
      if (name === 'value' && isSecretVariable) return hideSensitive(item, depth + 1);
      if (isSensitiveName(name)) return hideSensitive(item, depth + 1);
      return copy(item, depth + 1, name === 'items' && typeof kind === 'string' ? kind : '');
    });
  };
  return (value) => copy(value, 0, '');
}

/** A Secret itself, not a reference to one. */
function isSecretObject(value: object): boolean {
  return (
    redactFieldOfObject(value, 'kind') === 'Secret' && Object.keys(value).some((name) => !REFERENCE_FIELDS.has(name))
  );
}

const redactFieldOfObject = (value: object, name: string): unknown =>
  Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined;

const isPlainObjectToRedact = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function redactTextOfObject(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return ''; // a cycle, or deeper than the stack
  }
}

function redactMapOfObject(value: object, change: (name: string, item: unknown) => unknown): object {
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
