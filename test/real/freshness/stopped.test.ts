import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Cluster, systemEnv } from 'kube-informer';
import { whatIsMissing } from '../harness/binaries.ts';
import { ControlPlane } from '../harness/control-plane.ts';
import { asked } from '../harness/kinds.ts';
import { until } from '../harness/until.ts';
import { Valve } from '../harness/valve.ts';
import { Follower } from './follower.ts';
import { PROMISED_MS, SLACK_MS, wordsOf } from './promises.ts';
import { ECHO, rawWatch } from './raw-watch.ts';
import { Suspended } from './suspended.ts';

const missing = await whatIsMissing();
if (missing !== undefined) console.warn(`\nSKIPPED: what stops on the way to a cache: ${missing}\n`);

/** The kube-apiserver that can be cut off from etcd. */
const FROZEN = 1;
const PROMISE_MS = PROMISED_MS['synced'] as number;

/** What stops without an end of a stream: a server's source, our own process, a handler. The tests run side by side. */
describe.skipIf(missing !== undefined).concurrent('what stops on the way to a cache', () => {
  let plane: ControlPlane;
  const valves: Valve[] = [];
  beforeAll(async () => {
    const toEtcd = async (etcd: string): Promise<string> => {
      const valve = await Valve.before(etcd);
      valves.push(valve);
      return valve.address;
    };
    plane = await ControlPlane.start({ apiservers: 2, toEtcd, log: (line) => console.log(line) });
  }, 1_800_000);
  afterAll(async () => {
    await plane?.[Symbol.asyncDispose]();
    for (const valve of valves) await valve[Symbol.asyncDispose]();
  });

  const connect = (at = 0) => ({ url: plane.urls[at] ?? '', ca: plane.credentials.ca, token: plane.credentials.token });
  const create = (namespace: string, name: string): Promise<string> =>
    asked(plane, 'POST', `/api/v1/namespaces/${namespace}/configmaps`, { metadata: { name } });
  const namespace = async (name: string): Promise<string> => {
    await asked(plane, 'POST', '/api/v1/namespaces', { metadata: { name } });
    return name;
  };

  test('F30, G15, G17: an apiserver that is cut off from etcd is not trusted for longer than promised', async ({
    expect: expectHere,
  }) => {
    const frozen = await namespace('frozen');
    const followers = await Promise.all(
      [true, false].map((http2) =>
        Follower.start({
          name: http2 ? 'HTTP/2' : 'HTTP/1.1',
          connect: { ...connect(FROZEN), http2 },
          namespace: frozen,
        }),
      ),
    );
    try {
      await until('both are synced', () => followers.every(({ isReady }) => isReady));
      // The versions of the server move on, so that its bookmarks are above those that the watches were opened at.
      await sleep(12_000);
      valves[FROZEN]?.shut();
      const path = `/api/v1/namespaces/${frozen}/configmaps`;
      const { frames, headersAtMs } = await rawWatch(plane, path, { ...ECHO, timeoutSeconds: 1 }, connect(FROZEN));
      // Only a consistent question finds out, and its head comes with the error: that is not a sign of a proxy that buffers.
      expect(frames.map(({ type, object: { code, message } }) => [type, code, message])).toEqual([
        ['ERROR', 500, 'context deadline exceeded'],
      ]);
      expect(headersAtMs).toBeGreaterThan(900);
      const { status } = await plane.ask('GET', `${path}?limit=1&resourceVersion=0`, undefined, FROZEN);
      expect(status, 'what it remembers can be read').toBe(200);
      for (let at = 0; at < 5; at += 1) {
        await create(frozen, `unseen-${at}`);
        for (const one of followers) one.wrote(`unseen-${at}`);
        await sleep(1_000);
      }
      await sleep(PROMISE_MS + 20_000);
      // Soft: whether it recovers is worth knowing as well.
      for (const one of followers) {
        expectHere.soft(one.unseen, 'the server cannot know of them').toHaveLength(5);
        expectHere.soft(one.longest['synced'], one.describe()).toBeLessThanOrEqual(PROMISE_MS + SLACK_MS);
        expectHere
          .soft(one.longest['polling'] ?? 0, one.describe())
          .toBeLessThanOrEqual((PROMISED_MS['polling'] ?? 0) + SLACK_MS);
        expectHere.soft(one.state.kind, one.describe()).toBe('stale');
      }
      valves[FROZEN]?.open();
      await until(
        'all is seen again',
        () => followers.every((one) => one.unseen.length === 0 && one.state.kind === 'synced'),
        {
          withinMs: 90_000,
          inTheWay: () => followers.map((one) => one.describe()).join('\n'),
        },
      );
    } finally {
      valves[FROZEN]?.open();
      for (const one of followers) await one[Symbol.asyncDispose]();
    }
  });

  test.each([
    { seconds: 25, maxStalenessMs: 20_000 },
    { seconds: 85, maxStalenessMs: 60_000 },
  ])('F64, G15, G19: after $seconds s of SIGSTOP the first read knows of them', async ({ seconds, maxStalenessMs }) => {
    const space = await namespace(`suspended-${seconds}`);
    await using process = await Suspended.start({ connect: connect(), namespace: space, maxStalenessMs });
    for (const { kind, isRefused } of await process.look()) expect([kind, isRefused]).toEqual(['synced', false]);
    process.suspend();
    await sleep(2_000);
    await create(space, 'meanwhile');
    await sleep(seconds * 1_000);
    const sights = await process.resume();
    expect(sights).toHaveLength(2);
    for (const { protocol, kind, words, isRefused, names } of sights) {
      // What was waiting in the socket may have been read in the same turn.
      if (names.includes('meanwhile')) continue;
      expect(isRefused, `${protocol}: ${words}: a read with maxStalenessMs ${maxStalenessMs}`).toBe(true);
      if (seconds * 1_000 > PROMISE_MS) expect(kind, `${protocol}: ${words}`).not.toBe('synced');
    }
    await until(
      'it has caught up and says so',
      async () => {
        const now = await process.look();
        return now.every(
          ({ kind, names, isRefused }) => kind === 'synced' && !isRefused && names.includes('meanwhile'),
        );
      },
      { everyMs: 250 },
    );
  });

  test('F81, G15, G19: with a hung handler, `block` makes the cache stale and says why; `coalesce` does not', async () => {
    const space = await namespace('hung');
    const env = { ...systemEnv, log: () => {} };
    const hung = await Promise.all(
      (['block', 'coalesce'] as const).map(async (policy) => {
        const cluster = await Cluster.connect({ ...connect(), proxy: false, env });
        const informer = cluster.informer('v1/configmaps', { namespace: space });
        await informer.synced({ timeoutMs: 60_000 });
        let release = (): void => {};
        const released = new Promise<void>((resolve) => (release = resolve));
        let calls = 0;
        const add = (): Promise<void> => {
          calls += 1;
          return released;
        };
        informer.on({ add }, { policy, limit: 5 });
        return { cluster, informer, release, calls: () => calls };
      }),
    );
    const [block, coalesce] = hung as [(typeof hung)[0], (typeof hung)[0]];
    try {
      for (let at = 0; at < 50; at += 1) await create(space, `c${at}`);
      const wordsNow = (): string => wordsOf(block.informer.state);
      await until('it is stale because of the backlog', () => wordsNow().startsWith('stale backlog'), {
        withinMs: 20_000,
        inTheWay: wordsNow,
      });
      expect(() => block.informer.list({ maxStalenessMs: 5_000 })).toThrow();
      expect(block.informer.list().length, 'the cache waits for the handler').toBeLessThan(50);
      expect(coalesce.informer.state.kind).toBe('synced');
      expect(coalesce.informer.list()).toHaveLength(50);
      block.release();
      await until('everything is applied', () => block.informer.state.kind === 'synced' && block.calls() === 50, {
        inTheWay: wordsNow,
      });
      expect(block.informer.list({ maxStalenessMs: 60_000 })).toHaveLength(50);
    } finally {
      for (const { release, cluster } of hung) {
        release();
        await cluster.close();
      }
    }
  });
});
