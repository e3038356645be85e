import { fakeEnv } from 'kube-informer/testing';
import { expect, test } from 'vitest';
import { rig, stopped, untilAborted } from './rig.ts';

test('CTR-46, L03: after a blocked event loop the fence refuses before any timer has run', async () => {
  const { clock, leases, start } = rig();
  const a = start('a');
  await clock.advance(1_000);
  clock.freeze(8_999);
  expect(a.term?.fence.held()).toBe(true);
  expect(a.term?.fence.remainingMs()).toBeCloseTo(5_001);
  clock.freeze(1);
  expect(a.term?.fence.held()).toBe(false);
  expect(() => a.term?.fence.check()).toThrow(expect.objectContaining({ code: 'LEASE_LOST' }));
  expect(a.term?.fence.remainingMs()).toBe(0);
  expect(a.term?.signal.aborted).toBe(true);
  const before = leases.calls.length;
  await clock.advance(0);
  // A late timer renews nothing: the next request competes again.
  expect(leases.calls[before]).toBe('get a');
});

test('CTR-46, L03: a term that was over stays over, also if the clock says otherwise', async () => {
  const { clock, start } = rig();
  const a = start('a', { lead: ({ signal }) => untilAborted(signal) });
  await clock.advance(0);
  const { fence } = a.term ?? {};
  clock.freeze(10_000);
  expect(fence?.held()).toBe(false);
  await clock.advance(5_000);
  expect(a.states).toEqual(['leader', 'candidate', 'leader']);
  expect(a.term?.fence).not.toBe(fence);
  expect(a.term?.fence.held()).toBe(true);
  expect(fence?.held()).toBe(false);
});

test.each([
  ['a boot clock', true],
  ['the wall clock', false],
])('CTR-46, L03: a suspend counts, by %s: the lease is over when the machine wakes up', async (_, bootClock) => {
  const { clock, leases, start } = rig();
  const a = start('a', { env: fakeEnv({ clock, bootClock }) });
  await clock.advance(1_000);
  clock.suspend(10_000);
  expect(a.term?.fence.held()).toBe(false);
  leases.edit({ holderIdentity: 'b', leaseDurationSeconds: 15, leaseTransitions: 1 });
  await clock.advance(2_000);
  expect(a.elector.state).toEqual({ kind: 'standby', leader: 'b' });
});

test('CTR-46, L03: a candidate that was suspended waits 15 s on its own clock before it takes a lease', async () => {
  const { clock, leases, start } = rig();
  leases.edit({ holderIdentity: 'b', leaseDurationSeconds: 15 });
  start('a');
  await clock.advance(1_000);
  // Another process on the same machine may not know about the suspend and still lead.
  clock.suspend(3_600_000);
  await clock.advance(13_000);
  expect(leases.lease?.spec?.holderIdentity).toBe('b');
  await clock.advance(3_000);
  expect(leases.lease?.spec?.holderIdentity).toBe('a');
});

test('CTR-46: a renewal that was answered late counts from when it was sent', async () => {
  const { clock, start } = rig();
  let slowMs = 0;
  const a = start('a', { delay: () => clock.sleep(slowMs) });
  await clock.advance(1_000);
  slowMs = 2_000;
  await clock.advance(5_000); // sent at 2 s, answered at 6 s
  expect(a.term?.fence.remainingMs()).toBeCloseTo(11_000);
});

test('CTR-47, L04: a lost lease aborts the work, and the elector is elected again without a restart', async () => {
  const { clock, leases, start } = rig();
  const a = start('a');
  await clock.advance(0);
  leases.always = 'fail';
  await clock.advance(9_999);
  expect(a.term?.fence.held()).toBe(true);
  await clock.advance(1);
  expect(a.term?.fence.held()).toBe(false);
  expect(a.term?.signal.reason).toMatchObject({ code: 'LEASE_LOST' });
  expect(a.elector.state).toEqual({ kind: 'candidate' });
  leases.always = undefined;
  leases.edit({ holderIdentity: 'b', leaseTransitions: 1 });
  await clock.advance(10_000);
  expect(a.states).toEqual(['leader', 'candidate', 'standby behind b']);
  await clock.advance(10_000);
  expect(a.elector.state).toEqual({ kind: 'leader', fence: 2 });
  await stopped(a, clock);
  expect(clock.sleeping).toBe(0);
});

test('CTR-47: work that continues 5 s after its lease was lost ends the elector: the process should exit', async () => {
  const { clock, leases, start } = rig();
  const a = start('a', { lead: () => new Promise(() => {}) });
  await clock.advance(0);
  leases.always = 'fail';
  await clock.advance(15_000);
  await expect(a.running).rejects.toMatchObject({ code: 'LEASE_LOST', message: /exit this process/ });
});

test('CTR-47: work that settles in these 5 s, even with an error, does not', async () => {
  const { clock, leases, start } = rig();
  const a = start('a', {
    lead: async ({ signal }) => {
      await untilAborted(signal);
      await clock.sleep(4_999);
      throw new Error('aborted');
    },
  });
  await clock.advance(0);
  leases.always = 'fail';
  await clock.advance(15_000);
  leases.always = undefined;
  await clock.advance(3_000);
  expect(a.states).toEqual(['leader', 'candidate', 'leader']);
});

test('CTR-46, L08: renewals that hang end the term on time: no request outlives 5 s, and the fence does not wait for one', async () => {
  const { clock, leases, start } = rig();
  const a = start('a');
  await clock.advance(0);
  leases.always = 'hang';
  // PUT from 2 s to 7 s, then the read from 7 s on, cut at the deadline.
  await clock.advance(7_000);
  expect(leases.calls.slice(2)).toEqual(['replace a', 'get a']);
  await clock.advance(2_999);
  expect(a.elector.state.kind).toBe('leader');
  await clock.advance(1);
  expect(a.elector.state.kind).toBe('candidate');
  leases.always = undefined;
  await clock.advance(10_000);
  expect(a.elector.state).toEqual({ kind: 'leader', fence: 0 });
});

test('CTR-46, L08: a renewal whose answer is lost is found when the Lease is read', async () => {
  const { clock, leases, start } = rig();
  const a = start('a');
  await clock.advance(0);
  leases.faults = ['lose-answer'];
  await clock.advance(7_000);
  expect(leases.calls.slice(2)).toEqual(['replace a', 'get a', 'replace a']);
  await clock.advance(9_000);
  expect(a.term?.fence.held()).toBe(true);
});
