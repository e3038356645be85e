import {
  duplicateFieldError,
  type FieldError,
  invalidFieldError,
  requiredFieldError,
  tooManyFieldError,
} from '../../../core/field-error.ts';
import { type Fields, fieldsAt, isFields, itemsField, textField } from '../common/fields.ts';

const MAX_FIELDS = 8;
const TYPES = ['string', 'boolean', 'integer'];

/** Errors of the `selectableFields` of a version, which must be simple paths to fields of its schema, each once. */
export function selectableFieldErrors(version: Fields, schema: Fields, path: string): FieldError[] {
  const fields = itemsField(version, 'selectableFields');
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, field] of fields.entries()) {
    const at = `${path}[${index}].jsonPath`;
    const jsonPath = textField(field, 'jsonPath');
    const fault = jsonPath === '' ? undefined : selectableFieldPathError(jsonPath, schema);
    if (jsonPath === '') errors.push(requiredFieldError(at));
    else if (fault !== undefined) errors.push(invalidFieldError(at, jsonPath, fault));
    else if (seen.has(jsonPath)) errors.push(duplicateFieldError(at, jsonPath));
    else seen.add(jsonPath);
  }
  if (errors.length === 0 && fields.length > MAX_FIELDS)
    errors.push(tooManyFieldError(path, fields.length, `must have at most ${MAX_FIELDS} items`));
  return errors;
}

function selectableFieldPathError(jsonPath: string, schema: Fields): string | undefined {
  const isInvalid = 'is an invalid path:';
  const start = /^[^.[]+/.exec(jsonPath);
  if (start !== null) return `${isInvalid} expected [ or . but got: ${start[0]}`;
  if (jsonPath.includes('[')) return `${isInvalid} array notation is not allowed`;
  if (jsonPath.endsWith('.')) return `${isInvalid} unexpected end of JSON path`;
  const names = jsonPath.slice(1).split('.');
  const found = names.reduce<Fields | undefined>(schemaErrorOfSelectableField, schema);
  if (found === undefined) return `${isInvalid} does not refer to a valid field`;
  if (names[0] === 'metadata') return 'must not point to fields in metadata';
  return TYPES.includes(textField(found, 'type'))
    ? undefined
    : 'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
}

function schemaErrorOfSelectableField(schema: Fields | undefined, name: string): Fields | undefined {
  if (schema === undefined) return undefined;
  const field = fieldsAt(schema, 'properties')[name] ?? schema['additionalProperties'];
  return isFields(field) ? field : undefined;
}
