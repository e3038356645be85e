import type { Handler, InformerEvent, KubeObject } from 'kube-informer';
import type { Env } from 'kube-informer/core';
import { ageClockTime } from '@kube-informer/inspector/internal';
import type { Column } from '../columns/column.ts';
import { changesBetween } from '../diff/diff-changes.ts';
import { changeSummaryText } from '../diff/change-text.ts';
import type { Output } from '../host/host.ts';
import { jsonObjectText, yamlObjectText } from '../output/object-text.ts';
import { escapeColumns, escapeText } from '../text/escape.ts';
import type { Palette, Tone } from '../text/style.ts';
import { tableLineWidths, tableHeaderLine, tableRowLine } from '../text/table-lines.ts';
import { liveTableCells } from './live-table.ts';
import type { Mark } from './live-rows.ts';
import { safe, padSafeEnd, trimSafeEnd, type Safe } from '../text/safe.ts';

/** Returns the text for one change. */
export type ChangeWriter = (event: InformerEvent<KubeObject>) => Safe;

const MARK_OF: Readonly<Record<InformerEvent<KubeObject>['type'], Mark>> = {
  add: 'new',
  update: 'changed',
  delete: 'deleted',
};

/** Event types of the watch API. */
const WIRE: Readonly<Record<InformerEvent<KubeObject>['type'], Safe>> = {
  add: safe`ADDED`,
  update: safe`MODIFIED`,
  delete: safe`DELETED`,
};

const TONES: Readonly<Record<InformerEvent<KubeObject>['type'], Tone>> = { add: 'good', update: 'warn', delete: 'bad' };

/** The table whose row was written last, shared by all tables of one output. */
export interface RowTurn {
  columns?: readonly Column[];
}

/**
 * A row for each change, below a header. The columns start wide enough for `objects` and grow as needed;
 * nothing is truncated, because a program may read it. If several tables share a `turn`, the header is
 * repeated after rows of another one.
 */
export function rowChangeWriter(
  columns: readonly Column[],
  env: Env,
  palette: Palette,
  objects: readonly KubeObject[],
  turn: RowTurn = {},
): ChangeWriter {
  const first = objects.map((object) => liveTableCells({ key: '', object, mark: undefined }, columns, env.wallNow()));
  let widths: readonly number[] = tableLineWidths(columns, first);
  return (event) => {
    const isOld = event.type === 'add' && event.initial;
    const row = liveTableCells(
      { key: event.key, object: event.object, mark: isOld ? undefined : MARK_OF[event.type] },
      columns,
      env.wallNow(),
    );
    widths = tableLineWidths(columns, [row], widths);
    const gap = turn.columns === undefined ? safe`` : safe`\n`;
    const header = turn.columns === columns ? safe`` : safe`${gap}${tableHeaderLine(columns, widths, palette)}\n`;
    turn.columns = columns;
    return safe`${header}${tableRowLine(columns, widths, row, palette)}\n`;
  };
}

/** One JSON document per line: `{"type":"ADDED","object":{…}}`, as the API sends it. */
export function jsonChangeWriter(present: (object: KubeObject) => KubeObject): ChangeWriter {
  return ({ type, object }) => safe`${jsonObjectText({ type: WIRE[type], object: present(object) }, 0)}\n`;
}

export function yamlChangeWriter(present: (object: KubeObject) => KubeObject): ChangeWriter {
  return ({ type, key, object }) => safe`---\n# ${WIRE[type]} ${escapeText(key)}\n${yamlObjectText(present(object))}`;
}

/** Prints the object by a template, for each change. */
export function textChangeWriter(
  write: (object: unknown) => string,
  present: (object: KubeObject) => KubeObject,
): ChangeWriter {
  return ({ object }) => safe`${escapeColumns(write(present(object)))}\n`;
}

/** Writes the name of the object for each change: `pod/web-1` */
export function nameChangeWriter(kind: Safe): ChangeWriter {
  return ({ object }) => safe`${kind}/${escapeText(object.metadata?.name ?? '')}\n`;
}

/** A sentence for each change: time, type, key, and the fields that changed. `kind` stands before the key: `pod web/a`. */
export function eventChangeWriter(
  env: Env,
  palette: Palette,
  present: (object: KubeObject) => KubeObject,
  kind?: Safe,
): ChangeWriter {
  return (event) => {
    const { type, key } = event;
    const isOld = type === 'add' && event.initial;
    const word = isOld ? safe`EXISTS` : WIRE[type];
    const changes = type === 'update' ? changesBetween(present(event.old), present(event.object)) : [];
    const more = type === 'update' ? safe`  ${changeSummaryText(changes, 4)}` : safe``;
    const time = escapeText(ageClockTime(env.wallNow()));
    const head = safe`${time}  ${palette(isOld ? 'dim' : TONES[type], padSafeEnd(word, 8))}  ${kind === undefined ? safe`` : safe`${kind} `}${escapeText(key)}`;
    return safe`${trimSafeEnd(safe`${head}${more}`)}\n`;
  };
}

/** Writes changes one by one and waits for a slow reader; the informer merges the changes queued meanwhile. */
export function changeWriterHandler(writer: ChangeWriter, output: Output): Handler<KubeObject> {
  const write = (event: InformerEvent<KubeObject>): void | Promise<void> => {
    if (event.type === 'update' && event.resync) return;
    output.write(writer(event));
    return output.drained();
  };
  return { add: write, update: write, delete: write };
}
