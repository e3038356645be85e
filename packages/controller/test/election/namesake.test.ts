import { expect, onTestFinished, test } from 'vitest';
import { controller } from '../../src/index.ts';
import { startLab } from '../../src/testing/lab.ts';
import { definition, type Widget, WIDGETS } from '../operator/rig.ts';
import { type Candidate, rig, stopped } from './rig.ts';

const leads = (...all: readonly Candidate[]): number => all.filter(({ term }) => term?.fence.held() === true).length;
const NAMESAKE = 'another process uses the identity "a" of this one: give each its own, or leave the option out';

test('CTR-65: of two processes with one identity one leads; the other waits, and says why', async () => {
  const { clock, leases, start } = rig();
  const one = start('a');
  await clock.advance(500);
  const two = start('a');
  for (let s = 0; s < 60; s += 1) {
    await clock.advance(1_000);
    expect(leads(one, two)).toBe(1);
  }
  expect(one.elector.state.kind).toBe('leader');
  expect(one.elector.health().problem).toBeUndefined();
  expect(two.elector.state).toEqual({ kind: 'standby', leader: 'a' });
  expect(two.elector.health().problem?.message).toBe(NAMESAKE);
  expect(two.env.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  // It stops: the lease of the other is not released. The other stops: the next one of the name takes it.
  await stopped(two, clock);
  expect(leases.lease?.spec?.holderIdentity).toBe('a');
  expect(leads(one)).toBe(1);
  const three = start('a');
  await clock.advance(5_000);
  await stopped(one, clock);
  await clock.advance(5_000);
  expect(three.elector.state).toEqual({ kind: 'leader', fence: 1 });
  expect(three.elector.health().problem).toBeUndefined();
});

test('CTR-65: both of one identity start at the same time: the server accepts one', async () => {
  const { clock, start } = rig();
  const both = [start('a'), start('a')];
  for (let s = 0; s < 30; s += 1) {
    await clock.advance(1_000);
    expect(leads(...both)).toBe(1);
  }
  expect(both.map(({ elector }) => elector.state.kind).toSorted()).toEqual(['leader', 'standby']);
});

test('CTR-65: a leader whose lease is renewed under its name by another process stops leading at its next renewal', async () => {
  const { clock, leases, start } = rig();
  const a = start('a');
  await clock.advance(0);
  // As client-go does it: a record of one's own name is renewed without waiting, with its times of acquisition and transitions.
  leases.edit({ renewTime: '2023-11-14T22:13:21.500000Z' });
  await clock.advance(2_000);
  expect(a.term?.fence.held()).toBe(false);
  expect(() => a.term?.fence.check()).toThrow(/no longer holds/);
  expect(a.elector.health().problem?.message).toBe(NAMESAKE);
  expect(a.env.lines.map(({ message }) => message)).toContain(
    'two processes compete for a lease under one identity; this one waits',
  );
  // The other renews no more: the lease is taken after its time, as a new term.
  await clock.advance(20_000);
  expect(a.elector.state).toEqual({ kind: 'leader', fence: 1 });
});

test('CTR-65: a process that starts again under its old name waits for the term before to end, and reports nothing', async () => {
  const { clock, leases, start } = rig();
  leases.edit({ holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 3, renewTime: '2023-11-14T22:13:20.000000Z' }); // prettier-ignore
  const a = start('a');
  await clock.advance(14_000);
  expect(a.elector.state).toEqual({ kind: 'standby', leader: 'a' });
  expect(a.elector.health().problem).toBeUndefined();
  await clock.advance(6_000);
  expect(a.elector.state).toEqual({ kind: 'leader', fence: 4 });
});

test('CTR-65: a duration that a person edits, and a restored record, do not end the term of a leader', async () => {
  const { clock, leases, start } = rig();
  const a = start('a');
  await clock.advance(10_000);
  const backup = leases.lease?.spec;
  await clock.advance(60_000);
  leases.edit({ leaseDurationSeconds: 600 });
  await clock.advance(10_000);
  leases.edit({ ...backup });
  await clock.advance(10_000);
  expect(a.states).toEqual(['leader']);
});

test('CTR-65: a replica with the identity of the leader is not ready, and health and why say so', async () => {
  const lab = await startLab({ definitions: [definition()] });
  onTestFinished(() => lab[Symbol.asyncDispose]());
  const election = { lease: 'ops/widgets', identity: 'a' };
  const replica = async (name: string) => {
    const cluster = await lab.connect();
    return lab.run([controller<Widget>(cluster, WIDGETS, { name, reconcile: () => {} })], { election });
  };
  const one = await replica('one');
  await lab.advance(3_000);
  const two = await replica('two');
  await lab.advance(10_000);
  expect([one.state.kind, two.state.kind]).toEqual(['leading', 'standby']);
  expect(one.health().ready).toBe(true);
  expect(two.health()).toMatchObject({ ready: false, live: true, reasons: [`the lease is not acquired: ${NAMESAKE}`] });
  expect(two.why('two', 'web/x').sentence).toContain(NAMESAKE);
});
