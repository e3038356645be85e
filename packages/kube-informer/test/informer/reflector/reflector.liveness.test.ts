import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../src/core/object/object.ts';
import type { WatchEvent } from '../../../src/core/object/watch-event.ts';
import { freshnessOf } from '../../../src/informer/freshness/freshness.ts';
import type { ListWatch } from '../../../src/informer/list-watch/list-watch.ts';
import { settle } from '../../../src/testing/fake-clock.ts';
import {
  added,
  bookmark,
  list,
  listAnswers,
  logged,
  newestList,
  pod,
  probe,
  probeCall,
  rig as scripted,
  type Rig,
  type RigOptions,
  serverRig,
  type Step,
  throttled,
  watch,
  watchAt,
  watchCloses,
  watchFails,
} from '../rig/reflector-rig.ts';

function rig(steps: readonly Step[], options: RigOptions = {}): Rig {
  return scripted(steps, { watchList: false, ...options });
}

const watches = (made: Rig): number => made.calls.filter((call) => call.verb === 'watch').length;

test('F28, G17: a bookmark below the version from which a watch was opened ends the watch: its server is behind; the second time, a list', async () => {
  const behind = [watch(bookmark(5)), watch(bookmark(6))];
  const made = rig([list([pod('a', 10)], 10), ...behind, list([pod('a', 12)], 12), watch()]);
  await made.start();
  await made.clock.advance(0);
  expect(made.streams[0]?.returned).toBe(1);
  expect(made.errors).toMatchObject([
    { code: 'STALE_SERVER', message: expect.stringContaining('older than 10') as unknown },
  ]);
  await made.clock.advance(30_000);
  // Of the storage: a cache of that server is what is in doubt.
  expect(made.calls).toEqual([newestList, watchAt(10), watchAt(10), newestList, watchAt(12)]);
  expect(made.sink.text).toBe('a@12');
  await made.stop();
});

test('G14, G19: a sink that stays full is a backlog after 10 s, also if it has applied all that it got', async () => {
  const made = rig([list([], 10), watch(added('a', 20))]);
  await made.start();
  await made.clock.advance(3_000);
  made.sink.full = new Promise(() => {});
  made.streams[0]?.push(added('b', 21), added('c', 22));
  const state = (): string => {
    const { evidence, now } = made.reflector.evidence();
    return freshnessOf(evidence, now).kind;
  };
  await made.clock.advance(9_000);
  expect([made.sink.text, state()]).toEqual(['a@20 b@21', 'synced']);
  await made.clock.advance(2_000);
  expect(state()).toBe('stale');
  await made.stop();
});

