import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { BackoffOptions } from '../../../src/core/async/backoff.ts';
import { seededRandom } from '../../../src/testing/fake-clock.ts';
import { expired, statusFailure } from '../../../src/testing/fake-source.ts';
import {
  added,
  broken,
  failure,
  list,
  listAnswers,
  listFails,
  marker,
  pod,
  refused,
  rig as scripted,
  type Rig,
  type RigOptions,
  serverRig,
  type Step,
  throttled,
  watch,
  watchCloses,
  watchFails,
} from '../rig/reflector-rig.ts';

function rig(steps: readonly Step[], options: RigOptions = {}): Rig {
  return scripted(steps, { watchList: false, ...options });
}

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);
const gaps = (at: readonly number[]): number[] => at.slice(1).map((time, i) => time - (at[i] ?? 0));

describe('the run loop', () => {
  test('BKO-05, BKO-08: list and watch at once; after every return, error or not, one wait on the injected clock', async () => {
    const gone = watch(failure(410, 'Gone'));
    const {
      times: at,
      clock,
      errors,
      start,
      stop,
    } = rig([list([], 10), gone, listFails(new Error('no')), list([], 11), gone, list([], 12), watch()]);
    await start();
    expect(at).toEqual([0, 0]);
    await clock.advance(100_000);
    // 410 is counted apart: 0.8 s and 1.6 s; the list that failed waits its own 0.8 s.
    expect(at).toEqual([0, 0, 800, 1_600, 1_600, 3_200, 3_200]);
    expect(errors).toHaveLength(1);
    await stop();
  });

  test('BKO-05, F19: a server that was down for long and lost its history is listed soon, not after the backoff of the outage', async () => {
    const away = Array.from({ length: 6 }, () => watchFails(refused()));
    const { times, clock, start, stop } = rig([
      list([], 10),
      ...away,
      watchFails(expired('too old')),
      list([], 90),
      watch(),
    ]);
    await start();
    await clock.advance(600_000);
    const [answeredAt = 0, listedAt = 0] = times.slice(7);
    expect(answeredAt).toBe(800 + 1_600 + 3_200 + 6_400 + 12_800 + 25_600);
    expect(listedAt - answeredAt).toBe(800);
    await stop();
  });

  test('Trap 6, BKO-05: the wait is counted from the end of the call, not from its beginning', async () => {
    const made: Rig = rig([
      listAnswers(async () => {
        await made.clock.sleep(50_000);
        throw new Error('slow and failing');
      }),
      list([], 10),
      watch(),
    ]);
    await made.start();
    await made.clock.advance(50_799);
    expect(made.times).toEqual([0]);
    await made.clock.advance(1);
    expect(made.times).toEqual([0, 50_800, 50_800]);
    await made.stop();
  });

  test('BKO-05: a watch that merely closes causes no wait, and takes no step of the backoff', async () => {
    const {
      times: at,
      clock,
      start,
      stop,
    } = rig([list([], 10), ...times(2, watchCloses(added('a', 11))), watchFails(refused()), watch()]);
    await start();
    await clock.advance(800);
    expect(at).toEqual([...times(4, 0), 800]);
    await stop();
  });

  test('G22, F36: a server that ends every stream within the second, events or not, is asked once a second', async () => {
    const { times: at, clock, start, stop } = rig([list([], 10), ...times(6, watchCloses(added('a', 11))), watch()]);
    await start();
    await clock.advance(4_500);
    expect(at).toEqual([0, 0, 0, 0, 1_000, 2_000, 3_000, 4_000]);
    await stop();
  });

  test('BKO-08: an aborted signal is seen before anything is asked', async () => {
    const { reflector, calls, stop } = rig([list([], 10)]);
    await reflector.run(AbortSignal.abort());
    expect(calls).toEqual([]);
    expect(reflector.state).toEqual({ kind: 'stopped' });
    await stop();
  });

  test('BKO-04: list failures, watch starts, in-stream 429 and streaming lists share one backoff', async () => {
    const {
      times: at,
      clock,
      start,
      stop,
    } = scripted([
      watchFails(throttled()), // 0.8 s
      watchFails(statusFailure(500, 'InternalError', 'boom')),
      listFails(new Error('no')), // 1.6 s
      watch(marker(10), failure(429, 'TooManyRequests')), // 3.2 s
      watchFails(refused()), // 6.4 s
      watchCloses(), // 12.8 s
      watch(added('a', 11)),
    ]);
    await start();
    await clock.advance(60_000);
    expect(gaps(at)).toEqual([800, 0, 1_600, 3_200, 6_400, 12_800]);
    await stop();
  });

  test('BKO-03, BKO-04: two quiet minutes start the waits over', async () => {
    const {
      times: at,
      streams,
      clock,
      start,
      stop,
    } = rig([list([], 10), ...times(4, watchFails(refused())), watch(), watchFails(refused()), watch()]);
    await start();
    await clock.advance(12_000);
    await clock.advance(120_001);
    streams[4]?.close();
    await clock.advance(800);
    expect(gaps(at.filter((_, i) => i > 0 && i < 6))).toEqual([800, 1_600, 3_200, 6_400]);
    expect(at.at(-1)).toBe(12_000 + 120_001 + 800);
    await stop();
  });

  test.each<[string, BackoffOptions | undefined, readonly number[]]>([
    ['by default', undefined, [800, 1_600, 3_200, 6_400, 12_800]],
    ['10 ms, doubling, 100 ms at most', { initialMs: 10, maxMs: 100, factor: 2, jitter: 0 }, [10, 20, 40, 80, 100]],
  ])('BKO-07: %s the waits of five failures are as configured', async (_, backoff, waits) => {
    const {
      times: at,
      clock,
      start,
      stop,
    } = rig([...times(5, listFails(refused())), list([], 10), watch()], backoff === undefined ? {} : { backoff });
    await start();
    await clock.advance(25_000);
    expect(gaps(at).slice(0, 5)).toEqual(waits);
    await stop();
  });

  test.each([
    ['5 refused', 5, 24_800],
    ['10 refused, the cap reached', 10, 24_800 + 25_600 + 30_000 * 4],
  ])('BKO-02, WCH-10: %s: exponential growth, then a plateau', async (_, failures, total) => {
    const {
      times: at,
      clock,
      start,
      stop,
    } = rig([list([], 10), ...times(failures, watchFails(refused())), watch(added('a', 11))]);
    await start();
    await clock.advance(300_000);
    expect(at[failures + 1]).toBe(total);
    await stop();
  });
});

