import { reasonOf } from '../../../src/informer/reflector/watch-error.ts';
import { expect, test } from 'vitest';
import { KubeError } from '../../../src/core/errors.ts';
import { expired, statusFailure, tooLarge } from '../../../src/testing/fake-source.ts';
import { settle } from '../../../src/testing/fake-clock.ts';
import {
  added,
  bookmark,
  broken,
  brokenRule,
  deleted,
  failure,
  list,
  listNotOlderThan,
  logged,
  marker,
  modified,
  newestList,
  pod,
  probe,
  refused,
  rig,
  type Step,
  throttled,
  watch,
  watchAt,
  watchCloses,
  watchFails,
  watchListAt,
} from '../rig/reflector-rig.ts';

const gone = failure(410, 'Expired');

test('WLS-03, WLS-07, REF-06: one watch brings the initial state and then continues as the watch', async () => {
  const { calls, sink, streams, reflector, start, stop } = rig([watch(added('a', 3), added('b', 7), marker(10))]);
  await start();
  expect(calls).toEqual([watchListAt()]);
  expect(calls[0]).not.toHaveProperty('resourceVersion');
  expect(sink.lines).toEqual(['replace@10 [a@3 b@7]']);
  expect(reflector.lastSyncResourceVersion).toBe('10');
  streams[0]?.push(modified('a', 12));
  await settle();
  expect(sink.lines).toEqual(['replace@10 [a@3 b@7]', 'update a@12']);
  expect(calls).toHaveLength(1);
  await stop();
});

test('WLS-02, REF-13: after a 410 the stream asks for a state not older than the one seen', async () => {
  const { calls, clock, sink, start, stop } = rig([
    watch(marker(10), added('a', 12), gone),
    watch(added('a', 12), marker(15)),
  ]);
  await start();
  await clock.advance(800);
  expect(calls).toEqual([watchListAt(), watchListAt(12)]);
  expect(sink.text).toBe('a@12');
  await stop();
});

test('WLS-04, WLS-05: nothing reaches the store before the marker; what changes meanwhile is already in it', async () => {
  const { sink, streams, reflector, start, stop } = rig([
    watch(added('a', 3), added('b', 7), modified('a', 8), deleted('b', 9), bookmark(9)),
  ]);
  await start();
  expect(sink.lines).toEqual([]);
  expect(reflector.lastSyncResourceVersion).toBe('');
  expect(reflector.state).toEqual({ kind: 'listing', received: 1 });
  streams[0]?.push(marker(10));
  await settle();
  expect(sink.lines).toEqual(['replace@10 [a@8]']);
  await stop();
});

test.each(['false', '', 'True', '1'])(
  'Trap 4, WLS-05: the annotation with the value %j is no end marker',
  async (value) => {
    const { sink, streams, start, stop } = rig([watch(added('a', 3), marker(10, value))]);
    await start();
    expect(sink.lines).toEqual([]);
    streams[0]?.push(marker(11));
    await settle();
    expect(sink.lines).toEqual(['replace@11 [a@3]']);
    await stop();
  },
);

test.each([
  ['objects newer than each other in no order', [added('b', 9), added('a', 2), marker(10)], '10'],
  ['a plain bookmark first', [added('a', 2), bookmark(5), added('b', 7), marker(10)], '10'],
  ['nothing but the marker', [marker(10)], '10'],
] as const)('Trap 2, WLS-06: with %s, only the marker has a version to continue from', async (_, frames, version) => {
  const { reflector, calls, streams, sink, start, stop } = rig([watch(...frames), watch()]);
  await start();
  expect(reflector.lastSyncResourceVersion).toBe(version);
  expect(sink.versions).toEqual([]);
  streams[0]?.close();
  await settle();
  expect(calls[1]).toEqual(watchAt(version));
  await stop();
});

test('F45, WLS-08, G2: a stream that breaks leaves no trace: the next try starts with nothing', async () => {
  const { calls, sink, clock, start, stop } = rig([
    watchFails(throttled(), added('a', 3), added('b', 4)),
    watch(added('b', 4), marker(10)),
  ]);
  await start();
  expect(sink.lines).toEqual([]);
  await clock.advance(800);
  expect(sink.lines).toEqual(['replace@10 [b@4]']);
  expect(calls).toEqual([watchListAt(), watchListAt()]);
  await stop();
});

