import { type FieldError, invalidFieldError, requiredFieldError } from '../../../core/field-error.ts';
import { isJson, type Json, type JsonObject } from '../../../core/json.ts';
import type { Schema } from '../schema.ts';

const DNS_1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const DNS_1035_TEXT =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and " +
  "end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is " +
  "'[a-z]([-a-z0-9]*[a-z0-9])?')";

/** Errors of embedded objects (`x-kubernetes-embedded-resource`), which must have apiVersion and kind. */
export function embeddedErrors(value: Json, schema: Schema, field = ''): FieldError[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined ? [] : value.flatMap((item, at) => embeddedErrors(item, items, `${field}[${at}]`));
  }
  if (!isJson(value)) return [];
  const own = schema.embeddedResource ? embeddedTypeErrors(value, field) : [];
  const below = Object.entries(value).flatMap(([name, child]) => {
    const property = schema.property(name);
    if (property !== undefined) return embeddedErrors(child, property, field === '' ? name : `${field}.${name}`);
    return schema.values === undefined ? [] : embeddedErrors(child, schema.values, `${field}[${name}]`);
  });
  return [...own, ...below];
}

function embeddedTypeErrors(object: JsonObject, field: string): FieldError[] {
  return ['apiVersion', 'kind'].flatMap((name) => {
    const [path, value] = [`${field}.${name}`, object[name]];
    if (value === undefined) return [requiredFieldError(path)];
    if (typeof value !== 'string') return [invalidFieldError(path, value, 'must be a string')];
    if (value === '') return [invalidFieldError(path, value, 'must not be empty')];
    if (name === 'apiVersion') {
      return value.split('/').length > 2
        ? [invalidFieldError(path, value, `unexpected GroupVersion string: ${value}`)]
        : [];
    }
    if (value.length <= 63 && DNS_1035.test(value.toLowerCase())) return [];
    return [invalidFieldError(path, value, `may have mixed case, but should otherwise match: ${DNS_1035_TEXT}`)];
  });
}
