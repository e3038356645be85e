import { reasonOf } from '../../../src/informer/reflector/watch-error.ts';
import { describe, expect, test } from 'vitest';
import { expired, statusFailure, tooLarge } from '../../../src/testing/fake-source.ts';
import type { KubeObject } from '../../../src/core/object/object.ts';
import type { ListWatch } from '../../../src/informer/list-watch/list-watch.ts';
import { settle } from '../../../src/testing/fake-clock.ts';
import {
  added,
  bookmark,
  broken,
  type Call,
  failure,
  type Frame,
  list,
  listFails,
  listNotOlderThan,
  logged,
  newestList,
  pod,
  probe,
  probeCall,
  refused,
  rig as scripted,
  type Rig,
  type RigOptions,
  type ScriptedSource,
  serverRig,
  type Step,
  watch,
  watchAt,
  watchCloses,
  watchFails,
} from '../rig/reflector-rig.ts';

function rig(steps: readonly Step[], options: RigOptions = {}): Rig {
  return scripted(steps, { watchList: false, ...options });
}

/** A list, a watch that a gateway ended after an event at 11, and the wait: a reopened watch follows. */
const gateway = statusFailure(503, 'ServiceUnavailable', 'no backend');
const reopened: readonly Step[] = [list([pod('a', 1)], 10), watchFails(gateway, added('b', 11))];

