import type { Json } from './json.ts';

/** A field error: one line of a 422 and one cause of it. */
export interface FieldError {
  readonly reason:
    | 'FieldValueInvalid'
    | 'FieldValueRequired'
    | 'FieldValueForbidden'
    | 'FieldValueNotSupported'
    | 'FieldValueDuplicate'
    | 'FieldValueNotFound'
    | 'FieldValueTooLong'
    | 'FieldValueTooMany'
    | 'FieldValueTypeInvalid'
    | 'InternalError';
  readonly field: string;
  /** Message without the field: `Invalid value: "x": must be …`. */
  readonly message: string;
}

const TYPE_TEXT: Readonly<Record<FieldError['reason'], string>> = {
  FieldValueInvalid: 'Invalid value',
  FieldValueRequired: 'Required value',
  FieldValueForbidden: 'Forbidden',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueNotFound: 'Not found',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
  FieldValueTypeInvalid: 'Invalid value',
  InternalError: 'Internal error',
};

type Value = Json | undefined;

export const invalidFieldError = (field: string, value: Value, detail: string): FieldError =>
  fieldError('FieldValueInvalid', field, value, detail);

export const wrongTypeFieldError = (field: string, value: Value, detail: string): FieldError =>
  fieldError('FieldValueTypeInvalid', field, value, detail);

export const requiredFieldError = (field: string, detail = ''): FieldError =>
  fieldError('FieldValueRequired', field, undefined, detail);

export const forbiddenFieldError = (field: string, detail: string): FieldError =>
  fieldError('FieldValueForbidden', field, undefined, detail);

export const duplicateFieldError = (field: string, value: Value): FieldError =>
  fieldError('FieldValueDuplicate', field, value, '');

export const tooLongFieldError = (field: string, detail: string): FieldError =>
  fieldError('FieldValueTooLong', field, undefined, detail);

export const tooManyFieldError = (field: string, value: Value, detail: string): FieldError =>
  fieldError('FieldValueTooMany', field, value, detail);

export function unsupportedFieldError(field: string, value: Value, supported: readonly string[]): FieldError {
  const choices = supported.map((choice) => JSON.stringify(choice)).join(', ');
  return fieldError('FieldValueNotSupported', field, value, `supported values: ${choices}`);
}

/** Makes a field error. With the value `undefined`, the message shows none. */
export function fieldError(reason: FieldError['reason'], field: string, value: Value, detail: string): FieldError {
  const parts = [TYPE_TEXT[reason]];
  if (value !== undefined) parts.push(typeof value === 'number' ? fieldErrorNumber(value) : JSON.stringify(value));
  if (detail !== '') parts.push(detail);
  return { reason, field, message: parts.join(': ') };
}

/** A number as Go prints it: a fraction has an exponent when it is small, or a million and more. */
export function fieldErrorNumber(value: number): string {
  const size = Math.abs(value);
  if (Number.isInteger(value) || (size >= 1e-4 && size < 1e6)) return String(value);
  return value.toExponential().replace(/e([+-])(?=\d$)/, 'e$10');
}

/** All errors as one text: a single one as it is, several in brackets, without duplicates. */
export function aggregateFieldErrors(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))];
  return texts.length === 1 ? (texts[0] as string) : `[${texts.join(', ')}]`;
}
