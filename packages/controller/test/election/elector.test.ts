import { fakeEnv } from 'kube-informer/testing';
import { expect, test } from 'vitest';
import { LeaderElector } from '@kube-informer/controller/election';
import { rig, stopped } from './rig.ts';

test('CTR-43, L01: without a Lease the first candidate creates it, with the record of client-go', async () => {
  const { clock, leases, start } = rig();
  const a = start('a');
  await clock.advance(0);
  expect(leases.calls).toEqual(['get a', 'create a']);
  expect(leases.lease).toMatchObject({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'lease', namespace: 'ops' },
    spec: {
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2023-11-14T22:13:20.000000Z',
      renewTime: '2023-11-14T22:13:20.000000Z',
      leaseTransitions: 0,
    },
  });
  expect(a.elector.state).toEqual({ kind: 'leader', fence: 0 });
});

test('CTR-43, L01: a leader renews every 2 s with one PUT, and keeps acquireTime and transitions', async () => {
  const { clock, leases, start } = rig();
  start('a');
  await clock.advance(6_000);
  expect(leases.calls.slice(2)).toEqual(['replace a', 'replace a', 'replace a']);
  expect(leases.lease?.spec).toMatchObject({
    acquireTime: '2023-11-14T22:13:20.000000Z',
    renewTime: '2023-11-14T22:13:26.000000Z',
    leaseTransitions: 0,
  });
});

test('CTR-43, L01: a candidate tries at once and then every 2 s plus up to 1.2 times as much', async () => {
  const { clock, leases, start } = rig();
  leases.edit({ holderIdentity: 'b', leaseDurationSeconds: 3_600, leaseTransitions: 4 });
  const a = start('a', { env: fakeEnv({ clock, random: 0.5 }) });
  await clock.advance(3_199);
  expect(leases.calls).toEqual(['get a']);
  await clock.advance(1);
  expect(leases.calls).toEqual(['get a', 'get a']);
  expect(a.elector.state).toEqual({ kind: 'standby', leader: 'b' });
});

test('CTR-43, L01: times in the record are never compared: a leader from the future or the past is alive as long as its record changes', async () => {
  const { clock, leases, start } = rig();
  for (let at = 0; at < 40; at += 1) {
    leases.edit({ holderIdentity: 'b', leaseDurationSeconds: 15, renewTime: at % 2 === 0 ? '1999-01-01T00:00:00.000000Z' : `2999-01-01T00:00:${10 + at}.000000Z` }); // prettier-ignore
    if (at === 0) start('c');
    await clock.advance(10_000);
  }
  expect(new Set(leases.holders)).toEqual(new Set(['b']));
  // The record stands still: taken 15 s after the candidate saw the last change, at its next attempt.
  await clock.advance(9_000);
  expect(leases.lease?.spec).toMatchObject({ holderIdentity: 'c', leaseTransitions: 1 });
});

test('CTR-43, L01: the duration that the holder declares counts, not our own', async () => {
  const { clock, leases, start } = rig();
  leases.edit({ holderIdentity: 'b', leaseDurationSeconds: 60 });
  start('a');
  await clock.advance(59_000);
  expect(leases.lease?.spec?.holderIdentity).toBe('b');
  await clock.advance(3_000);
  expect(leases.lease?.spec?.holderIdentity).toBe('a');
});

test('CTR-43, L01: an edit that is not a renewal does not keep a dead leader in office', async () => {
  const { clock, leases, start } = rig();
  leases.edit({ holderIdentity: 'b', leaseDurationSeconds: 15 });
  start('a');
  await clock.advance(10_000);
  leases.edit({}, { note: 'by hand' });
  await clock.advance(7_000);
  expect(leases.lease?.spec?.holderIdentity).toBe('a');
  expect(leases.lease?.metadata?.annotations).toMatchObject({ note: 'by hand' });
});

test('CTR-43, L01: a released lease is taken at the next attempt, and counts as a transition', async () => {
  const { clock, leases, start } = rig();
  leases.edit({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 7 });
  const a = start('a');
  await clock.advance(0);
  expect(a.elector.state).toEqual({ kind: 'leader', fence: 8 });
});

