import fc from 'fast-check';
import { type Field, INLINE, IS_LIST, protobufMessageFields } from '../../src/api/protobuf/decode-protobuf-message.ts';
import type { Json, JsonObject } from '../../src/core/json.ts';

const MACHINERY = 'io.k8s.apimachinery.pkg.';
const EXTENSIONS = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.';
const SCHEMA = `${EXTENSIONS}JSONSchemaProps`;
/** Below this depth only what a type cannot be without is generated. */
const MAX_DEPTH = 3;

type Draw = fc.GeneratorValue;

const text = fc.oneof(
  fc.constantFrom('', 'a', 'é', '😀', '__proto__', 'x'.repeat(200)),
  fc.string({ unit: 'binary', maxLength: 8 }),
);
const key = fc.oneof(fc.constantFrom('__proto__', 'a', '\ufffd', '😀'), fc.string({ unit: 'binary', maxLength: 8 }));
const seconds = fc.integer({ min: -62_135_596_799, max: 253_402_300_799 });
const json = fc
  .jsonValue({ maxDepth: 3, stringUnit: 'binary' })
  .filter((value) => value !== null)
  .map((value) => JSON.parse(JSON.stringify(value)) as Json);

const timeText = (at: number): string => new Date(at * 1000).toISOString().slice(0, 19);

/** Values of messages whose JSON is not an object of the same fields. */
const SPECIAL: Record<string, (draw: Draw, depth: number) => Json> = {
  [`${MACHINERY}api.resource.Quantity`]: (draw) => draw(fc.constantFrom, '0', '100m', '1Gi', '1e3', '-5'),
  [`${MACHINERY}apis.meta.v1.FieldsV1`]: (draw) => ({ 'f:metadata': draw(() => json) }),
  [`${MACHINERY}apis.meta.v1.Time`]: (draw) => `${timeText(draw(() => seconds))}Z`,
  [`${MACHINERY}apis.meta.v1.MicroTime`]: (draw) =>
    `${timeText(draw(() => seconds))}.${String(draw(fc.nat, { max: 999_999 })).padStart(6, '0')}Z`,
  [`${MACHINERY}runtime.RawExtension`]: (draw) => draw(() => json),
  [`${MACHINERY}util.intstr.IntOrString`]: (draw) => (draw(fc.boolean) ? draw(integer32) : draw(() => text)),
  [`${EXTENSIONS}JSON`]: (draw) => draw(() => json),
  [`${EXTENSIONS}JSONSchemaPropsOrArray`]: (draw, depth) =>
    draw(fc.boolean) ? randomMessage(draw, SCHEMA, depth) : [randomMessage(draw, SCHEMA, depth)],
  [`${EXTENSIONS}JSONSchemaPropsOrBool`]: (draw, depth) =>
    draw(fc.boolean) ? draw(fc.boolean) : randomMessage(draw, SCHEMA, depth),
  [`${EXTENSIONS}JSONSchemaPropsOrStringArray`]: (draw, depth) =>
    draw(fc.boolean) ? ['a', draw(() => text)] : randomMessage(draw, SCHEMA, depth),
};

const integer32 = () => fc.oneof(fc.constantFrom(0, -1, 2_147_483_647, -2_147_483_648), fc.integer());

/** A value of a Go type as a real server writes it in JSON: nothing is there that Go would leave out. */
export function randomMessage(draw: Draw, name: string, depth = 0): Json {
  const special = SPECIAL[name];
  if (special !== undefined) return special(draw, depth + 1);
  const object: JsonObject = {};
  for (const field of protobufMessageFields(name)) {
    if (field.name === IS_LIST) return randomList(draw, field, depth);
    if (field.name === INLINE) {
      Object.assign(object, randomMessage(draw, field.type, depth));
      continue;
    }
    const value = randomField(draw, field, depth);
    if (value !== undefined) object[field.name] = value;
  }
  return object;
}

function randomField(draw: Draw, field: Field, depth: number): Json | undefined {
  const absent = field.omit === 'never' ? null : undefined;
  const isMessage = field.type.includes('.');
  const isOptional = field.isPointer || field.shape !== 'one' || field.type === 'bytes';
  if (isOptional && (depth >= MAX_DEPTH || draw(fc.boolean))) return absent;
  if (field.shape === 'list') return randomList(draw, field, depth);
  if (field.shape === 'map') {
    const keys = draw(fc.uniqueArray, key, { minLength: 1, maxLength: 3 });
    return Object.fromEntries(keys.map((name) => [name, randomValue(draw, field.type, depth)]));
  }
  // A struct is never left out, except for a time that is zero.
  if (isMessage && field.omit === 'zero' && draw(fc.boolean)) return undefined;
  const value = randomValue(draw, field.type, depth);
  const isEmpty = value === '' || value === 0 || value === false;
  return isEmpty && field.omit === 'empty' && !field.isPointer && !isMessage ? undefined : value;
}

const randomList = (draw: Draw, field: Field, depth: number): Json[] =>
  Array.from({ length: draw(fc.integer, { min: 1, max: 2 }) }, () => randomValue(draw, field.type, depth));

function randomValue(draw: Draw, type: string, depth: number): Json {
  switch (type) {
    case 'string':
      return draw(() => text);
    case 'bytes':
      return Buffer.from(draw(fc.uint8Array, { maxLength: 5 })).toString('base64');
    case 'bool':
      return draw(fc.boolean);
    case 'int32':
      return draw(integer32);
    case 'int64':
      return draw(fc.maxSafeInteger);
    case 'double':
      return draw(fc.double, { noNaN: true, noDefaultInfinity: true }) + 0;
    default:
      return randomMessage(draw, type, depth + 1);
  }
}
