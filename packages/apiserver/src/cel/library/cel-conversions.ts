import { globalFunction, type Library } from '../check/environment.ts';
import { BOOL, BYTES, DOUBLE, DURATION, INT, STRING, TIMESTAMP, UINT } from '../types/type.ts';
import { doubleText } from '../values/double-text.ts';
import {
  celTimeSpanText,
  floorDivideCelTime,
  parseCelTimeSpan,
  parseCelTime,
  celTimeText,
  checkedCelTime,
} from '../values/cel-time.ts';
import { type Duration, fail, type Timestamp, Uint, type Value } from '../values/cel-value.ts';
import { checkedIntArithmetic, checkedUintArithmetic } from './arithmetic.ts';
import { COST_OF_DECODING, COST_OF_ENCODING } from '../cost/text-costs.ts';

const SECOND = 1_000_000_000n;
const FAULT = 'type conversion error from';
const wrongCelConversion = (given: string, wanted: string): Value => fail(`${FAULT} '${given}' to '${wanted}'`);
const convertedCelUnchanged = ([value]: readonly Value[]): Value => value as Value;

/** A double as an integer: the fraction is cut off. Fails if it does not fit. */
function convertToInteger(value: number): Value {
  return value > -(2 ** 63) && value < 2 ** 63 ? BigInt(Math.trunc(value)) : fail('integer overflow');
}

function convertToUnsigned(value: number): Value {
  return value >= 0 && value < 2 ** 64 ? new Uint(BigInt(Math.trunc(value))) : fail('unsigned integer overflow');
}

/** Maximum number of digits: no integer of the language has more. */
const MAX_DIGITS = 20;

/** The digits of an integer without leading zeros; undefined if there are other characters, or too many digits. */
function celConversionDigits(digits: string | undefined): string | undefined {
  const significant = digits?.replace(/^0+(?=\d)/, '');
  return significant === undefined || significant.length > MAX_DIGITS ? undefined : significant;
}

function celConversionToInt(text: string): Value {
  const [, sign = '', all] = /^([+-]?)(\d+)$/.exec(text) ?? [];
  const digits = celConversionDigits(all);
  if (digits === undefined) return wrongCelConversion('string', 'int');
  const value = BigInt(`${sign === '-' ? '-' : ''}${digits}`);
  return value >= 2n ** 63n || value < -(2n ** 63n) ? wrongCelConversion('string', 'int') : value;
}

function celConversionToUint(text: string): Value {
  const digits = celConversionDigits(/^\d+$/.exec(text)?.[0]);
  if (digits === undefined) return wrongCelConversion('string', 'uint');
  const value = BigInt(digits);
  return value >= 2n ** 64n ? wrongCelConversion('string', 'uint') : new Uint(value);
}

const SPECIAL_DOUBLES: ReadonlyMap<string, number> = new Map([
  ['nan', NaN],
  ['inf', Infinity],
  ['+inf', Infinity],
  ['-inf', -Infinity],
  ['infinity', Infinity],
  ['-infinity', -Infinity],
]);

function celConversionToDouble(text: string): Value {
  const known = SPECIAL_DOUBLES.get(text.toLowerCase());
  if (known !== undefined) return known;
  if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) return wrongCelConversion('string', 'double');
  return Number(text);
}

const TRUE = ['1', 't', 'T', 'true', 'TRUE', 'True'];
const FALSE = ['0', 'f', 'F', 'false', 'FALSE', 'False'];

function celConversionToBool(text: string): Value {
  if (TRUE.includes(text)) return true;
  return FALSE.includes(text) ? false : wrongCelConversion('string', 'bool');
}

function celConversionOfBytes(bytes: Uint8Array): Value {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return fail('invalid UTF-8 in bytes, cannot convert to string');
  }
}

