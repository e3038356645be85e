import { isDeepStrictEqual } from 'node:util';
import {
  invalidFieldError,
  requiredFieldError,
  tooManyFieldError,
  unsupportedFieldError,
} from '../../../core/field-error.ts';
import { isJson, type Json, type JsonObject } from '../../../core/json.ts';
import { schemaFrom } from '../schema-from.ts';
import type { Work } from '../../../core/work.ts';
import type { Schema } from '../schema.ts';
import { Findings } from './findings.ts';
import { isUnchangedForRatchet, type Stored, ratchetStoredField, ratchetStoredItem } from './ratchet.ts';
import {
  validateScalarFormat,
  validateScalarNumber,
  validatesScalarType,
  validateScalarText,
  validateScalarType,
  type Place,
  scalarRootError,
} from './scalar.ts';

/** A value to be validated. */
export interface Subject {
  readonly value: Json;
  readonly schema: Schema;
  readonly place: Place;
  /** The stored value at the same path, on an update. */
  readonly stored?: Stored | undefined;
  /** Spent by every check of a value under a schema, alternatives included. */
  readonly work: Work;
}

/** The field name of errors about a whole object. */
export const NO_FIELD = '<nil>';

/** Checks a value and everything in it, in kube-apiserver's order and with its messages. */
export function validateValue(subject: Subject): Findings {
  const found = validateWholeValue(subject);
  if (found.isValid || !isUnchangedForRatchet(subject.value, subject.stored, subject.work)) return found;
  const forgiven = new Findings();
  forgiven.passed = found.passed;
  return forgiven;
}

function validateWholeValue(subject: Subject): Findings {
  const { value, schema, place, work } = subject;
  const found = new Findings();
  work.spend(1 + schema.required.length);
  if (value === null) return found.merge(validateScalarType(value, schema, place)).merge(validateValueEnum(subject));
  const checks: (Findings | undefined)[] = [
    validatesScalarType(schema) ? validateScalarType(value, schema, place) : undefined,
    validateValueCombinations(subject),
    typeof value === 'string' ? validateScalarText(value, schema, place, work) : undefined,
    typeof value === 'string' ? validateScalarFormat(value, schema, place) : undefined,
    typeof value === 'number' ? validateScalarNumber(value, schema, place) : undefined,
    Array.isArray(value) ? validateListValue(subject, value) : undefined,
    validateValueEnum(subject),
    isJson(value) ? validateObjectValue(subject, value) : undefined,
  ];
  for (const check of checks) if (check !== undefined) found.merge(check).pass();
  // Every level above copies the findings.
  work.spend(found.size);
  return found.pass();
}

function validateValueEnum({ value, schema, place, work }: Subject): Findings {
  const found = new Findings();
  const allowed = schema.enum ?? [];
  work.spend(allowed.length);
  if (allowed.length === 0 || allowed.some((one) => isValidValueChoice(one, value))) return found;
  const texts = allowed.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
  return found.add(unsupportedFieldError(place.field, value, texts));
}

/**
 * Whether a value equals a choice of an enum. Null is never a choice, and a fraction is cut off before it is
 * compared with a whole number.
 */
function isValidValueChoice(choice: Json, value: Json): boolean {
  if (typeof choice === 'number' && typeof value === 'number' && Number.isInteger(choice)) {
    return choice === Math.trunc(value);
  }
  return choice !== null && isDeepStrictEqual(choice, value);
}