describe('a reopened watch is probed', () => {
  test('F28, G2: a second after it was opened, unless it showed life: one item, for the version of the server', async () => {
    const { calls, times, clock, reflector, start, stop } = rig([...reopened, watch(), probe(11)]);
    await start();
    await clock.advance(800 + 999);
    expect(calls).toHaveLength(3);
    expect(reflector.problem?.reason).toBe('server-error');
    await clock.advance(1);
    expect(calls.slice(2)).toEqual([watchAt(11), probeCall]);
    expect(times[3]).toBe(1_800);
    expect(reflector.problem).toBeUndefined();
    expect(reflector.lastContactAt).toBe(clock.wallNow());
    await clock.advance(60_000);
    expect(calls).toHaveLength(4);
    await stop();
  });

  test('the first watch after a list needs no probe, and neither does one that brought an event', async () => {
    const { calls, clock, start, stop } = rig([...reopened, watch(bookmark(12))]);
    await start();
    await clock.advance(800);
    await clock.advance(5_000);
    expect(calls).toEqual([newestList, watchAt(10), watchAt(11)]);
    await stop();
  });

  test('a watch that ends before its probe was answered leaves nothing behind', async () => {
    const { calls, streams, clock, start, stop } = rig([...reopened, watch(), watch(added('c', 12))]);
    await start();
    await clock.advance(800 + 1_000);
    streams[1]?.close();
    await settle();
    expect(calls.at(-1)).toEqual(watchAt(11));
    await stop();
  });

  test.each([
    // It asks for a second itself.
    ['says the version is too large', probe(tooLarge('11', '5')), 1_000],
    ['answers with an older state', probe(5), 800],
  ])('F25, F27, G2: a server that %s: once, another connection; twice, a list', async (_, behind, firstMs) => {
    const { calls, times, clock, sink, reflector, errors, start, stop } = rig([
      ...reopened,
      watch(),
      behind,
      watch(),
      behind,
      list([pod('a', 1), pod('b', 11)], 11),
      watch(),
    ]);
    await start();
    await clock.advance(800 + 1_000);
    expect(reflector.state.kind).toBe('waiting');
    expect(reflector.problem?.reason).toBe('stale-server');
    await clock.advance(60_000);
    expect(calls.slice(2)).toEqual([watchAt(11), probeCall, watchAt(11), probeCall, newestList, watchAt(11)]);
    // 1.8 s + the first wait, + 1 s until the probe, + 1.6 s wait
    const again = 1_800 + firstMs;
    expect(times.slice(4)).toEqual([again, again + 1_000, again + 2_600, again + 2_600]);
    expect(sink.lines.at(-1)).toBe('replace@11 [a@1 b@11]');
    expect(reflector.epochs).toBe(0);
    expect(errors.map(reasonOf)).toEqual(['server-error', 'stale-server']);
    await stop();
  });

  test('G4, F18: storages that are set back during long outages are followed within seconds of their end', async () => {
    const OUTAGE = 3;
    const setBackTo = (version: number): Step[] => [
      // Waits grow from one to the next, to half a minute.
      ...Array.from({ length: OUTAGE }, () => watchFails(refused())),
      watch(),
      probe(tooLarge('11', `${version}`)),
      watch(),
      probe(tooLarge('11', `${version}`)),
      listFails(tooLarge('11', `${version}`)),
      list([pod('a', version)], version),
    ];
    const cut = watchFails(gateway);
    const { times, clock, sink, reflector, start, stop } = rig([
      ...reopened, ...setBackTo(9), cut, ...setBackTo(7), cut, ...setBackTo(6), cut, ...setBackTo(5), watch(),
    ]); // prettier-ignore
    await start();
    await clock.advance(900_000);
    expect(reflector.epochs).toBe(4);
    expect(sink.lines.at(-1)).toBe('replace@5 [a@5] new epoch');
    for (const round of [0, 1, 2, 3]) {
      const end = 2 + OUTAGE + round * (OUTAGE + 7);
      const [back, followed] = [times[end] as number, times[end + 5] as number];
      expect(followed - back).toBeLessThan(10_000);
    }
    await stop();
  });

  test('F25, G4: replicas that are behind from time to time are waited for as briefly as the first one', async () => {
    const behind = probe(tooLarge('11', '5'));
    // The next one delivers before its connection is lost.
    const round = (version: number): Step[] => [watch(), behind, watchFails(gateway, added('c', version))];
    const { times, calls, clock, start, stop } = rig([...reopened, ...[12, 13, 14, 15].flatMap(round), watch()]);
    await start();
    await clock.advance(150_000);
    const probes = calls.flatMap(({ limit }, i) => (limit === 1 ? [i] : []));
    const waits = probes.map((i) => (times[i + 1] as number) - (times[i] as number));
    // The server asks for a second itself.
    expect(waits).toEqual([1_000, 1_000, 1_000, 1_000]);
    await stop();
  });

  test('F25: a replica that caught up in between is trusted again', async () => {
    const behind = probe(tooLarge('11', '5'));
    const { calls, clock, start, stop } = rig([...reopened, watch(), behind, watch(), probe(20)]);
    await start();
    await clock.advance(60_000);
    expect(calls.map((call) => call.verb)).toEqual(['list', 'watch', 'watch', 'list', 'watch', 'list']);
    await stop();
  });

  test.each([
    ['403', statusFailure(403, 'Forbidden', 'no')],
    ['500', statusFailure(500, 'InternalError', 'boom')],
    ['a broken connection', broken()],
  ])(
    'F28, G19: a probe that fails with %s has no result: it ends nothing, clears no problem, and is retried',
    async (_, error) => {
      const steps = [watch(), probe(error), probe(error), probe(11)];
      const { calls, clock, env, streams, reflector, start, stop } = rig([...reopened, ...steps]);
      await start();
      await clock.advance(800 + 1_000);
      expect(logged(env, 'debug')).toContain('a check of the watch failed; it is repeated');
      expect(reflector.problem?.reason).toBe('server-error');
      await clock.advance(2_000 + 3_999);
      expect(reflector.problem?.reason).toBe('server-error');
      await clock.advance(1);
      expect(reflector.problem).toBeUndefined();
      expect(calls.filter(({ verb }) => verb === 'list')).toHaveLength(4);
      expect(streams.at(-1)?.returned).toBe(0);
      await clock.advance(60_000);
      expect(calls.filter(({ verb }) => verb === 'list')).toHaveLength(4);
      await stop();
    },
  );
});

/** A source that answers only the questions that are scripted. */
const unanswering = (source: ListWatch<KubeObject>): ListWatch<KubeObject> => ({
  watch: source.watch,
  list: (options, signal) =>
    options.limit === 1 && !(source as ScriptedSource).isProbeNext
      ? new Promise(() => {})
      : source.list(options, signal),
});

