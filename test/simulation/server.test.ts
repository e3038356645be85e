import type { WatchOptions } from 'kube-informer/core';
import { describe, expect, test } from 'vitest';
import { drive, SimClock } from './world/clock.ts';
import { Dice } from './world/dice.ts';
import { Swarm } from './world/faults.ts';
import type { Layers } from './world/path.ts';
import { Server } from './world/server.ts';
import { drawSetup, NEVER, type Setup } from './world/setup.ts';
import { Story } from './world/story.ts';
import { type Frame, isMarker, type Stream } from './world/stream.ts';
import { World } from './world/world.ts';

/** A cluster without faults, and watches whose frames are recorded as "at seconds TYPE version". */
function rig({ layers = {}, ...setup }: Partial<Setup> & { layers?: Layers } = {}) {
  const clock = new SimClock();
  const dice = new Dice(1);
  const swarm = new Swarm(dice, () => false, {});
  const story = new Story(clock, undefined);
  const whole: Setup = { ...drawSetup(dice.fork(1)), bookmarks: true, watchLifeMs: NEVER, clusterId: false, ...setup };
  const world = new World({ clock, dice, swarm, setup: whole, story, coverage: undefined });
  world.path.add(layers);
  const ignore = (): void => {};
  const server = new Server(world, {
    requested: ignore,
    askedToWait: ignore,
    needsPause: ignore,
    delivered: ignore,
    ended: ignore,
    answered: ignore,
    failed: ignore,
    wentBack: ignore,
  });
  const run = (ms: number): Promise<void> => {
    const end = clock.now() + ms;
    return drive(() => clock.step(end));
  };
  const watch = (options: WatchOptions) => {
    const stop = new AbortController();
    const at = (): number => Math.round(clock.now() / 100) / 10;
    const seen: string[] = [];
    const stream = server.watch({ allowWatchBookmarks: true, ...options }, stop.signal) as Stream;
    void (async () => {
      try {
        for await (const frame of stream) seen.push(`${at()} ${print(frame)}`);
        seen.push(`${at()} end`);
      } catch (error) {
        seen.push(`${at()} ${(error as Error).message}`);
      }
    })();
    return { seen, stream, stop };
  };
  const list = async (options: object): Promise<string> => {
    const answer = server.list(options, new AbortController().signal).then(
      ({ metadata, items }) => `${items.length} at ${metadata?.resourceVersion}`,
      (error: Error) => error.message,
    );
    const ended = answer.then((text) => `${text}, ${Math.round(clock.now() / 1_000)} s`);
    await run(61_000);
    return ended;
  };
  const put = (key = 'web/a'): number => {
    world.put(key, false);
    return world.history.rv;
  };
  return { clock, world, server, run, watch, list, put };
}

function print(frame: Frame): string {
  if (frame.type === 'ERROR') return `ERROR ${frame.object.code}`;
  const { resourceVersion } = frame.object.metadata ?? {};
  return `${frame.type}${isMarker(frame) ? ' marker' : ''} ${resourceVersion}`;
}

const ECHO: WatchOptions = {
  sendInitialEvents: true,
  resourceVersionMatch: 'NotOlderThan',
  fieldSelector: 'metadata.name=none',
  timeoutSeconds: 1,
};

