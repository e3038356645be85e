import { describe, expect, test } from 'vitest';
import { KubeError } from '../../../src/core/errors.ts';
import { isForbidden } from '../../../src/core/status.ts';
import { statusFailure } from '../../../src/testing/fake-source.ts';
import { reasonOf } from '../../../src/informer/reflector/watch-error.ts';
import {
  added,
  broken,
  failure,
  list,
  listFails,
  listNotOlderThan,
  logged,
  rig as scripted,
  type Rig,
  type RigOptions,
  type Script,
  throttled,
  watch,
  watchAt,
  watchCloses,
  watchFails,
} from '../rig/reflector-rig.ts';

function rig(script: Script, options: RigOptions = {}): Rig {
  return scripted(script, { watchList: false, ...options });
}

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);
const internal = watch(failure(500, 'InternalError'));

describe('internal errors of a running watch', () => {
  test('ERR-06: by default they have no window: three in a row lead to a list', async () => {
    const { calls, clock, start, stop } = rig([list([], 10), internal, internal, internal, list([], 11), watch()]);
    await start();
    await clock.advance(6_000);
    expect(calls.map((call) => call.verb)).toEqual(['list', 'watch', 'watch', 'watch', 'list', 'watch']);
    await stop();
  });

  test('ERR-05, ERR-06, ERR-09: inside a window of 30 s they are retried without a list, but never without a wait', async () => {
    const {
      calls,
      times: at,
      clock,
      start,
      stop,
    } = rig([list([], 10), ...times(40, internal)], {
      maxInternalErrorRetryMs: 30_000,
      backoff: { initialMs: 1_000, maxMs: 1_000 },
    });
    await start();
    await clock.advance(30_000);
    // One at once and one per second: 31 errors, all inside the window, all retried.
    expect(calls.filter((call) => call.verb === 'watch')).toHaveLength(31);
    expect(at.slice(1, 4)).toEqual([0, 1_000, 2_000]);
    expect(calls.filter((call) => call.verb === 'list')).toHaveLength(1);
    await stop();
  });

  test('ERR-05, ERR-06: the first error after the window leads to a list, and the list begins with a closed window', async () => {
    const { calls, clock, start, stop } = rig(
      [list([], 10), ...times(3, internal), list([], 11), ...times(2, internal)],
      {
        maxInternalErrorRetryMs: 1_500,
        backoff: { initialMs: 1_000, maxMs: 1_000 },
      },
    );
    await start();
    // At 0 and 1 s inside, at 2 s outside: the list follows after one more wait.
    await clock.advance(2_500);
    expect(calls.map((call) => call.verb)).toEqual(['list', 'watch', 'watch', 'watch']);
    await clock.advance(1_500);
    expect(calls.map((call) => call.verb)).toEqual(['list', 'watch', 'watch', 'watch', 'list', 'watch', 'watch']);
    await stop();
  });

  test('ERR-05: a gap of a minute opens the window anew', async () => {
    const { calls, streams, clock, start, stop } = rig(
      [list([], 10), internal, internal, watch(), internal, internal, watch()],
      {
        maxInternalErrorRetryMs: 30_000,
        backoff: { initialMs: 1_000, maxMs: 1_000 },
      },
    );
    await start();
    await clock.advance(2_000);
    await clock.advance(70_000);
    streams[2]?.close();
    await clock.advance(10_000);
    expect(calls.filter((call) => call.verb === 'list' && call.limit !== 1)).toHaveLength(1);
    expect(calls.filter((call) => call.verb === 'watch')).toHaveLength(6);
    await stop();
  });

  // The first error after the window comes up to one backoff late, and the list after one more.
  test.each([
    ['smallest', 0, 8, 110_400],
    ['middle', 0.5, 7, 120_600],
    ['largest', 0.999, 7, 160_719.6],
  ])(
    'ERR-05, ERR-06: a window of 60 s with the default backoff, the %s: the list comes after it, in time',
    async (_, random, errors, listedAt) => {
      const script = [list([], 10), ...times(errors, internal), list([], 11), watch()];
      const { calls, times: at, clock, start, stop } = rig(script, { maxInternalErrorRetryMs: 60_000, random });
      await start();
      await clock.advance(listedAt + 1);
      expect(calls.map(({ verb }) => verb)).toEqual(['list', ...times(errors, 'watch'), 'list', 'watch']);
      expect(at[errors + 1]).toBeCloseTo(listedAt);
      await stop();
    },
  );

  test('ERR-09: the window belongs to one cycle: the next list starts with a closed one', async () => {
    const gone = watch(failure(410, 'Gone'));
    const { calls, clock, start, stop } = rig(
      [list([], 10), ...times(3, internal), gone, list([], 11), ...times(8, internal), watch()],
      {
        maxInternalErrorRetryMs: 5_000,
        backoff: { initialMs: 1_000, maxMs: 1_000 },
      },
    );
    await start();
    await clock.advance(4_000);
    expect(calls.filter((call) => call.verb === 'list')).toHaveLength(2);
    // With the window of the first cycle it would close at 5 s; with its own it is open until 9 s.
    await clock.advance(5_000);
    expect(calls.filter((call) => call.verb === 'list')).toHaveLength(2);
    expect(calls.filter((call) => call.verb === 'watch')).toHaveLength(10);
    await stop();
  });

  test('ERR-09: a watch that cannot be opened uses nothing of the window up', async () => {
    const closed = watchFails(statusFailure(500, 'InternalError', 'boom'));
    const round = [closed, closed, closed, internal];
    const { calls, clock, start, stop } = rig([list([], 10), ...times(4, round).flat(), list([], 11), watch()], {
      maxInternalErrorRetryMs: 10_000,
      backoff: { initialMs: 1_000, maxMs: 1_000 },
    });
    await start();
    // Streams fail at 3, 7, 11 and 15 s. The first of them opens the window, so the one at 15 s is outside;
    // had the failed openings counted, the one at 11 s would be.
    await clock.advance(15_500);
    expect(calls.filter((call) => call.verb === 'list')).toHaveLength(1);
    await clock.advance(500);
    expect(calls.filter((call) => call.verb === 'list')).toHaveLength(2);
    await stop();
  });
});

