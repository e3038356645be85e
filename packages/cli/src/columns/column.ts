import { objectAgeAt, objectFieldText } from '@kube-informer/inspector/internal';
import type { KubeObject } from 'kube-informer';
import { type Safe } from '../text/safe.ts';
import { escapeText } from '../text/escape.ts';

/** A column of a table of objects. */
export interface Column {
  /** Title, which for a custom resource comes from its definition. */
  readonly title: Safe;
  /** Returns the text of the cell, not escaped. `now` is the wall clock. */
  readonly cell: (object: KubeObject, now: number) => string;
  /** Whether the cell is a status word, which is coloured. */
  readonly isStatus?: boolean;
  /** Like `priority` of TableColumn. @default 1 */
  readonly priority?: number;
  /** Like `minWidth` of TableColumn. */
  readonly minWidth?: number;
  /** The value that rows are sorted by. @default the text of the cell */
  readonly sortValue?: (object: KubeObject) => string;
  /** Whether the cell changes as time passes. */
  readonly isAge?: boolean;
}

export const column = (title: string, cell: Column['cell'], more: Partial<Column> = {}): Column => ({
  title: escapeText(title),
  cell,
  ...more,
});

export const NAME: Column = column('NAME', (object) => objectFieldText(object, 'metadata.name'), {
  priority: Infinity,
});
export const NAMESPACE: Column = column('NAMESPACE', (object) => objectFieldText(object, 'metadata.namespace'), {
  priority: 2,
});
export const AGE: Column = column('AGE', (object, now) => objectAgeAt(object, 'metadata.creationTimestamp', now), {
  isAge: true,
  // Newer objects first: they have the smaller age.
  sortValue: (object) =>
    Array.from(objectFieldText(object, 'metadata.creationTimestamp'))
      .map((each) => NINES.get(each) ?? each)
      .join(''),
});

/** Complements of digits, to reverse the order of timestamps. */
const NINES: ReadonlyMap<string, string> = new Map(
  Array.from('0123456789').map((digit) => [digit, String(9 - Number(digit))]),
);

export const LABELS: Column = column('LABELS', ({ metadata }) => {
  const labels = Object.entries(metadata?.labels ?? {}).map(([name, value]) => `${name}=${value}`);
  return labels.toSorted().join(',') || NONE;
});

/** A status column, which is shown whenever the name is. */
export const statusColumn = (title: string, cell: Column['cell']): Column =>
  column(title, cell, { isStatus: true, priority: Infinity, minWidth: 16 });

export const NONE = '<none>';
