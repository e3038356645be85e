import type { Contestant } from '../contestants/contestant.ts';
import { Unsupported } from '../measure/contestant-process.ts';
import type { Row } from '../report/results.ts';
import type { Bench, Figures, Work } from './work.ts';

/**
 * Runs all rounds of a work. The contestants take turns within a round, because a busy machine is busy for all of them.
 *
 * A contestant that fails is left out of the case and named; the others continue.
 */
export async function runWork(
  work: Work,
  bench: Bench,
  contestants: readonly Contestant[],
  rounds: number,
  log: (line: string) => void,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const one of work.cases(bench)) {
    const found = new Map<Contestant, Figures[]>(
      contestants.filter((contestant) => work.takes(contestant, one)).map((contestant) => [contestant, []]),
    );
    for (let round = 0; round < rounds; round += 1) {
      for (const [contestant, figures] of found) {
        try {
          figures.push(await work.measure(bench, contestant, one));
        } catch (error) {
          found.delete(contestant);
          const why = error instanceof Unsupported ? `does not have ${error.message}` : String(error);
          log(`LEFT OUT: ${contestant.name} in ${work.name} ${JSON.stringify(one)}: ${why}`);
        }
      }
    }
    for (const [{ name, family }, figures] of found) {
      const row: Row = { work: work.name, case: one, contestant: name, family, values: byName(figures) };
      rows.push(row);
      log(`${work.name} ${JSON.stringify(one)} ${name}: ${summary(row)}`);
    }
  }
  return rows;
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
    .map(([name, all]) => `${name} ${all.toSorted((a, b) => a - b)[all.length >> 1]}`)
    .join(', ');
}
