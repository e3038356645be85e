import { at } from './fields.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** A time span as Kubernetes people write it: more exact the younger it is. */
export function humanAge(ms: number): string {
  // A clock a little ahead of ours is not worth a word.
  if (ms < -2 * SECOND) return '<invalid>';
  if (ms < SECOND) return '0s';
  if (ms < 2 * MINUTE) return `${Math.floor(ms / SECOND)}s`;
  if (ms < 10 * MINUTE) return two(ms, MINUTE, 'm', SECOND, 's');
  if (ms < 3 * HOUR) return `${Math.floor(ms / MINUTE)}m`;
  if (ms < 8 * HOUR) return two(ms, HOUR, 'h', MINUTE, 'm');
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)}h`;
  if (ms < 8 * DAY) return two(ms, DAY, 'd', HOUR, 'h');
  if (ms < 2 * YEAR) return `${Math.floor(ms / DAY)}d`;
  return ms < 8 * YEAR ? two(ms, YEAR, 'y', DAY, 'd') : `${Math.floor(ms / YEAR)}y`;
}

/** Time since what a field says. */
export function ageAt(object: unknown, path: string, now: number): string {
  return ageOf(at(object, path), now);
}

export function ageOf(timestamp: unknown, now: number): string {
  const since = instant(timestamp);
  return since === undefined ? '<unknown>' : humanAge(now - since);
}

/** Milliseconds since 1970. */
export function instant(timestamp: unknown): number | undefined {
  if (typeof timestamp !== 'string') return undefined;
  // oxlint-disable-next-line no-restricted-globals -- reads a time it was given, not the clock
  const ms = Date.parse(timestamp);
  return Number.isNaN(ms) ? undefined : ms;
}

/** `14:03:59`: a moment of today, in the zone of whoever looks. */
export function clockTime(wallMs: number): string {
  // oxlint-disable-next-line no-restricted-globals -- writes a time it was given, not the clock's
  return new Date(wallMs).toTimeString().slice(0, 8);
}

function two(ms: number, large: number, largeUnit: string, small: number, smallUnit: string): string {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)}${largeUnit}${rest === 0 ? '' : `${rest}${smallUnit}`}`;
}
