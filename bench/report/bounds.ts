import { readFileSync } from 'node:fs';
import { ratioOf, spreadOf } from '../measure/statistics.ts';
import type { Case } from '../work/work.ts';
import { type Results, type Row, rowsOf } from './results.ts';

/** A figure, or its ratio to another contestant's, with what it must hold today and what it shall reach. */
export interface Bound {
  readonly id: string;
  readonly what: string;
  /** Memory is steady and fails at its bound. CPU depends on the machine's neighbours and fails at three times its bound. Time never fails. */
  readonly kind: 'memory' | 'cpu' | 'time';
  readonly work: string;
  readonly case: Case;
  readonly figure: string;
  /** The beginning of a contestant's name; the first that begins so counts. */
  readonly of: string;
  readonly to?: string;
  readonly bound?: number;
  readonly target: number;
  /** Why the target is not met, as a sentence for the page. */
  readonly why?: string;
}

export interface Judged {
  readonly bound: Bound;
  readonly contestant: string;
  readonly value: number;
  readonly isMet: boolean;
  readonly isBroken: boolean;
}

const CPU_TOLERANCE = 3;

export const bounds: readonly Bound[] = JSON.parse(
  readFileSync(new URL('bounds.json', import.meta.url), 'utf8'),
) as Bound[];

/** Compares results with the bounds; those without a measurement are left out. The largest number of objects counts. */
export function judgeBounds(results: Results, all: readonly Bound[] = bounds): Judged[] {
  return all.flatMap((bound) => {
    const rows = rowsOf(results, bound.work, bound.case).toSorted((a, b) => objectsOf(b) - objectsOf(a));
    const row = rows.find(({ contestant }) => contestant.startsWith(bound.of));
    const reference = rows.find(
      ({ contestant, case: one }) => contestant === bound.to && one['objects'] === row?.case['objects'],
    );
    const values = row?.values[bound.figure];
    if (row === undefined || values === undefined || (bound.to !== undefined && reference === undefined)) return [];
    const references = reference?.values[bound.figure];
    const value = references === undefined ? spreadOf(values).median : ratioOf(values, references);
    const most = bound.bound === undefined || bound.kind === 'time' ? Number.POSITIVE_INFINITY : bound.bound;
    const isBroken = value > most * (bound.kind === 'cpu' ? CPU_TOLERANCE : 1);
    return [{ bound, contestant: row.contestant, value, isMet: value <= bound.target, isBroken }];
  });
}

/** Prints every bound; true if one is broken. */
export function checkBounds(results: Results, log: (line: string) => void): boolean {
  const judged = judgeBounds(results);
  for (const { bound, contestant, value, isMet, isBroken } of judged) {
    const verdict = isBroken ? 'BROKEN' : isMet ? 'target met' : 'target not met';
    log(
      `${bound.id} ${bound.what}: ${value.toFixed(2)} (bound ${bound.bound ?? 'none'}, target ${bound.target}), ${contestant}: ${verdict}`,
    );
  }
  return judged.some(({ isBroken }) => isBroken);
}

const objectsOf = ({ case: one }: Row): number => Number(one['objects'] ?? 0);