describe('which handlers are called', () => {
  test('ERR-08: the handler is called for failed lists, with the type, the cause and the name', async () => {
    const cause = statusFailure(403, 'Forbidden', 'pods is forbidden');
    const heard: unknown[] = [];
    const { env, start, stop } = rig([listFails(cause)], {
      expected: { apiVersion: 'v1', kind: 'Pod' },
      onWatchError: (error, about) => void heard.push(error, about),
    });
    await start();
    const [error, about] = heard as [KubeError, object];
    expect(error).toMatchObject({
      code: 'API_STATUS',
      message: 'failed to list v1, Kind=Pod: pods is forbidden',
      cause,
      status: cause.status,
    });
    expect(isForbidden(error)).toBe(true);
    expect(about).toMatchObject({ name: 'rig', type: 'v1, Kind=Pod' });
    expect((about as { signal: AbortSignal }).signal.aborted).toBe(false);
    (about as { env: { log: (level: 'info', message: string) => void } }).env.log('info', 'the same log');
    expect(env.lines.at(-1)?.message).toBe('the same log');
    await stop();
  });

  test('ERR-08: the handler gets the reflector, as it is at the failure, and the signal that ends with its run', async () => {
    const heard: { version: string; kind: string; signal: AbortSignal; of: object }[] = [];
    const { reflector, clock, start, stop } = rig(
      [list([], 10), watch(failure(410, 'Gone')), listFails(statusFailure(403, 'Forbidden', 'no'))],
      {
        onWatchError: (_, { reflector: of, signal }) =>
          void heard.push({ version: of.lastSyncResourceVersion, kind: of.state.kind, signal, of }),
      },
    );
    await start();
    await clock.advance(800);
    expect(heard).toMatchObject([{ version: '10', kind: 'listing' }]);
    expect(heard[0]?.of).toBe(reflector);
    expect(heard[0]?.signal.aborted).toBe(false);
    await stop();
    expect(heard[0]?.signal.aborted).toBe(true);
  });

  test('ERR-08: each kind of error inside an established watch is reported once', async () => {
    const { errors, env, clock, start, stop } = rig([
      list([], 10),
      ...times(3, watch(failure(500, 'Whatever'))),
      list([], 11),
      watchFails(broken()),
      watchCloses(),
      watch(failure(429, 'TooManyRequests')),
      watch(failure(410, 'Gone')),
      list([], 12),
      watch(added('a', 13)),
    ]);
    await start();
    await clock.advance(300_000);
    expect(errors.map(reasonOf)).toEqual(['server-error', 'unreachable', 'silent', 'throttled']);
    expect(logged(env, 'warn')).toEqual(['the watch cannot be resumed; relisting']);
    await stop();
  });

  test('REF-18: what is retried in place is a notice, not a warning: a watch start, 429 and an internal error in the stream', async () => {
    const { env, clock, start, stop } = rig([
      list([], 10),
      watchFails(broken()),
      watch(failure(429, 'TooManyRequests')),
      internal,
      watch(added('a', 11)),
    ]);
    await start();
    await clock.advance(6_000);
    const notices = env.lines.filter((line) => line.message === 'the watch failed and is resumed');
    expect(notices.map(({ level, fields }) => [level, fields['error']])).toEqual([
      ['debug', 'the connection broke'],
      ['debug', 'the watch failed: TooManyRequests'],
      ['debug', 'the watch failed: InternalError'],
    ]);
    expect([...logged(env, 'warn'), ...logged(env, 'error')]).toEqual([]);
    await stop();
  });

  test.each([
    ['a decoder that gives up', new KubeError('WATCH_DECODE', 'a line of 64 MB')],
    ['an error with a code of its own', Object.assign(new Error('quota'), { code: 'OUT_OF_QUOTA' })],
    ['an error with a number as its code', Object.assign(new Error('quota'), { code: 7 })],
  ])('WCH-11, G8: %s is not the network: three in a row lead to a list', async (_, error) => {
    const { calls, clock, start, stop } = rig([list([], 10), ...times(3, watchFails(error)), list([], 11), watch()]);
    await start();
    await clock.advance(6_000);
    expect(calls.map((call) => call.verb)).toEqual(['list', ...times(3, 'watch'), 'list', 'watch']);
    await stop();
  });

  test('ERR-07, G16: a handler that throws is logged and changes nothing', async () => {
    const { calls, env, clock, start, stop } = rig([listFails(new Error('no')), list([], 10), watch()], {
      onWatchError: () => {
        throw new Error('handler bug');
      },
    });
    await start();
    expect(env.lines.filter((line) => line.level === 'error')).toMatchObject([
      {
        message: 'a callback failed; nothing else is affected',
        fields: { callback: 'onWatchError', error: 'handler bug' },
      },
    ]);
    await clock.advance(800);
    expect(calls).toHaveLength(3);
    await stop();
  });

  test('ERR-07: without a handler failures are logged by class', async () => {
    const { env, reflector, clock, stop, signal } = rig([listFails(new Error('no')), list([], 10), watch()], {
      onWatchError: undefined as never,
    });
    const running = reflector.run(signal);
    await clock.advance(0);
    expect(env.lines.filter((line) => line.level === 'warn')).toMatchObject([
      { message: 'list or watch failed; retrying' },
    ]);
    await stop();
    await running;
  });
});

