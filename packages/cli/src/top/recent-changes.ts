import type { Handler, InformerEvent, KubeObject } from 'kube-informer';
import type { Env } from 'kube-informer/core';
import { ageClockTime } from '@kube-informer/inspector/internal';
import type { Column } from '../columns/column.ts';
import { escapeText } from '../text/escape.ts';
import type { Palette, Tone } from '../text/style.ts';
import { fitWidth, truncateToWidth } from '../text/width.ts';
import { safe, joinSafe, trimSafeEnd, type Safe } from '../text/safe.ts';

/** A change of an object. */
export interface RecentChange {
  /** Wall clock. */
  readonly at: number;
  readonly type: InformerEvent<KubeObject>['type'];
  readonly kind: Safe;
  readonly key: Safe;
  readonly text: Safe;
}

const MARKS: Readonly<Record<RecentChange['type'], readonly [Safe, Tone]>> = {
  add: [safe`+`, 'new'],
  update: [safe`~`, 'changed'],
  delete: [safe`-`, 'bad'],
};

/** Keeps the last changes of several resources, described by the columns that changed. */
export class RecentChanges {
  readonly #env: Env;
  readonly #max: number;
  readonly #changes: RecentChange[] = [];
  readonly #onChange: (change: RecentChange) => void;

  constructor(env: Env, options: { readonly max?: number; readonly onChange?: (change: RecentChange) => void } = {}) {
    const { max = 200, onChange = () => {} } = options;
    this.#env = env;
    this.#max = max;
    this.#onChange = onChange;
  }

  /** The changes, oldest first. */
  get changes(): readonly RecentChange[] {
    return this.#changes;
  }

  handler(kind: string, columns: readonly Column[]): Handler<KubeObject> {
    const shown = columns.filter(({ title, isAge = false }) => !isAge && title !== 'NAME' && title !== 'NAMESPACE');
    const note = (event: InformerEvent<KubeObject>): void => {
      if (event.type === 'add' && event.initial) return;
      const text = recentChangeText(event, shown, this.#env.wallNow());
      // No visible column changed.
      if (event.type === 'update' && text === '') return;
      // The name of an Event is generated; its columns name the object it is about.
      const key = event.object.kind === 'Event' ? (event.object.metadata?.namespace ?? '') : event.key;
      const change: RecentChange = {
        at: this.#env.wallNow(),
        type: event.type,
        kind: escapeText(kind),
        key: escapeText(key),
        text,
      };
      this.#changes.push(change);
      if (this.#changes.length > this.#max) this.#changes.shift();
      this.#onChange(change);
    };
    return { add: note, update: note, delete: note };
  }
}

/** One line about a change, truncated to `width` if it is given. */
export function recentChangeLine({ at, type, kind, key, text }: RecentChange, palette: Palette, width?: number): Safe {
  const [mark, tone] = MARKS[type];
  const head = safe` ${escapeText(ageClockTime(at))} `;
  const middle = safe`${fitWidth(kind, 12)} ${key}`;
  const rest = width === undefined ? text : truncateToWidth(text, Math.max(0, width - head.length - middle.length - 4));
  const shown = width === undefined ? middle : truncateToWidth(middle, Math.max(0, width - head.length - 2));
  return trimSafeEnd(safe`${palette('dim', head)}${palette(tone, mark)} ${shown}  ${rest}`);
}

function recentChangeText(event: InformerEvent<KubeObject>, columns: readonly Column[], now: number): Safe {
  const cell = ({ cell: read }: Column, object: KubeObject): Safe => escapeText(read(object, now));
  if (event.type === 'update') {
    const changed = columns.flatMap((column) => {
      const [before, after] = [cell(column, event.old), cell(column, event.object)];
      return before === after
        ? []
        : [safe`${escapeText(column.title.toLowerCase())} ${before || safe`<none>`} → ${after || safe`<none>`}`];
    });
    return joinSafe(changed, ', ');
  }
  if (event.type === 'delete') return safe``;
  const cells = columns.map((column) => cell(column, event.object));
  return joinSafe(
    cells.filter((text) => text !== '' && text !== '<none>'),
    '  ',
  );
}