test('F45: a connection lost in the middle of the initial objects: the part is thrown away, the cache as it was', async () => {
  const { calls, sink, clock, start, stop } = rig([
    watch(added('a', 3), marker(10), gone),
    watchFails(broken(), added('z', 11)),
    watch(added('a', 3), added('b', 12), marker(12)),
  ]);
  await start();
  await clock.advance(800 + 1_600);
  expect(sink.lines).toEqual(['replace@10 [a@3]', 'replace@12 [a@3 b@12]']);
  expect(calls.slice(1)).toEqual([watchListAt(10), watchListAt(10)]);
  await stop();
});

test('F45, G15: a network that cuts every stream gets a plain list the third time, and streams are tried again later', async () => {
  const cut = watchFails(broken(), added('z', 11));
  const { calls, times, reflector, clock, start, stop } = rig([cut, cut, cut, list([pod('a', 3)], 12), watch()]);
  await start();
  await clock.advance(200 + 400);
  expect(calls.slice(3)).toEqual([newestList, watchAt(12)]);
  // As soon as a watch that was cut.
  expect(times).toEqual([0, 200, 600, 600, 600]);
  expect(reflector.usesWatchList).toBe(true);
  await stop();
});

test('G22, F37: a server that names a time is given it, also when a plain list comes next', async () => {
  const busy = statusFailure(503, 'ServiceUnavailable', 'starting up', { details: { retryAfterSeconds: 5 } });
  const { times, calls, clock, start, stop } = rig([watchFails(busy), list([pod('a', 3)], 12), watch()]);
  await start();
  await clock.advance(60_000);
  expect(calls.slice(1)).toEqual([newestList, watchAt(12)]);
  expect(times).toEqual([0, 5_000, 5_000]);
  await stop();
});

test.each([
  ['refused connections', refused()],
  ['429 at the start', throttled()],
])(
  'WLS-09, BKO-04: %s: the stream is retried without a limit, with growing waits and without a list',
  async (_, error) => {
    const { calls, times, clock, reflector, start, stop } = rig([
      ...Array.from({ length: 9 }, () => watchFails(error)),
      watch(marker(10)),
    ]);
    await start();
    await clock.advance(141_000);
    expect(times).toEqual([0, 800, 2_400, 5_600, 12_000, 24_800, 50_400, 80_400, 110_400, 140_400]);
    expect(calls.every((call) => call.sendInitialEvents === true)).toBe(true);
    expect(reflector.usesWatchList).toBe(true);
    await stop();
  },
);

test('WLS-09: 429 inside the stream is answered with the same stream again, after a wait', async () => {
  const slowDown = failure(429, 'TooManyRequests');
  const { calls, times, clock, sink, errors, start, stop } = rig([
    watch(slowDown),
    watch(added('a', 1), slowDown),
    watch(added('b', 2), marker(10)),
  ]);
  await start();
  await clock.advance(800 + 1_600);
  expect(calls).toEqual([watchListAt(), watchListAt(), watchListAt()]);
  expect(times).toEqual([0, 800, 2_400]);
  expect(sink.lines).toEqual(['replace@10 [b@2]']);
  expect(errors.map(reasonOf)).toEqual(['throttled']);
  await stop();
});

test.each([
  // Another question, which need not wait; and a server that asks for a second itself.
  ['expired', expired('too old'), 0],
  ['a version that is too large', tooLarge('12', '5'), 1_000],
])(
  'Trap 5, WLS-09, BKO-06: %s: again for the newest state, at once or when the server says',
  async (_, error, waitMs) => {
    const { calls, times, clock, start, stop } = rig([watch(marker(12), gone), watchFails(error), watch(marker(15))]);
    await start();
    await clock.advance(800 + waitMs);
    expect(calls).toEqual([watchListAt(), watchListAt(12), watchListAt()]);
    expect(times).toEqual([0, 800, 800 + waitMs]);
    await stop();
  },
);