test('CTR-43, L01: of two candidates for one lease the server accepts one', async () => {
  const { clock, leases, start } = rig();
  const a = start('a');
  const b = start('b');
  await clock.advance(5_000);
  expect([a, b].map(({ elector }) => elector.state)).toEqual([
    { kind: 'leader', fence: 0 },
    { kind: 'standby', leader: 'a' },
  ]);
  expect(new Set(leases.holders)).toEqual(new Set(['a']));
});

test('CTR-43, L01: after a refused renewal the Lease is read, and renewed if it still names us', async () => {
  const { clock, leases, start } = rig();
  const counted: string[] = [];
  const metric = (name: string) => ({ inc: (by = 1) => void (by > 0 && counted.push(name)), set() {}, observe() {} });
  const a = start('a', { metrics: { counter: metric, gauge: metric, histogram: metric } });
  await clock.advance(0);
  leases.edit({}, { note: 'by hand' });
  await clock.advance(2_000);
  expect(leases.calls.slice(2)).toEqual(['replace a', 'get a', 'replace a']);
  expect(counted).toEqual(['leader_election_slowpath_total']);
  expect(a.elector.state.kind).toBe('leader');
});

test('CTR-43: a leader whose lease names another holder is not one, at once', async () => {
  const { clock, leases, start } = rig();
  const a = start('a');
  await clock.advance(0);
  leases.edit({ holderIdentity: 'b', leaseTransitions: 1 });
  await clock.advance(2_000);
  expect(a.term?.fence.held()).toBe(false);
  expect(a.states).toEqual(['leader', 'candidate', 'standby behind b']);
});

test('CTR-43, CTR-46: a Lease that was deleted is made again by its leader, and the fence never shrinks', async () => {
  const { clock, leases, start } = rig();
  leases.edit({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 7 });
  const a = start('a');
  await clock.advance(0);
  leases.lease = undefined;
  await clock.advance(2_000);
  expect(leases.lease).toMatchObject({ spec: { holderIdentity: 'a', leaseTransitions: 8 } });
  await stopped(a, clock);
  leases.lease = undefined;
  const b = start('b');
  await clock.advance(0);
  expect(b.term?.fence.number).toBe(0); // b has never seen it
});

test('CTR-43, CTR-46: a Lease that is deleted is not taken by a candidate that has seen its holder: the holder makes it again', async () => {
  const { clock, leases, start } = rig();
  let isDead = false;
  const a = start('a', { delay: () => (isDead ? new Promise(() => {}) : Promise.resolve()) });
  await clock.advance(0);
  const b = start('b');
  for (let times = 0; times < 5; times += 1) {
    await clock.advance(3_300);
    leases.lease = undefined;
    await clock.advance(2_200);
    expect([a.term?.fence.held(), b.elector.state]).toEqual([true, { kind: 'standby', leader: 'a' }]);
  }
  expect(new Set(leases.holders)).toEqual(new Set(['a']));
  // A holder that is gone with its Lease is waited for as long as one that is gone without it.
  isDead = true;
  leases.lease = undefined;
  await clock.advance(11_000);
  expect(b.elector.state.kind).toBe('standby');
  await clock.advance(8_000);
  expect(b.elector.state).toMatchObject({ kind: 'leader' });
});

