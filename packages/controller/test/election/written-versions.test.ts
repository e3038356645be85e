import { expect, test } from 'vitest';
import { fakeEnv } from 'kube-informer/testing';
import { untilCaughtUp } from '@kube-informer/controller/election';
import { rig, stopped } from './rig.ts';

const ANNOTATION = 'kube-informer.dev/written';

test('CTR-45: renewals and the release carry the highest version written per resource, and the next leader gets it', async () => {
  const { clock, leases, start } = rig();
  const a = start('a');
  await clock.advance(0);
  expect(leases.lease?.metadata?.annotations).toEqual({});
  a.elector.written.note('v1/pods', '9');
  a.elector.written.note('v1/pods', '11');
  a.elector.written.note('v1/pods', '10');
  await clock.advance(2_000);
  expect(leases.lease?.metadata?.annotations?.[ANNOTATION]).toBe('[["v1/pods","11"]]');
  a.elector.written.note('batch/v1/jobs', '12');
  await stopped(a, clock);
  const b = start('b');
  await clock.advance(0);
  expect([...(b.term?.predecessors ?? [])]).toEqual([['v1/pods', '11'], ['batch/v1/jobs', '12']]); // prettier-ignore
  // A leader that writes nothing passes on what it got.
  b.elector.written.note('batch/v1/jobs', '3');
  await stopped(b, clock);
  const c = start('c');
  await clock.advance(0);
  expect([...(c.term?.predecessors ?? [])]).toEqual([['v1/pods', '11'], ['batch/v1/jobs', '12']]); // prettier-ignore
});

test('CTR-45: at most 32 resources are carried, those written last', async () => {
  const { clock, start } = rig();
  const a = start('a');
  await clock.advance(0);
  for (let at = 0; at < 40; at += 1) a.elector.written.note(`v1/r${at}`, '5');
  a.elector.written.note('v1/r8', '6');
  await stopped(a, clock);
  const b = start('b');
  await clock.advance(0);
  const names = [...(b.term?.predecessors.keys() ?? [])];
  expect(names).toHaveLength(32);
  expect([names[0], names.at(-1)]).toEqual(['v1/r9', 'v1/r8']);
});

test('CTR-61: a version from before a restore is no longer carried', async () => {
  const { clock, leases, start } = rig();
  const a = start('a');
  a.elector.written.note('v1/pods', '900');
  a.elector.written.note('batch/v1/jobs', '901');
  a.elector.written.forget('v1/pods');
  a.elector.written.note('batch/v1/jobs', '902');
  await clock.advance(2_000);
  expect(leases.lease?.metadata?.annotations?.[ANNOTATION]).toBe('[["batch/v1/jobs","902"]]');
  await stopped(a, clock);
});

test.each(['{}', 'null', 'x', '[[1,2]]', '[["v1/pods"]]', `[["v1/pods","${'1'.repeat(400)}"]]`, '[["__proto__",7]]'])(
  'CTR-45: an annotation that is no table counts as empty: %s',
  async (text) => {
    const { clock, leases, start } = rig();
    leases.edit({ holderIdentity: '' }, { [ANNOTATION]: text });
    const a = start('a');
    await clock.advance(0);
    expect(a.term?.predecessors.size).toBe(0);
  },
);

test('CTR-45: the successor waits until its caches are there, for 10 s at most, and names what was late', async () => {
  const env = fakeEnv();
  const written = new Map([['v1/pods', '7'], ['v1/nodes', '8'], ['v1/secrets', '9']]); // prettier-ignore
  const asked: string[] = [];
  const caughtUp = untilCaughtUp(written, {
    env,
    reached: async (resource, version, signal) => {
      asked.push(`${resource} ${version}`);
      if (resource === 'v1/secrets') throw new Error('not cached');
      await env.sleep(resource === 'v1/pods' ? 3_000 : 60_000, signal);
      if (signal.aborted) throw new Error('too late');
    },
  });
  let late: readonly string[] | undefined;
  void caughtUp.then((names) => (late = names));
  await env.clock.advance(9_999);
  expect(late).toBeUndefined();
  await env.clock.advance(1);
  expect(late).toEqual(['v1/nodes', 'v1/secrets']);
  expect(asked).toEqual(['v1/pods 7', 'v1/nodes 8', 'v1/secrets 9']);
  expect(env.clock.sleeping).toBe(0);
  expect(await untilCaughtUp(new Map(), { env, reached: () => {} })).toEqual([]);
});
