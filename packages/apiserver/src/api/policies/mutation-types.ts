import { globalFunction, type Library, type StructType } from '../../cel/check/environment.ts';
import { DYN, STRING, structType, type Type } from '../../cel/types/type.ts';
import { celTimeSpanText, celTimeText } from '../../cel/values/cel-time.ts';
import {
  Duration, fail, isCelListValue, isCelMapValue, celValueItems, type MapValue, Optional, Timestamp, Uint, type Value,
} from '../../cel/values/cel-value.ts'; // prettier-ignore
import type { Json, JsonObject } from '../../core/json.ts';

export const OBJECT: Type = structType('Object', new Map());
export const JSON_PATCH: Type = structType('JSONPatch', new Map());

/** An object that an expression builds: `Object{spec: Object.spec{replicas: 3}}`. */
class BuiltObject implements MapValue {
  readonly kind = 'map';
  readonly type: string;
  readonly fields: ReadonlyMap<string, Value>;

  constructor(type: string, fields: ReadonlyMap<string, Value>) {
    this.type = type;
    this.fields = fields;
  }

  get size(): number {
    return this.fields.size;
  }

  find(key: Value): Value | undefined {
    return typeof key === 'string' ? this.fields.get(key) : undefined;
  }

  keys(): readonly Value[] {
    return [...this.fields.keys()];
  }
}

/** The type of built objects. Any field is allowed: the object is checked when it is merged. */
const mutationObjectType = (name: string): StructType => ({
  type: name === OBJECT.name ? OBJECT : structType(name, new Map()),
  fieldType: () => DYN,
  build: (fields) => new BuiltObject(name, fields),
});

const PATCH_FIELDS: ReadonlyMap<string, Type> = new Map([
  ['op', STRING],
  ['path', STRING],
  ['from', STRING],
  ['value', DYN],
]);

const patchType: StructType = {
  type: JSON_PATCH,
  fieldType: (name) => PATCH_FIELDS.get(name),
  build: (fields) => new BuiltObject(JSON_PATCH.name, fields),
};

/** The library that only expressions of mutations can use. */
export const mutationLibrary: Library = {
  functions: {
    'jsonpatch.escapeKey': [
      globalFunction('string_jsonpatch_escapeKey_string', [STRING], STRING, ([key]) =>
        (key as string).replaceAll('~', '~0').replaceAll('/', '~1'),
      ),
    ],
  },
  structs: (name) => {
    if (name === JSON_PATCH.name) return patchType;
    return name === OBJECT.name || name.startsWith(`${OBJECT.name}.`) ? mutationObjectType(name) : undefined;
  },
};

/** The reason why a built object has the type name of another field; undefined if there is none. */
export function misnamedMutationType(value: Value, path: string = OBJECT.name): string | undefined {
  if (value instanceof BuiltObject) {
    if (value.type !== path)
      return `unexpected type name ${JSON.stringify(value.type)}, expected ${JSON.stringify(path)}, which matches field name path from root Object type`;
    return firstMutationType([...value.fields], ([name, field]) => misnamedMutationType(field, `${path}.${name}`));
  }
  if (isCelListValue(value)) return firstMutationType(celValueItems(value), (item) => misnamedMutationType(item, path));
  if (isCelMapValue(value))
    return firstMutationType(value.keys(), (key) => misnamedMutationType(value.find(key) ?? null, path));
  return undefined;
}

function firstMutationType<T>(items: readonly T[], find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A value of an expression as JSON. Throws a failure for keys that are not texts. */
export function jsonOfMutation(value: Value): Json {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Uint) return Number(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Timestamp) return celTimeText(value);
  if (value instanceof Duration) return celTimeSpanText(value);
  if (value instanceof Optional) return value.content === undefined ? null : jsonOfMutation(value.content);
  if (isCelListValue(value)) return celValueItems(value).map(jsonOfMutation);
  if (isCelMapValue(value)) return jsonOfMutationMap(value);
  if (value === null || typeof value !== 'object') return value;
  throw fail('the value has no form in JSON');
}

function jsonOfMutationMap(map: MapValue): JsonObject {
  const object = new Map<string, Json>();
  for (const key of map.keys()) {
    if (typeof key !== 'string') throw fail('a key of a map is not a string');
    object.set(key, jsonOfMutation(map.find(key) ?? null));
  }
  return Object.fromEntries(object);
}