test('Trap 5, WLS-09: a server that has not even the newest state for a stream gets a plain list at once, for this cycle', async () => {
  const no = watchFails(expired('always'));
  const { calls, times, clock, reflector, start, stop } = rig([
    watch(marker(12), gone),
    no,
    no,
    list([], 15),
    watch(gone),
    no,
    no,
    list([], 16),
    watch(),
  ]);
  await start();
  await clock.advance(800 + 1_600);
  const cycle = [watchListAt(), newestList];
  expect(calls).toEqual([
    watchListAt(),
    watchListAt(12),
    ...cycle,
    watchAt(15),
    watchListAt(15),
    ...cycle,
    watchAt(16),
  ]);
  // The waits are between the cycles, and they grow: a server that always says 410 is not asked without end.
  expect(times).toEqual([0, 800, 800, 800, 800, 2_400, 2_400, 2_400, 2_400]);
  expect(reflector.usesWatchList).toBe(true);
  await stop();
});

test.each<[string, Step]>([
  ['500 at the start', watchFails(statusFailure(500, 'InternalError', 'boom'))],
  ['403 at the start', watchFails(statusFailure(403, 'Forbidden', 'no'))],
  ['an unknown error', watchFails(new Error('nonsense'))],
  ['an ERROR frame', watch(added('a', 1), failure(500, 'InternalError'))],
  ['a frame that is no event', watch({ type: 'WHAT', object: pod('a', 1) } as never)],
  ['an object without a name', watch({ type: 'ADDED', object: { metadata: { resourceVersion: '1' } } })],
])('WLS-10: %s: a plain list for this cycle; the next one streams again', async (_, step) => {
  const { calls, clock, sink, reflector, errors, start, stop } = rig([
    step,
    list([pod('a', 9)], 10),
    watch(gone),
    watch(marker(12)),
  ]);
  await start();
  expect(calls.slice(0, 3)).toEqual([watchListAt(), newestList, watchAt(10)]);
  expect(sink.text).toBe('a@9');
  await clock.advance(800);
  expect(calls[3]).toEqual(watchListAt(10));
  expect(reflector.usesWatchList).toBe(true);
  expect(errors).toEqual([]);
  await stop();
});

test.each([
  ['Invalid', 422],
  ['BadRequest', 400],
])('WLS-10: a server that answers %s cannot stream lists: plain lists for good', async (reason, code) => {
  const { calls, clock, reflector, start, stop } = rig([
    watchFails(statusFailure(code, reason, 'what?')),
    list([], 10),
    watch(gone),
    list([], 12),
    watch(),
  ]);
  await start();
  expect(reflector.usesWatchList).toBe(false);
  await clock.advance(800);
  expect(calls).toEqual([watchListAt(), newestList, watchAt(10), listNotOlderThan(10), watchAt(12)]);
  await stop();
});

test('Trap 5, WLS-11: a stream that closes without the marker is tried again after a wait, three times, then plain lists for good', async () => {
  const ends = watchCloses(added('a', 1));
  const { calls, times, clock, reflector, start, stop } = rig([ends, ends, ends, list([], 10), watch()]);
  await start();
  expect(calls).toHaveLength(1);
  await clock.advance(800 + 1_600);
  expect(calls).toEqual([watchListAt(), watchListAt(), watchListAt(), newestList, watchAt(10)]);
  expect(times).toEqual([0, 800, 2_400, 2_400, 2_400]);
  expect(reflector.usesWatchList).toBe(false);
  await stop();
});

test('WLS-11: one stream that closes without the marker does not end streaming lists', async () => {
  const { sink, clock, reflector, start, stop } = rig([watchCloses(added('a', 1)), watch(added('b', 2), marker(10))]);
  await start();
  await clock.advance(800);
  expect(sink.lines).toEqual(['replace@10 [b@2]']);
  expect(reflector.usesWatchList).toBe(true);
  await stop();
});

test('WCH-02: a stream that ends after the marker is followed by an ordinary watch from the last version, at once', async () => {
  const { calls, times, start, stop } = rig([watchCloses(added('a', 1), marker(10), added('b', 12)), watch()]);
  await start();
  expect(calls).toEqual([watchListAt(), watchAt(12)]);
  expect(times).toEqual([0, 0]);
  await stop();
});

test('WCH-10, REF-13: an ordinary watch that is expired from the start leads to a new stream, not to an error', async () => {
  const { calls, errors, clock, start, stop } = rig([
    watchCloses(marker(10)),
    watchFails(expired('gone')),
    watch(marker(20)),
  ]);
  await start();
  await clock.advance(800);
  expect(calls).toEqual([watchListAt(), watchAt(10), watchListAt(10)]);
  expect(errors).toEqual([]);
  await stop();
});