/** Functions that convert to the type they are named after. */
export const conversions: Library = {
  functions: {
    int: [
      globalFunction('int64_to_int64', [INT], INT, convertedCelUnchanged),
      globalFunction('uint64_to_int64', [UINT], INT, ([a]) => checkedIntArithmetic((a as Uint).value)),
      globalFunction('double_to_int64', [DOUBLE], INT, ([a]) => convertToInteger(a as number)),
      globalFunction('string_to_int64', [STRING], INT, ([a]) => celConversionToInt(a as string)),
      globalFunction('timestamp_to_int64', [TIMESTAMP], INT, ([a]) =>
        floorDivideCelTime((a as Timestamp).nanos, SECOND),
      ),
      globalFunction('duration_to_int64', [DURATION], INT, ([a]) => (a as Duration).nanos),
    ],
    uint: [
      globalFunction('uint64_to_uint64', [UINT], UINT, convertedCelUnchanged),
      globalFunction('int64_to_uint64', [INT], UINT, ([a]) => checkedUintArithmetic(a as bigint)),
      globalFunction('double_to_uint64', [DOUBLE], UINT, ([a]) => convertToUnsigned(a as number)),
      globalFunction('string_to_uint64', [STRING], UINT, ([a]) => celConversionToUint(a as string)),
    ],
    double: [
      globalFunction('double_to_double', [DOUBLE], DOUBLE, convertedCelUnchanged),
      globalFunction('int64_to_double', [INT], DOUBLE, ([a]) => Number(a)),
      globalFunction('uint64_to_double', [UINT], DOUBLE, ([a]) => Number((a as Uint).value)),
      globalFunction('string_to_double', [STRING], DOUBLE, ([a]) => celConversionToDouble(a as string)),
    ],
    bool: [
      globalFunction('bool_to_bool', [BOOL], BOOL, convertedCelUnchanged),
      globalFunction('string_to_bool', [STRING], BOOL, ([a]) => celConversionToBool(a as string)),
    ],
    string: [
      globalFunction('string_to_string', [STRING], STRING, convertedCelUnchanged),
      globalFunction('bool_to_string', [BOOL], STRING, ([a]) => String(a as boolean)),
      globalFunction('int64_to_string', [INT], STRING, ([a]) => String(a as bigint)),
      globalFunction('uint64_to_string', [UINT], STRING, ([a]) => String((a as Uint).value)),
      globalFunction('double_to_string', [DOUBLE], STRING, ([a]) => doubleText(a as number)),
      globalFunction(
        'bytes_to_string',
        [BYTES],
        STRING,
        ([a]) => celConversionOfBytes(a as Uint8Array),
        COST_OF_DECODING,
      ),
      globalFunction('timestamp_to_string', [TIMESTAMP], STRING, ([a]) => celTimeText(a as Timestamp)),
      globalFunction('duration_to_string', [DURATION], STRING, ([a]) => celTimeSpanText(a as Duration)),
    ],
    bytes: [
      globalFunction('bytes_to_bytes', [BYTES], BYTES, convertedCelUnchanged),
      globalFunction(
        'string_to_bytes',
        [STRING],
        BYTES,
        ([a]) => new TextEncoder().encode(a as string),
        COST_OF_ENCODING,
      ),
    ],
    duration: [
      globalFunction('duration_to_duration', [DURATION], DURATION, convertedCelUnchanged),
      globalFunction('int64_to_duration', [INT], DURATION, () => wrongCelConversion('int', 'google.protobuf.Duration')),
      globalFunction(
        'string_to_duration',
        [STRING],
        DURATION,
        ([a]) => parseCelTimeSpan(a as string) ?? wrongCelConversion('string', 'google.protobuf.Duration'),
      ),
    ],
    timestamp: [
      globalFunction('int64_to_timestamp', [INT], TIMESTAMP, ([a]) => checkedCelTime((a as bigint) * SECOND, 0)),
      globalFunction('timestamp_to_timestamp', [TIMESTAMP], TIMESTAMP, convertedCelUnchanged),
      globalFunction(
        'string_to_timestamp',
        [STRING],
        TIMESTAMP,
        ([a]) => parseCelTime(a as string) ?? wrongCelConversion('string', 'google.protobuf.Timestamp'),
      ),
    ],
  },
};
