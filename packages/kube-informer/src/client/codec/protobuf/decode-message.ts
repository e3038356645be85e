import { encodeBase64Bytes } from '../../../core/base64.ts';
import { KubeError } from '../../../core/errors.ts';
import { defineLazyField } from '../lazy-field.ts';
import { type DecodeLimits, decodeSpecialMessage } from './decode-special.ts';
import type { FieldProgram, MessageProgram } from './message-program.ts';
import { BYTES, WireCursor, WireError } from './wire-cursor.ts';

type Fields = Record<string, unknown>;

/** Tags of a map entry's key and value; the value's wire type is still missing. */
const KEY_TAG = 1 * 8 + BYTES;
const VALUE_TAG = 2 * 8;
/** Maximum length that a list is allocated with in advance; a longer one grows as needed. */
const MAX_PRESIZED = 1_024;

/**
 * The message from `cursor.at` to `end` as JSON shows it: what Go leaves out when it is empty is left out, absent lists,
 * maps and pointers are null where Go writes null, and all else is shown if it was sent.
 *
 * The bytes must have passed `findUnknownField`. Fields that the program does not have are skipped.
 */
export function decodeMessage(program: MessageProgram, cursor: WireCursor, end: number, limits: DecodeLimits): unknown {
  if (program.special !== undefined) return decodeSpecialMessage(program, cursor, end, limits, decodeMessageFieldValue);
  const object: Fields = {};
  decodeMessageInto(object, program, cursor, end, limits);
  return object;
}

/** Adds the fields of the message to an object. */
export function decodeMessageInto(
  object: Fields,
  program: MessageProgram,
  cursor: WireCursor,
  end: number,
  limits: DecodeLimits,
): void {
  const { fields } = program;
  let lazyFrom = -1;
  let lazyEnd = -1;
  while (cursor.at < end) {
    const from = cursor.at;
    const tag = cursor.varint(end);
    const field = fields[tag >>> 3];
    const wireType = tag & 7;
    if (field === undefined || (wireType !== field.wireType && !(wireType === BYTES && field.isPackable))) {
      cursor.skip(wireType, end);
    } else if (field.shape === 'one') decodeMessageField(object, field, cursor, end, limits);
    else if (field.shape === 'list') {
      if (field.isPackable && wireType === BYTES) decodePackedMessageField(object, field, cursor, end, limits);
      else decodeMessageListField(object, field, tag, cursor, end, limits);
    } else if (field.shape === 'map')
      decodeMessageMapEntry((object[field.name] ??= {}) as Fields, field, cursor, cursor.endOfField(end), limits);
    else if (field.shape === 'lazy') {
      cursor.at = cursor.endOfField(end);
      if (lazyFrom === -1) lazyFrom = from;
      lazyEnd = cursor.at;
    } else {
      const to = cursor.endOfField(end);
      decodeMessageInto(object, field.message as MessageProgram, cursor, to, limits);
    }
  }
  for (const name of program.nulls) object[name] ??= null;
  if (lazyFrom !== -1) defineFieldsOfDecodedMessage(object, program, cursor.bytes, lazyFrom, lazyEnd, limits);
}

function decodeMessageField(object: Fields, field: FieldProgram, cursor: WireCursor, end: number, limits: DecodeLimits): void {
  const value = decodeMessageFieldValue(field, cursor, end, limits);
  if (value === null ? field.showsNull : field.showsZero || (value !== '' && value !== 0 && value !== false))
    object[field.name] = value;
} // prettier-ignore

/** One value. The cursor is behind its tag. */
export function decodeMessageFieldValue(
  field: FieldProgram,
  cursor: WireCursor,
  end: number,
  limits: DecodeLimits,
): unknown {
  const { type } = field;
  if (type === 'int') return cursor.varint(end);
  if (type === 'bool') return cursor.varint(end) !== 0;
  if (type === 'double') return cursor.double(end);
  const to = cursor.endOfField(end);
  if (type === 'text') return cursor.text(to);
  if (type === 'bytes') {
    const from = cursor.at;
    cursor.at = to;
    return encodeBase64Bytes(cursor.bytes.subarray(from, to));
  }
  const message = field.message as MessageProgram;
  if (field.embedded === undefined) return decodeMessage(message, cursor, to, limits);
  const object: Fields = { ...field.embedded };
  decodeMessageInto(object, message, cursor, to, limits);
  return object;
}

/**
 * Decodes the items of a list, which follow each other. They are counted first: an array that grows as needed
 * would keep room for many more.
 */