describe('why the cache is behind', () => {
  const system = (code: string): Error =>
    new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
  test.each([
    ['forbidden', statusFailure(403, 'Forbidden', 'no')],
    ['unauthorized', statusFailure(401, 'Unauthorized', 'no')],
    ['not-found', statusFailure(404, 'NotFound', 'no')],
    ['throttled', throttled()],
    ['server-error', statusFailure(503, 'ServiceUnavailable', 'no')],
    ['tls', system('CERT_HAS_EXPIRED')],
    ['tls', system('DEPTH_ZERO_SELF_SIGNED_CERT')],
    ['dns', system('ENOTFOUND')],
    ['dns', new KubeError('TRANSPORT', 'could not connect', { cause: system('EAI_AGAIN') })],
    ['unreachable', system('ECONNREFUSED')],
    ['unreachable', broken()],
    ['undecodable', new KubeError('LIST_INVALID', 'no items')],
  ])('G15: a list that fails reports its reason, %s, also through our own wrapping', async (reason, error) => {
    const { reflector, start, stop } = rig([listFails(error)]);
    await start();
    expect(reflector.problem?.reason).toBe(reason);
    expect(reflector.state).toMatchObject({ kind: 'waiting', error: { cause: error } });
    await stop();
  });

  test('G15, G16: while waiting for a relist the state has the reason, also when nothing was thrown', async () => {
    const { reflector, clock, start, stop } = rig([list([], 10), watch(failure(410, 'Expired', 'too old'))]);
    await start();
    expect(reflector.state).toMatchObject({ kind: 'waiting', ms: 800, error: { status: { code: 410 } } });
    expect(reflector.problem?.reason).toBe('expired');
    await clock.advance(800);
    expect(reflector.state).toEqual({ kind: 'listing', received: 0 });
    await stop();
  });

  test('G16: a problem keeps its beginning until a list is applied: a response that is refused does not count', async () => {
    const { reflector, sink, clock, start, stop } = rig([
      list([], 10),
      watch(failure(410, 'Gone')),
      list([], 11),
      list([], 12),
      watch(),
    ]);
    await start();
    const began = clock.wallNow();
    sink.failing.replace = new Error('disk full');
    await clock.advance(800);
    expect(reflector.problem).toMatchObject({ since: began, reason: 'other' });
    delete sink.failing.replace;
    await clock.advance(1_600);
    expect(reflector.problem).toBeUndefined();
    await stop();
  });
});

