import { globalFunction, type Library, type Overload } from '../check/environment.ts';
import { BYTES, DOUBLE, DURATION, INT, listOf, parameter, STRING, TIMESTAMP, type Type, UINT } from '../types/type.ts';
import { checkedDuration, checkedTimestamp } from '../values/time.ts';
import {
  type Duration,
  fail,
  GrownList,
  type ListValue,
  listItems,
  type Timestamp,
  Uint,
  type Value,
} from '../values/value.ts';
import { sizeOf, traversal } from './cost.ts';

const INT_LIMIT = 2n ** 63n;
const UINT_LIMIT = 2n ** 64n;
const A = parameter('A');

export const checkedInt = (value: bigint): Value =>
  value >= INT_LIMIT || value < -INT_LIMIT ? fail('integer overflow') : value;

export const checkedUint = (value: bigint): Value =>
  value < 0n || value >= UINT_LIMIT ? fail('unsigned integer overflow') : new Uint(value);

type Calculate = (a: bigint, b: bigint) => bigint;

/** One operator for int, uint and, where it has a meaning, double. */
function numeric(name: string, whole: Calculate, double?: (a: number, b: number) => number, zero?: string): Overload[] {
  const guarded = (a: bigint, b: bigint, wrap: (value: bigint) => Value): Value =>
    zero !== undefined && b === 0n ? fail(zero) : wrap(whole(a, b));
  const overloads = [
    globalFunction(`${name}_int64`, [INT, INT], INT, ([a, b]) => guarded(a as bigint, b as bigint, checkedInt)),
    globalFunction(`${name}_uint64`, [UINT, UINT], UINT, ([a, b]) =>
      guarded((a as Uint).value, (b as Uint).value, checkedUint),
    ),
  ];
  if (double === undefined) return overloads;
  return [
    ...overloads,
    globalFunction(`${name}_double`, [DOUBLE, DOUBLE], DOUBLE, ([a, b]) => double(a as number, b as number)),
  ];
}

const readsBoth = ([a = '', b = '']: readonly Value[]): number => traversal(sizeOf(a) + sizeOf(b));
const nanos = (value: Value | undefined): bigint => (value as Duration | Timestamp).nanos;
const offset = (value: Value | undefined): number => (value as Timestamp).offset;
const binary = (id: string, a: Type, b: Type, result: Type, run: Overload['run'], cost?: Overload['cost']): Overload =>
  globalFunction(id, [a, b], result, run, cost);

function concatenated([a, b]: readonly Value[]): Value {
  const [first, second] = [a as ListValue, b as ListValue];
  return first.concat?.(second) ?? new GrownList([...listItems(first), ...listItems(second)]);
}

/** `+ - * / %` */
export const arithmetic: Library = {
  functions: {
    '_+_': [
      ...numeric(
        'add',
        (a, b) => a + b,
        (a, b) => a + b,
      ),
      binary('add_string', STRING, STRING, STRING, ([a, b]) => (a as string) + (b as string), readsBoth),
      binary(
        'add_bytes',
        BYTES,
        BYTES,
        BYTES,
        ([a, b]) => Uint8Array.from(Buffer.concat([a as Uint8Array, b as Uint8Array])),
        readsBoth,
      ),
      binary('add_list', listOf(A), listOf(A), listOf(A), concatenated),
      binary('add_duration_duration', DURATION, DURATION, DURATION, ([a, b]) => checkedDuration(nanos(a) + nanos(b))),
      binary('add_timestamp_duration', TIMESTAMP, DURATION, TIMESTAMP, ([a, b]) =>
        checkedTimestamp(nanos(a) + nanos(b), offset(a)),
      ),
      binary('add_duration_timestamp', DURATION, TIMESTAMP, TIMESTAMP, ([a, b]) =>
        checkedTimestamp(nanos(a) + nanos(b), offset(b)),
      ),
    ],
    '_-_': [
      ...numeric(
        'subtract',
        (a, b) => a - b,
        (a, b) => a - b,
      ),
      binary('subtract_duration_duration', DURATION, DURATION, DURATION, ([a, b]) =>
        checkedDuration(nanos(a) - nanos(b)),
      ),
      binary('subtract_timestamp_timestamp', TIMESTAMP, TIMESTAMP, DURATION, ([a, b]) =>
        checkedDuration(nanos(a) - nanos(b)),
      ),
      binary('subtract_timestamp_duration', TIMESTAMP, DURATION, TIMESTAMP, ([a, b]) =>
        checkedTimestamp(nanos(a) - nanos(b), offset(a)),
      ),
    ],
    '_*_': numeric(
      'multiply',
      (a, b) => a * b,
      (a, b) => a * b,
    ),
    '_/_': numeric(
      'divide',
      (a, b) => a / b,
      (a, b) => a / b,
      'division by zero',
    ),
    '_%_': numeric('modulo', (a, b) => a % b, undefined, 'modulus by zero'),
    '-_': [
      globalFunction('negate_int64', [INT], INT, ([a]) => checkedInt(-(a as bigint))),
      globalFunction('negate_double', [DOUBLE], DOUBLE, ([a]) => -(a as number)),
    ],
  },
};
