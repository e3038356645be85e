import { expect, test } from 'vitest';
import { barPlot } from '../../bench/report/bar-plot.ts';
import { judgeBounds, type Bound } from '../../bench/report/bounds.ts';
import { linePlot, spreadLabels } from '../../bench/report/line-plot.ts';
import { panelPlot } from '../../bench/report/panel-plot.ts';
import type { Results, Row } from '../../bench/report/results.ts';
import { table } from '../../bench/report/table.ts';

const row = (contestant: string, cpuMs: readonly number[], objects = 10): Row => ({
  case: { objects },
  contestant,
  family: 'client-go',
  values: { cpuMs },
});
const about = {
  at: '2026-11-17T12:00',
  machine: '2 × CPU',
  server: 'kube-apiserver',
  rounds: 1,
  load: [1, 3],
  leftOut: [],
} as const;
const resultsOf = (...rows: readonly Row[]): Results =>
  rows.map((one) => ({ work: 'first-sync', case: one.case, ...about, rows: [one] }));
const bound: Bound = {
  id: 'X',
  what: '',
  kind: 'memory',
  work: 'first-sync',
  case: {},
  figure: 'cpuMs',
  of: 'ours',
  to: 'theirs',
  bound: 0.6,
  target: 0.5,
};

test('memory above its bound is broken, CPU only above three times its bound', () => {
  const verdicts = (ratio: number): boolean[] => {
    const results = resultsOf(row('ours, Node 20', [ratio]), row('theirs', [1]));
    return (['memory', 'cpu', 'time'] as const).map(
      (kind) => judgeBounds(results, [{ ...bound, kind }])[0]?.isBroken as boolean,
    );
  };
  expect(verdicts(0.5)).toEqual([false, false, false]);
  expect(verdicts(0.7)).toEqual([true, false, false]);
  expect(verdicts(1.9)).toEqual([true, true, false]);
});

test('the largest number of objects is judged, against the same number', () => {
  const rows = [row('ours', [1], 10), row('theirs', [10], 10), row('ours', [4], 100), row('theirs', [8], 100)];
  expect(judgeBounds(resultsOf(...rows), [bound])).toMatchObject([{ value: 0.5, isMet: true, contestant: 'ours' }]);
});

test('a bound without a measurement is left out', () => {
  expect(judgeBounds(resultsOf(row('ours', [1])), [bound])).toEqual([]);
});

test('labels move apart and keep their order', () => {
  const placed = spreadLabels([100, 101, 200, 99], 10);
  expect(placed[2]).toBe(200);
  expect([placed[3], placed[0], placed[1]]).toEqual([90, 100, 110]);
});

test('plots are SVG with a style for dark ground, and names are escaped', () => {
  const bars = [{ name: 'a<b', family: 'limit', spread: { median: 1, min: 1, max: 2, rounds: 2 } }];
  const bar = barPlot({ title: 'T', subtitle: 'S', unit: 'ms', bars });
  const points = [[1_000, 5], [10_000, 50]] as const; // prettier-ignore
  const line = linePlot({ title: 'T', subtitle: 'S', unit: 'ms', lines: [{ name: 'a<b', family: 'limit', points }] });
  const rows = [{ name: 'a<b', family: 'limit', spreads: [bars[0]?.spread, undefined] }];
  const panels = [['one', 'ms'], ['two', 'KB']] as const; // prettier-ignore
  const panel = panelPlot({ title: 'T', subtitle: 'S', panels, rows });
  for (const svg of [bar, line, panel]) {
    expect(svg).toContain('prefers-color-scheme: dark');
    expect(svg).toContain('a&lt;b');
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  }
});

test('a table has a range where rounds differ, and no column without a value', () => {
  const text = table([row('one', [1, 2, 4]), row('two', [3])], [['CPU', 'cpuMs', 1], ['none', 'blockMs', 1]]); // prettier-ignore
  expect(text.split('\n')).toEqual(['| | CPU |', '|---|---|', '| one | 2.00 (1.00–4.00) |', '| two | 3.00 |']);
});