describe('a stream that delivers nothing', () => {
  test('WCH-16, G17: a server that ignores the lifetime it was asked for is left 30 s after it', async () => {
    const made = rig([list([], 10), watch(), watch()]);
    await made.start();
    await made.clock.advance(329_999);
    expect(watches(made)).toBe(1);
    await made.clock.advance(1);
    expect(made.calls.slice(1)).toEqual([watchAt(10), watchAt(10)]);
    expect(made.streams[0]?.returned).toBe(1);
    expect(made.errors).toMatchObject([{ code: 'WATCH_ENDED' }]);
    await made.stop();
  });

  test('F30, G17: a quiet stream is checked shortly before its bookmark: the server reports that it has nothing newer', async () => {
    const made = rig([list([], 10), watch(added('a', 20)), probe(20)]);
    await made.start();
    await made.clock.advance(56_900);
    expect(made.calls).toHaveLength(2);
    await made.clock.advance(200);
    expect(made.calls.at(-1)).toEqual(probeCall);
    expect(watches(made)).toBe(1);
    expect(made.reflector.problem).toBeUndefined();
    await made.stop();
  });

  test('F30, G17: a stream that is silent while the server has moved on is checked by a short watch, and left if that brought events', async () => {
    const made = rig([
      list([], 10),
      watch(added('a', 20)),
      probe(30),
      probe(30),
      watchCloses(added('b', 25), bookmark(30)),
      watch(),
    ]);
    await made.start();
    await made.clock.advance(66_000);
    expect(made.calls.slice(2)).toEqual([probeCall, probeCall, { ...watchAt(20), timeoutSeconds: 4 }, watchAt(20)]);
    expect(made.errors).toMatchObject([{ code: 'WATCH_DEAF' }]);
    await made.stop();
  });

  test('F30, G18: a stream that brought the same events is not left because the short watch ended with a bookmark', async () => {
    const short: Step = {
      verb: 'watch',
      open: (stream) => {
        stream.push(added('b', 31), bookmark(32));
        made.streams[0]?.push(added('b', 31));
        stream.close();
      },
    };
    const made: Rig = rig([list([], 10), watch(added('a', 20)), probe(30), probe(30), short]);
    await made.start();
    await made.clock.advance(70_000);
    expect(made.calls.slice(2)).toEqual([probeCall, probeCall, { ...watchAt(20), timeoutSeconds: 4 }]);
    expect(made.errors).toEqual([]);
    await made.stop();
  });

  test('F30, G17: a silent stream is left when the server does not respond to a check either', async () => {
    const silent = (source: ListWatch<KubeObject>): ListWatch<KubeObject> => ({
      watch: source.watch,
      list: (options, signal) => (options.limit === 1 ? new Promise(() => {}) : source.list(options, signal)),
    });
    const made = rig([list([], 10), watch(bookmark(20)), watch()], { wrap: silent });
    await made.start();
    await made.clock.advance(65_000);
    expect(watches(made)).toBe(1);
    await made.clock.advance(20_000);
    expect(made.calls.at(-1)).toEqual(watchAt(20));
    expect(made.reflector.problem?.reason).toBe('silent');
    expect(logged(made.env, 'info')).toEqual(['the watch is reopened']);
    await made.stop();
  });

  test('F30: every event restarts the time after which the stream is checked', async () => {
    const made = rig([list([], 10), watch(added('a', 20))]);
    await made.start();
    for (let i = 21; i < 24; i += 1) {
      await made.clock.advance(49_000);
      made.streams[0]?.push(added('a', i));
    }
    await made.clock.advance(49_000);
    expect(made.source.questions).toEqual([]);
    await made.stop();
  });

  test('F30, F81: bookmarks do not: a server that is cut off from its storage sends them, too', async () => {
    const made = rig([list([], 10), watch(bookmark(20))]);
    await made.start();
    for (let i = 21; i < 24; i += 1) {
      await made.clock.advance(55_000);
      made.streams[0]?.push(bookmark(i));
    }
    await made.clock.advance(55_000);
    expect(made.source.questions.length).toBeGreaterThanOrEqual(3);
    await made.stop();
  });

  test('F30, WCH-05: a quiet server that is asked once a minute may be silent for the whole life of a watch', async () => {
    const made = rig([list([], 10), watch(added('a', 11))]);
    await made.start();
    await made.clock.advance(329_000);
    expect(watches(made)).toBe(1);
    expect(made.source.questions.length).toBeLessThanOrEqual(6);
    await made.stop();
  });

  test('G22, F30: where the pace of the writes is even, a stream that falls silent is asked about once a minute, not all the time', async () => {
    const asked: number[] = [];
    const versionNow = (): string => String(1_000 + Math.floor(made.clock.now() / 600));
    const evenly = (): ListWatch<KubeObject> => ({
      list: async () => {
        asked.push(made.clock.now());
        return { metadata: { resourceVersion: versionNow() }, items: [] };
      },
      async *watch({ timeoutSeconds = 0 }, signal) {
        if (timeoutSeconds < 10) {
          await made.env.sleep(2_000, signal);
          yield bookmark(Number(versionNow()));
          return;
        }
        // Bookmarks for five minutes, then nothing.
        for (let minute = 1; minute <= 5; minute += 1) {
          await made.env.sleep(60_000, signal);
          yield bookmark(Number(versionNow()));
        }
        await made.env.sleep(3_600_000, signal);
      },
    });
    const made: Rig = rig([], { wrap: evenly, minWatchTimeoutMs: 1_800_000 });
    await made.start();
    await made.clock.advance(300_000);
    expect(asked.length, 'the list, and the question that measures the pace').toBe(2);
    await made.clock.advance(600_000);
    expect(asked.length).toBeGreaterThanOrEqual(2 + 8);
    expect(asked.length).toBeLessThanOrEqual(2 + 10);
    expect(made.errors).toEqual([]);
    await made.stop();
  });

  test('G4: a source that ignores lifetimes, sends no bookmarks and cannot tell is polled by lists only until a watch delivers', async () => {
    const open = new Set<(event: WatchEvent<KubeObject>) => void>();
    let version = 10;
    const items: KubeObject[] = [];
    const endless = (): ListWatch<KubeObject> => ({
      list: async () => ({ metadata: { resourceVersion: String(version) }, items: [...items] }),
      async *watch(_, signal) {
        const events: WatchEvent<KubeObject>[] = [];
        const push = (event: WatchEvent<KubeObject>): void => void events.push(event);
        open.add(push);
        try {
          while (!signal.aborted) {
            yield* events.splice(0);
            await made.env.sleep(100, signal);
          }
        } finally {
          open.delete(push);
        }
      },
    });
    const create = (name: string): void => {
      items.push(pod(name, (version += 1)));
      for (const push of open) push(added(name, version));
    };
    const made: Rig = rig([], { wrap: endless });
    const kind = (): string => made.reflector.state.kind;
    await made.start();
    // Nothing is written, and other objects move the version: no question is ever answered to the end.
    for (let minute = 0; minute < 30 && kind() !== 'polling'; minute += 1) {
      version += 1;
      await made.clock.advance(60_000);
    }
    expect(kind()).toBe('polling');
    await made.clock.advance(40 * 60_000);
    expect(kind()).toMatch(/polling|listing/);
    create('late');
    await made.clock.advance(45_000);
    expect([kind(), made.sink.text]).toEqual(['watching', 'late@' + version]);
    await made.stop();
    expect(open.size).toBe(0);
  });

  test('F65, G17: a blocked event loop does not make a stream dead: what has arrived is read first', async () => {
    const made = rig([list([], 10), watch(bookmark(20))]);
    Object.assign(made.env, {
      yield: () => {
        made.streams[0]?.push(bookmark(30));
        return settle();
      },
    });
    await made.start();
    made.clock.freeze(200_000);
    await made.clock.advance(0);
    expect(watches(made)).toBe(1);
    expect(made.reflector.lastSyncResourceVersion).toBe('30');
    await made.stop();
  });

  test('F65, G18: a stream that delivers again after that is not left because questions about it fail', async () => {
    const unanswered = (source: ListWatch<KubeObject>): ListWatch<KubeObject> => ({
      watch: source.watch,
      list: (options, signal) => (options.limit === 1 ? new Promise(() => {}) : source.list(options, signal)),
    });
    const made = rig([list([], 10), watch(added('a', 20)), watch()], { wrap: unanswered });
    await made.start();
    made.clock.freeze(20_000);
    await made.clock.advance(0);
    for (let version = 21; version < 61; version += 1) {
      made.streams[0]?.push(added('a', version));
      await made.clock.advance(1_000);
    }
    expect(watches(made)).toBe(1);
    expect(made.reflector.problem).toBeUndefined();
    await made.stop();
  });

  test('F65: a pause of five seconds changes nothing', async () => {
    const made = rig([list([], 10), watch(bookmark(20))]);
    await made.start();
    made.clock.freeze(5_000);
    await made.clock.advance(0);
    expect(made.calls).toHaveLength(2);
    await made.stop();
  });
});

