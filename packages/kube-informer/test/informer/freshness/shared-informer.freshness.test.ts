import { describe, expect, test } from 'vitest';
import type { InformerState } from '../../../src/informer/informer-state.ts';
import { SharedInformer } from '../../../src/informer/shared-informer.ts';
import type { SharedInformerOptions } from '../../../src/informer/informer-options.ts';
import { type FakeEnv, fakeEnv, settle } from '../../../src/testing/fake-clock.ts';
import { FakeSource, statusFailure } from '../../../src/testing/fake-source.ts';
import { type Pod, pod } from '../rig/informer-rig.ts';
import { RelayedSource, type Way } from '../rig/relayed-source.ts';

interface Rig {
  readonly env: FakeEnv;
  readonly server: FakeSource<Pod>;
  readonly relay: RelayedSource;
  readonly informer: SharedInformer<Pod>;
  readonly states: InformerState[];
  readonly errors: unknown[];
  /** Changes one object, and returns how long the cache took to have the change. */
  readonly lagMs: (limitMs?: number) => Promise<number>;
}

function rig(
  way: Partial<Way> = {},
  options: SharedInformerOptions<Pod> = {},
  before: (parts: Pick<Rig, 'server' | 'informer'>) => void = () => {},
): Rig {
  const env = fakeEnv({ random: 0.5 });
  const server = new FakeSource<Pod>();
  server.create(pod('web/a'));
  const relay = new RelayedSource(server, env);
  Object.assign(relay.way, way);
  const errors: unknown[] = [];
  const states: InformerState[] = [];
  const informer = new SharedInformer<Pod>(relay, {
    env,
    name: 'pods',
    onWatchError: (error) => void errors.push(error),
    ...options,
  });
  informer.onState((now) => void states.push(now));
  before({ server, informer });
  informer.start();
  let change = 0;
  return {
    env,
    server,
    relay,
    informer,
    states,
    errors,
    async lagMs(limitMs = 300_000) {
      change += 1;
      const { metadata } = server.update(pod('web/a', { change }));
      const from = env.now();
      while (env.now() - from < limitMs) {
        if (informer.get('web/a')?.metadata?.resourceVersion === metadata?.resourceVersion) return env.now() - from;
        await env.clock.advance(100);
      }
      return Number.POSITIVE_INFINITY;
    },
  };
}

describe('a way that buffers', () => {
  test('it is found within 6 s, and polled: every change is seen within two periods and 5 s, and the state says so', async () => {
    const { env, relay, informer, errors, states, lagMs } = rig({ buffers: true });
    await env.clock.advance(6_000);
    expect(errors).toMatchObject([{ code: 'WATCH_BUFFERED' }]);
    expect(informer.state).toMatchObject({ kind: 'polling', reason: 'buffered' });
    for (let i = 0; i < 20; i += 1) {
      await env.clock.advance(1_700 * i);
      expect(await lagMs()).toBeLessThanOrEqual(15_000);
      expect(informer.state.kind).toBe('polling');
    }
    expect(relay.calls.filter(({ verb }) => verb === 'list')).toHaveLength(1);
    expect(errors).toMatchObject([
      { code: 'WATCH_BUFFERED', message: expect.stringContaining('proxy_buffering off') as unknown },
    ]);
    expect(states.map(({ kind }) => kind)).not.toContain('synced');
    await informer.stop();
  });

  test('when it passes streams on again, a watch takes over without a list, and polling ends', async () => {
    const { env, relay, informer, lagMs } = rig({ buffers: true });
    await env.clock.advance(30_000);
    relay.way.buffers = false;
    await env.clock.advance(150_000);
    expect(informer.state).toEqual({ kind: 'synced' });
    expect(await lagMs()).toBeLessThanOrEqual(100);
    expect(relay.calls.filter(({ verb }) => verb === 'list')).toHaveLength(1);
    await informer.stop();
  });

  test('a watch that worked and is buffered from the next opening on is polled, too', async () => {
    const { env, relay, informer, lagMs } = rig();
    await env.clock.advance(10_000);
    expect(informer.state).toEqual({ kind: 'synced' });
    relay.way.buffers = true;
    relay.way.idleMs = 1_000;
    await env.clock.advance(2_000);
    relay.way.idleMs = undefined;
    await env.clock.advance(20_000);
    expect(informer.state).toMatchObject({ kind: 'polling', reason: 'buffered' });
    expect(await lagMs()).toBeLessThanOrEqual(15_000);
    await informer.stop();
  });
});

