import { KubeError } from '../../core/errors.ts';
import type { TypeRef } from '../../core/object/object.ts';
import { MAX_DEPTH } from '../../core/object/json-check.ts';
import { isSpaceByte, type JsonFailure, parseJsonBytes } from './json-bytes.ts';
import { BACKSLASH, JsonScanner, QUOTE } from './json-scan.ts';
import { defineLazyField } from './lazy-field.ts';
import type { ObjectBuilder } from './wire-format.ts';

const OPEN_OBJECT = 0x7b;
const OPEN_ARRAY = 0x5b;
const CLOSE_OBJECT = 0x7d;
const COLON = 0x3a;
const COMMA = 0x2c;

const encoder = new TextEncoder();

/** Placeholder for the value that was cut out. No server writes `-0`. */
const MARK = encoder.encode('-0');
/** Below this length cutting costs more than parsing. */
const MIN_CUT_BYTES = 512;

const LAZY = 'managedFields';

/** The path to the metadata of an object, and of the object of a watch event. */
export const OBJECT_METADATA: readonly string[] = ['metadata'];
export const EVENT_METADATA: readonly string[] = ['object', 'metadata'];

/**
 * Parses an object as `parseJsonBytes` does, but leaves its `managedFields` as bytes until they are read: they are half of
 * most objects, and few programs look at them. `path` leads to the metadata.
 *
 * Only the plain way to write them is recognised; the value is checked for valid JSON when it is read.
 */
export function parseJsonObject(
  bytes: Uint8Array,
  path: readonly string[],
  maxDepth: number,
  failed: (failure: JsonFailure) => unknown,
): unknown {
  const range = managedInJsonObject(bytes, path);
  const isCut = range !== undefined && range.end - range.at >= MIN_CUT_BYTES;
  // The levels around them count too: nesting too deep is found by parsing the whole.
  if (!isCut || range.deepest + path.length + 1 > maxDepth) return parseJsonBytes(bytes, maxDepth, failed);
  const { at, end } = range;
  const rest = new Uint8Array(bytes.length - (end - at) + MARK.length);
  rest.set(bytes.subarray(0, at));
  rest.set(MARK, at);
  rest.set(bytes.subarray(end), at + MARK.length);
  let hasFailed = false;
  const value = parseJsonBytes(rest, maxDepth, () => {
    hasFailed = true;
    return undefined;
  });
  const metadata = hasFailed ? undefined : jsonObjectAt(value, path);
  // A second `metadata` or `managedFields` would have won: then the whole is parsed as it is.
  if (metadata === undefined || !Object.is(metadata[LAZY], -0)) return parseJsonBytes(bytes, maxDepth, failed);
  const kept = bytes.slice(at, end);
  defineLazyField(metadata, LAZY, () => parseManagedInJsonObject(kept));
  return value;
}

/**
 * The type of a watch event and where its object is, without parsing it. Undefined for anything that is not written as servers
 * write it, and for an object that nests deeper than `maxDepth`.
 */
export function findEventInJsonObject(
  line: Uint8Array,
  maxDepth: number,
): { readonly type: string; readonly at: number; readonly end: number } | undefined {
  const type = findJsonObjectMember(line, 0, 'type', true);
  const object = findJsonObjectMember(line, 0, 'object', true);
  if (type === undefined || object === undefined || line[object.at] !== OPEN_OBJECT) return undefined;
  // Nothing but the end may follow: a second `object` would win.
  const after = skipJsonObjectSpace(line, Math.max(type.end, object.end));
  if (line[after] !== CLOSE_OBJECT || skipJsonObjectSpace(line, after + 1) !== line.length || object.deepest > maxDepth)
    return undefined;
  return { type: String.fromCharCode(...line.subarray(type.at + 1, type.end - 1)), at: object.at, end: object.end };
}

/** Builds from an object that was parsed, because not all of its bytes may be kept. */
export function buildFromJsonObject<T>(builder: ObjectBuilder<T>, object: TypeRef): T {
  const bytes = encoder.encode(JSON.stringify(object));
  return builder.build(builder.jsonCodec(object), bytes, 0, bytes.length);
}

function jsonObjectAt(value: unknown, path: readonly string[]): Record<string, unknown> | undefined {
  let at = value;
  for (const name of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Record<string, unknown>)[name];
  }
  return typeof at === 'object' && at !== null ? (at as Record<string, unknown>) : undefined;
}

function parseManagedInJsonObject(bytes: Uint8Array): unknown {
  return parseJsonBytes(bytes, MAX_DEPTH, ({ reason, cause }) => {
    throw new KubeError('LIST_INVALID', `metadata.managedFields cannot be read: they are ${reason}`, { cause });
  });
}

interface JsonRange {
  readonly at: number;
  readonly end: number;
  readonly deepest: number;
}

/**
 * The position of the value of `managedFields`, a list. Undefined also when the bytes are written in an unusual way.
 */
function managedInJsonObject(bytes: Uint8Array, path: readonly string[]): JsonRange | undefined {
  let from = 0;
  for (const name of path) {
    const member = findJsonObjectMember(bytes, from, name, false);
    if (member === undefined) return undefined;
    from = member.at;
  }
  const found = findJsonObjectMember(bytes, from, LAZY, true);
  return found !== undefined && bytes[found.at] === OPEN_ARRAY ? found : undefined;
}

/** The value of a member of the object at `from`; `end` is known only if `isWhole`. */
function findJsonObjectMember(bytes: Uint8Array, from: number, name: string, isWhole: boolean): JsonRange | undefined {
  let at = skipJsonObjectSpace(bytes, from);
  if (bytes[at] !== OPEN_OBJECT) return undefined;
  const scanner = new JsonScanner();
  do {
    const key = skipJsonObjectSpace(bytes, at + 1);
    if (bytes[key] !== QUOTE) return undefined;
    const keyEnd = endOfJsonObjectText(bytes, key);
    const colon = skipJsonObjectSpace(bytes, keyEnd);
    if (bytes[colon] !== COLON) return undefined;
    const value = skipJsonObjectSpace(bytes, colon + 1);
    const isFound = isJsonObjectKey(bytes, key, keyEnd, name);
    if (isFound && !isWhole) return { at: value, end: bytes.length, deepest: 0 };
    const end = endOfJsonObjectValue(bytes, value, scanner);
    if (end < 0) return undefined;
    if (isFound) return { at: value, end, deepest: scanner.deepest };
    at = skipJsonObjectSpace(bytes, end);
  } while (bytes[at] === COMMA);
  return undefined;
}

function isJsonObjectKey(bytes: Uint8Array, from: number, to: number, name: string): boolean {
  if (to - from !== name.length + 2) return false;
  for (let i = 0; i < name.length; i += 1) if (bytes[from + 1 + i] !== name.charCodeAt(i)) return false;
  return true;
}

function endOfJsonObjectValue(bytes: Uint8Array, from: number, scanner: JsonScanner): number {
  const first = bytes[from] as number;
  if (first === QUOTE) return endOfJsonObjectText(bytes, from);
  if ((first & 0xdf) === 0x5b) return scanner.scan(bytes, from);
  let at = from;
  while (at < bytes.length && bytes[at] !== COMMA && bytes[at] !== CLOSE_OBJECT) at += 1;
  return at;
}

function endOfJsonObjectText(bytes: Uint8Array, from: number): number {
  let at = from + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return Math.min(at + 1, bytes.length);
}

function skipJsonObjectSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && isSpaceByte(bytes[at] as number)) at += 1;
  return at;
}