describe('the simulated server answers as kube-apiserver was measured', () => {
  test('an echo is one marker at the version of the storage, and ends after its second', async () => {
    const { world, run, watch, put } = rig({ progressNotify: false });
    put();
    world.skip(7);
    const { seen, stream } = watch(ECHO);
    await run(500);
    expect(stream.progress.opened).toBe(true);
    await run(2_000);
    expect(seen).toEqual([`0 BOOKMARK marker ${world.history.rv}`, '1 end']);
  });

  test('an echo for a version ahead of the server is 504 after three seconds', async () => {
    const { world, run, watch } = rig();
    const { seen } = watch({ ...ECHO, resourceVersion: String(world.history.rv + 9) });
    await run(10_000);
    expect(seen).toEqual(['3 ERROR 504', '3 end']);
  });

  test('a short watch has exactly the events after its version, a bookmark before its end, and ends in time', async () => {
    const { world, run, watch, put } = rig();
    const from = put();
    const after = put('web/b');
    const { seen } = watch({ resourceVersion: String(from), timeoutSeconds: 5 });
    await run(10_000);
    expect(seen[0]).toBe(`0 ADDED ${after}`);
    expect(seen[1]).toMatch(new RegExp(`^[2-4][.0-9]* BOOKMARK ${world.history.rv}$`));
    expect(seen.slice(2)).toEqual(['5 end']);
    for (const timeoutSeconds of [1, 2]) {
      const short = watch({ resourceVersion: String(from), timeoutSeconds });
      await run(10_000);
      expect(short.seen).toHaveLength(2);
    }
  });

  test('bookmarks come every minute, but none at or below the version of opening', async () => {
    const { world, run, watch, put } = rig({ progressNotify: false });
    const from = put();
    const { seen } = watch({ resourceVersion: String(from), timeoutSeconds: 400 });
    await run(130_000);
    expect(seen).toEqual([]);
    world.skip(3);
    await run(60_000);
    // Without progress notify the server does not know of other resources.
    expect(seen).toEqual([]);
    watch(ECHO);
    await run(60_000);
    expect(seen).toEqual([`240 BOOKMARK ${from + 3}`]);
    await run(60_000);
    expect(seen).toEqual([`240 BOOKMARK ${from + 3}`, `300 BOOKMARK ${from + 3}`]);
  });

  test('a watch ahead of the server is silent, one that is too old gets 410, one that cannot be parsed 500', async () => {
    const { world, run, watch, put, list } = rig();
    const from = put();
    const ahead = watch({ resourceVersion: String(from + 5), timeoutSeconds: 5 });
    put('web/b');
    world.compact();
    const old = [1, 2, 3, 4].map(() => watch({ resourceVersion: String(from - 1), timeoutSeconds: 300 }));
    const odd = watch({ resourceVersion: 'x1', timeoutSeconds: 300 });
    await run(10_000);
    expect(ahead.seen).toEqual(['5 end']);
    for (const { seen } of old) expect(seen[0]).toMatch(/ERROR 410|too old resource version/);
    expect(odd.seen[0]).toContain('resourceVersion: Invalid value: "x1"');
    expect(await list({ resourceVersion: 'x1' })).toContain('Invalid value');
  });

  test('a replica that has lost the storage: old lists, still bookmarks, no answer to what needs the storage', async () => {
    const { world, run, watch, put, list } = rig({ replicas: 1 });
    const from = put();
    const long = watch({ resourceVersion: String(from - 1), timeoutSeconds: 400 });
    await run(1_000);
    for (const replica of world.replicas) replica.cutOff = true;
    put('web/b');
    const echo = watch(ECHO);
    await run(130_000);
    expect(long.seen).toEqual([`0 ADDED ${from}`, `60 BOOKMARK ${from}`, `120 BOOKMARK ${from}`]);
    expect(echo.seen.filter((line) => line.includes('BOOKMARK'))).toEqual([]);
    expect(await list({ resourceVersion: String(from), resourceVersionMatch: 'NotOlderThan' })).toMatch(`1 at ${from}`);
    expect(await list({})).toContain('the connection broke');
  });
});

