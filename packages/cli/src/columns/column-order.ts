import type { KubeObject } from 'kube-informer';
import type { Column } from './column.ts';
import type { JsonPath } from './column-json-path.ts';
import { escapeText } from '../text/escape.ts';
import { type Safe, safe } from '../text/safe.ts';

/** The order of rows. */
export interface RowOrder {
  /** Sort key of an object. */
  readonly orderOf: (object: KubeObject) => string;
  readonly descending?: boolean;
  /** The path that the user named, which may be misspelt. */
  readonly path?: { readonly text: string; readonly isIn: (object: KubeObject) => boolean };
}

/** Sorts by namespace, then by name, as kubectl does. */
export const byName: RowOrder = {
  orderOf: ({ metadata }) => `${metadata?.namespace ?? ''}\u0000${metadata?.name ?? ''}`,
};

/** Sorts by what a column shows; ages by the time of creation, youngest first. */
export function orderByColumn({ cell, sortValue }: Column, now: number, descending: boolean): RowOrder {
  return { orderOf: sortValue ?? ((object) => columnOrderText(cell(object, now))), descending };
}

/** Sorts by the first value of a path. */
export function columnOrderByPath(text: string, find: JsonPath): RowOrder {
  return {
    orderOf: (object) => {
      const [value] = find(object);
      return columnOrderText(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
    },
    path: { text, isIn: (object) => find(object).length > 0 },
  };
}

/**
 * A warning for a path that no object has. Not an error: often no object has a field such as
 * `metadata.deletionTimestamp`.
 */
export function missingInColumnOrder({ path }: RowOrder, objects: readonly KubeObject[]): Safe | undefined {
  if (path === undefined || objects.length === 0 || objects.some(path.isIn)) return undefined;
  return safe`--sort-by: no object has ${escapeText(path.text)}`;
}

const DURATION = /^(?:\d+y)?(?:\d+d)?(?:\d+h)?(?:\d+m)?(?:\d+s)?$/;
const SECONDS: ReadonlyMap<string, number> = new Map([
  ['y', 31_536_000],
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
]);

/** A text that sorts as a person would: numbers, durations and `2/3` by value, before words. */
export function columnOrderText(text: string): string {
  const number = columnOrderNumber(text);
  return number === undefined ? `1${text.toLowerCase()}` : `0${number.toFixed(3).padStart(24, '0')}`;
}

function columnOrderNumber(text: string): number | undefined {
  const { value } = /^(?<value>\d{1,15}(?:\.\d{1,9})?)(?:$|\/| )/.exec(text)?.groups ?? {};
  if (value !== undefined) return Number(value);
  if (text === '' || !DURATION.test(text)) return undefined;
  return [...text.matchAll(/(\d{1,15})([ydhms])/g)].reduce(
    (sum, [, n, unit]) => sum + Number(n) * (SECONDS.get(unit ?? '') ?? 0),
    0,
  );
}