test('Trap 19, REF-17, WCH-12: a store that fails on the streamed state: the stream is let go, then a plain list', async () => {
  const { calls, streams, sink, errors, cycle, stop } = rig([watch(added('a', 1), marker(10)), list([], 11)]);
  sink.failing.replace = new Error('disk full');
  const { outcome } = await cycle();
  expect(streams.map((stream) => stream.returned)).toEqual([1]);
  expect(calls).toEqual([watchListAt(), newestList]);
  expect(outcome).toMatchObject({ code: 'SYNC_FAILED' });
  expect(errors).toEqual([]);
  await stop();
});

test('WLS-13: stopped before the marker: neither a state nor an error', async () => {
  const { sink, errors, cycle, stop } = rig([watch(added('a', 1))]);
  const ended = await cycle();
  await stop();
  expect(ended.outcome).toBe('returned');
  expect(sink.lines).toEqual([]);
  expect(errors).toEqual([]);
});

test('G2: a stream with an older state than requested is refused, and the newest state is requested', async () => {
  const { calls, clock, sink, start, stop } = rig([
    watch(marker(100), gone),
    watch(added('old', 20), marker(30)),
    watch(added('new', 90), marker(120)),
  ]);
  await start();
  await clock.advance(800 + 1_600);
  expect(calls).toEqual([watchListAt(), watchListAt(100), watchListAt()]);
  expect(sink.lines).toEqual(['replace@100 []', 'replace@120 [new@90]']);
  await stop();
});

test('REF-19: the trace of a streamed list covers all tries and names its steps', async () => {
  const { env, clock, start, stop } = rig([watchFails(throttled(12)), watch(added('a', 1), marker(10))]);
  await start();
  await clock.advance(12_000);
  expect(env.lines).toContainEqual({
    level: 'warn',
    message: 'Reflector WatchList was slow',
    fields: {
      reflector: 'rig',
      totalMs: 12_000,
      steps: [
        { step: 'failed (slow down)', atMs: 0 },
        { step: 'objects streamed (1)', atMs: 12_000 },
        { step: 'sync done', atMs: 12_000 },
      ],
    },
  });
  await stop();
});

test('REF-18: the arrival of the end marker is logged, with the number of objects and the duration', async () => {
  const { env, start, stop } = rig([watch(added('a', 1), marker(10))]);
  await start();
  expect(env.lines).toContainEqual({
    level: 'debug',
    message: 'the end marker of the initial list arrived',
    fields: { reflector: 'rig', type: '<unspecified>', objects: 1, ms: 0 },
  });
  await stop();
});

test('WLS-16: every request follows the rules of the server', async () => {
  const { calls, clock, start, stop } = rig([
    watch(marker(10), gone),
    watchFails(expired('gone')),
    watchFails(statusFailure(422, 'Invalid', 'no')),
    list([pod('a', 1)], 20, { continue: 'C1' }),
    list([], 20),
    watchCloses(added('b', 21)),
    watch(),
    probe(30),
  ]);
  await start();
  await clock.advance(90_000);
  expect(calls).toHaveLength(8);
  await stop();
});

test.each([
  ['list', { sendInitialEvents: true }],
  ['list', { resourceVersionMatch: 'Exact' }],
  ['list', { resourceVersion: '0', resourceVersionMatch: 'Exact' }],
  ['list', { continue: 'C1', resourceVersion: '5' }],
  ['watch', { sendInitialEvents: true }],
  ['watch', { resourceVersion: '5', resourceVersionMatch: 'NotOlderThan' }],
  ['watch', { sendInitialEvents: true, resourceVersionMatch: 'Exact', resourceVersion: '5' }],
  ['watch', { limit: 500 }],
] as const)('WLS-16: the script refuses what a server refuses: %s %j', (verb, options) => {
  expect(brokenRule(verb, options)).toEqual(expect.any(String));
});

test('WLS-10: the reason for the plain list can be read: in the log, and as problem until the list is in place', async () => {
  const { env, reflector, start, stop } = rig([watchFails(new KubeError('TRANSPORT', 'reset'))]);
  await start();
  expect(logged(env, 'warn')).toEqual(['the streaming list failed; using a plain list']);
  expect(reflector.problem?.reason).toBe('unreachable');
  await stop();
});
