import { KubeError } from 'kube-informer/core';

/** A condition on a value from outside; the complaint names the field and what was expected. */
export interface Check {
  /** `a whole number from 0 to 65535`, for sentences. */
  readonly expected: string;
  /** The complaint, or undefined if the value is right. `name` is the path to the value: `at.event`. */
  complaint(value: unknown, name: string): string | undefined;
}

/** Throws the first thing that is wrong with a value. */
export function requireValid(check: Check, value: unknown, name: string, about = ''): void {
  const complaint = check.complaint(value, name);
  if (complaint !== undefined)
    throw new KubeError('INVALID_OPTION', about === '' ? complaint : `${about}: ${complaint}`);
}

const MAX_SHOWN = 120;

/** A value for people: JSON where there is JSON for it. */
function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  const text =
    typeof value === 'number' || value === undefined || value instanceof RegExp ? String(value) : JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

const join = (name: string, key: string): string => (name === '' ? key : `${name}.${key}`);

/** A check that is a question with one answer. */
export function satisfies(expected: string, isRight: (value: unknown) => boolean): Check {
  return {
    expected,
    complaint: (value, name) => (isRight(value) ? undefined : `${name}: expected ${expected}, got ${shown(value)}`),
  };
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

/** Whole numbers only, and only those that are exact. */
export function integer(min: number, max: number = Number.MAX_SAFE_INTEGER): Check {
  const to = max === Number.MAX_SAFE_INTEGER ? `${min} on` : `${min} to ${max}`;
  return satisfies(
    `a whole number from ${to}`,
    (value) => Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max,
  );
}

export const number: Check = satisfies('a number', isNumber);
export const notNegative: Check = satisfies('a number from 0 on', (value) => isNumber(value) && value >= 0);
export const positive: Check = satisfies('a number above 0', (value) => isNumber(value) && value > 0);
export const text: Check = satisfies('a text', (value) => typeof value === 'string');
export const flag: Check = satisfies('true or false', (value) => typeof value === 'boolean');
export const func: Check = satisfies('a function', (value) => typeof value === 'function');

export const isAnyObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value) && !(value instanceof RegExp);

/** Any object, whatever it holds. */
export const anyObject: Check = satisfies('an object', isAnyObject);

export function oneOf(...values: readonly (string | boolean)[]): Check {
  const expected = values.length === 1 ? String(values[0]) : `one of ${values.join(', ')}`;
  return satisfies(expected, (value) => values.includes(value as string));
}

/** The complaint of the alternative that fits best: about a field of an object rather than about the object. */
export function either(...checks: readonly Check[]): Check {
  const expected = checks.map((check) => check.expected).join(', or ');
  return {
    expected,
    complaint: (value, name) => {
      const complaints = checks.map((check) => check.complaint(value, name));
      if (complaints.includes(undefined)) return undefined;
      const own = `${name}: expected `;
      return (
        complaints.find((complaint) => complaint?.startsWith(own) === false) ?? `${own}${expected}, got ${shown(value)}`
      );
    },
  };
}

export function listOf(item: Check, { min = 0 }: { readonly min?: number } = {}): Check {
  const expected = `a list of ${min > 0 ? `at least ${min}, each ` : ''}${item.expected}`;
  return {
    expected,
    complaint: (value, name) => {
      if (!Array.isArray(value) || value.length < min) return `${name}: expected ${expected}, got ${shown(value)}`;
      for (const [at, one] of value.entries()) {
        const complaint = item.complaint(one, `${name}[${at}]`);
        if (complaint !== undefined) return complaint;
      }
      return undefined;
    },
  };
}

/** An object with any keys that `key` allows. */
export function mapOf(value: Check, key?: Check): Check {
  return {
    expected: 'an object',
    complaint: (map, name) => {
      if (!isAnyObject(map)) return `${name}: expected an object, got ${shown(map)}`;
      for (const [one, field] of Object.entries(map)) {
        const complaint = key?.complaint(one, name) ?? value.complaint(field, join(name, one));
        if (complaint !== undefined) return complaint;
      }
      return undefined;
    },
  };
}

/** An object with these keys and no others. A key that is undefined is not there. */
export function shape(fields: Readonly<Record<string, Check>>, required: readonly string[] = []): Check {
  const known = Object.keys(fields).join(', ');
  return {
    expected: 'an object',
    complaint: (value, name) => {
      if (!isAnyObject(value)) return `${name === '' ? '' : `${name}: `}expected an object, got ${shown(value)}`;
      for (const [key, field] of Object.entries(value)) {
        const check = Object.hasOwn(fields, key) ? fields[key] : undefined;
        if (check === undefined) return `there is no ${join(name, key)}: expected one of ${known}`;
        const complaint = field === undefined ? undefined : check.complaint(field, join(name, key));
        if (complaint !== undefined) return complaint;
      }
      const missing = required.find((key) => value[key] === undefined);
      return missing === undefined ? undefined : `${join(name, missing)} is missing`;
    },
  };
}
