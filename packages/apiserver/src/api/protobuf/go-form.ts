import { isJson, type Json, type JsonObject } from '../../core/json.ts';
import {
  decodeProtobufMessage,
  type Field,
  protobufMessageFields,
  INLINE,
  IS_LIST,
} from './decode-protobuf-message.ts';

/**
 * Built-in kinds are Go types on a real server. It compares and stores values of that type, not the client's
 * JSON: null, empty lists and zeros are absent where the type leaves them out, and structs that are not
 * pointers are present even if they were not sent. `message` names the type
 * (`io.k8s.api.apps.v1.Deployment`).
 *
 * Fields that the type does not have stay as they are.
 */

/** The object without everything that Go would leave out. */
export const compactGoForm = (object: JsonObject, message: string): JsonObject => goFormStruct(object, message, false);

/** The object in the same form, including zero values of Go structs. */
export const goFormWithZeroValues = (object: JsonObject, message: string): JsonObject =>
  goFormStruct(object, message, true);

function goFormStruct(object: JsonObject, message: string, isFilled: boolean): JsonObject {
  const formed: JsonObject = { ...object };
  for (const field of protobufMessageFields(message)) {
    const { name, type } = field;
    if (name === INLINE) {
      Object.assign(formed, goFormStruct(object, type, isFilled));
      continue;
    }
    const value = formed[name] ?? null;
    const kept = value === null ? goFormAbsentField(field, isFilled) : goFormPresentField(value, field, isFilled);
    if (kept === undefined) delete formed[name];
    else formed[name] = kept;
  }
  return formed;
}

function goFormPresentField(value: Json, field: Field, isFilled: boolean): Json | undefined {
  const { shape, type } = field;
  const isOmitted = field.omit === 'never' ? () => false : isGoFormZero;
  if (shape === 'list' && Array.isArray(value)) {
    const items = value.map((item) => goFormValue(item, type, isFilled));
    return isOmitted(items) ? undefined : items;
  }
  if (shape === 'map' && isJson(value)) {
    const values = Object.entries(value).map(([key, item]) => [
      key,
      item === null ? goFormZero(type) : goFormValue(item, type, isFilled),
    ]);
    return isOmitted(value) ? undefined : (Object.fromEntries(values) as JsonObject);
  }
  if (shape !== 'one' || field.isPointer || isGoFormMessage(type)) return goFormValue(value, type, isFilled);
  return isOmitted(value) ? undefined : value;
}

/** The JSON that Go writes for a field that is not set. */
function goFormAbsentField(field: Field, isFilled: boolean): Json | undefined {
  if (!isFilled || field.omit === 'zero') return undefined;
  if (field.shape !== 'one' || field.isPointer) return field.omit === 'never' ? null : undefined;
  // Bytes are a list in Go, and an unset list is null.
  if (field.omit === 'never' && field.type === 'bytes') return null;
  return field.omit === 'never' || isGoFormMessage(field.type) ? goFormZero(field.type) : undefined;
}

function goFormValue(value: Json, type: string, isFilled: boolean): Json {
  if (!isGoFormMessage(type)) return value;
  const [first] = protobufMessageFields(type);
  if (first?.name === IS_LIST)
    return Array.isArray(value) ? value.map((item) => goFormValue(item, first.type, isFilled)) : value;
  return isJson(value) ? goFormStruct(value, type, isFilled) : value;
}

const isGoFormMessage = (type: string): boolean => type.includes('.');

const isGoFormZero = (value: Json): boolean =>
  Array.isArray(value)
    ? value.length === 0
    : isJson(value)
      ? Object.keys(value).length === 0
      : value === '' || value === 0 || value === false;

const SCALAR_ZEROS: ReadonlyMap<string, Json> = new Map<string, Json>(
  Object.entries({ string: '', bytes: '', bool: false }),
);

const zeros = new Map<string, Json>();

function goFormZero(type: string): Json {
  if (!isGoFormMessage(type)) return SCALAR_ZEROS.get(type) ?? 0;
  // On the wire a zero quantity has no text.
  if (type.endsWith('.Quantity')) return '0';
  let value = zeros.get(type);
  if (value === undefined) zeros.set(type, (value = decodeProtobufMessage(type, new Uint8Array())));
  return value;
}