describe('a reopened watch that could not be probed', () => {
  /** Watches that follow each other: each lives a minute, brings these frames, and has this answer to its probe. */
  const lives = async (...each: { frames?: Frame[]; answer?: Step }[]): Promise<Rig> => {
    const steps = each.flatMap(({ frames = [], answer }) => [
      watch(...frames),
      ...(answer === undefined ? [] : [answer]),
    ]);
    const made = rig([list([], 10), ...steps], { wrap: unanswering });
    await made.start();
    for (let i = 0; i < each.length; i += 1) {
      await made.clock.advance(60_000);
      made.streams[i]?.close();
    }
    await settle();
    return made;
  };
  const unproven = {};
  const proven = { answer: probe(11) };
  const lively = { frames: [added('a', 11)] };

  test('F28, G2: quiet watches that the server does not confirm may all withhold events: they are not resumed forever', async () => {
    const made = await lives(lively, unproven, unproven, unproven);
    await made.clock.advance(300_000);
    const isOther = ({ verb, limit, timeoutSeconds }: Call): boolean =>
      (verb === 'list' && limit !== 1) || (verb === 'watch' && timeoutSeconds !== 300);
    expect(made.calls.slice(1).some(isOther)).toBe(true);
    expect(made.errors.length).toBeGreaterThan(0);
    await made.stop();
  });

  test('F35, G18: watches that it confirms are resumed forever, without a list', async () => {
    const made = await lives(lively, ...Array.from({ length: 8 }, () => proven));
    expect(made.reflector.state.kind).toBe('watching');
    expect(made.calls.filter((call) => call.verb === 'list' && call.limit !== 1)).toHaveLength(1);
    await made.stop();
  });

  test('F25: a server that was behind and then proved itself is given the same patience again', async () => {
    const behind = probe(tooLarge('11', '5'));
    const made = rig([...reopened, watch(), behind, watch(), probe(11), watch(), behind, watch(), probe(11)]);
    await made.start();
    await made.clock.advance(30_000);
    made.streams[2]?.close();
    await made.clock.advance(60_000);
    expect(made.calls.filter((call) => call.verb === 'watch')).toHaveLength(5);
    expect(made.calls.filter((call) => call.verb === 'list' && call.limit !== 1)).toHaveLength(1);
    await made.stop();
  });

  test('WCH-11, G4: a stream that fails after its probe was answered has still brought nothing: three of them, then a list', async () => {
    const made = rig([list([], 10), watch(), watch(), probe(10), watch(), probe(10), list([], 12), watch()]);
    await made.start();
    for (let i = 0; i < 3; i += 1) {
      await made.clock.advance(10_000);
      made.streams[i]?.push(failure(500, 'InternalError'));
    }
    await made.clock.advance(30_000);
    expect(made.calls.filter((call) => call.verb === 'list' && call.limit !== 1)).toHaveLength(2);
    await made.stop();
  });
});

