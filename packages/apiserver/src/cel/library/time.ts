import { type Library, memberFunction, type Overload } from '../check/environment.ts';
import { DURATION, INT, STRING, TIMESTAMP } from '../types/type.ts';
import { celDateInZone } from '../values/time.ts';
import { type Duration, fail, type Timestamp, type Value } from '../values/value.ts';

/** A part of a point in time, in UTC or in a zone that is named. */
function celTimePart(id: string, read: (date: Date) => number): Overload[] {
  const run = ([time, zone = 'UTC']: readonly Value[]): Value => {
    const date = celDateInZone(time as Timestamp, zone as string);
    return date === undefined ? fail(`unknown time zone ${zone as string}`) : BigInt(read(date));
  };
  return [memberFunction(id, [TIMESTAMP], INT, run), memberFunction(`${id}_with_tz`, [TIMESTAMP, STRING], INT, run)];
}

/** A duration in a unit, without the fraction. */
const totalCelTime = (id: string, unit: bigint): Overload =>
  memberFunction(id, [DURATION], INT, ([duration]) => (duration as Duration).nanos / unit);

function celTimeDayOfYear(date: Date): number {
  // oxlint-disable-next-line no-restricted-globals -- reads a time it was given, not the clock
  return Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000);
}

/** Parts of timestamps and durations. */
export const time: Library = {
  functions: {
    getFullYear: celTimePart('timestamp_to_year', (date) => date.getUTCFullYear()),
    getMonth: celTimePart('timestamp_to_month', (date) => date.getUTCMonth()),
    getDayOfYear: celTimePart('timestamp_to_day_of_year', celTimeDayOfYear),
    getDayOfMonth: celTimePart('timestamp_to_day_of_month', (date) => date.getUTCDate() - 1),
    getDate: celTimePart('timestamp_to_day_of_month_1_based', (date) => date.getUTCDate()),
    getDayOfWeek: celTimePart('timestamp_to_day_of_week', (date) => date.getUTCDay()),
    getHours: [
      ...celTimePart('timestamp_to_hours', (date) => date.getUTCHours()),
      totalCelTime('duration_to_hours', 3_600_000_000_000n),
    ],
    getMinutes: [
      ...celTimePart('timestamp_to_minutes', (date) => date.getUTCMinutes()),
      totalCelTime('duration_to_minutes', 60_000_000_000n),
    ],
    getSeconds: [
      ...celTimePart('timestamp_to_seconds', (date) => date.getUTCSeconds()),
      totalCelTime('duration_to_seconds', 1_000_000_000n),
    ],
    getMilliseconds: [
      ...celTimePart('timestamp_to_milliseconds', (date) => date.getUTCMilliseconds()),
      totalCelTime('duration_to_milliseconds', 1_000_000n),
    ],
  },
};
