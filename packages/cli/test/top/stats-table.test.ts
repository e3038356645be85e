import type { InformerState } from 'kube-informer';
import { expect, test } from 'vitest';
import { plainStyle } from '../../src/text/style.ts';
import type { InformerRow } from '../../src/top/informer-stats.ts';
import { statsTableBar, statsTableBody, statsTableTotals } from '../../src/top/stats-table.ts';
import { recentChangeLine } from '../../src/top/recent-changes.ts';
import { safe } from '../../src/text/safe.ts';

const NOW = 1_700_000_000_000;

function row(name: string, more: Partial<InformerRow> = {}): InformerRow {
  const state: InformerState = { kind: 'synced' };
  return { name, state, objects: 1_200, resourceVersion: '991', perSecond: 3.25, lagMs: 2_100, queued: 0, restarts: 0, lastProblem: undefined, bytes: 2_345_678, ...more };
} // prettier-ignore

const ROWS = [
  row('v1/pods'),
  row('apps/v1/deployments', {
    state: { kind: 'stale', since: NOW - 65_000, reason: 'unreachable', error: new Error('x') },
    restarts: 3,
    lastProblem: { reason: 'unreachable', at: NOW - 4_000 },
    lagMs: undefined,
    bytes: 0,
  }),
];

test('every informer is shown with its state and, if there is a problem, the reason', () => {
  expect(statsTableBody(ROWS, NOW, plainStyle).lines).toEqual([
    ' INFORMER              STATE                        OBJECTS   EVENTS/S   SILENT   QUEUE   RESTARTS                  VERSION      SIZE',
    ' v1/pods               synced                         1,200        3.3       2s       0   0                             991   ~2.3 MB',
    ' apps/v1/deployments   stale for 65s: unreachable     1,200        3.3        -       0   3 (unreachable, 4s ago)       991         -',
  ]);
});

test.each([
  [
    120,
    [
      ' INFORMER              STATE                        OBJECTS   EVENTS/S   SILENT   QUEUE   RESTARTS',
      ' v1/pods               synced                         1,200        3.3       2s       0   0',
      ' apps/v1/deployments   stale for 65s: unreachable     1,200        3.3        -       0   3 (unreachable, 4s ago)',
    ],
  ],
  [
    80,
    [
      ' INFORMER              STATE      OBJECTS   EVENTS/S   SILENT   QUEUE   RESTARTS',
      ' v1/pods               synced       1,200        3.3       2s       0   0',
      ' apps/v1/deployments   stale f…     1,200        3.3        -       0   3 (unre…',
    ],
  ],
  [
    60,
    [
      ' INFORMER              STATE              OBJECTS   RESTARTS',
      ' v1/pods               synced               1,200   0',
      ' apps/v1/deployments   stale for 65s: …     1,200   3 (unre…',
    ],
  ],
  [40, [' INFORMER              STATE', ' v1/pods               synced', ' apps/v1/deployments   stale for 65s: u…']],
] as const)('in %d columns every informer is shown with its name and the most important columns', (width, lines) =>
  expect(statsTableBody(ROWS, NOW, plainStyle, width).lines).toEqual(lines),
);

test('in a very narrow terminal the state is still shown', () => {
  const { lines } = statsTableBody([row('demo.kube-informer.dev/v1/backups')], NOW, plainStyle, 30);
  expect(lines).toEqual([' INFORMER               STATE', ' demo.kube-informer.…   synced']);
});

test('in 10 to 200 columns no line is longer than the terminal', () => {
  for (let width = 10; width <= 200; width += 1)
    for (const line of statsTableBody(ROWS, NOW, plainStyle, width).lines)
      expect(line.length).toBeLessThanOrEqual(width);
});

test('the end of the status bar is never truncated', () => {
  expect(statsTableBar(safe`demo · 2 informers · 2,400 objects`, 30, plainStyle, safe` · q quits`)).toBe(
    ' demo · 2 informers… · q quits',
  );
  expect(statsTableBar(safe`demo`, 30, plainStyle, safe` · q quits`)).toBe(' demo · q quits               ');
});

test('the status bar shows the totals', () => {
  const totals = { receivedBytes: 5_000_000, rssBytes: 120_000_000, heapBytes: 60_000_000 };
  expect(statsTableTotals(ROWS, totals, safe`demo`)).toBe(
    'demo · 2 informers · 2,400 objects · 6.5 events/s · 5.0 MB received · memory 120 MB (heap 60.0 MB)',
  );
});

test('a change is described in one line that fits', () => {
  const line = recentChangeLine(
    { at: NOW, type: 'update', kind: safe`pod`, key: safe`shop/web-1`, text: safe`status Running → CrashLoopBackOff` },
    plainStyle,
    50,
  );
  expect(line.replace(/\d\d:\d\d:\d\d/, 'HH:MM:SS')).toBe(' HH:MM:SS ~ pod          shop/web-1  status Runni…');
});
