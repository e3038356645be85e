import { describe, expect, test } from 'vitest';
import { keyOf } from '../../../src/core/object/key.ts';
import { type KubeObject, plainAccess } from '../../../src/core/object/object.ts';
import {
  streamedConsistency,
  type Differences,
  verifyStoreConsistency,
} from '../../../src/informer/verify/consistency.ts';
import { fingerprint } from '../../../src/informer/verify/fingerprint.ts';
import { fakeEnv } from '../../../src/testing/fake-clock.ts';
import { expired, FakeSource, statusFailure } from '../../../src/testing/fake-source.ts';
import {
  added,
  list,
  listFails,
  logged,
  marker,
  newestList,
  pod,
  rig as scripted,
  watch,
  watchAt,
  watchListAt,
} from '../rig/reflector-rig.ts';

/** A server with a, b and c, at version 4. */
function rig() {
  const env = fakeEnv();
  const server = new FakeSource();
  for (const name of ['a', 'b', 'c']) server.create(pod(name, 0));
  const side = { source: server, access: plainAccess, env };
  const stop = new AbortController();
  return {
    env,
    server,
    stop,
    verify: (entries: [string, KubeObject][], resourceVersion = server.resourceVersion): Promise<Differences> =>
      verifyStoreConsistency(side, keyOf, { resourceVersion, entries: () => entries }, new Map(), stop.signal),
    check: (items: readonly KubeObject[], resourceVersion = server.resourceVersion): Promise<void> =>
      streamedConsistency(side, keyOf, items, resourceVersion, stop.signal),
  };
}

const entries = (server: FakeSource): [string, KubeObject][] => server.objects.map((object) => [keyOf(object), object]);

describe('a cache against the server', () => {
  test('CON-02: the server is listed exactly as it was at the version of the cache, in pages', async () => {
    const { server, verify } = rig();
    const cached = entries(server);
    const at = server.resourceVersion;
    server.delete('web/a');
    server.create(pod('d', 0));
    expect(await verify(cached, at)).toEqual({
      resourceVersion: at,
      checked: 3,
      missing: [],
      extra: [],
      different: [],
      consistent: true,
    });
    expect(server.calls).toEqual([
      { verb: 'list', options: { resourceVersion: at, resourceVersionMatch: 'Exact', limit: 500 } },
    ]);
  });

  test('CON-03: keys that are missing, extra, or of another version or UID are named, sorted', async () => {
    const { server, verify } = rig();
    const found = await verify([
      ['web/z', pod('z', 1)],
      ['web/y', pod('y', 1)],
      ['web/b', pod('b', 2, { uid: 'uid-2' })],
      ['web/c', pod('c', 4, { uid: 'another life' })],
    ]);
    expect(found).toMatchObject({
      missing: ['web/a'],
      extra: ['web/y', 'web/z'],
      different: ['web/b', 'web/c'],
      consistent: false,
    });
    expect(server.calls).toHaveLength(1);
  });

  test('CON-03: a state is identified by uid and version', () => {
    expect(fingerprint(plainAccess, pod('a', 3))).toBe('uid-a@3');
    expect(fingerprint(plainAccess, {})).toBe('');
  });
});

