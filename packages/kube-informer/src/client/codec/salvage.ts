import type { KubeObject } from '../../core/object/object.ts';
import { isSpaceByte } from './json-bytes.ts';
import { BACKSLASH, JsonScanner, QUOTE } from './json-scan.ts';

const OPEN_OBJECT = 0x7b;
const OPEN_ARRAY = 0x5b;
const END_OF_OBJECT = 0x7d;
const COLON = 0x3a;
const COMMA = 0x2c;

const TYPE_FIELDS = ['apiVersion', 'kind'] as const;
const NAME_FIELDS = ['name', 'namespace'] as const;
const IDENTITY_FIELDS = [...NAME_FIELDS, 'uid', 'resourceVersion'] as const;

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * The type and identity of an object whose bytes cannot be decoded as a whole, as far as they can be read.
 * Reads each field by itself, so that the others do not matter: `spec` or `metadata.managedFields` may be
 * nested without end, and the bytes may be cut off.
 *
 * A name alone is not enough: without its namespace an object would be taken for another one. So the metadata
 * must be whole, and name and namespace must be texts, or nothing of the metadata is returned.
 *
 * Room rule: pure. Throws nothing and recurses nowhere.
 */
export function salvageObject(bytes: Uint8Array): KubeObject {
  const { members } = salvageMembers(bytes);
  const metadata = salvageMembers(members.get('metadata'));
  const identity = salvageTextFields(metadata.members, IDENTITY_FIELDS);
  const isKnown =
    metadata.isWhole && NAME_FIELDS.every((name) => metadata.members.has(name) === (identity[name] !== undefined));
  return { ...salvageTextFields(members, TYPE_FIELDS), metadata: isKnown ? identity : {} };
}

/** The type and the object of a watch event, as far as they can be read. */
export function salvageEvent(bytes: Uint8Array): { readonly type: string | undefined; readonly object: KubeObject } {
  const { members } = salvageMembers(bytes);
  const { type } = salvageTextFields(members, ['type'] as const);
  return { type, object: salvageObject(members.get('object') ?? NO_BYTES) };
}

const NO_BYTES = new Uint8Array(0);

function salvageTextFields<F extends string>(
  members: ReadonlyMap<string, Uint8Array>,
  names: readonly F[],
): { [K in F]?: string } {
  const found: { [K in F]?: string } = {};
  for (const name of names) {
    const value = parseSalvagedText(members.get(name));
    if (value !== undefined) found[name] = value;
  }
  return found;
}

interface Members {
  readonly members: ReadonlyMap<string, Uint8Array>;
  /** Whether all members were found, up to the closing bracket. */
  readonly isWhole: boolean;
}

/** The members of a JSON object as bytes, up to the first byte that makes no sense. Of equal keys the last wins. */
function salvageMembers(bytes: Uint8Array = NO_BYTES): Members {
  const members = new Map<string, Uint8Array>();
  let at = afterSalvagedSpace(bytes, 0);
  const broken = { members, isWhole: false };
  if (bytes[at] !== OPEN_OBJECT) return broken;
  do {
    const keyAt = afterSalvagedSpace(bytes, at + 1);
    const keyEnd = endOfSalvagedText(bytes, keyAt);
    const key = parseSalvagedText(bytes.subarray(keyAt, keyEnd));
    const colon = afterSalvagedSpace(bytes, keyEnd);
    if (key === undefined || bytes[colon] !== COLON) return broken;
    const from = afterSalvagedSpace(bytes, colon + 1);
    const to = endOfSalvagedValue(bytes, from);
    if (to === from) return broken;
    members.set(key, bytes.subarray(from, to));
    at = afterSalvagedSpace(bytes, to);
  } while (bytes[at] === COMMA);
  return { members, isWhole: bytes[at] === END_OF_OBJECT };
}

function parseSalvagedText(bytes: Uint8Array | undefined): string | undefined {
  if (bytes?.[0] !== QUOTE) return undefined;
  try {
    return JSON.parse(decoder.decode(bytes)) as string;
  } catch {
    return undefined; // the caller continues without it
  }
}

function afterSalvagedSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && isSpaceByte(bytes[at] as number)) at += 1;
  return at;
}

/** The index after the value at `from`; of a value that is cut off, the end of the bytes. */
function endOfSalvagedValue(bytes: Uint8Array, from: number): number {
  const first = bytes[from];
  if (first === QUOTE) return endOfSalvagedText(bytes, from);
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) {
    const end = new JsonScanner().scan(bytes, from);
    return end < 0 ? bytes.length : end;
  }
  let at = from;
  while (at < bytes.length && bytes[at] !== COMMA && bytes[at] !== END_OF_OBJECT) at += 1;
  return at;
}

function endOfSalvagedText(bytes: Uint8Array, from: number): number {
  if (bytes[from] !== QUOTE) return from;
  let at = from + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return Math.min(at + 1, bytes.length);
}