describe('every wait ends at once', () => {
  test.each<[string, readonly Step[], boolean]>([
    ['after a failed list', [listFails(new Error('no'))], false],
    ['after a lost watch', [list([], 10), watch(failure(410, 'Gone'))], false],
    ['after a failed watch start', [list([], 10), watchFails(refused())], false],
    ['after a 429 in the stream', [list([], 10), watch(failure(429, 'TooManyRequests'))], false],
    ['after a very short watch', [list([], 10), watchCloses()], false],
    ['with Retry-After of an hour', [list([], 10), watchFails(throttled(3_600))], false],
    ['of a streaming list that was refused', [watchFails(refused())], true],
    ['of a streaming list without a marker', [watchCloses()], true],
    ['for a marker', [watch()], true],
    ['for a list', [listAnswers(() => new Promise(() => {}))], false],
    ['for an event', [list([], 10), watch()], false],
  ])('BKO-06: the wait %s is ended by a stop, in the same turn, without a timer left', async (_, steps, watchList) => {
    const { reflector, clock, signal, calls, start, stop } = scripted(steps, { watchList, resyncMs: 5_000 });
    await start();
    const before = calls.length;
    await stop();
    expect(clock.now()).toBe(0);
    expect(reflector.state).toEqual({ kind: 'stopped' });
    expect(calls).toHaveLength(before);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('BKO-06: the wait for the retry of a consistency check is ended by a stop too', async () => {
    const { clock, start, stop } = scripted([watch(marker(10)), listFails(new Error('no'))], { verifyWatchList: true });
    await start();
    expect(clock.sleeping).toBe(1);
    await stop();
  });
});

describe('G22: a server that always fails gets few requests', () => {
  /** Requests per second of an hour with the same answer to every list and to every watch. */
  const perSecond = async ([onList, onWatch]: [Step, Step], options: RigOptions): Promise<[number, Rig]> => {
    const made = scripted((verb) => (verb === 'list' ? onList : onWatch), options);
    await made.start();
    await made.clock.advance(3_600_000);
    await made.stop();
    return [made.calls.length / 3_600, made];
  };
  const no = (error: Error): [Step, Step] => [listFails(error), watchFails(error)];

  test.each<[string, [Step, Step], RigOptions]>([
    ['refused', no(refused()), {}],
    ['refused, without streaming', no(refused()), { watchList: false }],
    ['500 on everything', no(statusFailure(500, 'InternalError', 'boom')), {}],
    ['500 on everything, without streaming', no(statusFailure(500, 'InternalError', 'boom')), { watchList: false }],
    ['403', no(statusFailure(403, 'Forbidden', 'no')), {}],
    ['429', no(throttled()), {}],
    ['410 on everything', no(statusFailure(410, 'Expired', 'always')), {}],
    ['very short watches', [list([], 10), watchCloses()], {}],
    ['very short watches, without streaming', [list([], 10), watchCloses()], { watchList: false }],
    ['a marker that never comes', [listFails(refused()), watch()], {}],
    ['ERROR frames', [list([], 10), watch(failure(500, 'InternalError'))], { watchList: false }],
    ['nonsense frames', [list([], 10), watch({ type: 'WHAT' } as never)], {}],
    ['403 on the watch only', [list([], 10), watchFails(statusFailure(403, 'Forbidden', 'no'))], { watchList: false }],
    [
      'a watch that is expired right after each list',
      [list([], 10), watch(failure(410, 'Gone'))],
      { watchList: false },
    ],
  ])('G22: %s: at most 0.25 requests per second over an hour, and more than none', async (_, answers, options) => {
    for (const random of [0, 0.5, 0.999]) {
      const [rate] = await perSecond(answers, { ...options, random });
      expect(rate).toBeLessThanOrEqual(0.25);
      expect(rate).toBeGreaterThan(0.01);
    }
  });

  test('F67: random numbers at either extreme keep an outage within the bound, and the waits within 0.8 to 60 s', async () => {
    for (const random of [0, 0.999_999]) {
      const [rate, made] = await perSecond(no(refused()), { random, watchList: false });
      expect(rate).toBeLessThanOrEqual(0.25);
      expect(Math.min(...gaps(made.times))).toBeGreaterThanOrEqual(800);
      expect(Math.max(...gaps(made.times))).toBeLessThanOrEqual(60_000);
    }
  });

  test('F20, G4: a server that is up for 2 s and down for 2 s, for an hour: few requests, and equal in the end', async () => {
    let isDown = false;
    const { server, clock, expectEqual, start, stop } = serverRig({
      random: seededRandom(7),
      wrap: (source) => ({
        list: (options, signal) => (isDown ? Promise.reject(refused()) : source.list(options, signal)),
        watch: (options, signal) => {
          if (isDown) throw refused();
          return source.watch(options, signal);
        },
      }),
    });
    await start();
    for (let i = 0; i < 900; i += 1) {
      server.create(pod(`p${i}`, 0));
      await clock.advance(2_000);
      isDown = true;
      server.cut(broken());
      await clock.advance(2_000);
      isDown = false;
    }
    expect(server.calls.length).toBeGreaterThan(40);
    expect(server.calls.length / 3_600).toBeLessThan(0.25);
    await clock.advance(60_000 + 1_000);
    expectEqual();
    await stop();
  });
});
