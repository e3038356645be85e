import { celTimeSpanText, celTimeText } from './cel-time.ts';
import { typeKindOf } from './type-name.ts';
import {
  Duration, fail, Failure, isCelListValue, isCelMapValue, celValueItems, Optional, Timestamp, TypeValue, Uint, type Value,
} from './cel-value.ts'; // prettier-ignore
import { doubleText } from './double-text.ts';
import { spendWork } from './work-meter.ts';

/** Maximum number of digits that JavaScript can format. */
const MAX_PRECISION = 100;

const CLAUSE = /%(?:%|(?:\.(\d+))?([sdfexXob])|([^]?))/gu;

/** Evaluates `'%s of %d'.format([…])`. A clause without a value, or with one of a wrong type, is a failure. */
export function formatCelText(pattern: string, values: readonly Value[]): Value {
  let next = 0;
  let failure: Failure | undefined;
  const text = pattern.replace(CLAUSE, (whole, precision?: string, verb?: string, unknown?: string) => {
    if (failure !== undefined) return '';
    if (whole === '%%') return '%';
    if (verb === undefined) {
      failure =
        next >= values.length
          ? fail(`index ${next} out of range`)
          : fail(`could not parse formatting clause: unrecognized formatting clause "${unknown ?? ''}"`);
      return '';
    }
    if (next >= values.length) {
      failure = fail(`index ${next} out of range`);
      return '';
    }
    const value = values[next] as Value;
    next += 1;
    const shown = formatCelClause(verb, value, precision === undefined ? undefined : Number(precision));
    if (typeof shown === 'string') return shown;
    failure = shown;
    return '';
  });
  return failure ?? text;
}

function formatCelClause(verb: string, value: Value, precision = 6): string | Failure {
  switch (verb) {
    case 's':
      return valueText(value);
    case 'd':
      return formatCelWhole(value);
    case 'f':
    case 'e':
      return formatCelFixed(verb, value, precision);
    case 'b':
      if (typeof value === 'boolean') return value ? '1' : '0';
      return formatCelInBase(value, 2, 'binary');
    case 'o':
      return formatCelInBase(value, 8, 'octal');
    default:
      return formatCelHex(value, verb === 'X');
  }
}

/** A value of any type, as `%s` shows it. */
function valueText(value: Value): string | Failure {
  spendWork(typeof value === 'string' || value instanceof Uint8Array ? value.length : 1);
  if (typeof value === 'string') return value;
  if (value === null) return 'null';
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return formatDouble(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (value instanceof Timestamp) return celTimeText(value);
  if (value instanceof Duration) return celTimeSpanText(value);
  if (value instanceof TypeValue) return value.name;
  if (isCelListValue(value)) return formatCelJoined(celValueItems(value).map(formatCelInner), '[', ']');
  if (isCelMapValue(value)) {
    const entries = value.keys().map((key): string | Failure => {
      const [name, content] = [formatCelInner(key), formatCelInner(value.find(key) as Value)];
      if (name instanceof Failure) return name;
      return content instanceof Failure ? content : `${name}:${content}`;
    });
    return formatCelJoined(
      entries.toSorted((a, b) => (String(a) < String(b) ? -1 : 1)),
      '{',
      '}',
    );
  }
  if (value instanceof Optional) return fail('no string clause for optional_type');
  const kind = typeKindOf(value);
  return fail(
    `error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given ${kind}`,
  );
}

/** A value inside a list or a map, formatted as a literal. */
function formatCelInner(value: Value): string | Failure {
  spendWork(typeof value === 'string' ? value.length : 1);
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number' && Number.isFinite(value)) return value.toFixed(6);
  if (value instanceof Uint8Array) return `b${JSON.stringify(new TextDecoder().decode(value))}`;
  if (value instanceof Duration) return `duration("${celTimeSpanText(value)}")`;
  if (value instanceof Timestamp) return `timestamp("${celTimeText(value)}")`;
  return valueText(value);
}

function formatCelJoined(parts: readonly (string | Failure)[], open: string, close: string): string | Failure {
  return parts.find((part) => part instanceof Failure) ?? `${open}${parts.join(', ')}${close}`;
}

function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity';
  return doubleText(value);
}

const celNumberToFormat = (value: Value): bigint | undefined =>
  typeof value === 'bigint' ? value : value instanceof Uint ? value.value : undefined;

function formatCelWhole(value: Value): string | Failure {
  const whole = celNumberToFormat(value);
  if (whole !== undefined) return String(whole);
  if (typeof value === 'number' && !Number.isFinite(value)) return formatDouble(value);
  return fail(`error during formatting: decimal clause can only be used on integers, was given ${typeKindOf(value)}`);
}

function formatCelFixed(verb: string, value: Value, precision: number): string | Failure {
  const number = typeof value === 'number' ? value : Number(celNumberToFormat(value) ?? NaN);
  if (typeof value !== 'number' && celNumberToFormat(value) === undefined)
    return fail(
      `error during formatting: ${verb === 'f' ? 'fixed-point' : 'scientific'} clause can only be used on doubles, was given ${typeKindOf(value)}`,
    );
  if (!Number.isFinite(number)) return formatDouble(number);
  if (precision > MAX_PRECISION) return fail(`error during formatting: precision is limited to ${MAX_PRECISION}`);
  if (verb === 'f') return number.toFixed(precision);
  return number.toExponential(precision).replace(/e([+-])(\d+)$/, (_, sign: string, digits: string) => {
    const raised = Array.from(digits.padStart(2, '0'))
      .map((digit) => RAISED[Number(digit)])
      .join('');
    return `×10${sign === '-' ? '⁻' : ''}${raised}`;
  });
}

const RAISED = '⁰¹²³⁴⁵⁶⁷⁸⁹';

function formatCelInBase(value: Value, base: number, name: string): string | Failure {
  const whole = celNumberToFormat(value);
  if (whole !== undefined) return whole.toString(base);
  const also = name === 'binary' ? 'integers and bools' : 'integers';
  return fail(`error during formatting: ${name} clause can only be used on ${also}, was given ${typeKindOf(value)}`);
}

function formatCelHex(value: Value, isUpper: boolean): string | Failure {
  const whole = celNumberToFormat(value);
  const bytes =
    typeof value === 'string' ? Buffer.from(value) : value instanceof Uint8Array ? Buffer.from(value) : undefined;
  const text = whole?.toString(16) ?? bytes?.toString('hex');
  if (text === undefined)
    return fail(
      `error during formatting: only integers, byte buffers, and strings can be formatted as hex, was given ${typeKindOf(value)}`,
    );
  return isUpper ? text.toUpperCase() : text;
}
