import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Case } from '../work/work.ts';

/** All rounds of one contestant in one case. */
export interface Row {
  readonly case: Case;
  readonly contestant: string;
  readonly family: string;
  /** The figures of each round, by name. */
  readonly values: Readonly<Record<string, readonly number[]>>;
}

/** Under which circumstances a case was measured. */
export interface Circumstances {
  readonly at: string;
  readonly machine: string;
  readonly server: string;
  readonly rounds: number;
  /** The machine's load average at the start of the rounds, lowest and highest; the bench itself makes one to two of it. */
  readonly load: readonly [number, number];
  /** Contestants that failed or cannot do it, with the reason. */
  readonly leftOut: readonly string[];
}

/** One case as one run measured it. Its rows are compared with each other only. */
export interface MeasuredCase extends Circumstances {
  readonly work: string;
  readonly case: Case;
  readonly rows: readonly Row[];
}

export type Results = readonly MeasuredCase[];

/** Reads what is kept: one file for each work. */
export function readResults(dir: string): MeasuredCase[] {
  if (!existsSync(dir)) return [];
  const files = readdirSync(dir).filter((name) => name.endsWith('.json'));
  return files.toSorted().flatMap((name) => {
    const kept = JSON.parse(readFileSync(join(dir, name), 'utf8')) as MeasuredCase[];
    return kept.map((one) => ({ ...one, rows: one.rows.map((row) => ({ ...row, case: one.case })) }));
  });
}

/** Keeps a case in the file of its work, in place of an older measurement of the same case. */
export async function keepResult(dir: string, measured: MeasuredCase): Promise<void> {
  const kept = readResults(dir).filter(({ work }) => work === measured.work);
  const at = kept.findIndex((one) => isSameCase(one.case, measured.case));
  if (at === -1) kept.push(measured);
  else kept[at] = measured;
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, `${measured.work}.json`), `[\n${kept.map(caseText).join(',\n')}\n]\n`);
}

export function hasResult(results: Results, work: string, one: Case): boolean {
  return results.some((measured) => measured.work === work && isSameCase(measured.case, one));
}

/** The rows of one work in the cases that match. */
export function rowsOf(results: Results, work: string, matching: Case = {}): Row[] {
  const isOne = (one: Case): boolean => Object.entries(matching).every(([name, value]) => one[name] === value);
  return results.filter((measured) => measured.work === work && isOne(measured.case)).flatMap(({ rows }) => rows);
}

const isSameCase = (a: Case, b: Case): boolean =>
  Object.keys(a).length === Object.keys(b).length && Object.entries(a).every(([name, value]) => b[name] === value);

/** One line for each contestant, so that a diff shows which one has changed. */
function caseText({ rows, ...rest }: MeasuredCase): string {
  const lines = rows.map((row) => `    ${JSON.stringify({ ...row, case: undefined })}`).join(',\n');
  return `  ${JSON.stringify(rest).slice(0, -1)}, "rows": [\n${lines}\n  ]}`;
}