/** Checks `anyOf`, `oneOf`, `allOf` and `not`: each alternative checks the same value. */
function validateValueCombinations(subject: Subject): Findings {
  const found = new Findings();
  const { raw } = subject.schema;
  const under = (alternative: Json): Findings =>
    validateWholeValue({ ...subject, schema: schemaFrom(isJson(alternative) ? alternative : {}) });
  const name = JSON.stringify(subject.place.name);
  if (isFilledListValue(raw['anyOf'])) {
    const results = raw['anyOf'].map(under);
    const valid = results.find(({ isValid }) => isValid);
    if (valid === undefined)
      found.add(scalarRootError(subject.place, `${name} must validate at least one schema (anyOf)`));
    found.merge(valid ?? nearestValidateValueFindings(results));
  }
  if (isFilledListValue(raw['oneOf'])) {
    const results = raw['oneOf'].map(under);
    const valid = results.filter(({ isValid }) => isValid);
    const [only, ...others] = valid;
    if (only !== undefined && others.length === 0) found.merge(only);
    else {
      const count = only === undefined ? 'Found none valid' : `Found ${valid.length} valid alternatives`;
      found.add(scalarRootError(subject.place, `${name} must validate one and only one schema (oneOf). ${count}`));
      if (only === undefined) found.merge(nearestValidateValueFindings(results));
    }
  }
  if (isFilledListValue(raw['allOf'])) {
    const results = raw['allOf'].map(under);
    for (const result of results) found.merge(result);
    if (results.some(({ isValid }) => !isValid)) {
      const none = results.some(({ isValid }) => isValid) ? '' : '. None validated';
      found.add(scalarRootError(subject.place, `${name} must validate all the schemas (allOf)${none}`));
    }
  }
  if (isJson(raw['not']) && under(raw['not']).isValid)
    found.add(scalarRootError(subject.place, `${name} must not validate the schema (not)`));
  return found.pass();
}

const isFilledListValue = (value: Json | undefined): value is Json[] => Array.isArray(value) && value.length > 0;

/** The findings of the alternative that passed the most checks; the first of several. */
function nearestValidateValueFindings(results: readonly Findings[]): Findings {
  return results.reduce((a, b) => (b.passed > a.passed ? b : a));
}

function validateListValue({ schema, place, stored, work }: Subject, list: readonly Json[]): Findings {
  const found = new Findings();
  const { items } = schema;
  if (items !== undefined) {
    for (const [index, value] of list.entries()) {
      const at = { ...place, field: `${place.field}[${index}]`, name: `${place.name}[${index}]` };
      const before = ratchetStoredItem(stored, value, work);
      found.merge(validateValue({ value, schema: items, place: at, stored: before, work }));
    }
  }
  const { minItems, maxItems } = schema.raw;
  if (typeof minItems === 'number' && list.length < minItems) {
    found.add(
      invalidFieldError(place.field, list.length, `${place.name} in body should have at least ${minItems} items`),
    );
  }
  if (typeof maxItems === 'number' && list.length > maxItems)
    found.add(tooManyValidatedValues(place.field, list.length, maxItems));
  return found.pass();
}

function validateObjectValue(subject: Subject, object: JsonObject): Findings {
  const { schema, place } = subject;
  const found = new Findings();
  const { minProperties, maxProperties } = schema.raw;
  const names = Object.keys(object);
  subject.work.spend(names.length);
  if (typeof minProperties === 'number' && names.length < minProperties) {
    const detail = `${place.name} in body should have at least ${minProperties} properties`;
    found.add(invalidFieldError(place.field, names.length, detail));
  }
  if (typeof maxProperties === 'number' && names.length > maxProperties) {
    found.add(tooManyValidatedValues(place.field, names.length, maxProperties));
  }
  const check = (name: string, child: Schema | undefined): void => {
    if (child !== undefined) found.merge(validateValue(validatedChildValue(subject, object, name, child)));
  };
  for (const name of names) if (schema.property(name) === undefined) check(name, schema.values);
  for (const name of names) check(name, schema.property(name));
  for (const name of schema.required) {
    if (!Object.hasOwn(object, name)) found.add(requiredFieldError(validatedChildValuePlace(place, name).field));
  }
  return found;
}

function validatedChildValue(
  { place, stored, work }: Subject,
  object: JsonObject,
  name: string,
  schema: Schema,
): Subject {
  // Versions of one resource share the stored objects, so a change of kind or apiVersion is not visible.
  const isTypeMeta = place.name === '' && (name === 'kind' || name === 'apiVersion');
  return {
    value: object[name] as Json,
    schema,
    place: validatedChildValuePlace(place, name),
    stored: isTypeMeta ? undefined : ratchetStoredField(stored, name),
    work,
  };
}

function validatedChildValuePlace({ field, name, root }: Place, child: string): Place {
  return {
    field: field === NO_FIELD ? child : `${field}.${child}`,
    name: name === '' ? child : `${name}.${child}`,
    root,
  };
}

function tooManyValidatedValues(field: string, count: number, limit: number): ReturnType<typeof tooManyFieldError> {
  return tooManyFieldError(field, count, `must have at most ${limit} item${limit === 1 ? '' : 's'}`);
}
