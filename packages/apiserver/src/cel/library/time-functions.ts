import { type Library, memberFunction, type Overload } from '../check/environment.ts';
import { DURATION, INT, STRING, TIMESTAMP } from '../types/type.ts';
import { celTimeInZone } from '../values/cel-time.ts';
import { type Duration, fail, type Timestamp, type Value } from '../values/cel-value.ts';

/** Declares a function for a part of a timestamp, in UTC or in a named zone. */
function timeFunctionPart(id: string, read: (date: Date) => number): Overload[] {
  const run = ([time, zone = 'UTC']: readonly Value[]): Value => {
    const date = celTimeInZone(time as Timestamp, zone as string);
    return date === undefined ? fail(`unknown time zone ${zone as string}`) : BigInt(read(date));
  };
  return [memberFunction(id, [TIMESTAMP], INT, run), memberFunction(`${id}_with_tz`, [TIMESTAMP, STRING], INT, run)];
}

/** Declares a function that returns a duration in a unit, without the fraction. */
const timeFunctionTotal = (id: string, unit: bigint): Overload =>
  memberFunction(id, [DURATION], INT, ([duration]) => (duration as Duration).nanos / unit);

function timeFunctionDayOfYear(date: Date): number {
  // oxlint-disable-next-line no-restricted-globals -- reads a time it was given, not the clock
  return Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000);
}

/** Functions for parts of timestamps and durations. */
export const time: Library = {
  functions: {
    getFullYear: timeFunctionPart('timestamp_to_year', (date) => date.getUTCFullYear()),
    getMonth: timeFunctionPart('timestamp_to_month', (date) => date.getUTCMonth()),
    getDayOfYear: timeFunctionPart('timestamp_to_day_of_year', timeFunctionDayOfYear),
    getDayOfMonth: timeFunctionPart('timestamp_to_day_of_month', (date) => date.getUTCDate() - 1),
    getDate: timeFunctionPart('timestamp_to_day_of_month_1_based', (date) => date.getUTCDate()),
    getDayOfWeek: timeFunctionPart('timestamp_to_day_of_week', (date) => date.getUTCDay()),
    getHours: [
      ...timeFunctionPart('timestamp_to_hours', (date) => date.getUTCHours()),
      timeFunctionTotal('duration_to_hours', 3_600_000_000_000n),
    ],
    getMinutes: [
      ...timeFunctionPart('timestamp_to_minutes', (date) => date.getUTCMinutes()),
      timeFunctionTotal('duration_to_minutes', 60_000_000_000n),
    ],
    getSeconds: [
      ...timeFunctionPart('timestamp_to_seconds', (date) => date.getUTCSeconds()),
      timeFunctionTotal('duration_to_seconds', 1_000_000_000n),
    ],
    getMilliseconds: [
      ...timeFunctionPart('timestamp_to_milliseconds', (date) => date.getUTCMilliseconds()),
      timeFunctionTotal('duration_to_milliseconds', 1_000_000n),
    ],
  },
};
