import { formatTimestamp } from '../../../core/timestamp.ts';
import { parseJsonBytes } from '../json-bytes.ts';
import { type FieldProgram, MANAGED_FIELDS_SET, type MessageProgram } from './message-program.ts';
import { VARINT, WireCursor, WireError } from './wire-cursor.ts';

/** First and last time that RFC 3339 can express, in seconds since 1970. */
const YEAR_1 = -62_135_596_800;
const YEAR_10000 = 253_402_300_800;
const SECOND_NANOS = 1_000_000_000;

/** How a message is decoded. */
export interface DecodeLimits {
  /** Maximum nesting of JSON inside the message. */
  readonly maxDepth: number;
  /** Copies the bytes that are decoded later, because the caller will reuse them. */
  readonly copiesLazy: boolean;
}

/** Decodes one value of a field. The cursor is behind its tag. */
type DecodeValue = (field: FieldProgram, cursor: WireCursor, end: number, limits: DecodeLimits) => unknown;

/** The JSON of a message that is not an object with the same fields. */
export function decodeSpecialMessage(
  program: MessageProgram,
  cursor: WireCursor,
  end: number,
  limits: DecodeLimits,
  decodeValue: DecodeValue,
): unknown {
  switch (program.special) {
    case 'time':
      return decodeSpecialTime(cursor, end, false);
    case 'micro-time':
      return decodeSpecialTime(cursor, end, true);
    case 'quantity':
      return readSpecialText(cursor, end) || '0';
    case 'json':
      return decodeSpecialJson(cursor, end, limits);
    case 'int-or-string':
      return decodeSpecialIntOrString(cursor, end);
    case 'list':
      return decodeSpecialList(program, cursor, end, limits, decodeValue);
    case 'schema-or-array':
    case 'schema-or-bool':
    case 'schema-or-texts':
    case undefined:
      return decodeSpecialUnion(program, cursor, end, limits, decodeValue);
  }
}

/**
 * Throws WireError for a message that passes the walk over its tags and could not be decoded: a time that RFC 3339 cannot write,
 * or broken JSON. Checked on arrival: a cache of bytes decodes later, when a reader asks, and a reader must not get the error.
 */
export function checkSpecialMessage(
  { special, name }: MessageProgram,
  bytes: Uint8Array,
  at: number,
  end: number,
  maxDepth: number,
): void {
  if (special === 'time' || special === 'micro-time') readSpecialTime(new WireCursor(bytes, at), end);
  // Managed fields are decoded when they are read, and are half of most objects: their JSON is not parsed twice.
  else if (special === 'json' && name !== MANAGED_FIELDS_SET)
    decodeSpecialJson(new WireCursor(bytes, at), end, { maxDepth, copiesLazy: false });
}

/** Seconds since 1970 and nanoseconds. A time that is not set has no bytes and is null. */
function decodeSpecialTime(cursor: WireCursor, end: number, hasFraction: boolean): string | null {
  if (cursor.at === end) return null;
  const { seconds, nanos } = readSpecialTime(cursor, end);
  const whole = sharedTimestamp(seconds);
  return hasFraction ? `${whole.slice(0, -1)}.${String(Math.floor(nanos / 1_000)).padStart(6, '0')}Z` : whole;
}

/** The texts of times, by their seconds: the times of one object are often the same. */
const timestamps: { readonly seconds: number; readonly text: string }[] = Array.from({ length: 256 }, () => ({
  seconds: Number.NaN,
  text: '',
}));

function sharedTimestamp(seconds: number): string {
  const slot = seconds & 255;
  const known = timestamps[slot] as { readonly seconds: number; readonly text: string };
  if (known.seconds === seconds) return known.text;
  const text = formatTimestamp(seconds);
  timestamps[slot] = { seconds, text };
  return text;
}

function readSpecialTime(cursor: WireCursor, end: number): { readonly seconds: number; readonly nanos: number } {
  let seconds = 0;
  let nanos = 0;
  while (cursor.at < end) {
    const tag = cursor.varint(end);
    if (tag === 8) seconds = cursor.varint(end);
    else if (tag === 16) nanos = cursor.varint(end);
    else cursor.skip(tag & 7, end);
  }
  if (seconds < YEAR_1 || seconds >= YEAR_10000) throw new WireError('a time is outside of the years 1 to 9999');
  if (nanos < 0 || nanos >= SECOND_NANOS) throw new WireError('a time has more than a second of nanoseconds');
  return { seconds, nanos };
}

/** The last text of field 1. */
function readSpecialText(cursor: WireCursor, end: number): string {
  let text = '';
  while (cursor.at < end) {
    const tag = cursor.varint(end);
    if (tag === 10) text = cursor.text(cursor.endOfField(end));
    else cursor.skip(tag & 7, end);
  }
  return text;
}

/** Decodes JSON inside protobuf, with the limits that apply to JSON. */
function decodeSpecialJson(cursor: WireCursor, end: number, { maxDepth }: DecodeLimits): unknown {
  let content: Uint8Array | undefined;
  while (cursor.at < end) {
    const tag = cursor.varint(end);
    if (tag === 10) {
      const to = cursor.endOfField(end);
      content = cursor.bytes.subarray(cursor.at, to);
      cursor.at = to;
    } else cursor.skip(tag & 7, end);
  }
  if (content === undefined || content.length === 0) return null;
  return parseJsonBytes(content, maxDepth, ({ reason }) => {
    throw new WireError(`the JSON inside it is ${reason}`);
  });
}

function decodeSpecialIntOrString(cursor: WireCursor, end: number): number | string {
  let isText = false;
  let number = 0;
  let text = '';
  while (cursor.at < end) {
    const tag = cursor.varint(end);
    if (tag === 8) isText = cursor.varint(end) !== 0;
    else if (tag === 16) number = cursor.varint(end);
    else if (tag === 26) text = cursor.text(cursor.endOfField(end));
    else cursor.skip(tag & 7, end);
  }
  return isText ? text : number;
}

/** A list with a type of its own is an object on the wire and a plain array in JSON. */
function decodeSpecialList(
  program: MessageProgram,
  cursor: WireCursor,
  end: number,
  limits: DecodeLimits,
  decodeValue: DecodeValue,
): unknown {
  const field = program.fields.find((each) => each !== undefined) as FieldProgram;
  const items: unknown[] = [];
  while (cursor.at < end) {
    const tag = cursor.varint(end);
    if (tag === field.number * 8 + field.wireType) items.push(decodeValue(field, cursor, end, limits));
    else cursor.skip(tag & 7, end);
  }
  return items.length === 0 ? null : items;
}

/** Decodes the member of a union that is set: a schema, a list or a flag. */
function decodeSpecialUnion(
  program: MessageProgram,
  cursor: WireCursor,
  end: number,
  limits: DecodeLimits,
  decodeValue: DecodeValue,
): unknown {
  let one: unknown;
  let many: unknown[] | undefined;
  let isAllowed = false;
  while (cursor.at < end) {
    const tag = cursor.varint(end);
    const field = program.fields[tag >>> 3];
    if (field === undefined || field.wireType !== (tag & 7)) cursor.skip(tag & 7, end);
    else if (field.wireType === VARINT) isAllowed = cursor.varint(end) !== 0;
    else if (field.shape === 'list') (many ??= []).push(decodeValue(field, cursor, end, limits));
    else one = decodeValue(field, cursor, end, limits);
  }
  if (program.special === 'schema-or-bool') return one ?? isAllowed;
  return many ?? one ?? null;
}
