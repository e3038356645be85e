import { expect, test } from 'vitest';
import { VersionWaiters } from '../../src/informer/version-waiters.ts';

test('G20: a wait for a version resolves once, when it is reached, and can be cancelled', () => {
  const waiters = new VersionWaiters();
  const received: string[] = [];
  waiters.add('10', () => received.push('ten'));
  const forget = waiters.add('9', () => received.push('nine'));
  waiters.add('9', () => received.push('also nine'));
  forget();
  expect(waiters.size).toBe(2);
  waiters.advancedTo('8');
  expect(received).toEqual([]);
  waiters.advancedTo('9');
  waiters.advancedTo('9');
  expect([received, waiters.size]).toEqual([['also nine'], 1]);
  waiters.advancedTo('100');
  expect([received, waiters.size]).toEqual([['also nine', 'ten'], 0]);
});
