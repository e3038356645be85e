/** The error messages for an invalid schedule, as worded by the parser that controllers use. */

interface Unit {
  readonly from: number;
  readonly to: number;
  readonly names?: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const UNITS: readonly Unit[] = [
  { from: 0, to: 59 },
  { from: 0, to: 23 },
  { from: 1, to: 31 },
  { from: 1, to: 12, names: MONTHS },
  { from: 0, to: 6, names: DAYS },
];
const WORDS = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];
const DURATION = /^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;

class Unreadable extends Error {}

/** The first error message; undefined for a valid schedule. */
export function cronScheduleFault(schedule: string): string | undefined {
  try {
    checkCronSchedule(schedule);
    return undefined;
  } catch (error) {
    if (error instanceof Unreadable) return error.message;
    throw error;
  }
}

function checkCronSchedule(text: string): void {
  const [, zone, rest] = /^(?:CRON_)?TZ=(\S*)\s*(.*)$/s.exec(text) ?? [];
  if (zone !== undefined && !isCronScheduleTimeZone(zone))
    failCronSchedule(`provided bad location ${zone}: unknown time zone ${zone}`);
  const schedule = (rest ?? text).trim();
  if (schedule.startsWith('@')) return checkCronScheduleWord(schedule);
  const fields = schedule === '' ? [] : schedule.split(/\s+/);
  if (fields.length !== UNITS.length)
    failCronSchedule(`expected exactly ${UNITS.length} fields, found ${fields.length}: [${fields.join(' ')}]`);
  for (const [index, field] of fields.entries())
    for (const part of field.split(',')) if (part !== '') checkCronScheduleRange(part, UNITS[index] as Unit);
}

function checkCronScheduleWord(word: string): void {
  if (WORDS.includes(word)) return;
  if (!word.startsWith('@every ')) failCronSchedule(`unrecognized descriptor: ${word}`);
  const duration = word.slice('@every '.length);
  if (!DURATION.test(duration))
    failCronSchedule(`failed to parse duration ${word}: time: invalid duration ${JSON.stringify(duration)}`);
}

/** Checks a range: `*`, `5`, `1-5`, `JAN-MAR`, each with an optional step. */
function checkCronScheduleRange(part: string, unit: Unit): void {
  const [range = '', step, ...moreSteps] = part.split('/');
  const [low = '', high, ...moreHyphens] = range.split('-');
  let [from, to] = [unit.from, unit.to];
  if (low !== '*' && low !== '?') {
    from = cronScheduleNumber(low, unit);
    to = high === undefined ? from : cronScheduleNumber(high, unit);
    if (moreHyphens.length > 0) failCronSchedule(`too many hyphens: ${part}`);
    if (high === undefined && step !== undefined) to = unit.to;
  }
  if (moreSteps.length > 0) failCronSchedule(`too many slashes: ${part}`);
  const every = step === undefined ? 1 : cronScheduleInteger(step);
  if (from < unit.from) failCronSchedule(`beginning of range (${from}) below minimum (${unit.from}): ${part}`);
  if (to > unit.to) failCronSchedule(`end of range (${to}) above maximum (${unit.to}): ${part}`);
  if (from > to) failCronSchedule(`beginning of range (${from}) beyond end of range (${to}): ${part}`);
  if (every === 0) failCronSchedule(`step of range should be a positive number: ${part}`);
}

function cronScheduleNumber(text: string, { names = [], from }: Unit): number {
  const index = names.indexOf(text.toLowerCase());
  return index < 0 ? cronScheduleInteger(text) : index + from;
}

function cronScheduleInteger(text: string): number {
  if (!/^[+-]?\d+$/.test(text))
    failCronSchedule(`failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Number(text);
}

export function isCronScheduleTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

function failCronSchedule(why: string): never {
  throw new Unreadable(why);
}