describe('watches that never work', () => {
  test.each([
    ['5xx', statusFailure(502, '', 'bad gateway'), 'server-error'],
    ['TLS', Object.assign(new Error('certificate'), { code: 'CERT_HAS_EXPIRED' }), 'tls'],
    ['reset', Object.assign(new Error('reset'), { code: 'ECONNRESET' }), 'unreachable'],
  ])(
    '%s forever while lists work: stale after 5 s, reported, and polled by lists at a bounded rate',
    async (_, error, reason) => {
      const { env, relay, informer, errors, lagMs } = rig();
      await env.clock.advance(1_000);
      relay.way.refuses = error;
      relay.way.idleMs = 1_000;
      await env.clock.advance(8_000);
      expect(informer.state).toMatchObject({ kind: 'stale', reason });
      expect(errors).toHaveLength(1);
      await env.clock.advance(60_000);
      expect(informer.state.kind).toBe('polling');
      expect(await lagMs()).toBeLessThanOrEqual(75_000);
      const before = relay.calls.length;
      await env.clock.advance(600_000);
      // A short watch every 5 s at most, a list every 30 s, and few questions.
      expect(relay.calls.length - before).toBeLessThanOrEqual(200);
      expect(
        relay.calls.slice(before).filter(({ verb, options }) => verb === 'list' && options.limit !== 1).length,
      ).toBeLessThanOrEqual(21);
      relay.way.refuses = undefined;
      relay.way.idleMs = undefined;
      await env.clock.advance(11 * 60_000);
      expect(informer.state).toEqual({ kind: 'synced' });
      expect(errors.length).toBeLessThan(8);
      await informer.stop();
    },
  );

  test('an outage of everything is waited out without a list: the short watch that works first catches up', async () => {
    const { env, relay, informer, server } = rig();
    await env.clock.advance(1_000);
    const away = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    relay.way.refuses = away;
    relay.way.idleMs = 1_000;
    server.failNext('list', away, 100);
    await env.clock.advance(120_000);
    expect(informer.state).toMatchObject({ kind: 'stale', reason: 'unreachable' });
    server.create(pod('web/b'));
    relay.way.refuses = undefined;
    relay.way.idleMs = undefined;
    await env.clock.advance(90_000);
    expect(informer.get('web/b')).toBeDefined();
    expect(relay.calls.filter(({ verb, options }) => verb === 'list' && options.limit !== 1)).toHaveLength(0);
    await informer.stop();
  });
});

describe('streams that lie', () => {
  test('a stream that delivers nothing, whenever it falls silent, is left within 75 s; a second one is polled', async () => {
    const { env, relay, informer, server, lagMs } = rig();
    await env.clock.advance(10_000);
    relay.way.isDeaf = true;
    server.create(pod('web/b'));
    let syncedMs = 0;
    const from = env.now();
    while (informer.get('web/b') === undefined && env.now() - from < 200_000) {
      await env.clock.advance(500);
      if (informer.state.kind === 'synced') syncedMs = env.now() - from;
    }
    expect(syncedMs).toBeLessThanOrEqual(75_000);
    expect(env.now() - from).toBeLessThanOrEqual(80_000);
    await env.clock.advance(120_000);
    await lagMs(120_000);
    await env.clock.advance(10_000);
    expect(informer.state).toMatchObject({ kind: 'polling', reason: 'withheld' });
    expect(await lagMs()).toBeLessThanOrEqual(15_000);
    await informer.stop();
  });

  test('a network that cuts idle connections after 20 s: the informer stays synced, and changes arrive at once', async () => {
    const { env, relay, informer, states, errors, lagMs } = rig({ idleMs: 20_000 });
    await env.clock.advance(1_000);
    for (let i = 0; i < 10; i += 1) {
      await env.clock.advance(13_300 * i);
      expect(await lagMs()).toBeLessThanOrEqual(100);
    }
    expect(states.map(({ kind }) => kind)).toEqual(['starting', 'synced']);
    expect(errors).toEqual([]);
    expect(relay.calls.filter(({ verb, options }) => verb === 'list' && options.limit !== 1)).toHaveLength(0);
    await informer.stop();
  });
});

