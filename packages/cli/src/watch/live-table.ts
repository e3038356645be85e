import { statusTone } from '@kube-informer/inspector/internal';
import type { ClusterInformer, Handler, KubeObject } from 'kube-informer';
import type { Env } from 'kube-informer/core';
import { ageClockTime, EventRate } from '@kube-informer/inspector/internal';
import type { Column } from '../columns/column.ts';
import type { Size } from '../host/host.ts';
import type { Notices } from '../output/notices.ts';
import { stateTextDetail, stateText } from '../output/state-text.ts';
import { type Progress, sessionSyncProgressBar, sessionSyncProgressText } from '../session/session-sync.ts';
import { escapeText } from '../text/escape.ts';
import type { LiveView } from '../terminal/live.ts';
import { pluralNumber, thousandsNumber, perSecondNumberText } from '../text/numbers.ts';
import type { Palette } from '../text/style.ts';
import { tableLineWidths, fittedTableLines, type TableRow } from '../text/table-lines.ts';
import { fitWidth, truncateToWidth } from '../text/width.ts';
import { orderByColumn, missingInColumnOrder, type RowOrder } from '../columns/column-order.ts';
import { type Mark, type Row, LiveRows } from './live-rows.ts';
import { ObjectPane } from './object-pane.ts';
import { TableCursor } from './table-cursor.ts';
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
  /** An object as YAML, masked, for the key Enter. */
  readonly textOf: (object: KubeObject) => string;
}

const MARKS: Readonly<Record<Mark, Safe>> = { new: safe`+`, changed: safe`~`, deleted: safe`-` };
/** Maximum age of a notice that is shown. */
const NOTICE_MS = 15_000;

/**
 * The screen of `watch`: a live table, and a status line that shows whether it is up to date. Keys: `/` filters, left
 * and right
 * choose the column to sort by, `r` reverses it, Enter opens an object, Escape goes back.
 *
 * Room rule: computes lines from events and the time; writes nothing.
 */
export class LiveTable implements LiveView {
  readonly handler: Handler<KubeObject>;
  readonly #options: LiveTableOptions;
  readonly #rows: LiveRows;
  readonly #rate = new EventRate();
  readonly #cursor = new TableCursor();
  #widths: readonly number[] = [];
  #sort: { readonly column: number; readonly descending: boolean } | undefined;
  #filter = '';
  #isTyping = false;
  #pane: ObjectPane | undefined;
  /** A warning about the order, until an object has the field or another order is chosen. */
  #orderProblem: Safe | undefined;
  #isOrderProven = false;

  constructor(options: LiveTableOptions) {
    const { env, order } = options;
    this.#options = options;
    this.#rows = new LiveRows(order);
    const apply: Handler<KubeObject>['update'] & Handler<KubeObject>['add'] & Handler<KubeObject>['delete'] = (
      event,
    ) => {
      this.#rows.apply(event, env.now());
      this.#proveOrder(event.object);
      if (event.type !== 'add' || !event.initial) this.#rate.count(env.now());
    };
    this.handler = { add: apply, update: apply, delete: apply };
  }

  get isTyping(): boolean {
    return this.#isTyping;
  }

  /** Whether an object is shown instead of the table. */
  get hasOpened(): boolean {
    return this.#pane !== undefined;
  }

  /** Number of lines that show everything: a header, the rows and the status line. */
  get wantedLines(): number {
    return this.#rows.length + 2;
  }

