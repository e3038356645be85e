import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Case } from '../work/work.ts';

/** All rounds of one contestant in one case. */
export interface Row {
  readonly work: string;
  readonly case: Case;
  readonly contestant: string;
  readonly family: string;
  /** The figures of each round, by name. */
  readonly values: Readonly<Record<string, readonly number[]>>;
}

/** How one work was measured. */
export interface Measured {
  readonly at: string;
  readonly machine: string;
  readonly server: string;
  readonly rounds: number;
  readonly rows: readonly Row[];
}

export interface Results {
  readonly works: Readonly<Record<string, Measured>>;
}

export function readResults(file: string): Results {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Results) : { works: {} };
}

/** Replaces the works that were measured now, and keeps the others. */
export async function mergeResults(file: string, works: Results['works']): Promise<Results> {
  const results = { works: { ...readResults(file).works, ...works } };
  await mkdir(dirname(file), { recursive: true });
  const rows = Object.entries(results.works).map(([name, { rows: all, ...rest }]) => {
    const lines = all.map((row) => `      ${JSON.stringify(row)}`).join(',\n');
    return `    ${JSON.stringify(name)}: ${JSON.stringify(rest).slice(0, -1)}, "rows": [\n${lines}\n    ]}`;
  });
  await writeFile(file, `{\n  "works": {\n${rows.join(',\n')}\n  }\n}\n`);
  return results;
}

/** The rows of one work in one case. */
export function rowsOf({ works }: Results, work: string, matching: Case = {}): Row[] {
  const isOne = (row: Row): boolean => Object.entries(matching).every(([name, value]) => row.case[name] === value);
  return (works[work]?.rows ?? []).filter(isOne);
}
