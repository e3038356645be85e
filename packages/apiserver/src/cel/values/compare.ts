import { typeKindOf } from './type-name.ts';
import { spendWork } from './work-meter.ts';
import {
  Duration, fail, Failure, isCelListValue, isCelMapValue, type ListValue, type MapValue, OpaqueValue, Optional, Timestamp, TypeValue, Uint, type Value,
} from './cel-value.ts'; // prettier-ignore

const NUMBERS: ReadonlySet<string> = new Set(['int', 'uint', 'double']);

const isComparableCelNumber = (value: Value): value is bigint | number | Uint =>
  typeof value === 'bigint' || typeof value === 'number' || value instanceof Uint;

/** Equality of any two values: numbers by value, values of different types are not equal. A failure inside is the result. */
export function equalValues(a: Value, b: Value): boolean | Failure {
  spendComparison(a, b);
  if (isComparableCelNumber(a) && isComparableCelNumber(b)) return compareCelNumbers(a, b) === 0;
  if (a instanceof Failure) return a;
  if (b instanceof Failure) return b;
  if (isCelListValue(a)) return isCelListValue(b) ? equalCelListValues(a, b) : false;
  if (isCelMapValue(a)) return isCelMapValue(b) ? equalCelMapValues(a, b) : false;
  if (a instanceof Uint8Array)
    return b instanceof Uint8Array && a.length === b.length && a.every((byte, index) => byte === b[index]);
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name;
  if (a instanceof Optional) return b instanceof Optional && equalOptionalCelValues(a, b);
  if (a instanceof OpaqueValue) return a.equals(b);
  return a === b;
}

function equalOptionalCelValues({ content: a }: Optional, { content: b }: Optional): boolean | Failure {
  return a === undefined || b === undefined ? a === b : equalValues(a, b);
}

function equalCelListValues(a: ListValue, b: ListValue): boolean | Failure {
  if (a.size !== b.size) return false;
  const own = a.equals?.(b);
  if (own !== undefined) return own as boolean | Failure;
  for (let index = 0; index < a.size; index += 1) {
    const same = equalValues(a.item(index), b.item(index));
    if (same !== true) return same;
  }
  return true;
}

function equalCelMapValues(a: MapValue, b: MapValue): boolean | Failure {
  if (a.size !== b.size) return false;
  const own = a.equals?.(b);
  if (own !== undefined) return own as boolean | Failure;
  for (const key of a.keys()) {
    const [one, other] = [a.find(key), b.find(key)];
    if (one === undefined || other === undefined) return false;
    const same = equalValues(one, other);
    if (same !== true) return same;
  }
  return true;
}

/**
 * The order of two numbers: negative, zero or positive; undefined for NaN. Exact, also between a double and
 * an integer above 2^53.
 */
function compareCelNumbers(a: bigint | number | Uint, b: bigint | number | Uint): number | undefined {
  const [left, right] = [a instanceof Uint ? a.value : a, b instanceof Uint ? b.value : b];
  // JavaScript compares bigints with numbers by their exact value.
  return left < right ? -1 : left > right ? 1 : left == right ? 0 : undefined;
}

/** The order of two values of one kind, or a failure for values that have none. */
export function compare(a: Value, b: Value): number | Failure {
  spendComparison(a, b);
  if (NUMBERS.has(typeKindOf(a)) && NUMBERS.has(typeKindOf(b)))
    return compareCelNumbers(a as number, b as number) ?? fail('NaN values cannot be ordered');
  if (typeKindOf(a) !== typeKindOf(b)) return fail('no such overload');
  if (typeof a === 'string') return compareTexts(a, b as string);
  if (typeof a === 'boolean') return Number(a) - Number(b);
  if (a instanceof Uint8Array) return Buffer.compare(a, b as Uint8Array);
  if (a instanceof Timestamp || a instanceof Duration) {
    const other = (b as Timestamp | Duration).nanos;
    return a.nanos < other ? -1 : a.nanos > other ? 1 : 0;
  }
  return fail('no such overload');
}

const STEPS_PER_COMPARISON = 8;
/** Number of characters of a text that are compared in one step. */
const COMPARED_AT_ONCE = 32;

function spendComparison(a: Value, b: Value): void {
  const isText = typeof a === 'string' && typeof b === 'string';
  spendWork(STEPS_PER_COMPARISON + (isText ? Math.min(a.length, b.length) / COMPARED_AT_ONCE : 0));
}

/** Compares by bytes of UTF-8, which is the order of code points and not that of UTF-16. */
function compareTexts(a: string, b: string): number {
  // Both are copied as a whole.
  spendWork(a.length + b.length);
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
