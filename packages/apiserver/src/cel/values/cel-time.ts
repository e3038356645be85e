/* oxlint-disable no-restricted-globals -- calculates with times it was given, does not read the clock */
import { spendWork } from './work-meter.ts';
import { Duration, fail, type Failure, Timestamp } from './cel-value.ts';

const SECOND = 1_000_000_000n;
const UNITS: ReadonlyMap<string, bigint> = new Map(Object.entries({
  ns: 1n, us: 1000n, 'µs': 1000n, 'μs': 1000n, ms: 1_000_000n, s: SECOND, m: 60n * SECOND, h: 3600n * SECOND,
})); // prettier-ignore
const MAX_INT = 2n ** 63n - 1n;
/** Number of digits of `MAX_INT`: with more, a number is too large, and a fraction is below a nanosecond. */
const MAX_DIGITS = 19;
/** Number of steps that finding the rules of a time zone counts as. */
const ZONE_STEPS = 10_000;

/** A duration as Go parses it: `1h30m`, `-1.5s`, `0`. Undefined if it is not one. */
export function parseCelTimeSpan(text: string): Duration | undefined {
  const sign = /^[+-]/.exec(text)?.[0] ?? '';
  const rest = text.slice(sign.length);
  if (rest === '0') return new Duration(0n);
  if (!/^(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(rest)) return undefined;
  let nanos = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of rest.matchAll(/(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/gy)) {
    const size = UNITS.get(unit) as bigint;
    const digits = whole.replace(/^0+/, '');
    if (digits.length > MAX_DIGITS) return undefined;
    nanos += BigInt(digits === '' ? '0' : digits) * size;
    const kept = fraction.slice(0, MAX_DIGITS);
    if (kept !== '') nanos += (BigInt(kept) * size) / 10n ** BigInt(kept.length);
  }
  if (nanos > MAX_INT + (sign === '-' ? 1n : 0n)) return undefined;
  return new Duration(sign === '-' ? -nanos : nanos);
}

/** A duration as `string(duration)` prints it: seconds with their fraction. */
export function celTimeSpanText({ nanos }: Duration): string {
  const size = nanos < 0n ? -nanos : nanos;
  const fraction = celTimeFraction(size % SECOND);
  return `${nanos < 0n ? '-' : ''}${size / SECOND}${fraction === '' ? '' : `.${fraction}`}s`;
}

/** The digits after the point, without trailing zeros. */
function celTimeFraction(nanoseconds: bigint): string {
  const digits = nanoseconds.toString().padStart(9, '0');
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}

const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/** A timestamp of RFC 3339; undefined if the text is not one. */
export function parseCelTime(text: string): Timestamp | undefined {
  const parts = RFC3339.exec(text);
  if (parts === null) return undefined;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as [
    number, number, number, number, number, number,
  ]; // prettier-ignore
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day || hour > 23 || minute > 59 || second > 59)
    return undefined;
  const offset = (parts[8] === '-' ? -1 : 1) * (Number(parts[9] ?? 0) * 60 + Number(parts[10] ?? 0));
  const fraction = BigInt((parts[7] ?? '').slice(0, 9).padEnd(9, '0'));
  const nanos = BigInt(date.getTime()) * 1_000_000n + fraction - BigInt(offset) * 60n * SECOND;
  return new Timestamp(nanos, offset);
}

/** A timestamp with its offset, without trailing zeros in the fraction. */
export function celTimeText({ nanos, offset }: Timestamp): string {
  const local = nanos + BigInt(offset) * 60n * SECOND;
  const seconds = floorDivideCelTime(local, SECOND);
  const fraction = celTimeFraction(local - seconds * SECOND);
  const text = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  return `${text}${fraction === '' ? '' : `.${fraction}`}${celTimeZoneText(offset)}`;
}

function celTimeZoneText(offset: number): string {
  if (offset === 0) return 'Z';
  const size = Math.abs(offset);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

export const floorDivideCelTime = (a: bigint, b: bigint): bigint => (a >= 0n ? a / b : -((-a + b - 1n) / b));

/** The first and last second that a timestamp can have: the years 1 to 9999. */
const MIN_SECONDS = -62_135_596_800n;
const MAX_SECONDS = 253_402_300_799n;

export function checkedCelTime(nanos: bigint, offset: number): Timestamp | Failure {
  const seconds = floorDivideCelTime(nanos, SECOND);
  return seconds < MIN_SECONDS || seconds > MAX_SECONDS ? fail('timestamp overflow') : new Timestamp(nanos, offset);
}

export const checkedCelTimeSpan = (nanos: bigint): Duration | Failure =>
  nanos > MAX_INT || nanos < -MAX_INT - 1n ? fail('integer overflow') : new Duration(nanos);

/** The parts of a point in time in a zone. Undefined if there is no such zone. */
export function celTimeInZone({ nanos }: Timestamp, zone: string): Date | undefined {
  const utc = Number(floorDivideCelTime(nanos, 1_000_000n));
  const fixed = /^([+-]?)(\d\d):(\d\d)$/.exec(zone);
  if (fixed !== null) {
    const minutes = (fixed[1] === '-' ? -1 : 1) * (Number(fixed[2]) * 60 + Number(fixed[3]));
    return new Date(utc + minutes * 60_000);
  }
  if (zone === '' || zone === 'UTC') return new Date(utc);
  spendWork(ZONE_STEPS);
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric',
    }); // prettier-ignore
    const parts = Object.fromEntries(format.formatToParts(utc).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return new Date(Date.UTC(year, month - 1, day, hour, minute, second, new Date(utc).getUTCMilliseconds()));
  } catch {
    return undefined;
  }
}
