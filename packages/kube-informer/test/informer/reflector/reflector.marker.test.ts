import { describe, expect, test } from 'vitest';
import { fakeEnv, settle } from '../../../src/testing/fake-clock.ts';
import type { KubeObject } from '../../../src/core/object/object.ts';
import { INITIAL_EVENTS_END } from '../../../src/core/object/watch-event.ts';
import { DeltaFifo } from '../../../src/informer/queue/delta-fifo.ts';
import { OrderedFifo } from '../../../src/informer/queue/ordered-fifo.ts';
import { keyOf } from '../../../src/core/object/key.ts';
import {
  added,
  broken,
  failure,
  type Frame,
  list,
  listNotOlderThan,
  logged,
  marker,
  modified,
  newestList,
  pod,
  probe,
  probeCall,
  rig,
  watch,
  watchAt,
  watchListAt,
} from '../rig/reflector-rig.ts';

describe('a marker that does not come', () => {
  test('F44, G15: after 30 s without a new object the server counts as unable: plain lists for good, and the reason is visible', async () => {
    const { calls, times, clock, reflector, sink, streams, env, start, stop } = rig([
      watch(added('a', 1)),
      list([pod('a', 1)], 10),
      watch(),
    ]);
    await start();
    await clock.advance(29_999);
    expect(calls).toHaveLength(1);
    await clock.advance(1);
    expect(calls).toEqual([watchListAt(), newestList, watchAt(10)]);
    expect(times).toEqual([0, 30_000, 30_000]);
    expect(reflector.usesWatchList).toBe(false);
    expect(sink.text).toBe('a@1');
    expect(streams[0]?.returned).toBe(1);
    expect(env.lines).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        message: 'the streaming list failed; using a plain list',
        fields: expect.objectContaining({
          forGood: true,
          error: expect.stringContaining('no end marker within 30 s') as unknown,
        }) as unknown,
      }),
    );
    await stop();
  });

  test('F44: until the plain list has arrived, the problem has the reason', async () => {
    const { clock, reflector, start, stop } = rig([watch()], { markerTimeoutMs: 5_000 });
    await start();
    await clock.advance(5_000);
    expect(reflector.problem?.reason).toBe('watch-list');
    await stop();
  });

  test('WLS-12: new objects keep the wait alive, changes to known ones do not', async () => {
    const { calls, clock, streams, start, stop } = rig([watch()]);
    await start();
    await clock.advance(20_000);
    streams[0]?.push(added('a', 1));
    await clock.advance(20_000);
    expect(calls).toHaveLength(1);
    streams[0]?.push(modified('a', 2));
    await clock.advance(9_999);
    expect(calls).toHaveLength(1);
    await clock.advance(1);
    expect(calls).toHaveLength(2);
    await stop();
  });

  test('F44: if the server does not report its version, new objects extend the wait at most tenfold', async () => {
    const { calls, clock, streams, start, stop } = rig([watch(), probe(broken())]);
    await start();
    for (let i = 0; i < 30; i += 1) {
      streams[0]?.push(added(`p${i}`, i + 1));
      await clock.advance(9_990);
    }
    expect(calls).toEqual([watchListAt(), probeCall]);
    await clock.advance(300);
    expect(calls).toHaveLength(3);
    await stop();
  });

  test('WLS-12: if it reports it, a list may take any time, and objects created since then end the wait', async () => {
    const { calls, times, clock, streams, sink, start, stop } = rig([watch(), probe(100), list([], 200), watch()]);
    await start();
    for (let i = 0; i < 40; i += 1) {
      streams[0]?.push(added(`p${i}`, i + 1));
      await clock.advance(10_000);
    }
    expect(calls).toEqual([watchListAt(), probeCall]);
    // The last object of the list arrived at 390 s.
    for (let i = 0; i < 3; i += 1) {
      streams[0]?.push(added(`new${i}`, 101 + i));
      await clock.advance(10_000);
    }
    expect(calls.slice(2)).toEqual([newestList, watchAt(200)]);
    expect(times[2]).toBe(420_000);
    expect(sink.lines).toEqual(['replace@200 []']);
    await stop();
  });

  test('the deadline ends with the marker: the stream that continues may be quiet for longer', async () => {
    const { calls, clock, start, stop } = rig([watch(marker(10))]);
    await start();
    await clock.advance(250_000);
    expect(calls.filter(({ sendInitialEvents }) => sendInitialEvents === true)).toHaveLength(1);
    await stop();
  });

  test('F65: events that are already here are read before the deadline counts', async () => {
    const { calls, sink, clock, env, streams, start, stop } = rig([watch(added('a', 1))]);
    // The turn that the watchdog gives away is when the socket is read.
    Object.assign(env, {
      yield: () => {
        streams[0]?.push(marker(10));
        return settle();
      },
    });
    await start();
    clock.freeze(45_000);
    await clock.advance(0);
    expect(sink.lines).toEqual(['replace@10 [a@1]']);
    expect(calls).toHaveLength(1);
    await stop();
  });
});

