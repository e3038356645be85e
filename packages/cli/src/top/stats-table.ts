import { objectAgeText } from '@kube-informer/inspector/internal';
import { stateText, stateTextTone } from '../output/state-text.ts';
import { escapeText } from '../text/escape.ts';
import { byteNumberText, thousandsNumber, perSecondNumberText } from '../text/numbers.ts';
import type { Palette } from '../text/style.ts';
import { tableLineWidths, fittedTableLines, type TableColumn, type TableRow } from '../text/table-lines.ts';
import { fitWidth, truncateToWidth, textWidth } from '../text/width.ts';
import type { InformerRow } from './informer-stats.ts';
import { joinSafe, type Safe, safe } from '../text/safe.ts';

const COLUMNS: readonly TableColumn[] = [
  { title: safe`INFORMER`, priority: Infinity },
  { title: safe`STATE`, priority: Infinity, minWidth: 8 },
  { title: safe`OBJECTS`, align: 'right', priority: 4 },
  { title: safe`EVENTS/S`, align: 'right' },
  { title: safe`SILENT`, align: 'right', priority: 2 },
  { title: safe`QUEUE`, align: 'right' },
  { title: safe`RESTARTS`, priority: 3, minWidth: 8 },
  { title: safe`VERSION`, align: 'right', priority: 0 },
  { title: safe`SIZE`, align: 'right', priority: 0 },
];

/** Numbers of the whole process. */
export interface Totals {
  /** Undefined if it is not counted. */
  readonly receivedBytes?: number;
  readonly rssBytes: number;
  readonly heapBytes: number;
}

/** The table of informers, fitted to `width` if it is given. `now` is the wall clock. */
export function statsTableBody(
  rows: readonly InformerRow[],
  now: number,
  palette: Palette,
  width?: number,
  before: readonly number[] = [],
): { readonly lines: readonly Safe[]; readonly widths: readonly number[] } {
  const cells = rows.map((row) => statsTableRow(row, now));
  const widths = tableLineWidths(COLUMNS, cells, before);
  return { lines: fittedTableLines(COLUMNS, widths, cells, width ?? Infinity, palette), widths };
}

/** The line below the table. */
export function statsTableTotals(rows: readonly InformerRow[], totals: Totals, title: Safe): Safe {
  const objects = rows.reduce((sum, row) => sum + row.objects, 0);
  const perSecond = rows.reduce((sum, row) => sum + row.perSecond, 0);
  const parts = [
    title,
    safe`${rows.length} informers`,
    safe`${thousandsNumber(objects)} objects`,
    safe`${perSecondNumberText(perSecond)} events/s`,
    ...(totals.receivedBytes === undefined ? [] : [safe`${byteNumberText(totals.receivedBytes)} received`]),
    safe`memory ${byteNumberText(totals.rssBytes)} (heap ${byteNumberText(totals.heapBytes)})`,
  ];
  return joinSafe(parts, ' · ');
}

/** A status bar of `width` cells. `end` is never truncated. */
export function statsTableBar(text: Safe, width: number, palette: Palette, end: Safe = safe``): Safe {
  const rest = truncateToWidth(safe` ${text}`, width - textWidth(end));
  return palette('bar', fitWidth(safe`${rest}${end}`, width));
}

function statsTableRow(row: InformerRow, now: number): TableRow {
  const { name, state, objects, perSecond, lagMs, queued, restarts, lastProblem, bytes, resourceVersion } = row;
  return {
    cells: [
      escapeText(name),
      stateText(state, now),
      thousandsNumber(objects),
      perSecondNumberText(perSecond),
      escapeText(lagMs === undefined ? '-' : objectAgeText(lagMs)),
      thousandsNumber(queued),
      lastProblem === undefined
        ? thousandsNumber(restarts)
        : escapeText(
            `${thousandsNumber(restarts)} (${lastProblem.reason}, ${objectAgeText(now - lastProblem.at)} ago)`,
          ),
      escapeText(resourceVersion || '-'),
      bytes === 0 ? safe`-` : safe`~${byteNumberText(bytes)}`,
    ],
    tones: [undefined, stateTextTone(state)],
  };
}
