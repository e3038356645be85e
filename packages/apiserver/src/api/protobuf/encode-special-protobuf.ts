import { goJsonText } from '../../core/go/json-text.ts';
import { isJson, type Json } from '../../core/json.ts';
import type { ReverseWriter } from './reverse-writer.ts';

const MACHINERY = 'io.k8s.apimachinery.pkg.';
const EXTENSIONS = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.';
const SCHEMA = `${EXTENSIONS}JSONSchemaProps`;

/** Seconds from 1970 to Go's zero time, the first of January of the year 1. */
const ZERO_TIME = -62_135_596_800;
const IS_TEXT = 1;

/** Writes a nested message as a field. */
export type WriteNested = (number: number, type: string, value: Json) => void;

type Encode = (writer: ReverseWriter, value: Json, nested: WriteNested) => void;

/**
 * Messages whose JSON is not an object with the same fields: the reverse of `decode-special-protobuf.ts`. The
 * last field comes first.
 */
const SPECIAL: ReadonlyMap<string, Encode> = new Map<string, Encode>(
  Object.entries({
    [`${MACHINERY}api.resource.Quantity`]: (writer, value) => writer.text(1, encodeSpecialProtobufText(value, '0')),
    [`${MACHINERY}apis.meta.v1.FieldsV1`]: (writer, value) => encodeSpecialJson(writer, value, JSON.stringify),
    [`${MACHINERY}apis.meta.v1.MicroTime`]: (writer, value) => encodeSpecialTime(writer, value, true),
    [`${MACHINERY}apis.meta.v1.Time`]: (writer, value) => encodeSpecialTime(writer, value, false),
    [`${MACHINERY}runtime.RawExtension`]: (writer, value) => encodeSpecialJson(writer, value, JSON.stringify),
    [`${MACHINERY}util.intstr.IntOrString`]: (writer, value) => {
      const isText = typeof value === 'string';
      writer.text(3, isText ? value : '');
      writer.integer(2, typeof value === 'number' ? value : 0);
      writer.integer(1, isText ? IS_TEXT : 0);
    },
    [`${EXTENSIONS}JSON`]: (writer, value) => encodeSpecialJson(writer, value, encodeSortedSpecialProtobuf),
    [`${EXTENSIONS}JSONSchemaPropsOrArray`]: (_, value, nested) => {
      if (Array.isArray(value)) for (const schema of value.toReversed()) nested(2, SCHEMA, schema);
      else if (value !== null) nested(1, SCHEMA, value);
    },
    [`${EXTENSIONS}JSONSchemaPropsOrBool`]: (writer, value, nested) => {
      if (isJson(value)) nested(2, SCHEMA, value);
      // A schema allows more than nothing.
      writer.flag(1, value === true || isJson(value));
    },
    [`${EXTENSIONS}JSONSchemaPropsOrStringArray`]: (writer, value, nested) => {
      if (Array.isArray(value))
        for (const text of value.toReversed()) writer.text(2, encodeSpecialProtobufText(text, ''));
      else if (value !== null) nested(1, SCHEMA, value);
    },
  } satisfies Record<string, Encode>),
);

/** The encoder of a special message; undefined for an ordinary one. */
export const specialProtobufEncoder = (name: string): Encode | undefined => SPECIAL.get(name);

const encodeSpecialProtobufText = (value: Json, otherwise: string): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : otherwise;

function encodeSpecialJson(writer: ReverseWriter, value: Json, text: (value: Json) => string): void {
  if (value !== null) writer.text(1, text(value));
}

/** Encodes the JSON in a schema like Go, which parses and writes it again: keys in order, HTML characters escaped. */
const encodeSortedSpecialProtobuf = (value: Json): string => goJsonText(sortToEncodeSpecialProtobuf(value));

function sortToEncodeSpecialProtobuf(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortToEncodeSpecialProtobuf);
  if (!isJson(value)) return value;
  const keys = Object.keys(value).toSorted();
  return Object.fromEntries(keys.map((key) => [key, sortToEncodeSpecialProtobuf(value[key] as Json)]));
}

const FRACTION = /\.(\d+)/;

/** Encodes seconds and nanoseconds, both always written; no time at all is an empty message. */
function encodeSpecialTime(writer: ReverseWriter, value: Json, hasFraction: boolean): void {
  if (typeof value !== 'string') return;
  // oxlint-disable-next-line no-restricted-globals -- reads a time it was given, not the clock
  const seconds = Math.floor(Date.parse(value.replace(FRACTION, '')) / 1000);
  const digits = hasFraction ? (FRACTION.exec(value)?.[1] ?? '') : '';
  const nanos = Number(digits.slice(0, 6).padEnd(9, '0'));
  if (Number.isNaN(seconds) || (seconds === ZERO_TIME && nanos === 0)) return;
  writer.integer(2, nanos);
  writer.integer(1, seconds);
}
