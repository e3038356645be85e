import { expect, test } from 'vitest';
import { CallLog } from '../../../src/informer/handlers/call-log.ts';

test('PRO-14: the slowest calls are remembered, longest first, and no more than five', () => {
  const log = new CallLog();
  const times = [3, 0.5, 9, 4, 7, 1, 2, 8];
  for (const [at, ms] of times.entries()) log.took(`k${at}`, ms, { wallNow: () => 100 + at });
  expect(log.slowest.map(({ ms }) => ms)).toEqual([9, 8, 7, 4, 3]);
  expect(log.slowest[1]).toEqual({ key: 'k7', ms: 8, at: 107 });
});

test('PRO-14: a very quick call is not kept, and does not read the clock', () => {
  const log = new CallLog();
  log.took('a', 0.9, { wallNow: () => expect.unreachable('nobody will read it') });
  expect(log.slowest).toEqual([]);
});
