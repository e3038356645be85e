import type { KubeObject } from 'kube-informer';
import { ageAt } from './age.ts';

/** One column of a table of objects. */
export interface Column {
  readonly title: string;
  /** Not escaped yet. `now` is the wall clock. */
  readonly cell: (object: KubeObject, now: number) => string;
  /** A word that is good or bad. */
  readonly isStatus?: boolean;
  /** Long text, which may be cut. */
  readonly flexible?: boolean;
  /** Changes by itself as time goes by. */
  readonly isAge?: boolean;
}

export const column = (title: string, cell: Column['cell'], more: Partial<Column> = {}): Column => ({
  title,
  cell,
  ...more,
});

export const NAME: Column = column('NAME', ({ metadata }) => metadata?.name ?? '', { flexible: true });
export const NAMESPACE: Column = column('NAMESPACE', ({ metadata }) => metadata?.namespace ?? '');
export const AGE: Column = column('AGE', (object, now) => ageAt(object, 'metadata.creationTimestamp', now), {
  isAge: true,
});

export const NONE = '<none>';
