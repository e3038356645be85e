import { noStackTraces } from './run/no-stack-traces.ts';
import { describe, expect, test } from 'vitest';
import { Coverage, type FaultKind, STATES } from './world/coverage.ts';
import type { FaultRates } from './world/faults.ts';
import { type Report, runSeed } from './run/run.ts';
import type { Setup } from './world/setup.ts';

noStackTraces();

const SEEDS = 8;

/** Plays some seeds with one kind of fault only, and often. */
async function rig(faults: FaultRates, setup: Partial<Setup> = {}) {
  const coverage = new Coverage();
  const reports: Report[] = [];
  for (let seed = 1; seed <= SEEDS; seed += 1)
    reports.push(await runSeed(seed, { faults, setup, coverage, freshness: true }));
  const met = (fault: FaultKind): number => STATES.reduce((sum, state) => sum + coverage.get(fault, state), 0);
  const sum = (of: (report: Report) => number): number => reports.reduce((total, report) => total + of(report), 0);
  return { met, reports, sum };
}

/** Each row has its ids, faults, and the kind of cluster or informer it needs. */
const rows: readonly [ids: string, what: string, faults: FaultRates, setup?: Partial<Setup>][] = [
  ['F1, G17', 'half-open connections', { stall: 0.9 }, { bookmarks: true }],
  ['F4, F6', 'broken connections', { 'cut-rst': 0.7 }],
  ['F7', 'no server listens for minutes', { refused: 1 }],
  ['F19', 'a partition longer than the history', { refused: 1, compaction: 1 }, { window: 8 }],
  ['F21, F24', '410 instead of a response', { 'gone-status': 0.4 }],
  ['F22', '410 inside a stream', { 'gone-event': 0.6 }],
  ['F23, F41', 'errors of the server, before and inside streams', { 'server-error': 0.4, 'error-event': 0.5 }],
  ['F25', 'replicas that have not reached the version', { lag: 1 }],
  ['F26, G2', 'replicas that respond with an older list', { lag: 1, 'older-list': 0.7, compaction: 1 }],
  ['F27, F58, G18', 'old events again, and events twice', { replay: 0.3, duplicate: 0.3, lag: 1 }],
  ['F28, G3', 'a storage restored from a backup', { restore: 1 }],
  ['F29, G3', 'another cluster under the same address', { 'new-cluster': 1 }, { clusterId: true }],
  [
    'F32, F33',
    'events that are never sent, and an audit',
    { 'lost-event': 0.1 },
    { auditMs: 120_000, bookmarks: true },
  ],
  ['F35', 'watches that end normally, and often', {}, { watchLifeMs: 5_000 }],
  ['F36', 'watches that end at once', { 'short-watch': 0.9 }],
  ['F37', 'a server that throttles', { throttled: 0.4, 'retry-after': 0.4 }],
  ['F42', 'pages that expire', { 'gone-continue': 0.4, 'gone-status': 0.3 }, { watchList: false, pageSize: 3 }],
  ['F43', 'objects listed twice', { 'listed-twice': 0.8, 'gone-status': 0.4 }],
  [
    'F44',
    'streamed lists without an end',
    { 'no-marker': 0.7, 'late-marker': 0.7, 'odd-marker': 0.7 },
    { watchList: true },
  ],
  ['F45', 'streamed lists cut in the middle', { 'cut-fin': 0.6, 'gone-event': 0.3 }, { watchList: true, keys: 40 }],
  ['F56, G8', 'frames that are not events', { undecodable: 0.7 }],
  ['F64', 'a process that is stopped for minutes', { freeze: 1, stall: 0.3 }],
  ['F86, G9', 'states on which the transform fails', { restore: 1, 'gone-status': 0.3 }, { bad: 0.2, keys: 20 }],
  ['F52, F62, G9', 'states that cannot be decoded', { restore: 1, 'gone-status': 0.3 }, { bad: 0.2, keys: 21 }],
];

describe('one kind of fault', () => {
  test.each(rows)(
    '%s: %s; nothing wrong is cached or delivered, and the informer recovers',
    async (_ids, _what, faults, setup) => {
      const { met, reports } = await rig(faults, setup);
      for (const fault of Object.keys(faults) as FaultKind[]) expect(met(fault), fault).toBeGreaterThan(0);
      for (const { convergedMs, boundMs } of reports) expect(convergedMs).toBeLessThanOrEqual(boundMs);
    },
  );

  test('G4: a healthy server is followed without delay, and the bound is not needed', async () => {
    const { reports } = await rig({});
    for (const { convergedMs } of reports) expect(convergedMs).toBeLessThan(1_000);
  });

  test('F20, F36, G22: a server that ends every watch at once gets less than one request in two seconds', async () => {
    const { sum } = await rig({ 'short-watch': 1 }, { writeEveryMs: 60_000 });
    expect(sum(({ requests }) => requests) / (sum(({ simulatedMs }) => simulatedMs) / 1_000)).toBeLessThan(0.5);
  });

  test('G22: a server that is down most of the time gets less than fifteen requests a minute', async () => {
    const { sum } = await rig({ refused: 1 });
    expect(sum(({ requests }) => requests) / (sum(({ simulatedMs }) => simulatedMs) / 60_000)).toBeLessThan(15);
  });
});
