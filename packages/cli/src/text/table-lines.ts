import { defined } from 'kube-informer/core';
import type { Palette, Tone } from './style.ts';
import { joinSafe, safe, type Safe, trimSafeEnd } from './safe.ts';
import { fitWidth, truncateToWidth, textWidth } from './width.ts';

export interface TableColumn {
  readonly title: Safe;
  readonly align?: 'left' | 'right';
  /**
   * Columns with the lowest priority are dropped first if there is no room; of equal ones, the last. 0: shown only if
   * nothing has to be truncated for it. Infinity: never dropped. @default 1
   */
  readonly priority?: number;
  /** Width a cell may be truncated to. If undefined, it is truncated last. */
  readonly minWidth?: number;
}

/** The columns that fit, by index, and their widths. */
export interface Layout {
  readonly shown: readonly number[];
  readonly widths: readonly number[];
}

export interface TableRow {
  /** One cell per column. */
  readonly cells: readonly Safe[];
  /** Character in front of the row. @default a space */
  readonly mark?: Safe;
  /** Tone of the whole row. */
  readonly tone?: Tone;
  /** Tones of single cells, if the row has none. */
  readonly tones?: readonly (Tone | undefined)[];
}

const GAP = 3;
const SPACES = ' '.repeat(GAP);
/** Minimum width of a truncatable cell before names are truncated too. */
const MIN_TRUNCATED = 7;

/** Returns column widths. They only grow from `before`, so that a live table does not jump. */
export function tableLineWidths(
  columns: readonly TableColumn[],
  rows: Iterable<TableRow>,
  before: readonly number[] = [],
): number[] {
  const widths = columns.map(({ title }, index) => Math.max(textWidth(title), before[index] ?? 0));
  for (const { cells } of rows) {
    for (const [index, cell] of cells.entries()) {
      const width = textWidth(cell);
      if (width > (widths[index] ?? 0)) widths[index] = width;
    }
  }
  return widths;
}

/**
 * Chooses columns and widths for `line` cells: first drops columns by priority, then truncates those that
 * have a `minWidth`, the least important first, and truncates names only if that is not enough.
 */
export function tableTextLayout(columns: readonly TableColumn[], widths: readonly number[], line: number): Layout {
  const full = (index: number): number => widths[index] ?? 0;
  const minimum = (index: number): number => Math.min(full(index), columns[index]?.minWidth ?? Infinity);
  const priority = (index: number): number => columns[index]?.priority ?? 1;
  const isTooLong = (cells: readonly number[]): boolean => tableLineLength(cells) > line;
  const shown = columns.map((_, index) => index);
  const byImportance = shown.toSorted((a, b) => priority(a) - priority(b) || b - a);
  for (const index of byImportance) {
    if (
      shown.length === 1 ||
      priority(index) === Infinity ||
      !isTooLong(shown.map(priority(index) === 0 ? full : minimum))
    )
      break;
    shown.splice(shown.indexOf(index), 1);
  }
  const fitted = shown.map(full);
  const shrink = (position: number, min: number): void => {
    const over = Math.max(0, tableLineLength(fitted) - line);
    fitted[position] = Math.max(Math.min(fitted[position] ?? 0, min), (fitted[position] ?? 0) - over);
  };
  const positions = byImportance.filter((index) => shown.includes(index)).map((index) => shown.indexOf(index));
  const truncatable = positions.filter((position) => columns[shown[position] ?? 0]?.minWidth !== undefined);
  for (const position of truncatable) shrink(position, minimum(shown[position] ?? 0));
  for (const position of truncatable) shrink(position, MIN_TRUNCATED);
  while (isTooLong(fitted)) {
    const widest = Math.max(...fitted);
    if (widest <= 1) break;
    fitted[fitted.lastIndexOf(widest)] = widest - 1;
  }
  return { shown, widths: fitted };
}

const tableLineLength = (widths: readonly number[]): number =>
  1 + widths.reduce((sum, width) => sum + width + GAP, -GAP);

/** A table that fits into `line` cells: the header and the rows. */
export function fittedTableLines(
  columns: readonly TableColumn[],
  widths: readonly number[],
  rows: readonly TableRow[],
  line: number,
  palette: Palette,
): Safe[] {
  const { shown, widths: fitted } = tableTextLayout(columns, widths, line);
  const choose = <T>(all: readonly T[]): T[] => shown.map((index) => all[index] as T);
  const chosen = choose(columns);
  return [
    tableHeaderLine(chosen, fitted, palette),
    ...rows.map(({ cells, tones, ...row }) =>
      tableRowLine(
        chosen,
        fitted,
        { ...row, cells: choose(cells), ...defined({ tones: tones && choose(tones) }) },
        palette,
      ),
    ),
  ];
}

export function tableHeaderLine(columns: readonly TableColumn[], widths: readonly number[], palette: Palette): Safe {
  const titles = columns.map(({ title, align }, index) => fitWidth(title, widths[index] ?? 0, align));
  return palette('bold', safe` ${trimSafeEnd(joinSafe(titles, SPACES))}`);
}

/** One row. The last column is not padded. */
export function tableRowLine(
  columns: readonly TableColumn[],
  widths: readonly number[],
  row: TableRow,
  palette: Palette,
): Safe {
  const { mark = safe` `, tone, tones = [] } = row;
  const last = columns.length - 1;
  const cells = columns.map(({ align }, index) => {
    const text = row.cells[index] ?? safe``;
    const width = widths[index] ?? 0;
    const fitted = index === last && align !== 'right' ? truncateToWidth(text, width) : fitWidth(text, width, align);
    return tone === undefined ? palette(tones[index] ?? 'plain', fitted) : fitted;
  });
  const line = trimSafeEnd(safe`${mark}${joinSafe(cells, SPACES)}`);
  return tone === undefined ? line : palette(tone, line);
}

/** Maximum width that cells are padded to: one cell of a megabyte would add a megabyte of spaces to every other row. */
const MAX_PADDED = 512;

/** A table of any width. No cell is truncated: one that is wider than its column moves the rest of its row. */
export function tableLines(columns: readonly TableColumn[], rows: readonly TableRow[], palette: Palette): Safe[] {
  const widths = tableLineWidths(columns, rows).map((width) => Math.min(width, MAX_PADDED));
  const ownWidths = ({ cells }: TableRow): readonly number[] =>
    widths.map((width, index) => (width < MAX_PADDED ? width : Math.max(width, textWidth(cells[index] ?? safe``))));
  return [
    tableHeaderLine(columns, widths, palette),
    ...rows.map((row) => tableRowLine(columns, ownWidths(row), row, palette)),
  ];
}
