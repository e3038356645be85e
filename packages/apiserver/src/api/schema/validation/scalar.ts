import {
  type FieldError,
  fieldErrorNumber,
  invalidFieldError,
  tooLongFieldError,
  wrongTypeFieldError,
} from '../../../core/field-error.ts';
import type { Json } from '../../../core/json.ts';
import { hasFormat, isKnownFormat } from '../formats/formats.ts';
import { Re2, Re2SyntaxError } from '../re2/re2.ts';
import type { Work } from '../../../core/work.ts';
import type { Schema } from '../schema.ts';
import { Findings } from './findings.ts';

/** The place of a value, as the field of an error and as its name in a sentence. */
export interface Place {
  readonly field: string;
  readonly name: string;
  /** Name used in errors that have no field. */
  readonly root: string;
}

export const scalarRootError = ({ root }: Place, detail: string): FieldError => invalidFieldError(root, '', detail);

/** The type of a value in OpenAPI's terms, with the format that Go has for a number. */
function scalarTypeToValidate(value: Json): { readonly type: string; readonly format: string } {
  if (value === null) return { type: 'null', format: '' };
  if (Array.isArray(value)) return { type: 'array', format: '' };
  if (typeof value === 'number') {
    return Number.isInteger(value) ? { type: 'integer', format: 'int64' } : { type: 'number', format: 'float64' };
  }
  return { type: typeof value, format: '' };
}

/** The types that a node allows; an int-or-string field always allows two. */
function allowedScalarTypes(schema: Schema): readonly string[] {
  if (schema.intOrString) return ['integer', 'string'];
  return schema.type === undefined ? [] : [schema.type];
}

/** The format, if it applies to the type. */
export function scalarFormat(schema: Schema): string {
  const { format = '' } = schema;
  const [type = 'string', ...others] = allowedScalarTypes(schema);
  if (others.length > 0 || type === 'string') return isKnownFormat(format) ? format : '';
  if (type === 'integer') return format === 'int32' || format === 'int64' ? format : '';
  if (type === 'number') return format === 'float' || format === 'double' ? format : '';
  return '';
}

export const validatesScalarType = (schema: Schema): boolean =>
  allowedScalarTypes(schema).length > 0 || scalarFormat(schema) !== '';

export function validateScalarType(value: Json, schema: Schema, place: Place): Findings {
  const found = new Findings();
  const types = allowedScalarTypes(schema);
  const isNumeric = types.includes('number') || types.includes('integer');
  const { type, format } = scalarTypeToValidate(value);
  const mismatch = (wanted: string, actual: string): Findings =>
    found.add(
      wrongTypeFieldError(
        place.field,
        actual,
        `${place.name} in body must be of type ${wanted}: ${JSON.stringify(actual)}`,
      ),
    );
  if (value === null) {
    return types.length > 0 && !schema.nullable ? mismatch(types.join(','), 'null') : found.pass();
  }
  const fits = types.includes(type) || (type === 'integer' && types.includes('number'));
  const wantedFormat = scalarFormat(schema);
  const isTextOrList = type === 'string' || type === 'array';
  // A real server checks the format first and reports fewer errors for lists.
  if (wantedFormat !== '' && !isTextOrList && !fits && format !== wantedFormat) return mismatch(wantedFormat, format);
  if (wantedFormat !== '' && isTextOrList && !isNumeric) return found.pass();
  return fits ? found.pass() : mismatch(types.join(','), type);
}

export function validateScalarText(text: string, schema: Schema, place: Place, work: Work): Findings {
  const found = new Findings();
  const { maxLength, minLength, pattern } = schema.raw;
  const length = maxLength === undefined && minLength === undefined ? 0 : scalarTextLength(text, work);
  if (typeof maxLength === 'number' && length > maxLength) {
    return found.add(
      tooLongFieldError(place.field, `may not be more than ${maxLength} byte${maxLength === 1 ? '' : 's'}`),
    );
  }
  if (typeof minLength === 'number' && length < minLength) {
    return found.add(
      invalidFieldError(place.field, text, `${place.name} in body should be at least ${minLength} chars long`),
    );
  }
  if (typeof pattern === 'string' && pattern !== '' && !(scalarPattern(pattern, work)?.test(text, work) ?? true)) {
    return found.add(invalidFieldError(place.field, text, `${place.name} in body should match '${pattern}'`));
  }
  return found;
}

