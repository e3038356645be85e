import { describe, expect, test } from 'vitest';
import { expired, statusFailure, tooLarge } from '../../../src/testing/fake-source.ts';
import { settle } from '../../../src/testing/fake-clock.ts';
import {
  added,
  bookmark,
  broken,
  failure,
  type Frame,
  list,
  listNotOlderThan,
  logged,
  marker,
  newestList,
  pod,
  probe,
  refused,
  rig as scripted,
  type Rig,
  type RigOptions,
  type Step,
  throttled,
  watch,
  watchAt,
  watchCloses,
  watchFails,
  watchListAt,
  watchThrows,
} from '../rig/reflector-rig.ts';

function rig(steps: readonly Step[], options: RigOptions = {}): Rig {
  return scripted(steps, { watchList: false, ...options });
}

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);
const system = (code: string): Error => Object.assign(new Error(code), { code });

describe('closed by the server', () => {
  test('F35, WCH-02, G18: a watch that ends normally is reopened at once at the same version: no list, no error, nothing for the sink', async () => {
    const {
      calls,
      times: at,
      sink,
      streams,
      env,
      clock,
      errors,
      reflector,
      start,
      stop,
    } = rig([list([pod('a', 1)], 10), watch(), watch()]);
    await start();
    await clock.advance(299_000);
    streams[0]?.close();
    await settle();
    expect(calls).toEqual([newestList, watchAt(10), watchAt(10)]);
    expect(at[2]).toBe(299_000);
    expect(sink.lines).toEqual(['replace@10 [a@1]']);
    expect([...logged(env, 'error'), ...logged(env, 'warn'), ...logged(env, 'info'), ...errors]).toEqual([]);
    expect(reflector.problem).toBeUndefined();
    await stop();
  });

  test('WCH-02, WCH-14: one event is enough for a normal end, however short the watch was', async () => {
    const {
      calls,
      times: at,
      start,
      stop,
    } = rig([list([], 10), watchCloses(added('a', 11)), watchCloses(bookmark(12)), watch()]);
    await start();
    expect(calls.slice(1)).toEqual([watchAt(10), watchAt(11), watchAt(12)]);
    expect(at).toEqual([0, 0, 0, 0]);
    await stop();
  });

  test.each([
    ['at once', 0],
    ['after 10 ms', 10],
    ['after 999 ms', 999],
  ])('Trap 5, F36, WCH-14: closed %s without an event: a very short watch, which waits and resumes', async (_, ms) => {
    const { calls, times: at, streams, clock, errors, reflector, start, stop } = rig([list([], 10), watch(), watch()]);
    await start();
    await clock.advance(ms);
    streams[0]?.close();
    await settle();
    expect(reflector.state).toMatchObject({ kind: 'waiting', ms: 800, error: { code: 'WATCH_ENDED' } });
    expect(streams[0]?.returned).toBe(1);
    await clock.advance(800);
    expect(calls.slice(1)).toEqual([watchAt(10), watchAt(10)]);
    expect(at[2]).toBe(ms + 800);
    expect(errors).toMatchObject([{ code: 'WATCH_ENDED' }]);
    await stop();
  });

  test('G18, F4, WCH-11: a watch that worked until it was cut is reopened at once, and the backoff does not grow', async () => {
    const { calls, times, sink, clock, reflector, start, stop } = rig([
      list([], 10),
      watchFails(broken(), added('a', 11)),
      watchFails(broken(), added('b', 12)),
      watchFails(broken()),
      watch(added('c', 13)),
    ]);
    await start();
    expect(sink.lines.slice(1)).toEqual(['add a@11', 'add b@12']);
    expect(times).toEqual([0, 0, 0, 0]);
    // The one that brought nothing: the server may be gone.
    expect(reflector.state).toMatchObject({ kind: 'waiting', ms: 800 });
    expect(reflector.problem?.reason).toBe('unreachable');
    await clock.advance(800);
    expect(calls.map(({ verb }) => verb)).toEqual(['list', 'watch', 'watch', 'watch', 'watch']);
    expect(reflector.problem).toBeUndefined();
    await stop();
  });

  test('G22: a network that cuts every stream after an event is asked at most once a second', async () => {
    const cuts = Array.from({ length: 7 }, (_, at) => watchFails(broken(), added('a', 11 + at)));
    const { times, clock, start, stop } = rig([list([], 10), ...cuts, watch()]);
    await start();
    await clock.advance(10_000);
    expect(times.slice(1, 9)).toEqual([0, 0, 0, 1_000, 2_000, 3_000, 4_000, 5_000]);
    await stop();
  });

  test('WCH-14: a second without events is a normal end', async () => {
    const { times: at, streams, clock, start, stop } = rig([list([], 10), watch(), watch()]);
    await start();
    await clock.advance(1_000);
    streams[0]?.close();
    await settle();
    expect(at[2]).toBe(1_000);
    await stop();
  });

  test('Trap 6, WCH-03: the time of a watch begins before its request: a proxy may hold the headers back', async () => {
    const made: Rig = rig([
      list([], 10),
      {
        verb: 'watch',
        open: (stream) => {
          made.clock.freeze(1_500);
          stream.close();
        },
      },
      watch(),
    ]);
    await made.start();
    expect(made.times).toEqual([0, 0, 1_500]);
    await made.stop();
  });

  test('F36, WCH-14, G22: three very short watches in a row lead to a list, each after a longer wait', async () => {
    const {
      calls,
      times: at,
      clock,
      errors,
      start,
      stop,
    } = rig([list([], 10), ...times(3, watchCloses()), list([], 11), watch()]);
    await start();
    await clock.advance(10_000);
    expect(calls).toEqual([newestList, ...times(3, watchAt(10)), listNotOlderThan(10), watchAt(11)]);
    expect(at).toEqual([0, 0, 800, 2_400, 5_600, 5_600]);
    expect(errors).toMatchObject([{ code: 'WATCH_ENDED' }]);
    await stop();
  });

  test('WCH-14: an event, or a long watch that the server confirmed, resets the count', async () => {
    const { calls, streams, clock, start, stop } = rig([
      list([], 10),
      ...times(2, watchCloses()),
      watch(),
      probe(10),
      ...times(2, watchCloses()),
      watchCloses(added('a', 11)),
      ...times(2, watchCloses()),
      watch(),
    ]);
    await start();
    await clock.advance(800 + 1_600);
    await clock.advance(1_000);
    streams[2]?.close();
    await clock.advance(100_000);
    expect(calls.filter((call) => call.verb === 'list' && call.limit !== 1)).toHaveLength(1);
    expect(calls.filter((call) => call.verb === 'watch')).toHaveLength(9);
    await stop();
  });

  test('WCH-15: a handed-over stream that closes at once does not count as a short watch: it delivered the whole state', async () => {
    const { calls, times: at, start, stop } = scripted([watchCloses(added('a', 1), marker(10)), watch()]);
    await start();
    expect(calls).toEqual([watchListAt(), watchAt(10)]);
    expect(at).toEqual([0, 0]);
    await stop();
  });
});

