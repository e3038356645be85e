import { duplicateFieldError, type FieldError, invalidFieldError } from '../../../core/field-error.ts';
import { isJson, type Json, type JsonObject } from '../../../core/json.ts';
import type { Schema } from '../schema.ts';

/** Errors of duplicate items or keys in lists of type `set` and `map`. */
export function listTypeErrors(value: Json, schema: Schema, field = ''): FieldError[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    const below =
      items === undefined ? [] : value.flatMap((item, at) => listTypeErrors(item, items, `${field}[${at}]`));
    return [...ownListTypeErrors(value, schema, field), ...below];
  }
  if (!isJson(value)) return [];
  return Object.entries(value).flatMap(([name, child]) => {
    const property = schema.property(name);
    if (property !== undefined) return listTypeErrors(child, property, field === '' ? name : `${field}.${name}`);
    return schema.values === undefined ? [] : listTypeErrors(child, schema.values, `${field}[${name}]`);
  });
}

function ownListTypeErrors(list: readonly Json[], { listType, listMapKeys }: Schema, field: string): FieldError[] {
  if (listType === 'set') {
    return listTypeRepeats(list).map((at) => duplicateFieldError(`${field}[${at}]`, list[at]));
  }
  if (listType !== 'map') return [];
  const wrong = list.findIndex((item) => item !== null && !isJson(item));
  if (wrong !== -1) {
    return [invalidFieldError(`${field}[${wrong}]`, list[wrong], 'must be an object for an array of list-type map')];
  }
  const keys = list.map((item) => listTypeKeys(item as JsonObject | null, listMapKeys));
  return listTypeRepeats(keys).map((at) => duplicateFieldError(`${field}[${at}]`, keys[at]));
}

function listTypeKeys(item: JsonObject | null, names: readonly string[]): JsonObject {
  const pairs = names
    .toSorted()
    .flatMap((name) => (item !== null && Object.hasOwn(item, name) ? [[name, item[name]]] : []));
  return Object.fromEntries(pairs) as JsonObject;
}

/** Indexes at which a value occurs for the second time; later duplicates are not reported. */
function listTypeRepeats(values: readonly Json[]): number[] {
  const times = new Map<string, number>();
  return values.flatMap((value, at) => {
    const text = canonicalForListType(value);
    const before = times.get(text) ?? 0;
    times.set(text, before + 1);
    return before === 1 ? [at] : [];
  });
}

function canonicalForListType(value: Json): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isJson(inner) ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}
