import type { ObjectDetail } from '../../src/protocol/messages.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const groups = new Intl.NumberFormat('en');

export const count = (value: number): string => groups.format(value);

export const plural = (value: number, word: string): string => `${count(value)} ${word}${value === 1 ? '' : 's'}`;

export function rate(value: number): string {
  if (value === 0) return '0';
  if (value < 10) return value.toFixed(1);
  return count(Math.round(value));
}

/** A span as people say it: more exact the shorter it is. */
export function span(ms: number): string {
  const left = Math.max(0, ms);
  if (left < SECOND) return `${Math.round(left)} ms`;
  if (left < 10 * SECOND) return `${(left / SECOND).toFixed(1)} s`;
  return age(left);
}

/** How old something is. */
export function age(ms: number): string {
  if (ms < 2 * MINUTE) return `${Math.max(0, Math.floor(ms / SECOND))} s`;
  if (ms < 2 * HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)} h`;
  return `${Math.floor(ms / DAY)} d`;
}

/** The age of an object; of one that is gone, the age it reached. */
export function lifetime(
  { createdAt, isDeleted, deletedAt }: Pick<ObjectDetail, 'createdAt' | 'isDeleted' | 'deletedAt'>,
  now: number,
): string {
  if (createdAt === undefined) return '';
  if (!isDeleted) return `${age(now - createdAt)} old`;
  return deletedAt === undefined ? '' : `lived ${age(deletedAt - createdAt)}`;
}

/** Since the server was heard: anything up to a few seconds is now. */
export function lag(ms: number | undefined): string {
  if (ms === undefined) return 'never';
  return ms < 2 * SECOND ? 'now' : `${age(ms)} ago`;
}

export function bytes(value: number): string {
  if (value < 1_000) return `${value} B`;
  if (value < 1_000_000) return `${(value / 1_000).toFixed(0)} kB`;
  if (value < 1_000_000_000) return `${(value / 1_000_000).toFixed(value < 10_000_000 ? 1 : 0)} MB`;
  return `${(value / 1_000_000_000).toFixed(1)} GB`;
}
