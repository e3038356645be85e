import { objectAgeText } from '@kube-informer/inspector/internal';
import { stateText, stateTextTone } from '../output/state-text.ts';
import { escapeText } from '../text/escape.ts';
import { byteNumberText, groupedNumber, rateNumberText } from '../text/numbers.ts';
import type { Palette } from '../text/style.ts';
import { tableColumnWidths, fittedTableLines, type TableColumn, type TableRow } from '../text/table.ts';
import { fitWidth, truncateToWidth, textWidth } from '../text/width.ts';
import type { InformerRow } from './informer-stats.ts';

const COLUMNS: readonly TableColumn[] = [
  { title: 'INFORMER', priority: Infinity },
  { title: 'STATE', priority: Infinity, minWidth: 8 },
  { title: 'OBJECTS', align: 'right', priority: 4 },
  { title: 'EVENTS/S', align: 'right' },
  { title: 'LAG', align: 'right', priority: 2 },
  { title: 'QUEUE', align: 'right' },
  { title: 'RESTARTS', priority: 3, minWidth: 8 },
  { title: 'VERSION', align: 'right', priority: 0 },
  { title: 'SIZE', align: 'right', priority: 0 },
];

/** Numbers of the whole process. */
export interface Totals {
  /** Undefined if it is not counted. */
  readonly receivedBytes?: number;
  readonly rssBytes: number;
  readonly heapBytes: number;
}

/** The table of informers, fitted to `width` if it is given. `now` is the wall clock. */
export function statsTableLines(
  rows: readonly InformerRow[],
  now: number,
  palette: Palette,
  width?: number,
  before: readonly number[] = [],
): { readonly lines: readonly string[]; readonly widths: readonly number[] } {
  const cells = rows.map((row) => statsTableRow(row, now));
  const widths = tableColumnWidths(COLUMNS, cells, before);
  return { lines: fittedTableLines(COLUMNS, widths, cells, width ?? Infinity, palette), widths };
}

/** The line below the table. */
export function statsTableTotals(rows: readonly InformerRow[], totals: Totals, title: string): string {
  const objects = rows.reduce((sum, row) => sum + row.objects, 0);
  const perSecond = rows.reduce((sum, row) => sum + row.perSecond, 0);
  return [
    title,
    `${rows.length} informers`,
    `${groupedNumber(objects)} objects`,
    `${rateNumberText(perSecond)} events/s`,
    ...(totals.receivedBytes === undefined ? [] : [`${byteNumberText(totals.receivedBytes)} received`]),
    `memory ${byteNumberText(totals.rssBytes)} (heap ${byteNumberText(totals.heapBytes)})`,
  ].join(' · ');
}

/** A status bar of `width` cells. `end` is never truncated. */
export function statsTableBar(text: string, width: number, palette: Palette, end = ''): string {
  const rest = truncateToWidth(` ${text}`, width - textWidth(end));
  return palette('bar', fitWidth(`${rest}${end}`, width));
}

function statsTableRow(row: InformerRow, now: number): TableRow {
  const { name, state, objects, perSecond, lagMs, queued, restarts, lastProblem, bytes, resourceVersion } = row;
  return {
    cells: [
      name,
      stateText(state, now),
      groupedNumber(objects),
      rateNumberText(perSecond),
      lagMs === undefined ? '-' : objectAgeText(lagMs),
      groupedNumber(queued),
      lastProblem === undefined
        ? groupedNumber(restarts)
        : `${groupedNumber(restarts)} (${lastProblem.reason}, ${objectAgeText(now - lastProblem.at)} ago)`,
      escapeText(resourceVersion) || '-',
      bytes === 0 ? '-' : `~${byteNumberText(bytes)}`,
    ],
    tones: [undefined, stateTextTone(state)],
  };
}
