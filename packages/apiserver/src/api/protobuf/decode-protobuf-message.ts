import { dataOfProtobuf } from '../../core/data.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { Work } from '../../core/work.ts';
import { responseMessageLines } from './response-messages.ts';
import { decodeSpecialProtobuf } from './decode-special-protobuf.ts';
import { WireError, type WireField, protobufWireFields } from './wire.ts';

/** One field of a message: see `ProtobufFacts` in tools/generate/protobuf-facts.ts for the text it is read from. */
export interface Field {
  readonly number: number;
  readonly name: string;
  /** Condition under which JSON leaves the field out: never, when it is empty, when it is zero. */
  readonly omit: 'never' | 'empty' | 'zero';
  readonly isPointer: boolean;
  readonly shape: 'one' | 'list' | 'map';
  readonly type: string;
}

/** Marks a list with a type of its own: an object on the wire, a plain array in JSON. */
export const IS_LIST = '=';
/** Marks a message whose fields are the parent's own in JSON. */
export const INLINE = '...';

const LINE =
  /^(?<number>\d+) (?<name>=|\.\.\.|[^ ?!]+)(?<mark>[?!]?) (?<pointer>\*?)(?<shape>\[\]|map\[\]|)(?<type>.+)$/;

/** Maximum nesting. Real objects are not nested this deep; a body made to exhaust the stack is. */
const MAX_DEPTH = 500;
const MAX_VARINT_BYTES = 10;

const fieldsByMessage = new Map<string, readonly Field[]>();

/**
 * A message as the JSON that Go writes for it: fields in the order of the Go type, empty ones left out or
 * shown according to the type. Fields that are not on the wire count as zero.
 *
 * Each field that was sent spends a step of `work`: two bytes can be an object with all its empty fields.
 */
export function decodeProtobufMessage(name: string, bytes: Uint8Array, work?: Work, depth = 0): Json {
  if (depth > MAX_DEPTH) throw new WireError('proto: the message is nested too deep');
  const nested = (type: string, content: Uint8Array): Json => decodeProtobufMessage(type, content, work, depth + 1);
  const special = decodeSpecialProtobuf(name, bytes, nested);
  if (special !== undefined) return special.value;
  const sent = new Map<number, WireField[]>();
  for (const field of protobufWireFields(bytes)) {
    work?.spend();
    const before = sent.get(field.number);
    if (before === undefined) sent.set(field.number, [field]);
    else before.push(field);
  }
  const object: JsonObject = {};
  for (const field of protobufMessageFields(name)) {
    const values = sent.get(field.number) ?? [];
    if (field.name === IS_LIST) return values.map((value) => decodeProtobufMessageValue(field, value, nested));
    if (field.name === INLINE) Object.assign(object, decodeProtobufMessageValue(field, values.at(-1), nested));
    else {
      const value = decodeProtobufMessageField(field, values, nested, work);
      if (value !== undefined) object[field.name] = value;
    }
  }
  return object;
}

type Nested = (type: string, content: Uint8Array) => Json;

function decodeProtobufMessageField(
  field: Field,
  values: readonly WireField[],
  nested: Nested,
  work: Work | undefined,
): Json | undefined {
  const absent = field.omit === 'never' ? null : undefined;
  if (field.shape === 'list') {
    const items = values.flatMap((value) =>
      unpackProtobufMessageField(field, value, work).map((one) => decodeProtobufMessageValue(field, one, nested)),
    );
    return items.length === 0 ? absent : items;
  }
  if (field.shape === 'map') return values.length === 0 ? absent : decodeProtobufMessageMap(field, values, nested);
  // Bytes are a list in Go, and an unset list is null.
  if ((field.isPointer || field.type === 'bytes') && values.length === 0) return absent;
  const value = decodeProtobufMessageValue(field, values.at(-1), nested);
  if (field.omit === 'zero' && value === null) return undefined;
  const isEmpty = value === '' || value === 0 || value === false;
  return field.omit === 'empty' && isEmpty && !field.isPointer && isScalarInProtobufMessage(field.type)
    ? undefined
    : value;
}

