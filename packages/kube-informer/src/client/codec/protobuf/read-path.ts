import type { Scalar } from '../../../core/object/object-codec.ts';
import { decodeMessageFieldValue, decodeMessageMapEntry, decodeMessage } from './decode-message.ts';
import type { DecodeLimits } from './decode-special.ts';
import type { FieldProgram, MessageProgram } from './message-program.ts';
import { BYTES, type WireCursor } from './wire-cursor.ts';

/** A path into a message, and what is read there. */
export interface PathQuery {
  readonly path: readonly string[];
  readonly limits: DecodeLimits;
  readonly found: Scalar[];
}

/** Adds the scalars at `path[depth…]` of the message to `found`. Builds nothing but these. */
export function readPath(
  program: MessageProgram,
  cursor: WireCursor,
  end: number,
  query: PathQuery,
  depth: number,
): void {
  if (program.special !== undefined) {
    addScalarsAtPath(decodeMessage(program, cursor, end, query.limits), query, depth);
    return;
  }
  const name = query.path[depth];
  if (name === undefined) cursor.at = end; // an object is no scalar
  while (cursor.at < end) {
    const tag = cursor.varint(end);
    const wireType = tag & 7;
    const field = program.fields[tag >>> 3];
    if (field === undefined || (wireType !== field.wireType && !(wireType === BYTES && field.isPackable)))
      cursor.skip(wireType, end);
    else if (field.shape === 'inline')
      readPath(field.message as MessageProgram, cursor, cursor.endOfField(end), query, depth);
    else if (field.name !== name) cursor.skip(wireType, end);
    else readPathField(field, wireType, cursor, end, query, depth);
  }
}

function readPathField(
  field: FieldProgram,
  wireType: number,
  cursor: WireCursor,
  end: number,
  query: PathQuery,
  depth: number,
): void {
  if (field.shape === 'map') return readPathEntry(field, cursor, end, query, depth + 1);
  if (field.isPackable && wireType === BYTES) {
    const to = cursor.endOfField(end);
    while (cursor.at < to) addScalarsAtPath(decodeMessageFieldValue(field, cursor, to, query.limits), query, depth + 1);
    return;
  }
  if (field.message !== undefined) {
    const to = cursor.endOfField(end);
    const type = field.embedded?.[query.path[depth + 1] as 'apiVersion' | 'kind'];
    if (type === undefined) readPath(field.message, cursor, to, query, depth + 1);
    else addScalarsAtPath(type, query, depth + 2);
    cursor.at = to;
    return;
  }
  const value = decodeMessageFieldValue(field, cursor, end, query.limits);
  const isShown = field.shape !== 'one' || field.showsZero || (value !== '' && value !== 0 && value !== false);
  if (isShown) addScalarsAtPath(value, query, depth + 1);
}

function readPathEntry(field: FieldProgram, cursor: WireCursor, end: number, query: PathQuery, depth: number): void {
  const to = cursor.endOfField(end);
  const entry: Record<string, unknown> = {};
  const from = cursor.at;
  // Most entries are of other keys: their values are not decoded.
  if (query.path[depth] !== readPathEntryKey(cursor, to)) return;
  cursor.at = from;
  decodeMessageMapEntry(entry, field, cursor, to, query.limits);
  addScalarsAtPath(entry, query, depth);
} // prettier-ignore

function readPathEntryKey(cursor: WireCursor, end: number): string {
  let key = '';
  while (cursor.at < end) {
    const tag = cursor.varint(end);
    if (tag === 10) key = cursor.text(cursor.endOfField(end));
    else cursor.skip(tag & 7, end);
  }
  return key;
}

/** Follows the rest of the path in a decoded value. */
function addScalarsAtPath(value: unknown, query: PathQuery, depth: number): void {
  if (Array.isArray(value)) {
    for (const item of value) addScalarsAtPath(item, query, depth);
    return;
  }
  const name = query.path[depth];
  if (typeof value === 'object' && value !== null) {
    if (name !== undefined && Object.hasOwn(value, name))
      addScalarsAtPath((value as Record<string, unknown>)[name], query, depth + 1);
    return;
  }
  if (name === undefined && (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'))
    query.found.push(value);
}

/** Adds the entries of the map at `path[depth…]` to `map`. Returns whether there is one. */
export function readPathMapAt(
  program: MessageProgram,
  cursor: WireCursor,
  end: number,
  { path, limits }: Pick<PathQuery, 'path' | 'limits'>,
  map: Record<string, unknown>,
  depth = 0,
): boolean {
  const name = path[depth];
  const isLast = depth === path.length - 1;
  let isFound = false;
  while (cursor.at < end) {
    const tag = cursor.varint(end);
    const field = program.fields[tag >>> 3];
    const isMessage = field !== undefined && field.wireType === BYTES && (tag & 7) === BYTES;
    if (isMessage && field.name === name && isLast && field.shape === 'map') {
      decodeMessageMapEntry(map, field, cursor, cursor.endOfField(end), limits);
      isFound = true;
    } else if (isMessage && field.message !== undefined && field.shape === 'inline')
      isFound = readPathMapAt(field.message, cursor, cursor.endOfField(end), { path, limits }, map, depth) || isFound;
    else if (isMessage && field.name === name && !isLast && field.message?.special === undefined && field.shape === 'one')
      isFound = field.message !== undefined && readPathMapAt(field.message, cursor, cursor.endOfField(end), { path, limits }, map, depth + 1) || isFound;
    else cursor.skip(tag & 7, end);
  }
  return isFound;
} // prettier-ignore
