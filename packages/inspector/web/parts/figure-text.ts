import { objectAgeText } from '../../src/objects/object-age.ts';
import type { ObjectDetail } from '../../src/protocol/messages.ts';

const SECOND = 1_000;

const groups = new Intl.NumberFormat('en');

export const countFigureText = (value: number): string => groups.format(value);

export const pluralFigureText = (value: number, word: string): string =>
  `${countFigureText(value)} ${word}${value === 1 ? '' : 's'}`;

export function rateFigureText(value: number): string {
  if (value === 0) return '0';
  if (value < 10) return value.toFixed(1);
  return countFigureText(Math.round(value));
}

/** A duration, with a fraction below ten seconds. */
export function spanFigureText(ms: number): string {
  const left = Math.max(0, ms);
  if (left < SECOND) return `${Math.round(left)}ms`;
  return left < 10 * SECOND ? `${(left / SECOND).toFixed(1)}s` : objectAgeText(left);
}

/** The age of an object; for a deleted one, its age at deletion. */
export function lifetimeFigureText(
  { createdAt, isDeleted, deletedAt }: Pick<ObjectDetail, 'createdAt' | 'isDeleted' | 'deletedAt'>,
  now: number,
): string {
  if (createdAt === undefined) return '';
  if (!isDeleted) return `${objectAgeText(now - createdAt)} old`;
  return deletedAt === undefined ? '' : `lived ${objectAgeText(deletedAt - createdAt)}`;
}

/** Time since the last message of the server; a few seconds count as now. */
export function lagFigureText(ms: number | undefined): string {
  if (ms === undefined) return 'never';
  return ms < 2 * SECOND ? 'now' : `${objectAgeText(ms)} ago`;
}

export function bytesFigureText(value: number): string {
  if (value < 1_000) return `${value} B`;
  if (value < 1_000_000) return `${(value / 1_000).toFixed(0)} kB`;
  if (value < 1_000_000_000) return `${(value / 1_000_000).toFixed(value < 10_000_000 ? 1 : 0)} MB`;
  return `${(value / 1_000_000_000).toFixed(1)} GB`;
}