  /** The lines of the table. `before` is put in front of the status line. */
  lines({ columns: width, rows: height }: Size, before: Safe = safe``): readonly Safe[] {
    const { env, informer } = this.#options;
    this.#rows.expire(env.now());
    const room = Math.max(0, height - 2);
    const body = informer.hasSynced ? this.#body(width, room) : this.#waiting(width);
    const shown = body.slice(0, room + 1);
    return [...shown, ...Array.from({ length: room + 1 - shown.length }, () => safe``), this.#status(width, before)];
  }

  onKey(key: string): void {
    if (this.#isTyping) return this.#type(key);
    if (key === 'escape') return this.#back();
    if (this.#pane !== undefined) return this.#pane.move(key);
    if (key === '/') this.#isTyping = true;
    else if (key === 'enter') this.#open();
    else if (key === 'left' || key === 'right') this.#sortBy(key === 'left' ? -1 : 1);
    else if (key === 'r') this.#sortBy(0);
    else this.#cursor.move(key);
  }

  #type(key: string): void {
    if (key === 'enter') this.#isTyping = false;
    else if (key === 'escape') return this.#back();
    else if (key === 'backspace') this.#setFilter(Array.from(this.#filter).slice(0, -1).join(''));
    else if (Array.from(key).length === 1) this.#setFilter(this.#filter + key);
  }

  /** Closes the object, or else removes the filter. */
  #back(): void {
    if (this.#pane !== undefined) this.#pane = undefined;
    else this.#setFilter('');
    this.#isTyping = false;
  }

  /** Checks for the field of `--sort-by` until one object has it: a misspelt one is in none. */
  #proveOrder(object: KubeObject): void {
    if (this.#isOrderProven) return;
    this.#orderProblem = missingInColumnOrder(this.#options.order, [object]);
    this.#isOrderProven = this.#orderProblem === undefined;
  }

  /** Shows only rows that contain the text, in a cell, the namespace or a label. */
  #setFilter(filter: string): void {
    this.#filter = filter;
    const { columns, env } = this.#options;
    const wanted = filter.toLowerCase();
    this.#rows.filterBy((object) => {
      if (wanted === '') return true;
      const { namespace = '', labels = {} } = object.metadata ?? {};
      const texts = [
        ...columns.map(({ cell }) => cell(object, env.wallNow())),
        namespace,
        ...Object.entries(labels).map(([name, value]) => `${name}=${value}`),
      ];
      return texts.some((text) => text.toLowerCase().includes(wanted));
    });
  }

  #open(): void {
    const [row] = this.#rows.slice(this.#cursor.at, this.#cursor.at + 1);
    if (row !== undefined) this.#pane = new ObjectPane(row.key, this.#options.textOf);
  }

  /** Sorts by the next or previous column; 0 reverses the order. */
  #sortBy(step: number): void {
    const { columns, env } = this.#options;
    const count = columns.length;
    const before = this.#sort ?? { column: step > 0 ? -1 : 0, descending: false };
    const column = Math.max(0, (before.column + step + count) % count);
    this.#sort = { column, descending: step === 0 && !before.descending };
    this.#orderProblem = undefined;
    this.#isOrderProven = true;
    const chosen = columns[column];
    if (chosen !== undefined) this.#rows.sortBy(orderByColumn(chosen, env.wallNow(), this.#sort.descending));
  }

  #body(width: number, room: number): Safe[] {
    const { palette } = this.#options;
    if (this.#pane === undefined) return this.#table(width, room);
    const { key } = this.#pane;
    const row = this.#rows.find(key);
    const gone = row === undefined || row.mark === 'deleted' ? safe` (deleted)` : safe``;
    const head = palette('bold', truncateToWidth(safe` ${escapeText(key)}${gone}`, width));
    return [head, ...this.#pane.lines(row?.object, width, room)];
  }

  #table(width: number, room: number): Safe[] {
    const { columns, palette, env } = this.#options;
    const top = this.#cursor.fit(this.#rows.length, room);
    const now = env.wallNow();
    const rows = this.#rows.slice(top, top + room).map((row, index) => {
      const isChosen = this.#cursor.isShown && top + index === this.#cursor.at;
      const made = liveTableCells(row, columns, now);
      return isChosen ? { cells: made.cells, mark: made.mark ?? safe`>`, tone: 'bar' as const } : made;
    });
    const titled = columns.map((each, index) =>
      index === this.#sort?.column
        ? { ...each, title: safe`${each.title}${this.#sort.descending ? safe`▼` : safe`▲`}` }
        : each,
    );
    this.#widths = tableLineWidths(titled, rows, this.#widths);
    const lines = fittedTableLines(titled, this.#widths, rows, width, palette);
    const none = this.#filter === '' ? safe` no objects` : safe` no object matches; Escape shows all`;
    return rows.length === 0 ? [...lines, palette('dim', none)] : lines;
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

  #status(width: number, before: Safe): Safe {
    const { informer, env, palette, title, notices } = this.#options;
    const now = env.wallNow();
    const { state } = informer;
    const version = informer.health()[0]?.resourceVersion ?? '';
    const { last } = notices;
    const notice = last !== undefined && now - last.at < NOTICE_MS && state.kind !== 'synced' ? last.text : safe``;
    const detail = stateTextDetail(state);
    const hidden =
      this.#rows.length > this.#cursor.room
        ? safe`row ${thousandsNumber(this.#cursor.shownRow + 1)} of ${thousandsNumber(this.#rows.length)}`
        : safe``;
    const filter = this.#isTyping || this.#filter !== '' ? safe`/${escapeText(this.#filter)}` : safe``;
    const parts = [
      this.#isTyping ? safe`${filter}█` : filter,
      this.#orderProblem ?? safe``,
      title,
      stateText(state, now),
      this.#filter === ''
        ? pluralNumber(this.#rows.size, safe`object`)
        : safe`${thousandsNumber(this.#rows.length)} of ${pluralNumber(this.#rows.size, safe`object`)}`,
      safe`${perSecondNumberText(this.#rate.perSecond(env.now()))} events/s`,
      version === '' ? safe`` : safe`version ${escapeText(version)}`,
      hidden,
      escapeText(ageClockTime(now)),
      detail === '' ? notice : detail,
    ];
    return palette(
      'bar',
      fitWidth(
        safe` ${before}${joinSafe(
          parts.filter((part) => part !== ''),
          ' · ',
        )}`,
        width,
      ),
    );
  }
}

export function liveTableCells({ object, mark }: Row, columns: readonly Column[], now: number): TableRow {
  const cells = columns.map(({ cell }) => escapeText(cell(object, now)));
  if (mark !== undefined) return { cells, mark: MARKS[mark], tone: mark };
  return {
    cells,
    tones: columns.map(({ isStatus = false }, index) => (isStatus ? statusTone(cells[index] ?? '') : undefined)),
  };
}
