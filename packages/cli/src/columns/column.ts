import { ageAt } from '@kube-informer/inspector/internal';
import type { KubeObject } from 'kube-informer';

/** One column of a table of objects. */
export interface Column {
  readonly title: string;
  /** Not escaped yet. `now` is the wall clock. */
  readonly cell: (object: KubeObject, now: number) => string;
  /** A word that is good or bad. */
  readonly isStatus?: boolean;
  /** How long it is kept where there is no room, as in TableColumn. @default 1 */
  readonly keep?: number;
  /** Cells that will do, for what may be cut. */
  readonly least?: number;
  /** Changes by itself as time goes by. */
  readonly isAge?: boolean;
}

export const column = (title: string, cell: Column['cell'], more: Partial<Column> = {}): Column => ({
  title,
  cell,
  ...more,
});

export const NAME: Column = column('NAME', ({ metadata }) => metadata?.name ?? '', { keep: Infinity });
export const NAMESPACE: Column = column('NAMESPACE', ({ metadata }) => metadata?.namespace ?? '', { keep: 2 });
export const AGE: Column = column('AGE', (object, now) => ageAt(object, 'metadata.creationTimestamp', now), {
  isAge: true,
});

/** A word that says how something is doing: after the name, what one looks for. */
export const status = (title: string, cell: Column['cell']): Column =>
  column(title, cell, { isStatus: true, keep: Infinity, least: 16 });

export const NONE = '<none>';
