import { globalFunction, type Library, type Overload } from '../check/environment.ts';
import {
  BYTES,
  DOUBLE,
  DURATION,
  INT,
  listType,
  parameterType,
  STRING,
  TIMESTAMP,
  type Type,
  UINT,
} from '../types/type.ts';
import { checkedCelTimeSpan, checkedCelTime } from '../values/cel-time.ts';
import {
  type Duration,
  fail,
  GrownList,
  type ListValue,
  celValueItems,
  type Timestamp,
  Uint,
  type Value,
} from '../values/cel-value.ts';
import { COST_OF_CONCATENATION } from '../cost/costs.ts';
import { COST_OF_LIST_CONCATENATION } from '../cost/list-costs.ts';

const INT_LIMIT = 2n ** 63n;
const UINT_LIMIT = 2n ** 64n;
const A = parameterType('A');

export const checkedIntArithmetic = (value: bigint): Value =>
  value >= INT_LIMIT || value < -INT_LIMIT ? fail('integer overflow') : value;

export const checkedUintArithmetic = (value: bigint): Value =>
  value < 0n || value >= UINT_LIMIT ? fail('unsigned integer overflow') : new Uint(value);

type Calculate = (a: bigint, b: bigint) => bigint;

/** Declares one operator for int, uint and, if it is defined, double. */
function numericArithmetic(
  name: string,
  whole: Calculate,
  double?: (a: number, b: number) => number,
  zero?: string,
): Overload[] {
  const guarded = (a: bigint, b: bigint, wrap: (value: bigint) => Value): Value =>
    zero !== undefined && b === 0n ? fail(zero) : wrap(whole(a, b));
  const overloads = [
    globalFunction(`${name}_int64`, [INT, INT], INT, ([a, b]) =>
      guarded(a as bigint, b as bigint, checkedIntArithmetic),
    ),
    globalFunction(`${name}_uint64`, [UINT, UINT], UINT, ([a, b]) =>
      guarded((a as Uint).value, (b as Uint).value, checkedUintArithmetic),
    ),
  ];
  if (double === undefined) return overloads;
  return [
    ...overloads,
    globalFunction(`${name}_double`, [DOUBLE, DOUBLE], DOUBLE, ([a, b]) => double(a as number, b as number)),
  ];
}

const arithmeticNanos = (value: Value | undefined): bigint => (value as Duration | Timestamp).nanos;
const arithmeticOffset = (value: Value | undefined): number => (value as Timestamp).offset;
const binaryArithmetic = (
  id: string,
  a: Type,
  b: Type,
  result: Type,
  run: Overload['run'],
  cost?: Overload['cost'],
): Overload => globalFunction(id, [a, b], result, run, cost);

function concatenateInArithmetic([a, b]: readonly Value[]): Value {
  const [first, second] = [a as ListValue, b as ListValue];
  return first.concat?.(second) ?? new GrownList([...celValueItems(first), ...celValueItems(second)]);
}

/** The operators `+ - * / %`. */
export const arithmetic: Library = {
  functions: {
    '_+_': [
      ...numericArithmetic(
        'add',
        (a, b) => a + b,
        (a, b) => a + b,
      ),
      binaryArithmetic(
        'add_string',
        STRING,
        STRING,
        STRING,
        ([a, b]) => (a as string) + (b as string),
        COST_OF_CONCATENATION,
      ),
      binaryArithmetic(
        'add_bytes',
        BYTES,
        BYTES,
        BYTES,
        ([a, b]) => Uint8Array.from(Buffer.concat([a as Uint8Array, b as Uint8Array])),
        COST_OF_CONCATENATION,
      ),
      binaryArithmetic(
        'add_list',
        listType(A),
        listType(A),
        listType(A),
        concatenateInArithmetic,
        COST_OF_LIST_CONCATENATION,
      ),
      binaryArithmetic('add_duration_duration', DURATION, DURATION, DURATION, ([a, b]) =>
        checkedCelTimeSpan(arithmeticNanos(a) + arithmeticNanos(b)),
      ),
      binaryArithmetic('add_timestamp_duration', TIMESTAMP, DURATION, TIMESTAMP, ([a, b]) =>
        checkedCelTime(arithmeticNanos(a) + arithmeticNanos(b), arithmeticOffset(a)),
      ),
      binaryArithmetic('add_duration_timestamp', DURATION, TIMESTAMP, TIMESTAMP, ([a, b]) =>
        checkedCelTime(arithmeticNanos(a) + arithmeticNanos(b), arithmeticOffset(b)),
      ),
    ],
    '_-_': [
      ...numericArithmetic(
        'subtract',
        (a, b) => a - b,
        (a, b) => a - b,
      ),
      binaryArithmetic('subtract_duration_duration', DURATION, DURATION, DURATION, ([a, b]) =>
        checkedCelTimeSpan(arithmeticNanos(a) - arithmeticNanos(b)),
      ),
      binaryArithmetic('subtract_timestamp_timestamp', TIMESTAMP, TIMESTAMP, DURATION, ([a, b]) =>
        checkedCelTimeSpan(arithmeticNanos(a) - arithmeticNanos(b)),
      ),
      binaryArithmetic('subtract_timestamp_duration', TIMESTAMP, DURATION, TIMESTAMP, ([a, b]) =>
        checkedCelTime(arithmeticNanos(a) - arithmeticNanos(b), arithmeticOffset(a)),
      ),
    ],
    '_*_': numericArithmetic(
      'multiply',
      (a, b) => a * b,
      (a, b) => a * b,
    ),
    '_/_': numericArithmetic(
      'divide',
      (a, b) => a / b,
      (a, b) => a / b,
      'division by zero',
    ),
    '_%_': numericArithmetic('modulo', (a, b) => a % b, undefined, 'modulus by zero'),
    '-_': [
      globalFunction('negate_int64', [INT], INT, ([a]) => checkedIntArithmetic(-(a as bigint))),
      globalFunction('negate_double', [DOUBLE], DOUBLE, ([a]) => -(a as number)),
    ],
  },
};
