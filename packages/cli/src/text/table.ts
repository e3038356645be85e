import { defined } from '@kube-informer/inspector/internal';
import type { Palette, Tone } from './style.ts';
import { fit, truncate, widthOf } from './width.ts';

export interface TableColumn {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /**
   * How long it is kept where there is no room: the lowest goes first, of equals the last. 0: only where nothing has to
   * be cut for it. Infinity: always. @default 1
   */
  readonly keep?: number;
  /** Cells that will do. Left out: it is not cut while anything else can go. */
  readonly least?: number;
}

/** The columns there is room for, by their places, and how wide each of them is. */
export interface Layout {
  readonly shown: readonly number[];
  readonly widths: readonly number[];
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
/** What is left of a text that may be cut, before names are. */
const SCRAP = 7;

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

/**
 * What fits into a line of so many cells. Names get what they need: columns that matter less go, then those that may be
 * cut are, the least important first. Only where nothing else is left are names cut too.
 */
export function layoutOf(columns: readonly TableColumn[], widths: readonly number[], line: number): Layout {
  const full = (index: number): number => widths[index] ?? 0;
  const enough = (index: number): number => Math.min(full(index), columns[index]?.least ?? Infinity);
  const keep = (index: number): number => columns[index]?.keep ?? 1;
  const isTooLong = (cells: readonly number[]): boolean => lengthOf(cells) > line;
  const shown = columns.map((_, index) => index);
  const byImportance = shown.toSorted((a, b) => keep(a) - keep(b) || b - a);
  for (const index of byImportance) {
    if (shown.length === 1 || keep(index) === Infinity || !isTooLong(shown.map(keep(index) === 0 ? full : enough)))
      break;
    shown.splice(shown.indexOf(index), 1);
  }
  const fitted = shown.map(full);
  const shrink = (place: number, least: number): void => {
    const over = Math.max(0, lengthOf(fitted) - line);
    fitted[place] = Math.max(Math.min(fitted[place] ?? 0, least), (fitted[place] ?? 0) - over);
  };
  const places = byImportance.filter((index) => shown.includes(index)).map((index) => shown.indexOf(index));
  const cuttable = places.filter((place) => columns[shown[place] ?? 0]?.least !== undefined);
  for (const place of cuttable) shrink(place, enough(shown[place] ?? 0));
  for (const place of cuttable) shrink(place, SCRAP);
  while (isTooLong(fitted)) {
    const widest = Math.max(...fitted);
    if (widest <= 1) break;
    fitted[fitted.lastIndexOf(widest)] = widest - 1;
  }
  return { shown, widths: fitted };
}

const lengthOf = (widths: readonly number[]): number => 1 + widths.reduce((sum, width) => sum + width + GAP, -GAP);

/** A table in so many cells: its header, and rows of the columns that fit. */
export function fittedLines(
  columns: readonly TableColumn[],
  widths: readonly number[],
  rows: readonly TableRow[],
  line: number,
  palette: Palette,
): string[] {
  const { shown, widths: fitted } = layoutOf(columns, widths, line);
  const choose = <T>(all: readonly T[]): T[] => shown.map((index) => all[index] as T);
  const chosen = choose(columns);
  return [
    headerLine(chosen, fitted, palette),
    ...rows.map(({ cells, tones, ...row }) =>
      rowLine(chosen, fitted, { ...row, cells: choose(cells), ...defined({ tones: tones && choose(tones) }) }, palette),
    ),
  ];
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