export function validateScalarFormat(text: string, schema: Schema, place: Place): Findings | undefined {
  const format = scalarFormat(schema);
  if (format === '' || !isKnownFormat(format)) return undefined;
  if (hasFormat(format, text)) return new Findings();
  const detail = `${place.name} in body must be of type ${format}: ${JSON.stringify(text)}`;
  return new Findings().add(wrongTypeFieldError(place.field, text, detail));
}

/** Length of a text in characters, as Go counts them. */
function scalarTextLength(text: string, work: Work): number {
  work.spend(text.length / CHARACTERS_PER_STEP);
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

const CHARACTERS_PER_STEP = 64;

/** Maximum size of all kept expressions together. */
const MAX_KEPT = 500_000;
const expressions = new Map<string, Re2 | undefined>();
let kept = 0;

/** The compiled pattern. Invalid patterns are refused with the definition; stored ones are not checked. */
function scalarPattern(pattern: string, work: Work): Re2 | undefined {
  if (expressions.has(pattern)) return expressions.get(pattern);
  const compiled = compileScalarPattern(pattern, work);
  kept += pattern.length + (compiled?.size ?? 0);
  if (kept > MAX_KEPT) {
    expressions.clear();
    kept = pattern.length + (compiled?.size ?? 0);
  }
  expressions.set(pattern, compiled);
  return compiled;
}

function compileScalarPattern(pattern: string, work: Work): Re2 | undefined {
  try {
    return new Re2(pattern, work);
  } catch (error) {
    if (error instanceof Re2SyntaxError) return undefined;
    throw error;
  }
}

export function validateScalarNumber(value: number, schema: Schema, place: Place): Findings {
  const found = new Findings();
  const { multipleOf, maximum, minimum, exclusiveMaximum, exclusiveMinimum } = schema.raw;
  if (schema.type === 'integer' && !isScalarInRange(value, scalarFormat(schema))) {
    const format = scalarFormat(schema) === '' ? '(default format)' : `with format ${scalarFormat(schema)}`;
    found.add(scalarRootError(place, `Checked value must be of type integer ${format} in ${place.name}`));
  }
  const wrong = (detail: string): void =>
    void found.add(invalidFieldError(place.field, value, `${place.name} in body should be ${detail}`));
  // Against a whole number, bounds count as whole numbers too.
  const bound = (limit: number): number => (Number.isInteger(value) ? Math.trunc(limit) : limit);
  const shown = (limit: number): string => (Number.isInteger(value) ? String(bound(limit)) : scalarGoFloat(limit));
  if (typeof multipleOf === 'number') {
    const factor = bound(multipleOf);
    if (factor <= 0) {
      const detail = `factor MultipleOf declared for ${place.name} must be positive: ${factor}`;
      found.add(invalidFieldError(place.field, factor, detail));
    } else if (!isScalarMultiple(value, factor)) wrong(`a multiple of ${shown(multipleOf)}`);
  }
  if (typeof minimum === 'number') {
    const isOpen = exclusiveMinimum === true;
    const limit = bound(minimum);
    if (isOpen ? value <= limit : value < limit) wrong(`greater than ${isOpen ? '' : 'or equal to '}${shown(minimum)}`);
  }
  if (typeof maximum === 'number') {
    const isOpen = exclusiveMaximum === true;
    const limit = bound(maximum);
    if (isOpen ? value >= limit : value > limit) wrong(`less than ${isOpen ? '' : 'or equal to '}${shown(maximum)}`);
  }
  return found.pass();
}

function isScalarInRange(value: number, format: string): boolean {
  const limit = format === 'int32' ? 2 ** 31 : 2 ** 63;
  return Number.isInteger(value) && value >= -limit && value < limit;
}

function isScalarMultiple(value: number, factor: number): boolean {
  if (Number.isInteger(value)) return value % factor === 0;
  const times = factor < 1 ? (1 / factor) * value : value / factor;
  return Math.abs(times - Math.round(times)) <= Math.abs(times) * 1e-9;
}

/** The number as Go prints a float; unlike elsewhere, a whole number may have an exponent. */
function scalarGoFloat(value: number): string {
  return Math.abs(value) < 1e6 ? fieldErrorNumber(value) : value.toExponential().replace(/e\+(?=\d$)/, 'e+0');
}
