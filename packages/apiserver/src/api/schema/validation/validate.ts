import type { FieldError } from '../../../core/field-error.ts';
import type { Json } from '../../../core/json.ts';
import type { ApiObject } from '../../../core/kube-object.ts';
import { Work } from '../../../core/work.ts';
import type { Schema } from '../schema.ts';
import { embeddedErrors } from './embedded.ts';
import { listTypeErrors } from './list-types.ts';
import { validateValue, NO_FIELD } from './validate-value.ts';

/**
 * Errors of an object under its structural schema: types, bounds, required fields, alternatives, formats,
 * embedded objects, lists with keys. Metadata, which all kinds share, and CEL rules are not checked here.
 *
 * `old` is the stored object on an update. Values equal to the stored ones are not reported. Throws 413 if
 * the check takes too much work.
 */
export function validateAgainstSchema(
  object: ApiObject,
  schema: Schema,
  old?: ApiObject,
  work: Work = schemaValidationWork(),
): FieldError[] {
  const [value, stored] = [object as Json, old as Json | undefined];
  return [
    ...validateSchemaAtField(value, schema, NO_FIELD, stored, work),
    ...embeddedErrors(value, schema),
    ...validateNew(value, schema, stored),
  ];
}

/** Errors of an update of the status subresource: only the status part of the schema is checked. */
export function validateStatusBySchema(object: ApiObject, schema: Schema, old?: ApiObject): FieldError[] {
  const [status, stored] = [object['status'] as Json | undefined, old?.['status'] as Json | undefined];
  const statusSchema = schema.property('status');
  return [
    ...(status === undefined || statusSchema === undefined
      ? []
      : validateSchemaAtField(status, statusSchema, 'status', stored, schemaValidationWork())),
    ...validateNew(object as Json, schema, old as Json | undefined),
  ];
}

const schemaValidationWork = (): Work => new Work('validation against the schema');

function validateSchemaAtField(
  value: Json,
  schema: Schema,
  field: string,
  stored: Json | undefined,
  work: Work,
): FieldError[] {
  const place = { field, name: '', root: field };
  const before = stored === undefined ? undefined : { value: stored, schema };
  return validateValue({ value, schema, place, stored: before, work }).errors;
}

/** Errors of the parts that are new: if a list was already invalid, this list and all others may stay so. */
function validateNew(value: Json, schema: Schema, stored: Json | undefined): FieldError[] {
  const errors = listTypeErrors(value, schema);
  const wasBroken = errors.length > 0 && stored !== undefined && listTypeErrors(stored, schema).length > 0;
  return wasBroken ? [] : errors;
}