describe('a list on request', () => {
  test('F31, F32, F33: requestRelist ends the watch and relists, and the problem has the reason', async () => {
    const { reflector, calls, streams, errors, clock, start, stop } = rig([
      list([], 10),
      watch(added('a', 11)),
      list([], 12),
      watch(),
    ]);
    await start();
    reflector.requestRelist(new KubeError('CONTINUITY_LOST', 'the audit found differences'));
    expect(reflector.problem?.reason).toBe('inconsistent');
    await clock.advance(0);
    expect(streams[0]?.returned).toBe(1);
    await clock.advance(800);
    expect(calls.slice(2)).toEqual([listNotOlderThan(11), watchAt(12)]);
    expect(reflector.problem).toBeUndefined();
    expect(errors).toMatchObject([{ code: 'CONTINUITY_LOST' }]);
    await stop();
  });

  test('F32: asked for while waiting to list anyway, the one list is enough', async () => {
    const { reflector, calls, clock, start, stop } = rig([
      list([], 10),
      watch(failure(410, 'Gone')),
      list([], 12),
      watch(),
    ]);
    await start();
    reflector.requestRelist(new Error('difference'));
    await clock.advance(60_000);
    expect(calls.map((call) => call.verb)).toEqual(['list', 'watch', 'list', 'watch']);
    await stop();
  });

  test('F32: asked for while the watch waits to be reopened, it ends the next stream as soon as that is read', async () => {
    const { reflector, calls, streams, clock, start, stop } = rig([
      list([], 10),
      watchFails(broken()),
      watch(added('late', 11)),
      list([], 12),
      watch(),
    ]);
    await start();
    reflector.requestRelist(new Error('difference'));
    await clock.advance(800);
    expect(streams[1]).toMatchObject({ returned: 1, pulled: 0 });
    await clock.advance(1_600);
    expect(calls.slice(2)).toEqual([watchAt(10), listNotOlderThan(10), watchAt(12)]);
    await stop();
  });
});
