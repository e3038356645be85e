import { expect, test } from 'vitest';
import { settle } from 'kube-informer/testing';
import { rig } from './rig.ts';

const INT32_MAX = 2_147_483_647;

test('S106: a count of transitions at its maximum stays there: no replica could lead if the server refused the next one', async () => {
  const { clock, leases, start } = rig();
  leases.edit({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: INT32_MAX });
  const { states } = start('a');
  await settle();
  await clock.advance(5_000);
  expect(states).toEqual(['leader']);
  expect(leases.lease?.spec).toMatchObject({ holderIdentity: 'a', leaseTransitions: INT32_MAX });
});

test('S106: a record that asks for years is waited for an hour', async () => {
  const { clock, leases, start } = rig();
  const renewTime = '9999-12-31T23:59:59.000000Z';
  leases.edit({ holderIdentity: 'evil\u{1b}[2J', leaseDurationSeconds: INT32_MAX, leaseTransitions: 0, renewTime });
  const { states } = start('a', { leaseDurationMs: 300_000, renewDeadlineMs: 200_000, retryPeriodMs: 60_000 });
  await settle();
  await clock.advance(3_590_000);
  expect(states).toEqual(['standby behind evil\u{1b}[2J']);
  await clock.advance(150_000);
  expect(states.at(-1)).toBe('leader');
});