function decodeProtobufMessageMap(field: Field, entries: readonly WireField[], nested: Nested): JsonObject {
  const pairs = entries.map((entry): [string, Json] => {
    const [key, value] = [1, 2].map((number) =>
      lastProtobufMessageField(protobufMessageFieldBytes(field, entry), number),
    );
    return [
      key === undefined ? '' : protobufMessageText(protobufMessageFieldBytes(field, key)),
      decodeProtobufMessageValue(field, value, nested),
    ];
  });
  return Object.fromEntries(pairs.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function lastProtobufMessageField(message: Uint8Array, number: number): WireField | undefined {
  return [...protobufWireFields(message)].findLast((field) => field.number === number);
}

/** Decodes one value of the field's type; undefined stands for the zero value. */
function decodeProtobufMessageValue(field: Field, sent: WireField | undefined, nested: Nested): Json {
  switch (field.type) {
    case 'string':
      return sent === undefined ? '' : protobufMessageText(protobufMessageFieldBytes(field, sent));
    case 'bytes':
      return sent === undefined ? '' : Buffer.from(protobufMessageFieldBytes(field, sent)).toString('base64');
    case 'bool':
      return sent === undefined ? false : protobufMessageFieldNumber(field, sent) !== 0;
    case 'int32':
    case 'int64':
    case 'double':
      return sent === undefined ? 0 : protobufMessageFieldNumber(field, sent);
    default:
      return nested(field.type, sent === undefined ? new Uint8Array() : protobufMessageFieldBytes(field, sent));
  }
}

/** Unpacks a field. Numbers of a list may come one by one or all in one field. */
function unpackProtobufMessageField(field: Field, sent: WireField, work: Work | undefined): readonly WireField[] {
  const isPacked = sent.value instanceof Uint8Array && /^(?:bool|int32|int64)$/.test(field.type);
  if (!isPacked) return [sent];
  // A varint with a tag before it is a field of its own; reading them that way needs no second reader.
  const bytes = sent.value as Uint8Array;
  const fields: WireField[] = [];
  for (let start = 0; start < bytes.length;) {
    work?.spend();
    let end = start;
    while ((bytes[end] ?? 0) >= 0x80 && end - start < MAX_VARINT_BYTES) end += 1;
    fields.push(...protobufWireFields(Uint8Array.of(8, ...bytes.subarray(start, end + 1))));
    start = end + 1;
  }
  return fields;
}

function protobufMessageFieldBytes(field: Field, { value, wireType }: WireField): Uint8Array {
  if (value instanceof Uint8Array) return value;
  throw new WireError(`proto: wrong wireType = ${wireType} for field ${protobufMessageFieldGoName(field)}`);
}

function protobufMessageFieldNumber(field: Field, { value, wireType }: WireField): number {
  if (typeof value === 'number') return value;
  throw new WireError(`proto: wrong wireType = ${wireType} for field ${protobufMessageFieldGoName(field)}`);
}

function protobufMessageFieldGoName({ name }: Field): string {
  return name === 'metadata' ? 'ObjectMeta' : name.charAt(0).toUpperCase() + name.slice(1);
}

const protobufMessageText = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

const isScalarInProtobufMessage = (type: string): boolean => !type.includes('.');

export function protobufMessageFields(name: string): readonly Field[] {
  let fields = fieldsByMessage.get(name);
  if (fields === undefined) {
    const lines = dataOfProtobuf()[name] ?? responseMessageLines(name) ?? [];
    fieldsByMessage.set(name, (fields = lines.map(parseProtobufMessageField)));
  }
  return fields;
}

function parseProtobufMessageField(line: string): Field {
  const { number, name = '', mark = '', pointer, shape, type = '' } = LINE.exec(line)?.groups ?? {};
  return {
    number: Number(number),
    name,
    omit: mark === '?' ? 'empty' : mark === '!' ? 'zero' : 'never',
    isPointer: pointer === '*',
    shape: shape === '[]' ? 'list' : shape === 'map[]' ? 'map' : 'one',
    type,
  };
}
