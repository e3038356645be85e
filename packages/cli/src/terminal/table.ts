import type { Palette, Tone } from './style.ts';
import { fit, truncate, widthOf } from './width.ts';

export interface TableColumn {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** The first to give way when there is no room; the widest one is, where none says so. */
  readonly flexible?: boolean;
  /** Cells it keeps. @default 4 */
  readonly least?: number;
}

export interface TableRow {
  /** Escaped. One for each column. */
  readonly cells: readonly string[];
  /** In front of the row; a space where there is nothing to say. */
  readonly mark?: string;
  /** Of the whole row. */
  readonly tone?: Tone;
  /** Of single cells, where the row has none. */
  readonly tones?: readonly (Tone | undefined)[];
}

const GAP = 3;
const LEAST = 4;

/** How wide columns are; they grow with what they have shown and do not shrink, so that a live table does not jump. */
export function columnWidths(
  columns: readonly TableColumn[],
  rows: Iterable<TableRow>,
  before: readonly number[] = [],
): number[] {
  const widths = columns.map(({ title }, index) => Math.max(widthOf(title), before[index] ?? 0));
  for (const { cells } of rows) {
    for (const [index, cell] of cells.entries()) {
      const width = widthOf(cell);
      if (width > (widths[index] ?? 0)) widths[index] = width;
    }
  }
  return widths;
}

/** The same widths, or smaller ones that fit into a line: flexible columns give way first, then the widest. */
export function fitWidths(columns: readonly TableColumn[], widths: readonly number[], line: number): number[] {
  const fitted = [...widths];
  const isMovable = (index: number): boolean => (fitted[index] ?? 0) > (columns[index]?.least ?? LEAST);
  let over = 1 + fitted.reduce((sum, width) => sum + width + GAP, -GAP) - line;
  for (const flexibleOnly of [true, false]) {
    while (over > 0) {
      const candidates = columns.flatMap(({ flexible = false }, index) =>
        isMovable(index) && (flexible || !flexibleOnly) ? [index] : [],
      );
      const widest = candidates.toSorted((a, b) => (fitted[b] ?? 0) - (fitted[a] ?? 0))[0];
      if (widest === undefined) break;
      fitted[widest] = (fitted[widest] ?? 0) - 1;
      over -= 1;
    }
  }
  return fitted;
}

export function headerLine(columns: readonly TableColumn[], widths: readonly number[], palette: Palette): string {
  const titles = columns.map(({ title, align }, index) => fit(title, widths[index] ?? 0, align));
  return palette('bold', ` ${titles.join(' '.repeat(GAP)).trimEnd()}`);
}

/** One line. The last column is not filled up: nothing follows it. */
export function rowLine(
  columns: readonly TableColumn[],
  widths: readonly number[],
  row: TableRow,
  palette: Palette,
): string {
  const { mark = ' ', tone, tones = [] } = row;
  const last = columns.length - 1;
  const cells = columns.map(({ align }, index) => {
    const text = row.cells[index] ?? '';
    const width = widths[index] ?? 0;
    const fitted = index === last && align !== 'right' ? truncate(text, width) : fit(text, width, align);
    return tone === undefined ? palette(tones[index] ?? 'plain', fitted) : fitted;
  });
  const line = `${mark}${cells.join(' '.repeat(GAP))}`;
  return tone === undefined ? line.trimEnd() : palette(tone, line.trimEnd());
}

/** A whole table, as wide as it is. */
export function tableLines(columns: readonly TableColumn[], rows: readonly TableRow[], palette: Palette): string[] {
  const widths = columnWidths(columns, rows);
  return [headerLine(columns, widths, palette), ...rows.map((row) => rowLine(columns, widths, row, palette))];
}