describe('a source that cannot tell that a response began', () => {
  const silent = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };
  /** Echoes, if there are any, never answer; lists say each time that the server has moved on. */
  const mute = (source: ListWatch<KubeObject>, hasEcho: boolean): ListWatch<KubeObject> => {
    let version = 1_000;
    return {
      watch: source.watch,
      ...(hasEcho ? { echo: () => silent } : {}),
      list: (options, signal) =>
        options.limit === 1 && options.resourceVersion === undefined
          ? Promise.resolve({ metadata: { resourceVersion: String((version += 1)) }, items: [] })
          : source.list(options, signal),
    };
  };

  test.each([
    ['watches and echoes', true],
    ['watches of a source without echoes', false],
  ])('F30, G4, G17: %s that never respond lead to lists, and the state shows it', async (_, hasEcho) => {
    let version = 10;
    let watches = 0;
    const answer = (verb: 'list' | 'watch'): Step => {
      if (verb === 'list') return list([pod('a', version)], (version += 10));
      watches += 1;
      return watches === 1 ? watch(added('b', version + 1)) : watch();
    };
    const made = scripted(answer, { watchList: false, wrap: (source) => mute(source, hasEcho) });
    made.source.answersFromCache = true;
    const lists = (): number => made.calls.filter(({ verb }) => verb === 'list').length;
    const kinds = new Set<string>();
    const look = (): void => {
      const { evidence, now } = made.reflector.evidence();
      kinds.add(freshnessOf(evidence, now).kind);
    };
    await made.start();
    // The first list follows the third silent watch, not a short one that would be silent, too.
    await made.clock.advance(115_000);
    expect(lists()).toBe(2);
    for (let i = 0; i < 120; i += 1) {
      await made.clock.advance(5_000);
      look();
    }
    expect([...kinds]).toEqual(['polling']);
    expect(lists()).toBeGreaterThan(18);
    await made.stop();
  });
});