test('CTR-43: impossible times and unknown options are refused', () => {
  const { leases } = rig();
  const make = (more: object) => () => new LeaderElector({ leases: leases.client('a'), name: 'lease', ...more });
  expect(make({ leaseDurationMs: 10_000 })).toThrow(/option election.leaseDurationMs: expected whole seconds/);
  expect(make({ leaseDurationMs: 15_500 })).toThrow(/leaseDurationMs/);
  expect(make({ renewDeadlineMs: 2_400 })).toThrow(/renewDeadlineMs: expected more than 1.2/);
  expect(make({ retryPeriodMs: 0 })).toThrow(/retryPeriodMs/);
  expect(make({ name: '' })).toThrow(/election.name/);
  expect(make({ leaseDuration: 1 })).toThrow(/unknown option "leaseDuration": expected one of env, identity/);
  expect(new LeaderElector({ leases: leases.client('a'), name: 'lease' }).identity).toMatch(
    /^.+_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
});

test('CTR-48, L05: the lease is renewed until the work has ended, and released only then', async () => {
  const { clock, leases, start } = rig();
  let end = (): void => {};
  const a = start('a', { lead: () => new Promise((resolve) => (end = resolve)) });
  await clock.advance(0);
  a.stop.abort();
  await clock.advance(30_000);
  expect(a.term?.signal.aborted).toBe(true);
  expect(a.term?.fence.held()).toBe(true);
  expect(leases.holders.at(-1)).toBe('a');
  end();
  await stopped(a, clock);
  expect(leases.lease?.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 0 });
  expect(leases.calls.slice(-2)).toEqual(['get a', 'replace a']);
  expect(a.elector.state).toEqual({ kind: 'stopped' });
  expect(clock.sleeping).toBe(0);
});

test('CTR-46, CTR-48: the fence of a term that was ended by a stop is not held when the lease is free', async () => {
  const { clock, leases, start } = rig();
  const a = start('a');
  await clock.advance(0);
  const held: (boolean | undefined)[] = [];
  leases.before = () => void held.push(a.term?.fence.held());
  expect(a.term?.fence.held()).toBe(true);
  await stopped(a, clock);
  expect(leases.lease?.spec?.holderIdentity).toBe('');
  expect(held).toEqual([false, false]); // when the release was read and written
  expect(() => a.term?.fence.check()).toThrow(/no longer holds its lease/);
});

test('CTR-48: a release repeats after a conflict, and leaves the lease of another holder alone', async () => {
  const { clock, leases, start } = rig();
  const a = start('a');
  await clock.advance(0);
  let edits = 0;
  leases.before = (call) => {
    if (call !== 'replace a' || edits === 2) return;
    edits += 1;
    leases.edit({}, { edited: `${edits}` });
  };
  await stopped(a, clock);
  expect(leases.calls.slice(2)).toEqual(['get a', 'replace a', 'get a', 'replace a', 'get a', 'replace a']);
  expect(leases.lease?.spec?.holderIdentity).toBe('');

  const b = start('b');
  await clock.advance(0);
  leases.edit({ holderIdentity: 'c' });
  await stopped(b, clock);
  expect(leases.lease?.spec?.holderIdentity).toBe('c');
});

test('CTR-48: a candidate that stops while its request is under way frees what it may have got', async () => {
  const { clock, leases, start } = rig();
  leases.edit({ holderIdentity: '' });
  leases.faults = ['none', 'lose-answer'];
  const a = start('a');
  await clock.advance(0);
  expect(leases.lease?.spec?.holderIdentity).toBe('a');
  expect(a.elector.state.kind).toBe('candidate');
  await stopped(a, clock);
  expect(leases.lease?.spec?.holderIdentity).toBe('');
});

test('CTR-48: a server that is down delays the stop by 10 s at most', async () => {
  const { clock, leases, start } = rig();
  const a = start('a');
  await clock.advance(0);
  leases.always = 'hang';
  a.stop.abort();
  let ended = false;
  void a.running.then(() => (ended = true));
  await clock.advance(10_000);
  expect(ended).toBe(true);
  expect(a.env.lines.map(({ message }) => message)).toContain(
    'the lease was not released; the next leader waits until it expires',
  );
});

test('CTR-47: work that fails while it leads ends the elector with its error, and the lease is free', async () => {
  const { clock, leases, start } = rig();
  const a = start('a', { lead: () => Promise.reject(new Error('no disk')) });
  await clock.advance(0);
  await expect(a.running).rejects.toThrow('no disk');
  expect(leases.lease?.spec?.holderIdentity).toBe('');
});

test('CTR-49: work that ends early keeps the lease until the elector is stopped', async () => {
  const { clock, leases, start } = rig();
  const a = start('a', { lead: () => Promise.resolve() });
  await clock.advance(60_000);
  expect(leases.lease?.spec?.holderIdentity).toBe('a');
  await stopped(a, clock);
  expect(leases.lease?.spec?.holderIdentity).toBe('');
});
