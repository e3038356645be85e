import { expect, test } from 'vitest';
import { MarkerDeadline } from '../../../src/informer/list-watch/marker-deadline.ts';

/** Type, version, whether the list already has the object, and when it arrived. */
type Arrival = readonly [type: string, version: string, isKnown: boolean, at: number];

test.each<[string, readonly Arrival[], string, number]>([
  ['nothing', [], '', 30_000],
  ['an object of the list', [['ADDED', '5', false, 7_000]], '', 37_000],
  ['an object that the list has', [['ADDED', '5', true, 7_000]], '', 30_000],
  ['a change', [['MODIFIED', '5', true, 7_000]], '', 30_000],
  ['a new object after a change', [['DELETED', '5', true, 7_000], ['ADDED', '6', false, 8_000]], '', 30_000],
  ['new objects for ever', [['ADDED', '5', false, 299_000]], '', 300_000],
  ['a list that takes long, at or below what the server tells', [['ADDED', '20', false, 299_000]], '20', 329_000],
  ['an object beyond what the server tells', [['ADDED', '21', false, 40_000]], '20', 30_000],
])('WLS-12: the end marker is waited for after %s', (_, arrivals, version, until) => {
  const deadline = new MarkerDeadline(0, 30_000);
  deadline.serverHas(version);
  for (const [type, of, isKnown, at] of arrivals) deadline.received(type, of, isKnown, at);
  expect(deadline.at).toBe(until);
}); // prettier-ignore