describe('the storage went back', () => {
  test('F28, G3: too large, and the newest state is older: the cache follows it and reports a new epoch', async () => {
    const { sink, calls, reflector, env, clock, start, stop } = rig([
      list([pod('a', 1), pod('b', 90)], 100),
      watch(added('c', 110), failure(410, 'Expired')),
      listFails(tooLarge('110', '40')),
      list([pod('a', 1)], 40),
      watch(added('d', 41)),
    ]);
    await start();
    await clock.advance(1_000);
    expect(calls.slice(2)).toEqual([listNotOlderThan(110), newestList, watchAt(40)]);
    expect(sink.lines.slice(2)).toEqual(['replace@40 [a@1] new epoch', 'add d@41']);
    expect(reflector.epochs).toBe(1);
    expect(reflector.lastSyncResourceVersion).toBe('41');
    expect(env.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', fields: expect.objectContaining({ had: '110', now: '40' }) as unknown }),
    );
    await stop();
  });

  test.each([true, false])(
    'F28, G3: a restored server, with streaming %s: the silent watch is detected and the cache becomes the older state',
    async (watchList) => {
      const { server, sink, reflector, clock, expectEqual, start, stop } = serverRig({ watchList });
      for (const name of ['a', 'b', 'c', 'd']) server.create(pod(name, 0));
      const backup = server.objects.slice(0, 2);
      await start();
      server.restore(backup, 3);
      server.cut(broken());
      await clock.advance(60_000);
      expect(reflector.epochs).toBe(1);
      expect(sink.lines.at(-1)).toBe('replace@3 [a@2 b@3] new epoch');
      expectEqual();
      server.create(pod('later', 0));
      await clock.advance(0);
      expectEqual();
      await stop();
    },
  );

  test('F28, G3, G19: to a version that the stream had passed, but not the place where it was opened: found by the next question', async () => {
    const { sink, calls, reflector, clock, start, stop } = rig([
      list([pod('a', 1)], 10),
      watch(added('b', 20)),
      probe(15),
      watch(),
      probe(15),
      list([pod('a', 1)], 15),
      watch(),
    ]);
    await start();
    await clock.advance(56_900);
    expect(calls).toHaveLength(2);
    await clock.advance(10_000);
    expect(calls.slice(2)).toEqual([probeCall, watchAt(20), probeCall, newestList, watchAt(15)]);
    expect(sink.lines.at(-1)).toBe('replace@15 [a@1] new epoch');
    expect(reflector.epochs).toBe(1);
    await stop();
  });

  test('G18: a response that an event of the stream has overtaken is not a sign of that', async () => {
    let answer: () => void = () => {};
    const slow: Step = {
      verb: 'probe',
      answer: () =>
        new Promise((resolve) => (answer = () => resolve({ metadata: { resourceVersion: '20' }, items: [] }))),
    };
    const { calls, clock, streams, reflector, start, stop } = rig([list([], 10), watch(added('b', 20)), slow]);
    await start();
    await clock.advance(57_000);
    streams[0]?.push(added('c', 21));
    await clock.advance(100);
    answer();
    await clock.advance(10_000);
    expect(calls.slice(2)).toEqual([probeCall]);
    expect(reflector.problem).toBeUndefined();
    await stop();
  });

  test('F29, G3: another cluster behind the same address, with versions near ours, is another epoch', async () => {
    let cluster = 'uid-1';
    const { sink, reflector, clock, calls, errors, start, stop } = rig(
      [...reopened, watch(), list([pod('z', 12)], 12), watch()],
      {
        wrap: (source) => ({ list: source.list, watch: source.watch, clusterId: () => Promise.resolve(cluster) }),
      },
    );
    await start();
    cluster = 'uid-2';
    await clock.advance(800 + 1_000);
    expect(reflector.problem?.reason).toBe('inconsistent');
    await clock.advance(1_600);
    expect(calls.map((call) => call.verb)).toEqual(['list', 'watch', 'watch', 'list', 'watch']);
    expect(sink.lines.at(-1)).toBe('replace@12 [z@12] new epoch');
    expect(reflector.epochs).toBe(1);
    expect(errors.map(reasonOf)).toEqual(['server-error', 'inconsistent']);
    await stop();
  });

  test('F29: the same cluster is not a new epoch, and neither is a clusterId that cannot be read', async () => {
    const names = [
      () => Promise.resolve('uid-1'),
      () => Promise.reject(new Error('403')),
      () => Promise.resolve('uid-1'),
    ];
    const { reflector, clock, start, stop } = rig(
      [list([], 10), watch(failure(410, 'Gone')), list([], 20), watch(failure(410, 'Gone')), list([], 30), watch()],
      {
        wrap: (source) => ({
          list: source.list,
          watch: source.watch,
          clusterId: () => names.shift()?.() ?? Promise.resolve('uid-1'),
        }),
      },
    );
    await start();
    await clock.advance(10_000);
    expect(reflector.lastSyncResourceVersion).toBe('30');
    expect(reflector.epochs).toBe(0);
    await stop();
  });

  test('F29, G15: a clusterId that never settles delays a list by seconds, and is aborted', async () => {
    const aborted: boolean[] = [];
    const { sink, clock, start, stop } = rig([list([pod('a', 9)], 10), watch()], {
      wrap: (source) => ({
        list: source.list,
        watch: source.watch,
        clusterId: (signal) => {
          signal.addEventListener('abort', () => aborted.push(true));
          return new Promise(() => {});
        },
      }),
    });
    await start();
    await clock.advance(4_999);
    expect(sink.lines).toEqual([]);
    await clock.advance(1);
    expect(sink.lines).toEqual(['replace@10 [a@9]']);
    expect(aborted).toEqual([true]);
    await stop();
  });

  test('F29: another cluster seen during a list that then failed is still announced with the next one', async () => {
    const names = ['uid-1', 'uid-2', 'uid-2'];
    const { sink, clock, start, stop } = rig(
      [list([], 10), watch(failure(410, 'Gone')), list([], 20), list([], 21), watch()],
      {
        wrap: (source) => ({
          list: source.list,
          watch: source.watch,
          clusterId: () => Promise.resolve(names.shift() ?? 'uid-2'),
        }),
      },
    );
    await start();
    sink.failing.replace = new Error('disk full');
    await clock.advance(800);
    delete sink.failing.replace;
    await clock.advance(1_600);
    expect(sink.lines).toEqual(['replace@10 []', 'replace@20 [] new epoch', 'replace@21 [] new epoch']);
    await stop();
  });
});

