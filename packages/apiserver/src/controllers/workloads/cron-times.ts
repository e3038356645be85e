import { UNIT_MS } from '../common/controller-time.ts';
/** The times of a schedule: the five fields of cron, or a word such as `@hourly` or `@every 90s`. */
export interface Schedule {
  /** The first time after `afterMs`, in milliseconds since 1970; undefined if there is none within five years. */
  readonly next: (afterMs: number) => number | undefined;
}

const WORDS: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const SEARCHED_DAYS = 5 * 366;

/** Parses a schedule, which was validated when its object was written. */
export function cronTimes(text: string, zone: string | undefined): Schedule {
  const [, ownZone, rest] = /^(?:CRON_)?TZ=(\S+)\s+(.*)$/s.exec(text) ?? [];
  const schedule = (rest ?? text).trim();
  if (schedule.startsWith('@every ')) return everyCronTime(schedule.slice('@every '.length));
  return cronFieldTimes((WORDS.get(schedule) ?? schedule).split(/\s+/), ownZone ?? zone ?? 'UTC');
}

function everyCronTime(duration: string): Schedule {
  let ms = 0;
  for (const [, number, unit = ''] of duration.matchAll(/(\d{1,15}(?:\.\d{1,15})?)(ms|s|m|h)/g))
    ms += Number(number) * (UNIT_MS.get(unit) ?? 0);
  const step = Math.max(1_000, Math.floor(ms / 1_000) * 1_000);
  return { next: (after) => Math.floor(after / 1_000) * 1_000 + step };
}

function cronFieldTimes(fields: readonly string[], zone: string): Schedule {
  const [minutes, hours, days, months, weekdays] = [
    cronFieldValues(fields[0], 0, 59),
    cronFieldValues(fields[1], 0, 23),
    cronFieldValues(fields[2], 1, 31),
    cronFieldValues(fields[3], 1, 12, MONTHS),
    cronFieldValues(fields[4], 0, 6, DAYS),
  ] as const;
  // If both kinds of days are restricted, either is enough.
  const isEither = !isAnyCronField(fields[2]) && !isAnyCronField(fields[4]);
  const isDay = ({ day, month, weekday }: LocalTime): boolean => {
    if (!months.has(month)) return false;
    return isEither ? days.has(day) || weekdays.has(weekday) : days.has(day) && weekdays.has(weekday);
  };
  return {
    next(after) {
      let at = (Math.floor(after / MINUTE_MS) + 1) * MINUTE_MS;
      const end = after + SEARCHED_DAYS * DAY_MS;
      while (at < end) {
        const local = localCronTime(at, zone);
        if (!isDay(local)) at += (24 * 60 - local.hour * 60 - local.minute) * MINUTE_MS;
        else if (!hours.has(local.hour)) at += (60 - local.minute) * MINUTE_MS;
        else if (minutes.has(local.minute)) return at;
        else at += MINUTE_MS;
      }
      return undefined;
    },
  };
}

const isAnyCronField = (field = '*'): boolean => field.startsWith('*') || field.startsWith('?');

function cronFieldValues(field = '*', from: number, to: number, names: readonly string[] = []): ReadonlySet<number> {
  const number = (text: string): number => {
    const named = names.indexOf(text.toLowerCase());
    return named === -1 ? Number(text) : named + from;
  };
  const values = new Set<number>();
  for (const part of field.split(',')) {
    const [range = '*', step] = part.split('/');
    const [low = '*', high] = range.split('-');
    const first = isAnyCronField(low) ? from : number(low);
    const last = high !== undefined ? number(high) : isAnyCronField(low) || step !== undefined ? to : first;
    for (let value = first; value <= last; value += Number(step ?? 1)) values.add(value);
  }
  return values;
}

interface LocalTime {
  readonly minute: number;
  readonly hour: number;
  readonly day: number;
  readonly month: number;
  readonly weekday: number;
}

const FORMATS = new Map<string, Intl.DateTimeFormat>();

/** The local time of a time zone. */
function localCronTime(ms: number, zone: string): LocalTime {
  let format = FORMATS.get(zone);
  if (format === undefined) {
    const numeric = 'numeric';
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', minute: numeric, hour: numeric, day: numeric, month: numeric, weekday: 'short' }); // prettier-ignore
    FORMATS.set(zone, format);
  }
  const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, value]));
  const part = (name: Intl.DateTimeFormatPartTypes): number => Number(parts.get(name));
  const weekday = DAYS.indexOf((parts.get('weekday') ?? '').toLowerCase());
  return { minute: part('minute'), hour: part('hour'), day: part('day'), month: part('month'), weekday };
}