describe('cannot be opened, or breaks', () => {
  test.each([
    ['refused', refused()],
    ['reset', system('ECONNRESET')],
    ['a timeout', system('ETIMEDOUT')],
    ['no such host', system('ENOTFOUND')],
    ['a closed socket of the HTTP library', new TypeError('fetch failed', { cause: system('UND_ERR_SOCKET') })],
    ['a broken transport', broken()],
    ['429', throttled()],
    ['500', statusFailure(500, 'InternalError', 'boom')],
    ['502 from a gateway', statusFailure(502, '', 'bad gateway')],
    ['503', statusFailure(503, 'ServiceUnavailable', 'later')],
    ['504', statusFailure(504, 'Timeout', 'slow')],
  ])('WCH-10, G18: %s: wait, resume at the same place, ten times if need be, never a list', async (_, error) => {
    const {
      calls,
      times: at,
      clock,
      errors,
      start,
      stop,
    } = rig([list([], 10), ...times(10, watchFails(error)), watch()]);
    await start();
    await clock.advance(200_000);
    expect(calls.slice(0, 12)).toEqual([newestList, ...times(11, watchAt(10))]);
    expect(at.slice(1, 12)).toEqual([0, 800, 2_400, 5_600, 12_000, 24_800, 50_400, 80_400, 110_400, 140_400, 170_400]);
    // The first, and the first after a minute.
    expect(errors).toEqual([error, error]);
    await stop();
  });

  test('WCH-10: four 429 at the start: one list, five watches', async () => {
    const { calls, clock, start, stop } = rig([list([], 10), ...times(4, watchFails(throttled())), watch()]);
    await start();
    await clock.advance(12_500);
    expect(calls.map((call) => call.verb)).toEqual(['list', ...times(5, 'watch')]);
    await stop();
  });

  test('LW-02: a watch function that throws is one that cannot be opened', async () => {
    const { calls, streams, clock, start, stop } = rig([list([], 10), watchThrows(refused()), watch()]);
    await start();
    await clock.advance(800);
    expect(calls.slice(1)).toEqual([watchAt(10), watchAt(10)]);
    expect(streams).toHaveLength(1);
    await stop();
  });

  test.each([
    [400, 'BadRequest'],
    [401, 'Unauthorized'],
    [403, 'Forbidden'],
    [404, 'NotFound'],
    [409, 'Conflict'],
    [422, 'Invalid'],
  ])(
    'WCH-10, ERR-08: %i %s at the start is returned, reported, and followed by a list after a wait',
    async (code, reason) => {
      const error = statusFailure(code, reason, 'no');
      const {
        calls,
        times: at,
        clock,
        errors,
        start,
        stop,
      } = rig([list([], 10), watchFails(error), list([], 11), watch()]);
      await start();
      expect(errors).toEqual([error]);
      await clock.advance(800);
      expect(calls.slice(2)).toEqual([listNotOlderThan(10), watchAt(11)]);
      expect(at[2]).toBe(800);
      await stop();
    },
  );

  test.each([
    ['F21: 410 as the answer to a watch', watchFails(expired('too old')), 0],
    ['F21: a plain 410 without a reason', watchFails(statusFailure(410, '', 'gone')), 0],
    ['F22: 410 inside an open stream', watch(failure(410, 'Expired')), 0],
    ['F25: a version that is too large', watchFails(tooLarge('10', '5')), 1],
  ])('%s leads to a list after a wait; a forgotten history is no error', async (_, step, received) => {
    const { calls, streams, clock, errors, sink, start, stop } = rig([
      list([pod('a', 1), pod('b', 2)], 10),
      step,
      list([pod('b', 2)], 20),
      watch(),
    ]);
    await start();
    expect(streams[0]?.returned).toBe(1);
    await clock.advance(1_000);
    expect(calls.slice(1)).toEqual([watchAt(10), listNotOlderThan(10), watchAt(20)]);
    expect(sink.text).toBe('b@2');
    expect(errors).toHaveLength(received);
    await stop();
  });

  test.each([
    ['StorageReadError', 'corrupt'],
    ['StoreReadError', 'corrupt'],
    ['InternalError', 'etcd event received with PrevKv=nil (key="/registry/pods/corrupt", modRevision=7, type=DELETE)'],
  ])(
    'WCH-11: %s in the stream (%s): only a list shows what is left, and it removes the unreadable object',
    async (reason, message) => {
      const { calls, clock, sink, start, stop } = rig([
        list([pod('good', 1), pod('corrupt', 2)], 10),
        watch(failure(500, reason, message)),
        list([pod('good', 1)], 20),
        watch(),
      ]);
      await start();
      await clock.advance(800);
      expect(calls.map((call) => call.verb)).toEqual(['list', 'watch', 'list', 'watch']);
      expect(sink.text).toBe('good@1');
      await stop();
    },
  );

  test.each<[string, Frame | undefined]>([
    ['F23: 500', failure(500, 'InternalError')],
    ['F23: 504', failure(504, 'Timeout')],
    ['WCH-11: an unknown failure', failure(599, 'Whatever')],
    ['WCH-11: an unknown error', undefined],
  ])('%s in a stream that stays open: closed, resumed after a wait; a list after three in a row', async (_, frame) => {
    const step = frame === undefined ? watchFails(new Error('nonsense')) : watch(frame);
    const {
      calls,
      times: at,
      streams,
      clock,
      errors,
      start,
      stop,
    } = rig([list([], 10), step, step, step, list([], 20), watch()]);
    await start();
    expect(streams[0]?.returned).toBe(1);
    await clock.advance(10_000);
    expect(calls).toEqual([newestList, ...times(3, watchAt(10)), listNotOlderThan(10), watchAt(20)]);
    expect(at).toEqual([0, 0, 800, 2_400, 5_600, 5_600]);
    expect(errors).toHaveLength(1);
    await stop();
  });

  test('WCH-11: an accepted event breaks the row of failures', async () => {
    const fails = watch(failure(500, 'InternalError'));
    const { calls, clock, start, stop } = rig([
      list([], 10),
      fails,
      fails,
      watch(added('a', 11), failure(500, 'InternalError')),
      fails,
      fails,
      list([], 20),
      watch(),
    ]);
    await start();
    await clock.advance(60_000);
    expect(calls.map((call) => call.verb)).toEqual(['list', ...times(5, 'watch'), 'list', 'watch']);
    await stop();
  });

  test('WCH-10, WCH-11, BKO-04: 429 at the start and 429 in the stream are steps of one backoff, without a list', async () => {
    const slowDown = watch(failure(429, 'TooManyRequests'));
    const {
      calls,
      times: at,
      clock,
      reflector,
      start,
      stop,
    } = rig([list([], 10), watchFails(throttled()), slowDown, slowDown, slowDown, watch()]);
    await start();
    expect(reflector.problem?.reason).toBe('throttled');
    await clock.advance(12_500);
    expect(calls.map((call) => call.verb)).toEqual(['list', ...times(5, 'watch')]);
    expect(at.slice(1)).toEqual([0, 800, 2_400, 5_600, 12_000]);
    await stop();
  });
});

