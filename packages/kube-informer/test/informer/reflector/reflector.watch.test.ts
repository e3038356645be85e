import { describe, expect, test } from 'vitest';
import { KubeError } from '../../../src/core/errors.ts';
import { settle } from '../../../src/testing/fake-clock.ts';
import {
  added,
  bookmark,
  broken,
  deleted,
  type Frame,
  list,
  logged,
  marker,
  modified,
  pod,
  rig as scripted,
  type Rig,
  type RigOptions,
  type Step,
  watch,
  watchAt,
  watchCloses,
  watchFails,
  watchListAt,
} from '../rig/reflector-rig.ts';

function rig(steps: readonly Step[], options: RigOptions = {}): Rig {
  return scripted(steps, { watchList: false, ...options });
}

const ALMOST_ONE = 0.999_999;

describe('the request', () => {
  test.each([
    ['by default 5 to 10 minutes', 0, 300, 599],
    ['a minimum below 5 minutes has no effect', 60_000, 300, 599],
    ['a minimum of 30 minutes: 30 to 60', 30 * 60_000, 1_800, 3_599],
  ])('WCH-04: the lifetime asked for: %s', async (_, minWatchTimeoutMs, shortest, longest) => {
    for (const [random, seconds] of [
      [0, shortest],
      [ALMOST_ONE, longest],
    ] as const) {
      const { calls, start, stop } = rig([list([], 10), watch()], { minWatchTimeoutMs, random });
      await start();
      expect(calls[1]?.timeoutSeconds).toBe(seconds);
      await stop();
    }
  });

  test('WCH-05, WCH-16: every watch asks for bookmarks, from the last version, with a lifetime drawn anew', async () => {
    const draws = [0.1, 0.2, 0.3];
    const { calls, start, stop } = rig(
      [list([], 10), watchCloses(added('a', 11)), watchCloses(bookmark(20)), watch()],
      {
        random: () => draws.shift() ?? 0,
      },
    );
    await start();
    expect(calls.slice(1)).toEqual([
      { ...watchAt(10), timeoutSeconds: 330 },
      { ...watchAt(11), timeoutSeconds: 360 },
      { ...watchAt(20), timeoutSeconds: 390 },
    ]);
    await stop();
  });
});