/** A short watch that the server ends without an event. */
async function* nothing(): AsyncGenerator<Frame> {}

describe('F46: a server whose versions cannot be ordered', () => {
  test.each([
    ['versions that are no digits', list([pod('a', 'x1')], 'etag-1'), 'etag-1'],
    ['items newer than their list', list([pod('a', 500)], 10), '10'],
    ['no version at all', list([pod('a', '')], ''), ''],
  ])('F46: %s: health reports it, and states are applied in the order of arrival', async (_, first, at) => {
    const { sink, reflector, calls, clock, start, stop } = rig([
      first,
      watch(failure(410, 'Expired')),
      list([pod('a', 3)], 3),
      watch(added('b', 2)),
    ]);
    await start();
    expect(reflector.versionsAreOrdered).toBe(false);
    expect(calls[1]).toEqual(watchAt(at));
    await clock.advance(800);
    // Nothing is refused as older: these versions have no order.
    expect(sink.text).toBe('a@3 b@2');
    expect(reflector.lastSyncResourceVersion).toBe('2');
    expect(reflector.epochs).toBe(0);
    await stop();
  });

  test('F46: its reopened watches are only checked for a response, without a version', async () => {
    const { calls, clock, reflector, start, stop } = rig([list([], 'etag-9'), watchFails(broken()), watch(), probe(1)]);
    await start();
    await clock.advance(800 + 999);
    expect(reflector.problem?.reason).toBe('unreachable');
    await clock.advance(1);
    expect(calls.at(-1)).toEqual({ verb: 'list', limit: 1 });
    expect(reflector.problem).toBeUndefined();
    expect(calls.filter((call) => call.verb === 'watch')).toHaveLength(2);
    await stop();
  });

  test('F46: a relist sends back the version it was given, and the newest is asked for when that is refused', async () => {
    const { calls, clock, start, stop } = rig([
      list([], 'etag-9'),
      watch(failure(410, 'Gone')),
      listFails(expired('unknown etag')),
      list([], 'etag-1'),
      watch(),
    ]);
    await start();
    await clock.advance(800);
    expect(calls.slice(2)).toEqual([listNotOlderThan('etag-9'), newestList, watchAt('etag-1')]);
    await stop();
  });

  test('F46, G4: a watch from a version that the server does not have is silent: after five minutes its state is listed', async () => {
    let watches = 0;
    const script = (verb: 'list' | 'watch'): Step => {
      if (verb === 'list') return list([pod('a', 500)], 10);
      watches += 1;
      return watches === 1 ? watchCloses(added('b', 900)) : watch();
    };
    const at700 = (source: ListWatch<KubeObject>): ListWatch<KubeObject> => ({
      watch: (options, signal) => (options.timeoutSeconds === 4 ? nothing() : source.watch(options, signal)),
      list: (options, signal) =>
        options.limit === 1
          ? Promise.resolve({ metadata: { resourceVersion: '700' }, items: [] })
          : source.list(options, signal),
    });
    const { reflector, calls, clock, start, stop } = scripted(script, { watchList: false, wrap: at700 });
    const lists = (): number => calls.filter(({ verb }) => verb === 'list').length;
    await start();
    expect(reflector.versionsAreOrdered).toBe(false);
    await clock.advance(5 * 60_000 - 1);
    expect(lists()).toBe(1);
    await clock.advance(80_000);
    expect(lists()).toBe(2);
    expect(calls.at(-1)).toEqual(watchAt(10));
    await stop();
  });

  test('ordinary servers are known to be ordered', async () => {
    const { reflector, start, stop } = rig([list([pod('a', 10), pod('b', 9)], 10), watch()]);
    await start();
    expect(reflector.versionsAreOrdered).toBe(true);
    await stop();
  });
});