describe('cost', () => {
  test('G22: a stream that brings an event every ten seconds costs at most 16 requests an hour, and stays synced', async () => {
    const { env, relay, informer, server, states } = rig();
    await env.clock.advance(1_000);
    const from = relay.calls.length;
    for (let second = 0; second < 3_600; second += 10) {
      server.update(pod('web/other', { second }));
      await env.clock.advance(10_000);
    }
    expect(relay.calls.length - from).toBeLessThanOrEqual(16);
    expect(states.map(({ kind }) => kind)).toEqual(['starting', 'synced']);
    await informer.stop();
  });

  /** An hour of a quiet informer in a cluster that writes `count` times every two seconds, after ten minutes of getting to know it. */
  async function hourWith(count: (second: number) => number): Promise<{ requests: number; states: string[] }> {
    const { env, relay, informer, server, states } = rig({ hides: 'other' });
    let from = 0;
    for (let second = 0; second < 4_200; second += 2) {
      if (second === 600) from = relay.calls.length;
      for (let i = 0; i < count(second); i += 1) server.update(pod('web/other', { second, i }));
      await env.clock.advance(2_000);
    }
    await informer.stop();
    return { requests: relay.calls.length - from, states: states.map(({ kind }) => kind) };
  }

  test('G22, F30: one informer alone, whose bookmarks move on at an even pace, costs at most 16 requests an hour', async () => {
    const { requests, states } = await hourWith(() => 5);
    expect(requests).toBeLessThanOrEqual(16);
    expect(states).toEqual(['starting', 'synced', 'stopped']);
  });

  test('G22, F30: where the writes of the cluster are uneven, the server’s version is requested before each bookmark', async () => {
    const { requests, states } = await hourWith((second) => (second % 170 < 80 ? 6 : 1));
    expect(requests).toBeGreaterThan(40);
    expect(requests).toBeLessThanOrEqual(16 + 75);
    expect(states).toEqual(['starting', 'synced', 'stopped']);
  });

  test('G22: where nothing changes at all, one request a minute', async () => {
    const { env, relay, informer, states } = rig();
    await env.clock.advance(3_600_000);
    expect(relay.calls.length).toBeLessThanOrEqual(16 + 66);
    expect(states.map(({ kind }) => kind)).toEqual(['starting', 'synced']);
    await informer.stop();
  });
});

describe('time', () => {
  test('F64: after a suspend of eight hours the first answer is not synced, and it recovers', async () => {
    const { env, informer } = rig();
    await env.clock.advance(10_000);
    env.clock.suspend(8 * 3_600_000);
    expect(informer.staleFor()).toBeGreaterThan(8 * 3_600_000);
    expect(informer.state.kind).toBe('stale');
    expect(() => informer.get('web/a', { maxStalenessMs: 60_000 })).toThrow(/maxStalenessMs/);
    await env.clock.advance(10_000);
    expect(informer.state).toEqual({ kind: 'synced' });
    await informer.stop();
  });

  test.each([3_600_000, -3_600_000])(
    'F63: a wall clock set by %i ms changes neither state nor staleness',
    async (ms) => {
      const { env, informer, states } = rig();
      await env.clock.advance(10_000);
      const before = informer.staleFor();
      env.clock.jumpWall(ms);
      expect([informer.state.kind, informer.staleFor()]).toEqual(['synced', before]);
      await env.clock.advance(60_000);
      expect(states.map(({ kind }) => kind)).toEqual(['starting', 'synced']);
      await informer.stop();
    },
  );

  test('F65: a process that was stopped for 25 s is not synced before it has read the stream', async () => {
    const { env, informer } = rig();
    await env.clock.advance(10_000);
    env.clock.freeze(25_000);
    expect(informer.state.kind).toBe('stale');
    await env.clock.advance(10_000);
    expect(informer.state).toEqual({ kind: 'synced' });
    await informer.stop();
  });
});