describe('events', () => {
  test('WCH-06, WCH-08, WCH-09: adds, changes and deletes are applied in order, another type is refused, the last version is kept', async () => {
    const service: Frame = { type: 'ADDED', object: { ...pod('rejected', 11), apiVersion: 'v1', kind: 'Service' } };
    const { sink, reflector, env, start, stop } = rig(
      [
        list([pod('foo', 1), pod('bar', 2)], 10),
        watch(service, deleted('foo', 12), modified('bar', 55), added('baz', 32_000)),
      ],
      { expected: { apiVersion: 'v1', kind: 'Pod' } },
    );
    await start();
    expect(sink.lines.slice(1)).toEqual(['delete foo@12', 'update bar@55', 'add baz@32000']);
    expect(reflector.lastSyncResourceVersion).toBe('32000');
    expect(logged(env, 'error')).toEqual(['the watch sent an object of another type; it is skipped']);
    await stop();
  });

  test.each<[string, Frame]>([
    ['another kind', { type: 'MODIFIED', object: { ...pod('x', 99), apiVersion: 'v1', kind: 'Secret' } }],
    ['another group', { type: 'DELETED', object: { ...pod('x', 99), apiVersion: 'example.com/v1', kind: 'Pod' } }],
    ['a Table', { type: 'ADDED', object: { ...pod('x', 99), apiVersion: 'meta.k8s.io/v1', kind: 'Table' } }],
    ['a bookmark of another kind', { type: 'BOOKMARK', object: { ...pod('x', 99), apiVersion: 'v1', kind: 'Secret' } }],
  ])('Trap 3, WCH-06, WCH-07: %s changes nothing: no store call, no version, not counted', async (_, frame) => {
    const { sink, reflector, calls, env, clock, start, stop } = rig([list([], 10), watchCloses(frame), watch()], {
      expected: { apiVersion: 'v1', kind: 'Pod' },
    });
    await start();
    expect(sink.lines).toEqual(['replace@10 []']);
    expect(reflector.lastSyncResourceVersion).toBe('10');
    expect(logged(env, 'error')).toHaveLength(1);
    // Not counted: the stream brought nothing, so it is a very short one.
    expect(calls).toHaveLength(2);
    await clock.advance(800);
    expect(calls[2]).toEqual(watchAt(10));
    await stop();
  });

  test.each([
    ['add', added('a', 11)],
    ['update', modified('a', 11)],
    ['delete', deleted('a', 11)],
    ['bookmark', bookmark(11)],
  ] as const)(
    'Trap 3, WCH-08, REF-15: a store that fails on %s is reported; the event counts and the version moves',
    async (call, frame) => {
      const { sink, reflector, streams, env, start, stop } = rig([list([], 10), watch()]);
      await start();
      sink.failing[call] = new Error('disk full');
      streams[0]?.push(frame, added('b', 12));
      await settle();
      expect(env.lines.filter((line) => line.level === 'error')).toMatchObject([
        { message: 'an event could not be stored', fields: { resourceVersion: '11', error: 'disk full' } },
        ...(call === 'add' ? [{}] : []),
      ]);
      expect(reflector.lastSyncResourceVersion).toBe('12');
      expect(streams[0]?.returned).toBe(0);
      await stop();
    },
  );

  test('REF-14: updateResourceVersion is called for every accepted event, bookmarks included, and for nothing else', async () => {
    const { sink, start, stop } = rig([
      list([pod('a', 1)], 10),
      watch(added('b', 20), bookmark(30), modified('b', 40)),
    ]);
    await start();
    expect(sink.versions).toEqual(['20', '30', '40']);
    await stop();
  });

  test('REF-15, G8: the store gets an event before the version moves', async () => {
    const { sink, reflector, streams, start, stop } = rig([list([], 10), watch()]);
    await start();
    const seen: string[] = [];
    sink.during = (call) => seen.push(`${call} at ${reflector.lastSyncResourceVersion}`);
    streams[0]?.push(added('a', 11), bookmark(12), deleted('a', 13));
    await settle();
    expect(seen).toEqual(['add at 10', 'bookmark at 11', 'delete at 12']);
    await stop();
  });

  test('WCH-05, G18: a bookmark is a place to resume from', async () => {
    const { calls, start, stop } = rig([list([], 10), watchCloses(bookmark(5_000)), watch()]);
    await start();
    expect(calls.at(-1)).toEqual(watchAt(5_000));
    await stop();
  });

  test('REF-01, REF-15: a sink needs neither bookmark nor version hooks', async () => {
    const lines: string[] = [];
    const say = (what: string) => (): void => void lines.push(what);
    const sink = { add: say('add'), update: say('update'), delete: say('delete'), replace: say('replace') };
    const { reflector, start, stop } = rig(
      [list([], 10), watch(added('a', 11), bookmark(12), modified('a', 13), deleted('a', 14))],
      { sink },
    );
    await start();
    expect(lines).toEqual(['replace', 'add', 'update', 'delete']);
    expect(reflector.lastSyncResourceVersion).toBe('14');
    await stop();
  });

  test('WCH-13: events are taken one by one, and a stop between two is obeyed', async () => {
    const { sink, streams, signal, start, stop } = rig([list([], 10), watch()]);
    await start();
    sink.during = () => {
      if (!signal.aborted) void stop();
    };
    streams[0]?.push(added('a', 11), added('b', 12));
    await settle();
    expect(sink.lines).toEqual(['replace@10 []', 'add a@11']);
    await stop();
  });

  test('F34, WCH-13: a full sink stops the reading, and nothing is lost when there is room again', async () => {
    const { sink, streams, start, stop } = rig([list([], 10), watch()]);
    await start();
    let go: () => void = () => {};
    sink.full = new Promise((resolve) => (go = resolve));
    streams[0]?.push(added('a', 11), added('b', 12), added('c', 13));
    await settle();
    const pulled = streams[0]?.pulled ?? 0;
    expect(sink.lines.slice(1)).toEqual(['add a@11']);
    await settle();
    expect(streams[0]?.pulled).toBe(pulled);
    sink.full = undefined;
    go();
    await settle();
    expect(sink.lines.slice(1)).toEqual(['add a@11', 'add b@12', 'add c@13']);
    await stop();
  });

  test('F34: a stop is obeyed while the sink is full', async () => {
    const { sink, start, stop } = rig([list([], 10), watch(added('a', 11))]);
    sink.full = new Promise(() => {});
    await start();
    expect(sink.lines).toEqual(['replace@10 []']);
    await stop();
  });

  test('F34: a server that closes a slow reader is resumed where the last event was applied', async () => {
    const { calls, sink, clock, start, stop } = rig([
      list([], 10),
      watchFails(broken(), added('a', 11), added('b', 12)),
      watch(added('c', 13)),
    ]);
    await start();
    await clock.advance(800);
    expect(calls).toEqual([{ verb: 'list', limit: 500 }, watchAt(10), watchAt(12)]);
    expect(sink.text).toBe('a@11 b@12 c@13');
    await stop();
  });

  test('F60: an object that leaves the selector is deleted with its last matching state, one that enters is added', async () => {
    const { sink, start, stop } = rig([list([pod('a', 5)], 10), watch(deleted('a', 20), added('a', 30))]);
    await start();
    expect(sink.lines.slice(1)).toEqual(['delete a@20', 'add a@30']);
    await stop();
  });
});

