import { isJson, type Json, type JsonObject } from '../../core/json.ts';
import { specialProtobufEncoder, type WriteNested } from './encode-special-protobuf.ts';
import { type Field, INLINE, IS_LIST, protobufMessageFields } from './decode-protobuf-message.ts';
import { ReverseWriter } from './reverse-writer.ts';

/** Fields by descending number, the order in which they are written. */
const programs = new Map<string, readonly Field[]>();

/** A writer shared by all messages: encoding never waits, so there is only one user at a time. */
const writer = new ReverseWriter();

/**
 * A JSON value as the message of a Go type, byte for byte as Go's generated code writes it.
 *
 * Fields come in the order of their numbers and maps in the order of their keys. Fields that are not pointers
 * are always written, even if zero; a pointer, a list or a map only if it has a value. Fields that the type
 * does not have are left out, including kind and apiVersion.
 */
export function encodeProtobufMessage(name: string, value: Json): Buffer {
  writer.clear();
  encodeProtobufMessageInto(name, value);
  return writer.take();
}

function encodeProtobufMessageInto(name: string, value: Json): void {
  const special = specialProtobufEncoder(name);
  if (special !== undefined) return special(writer, value, encodeNestedProtobufMessage);
  const object: JsonObject = isJson(value) ? value : {};
  for (const field of programToEncodeProtobufMessage(name)) {
    if (field.name === INLINE) encodeNestedProtobufMessage(field.number, field.type, object);
    else encodeProtobufMessageField(field, field.name === IS_LIST ? value : (object[field.name] ?? null));
  }
}

function encodeProtobufMessageField(field: Field, value: Json): void {
  if (field.shape === 'list') {
    if (!Array.isArray(value)) return;
    for (let at = value.length - 1; at >= 0; at -= 1)
      encodeProtobufMessageValue(field.number, field.type, value[at] ?? null);
  } else if (field.shape === 'map') {
    if (isJson(value)) encodeProtobufMessageMap(field, value);
  } else if (value !== null) encodeProtobufMessageValue(field.number, field.type, value);
  else if (!field.isPointer && field.type !== 'bytes') encodeProtobufMessageValue(field.number, field.type, value);
}

function encodeProtobufMessageMap({ number, type }: Field, map: JsonObject): void {
  const keys = Object.keys(map).toSorted(compareToEncodeProtobufMessage);
  for (const key of keys.toReversed()) {
    const start = writer.length;
    encodeProtobufMessageValue(2, type, map[key] ?? null);
    writer.text(1, key);
    writer.close(number, start);
  }
}

/** Encodes one value. Null is the zero value of the type. */
function encodeProtobufMessageValue(number: number, type: string, value: Json): void {
  switch (type) {
    case 'string':
      return writer.text(number, typeof value === 'string' ? value : '');
    case 'bytes':
      return writer.bytes(number, Buffer.from(typeof value === 'string' ? value : '', 'base64'));
    case 'bool':
      return writer.flag(number, value === true);
    case 'int32':
    case 'int64':
      return writer.integer(number, typeof value === 'number' ? value : 0);
    case 'double':
      return writer.double(number, typeof value === 'number' ? value : 0);
    default:
      return encodeNestedProtobufMessage(number, type, value);
  }
}

const encodeNestedProtobufMessage: WriteNested = (number, type, value) => {
  const start = writer.length;
  encodeProtobufMessageInto(type, value);
  writer.close(number, start);
};

function programToEncodeProtobufMessage(name: string): readonly Field[] {
  let program = programs.get(name);
  if (program === undefined)
    programs.set(name, (program = protobufMessageFields(name).toSorted((a, b) => b.number - a.number)));
  return program;
}

const SURROGATE = /[\ud800-\udfff]/;

/** Compares by bytes of UTF-8, as Go sorts. JavaScript's order differs only for characters beyond U+FFFF. */
const compareToEncodeProtobufMessage = (a: string, b: string): number =>
  SURROGATE.test(a) || SURROGATE.test(b) ? Buffer.compare(Buffer.from(a), Buffer.from(b)) : a < b ? -1 : a > b ? 1 : 0;