describe('words about the wait', () => {
  const waits = [
    'still waiting for the first event of the initial list',
    'still waiting for the end marker of the initial list',
  ];

  test('WLS-12: every 10 s: nothing came at all, or the last event is 10 s old', async () => {
    const { env, clock, streams, start, stop } = rig([watch()], { markerTimeoutMs: 100_000 });
    await start();
    await clock.advance(9_999);
    expect(logged(env, 'warn')).toEqual([]);
    await clock.advance(1);
    expect(env.lines.filter((line) => line.level === 'warn')).toMatchObject([
      { message: waits[0], fields: { waitedMs: 10_000 } },
    ]);
    await clock.advance(5_000);
    streams[0]?.push(added('a', 1));
    await clock.advance(5_000);
    expect(logged(env, 'warn')).toEqual([waits[0]]);
    await clock.advance(10_000);
    expect(logged(env, 'warn')).toEqual([waits[0], waits[1]]);
    expect(env.lines.findLast((line) => line.level === 'warn')?.fields).toMatchObject({ lastEventAgoMs: 15_000 });
    await stop();
  });

  test('WLS-12: nothing is logged in the ordinary watch', async () => {
    const { env, clock, start, stop } = rig([watch(marker(10))]);
    await start();
    await clock.advance(120_000);
    expect(logged(env, 'warn')).toEqual([]);
    await stop();
  });
});

describe('whose marker it is', () => {
  const typed = (kind: string, frame: Frame): Frame =>
    ({ ...frame, object: { ...frame.object, apiVersion: 'v1', kind } }) as Frame;

  test('Trap 4, WLS-15, WCH-07: a marker of another type is dropped, and the deadline ends the phase', async () => {
    const { calls, sink, clock, env, start, stop } = rig(
      [watch(typed('Pod', added('a', 1)), typed('Secret', marker(10))), list([], 11), watch()],
      {
        expected: { apiVersion: 'v1', kind: 'Pod' },
      },
    );
    await start();
    expect(sink.lines).toEqual([]);
    expect(logged(env, 'error')).toEqual(['the watch sent an object of another type; it is skipped']);
    await clock.advance(30_000);
    expect(calls.slice(1)).toEqual([newestList, watchAt(11)]);
    await stop();
  });

  test('Trap 4, WLS-15: a marker without a type of its own ends the phase', async () => {
    const { sink, start, stop } = rig([watch(typed('Pod', added('a', 1)), marker(10))], {
      expected: { apiVersion: 'v1', kind: 'Pod' },
    });
    await start();
    expect(sink.lines).toEqual(['replace@10 [a@1]']);
    await stop();
  });

  test('WLS-05: a marker on anything but a bookmark is an annotation like any other', async () => {
    const object = pod('a', 1, { annotations: { [INITIAL_EVENTS_END]: 'true' } });
    const { sink, start, stop } = rig([watch({ type: 'ADDED', object })]);
    await start();
    expect(sink.lines).toEqual([]);
    await stop();
  });
});

test.each([
  ['not given', undefined, undefined, true],
  ['not given, and the source says it can', undefined, false, true],
  ['not given, and the source says it cannot', undefined, true, false],
  ['on', true, undefined, true],
  ['on, and the source says it cannot', true, true, false],
  ['off', false, undefined, false],
  ['off, and the source says it can', false, false, false],
])('WLS-01, WLS-17, LW-06: streaming is %s', async (_, watchList, watchListUnsupported, used) => {
  const { reflector, calls, start, stop } = rig([], {
    ...(watchList === undefined ? {} : { watchList }),
    wrap: (source) =>
      watchListUnsupported === undefined ? source : { list: source.list, watch: source.watch, watchListUnsupported },
  });
  expect(reflector.usesWatchList).toBe(used);
  await start();
  expect(calls).toEqual([used ? watchListAt() : newestList]);
  await stop();
});

test.each([
  ['OrderedFifo', OrderedFifo],
  ['DeltaFifo', DeltaFifo],
])('WLS-14: with a %s as the sink a streamed object is transformed once, not twice', async (_, Queue) => {
  const seen: string[] = [];
  const transform = (object: KubeObject): KubeObject => {
    seen.push(object.metadata?.name ?? '');
    return object;
  };
  const queue = new Queue<KubeObject>({ key: keyOf, env: fakeEnv(), transform });
  const { streams, start, stop } = rig([watch(added('a', 1), added('b', 2), marker(10))], { sink: queue });
  await start();
  expect(seen).toEqual(['a', 'b']);
  streams[0]?.push(modified('a', 12));
  await settle();
  expect(seen).toEqual(['a', 'b', 'a']);
  await stop();
});

test('F44: with streaming off for good a later cycle lists, and asks for at least what was seen', async () => {
  const { calls, clock, streams, start, stop } = rig([watch(), list([], 10), watch(), list([], 12), watch()], {
    markerTimeoutMs: 1_000,
  });
  await start();
  await clock.advance(1_000);
  streams[1]?.push(failure(410, 'Gone'));
  await clock.advance(800);
  expect(calls).toEqual([watchListAt(), newestList, watchAt(10), listNotOlderThan(10), watchAt(12)]);
  await stop();
});
