import { loadavg } from 'node:os';
import type { Contestant } from '../contestants/contestant.ts';
import { Unsupported } from '../measure/contestant-process.ts';
import { spreadOf } from '../measure/statistics.ts';
import type { Circumstances, Row } from '../report/results.ts';
import type { Bench, Case, Figures, Work } from './work.ts';

export interface RunOptions {
  readonly contestants: readonly Contestant[];
  readonly rounds: number;
  readonly log: (line: string) => void;
}

/** What the rounds of one case gave. */
export type Measurement = Pick<Circumstances, 'rounds' | 'load' | 'leftOut'> & { readonly rows: readonly Row[] };

/**
 * Runs all rounds of a case. The contestants take turns within a round, because a busy machine is busy for all of them.
 *
 * A contestant that fails is left out of the case and named; the others continue.
 */
export async function runCase(work: Work, bench: Bench, one: Case, options: RunOptions): Promise<Measurement> {
  const { contestants, log } = options;
  const rounds = Math.min(options.rounds, work.maxRounds ?? options.rounds);
  const found = new Map<Contestant, Figures[]>(
    contestants.filter((contestant) => work.takes(contestant, one)).map((contestant) => [contestant, []]),
  );
  const loads: number[] = [];
  const leftOut: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    loads.push(Number((loadavg()[0] ?? 0).toFixed(1)));
    for (const [contestant, figures] of found) {
      try {
        figures.push(await work.measure(bench, contestant, one));
      } catch (error) {
        found.delete(contestant);
        const why = error instanceof Unsupported ? `does not have ${error.message}` : String(error);
        leftOut.push(`${contestant.name}: ${why.split('\n')[0]}`);
        log(`LEFT OUT: ${contestant.name} in ${work.name} ${JSON.stringify(one)}: ${why}`);
      }
    }
  }
  const rows = [...found].map(([{ name, family }, figures]): Row => {
    const row = { case: one, contestant: name, family, values: byName(figures) };
    log(`${work.name} ${JSON.stringify(one)} ${name}: ${summary(row)}`);
    return row;
  });
  return { rounds, load: [Math.min(...loads), Math.max(...loads)], leftOut, rows };
}

function byName(rounds: readonly Figures[]): Record<string, number[]> {
  const names = new Set(rounds.flatMap((figures) => Object.keys(figures)));
  return Object.fromEntries(
    [...names].map((name) => [name, rounds.map((figures) => rounded(figures[name] as number))]),
  );
}

/** Four digits are more than the machine repeats. */
const rounded = (value: number): number => Number(value.toPrecision(4));

function summary({ values }: Row): string {
  return Object.entries(values)
    .map(([name, all]) => `${name} ${Number(spreadOf(all).median.toPrecision(4))}`)
    .join(', ');
}