function decodeMessageListField(
  object: Fields,
  field: FieldProgram,
  tag: number,
  cursor: WireCursor,
  end: number,
  limits: DecodeLimits,
): void {
  // Counted once per list: counting again before each item would take the square of their number.
  const isBegun = object[field.name] !== undefined;
  const count = isBegun ? 0 : countFieldsToDecodeMessage(tag, cursor, end);
  if (isBegun || count > MAX_PRESIZED) {
    addToDecodedMessageList(object, field.name, decodeMessageFieldValue(field, cursor, end, limits));
    return;
  }
  // oxlint-disable-next-line unicorn/no-new-array -- of exactly this size; `Array.from` calls a function for each item
  const list = new Array<unknown>(count);
  for (let i = 0; i < count; i += 1) {
    if (i > 0) cursor.varint(end);
    list[i] = decodeMessageFieldValue(field, cursor, end, limits);
  }
  object[field.name] = list;
}

/** How many fields with this tag follow each other, from the one whose tag was just read. Stops above `MAX_PRESIZED`. */
function countFieldsToDecodeMessage(tag: number, cursor: WireCursor, end: number): number {
  const from = cursor.at;
  let count = 0;
  do {
    cursor.skip(tag & 7, end);
    count += 1;
  } while (count <= MAX_PRESIZED && cursor.at < end && cursor.varint(end) === tag);
  cursor.at = from;
  return count;
}

function addToDecodedMessageList(object: Fields, name: string, value: unknown): void {
  const list = object[name] as unknown[] | undefined;
  if (list === undefined) object[name] = [value];
  else list.push(value);
}

function decodePackedMessageField(object: Fields, field: FieldProgram, cursor: WireCursor, end: number, limits: DecodeLimits): void {
  const to = cursor.endOfField(end);
  while (cursor.at < to) addToDecodedMessageList(object, field.name, decodeMessageFieldValue(field, cursor, to, limits));
} // prettier-ignore

/** Adds the entry of a map that ends at `to` to `map`. */
export function decodeMessageMapEntry(
  map: Fields,
  field: FieldProgram,
  cursor: WireCursor,
  to: number,
  limits: DecodeLimits,
): void {
  const valueField = (field.entry as MessageProgram).fields[2] as FieldProgram;
  let key = '';
  let value: unknown;
  while (cursor.at < to) {
    const tag = cursor.varint(to);
    if (tag === KEY_TAG) key = cursor.text(cursor.endOfField(to));
    else if (tag === VALUE_TAG + valueField.wireType) value = decodeMessageFieldValue(valueField, cursor, to, limits);
    else cursor.skip(tag & 7, to);
  }
  if (value === undefined) value = zeroOfDecodedMessageField(valueField, limits);
  // An ordinary assignment of this name would set the prototype.
  if (key === '__proto__')
    Object.defineProperty(map, key, { value, writable: true, enumerable: true, configurable: true });
  else map[key] = value;
}

const NO_BYTES = new Uint8Array(0);

function zeroOfDecodedMessageField({ type, message }: FieldProgram, limits: DecodeLimits): unknown {
  if (message !== undefined) return decodeMessage(message, new WireCursor(NO_BYTES, 0), 0, limits);
  return type === 'bool' ? false : type === 'int' || type === 'double' ? 0 : '';
}

function defineFieldsOfDecodedMessage(
  object: Fields,
  program: MessageProgram,
  bytes: Uint8Array,
  from: number,
  to: number,
  limits: DecodeLimits,
): void {
  const field = program.fields.find((each) => each?.shape === 'lazy') as FieldProgram;
  const kept = limits.copiesLazy ? bytes.slice(from, to) : bytes;
  const at = limits.copiesLazy ? 0 : from;
  const end = at + to - from;
  defineLazyField(object, field.name, () => decodeLazyMessageField(field, kept, at, end, limits));
}

function decodeLazyMessageField(
  field: FieldProgram,
  bytes: Uint8Array,
  at: number,
  end: number,
  limits: DecodeLimits,
): unknown[] {
  const cursor = new WireCursor(bytes, at);
  const list: unknown[] = [];
  try {
    while (cursor.at < end) {
      const tag = cursor.varint(end);
      if (tag >>> 3 === field.number) list.push(decodeMessageFieldValue(field, cursor, end, limits));
      else cursor.skip(tag & 7, end);
    }
  } catch (error) {
    // Only the JSON of a set is not checked on arrival. The reader gets the same error as for JSON.
    if (!(error instanceof WireError)) throw error;
    throw new KubeError('LIST_INVALID', `metadata.${field.name} cannot be read: ${error.message}`, { cause: error });
  }
  return list;
}
