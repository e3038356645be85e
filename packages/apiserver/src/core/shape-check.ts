import { KubeError } from 'kube-informer/core';

/** A condition on a value from outside; the error message names the field and the expected value. */
export interface Check {
  /** The expected value, for sentences: `a whole number from 0 to 65535`. */
  readonly expected: string;
  /** The error message, or undefined if the value is valid. `name` is the path to the value: `at.event`. */
  complaint(value: unknown, name: string): string | undefined;
}

/** Throws the first error of a value. */
export function checkShape(check: Check, value: unknown, name: string, about = ''): void {
  const complaint = check.complaint(value, name);
  if (complaint !== undefined)
    throw new KubeError('INVALID_OPTION', about === '' ? complaint : `${about}: ${complaint}`);
}

const MAX_SHOWN = 120;

/** A value for messages: as JSON if that is possible. */
function describeShapeCheckValue(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  const text =
    typeof value === 'number' || value === undefined || value instanceof RegExp ? String(value) : JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

const joinShapeCheckPath = (name: string, key: string): string => (name === '' ? key : `${name}.${key}`);

/** A check by one condition. */
export function shapeCheckThat(expected: string, isRight: (value: unknown) => boolean): Check {
  return {
    expected,
    complaint: (value, name) =>
      isRight(value) ? undefined : `${name}: expected ${expected}, got ${describeShapeCheckValue(value)}`,
  };
}

const isShapeCheckNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

/** A check for whole numbers within bounds, and only those that a double holds exactly. */
export function integerShapeCheck(min: number, max: number = Number.MAX_SAFE_INTEGER): Check {
  const to = max === Number.MAX_SAFE_INTEGER ? `${min} on` : `${min} to ${max}`;
  return shapeCheckThat(
    `a whole number from ${to}`,
    (value) => Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max,
  );
}

export const numberCheck: Check = shapeCheckThat('a number', isShapeCheckNumber);
export const notNegativeCheck: Check = shapeCheckThat(
  'a number from 0 on',
  (value) => isShapeCheckNumber(value) && value >= 0,
);
export const positiveCheck: Check = shapeCheckThat(
  'a number above 0',
  (value) => isShapeCheckNumber(value) && value > 0,
);
export const textCheck: Check = shapeCheckThat('a text', (value) => typeof value === 'string');
export const flagCheck: Check = shapeCheckThat('true or false', (value) => typeof value === 'boolean');
export const functionCheck: Check = shapeCheckThat('a function', (value) => typeof value === 'function');

export const isShapeCheckObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value) && !(value instanceof RegExp);

/** A check for any object. */
export const anyObjectCheck: Check = shapeCheckThat('an object', isShapeCheckObject);

export function oneOfShapeCheck(...values: readonly (string | boolean)[]): Check {
  const expected = values.length === 1 ? String(values[0]) : `one of ${values.join(', ')}`;
  return shapeCheckThat(expected, (value) => values.includes(value as string));
}

/**
 * A check for one of several alternatives. The error message is that of the best match: about a field of an
 * object rather than about the object.
 */
export function eitherShapeCheck(...checks: readonly Check[]): Check {
  const expected = checks.map((check) => check.expected).join(', or ');
  return {
    expected,
    complaint: (value, name) => {
      const complaints = checks.map((check) => check.complaint(value, name));
      if (complaints.includes(undefined)) return undefined;
      const own = `${name}: expected `;
      return (
        complaints.find((complaint) => complaint?.startsWith(own) === false) ??
        `${own}${expected}, got ${describeShapeCheckValue(value)}`
      );
    },
  };
}

export function listShapeCheck(item: Check, { min = 0 }: { readonly min?: number } = {}): Check {
  const expected = `a list of ${min > 0 ? `at least ${min}, each ` : ''}${item.expected}`;
  return {
    expected,
    complaint: (value, name) => {
      if (!Array.isArray(value) || value.length < min)
        return `${name}: expected ${expected}, got ${describeShapeCheckValue(value)}`;
      for (const [at, one] of value.entries()) {
        const complaint = item.complaint(one, `${name}[${at}]`);
        if (complaint !== undefined) return complaint;
      }
      return undefined;
    },
  };
}

/** A check for an object with any keys that `key` allows. */
export function mapShapeCheck(value: Check, key?: Check): Check {
  return {
    expected: 'an object',
    complaint: (map, name) => {
      if (!isShapeCheckObject(map)) return `${name}: expected an object, got ${describeShapeCheckValue(map)}`;
      for (const [one, field] of Object.entries(map)) {
        const complaint = key?.complaint(one, name) ?? value.complaint(field, joinShapeCheckPath(name, one));
        if (complaint !== undefined) return complaint;
      }
      return undefined;
    },
  };
}

/** A check for an object with these keys and no others. A key whose value is undefined counts as missing. */
export function shapeCheck(fields: Readonly<Record<string, Check>>, required: readonly string[] = []): Check {
  const known = Object.keys(fields).join(', ');
  return {
    expected: 'an object',
    complaint: (value, name) => {
      if (!isShapeCheckObject(value))
        return `${name === '' ? '' : `${name}: `}expected an object, got ${describeShapeCheckValue(value)}`;
      for (const [key, field] of Object.entries(value)) {
        const check = Object.hasOwn(fields, key) ? fields[key] : undefined;
        if (check === undefined) return `there is no ${joinShapeCheckPath(name, key)}: expected one of ${known}`;
        const complaint = field === undefined ? undefined : check.complaint(field, joinShapeCheckPath(name, key));
        if (complaint !== undefined) return complaint;
      }
      const missing = required.find((key) => value[key] === undefined);
      return missing === undefined ? undefined : `${joinShapeCheckPath(name, missing)} is missing`;
    },
  };
}
