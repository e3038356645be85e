import { expect, test } from 'vitest';
// @ts-expect-error a script without types
import { idsOf, readRows } from '../../tools/spec/spec.mjs';

/** The groups of rules and how many each has; a row that goes missing must be missed. */
const EXPECTED: Record<string, number> = {
  LW: 7, STR: 12, ERR: 11, BKO: 8, REF: 20, PAG: 12, PKD: 24, WLS: 17, WCH: 16, RSY: 6, DFI: 15, RFI: 15, STO: 7, IDX: 7, CTL: 12,
  EVH: 9, INF: 24, PRO: 14, SYN: 12, TRF: 6, MUD: 3, MUT: 6, CON: 3, EXP: 3, LIS: 5, FAC: 8, MET: 8, FGT: 2, OTH: 4,
  G: 25, U: 5, F: 96, S: 124, I: 20, O: 4, Q: 4, H: 4, Trap: 20, CTR: 53, PBS: 18,
}; // prettier-ignore

type Row = { id: string; verdict: string; how: string; test: string };
const rows = readRows() as Row[];

test('docs/SPEC.md has a row for every rule', () => {
  const counts: Record<string, number> = {};
  for (const { id } of rows) {
    const group = /^(Trap|[A-Z]+)/.exec(id)?.[0] ?? '?';
    counts[group] = (counts[group] ?? 0) + 1;
  }
  expect(counts).toEqual(EXPECTED);
});

// That the named tests exist and ran is checked at the end of each complete run, by tools/reporters/spec-reporter.ts.
test('every rule that docs/SPEC.md claims names a test about it, and every other verdict has a reason', () => {
  const claimed = rows.filter(({ verdict }) => verdict === 'same' || verdict === 'better');
  expect(claimed.filter(({ id, test: title }) => !(idsOf(title) as string[]).includes(id)).map(({ id }) => id)).toEqual(
    [],
  );
  expect(rows.filter(({ verdict, how }) => verdict !== 'same' && how === '').map(({ id }) => id)).toEqual([]);
});
