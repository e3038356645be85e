import { objectField } from './object-fields.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** Formats a duration as kubectl does: `41s`, `5m`, `3d4h`. */
export function objectAgeText(ms: number): string {
  // Tolerates a clock that is slightly ahead of ours.
  if (ms < -2 * SECOND) return '<invalid>';
  if (ms < SECOND) return '0s';
  if (ms < 2 * MINUTE) return `${Math.floor(ms / SECOND)}s`;
  if (ms < 10 * MINUTE) return objectAgeInTwoUnits(ms, MINUTE, 'm', SECOND, 's');
  if (ms < 3 * HOUR) return `${Math.floor(ms / MINUTE)}m`;
  if (ms < 8 * HOUR) return objectAgeInTwoUnits(ms, HOUR, 'h', MINUTE, 'm');
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)}h`;
  if (ms < 8 * DAY) return objectAgeInTwoUnits(ms, DAY, 'd', HOUR, 'h');
  if (ms < 2 * YEAR) return `${Math.floor(ms / DAY)}d`;
  return ms < 8 * YEAR ? objectAgeInTwoUnits(ms, YEAR, 'y', DAY, 'd') : `${Math.floor(ms / YEAR)}y`;
}

/** Age since the timestamp in a field. */
export function objectAgeAt(object: unknown, path: string, now: number): string {
  return objectAgeSince(objectField(object, path), now);
}

export function objectAgeSince(timestamp: unknown, now: number): string {
  const since = objectAgeInstant(timestamp);
  return since === undefined ? '<unknown>' : objectAgeText(now - since);
}

/** Parses a timestamp into milliseconds since 1970. */
export function objectAgeInstant(timestamp: unknown): number | undefined {
  if (typeof timestamp !== 'string') return undefined;
  // oxlint-disable-next-line no-restricted-globals -- reads a time it was given, not the clock
  const ms = Date.parse(timestamp);
  return Number.isNaN(ms) ? undefined : ms;
}

/** Formats a time of day as `14:03:59`, in the local time zone. */
export function objectAgeClock(wallMs: number): string {
  // oxlint-disable-next-line no-restricted-globals -- writes a time it was given, not the clock's
  return new Date(wallMs).toTimeString().slice(0, 8);
}

function objectAgeInTwoUnits(ms: number, large: number, largeUnit: string, small: number, smallUnit: string): string {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)}${largeUnit}${rest === 0 ? '' : `${rest}${smallUnit}`}`;
}
