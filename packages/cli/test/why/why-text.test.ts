import type { KeyDetail, RunDetail } from '@kube-informer/inspector';
import { expect, test } from 'vitest';
import { plainStyle } from '../../src/text/style.ts';
import { whyText } from '../../src/why/why-text.ts';

const run = (given: Partial<RunDetail>): RunDetail => ({
  outcome: 'success', tone: 'good', events: [{ at: 89_000, reason: 'created' }], queuedAt: 89_990, startedAt: 90_000, endedAt: 90_045,
  attempt: 1, error: '', request: '', writes: [], ...given,
}); // prettier-ignore

const detail = (runs: readonly RunDetail[], given: Partial<KeyDetail> = {}): KeyDetail => ({
  at: 100_000, operator: 'backups-x2k4p', state: 'leading', controller: 'backups', resource: 'example.com/v1/backups', key: 'db/orders',
  kind: 'waiting', tone: 'plain', sentence: 'db/orders runs again in 12.0 s because of requeue', runs, ...given,
}); // prettier-ignore

test('CTR-53: the sentence, the process that answered, and the runs', () => {
  const write = {
    at: 90_010,
    answeredAt: 90_012,
    what: 'apply batch/v1/jobs db/orders-1',
    version: '7',
    echoedAt: 90_016,
  };
  const runs = [
    run({ outcome: 'waiting', queuedAt: 112_000, startedAt: undefined, endedAt: undefined, events: [{ at: 90_045, reason: 'requeue' }] }),
    run({ outcome: 'error', tone: 'bad', attempt: 2, error: 'the store does not answer', startedAt: 95_000, endedAt: 97_500, writes: [{ ...write, echoedAt: undefined }] }),
    run({ writes: [write] }),
  ]; // prettier-ignore
  expect(whyText(detail(runs), plainStyle)).toEqual([
    'db/orders runs again in 12.0 s because of requeue',
    'controller backups · backups-x2k4p, leading',
    '',
    ' RUN       OUTCOME            IN LINE    TOOK   WRITES                       BECAUSE OF',
    ' in 12s    waiting                  -       -   0                            requeue',
    ' 5s ago    error, attempt 2     5.0 s   2.5 s   1, 1 not in a cache          created',
    ' 10s ago   success              10 ms   45 ms   1, in the cache after 6 ms   created',
    '',
    ' 5s ago: the store does not answer',
  ]);
  expect(whyText(detail([]), plainStyle).at(-1)).toBe(' it has not run, and no run is planned');
});

test('S36: text from another process cannot move the cursor of this terminal', () => {
  const evil = '\u001b]0;owned\u0007\u202e\n';
  const events = [{ at: 0, reason: evil }];
  const runs = [run({ outcome: evil, error: evil, events }), run({ startedAt: undefined, outcome: evil, events })];
  const lines = whyText(detail(runs, { sentence: evil, controller: evil, operator: evil, state: evil }), plainStyle);
  // oxlint-disable-next-line no-control-regex
  expect(lines.join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
});