describe('Retry-After', () => {
  test('F37: Retry-After is used if it is longer than the backoff', async () => {
    const {
      times: at,
      clock,
      reflector,
      start,
      stop,
    } = rig([list([], 10), watchFails(throttled(20)), watchFails(throttled(1)), watchFails(throttled()), watch()]);
    await start();
    expect(reflector.state).toMatchObject({ kind: 'waiting', ms: 20_000 });
    expect(reflector.problem?.reason).toBe('throttled');
    await clock.advance(60_000);
    expect(at.slice(1, 5)).toEqual([0, 20_000, 21_600, 24_800]);
    await stop();
  });

  test('F37, G22: a list that follows a failing stream obeys it too', async () => {
    const overloaded = (seconds: number): Frame => ({
      type: 'ERROR',
      object: { kind: 'Status', code: 503, reason: 'ServiceUnavailable', details: { retryAfterSeconds: seconds } },
    });
    const {
      times: at,
      clock,
      start,
      stop,
    } = rig([list([], 10), ...times(3, watch(overloaded(40))), list([], 11), watch()]);
    await start();
    await clock.advance(200_000);
    expect(at.slice(0, 5)).toEqual([0, 0, 40_000, 80_000, 120_000]);
    await stop();
  });

  test('F37: a list that is throttled waits for Retry-After', async () => {
    const {
      times: at,
      clock,
      start,
      stop,
    } = rig([{ verb: 'list', answer: () => Promise.reject(throttled(7)) }, list([], 10), watch()]);
    await start();
    await clock.advance(7_000);
    expect(at).toEqual([0, 7_000, 7_000]);
    await stop();
  });
});
