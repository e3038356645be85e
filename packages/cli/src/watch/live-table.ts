import { statusTone } from '@kube-informer/inspector/internal';
import type { ClusterInformer, Handler, KubeObject } from 'kube-informer';
import type { Env } from 'kube-informer/core';
import { ageClockTime, EventRate } from '@kube-informer/inspector/internal';
import type { Column } from '../columns/column.ts';
import type { Size } from '../host/host.ts';
import type { Notices } from '../output/notices.ts';
import { stateTextDetail, stateText } from '../output/state-text.ts';
import { type Progress, sessionSyncProgressBar, sessionSyncProgressText } from '../session/sync.ts';
import { escapeText } from '../text/escape.ts';
import type { LiveView } from '../terminal/live.ts';
import { countedNumber, groupedNumber, rateNumberText } from '../text/numbers.ts';
import type { Palette } from '../text/style.ts';
import { tableColumnWidths, fittedTableLines, type TableRow } from '../text/table.ts';
import { fitWidth, truncateToWidth } from '../text/width.ts';
import { type Mark, type Row, LiveRows, type RowOrder } from './live-rows.ts';
import { joinSafe, type Safe, safe } from '../text/safe.ts';

export interface LiveTableOptions {
  readonly title: Safe;
  readonly columns: readonly Column[];
  readonly order: RowOrder;
  readonly informer: Pick<ClusterInformer<KubeObject>, 'state' | 'health' | 'hasSynced'>;
  readonly progress: () => Progress;
  readonly notices: Notices;
  readonly palette: Palette;
  readonly env: Env;
}

const MARKS: Readonly<Record<Mark, Safe>> = { new: safe`+`, changed: safe`~`, deleted: safe`-` };
/** Maximum age of a notice that is shown. */
const NOTICE_MS = 15_000;

/**
 * The screen of `watch`: a live table, and a status line that says whether it is up to date.
 *
 * Room rule: computes lines from events and the time; writes nothing.
 */
export class LiveTable implements LiveView {
  readonly handler: Handler<KubeObject>;
  readonly #options: LiveTableOptions;
  readonly #rows: LiveRows;
  readonly #rate = new EventRate();
  #widths: readonly number[] = [];
  #top = 0;
  #page = 1;

  constructor(options: LiveTableOptions) {
    const { env, order } = options;
    this.#options = options;
    this.#rows = new LiveRows(order);
    const apply: Handler<KubeObject>['update'] & Handler<KubeObject>['add'] & Handler<KubeObject>['delete'] = (
      event,
    ) => {
      this.#rows.apply(event, env.now());
      if (event.type !== 'add' || !event.initial) this.#rate.count(env.now());
    };
    this.handler = { add: apply, update: apply, delete: apply };
  }

  lines({ columns: width, rows: height }: Size): readonly Safe[] {
    const { env, informer } = this.#options;
    this.#rows.expire(env.now());
    const room = Math.max(0, height - 2);
    const body = informer.hasSynced ? this.#table(width, room) : this.#waiting(width);
    const shown = body.slice(0, room + 1);
    return [...shown, ...Array.from({ length: room + 1 - shown.length }, () => safe``), this.#status(width)];
  }

  onKey(key: string): void {
    const steps: ReadonlyMap<string, number> = new Map<string, number>(Object.entries({
      up: -1, down: 1, pageup: -this.#page, pagedown: this.#page, home: -Infinity, end: Infinity,
    })); // prettier-ignore
    this.#top += steps.get(key) ?? 0;
  }

  #table(width: number, room: number): Safe[] {
    const { columns, palette, env } = this.#options;
    this.#page = Math.max(1, room - 1);
    this.#top = Math.max(0, Math.min(this.#top, this.#rows.length - room));
    const now = env.wallNow();
    const rows = this.#rows.slice(this.#top, this.#top + room).map((row) => liveTableRow(row, columns, now));
    this.#widths = tableColumnWidths(columns, rows, this.#widths);
    const lines = fittedTableLines(columns, this.#widths, rows, width, palette);
    return rows.length === 0 ? [...lines, palette('dim', safe` no objects`)] : lines;
  }

  #waiting(width: number): Safe[] {
    const { title, progress, palette, informer } = this.#options;
    const now = progress();
    const detail = stateTextDetail(informer.state);
    const bar = sessionSyncProgressBar(now, Math.max(0, Math.min(60, width - 2)), palette);
    return [
      truncateToWidth(safe` listing ${title}: ${sessionSyncProgressText(now)}`, width),
      ...(bar === '' ? [] : [safe` ${bar}`]),
      ...(detail === '' ? [] : [safe``, palette('warn', truncateToWidth(safe` ${detail}`, width))]),
    ];
  }

  #status(width: number): Safe {
    const { informer, env, palette, title, notices } = this.#options;
    const now = env.wallNow();
    const { state } = informer;
    const version = informer.health()[0]?.resourceVersion ?? '';
    const { last } = notices;
    const notice = last !== undefined && now - last.at < NOTICE_MS && state.kind !== 'synced' ? last.text : safe``;
    const detail = stateTextDetail(state);
    const hidden =
      this.#rows.length > this.#page + 1
        ? safe`row ${groupedNumber(this.#top + 1)} of ${groupedNumber(this.#rows.length)}`
        : safe``;
    const parts = [
      title,
      stateText(state, now),
      countedNumber(this.#rows.size, safe`object`),
      safe`${rateNumberText(this.#rate.perSecond(env.now()))} events/s`,
      version === '' ? safe`` : safe`version ${escapeText(version)}`,
      hidden,
      escapeText(ageClockTime(now)),
      detail === '' ? notice : detail,
    ];
    return palette(
      'bar',
      fitWidth(
        safe` ${joinSafe(
          parts.filter((part) => part !== ''),
          ' · ',
        )}`,
        width,
      ),
    );
  }
}

export function liveTableRow({ object, mark }: Row, columns: readonly Column[], now: number): TableRow {
  const cells = columns.map(({ cell }) => escapeText(cell(object, now)));
  if (mark !== undefined) return { cells, mark: MARKS[mark], tone: mark };
  return {
    cells,
    tones: columns.map(({ isStatus = false }, index) => (isStatus ? statusTone(cells[index] ?? '') : undefined)),
  };
}
