import { humanAge } from '@kube-informer/inspector/internal';
import { stateText, stateTone } from '../output/state-text.ts';
import { escapeText } from '../text/escape.ts';
import { bytesText, grouped, rateText } from '../text/numbers.ts';
import type { Palette } from '../text/style.ts';
import { columnWidths, fittedLines, type TableColumn, type TableRow } from '../text/table.ts';
import { fit, truncate, widthOf } from '../text/width.ts';
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
export function statsLines(
  rows: readonly InformerRow[],
  now: number,
  palette: Palette,
  width?: number,
  before: readonly number[] = [],
): { readonly lines: readonly string[]; readonly widths: readonly number[] } {
  const cells = rows.map((row) => tableRow(row, now));
  const widths = columnWidths(COLUMNS, cells, before);
  return { lines: fittedLines(COLUMNS, widths, cells, width ?? Infinity, palette), widths };
}

/** The line below the table. */
export function totalsLine(rows: readonly InformerRow[], totals: Totals, title: string): string {
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

/** A status bar of `width` cells. `end` is never truncated. */
export function barLine(text: string, width: number, palette: Palette, end = ''): string {
  const rest = truncate(` ${text}`, width - widthOf(end));
  return palette('bar', fit(`${rest}${end}`, width));
}

function tableRow(row: InformerRow, now: number): TableRow {
  const { name, state, objects, perSecond, lagMs, queued, restarts, lastProblem, bytes, resourceVersion } = row;
  return {
    cells: [
      name,
      stateText(state, now),
      grouped(objects),
      rateText(perSecond),
      lagMs === undefined ? '-' : humanAge(lagMs),
      grouped(queued),
      lastProblem === undefined
        ? grouped(restarts)
        : `${grouped(restarts)} (${lastProblem.reason}, ${humanAge(now - lastProblem.at)} ago)`,
      escapeText(resourceVersion) || '-',
      bytes === 0 ? '-' : `~${bytesText(bytes)}`,
    ],
    tones: [undefined, stateTone(state)],
  };
}
