import { goMicroTime, goTime } from '../../core/go/go-time.ts';
import { canonicalGoBase64 } from '../../core/go/go-base64.ts';
import type { ApiObject } from '../../core/kube-object.ts';
import { type Field, protobufMessageFields, INLINE, IS_LIST } from '../protobuf/decode-protobuf-message.ts';
import { type Fields, isFields } from './common/fields.ts';
import { canonicalQuantity } from './common/quantity.ts';

/**
 * Converts an object of a built-in kind to the form of a server with typed structs: fields in the order of
 * the type, zero values omitted or shown according to the type, quantities in canonical form. `null`, an
 * empty list and an empty map count as absent.
 *
 * Changes `object` itself; everything below its first level is new.
 */
export function takeTypedForm(object: ApiObject, message: string): void {
  const typed = typedFormStruct(object, message);
  for (const name of Object.keys(object)) delete object[name];
  Object.assign(object, typed);
}

const MACHINERY = 'io.k8s.apimachinery.pkg.';
const OBJECT_META = `${MACHINERY}apis.meta.v1.ObjectMeta`;
const QUANTITY = `${MACHINERY}api.resource.Quantity`;
const TIME = `${MACHINERY}apis.meta.v1.Time`;
const MICRO_TIME = `${MACHINERY}apis.meta.v1.MicroTime`;

/**
 * Types of definitions, which are stored as JSON, which keeps an empty list; all others are stored as
 * protobuf, which does not.
 */
const STORED_AS_JSON = 'io.k8s.apiextensions-apiserver.';

/** Types whose JSON is not a struct, and their zero values. */
const OPAQUE: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  [QUANTITY, '0'],
  [`${MACHINERY}util.intstr.IntOrString`, 0],
  [TIME, null],
  [MICRO_TIME, null],
  [`${MACHINERY}apis.meta.v1.FieldsV1`, null],
  [`${MACHINERY}runtime.RawExtension`, null],
  ['string', ''],
  ['bytes', ''],
  ['bool', false],
  ['int32', 0],
  ['int64', 0],
  ['double', 0],
]);

function typedFormStruct(source: Fields, message: string): Fields {
  const fields = protobufMessageFields(message);
  if (fields.length === 0) return source;
  const typed: Fields = {};
  // Embedded objects keep their kind and apiVersion: claims in the template of a StatefulSet.
  if (fields.some(({ type }) => type === OBJECT_META))
    for (const name of ['kind', 'apiVersion']) if (source[name] !== undefined) typed[name] = source[name];
  for (const field of fields) {
    if (field.name === INLINE) Object.assign(typed, typedFormStruct(source, field.type));
    else {
      const value = typedFormField(field, source[field.name]);
      const isEmptyList = value === null && field.shape === 'list' && Array.isArray(source[field.name]);
      if (value !== undefined) typed[field.name] = isEmptyList && message.startsWith(STORED_AS_JSON) ? [] : value;
    }
  }
  return typed;
}

function typedFormField(field: Field, value: unknown): unknown {
  const { shape, type, omit, isPointer } = field;
  const absent = omit === 'never' ? null : undefined;
  if (shape === 'list') {
    if (!Array.isArray(value) || value.length === 0) return absent;
    return value.map((item) => typedFormValue(type, item));
  }
  if (shape === 'map') {
    const names = isFields(value) ? Object.keys(value) : [];
    if (names.length === 0) return absent;
    const map = value as Fields;
    return Object.fromEntries(names.toSorted().map((name) => [name, typedFormValue(type, map[name], true)]));
  }
  if (isPointer && (value === undefined || value === null)) return absent;
  const typed = typedFormValue(type, value);
  if (isPointer || omit === 'never') return typed;
  if (omit === 'zero' && typed === null) return undefined;
  return typed === '' || typed === 0 || typed === false ? (isTypedFormStruct(type) ? typed : undefined) : typed;
}

/** Whether a type is a struct. It is shown even if it is empty: `omitempty` does not apply to structs. */
const isTypedFormStruct = (type: string): boolean => type.includes('.');

function typedFormValue(type: string, value: unknown, isResource = false): unknown {
  if (value === undefined || value === null) return OPAQUE.has(type) ? OPAQUE.get(type) : typedFormMessage(type, {});
  if (type === QUANTITY && (typeof value === 'string' || typeof value === 'number'))
    return canonicalQuantity(String(value).trim(), isResource);
  if (typeof value === 'string') {
    if (type === 'bytes') return canonicalGoBase64(value);
    if (type === TIME || type === MICRO_TIME) return typedFormTime(value, type);
  }
  return OPAQUE.has(type) ? value : typedFormMessage(type, value);
}

function typedFormTime(text: string, type: string): string {
  const time = type === TIME ? goTime(text) : goMicroTime(text);
  return 'written' in time ? time.written : text;
}

function typedFormMessage(type: string, value: unknown): unknown {
  const [first] = protobufMessageFields(type);
  if (first?.name === IS_LIST) return value;
  return isFields(value) ? typedFormStruct(value, type) : value;
}
