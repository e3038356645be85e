import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import type { KubeObject } from '../../../src/core/object/object.ts';
import type { ListWatch } from '../../../src/informer/list-watch/list-watch.ts';
import { settle } from '../../../src/testing/fake-clock.ts';
import {
  added,
  bookmark,
  broken,
  failure,
  list,
  listFails,
  marker,
  rig as scripted,
  type Rig,
  type RigOptions,
  type Script,
  type Step,
  watch,
  watchCloses,
  watchFails,
} from '../rig/reflector-rig.ts';

function rig(script: Script, options: RigOptions = {}): Rig {
  return scripted(script, { watchList: false, ...options });
}

test('BKO-05, WCH-12, WCH-13: stopping ends run and lets the watch go, exactly once', async () => {
  const { streams, signal, reflector, sink, start, stop } = rig([list([], 10), watch()]);
  await start();
  expect(streams[0]).toMatchObject({ returned: 0 });
  expect(getEventListeners(signal, 'abort')).not.toEqual([]);
  await stop();
  expect(streams[0]).toMatchObject({ returned: 1 });
  expect(reflector.state).toEqual({ kind: 'stopped' });
  expect(sink.lines).toEqual(['replace@10 []']);
});

test('WCH-01: stopped right after the list: no watch is opened', async () => {
  const { calls, sink, signal, cycle, stop } = rig([list([], 10), watch()]);
  sink.during = () => {
    if (!signal.aborted) void stop();
  };
  const ended = await cycle();
  expect(ended.outcome).toBe('returned');
  expect(calls.map((call) => call.verb)).toEqual(['list']);
  await stop();
});

test('WCH-01, WLS-13: stopped while the streamed state is stored: the handed-over stream is let go', async () => {
  const { streams, sink, signal, cycle, stop } = scripted([watch(marker(10), added('a', 11))]);
  sink.during = () => {
    if (!signal.aborted) void stop();
  };
  const ended = await cycle();
  expect(ended.outcome).toBe('returned');
  expect(streams[0]?.returned).toBe(1);
  expect(sink.lines).toEqual(['replace@10 []']);
  await stop();
});

test('WCH-01, BKO-08: an already aborted signal: neither list nor watch', async () => {
  const { reflector, calls, stop } = rig([list([], 10)]);
  await reflector.listAndWatch(AbortSignal.abort());
  expect(calls).toEqual([]);
  await stop();
});

test('WCH-12, WCH-13: stopped during a quiet watch: no error, and the one stream is let go', async () => {
  const { streams, errors, cycle, stop } = rig([list([], 10), watch(bookmark(11))]);
  const ended = await cycle();
  await stop();
  expect(ended.outcome).toBe('returned');
  expect(streams.map((stream) => stream.returned)).toEqual([1]);
  expect(errors).toEqual([]);
});

test.each<[string, Step]>([
  ['a normal close', watchCloses(added('a', 11))],
  ['a very short watch', watchCloses()],
  ['a broken connection', watchFails(broken())],
  ['a broken connection after events', watchFails(broken(), added('a', 11))],
  ['a refusal', watchFails({ status: { code: 403 } })],
  ['an ERROR frame', watch(failure(500, 'InternalError'))],
  ['an expired version', watch(failure(410, 'Gone'))],
  ['a throttled stream', watch(failure(429, 'TooManyRequests'))],
  ['a frame that is nonsense', watch({ type: 'WHAT' } as never)],
])('WCH-12, REF-17: after %s the stream was let go once, before anything else is asked', async (_, step) => {
  const { streams, start, stop } = rig([list([], 10), step]);
  await start();
  expect(streams[0]?.returned).toBe(1);
  expect(streams[0]?.signal.aborted).toBe(true);
  await stop();
  expect(streams[0]?.returned).toBe(1);
});

test('WCH-12: a source whose return throws or hangs blocks nothing', async () => {
  for (const release of [
    () => {
      throw new Error('sync bug');
    },
    () => Promise.reject(new Error('async bug')),
    () => new Promise<never>(() => {}),
  ]) {
    let opened = 0;
    const stubborn = (source: ListWatch<KubeObject>): ListWatch<KubeObject> => ({
      list: source.list,
      watch: () => ({
        [Symbol.asyncIterator]: () => {
          opened += 1;
          const first =
            opened === 1
              ? Promise.resolve({ done: false as const, value: failure(429, 'TooManyRequests') })
              : new Promise<never>(() => {});
          return { next: () => first, return: release };
        },
      }),
    });
    const { clock, errors, start, stop } = rig([list([], 10)], { wrap: stubborn });
    await start();
    await clock.advance(800);
    expect(opened).toBe(2);
    expect(errors).toHaveLength(1);
    await stop();
  }
});

test('WCH-13: a source that ignores its signal and never answers cannot keep the reflector', async () => {
  const { streams, start, stop } = rig([list([], 10), watch()]);
  await start();
  await stop();
  streams[0]?.push(added('late', 11));
  await settle();
});

test('LW-02: an iterator without return, and one whose next throws, are streams like others', async () => {
  const bare = (source: ListWatch<KubeObject>): ListWatch<KubeObject> => ({
    list: source.list,
    watch: () => ({
      [Symbol.asyncIterator]: () => ({
        next: () => {
          throw broken();
        },
      }),
    }),
  });
  const { reflector, errors, start, stop } = rig([list([], 10)], { wrap: bare });
  await start();
  expect(reflector.problem?.reason).toBe('unreachable');
  expect(errors).toHaveLength(1);
  await stop();
});

test('Trap 19: no error is reported for what a stop broke: a list, a stream, a store', async () => {
  const { errors, env, sink, start, stop } = rig([list([], 10), watch(added('a', 11))]);
  let stopping: Promise<void> | undefined;
  sink.during = (call) => {
    if (call !== 'add') return;
    stopping ??= stop();
    throw new Error('closed');
  };
  await start();
  await stopping;
  expect(errors).toEqual([]);
  expect(env.lines.filter((line) => line.level === 'warn')).toEqual([]);
});

test('Trap 19: a reflector runs once, a second run throws', async () => {
  const { reflector, signal, start, stop } = rig([list([], 10), watch()]);
  await start();
  await expect(reflector.run(signal)).rejects.toMatchObject({ code: 'ILLEGAL_STATE' });
  await stop();
  await expect(reflector.run(signal)).rejects.toMatchObject({ code: 'ILLEGAL_STATE' });
});

test('G21: stopping twice, and at any moment of a life, leaves nothing behind', async () => {
  for (let steps = 0; steps < 40; steps += 1) {
    const { clock, start, stop } = scripted(
      [
        watch(added('a', 1), marker(10), added('b', 11), failure(410, 'Gone')),
        watchFails(broken()),
        listFails(broken()),
        watch(marker(12)),
      ],
      { resyncMs: 300 },
    );
    await start();
    await clock.advance(steps * 100);
    await stop();
    await stop();
  }
});
