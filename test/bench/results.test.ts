import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pageText, withPart } from '../../bench/report/page.ts';
import { hasResult, keepResult, type MeasuredCase, readResults, rowsOf } from '../../bench/report/results.ts';
import { countWrites } from '../../bench/work/reconcile.ts';

const measured = (objects: number, cpuMs: number): MeasuredCase => {
  const one = { objects };
  const values = { cpuMs: [cpuMs, cpuMs + 1] };
  const rows = [{ case: one, contestant: 'kube-informer controller, Node 26', family: 'kube-informer', values }];
  const about = { at: '2026-11-17T12:00', machine: '2 × CPU', server: 'kube-apiserver v1', rounds: 2 };
  return { work: 'reconcile', case: one, ...about, load: [3, 7], leftOut: ['kube-rs: it has none'], rows };
};

test('a case that is measured again replaces the older one, and the other cases stay', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'bench-results-'));
  try {
    await keepResult(dir, measured(10, 1));
    await keepResult(dir, measured(100, 5));
    await keepResult(dir, { ...measured(10, 2), work: 'apply' });
    await keepResult(dir, measured(10, 3));
    const kept = readResults(dir);
    expect(kept).toEqual([{ ...measured(10, 2), work: 'apply' }, measured(10, 3), measured(100, 5)]);
    expect(rowsOf(kept, 'reconcile', { objects: 10 }).map(({ values }) => values['cpuMs'])).toEqual([[3, 4]]);
    expect([hasResult(kept, 'reconcile', { objects: 100 }), hasResult(kept, 'apply', { objects: 100 })]).toEqual([
      true,
      false,
    ]);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});

test('the page says how busy the machine was, and which contestants were left out', () => {
  const page = pageText([measured(1_000, 5)], new Set());
  expect(page).toContain('### objects 1,000');
  expect(page).toContain('2 rounds, 2 × CPU, load 3 to 7; kube-apiserver v1.');
  expect(page).toContain('| **kube-informer controller, Node 26** | 5.50 (5.00–6.00) |');
  expect(page).toContain('Left out: kube-rs: it has none.');
});

test('only the part between the marks of the README is replaced', () => {
  const text = 'before\n<!-- written by npm run bench:peers -->\nold\n<!-- end -->\nafter';
  expect(withPart(text, 'new')).toBe('before\n<!-- written by npm run bench:peers -->\nnew\n<!-- end -->\nafter');
  expect(withPart('no marks', 'new')).toBe('no marks');
});

test('requests that write config maps are counted by the server’s own metric', () => {
  const metrics = [
    '# TYPE apiserver_request_total counter',
    'apiserver_request_total{code="200",resource="configmaps",verb="APPLY"} 40',
    'apiserver_request_total{code="201",resource="configmaps",verb="POST"} 2',
    'apiserver_request_total{code="200",resource="configmaps",verb="WATCH"} 7',
    'apiserver_request_total{code="200",resource="pods",verb="APPLY"} 9',
  ].join('\n');
  expect(countWrites(metrics)).toBe(42);
});
