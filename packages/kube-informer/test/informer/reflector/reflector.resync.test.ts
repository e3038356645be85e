import { expect, test } from 'vitest';
import { settle } from '../../../src/testing/fake-clock.ts';
import {
  added,
  broken,
  failure,
  list,
  listNotOlderThan,
  logged,
  pod,
  refused,
  rig as scripted,
  type Rig,
  type RigOptions,
  type Script,
  watch,
  watchAt,
  watchFails,
} from '../rig/reflector-rig.ts';

function rig(script: Script, options: RigOptions = {}): Rig {
  return scripted(script, { watchList: false, ...options });
}

const resyncs = ({ sink }: Rig): number => sink.lines.filter((line) => line === 'resync').length;

test('RSY-01, RSY-03: every period the sink announces what it holds, and no request is sent', async () => {
  const made = rig([list([pod('a', 1)], 10), watch()], { resyncMs: 30_000 });
  await made.start();
  await made.clock.advance(29_999);
  expect(resyncs(made)).toBe(0);
  await made.clock.advance(1);
  expect(resyncs(made)).toBe(1);
  await made.clock.advance(60_000);
  expect(resyncs(made)).toBe(3);
  expect(made.calls).toHaveLength(2);
  expect(logged(made.env, 'debug').filter((message) => message === 'forcing a resync')).toHaveLength(3);
  await made.stop();
});

test('RSY-02: period 0 never fires', async () => {
  const made = rig([list([], 10), watch()], { resyncMs: 0 });
  await made.start();
  await made.clock.advance(300_000);
  expect(resyncs(made)).toBe(0);
  await made.stop();
});

test('RSY-02: the timer starts with the list in place, ends with the watch loop, and starts anew with the next cycle', async () => {
  const made = rig([list([], 10), watch(), list([], 11), watch()], { resyncMs: 10_000 });
  await made.start();
  await made.clock.advance(9_000);
  made.streams[0]?.push(failure(410, 'Gone'));
  await settle();
  // Only the wait of the run loop is left.
  expect(made.clock.sleeping).toBe(1);
  await made.clock.advance(800 + 9_999);
  expect(resyncs(made)).toBe(0);
  await made.clock.advance(1);
  expect(resyncs(made)).toBe(1);
  await made.stop();
});

test('RSY-03: the predicate is called at every tick, and decides', async () => {
  const answers = [true, false, false, true];
  let asked = 0;
  const made = rig([list([], 10), watch()], {
    resyncMs: 1_000,
    shouldResync: () => {
      asked += 1;
      return answers.shift() ?? false;
    },
  });
  await made.start();
  await made.clock.advance(6_000);
  expect(asked).toBe(6);
  expect(resyncs(made)).toBe(2);
  await made.stop();
});

test('RSY-03: a full period passes after each resync, however late it came', async () => {
  const made = rig([list([], 10), watch()], { resyncMs: 10_000 });
  await made.start();
  made.clock.freeze(25_000);
  await made.clock.advance(0);
  expect(resyncs(made)).toBe(1);
  await made.clock.advance(9_999);
  expect(resyncs(made)).toBe(1);
  await made.clock.advance(1);
  expect(resyncs(made)).toBe(2);
  await made.stop();
});

test('RSY-04: a cycle does not end before its resync task has', async () => {
  const made = rig([list([], 10), watch(failure(410, 'Gone'))], { resyncMs: 10_000 });
  const ended = await made.cycle();
  expect(ended.outcome).toBe('returned');
  expect(made.clock.sleeping).toBe(0);
  await made.stop();
});

test('RSY-05: a sink that fails to resync ends the watch and leads to a list, and is reported', async () => {
  const made = rig([list([], 10), watch(added('a', 11)), list([], 12), watch()], { resyncMs: 5_000 });
  await made.start();
  made.sink.failing.resync = new Error('queue broken');
  await made.clock.advance(5_000);
  expect(made.streams[0]?.returned).toBe(1);
  expect(logged(made.env, 'warn')[0]).toBe('resync failed; ending the watch and relisting');
  delete made.sink.failing.resync;
  await made.clock.advance(800);
  expect(made.calls.slice(2)).toEqual([listNotOlderThan(11), watchAt(12)]);
  expect(made.errors.map(String)).toEqual(['Error: queue broken']);
  await made.clock.advance(5_000);
  expect(resyncs(made)).toBe(2);
  await made.stop();
});

test('RSY-05: the cycle itself returns without an error, and the resync task ends', async () => {
  const made = rig([list([], 10), watch()], { resyncMs: 5_000 });
  made.sink.failing.resync = new Error('queue broken');
  const ended = await made.cycle();
  await made.clock.advance(5_000);
  expect(ended.outcome).toBe('returned');
  await made.clock.advance(60_000);
  expect(resyncs(made)).toBe(1);
  await made.stop();
});

test('RSY-03, U1: a predicate that throws is reported and counts as true; the watch continues', async () => {
  const made = rig([list([], 10), watch()], {
    resyncMs: 5_000,
    shouldResync: () => {
      throw new Error('predicate bug');
    },
  });
  await made.start();
  await made.clock.advance(5_000 + 800);
  expect(made.calls.map((call) => call.verb)).toEqual(['list', 'watch']);
  expect(resyncs(made)).toBe(1);
  expect(made.env.lines.filter(({ level }) => level === 'error')).toMatchObject([
    { message: 'shouldResync failed; the resync takes place', fields: { error: 'predicate bug' } },
  ]);
  await made.stop();
});

test('RSY-06: it continues while the watch reconnects and waits: no connection is needed', async () => {
  const made = rig([list([], 10), ...Array.from({ length: 20 }, () => watchFails(refused()))], { resyncMs: 10_000 });
  await made.start();
  await made.clock.advance(100_000);
  expect(resyncs(made)).toBe(10);
  await made.stop();
});

test('RSY-06: a failure during a wait interrupts nothing; it ends the next stream as soon as that is read', async () => {
  const made = rig([list([], 10), watchFails(broken()), watch(added('late', 11)), list([], 12), watch()], {
    resyncMs: 500,
    shouldResync: () => made.clock.now() === 500,
  });
  await made.start();
  made.sink.failing.resync = new Error('queue broken');
  await made.clock.advance(500);
  expect(made.reflector.state.kind).toBe('waiting');
  expect(made.calls).toHaveLength(2);
  await made.clock.advance(300);
  expect(made.streams[1]).toMatchObject({ returned: 1, pulled: 0 });
  await made.clock.advance(1_600);
  expect(made.calls.map((call) => call.verb)).toEqual(['list', 'watch', 'watch', 'list', 'watch']);
  await made.stop();
});

test('RSY-06: a failure that interrupted no watch ends with its cycle: the relist that follows is enough', async () => {
  const made = rig([list([], 10), watchFails(broken()), watchFails({ status: { code: 403 } }), list([], 12), watch()], {
    resyncMs: 500,
    shouldResync: () => made.clock.now() === 500,
  });
  await made.start();
  made.sink.failing.resync = new Error('queue broken');
  await made.clock.advance(60_000);
  const { calls } = made;
  expect(calls.filter((call) => call.verb === 'list')).toHaveLength(2);
  await made.stop();
});

test('REF-01, RSY-01: a sink that cannot resync is never asked', async () => {
  const nothing = (): void => {};
  const made = rig([list([], 10), watch()], {
    resyncMs: 1_000,
    sink: { add: nothing, update: nothing, delete: nothing, replace: nothing },
  });
  await made.start();
  await made.clock.advance(10_000);
  expect(made.calls).toHaveLength(2);
  await made.stop();
});
