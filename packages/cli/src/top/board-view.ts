import { humanAge } from '../columns/age.ts';
import { stateText, stateTone } from '../state-text.ts';
import { escapeText } from '../terminal/escape.ts';
import { bytesText, grouped, rateText } from '../terminal/numbers.ts';
import type { Palette } from '../terminal/style.ts';
import { columnWidths, fitWidths, headerLine, rowLine, type TableColumn, type TableRow } from '../terminal/table.ts';
import { fit } from '../terminal/width.ts';
import type { BoardRow } from './board.ts';

/** The last ones go first where there is no room. */
const COLUMNS: readonly TableColumn[] = [
  { title: 'INFORMER' },
  { title: 'STATE', flexible: true, least: 8 },
  { title: 'OBJECTS', align: 'right' },
  { title: 'EVENTS/S', align: 'right' },
  { title: 'LAG', align: 'right' },
  { title: 'QUEUE', align: 'right' },
  { title: 'RESTARTS', flexible: true, least: 8 },
  { title: 'VERSION', align: 'right' },
  { title: 'SIZE', align: 'right' },
];

/** Up to the restarts. */
const ESSENTIAL = 7;

/** What is the same for all informers. */
export interface Totals {
  /** Undefined where nobody counts. */
  readonly receivedBytes?: number;
  readonly rssBytes: number;
  readonly heapBytes: number;
}

/** The table of informers. `now` is the wall clock; `width` undefined: as wide as it is. */
export function boardLines(
  rows: readonly BoardRow[],
  now: number,
  palette: Palette,
  width?: number,
  before: readonly number[] = [],
): { readonly lines: readonly string[]; readonly widths: readonly number[] } {
  const cells = rows.map((row) => boardRow(row, now));
  const widths = columnWidths(COLUMNS, cells, before);
  const columns = width === undefined ? COLUMNS : thoseThatFit(COLUMNS, widths, width);
  const fitted = width === undefined ? widths : fitWidths(columns, widths.slice(0, columns.length), width);
  return {
    lines: [headerLine(columns, fitted, palette), ...cells.map((row) => rowLine(columns, fitted, row, palette))],
    widths,
  };
}

/** Sizes and versions are left out before names become unreadable. */
function thoseThatFit(
  columns: readonly TableColumn[],
  widths: readonly number[],
  width: number,
): readonly TableColumn[] {
  let kept = columns;
  const needed = (): number => kept.reduce((sum, _, index) => sum + (widths[index] ?? 0) + 3, -2);
  while (kept.length > ESSENTIAL && needed() > width) kept = kept.slice(0, -1);
  return kept;
}

/** One line under it. */
export function totalsLine(rows: readonly BoardRow[], totals: Totals, title: string): string {
  const objects = rows.reduce((sum, row) => sum + row.objects, 0);
  const perSecond = rows.reduce((sum, row) => sum + row.perSecond, 0);
  return [
    title,
    `${rows.length} informers`,
    `${grouped(objects)} objects`,
    `${rateText(perSecond)} events/s`,
    ...(totals.receivedBytes === undefined ? [] : [`${bytesText(totals.receivedBytes)} received`]),
    `memory ${bytesText(totals.rssBytes)} (heap ${bytesText(totals.heapBytes)})`,
  ].join(' · ');
}

export const barLine = (text: string, width: number, palette: Palette): string =>
  palette('bar', fit(` ${text}`, width));

function boardRow(row: BoardRow, now: number): TableRow {
  const { name, state, objects, perSecond, lagMs, queued, restarts, lastTrouble, bytes, resourceVersion } = row;
  return {
    cells: [
      name,
      stateText(state, now),
      grouped(objects),
      rateText(perSecond),
      lagMs === undefined ? '-' : humanAge(lagMs),
      grouped(queued),
      lastTrouble === undefined
        ? grouped(restarts)
        : `${grouped(restarts)} (${lastTrouble.reason}, ${humanAge(now - lastTrouble.at)} ago)`,
      escapeText(resourceVersion) || '-',
      bytes === 0 ? '-' : `~${bytesText(bytes)}`,
    ],
    tones: [undefined, stateTone(state)],
  };
}