describe('the age of an answer', () => {
  test.each([30_000, 80_000])(
    'F65, G19: a response that was read after a pause of %i ms is as old as its request, which is repeated',
    async (ms) => {
      // The long stream is silent, and the versions move: a short watch must tell whether it withholds anything.
      const { env, relay, informer, server } = rig({ hides: 'other' });
      await env.clock.advance(1_000);
      relay.way.isDeaf = true;
      server.create(pod('web/other'));
      const shortWatches = (): number => relay.calls.filter(({ options }) => options.timeoutSeconds === 4).length;
      while (shortWatches() === 0) await env.clock.advance(100);
      // Both deliver this, and the verdict waits for a second after the end of the short one.
      relay.way.isDeaf = false;
      server.update(pod('web/a', { change: 1 }));
      await env.clock.advance(4_500);
      const asked = relay.calls.length;
      env.clock.freeze(ms);
      while (relay.calls.length === asked) {
        expect([informer.state.kind, informer.staleFor() >= ms]).toEqual(['stale', true]);
        await env.clock.advance(100);
      }
      await env.clock.advance(10_000);
      expect(informer.state).toEqual({ kind: 'synced' });
      await informer.stop();
    },
  );
});

describe('backlog', () => {
  test('G14, G19: a hung handler that holds back the first list is the reason why nothing is synced, and costs no requests', async () => {
    const { env, informer, relay } = rig({}, { queue: 'delta' }, ({ server, informer }) => {
      for (let i = 0; i < 100; i += 1) server.create(pod(`web/p${i}`));
      informer.on({ add: () => new Promise<void>(() => {}) }, { policy: 'block', limit: 1 });
    });
    await env.clock.advance(11_000);
    expect(informer.state).toMatchObject({ kind: 'starting', problem: { reason: 'backlog' } });
    await env.clock.advance(49_000);
    expect(relay.calls.length).toBeLessThanOrEqual(3);
    const failed = expect(informer.synced({ timeoutMs: 1_000 })).rejects.toThrow(/backlog: changes received/);
    await env.clock.advance(1_000);
    await failed;
    const stopping = informer.stop();
    await env.clock.advance(30_000);
    await stopping;
  });

  test('G14, G19: a hung handler with the policy block makes the cache stale after 10 s, with its reason', async () => {
    const { env, informer, server } = rig();
    informer.on({ add: () => new Promise<void>(() => {}) }, { policy: 'block', limit: 1 });
    await env.clock.advance(1_000);
    for (let i = 0; i < 1_500; i += 1) server.create(pod(`web/p${i}`));
    await env.clock.advance(9_000);
    expect(informer.state.kind).toBe('synced');
    await env.clock.advance(2_000);
    expect(informer.state).toMatchObject({ kind: 'stale', reason: 'backlog' });
    expect(informer.staleFor()).toBeGreaterThan(10_000);
    const stopping = informer.stop();
    await env.clock.advance(30_000);
    await stopping;
  });
});

describe('telling', () => {
  test('onState is called for each change, with the state before, until it is ended', async () => {
    const { env, relay, informer } = rig();
    const heard: string[] = [];
    const end = informer.onState((now, before) => void heard.push(`${before.kind} → ${now.kind}`));
    await env.clock.advance(1_000);
    relay.way.refuses = statusFailure(503, '', 'later');
    relay.way.idleMs = 1_000;
    await env.clock.advance(10_000);
    relay.way.refuses = undefined;
    relay.way.idleMs = undefined;
    await env.clock.advance(60_000);
    expect(heard).toEqual(['idle → starting', 'starting → synced', 'synced → stale', 'stale → synced']);
    end();
    await informer.stop();
    await settle();
    expect(heard).toHaveLength(4);
  });
});