describe('a streamed list against a list', () => {
  test('CON-01, CON-03: the same state passes', async () => {
    const { server, check } = rig();
    await expect(check(server.objects)).resolves.toBeUndefined();
    await expect(check(server.objects.toReversed())).resolves.toBeUndefined();
  });

  test.each<[string, (items: KubeObject[]) => KubeObject[]]>([
    ['an object that is missing', (items) => items.slice(1)],
    ['one too many', (items) => [...items, pod('x', 1)]],
    ['another version', ([first, ...rest]) => [{ metadata: { ...first?.metadata, resourceVersion: '1' } }, ...rest]],
  ])('CON-03: %s is an error with the number of differences, and the keys are logged', async (_, change) => {
    const { server, env, check } = rig();
    await expect(check(change(server.objects))).rejects.toMatchObject({
      code: 'WATCH_LIST',
      message: expect.stringContaining('differs from the plain list') as unknown,
    });
    expect(logged(env, 'error')).toEqual(['a streaming list differs from the plain list of the same version']);
  });

  test.each(['0', ''])('CON-02: a state at the version %j has no moment to compare with', async (version) => {
    const { server, check } = rig();
    await check([], version);
    expect(server.calls).toEqual([]);
  });

  test('CON-03: the list is tried at once and then every second, until it answers', async () => {
    const { server, env, check } = rig();
    server.failNext('list', statusFailure(500, 'InternalError', 'boom'), 3);
    let isDone = false;
    const checking = check(server.objects).then(() => (isDone = true));
    await env.clock.advance(2_999);
    expect(server.calls).toHaveLength(3);
    expect(isDone).toBe(false);
    await env.clock.advance(1);
    await checking;
    expect(server.calls).toHaveLength(4);
  });

  test('CON-03: a moment that is compacted by now cannot be compared: it passes', async () => {
    const { server, check } = rig();
    server.failNext('list', expired('compacted'));
    await expect(check([])).resolves.toBeUndefined();
  });

  test('CON-03: a stop ends the tries, silently', async () => {
    const { server, env, stop, check } = rig();
    server.failNext('list', statusFailure(500, 'InternalError', 'boom'), 100);
    const checking = check([]);
    await env.clock.advance(5_000);
    stop.abort();
    await expect(checking).resolves.toBeUndefined();
    expect(env.clock.sleeping).toBe(0);
  });
});

describe('inside the reflector', () => {
  const exact = { verb: 'list', resourceVersion: '10', resourceVersionMatch: 'Exact', limit: 500 };

  test('CON-01: off by default; if enabled, it runs after the marker and before the state is passed on', async () => {
    const { calls, sink, start, stop } = scripted([watch(added('a', 1), marker(10)), list([pod('a', 1)], 10)], {
      verifyWatchList: true,
    });
    sink.during = () => expect(calls).toHaveLength(2);
    await start();
    expect(calls).toEqual([watchListAt(), exact]);
    expect(sink.lines).toEqual(['replace@10 [a@1]']);
    await stop();
  });

  test('CON-01: with objects that pass a transform on their way to the cache the check still compares what the server sent', async () => {
    const sink = {
      add() {},
      update() {},
      delete() {},
      replace: (items: readonly KubeObject[]): void =>
        items.forEach((item) => Object.assign(item, { spec: 'trimmed' })),
    };
    const { calls, reflector, start, stop } = scripted([watch(added('a', 1), marker(10)), list([pod('a', 1)], 10)], {
      verifyWatchList: true,
      sink,
    });
    await start();
    expect(calls).toHaveLength(2);
    expect(reflector.lastSyncResourceVersion).toBe('10');
    await stop();
  });

  test('CON-03: a stream that differs is never handed on: it is tried again, and in the end a plain list is used', async () => {
    const lies = [watch(added('a', 1), marker(10)), list([pod('a', 1), pod('b', 2)], 10)];
    const { calls, sink, clock, start, stop } = scripted(
      [...lies, ...lies, ...lies, list([pod('a', 1), pod('b', 2)], 10), watch()],
      { verifyWatchList: true },
    );
    await start();
    await clock.advance(800 + 1_600);
    expect(calls.slice(-2)).toEqual([newestList, watchAt(10)]);
    expect(sink.lines).toEqual(['replace@10 [a@1 b@2]']);
    await stop();
  });

  test('CON-03: a stop while the check waits ends it', async () => {
    const { sink, start, stop } = scripted([watch(marker(10)), listFails(new Error('no'))], { verifyWatchList: true });
    await start();
    await stop();
    expect(sink.lines).toEqual([]);
  });
});
