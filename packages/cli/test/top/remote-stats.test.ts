import { safe } from '../../src/text/safe.ts';
import type { CacheSummary, Overview } from '@kube-informer/inspector';
import { expect, test } from 'vitest';
import { remoteStatsSnapshot } from '../../src/top/remote-stats.ts';
import { statsTableBody, statsTableTotals } from '../../src/top/stats-table.ts';
import { plainStyle } from '../../src/text/style.ts';
import { inspectorPageLines, withInspectorPage } from '../../src/session/inspector-page.ts';

const cache = (given: Partial<CacheSummary>): CacheSummary => ({
  id: 'v1/pods', resource: 'v1/pods', namespace: '', metadataOnly: false, state: 'synced', problem: undefined, doing: 'watching',
  objects: 3, resourceVersion: '7', lagMs: 0, perSecond: 1, samples: [], queued: 0, restarts: 0, lastRestart: undefined,
  bytes: 2_000, poisoned: 0, indexes: [], ...given,
}); // prettier-ignore

const overview = (caches: readonly CacheSummary[], server = 'api.test:6443'): Overview => ({
  at: 100_000, server, rssBytes: 100_000_000, heapBytes: 20_000_000, caches, canFault: false, canReveal: false, hasOperators: false,
}); // prettier-ignore

function drawn(given: Overview): string {
  const { rows, totals, title, now } = remoteStatsSnapshot(given);
  return [...statsTableBody(rows, now, plainStyle).lines, statsTableTotals(rows, totals, title)].join('\n');
}

test('informers of another process are shown like our own', () => {
  const text = drawn(
    overview([
      cache({ restarts: 2, lastRestart: { because: 'connection reset', at: 90_000 } }),
      cache({ id: 'v1/nodes', state: 'stale', problem: { reason: 'unreachable', detail: 'refused', since: 95_000 } }),
      cache({ id: 'v1/secrets', state: 'polling', problem: { reason: 'buffered', detail: 'proxy', since: 95_000 } }),
      cache({ id: 'v1/events', state: 'starting', problem: { reason: 'forbidden', detail: 'no', since: 0 } }),
    ]),
  );
  expect(text).toMatch(/v1\/pods +synced +3 +1\.0 .*2 \(connection reset, 10s ago\)/);
  expect(text).toMatch(/v1\/nodes +stale for 5s: unreachable/);
  expect(text).toMatch(/v1\/secrets +polling: buffered/);
  expect(text).toMatch(/v1\/events +starting: forbidden/);
  expect(text).toMatch(/api\.test:6443 · 4 informers · 12 objects .* · memory /);
  expect(text).not.toMatch(/received/);
});

test('S36: text from another process cannot move the cursor of this terminal', () => {
  const evil = '\u001b]0;owned\u0007\u202e';
  const problem = { reason: evil, detail: evil, since: 0 };
  const caches = (['synced', 'polling', 'stale', 'starting', 'stopped', 'idle', evil] as const).map((state) =>
    cache({ id: `v1/${evil}`, state: state as CacheSummary['state'], problem, resourceVersion: evil, lastRestart: { because: evil, at: 0 } }),
  );
  // oxlint-disable-next-line no-control-regex
  expect(drawn(overview(caches, evil))).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
}); // prettier-ignore

const URL = 'http://127.0.0.1:12345/#token=0123456789012345678901234567890123456789012';

test('the page address above a view is complete at any width, and the view gets the remaining lines', () => {
  const keys: string[] = [];
  const view = {
    lines: ({ rows }: { rows: number }) => Array.from({ length: rows }, (_, at) => safe`row ${at}`),
    onKey: (key: string) => void keys.push(key),
  };
  const both = withInspectorPage(view, URL);
  expect(both.lines({ columns: 120, rows: 3 })).toEqual([`   web page: ${URL}`, 'row 0', 'row 1']);
  expect(both.lines({ columns: 80, rows: 4 })).toEqual(['   web page:', ` ${URL}`, 'row 0', 'row 1']);
  const narrow = inspectorPageLines(URL, 30);
  expect(narrow.slice(1).join('')).toBe(URL);
  expect(Math.max(...narrow.map((line) => line.length))).toBe(30);
  expect(both.lines({ columns: 30, rows: 2 })).toHaveLength(2);
  both.onKey?.('up');
  expect(keys).toEqual(['up']);
  expect(withInspectorPage(view, undefined)).toBe(view);
});
