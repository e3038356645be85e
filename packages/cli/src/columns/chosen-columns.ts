import type { KubeObject } from 'kube-informer';
import { KubeError } from 'kube-informer/core';
import { type Column, column, LABELS, NONE } from './column.ts';
import { compileColumnJsonPath } from './column-json-path.ts';
import { byName, columnOrderByPath, type RowOrder } from './column-order.ts';

/** Prepares an object for output: secrets are masked. */
type Present = (object: KubeObject) => KubeObject;

/** Options of a table. */
export interface TableChoice {
  readonly isWide: boolean;
  readonly showLabels: boolean;
}

const CUSTOM = 'custom-columns=';

/** The columns of `-o custom-columns=NAME:.metadata.name,…`; undefined for other forms. */
export function chosenCustomColumns(output: string, present: Present): readonly Column[] | undefined {
  if (!output.startsWith(CUSTOM)) return undefined;
  return output.slice(CUSTOM.length).split(',').map((text) => {
    const { title, path } = /^(?<title>[^:]+):(?<path>.+)$/.exec(text)?.groups ?? {};
    if (title === undefined || path === undefined)
      throw new KubeError('INVALID_OPTION', `custom-columns: expected <title>:<path>, as in NAME:.metadata.name, got ${JSON.stringify(text)}`);
    const find = compileColumnJsonPath(path.startsWith('.') || path.startsWith('{') ? path : `.${path}`);
    return column(title, (object) => find(present(object)).map(chosenColumnCell).join(',') || NONE);
  }); // prettier-ignore
}

const chosenColumnCell = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

/** The columns that the options select: those of `-o wide` only with it, and labels with `--show-labels`. */
export function chosenColumns(
  { isWide, showLabels }: TableChoice,
  columns: readonly Column[],
  keepWide: boolean,
): readonly Column[] {
  const own = columns
    .filter(({ priority }) => isWide || keepWide || priority !== 0)
    .map((each) => (isWide && each.priority === 0 ? { ...each, priority: 1 } : each));
  return showLabels ? [...own, LABELS] : own;
}

/** The order of `--sort-by`, which may be in braces; otherwise `fallback`. */
export function chosenOrder(path: string | undefined, fallback: RowOrder = byName): RowOrder {
  if (path === undefined) return fallback;
  return columnOrderByPath(path, compileColumnJsonPath(/^[.{]/.test(path) ? path : `.${path}`));
}
