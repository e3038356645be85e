import { type Library, memberFunction, type Overload } from '../check/environment.ts';
import { DURATION, INT, STRING, TIMESTAMP } from '../types/type.ts';
import { zonedDate } from '../values/time.ts';
import { type Duration, fail, type Timestamp, type Value } from '../values/value.ts';

/** A part of a point in time, in UTC or in a zone that is named. */
function timePart(id: string, read: (date: Date) => number): Overload[] {
  const run = ([time, zone = 'UTC']: readonly Value[]): Value => {
    const date = zonedDate(time as Timestamp, zone as string);
    return date === undefined ? fail(`unknown time zone ${zone as string}`) : BigInt(read(date));
  };
  return [memberFunction(id, [TIMESTAMP], INT, run), memberFunction(`${id}_with_tz`, [TIMESTAMP, STRING], INT, run)];
}

/** A duration in a unit, without the fraction. */
const totalTime = (id: string, unit: bigint): Overload =>
  memberFunction(id, [DURATION], INT, ([duration]) => (duration as Duration).nanos / unit);

function timeDayOfYear(date: Date): number {
  // oxlint-disable-next-line no-restricted-globals -- reads a time it was given, not the clock
  return Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000);
}

/** Parts of timestamps and durations. */
export const time: Library = {
  functions: {
    getFullYear: timePart('timestamp_to_year', (date) => date.getUTCFullYear()),
    getMonth: timePart('timestamp_to_month', (date) => date.getUTCMonth()),
    getDayOfYear: timePart('timestamp_to_day_of_year', timeDayOfYear),
    getDayOfMonth: timePart('timestamp_to_day_of_month', (date) => date.getUTCDate() - 1),
    getDate: timePart('timestamp_to_day_of_month_1_based', (date) => date.getUTCDate()),
    getDayOfWeek: timePart('timestamp_to_day_of_week', (date) => date.getUTCDay()),
    getHours: [
      ...timePart('timestamp_to_hours', (date) => date.getUTCHours()),
      totalTime('duration_to_hours', 3_600_000_000_000n),
    ],
    getMinutes: [
      ...timePart('timestamp_to_minutes', (date) => date.getUTCMinutes()),
      totalTime('duration_to_minutes', 60_000_000_000n),
    ],
    getSeconds: [
      ...timePart('timestamp_to_seconds', (date) => date.getUTCSeconds()),
      totalTime('duration_to_seconds', 1_000_000_000n),
    ],
    getMilliseconds: [
      ...timePart('timestamp_to_milliseconds', (date) => date.getUTCMilliseconds()),
      totalTime('duration_to_milliseconds', 1_000_000n),
    ],
  },
};