describe('clocks', () => {
  test('F64, G18: after a pause of ten minutes the watch is reopened once, at the same place, without a burst', async () => {
    const made = rig([list([pod('a', 1)], 10), watch(bookmark(20)), watch()], { resyncMs: 30_000 });
    await made.start();
    made.clock.freeze(600_000);
    await made.clock.advance(0);
    expect(made.calls.slice(1)).toEqual([watchAt(10), watchAt(20)]);
    expect(made.sink.lines.filter((line) => line === 'resync')).toHaveLength(1);
    await made.clock.advance(10_000);
    expect(watches(made)).toBe(2);
    await made.stop();
  });

  test('F64: a pause longer than the history of the server ends in a list with the exact state', async () => {
    const { server, clock, verbs, expectEqual, start, stop } = serverRig();
    server.create(pod('a', 0));
    server.create(pod('b', 0));
    await start();
    server.cut(new Error('sleeping'));
    server.delete('web/a');
    server.create(pod('c', 0));
    server.expireHistory();
    clock.freeze(600_000);
    await clock.advance(10_000);
    expect(verbs().filter((verb) => verb === 'watch-list')).toHaveLength(2);
    expectEqual();
    await stop();
  });

  test.each([3_600_000, -3_600_000])(
    'F63: a wall clock that jumps by %i ms moves no deadline, no backoff and no resync',
    async (jump) => {
      const run = async (jumps: boolean): Promise<unknown> => {
        const made = rig([list([], 10), watchFails(throttled()), watch(bookmark(20)), watch(), probe(20)], {
          resyncMs: 40_000,
        });
        await made.start();
        for (let i = 0; i < 20; i += 1) {
          if (jumps && i % 3 === 0) made.clock.jumpWall(jump);
          await made.clock.advance(10_000);
        }
        const seen = { times: made.times, lines: made.sink.lines };
        await made.stop();
        return seen;
      };
      expect(await run(true)).toEqual(await run(false));
    },
  );

  test('F63: lastContactAt and the beginning of a problem are wall time, for people', async () => {
    const made = rig([list([], 10), watchFails(throttled(60)), watch()]);
    await made.start();
    const { lastContactAt, problem } = made.reflector;
    expect([lastContactAt, problem?.since]).toEqual([1_700_000_000_000, 1_700_000_000_000]);
    await made.stop();
  });
});

describe('long lives', () => {
  test('REF-17, WCH-12, G22: after a thousand cycles no listener, no timer and no stream is left', async () => {
    let version = 0;
    const watching = [
      () => watchCloses(added('a', (version += 1))),
      () => watch({ type: 'ERROR', object: { kind: 'Status', code: 410 } }),
    ];
    const made = scripted(
      (verb) => {
        if (verb === 'list') return list([], (version += 1));
        const next = watching.shift() as () => Step;
        watching.push(next);
        return next();
      },
      { watchList: false, resyncMs: 1_000 },
    );
    await made.start();
    await made.clock.advance(1_000 * 31_000);
    expect(made.streams.length).toBeGreaterThanOrEqual(2_000);
    // The last stream may be open; the ones before it are not.
    expect(made.streams.slice(0, -1).every((stream) => stream.returned === 1 && stream.signal.aborted)).toBe(true);
    expect(made.clock.sleeping).toBeLessThanOrEqual(4);
    await made.stop();
  });

  test('REF-12: a whole cycle: list, watch, wait, list again with what was learned', async () => {
    let lists = 0;
    const answer = listAnswers(() => ({
      metadata: { resourceVersion: String((lists += 1) * 10) },
      items: [pod('a', lists)],
    }));
    const gone = watch({ type: 'ERROR', object: { kind: 'Status', code: 410 } });
    const made = rig([answer, gone, answer, gone, answer, watch()]);
    await made.start();
    await made.clock.advance(800 + 1_600);
    expect(made.calls.map(({ verb, resourceVersion }) => `${verb} ${resourceVersion ?? 'newest'}`)).toEqual([
      'list newest',
      'watch 10',
      'list 10',
      'watch 20',
      'list 20',
      'watch 30',
    ]);
    expect(made.sink.text).toBe('a@3');
    await made.stop();
  });
});

test('F64, F65: a suspended process or a blocked event loop is logged and measured, once, when it continues', async () => {
  const made = rig([list([], 10), watch(bookmark(20)), watch(), probe(20)]);
  await made.start();
  made.clock.freeze(600_000);
  await made.clock.advance(0);
  const said = made.env.lines.filter(({ message }) => message.startsWith('the event loop was blocked'));
  expect(said.map(({ fields }) => fields['lateMs'])).toEqual([599_000]);
  await made.stop();
});