describe('which versions count', () => {
  test('F27, G1: events older than what was seen are dropped and counted; the same version is not older', async () => {
    const dropped: number[] = [];
    const counter = (name: string) => ({
      inc: () => void (name === 'reflector_stale_events_total' && dropped.push(1)),
    });
    const { sink, reflector, start, stop } = rig(
      [list([pod('a', 90)], 100), watch(modified('a', 80), deleted('a', 99), modified('a', 100), modified('a', 101))],
      {
        metrics: { counter, gauge: () => ({ set() {} }), histogram: () => ({ observe() {} }) },
      },
    );
    await start();
    expect(sink.lines.slice(1)).toEqual(['update a@100', 'update a@101']);
    expect(reflector.lastSyncResourceVersion).toBe('101');
    expect(dropped).toHaveLength(2);
    await stop();
  });

  test.each(['0', ''])(
    'Trap 2, F59, WCH-09: a watch from the version %j holds the version back until it shows more than synthetic adds',
    async (version) => {
      const { sink, reflector, calls, streams, clock, start, stop } = rig([
        list([], version),
        watch(added('b', 9), added('a', 5)),
        watch(),
      ]);
      await start();
      expect(sink.text).toBe('b@9 a@5');
      expect(reflector.lastSyncResourceVersion).toBe(version);
      expect(sink.versions).toEqual([]);
      streams[0]?.fail(broken());
      await clock.advance(800);
      expect(calls.at(-1)).toEqual(watchAt(version));
      streams[1]?.push(added('c', 7), modified('c', 12), added('d', 13));
      await settle();
      expect(sink.versions).toEqual(['12', '13']);
      expect(reflector.lastSyncResourceVersion).toBe('13');
      await stop();
    },
  );

  test('WCH-09: a bookmark ends the hold-back too', async () => {
    const { sink, start, stop } = rig([list([], '0'), watch(added('b', 9), bookmark(10), added('c', 11))]);
    await start();
    expect(sink.versions).toEqual(['10', '11']);
    await stop();
  });

  test('WCH-09: a stream handed over by the streaming list moves the version from its first event on', async () => {
    const { reflector, calls, streams, start, stop } = scripted([watch(marker(10))]);
    await start();
    streams[0]?.push(added('a', 11));
    await settle();
    expect(reflector.lastSyncResourceVersion).toBe('11');
    expect(calls).toEqual([watchListAt()]);
    await stop();
  });
});

describe('what is no event', () => {
  const bad: [string, unknown][] = [
    ['nothing', null],
    ['an unknown type', { type: 'RENAMED', object: pod('a', 11) }],
    ['no type', { object: pod('a', 11) }],
    ['no object', { type: 'ADDED', object: null }],
    ['an array', { type: 'MODIFIED', object: [] }],
    ['no metadata', { type: 'ADDED', object: {} }],
    ['no version', { type: 'DELETED', object: { metadata: { name: 'a' } } }],
    ['a version that is a number', { type: 'ADDED', object: { metadata: { name: 'a', resourceVersion: 11 } } }],
    ['a bookmark without a version', { type: 'BOOKMARK', object: { metadata: {} } }],
    ['an ERROR that is no Status', { type: 'ERROR', object: pod('a', 11) }],
  ];

  test.each(bad)(
    'F56, G8: %s ends the stream, which is resumed after a wait at the last applied version',
    async (_, frame) => {
      const { calls, times, sink, reflector, streams, clock, start, stop } = rig([
        list([], 10),
        watch(added('ok', 11), frame as Frame, added('after', 12)),
        watch(added('after', 12)),
      ]);
      await start();
      expect(streams[0]?.returned).toBe(1);
      expect(sink.text).toBe('ok@11');
      expect(reflector.problem?.reason).toBe('undecodable');
      await clock.advance(800);
      expect(calls.slice(1)).toEqual([watchAt(10), watchAt(11)]);
      expect(times[2]).toBe(800);
      expect(sink.text).toBe('ok@11 after@12');
      expect(reflector.problem).toBeUndefined();
      await stop();
    },
  );

  test('F56, G8: an object the sink has no key for ends the stream and does not move the version', async () => {
    const { sink, reflector, clock, calls, streams, start, stop } = rig([list([], 10), watch(), watch()]);
    await start();
    sink.failing.add = new KubeError('INVALID_KEY', 'object has no metadata.name');
    streams[0]?.push({ type: 'ADDED', object: { metadata: { resourceVersion: '11' } } });
    await settle();
    expect(reflector.lastSyncResourceVersion).toBe('10');
    expect(streams[0]?.returned).toBe(1);
    await clock.advance(800);
    expect(calls.at(-1)).toEqual(watchAt(10));
    await stop();
  });

  test('F56: three such streams in a row without an accepted event: a list', async () => {
    const nonsense = watch(null as unknown as Frame);
    const { calls, clock, errors, start, stop } = rig([
      list([], 10),
      nonsense,
      nonsense,
      nonsense,
      list([], 20),
      watch(),
    ]);
    await start();
    await clock.advance(800 + 1_600 + 3_200);
    expect(calls.map((call) => call.verb)).toEqual(['list', 'watch', 'watch', 'watch', 'list', 'watch']);
    expect(errors).toMatchObject([{ code: 'WATCH_DECODE' }]);
    await stop();
  });
});