describe('what lies between', () => {
  test.each(['body', 'all'] as const)('a relay that holds the %s delivers at the end of the stream', async (hold) => {
    const { world, run, watch, put } = rig({ layers: { hold } });
    const from = put();
    const { seen, stream } = watch({ resourceVersion: String(from), timeoutSeconds: 300 });
    const echo = watch(ECHO);
    const event = put('web/b');
    await run(200_000);
    expect(seen).toEqual([]);
    expect(stream.progress).toMatchObject({ opened: hold === 'body', unfinished: false });
    expect(echo.seen).toEqual([expect.stringContaining('1 BOOKMARK marker'), '1 end']);
    await run(200_000);
    expect(seen[0]).toBe(`300 ADDED ${event}`);
    expect(seen.at(-1)).toBe('300 end');
    expect(world.path.struck).toBeGreaterThan(0);
  });

  test('a relay that holds the tail keeps the rest of a large event until the next one', async () => {
    const { world, run, watch, put } = rig({ layers: { hold: 'tail' } });
    const from = put();
    const { seen, stream } = watch({ resourceVersion: String(from), timeoutSeconds: 300 });
    await run(1_000);
    expect(stream.progress.opened).toBe(false);
    world.skip(2 - (world.history.rv % 3));
    const large = put('web/b');
    expect(large % 3).toBe(0);
    await run(10_000);
    expect(seen).toEqual([]);
    expect(stream.progress).toMatchObject({ opened: true, unfinished: true });
    const small = put('web/c');
    await run(1_000);
    expect(seen).toEqual([`11 ADDED ${large}`, `11 ADDED ${small}`]);
    expect(stream.progress.unfinished).toBe(false);
  });

  test.each([
    ['fin', 'the connection broke', true],
    ['clean', 'end', true],
    ['rst', 'INTERNAL_ERROR', true],
    ['late-200', 'end', false],
  ] as const)('an idle connection is cut after 20 s: %s', async (as, ending, opened) => {
    const { run, watch, put } = rig({ layers: { idleCut: { afterMs: 20_000, as } } });
    const { seen, stream } = watch({ resourceVersion: String(put()), timeoutSeconds: 300 });
    await run(10_000);
    expect(stream.progress.opened).toBe(opened);
    put('web/b');
    await run(19_000);
    expect(seen).toHaveLength(1);
    await run(2_000);
    expect(seen[1]).toContain(ending);
  });

  test.each(['headers', 'event', 'bookmark'] as const)('a long stream falls silent after its %s', async (after) => {
    const { run, watch, put } = rig({ layers: { silence: { after, share: 1 } } });
    const { seen, stream } = watch({ resourceVersion: String(put()), timeoutSeconds: 300 });
    await run(1_000);
    expect(stream.progress.opened).toBe(true);
    if (after !== 'headers') put('web/b');
    await run(70_000);
    put('web/c');
    await run(500_000);
    const types = seen.map((line) => line.split(' ')[1]);
    const expected = { headers: [], event: ['ADDED'], bookmark: ['ADDED', 'BOOKMARK'] };
    expect(types).toEqual(expected[after]);
  });
});

describe('the clocks of the process', () => {
  test('a suspend moves the boot and wall clocks, and neither the monotonic clock nor its timers', async () => {
    const clock = new SimClock();
    let woke = 0;
    void clock.sleep(10_000).then(() => (woke = clock.monotonic()));
    await drive(() => clock.step(4_000));
    const [monotonic, boot, wall] = [clock.monotonic(), clock.boot(), clock.wall()];
    let halfway = 0;
    clock.suspend(3_600_000, () => (halfway = clock.now()));
    expect(halfway).toBe(1_804_000);
    expect([clock.monotonic() - monotonic, clock.boot() - boot, clock.wall() - wall]).toEqual([
      0, 3_600_000, 3_600_000,
    ]);
    await drive(() => clock.step(3_700_000));
    expect(woke).toBe(10_000);
    clock.setWall(-3_600_000);
    expect(clock.wall() - wall).toBe(clock.now() - 3_600_000 - 4_000);
  });

  test('a freeze moves all three, and timers fire late', async () => {
    const clock = new SimClock();
    let woke = 0;
    void clock.sleep(10_000).then(() => (woke = clock.monotonic()));
    clock.freeze(30_000);
    expect(clock.monotonic()).toBe(30_000);
    await drive(() => clock.step(30_000));
    expect(woke).toBe(30_000);
  });
});
