import type { Json } from '../../core/json.ts';
import { serverTimestamp } from '../../core/server-timestamp.ts';
import { WireError, type WireValue, protobufWireFields } from './wire.ts';

const MACHINERY = 'io.k8s.apimachinery.pkg.';
const EXTENSIONS = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.';

/** First and last time that RFC 3339 can express, in seconds since 1970. */
const YEAR_1 = -62_135_596_800;
const YEAR_10000 = 253_402_300_800;

type Values = ReadonlyMap<number, readonly WireValue[]>;
type Nested = (type: string, content: Uint8Array) => Json;

/** Messages whose JSON is not an object with the same fields. */
const SPECIAL: ReadonlyMap<string, (values: Values, nested: Nested) => Json> = new Map<
  string,
  (values: Values, nested: Nested) => Json
>(
  Object.entries({
    [`${MACHINERY}api.resource.Quantity`]: (values) => specialProtobufText(values, 1),
    [`${MACHINERY}apis.meta.v1.FieldsV1`]: (values) => specialProtobufJson(values),
    [`${MACHINERY}apis.meta.v1.MicroTime`]: (values) => specialProtobufTime(values, true),
    [`${MACHINERY}apis.meta.v1.Time`]: (values) => specialProtobufTime(values, false),
    [`${MACHINERY}runtime.RawExtension`]: (values) => specialProtobufJson(values),
    [`${MACHINERY}util.intstr.IntOrString`]: (values) =>
      specialProtobufNumber(values, 1) === 0 ? specialProtobufNumber(values, 2) : specialProtobufText(values, 3),
    [`${EXTENSIONS}JSON`]: (values) => specialProtobufJson(values),
    [`${EXTENSIONS}JSONSchemaPropsOrArray`]: (values, nested) =>
      decodeSpecialProtobufList(values, specialProtobufSchema(nested)) ?? decodeOneSpecialProtobuf(values, 1, nested),
    [`${EXTENSIONS}JSONSchemaPropsOrBool`]: (values, nested) =>
      decodeOneSpecialProtobuf(values, 2, nested) ?? specialProtobufNumber(values, 1) !== 0,
    [`${EXTENSIONS}JSONSchemaPropsOrStringArray`]: (values, nested) =>
      decodeSpecialProtobufList(values, decodeSpecialProtobufText) ?? decodeOneSpecialProtobuf(values, 1, nested),
  }),
);

/** Decodes a special message. The result is boxed, because null is a value too; undefined for an ordinary message. */
export function decodeSpecialProtobuf(
  name: string,
  bytes: Uint8Array,
  nested: Nested,
): { readonly value: Json } | undefined {
  const decode = SPECIAL.has(name) ? SPECIAL.get(name) : undefined;
  if (decode === undefined) return undefined;
  const values = new Map<number, WireValue[]>();
  for (const { number: at, value } of protobufWireFields(bytes)) values.set(at, [...(values.get(at) ?? []), value]);
  return { value: decode(values, nested) };
}

function specialProtobufNumber(values: Values, at: number): number {
  const value = values.get(at)?.at(-1);
  return typeof value === 'number' ? value : 0;
}

function specialProtobufText(values: Values, at: number): string {
  const value = values.get(at)?.at(-1);
  return value instanceof Uint8Array ? decodeSpecialProtobufText(value) : '';
}

function specialProtobufJson(values: Values): Json {
  const content = specialProtobufText(values, 1);
  if (content === '') return null;
  try {
    return JSON.parse(content) as Json;
  } catch (error) {
    throw new WireError(`the JSON inside the message cannot be read: ${(error as Error).message}`);
  }
}

/** Decodes seconds since 1970 and nanoseconds; an empty message is not a time. */
function specialProtobufTime(values: Values, hasFraction: boolean): Json {
  if (values.size === 0) return null;
  const seconds = specialProtobufNumber(values, 1);
  if (seconds < YEAR_1 || seconds >= YEAR_10000) throw new WireError('proto: a time outside of the years 1 to 9999');
  const whole = serverTimestamp(seconds * 1000);
  if (!hasFraction) return whole;
  return whole.replace('Z', `.${String(Math.floor(specialProtobufNumber(values, 2) / 1000)).padStart(6, '0')}Z`);
}

const decodeSpecialProtobufText = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

const specialProtobufSchema =
  (nested: Nested) =>
  (bytes: Uint8Array): Json =>
    nested(`${EXTENSIONS}JSONSchemaProps`, bytes);

function decodeOneSpecialProtobuf(values: Values, at: number, nested: Nested): Json {
  const value = values.get(at)?.at(-1);
  return value instanceof Uint8Array ? specialProtobufSchema(nested)(value) : null;
}

function decodeSpecialProtobufList(values: Values, decode: (bytes: Uint8Array) => Json): Json[] | undefined {
  return values
    .get(2)
    ?.filter((value) => value instanceof Uint8Array)
    .map(decode);
}
