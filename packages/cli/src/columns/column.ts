import { objectAgeAt } from '@kube-informer/inspector/internal';
import type { KubeObject } from 'kube-informer';
import { type Safe } from '../text/safe.ts';
import { escapeText } from '../text/escape.ts';

/** A column of a table of objects. */
export interface Column {
  /** A custom resource's definition chooses it. */
  readonly title: Safe;
  /** Returns the text of the cell, not escaped. `now` is the wall clock. */
  readonly cell: (object: KubeObject, now: number) => string;
  /** The cell is a status word, and is coloured. */
  readonly isStatus?: boolean;
  /** As in TableColumn. @default 1 */
  readonly priority?: number;
  /** As in TableColumn. */
  readonly minWidth?: number;
  /** The cell changes with time alone. */
  readonly isAge?: boolean;
}

export const column = (title: string, cell: Column['cell'], more: Partial<Column> = {}): Column => ({
  title: escapeText(title),
  cell,
  ...more,
});

export const NAME: Column = column('NAME', ({ metadata }) => metadata?.name ?? '', { priority: Infinity });
export const NAMESPACE: Column = column('NAMESPACE', ({ metadata }) => metadata?.namespace ?? '', { priority: 2 });
export const AGE: Column = column('AGE', (object, now) => objectAgeAt(object, 'metadata.creationTimestamp', now), {
  isAge: true,
});

/** A status column: shown whenever the name is. */
export const statusColumn = (title: string, cell: Column['cell']): Column =>
  column(title, cell, { isStatus: true, priority: Infinity, minWidth: 16 });

export const NONE = '<none>';
