import type { Pod, Secret } from '@kube-informer/kubernetes';
import { describe, expect, expectTypeOf, test } from 'vitest';
import type { ClusterInformer } from '../../src/cluster/cluster-informer.ts';
import type { Cluster } from '../../src/cluster/cluster.ts';
import type { KubeObject, Live } from '../../src/core/object/object.ts';
import { InformerNames } from '../../src/informer/apply/informer-name.ts';
import type { Synced } from '../../src/cluster/change-stream.ts';
import type { InformerEvent } from '../../src/informer/handlers/handlers.ts';
import { settle } from '../../src/testing/fake-clock.ts';
import { named, rig } from './rig/cluster.rig.ts';

const keys = (events: readonly InformerEvent<unknown>[]): string[] => events.map(({ type, key }) => `${type} ${key}`);

describe('an informer by name', () => {
  test('caches() shows every cache with its namespace and selectors', async () => {
    const { cluster } = rig();
    cluster.informer('v1/pods', { namespace: ['web', 'db'], labels: 'app=shop' });
    const secrets = cluster.informer('v1/secrets', { metadataOnly: true });
    const brief = (): unknown[] =>
      cluster
        .caches()
        .map(({ resource, namespace, labelSelector, metadataOnly, informer }) => [
          resource,
          namespace,
          labelSelector,
          metadataOnly,
          informer.hasStarted,
        ]);
    const pods = [
      ['v1/pods', 'web', 'app=shop', false, true],
      ['v1/pods', 'db', 'app=shop', false, true],
    ];
    expect(brief()).toEqual([...pods, ['v1/secrets', undefined, undefined, true, true]]);
    await secrets.close();
    expect(brief()).toEqual(pods);
  });

  test('refuses unknown options of informers, defaults, reads, waits and handlers', async () => {
    const { cluster } = rig();
    const no = (name: string): object => ({
      code: 'INVALID_OPTION',
      message: expect.stringMatching(`unknown option "${name}"`) as string,
    });
    const typo = { lables: 'app=shop' };
    expect(() => cluster.informer('v1/pods', typo as object)).toThrow(expect.objectContaining(no('lables')));
    expect(() => cluster.informer('v1/pods', { labelSelector: 'a=b' } as object)).toThrow(
      expect.objectContaining(no('labelSelector')),
    );
    expect(cluster.caches()).toEqual([]);
    expect(() => rig({ resync: 5 } as object)).toThrow(expect.objectContaining(no('resync')));
    const pods = cluster.informer('v1/pods');
    expect(() => pods.list(typo as object)).toThrow(expect.objectContaining(no('lables')));
    expect(() => pods.get('web/a', { maxStaleness: 1 } as object)).toThrow(expect.objectContaining(no('maxStaleness')));
    await expect(pods.synced({ timeout: 5 } as object)).rejects.toMatchObject(no('timeout'));
    expect(() => pods.on({ add: () => {} }, { polcy: 'block' } as object)).toThrow(
      expect.objectContaining(no('polcy')),
    );
    const misspelled = { ad: () => {} };
    expect(() => pods.on(misspelled as object)).toThrow(/handler: expected add, update, delete or overflow, got "ad"/);
    expect(() => pods.on({ add: 'x' } as object)).toThrow(
      /handler: expected functions as add, update, delete and overflow/,
    );
  });

  test('runs at once, is typed, and can be read', async () => {
    const { cluster, source } = rig();
    source('v1/pods web').create(named('web/a', { labels: { tier: 'front' } }));
    source('v1/pods web').create(named('web/b'));
    const pods = cluster.informer('v1/pods', {
      namespace: 'web',
      indexers: { node: (pod) => [pod.spec?.nodeName ?? 'none'] },
    });
    expectTypeOf(pods).toEqualTypeOf<ClusterInformer<Pod, 'node'>>();
    await pods.synced();
    expect(pods.get('web/a')?.metadata?.name).toBe('a');
    expect(pods.list({ labels: 'tier=front' })).toHaveLength(1);
    expect(pods.list({ namespace: 'web' })).toHaveLength(2);
    expect(pods.byIndex('node', 'none')).toHaveLength(2);
    expect(pods.state.kind).toBe('synced');
    expect(pods.hasSynced).toBe(true);
    expect(await pods.verify()).toMatchObject([{ consistent: true }]);
  });

  test('a custom resource has the given type; a typo in a built-in name does not compile', () => {
    const { cluster } = rig();
    interface Widget extends KubeObject {
      readonly spec?: { readonly size: number };
    }
    expectTypeOf(cluster.informer<Widget>('example.com/v1/widgets').get('a/b')).toEqualTypeOf<
      Live<Widget> | undefined
    >();
    // @ts-expect-error not a resource of Kubernetes
    cluster.informer('v1/pod');
    const secrets = cluster.resource('v1/secrets');
    expectTypeOf<Awaited<ReturnType<(typeof secrets)['get']>>>().toEqualTypeOf<Live<Secret>>();
  });

  test('metadata only is a separate cache, of another type', async () => {
    const { cluster, sources } = rig();
    const bare = cluster.informer('v1/secrets', { metadataOnly: true });
    const full = cluster.informer('v1/secrets');
    expectTypeOf(bare.list()).toEqualTypeOf<Live<KubeObject>[]>();
    expectTypeOf(full.list()).toEqualTypeOf<Live<Secret>[]>();
    await Promise.all([bare.synced(), full.synced()]);
    expect([...sources.keys()].sort()).toEqual(['metadata v1/secrets *', 'v1/secrets *']);
  });

  test('selectors narrow what is listed and watched', async () => {
    const { cluster, source } = rig();
    const pods = cluster.informer('v1/pods', { labels: { app: 'shop' }, fields: { 'status.phase': 'Running' } });
    await pods.synced();
    expect(source('v1/pods *').calls[0]?.options).toMatchObject({
      labelSelector: 'app=shop',
      fieldSelector: 'status.phase=Running',
    });
  });
});

describe('sharing', () => {
  test('requests for the same share one cache; closing the last handle stops it', async () => {
    const { cluster, source } = rig();
    const one = cluster.informer('v1/pods', { labels: 'a=1,b=2' });
    const two = cluster.informer('v1/pods', { labels: { b: '2', a: '1' } });
    await Promise.all([one.synced(), two.synced()]);
    expect(source('v1/pods *').calls).toHaveLength(1);
    expect(cluster.health().informers).toHaveLength(1);
    await one.close();
    expect(source('v1/pods *').openWatches).toBe(1);
    expect(() => one.get('a/b')).toThrow(expect.objectContaining({ code: 'ILLEGAL_STATE' }));
    await two.close();
    expect(source('v1/pods *').openWatches).toBe(0);
    expect(cluster.health().informers).toEqual([]);
    const again = cluster.informer('v1/pods', { labels: 'a=1,b=2' });
    await again.synced();
    expect(source('v1/pods *').openWatches).toBe(1);
  });

  test('full objects and metadata are separate caches, each stopped by its own last handle', async () => {
    const names = new InformerNames();
    const { cluster, source } = rig({ name: 'my-app', names });
    const [full, metadata] = [cluster.informer('v1/pods'), cluster.informer('v1/pods', { metadataOnly: true })];
    const again = cluster.informer('v1/pods', { metadataOnly: true });
    await Promise.all([full.synced(), metadata.synced()]);
    expect(cluster.caches().map(({ informer }) => informer.name)).toEqual([
      'SharedInformer my-app v1/pods',
      'SharedInformer my-app metadata v1/pods',
    ]);
    const open = (): number[] => ['v1/pods *', 'metadata v1/pods *'].map((name) => source(name).openWatches);
    await metadata.close();
    expect(open()).toEqual([1, 1]);
    await again.close();
    expect(open()).toEqual([1, 0]);
    for (const name of ['my-app', 'my-app metadata']) expect(() => names.reserve(name)).toThrow('is taken');
    await cluster.close();
    for (const name of ['my-app', 'my-app metadata']) expect(() => names.reserve(name)).not.toThrow();
  });

  test('a closed handle receives nothing more, others do', async () => {
    const { cluster, source } = rig();
    const [one, two] = [cluster.informer('v1/pods'), cluster.informer('v1/pods')];
    const heard: string[] = [];
    one.on({ add: ({ key }) => void heard.push(`one ${key}`) });
    two.on({ add: ({ key }) => void heard.push(`two ${key}`) });
    await two.synced();
    await one.close();
    source('v1/pods *').create(named('web/a'));
    await settle();
    expect(heard).toEqual(['two web/a']);
  });

  test('a request for the same with other options is refused, and leaves nothing behind', async () => {
    const { cluster } = rig();
    const pods = cluster.informer('v1/pods', { resyncMs: 60_000 });
    expect(() => cluster.informer('v1/pods', { namespace: ['web', 'db'], resyncMs: 1_000 })).not.toThrow();
    expect(() => cluster.informer('v1/pods', { resyncMs: 1_000 })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
    await pods.close();
    expect(cluster.health().informers.map(({ scope }) => scope.namespace)).toEqual(['web', 'db']);
  });

  test('a request for several namespaces creates all caches or none', async () => {
    const { cluster } = rig();
    cluster.informer('v1/pods', { namespace: 'db', resyncMs: 60_000 });
    expect(() => cluster.informer('v1/pods', { namespace: ['web', 'db'], resyncMs: 1_000 })).toThrow();
    await settle();
    expect(cluster.health().informers.map(({ scope }) => scope.namespace)).toEqual(['db']);
  });
});

describe('several namespaces', () => {
  test('are combined: reads, handlers and states', async () => {
    const { cluster, source } = rig();
    source('v1/pods web').create(named('web/a'));
    source('v1/pods db').create(named('db/b'));
    const pods = cluster.informer('v1/pods', { namespace: ['web', 'db', 'web'] });
    const heard: string[] = [];
    const registration = pods.on({
      add: ({ key }) => void heard.push(key),
      delete: ({ key }) => void heard.push(`-${key}`),
    });
    await Promise.all([pods.synced(), registration.synced()]);
    expect(
      pods
        .list()
        .map(({ metadata }) => metadata?.name ?? '')
        .toSorted(),
    ).toEqual(['a', 'b']);
    expect([pods.get('web/a'), pods.get('db/b')].every((pod) => pod !== undefined)).toBe(true);
    expect(pods.list({ namespace: 'db' })).toHaveLength(1);
    source('v1/pods db').delete('db/b');
    await settle();
    expect(heard).toEqual(['web/a', 'db/b', '-db/b']);
    expect(pods.health()).toHaveLength(2);
    registration.remove();
    source('v1/pods web').delete('web/a');
    await settle();
    expect(heard).toHaveLength(3);
  });

  test('a handler still receives one event at a time', async () => {
    const { cluster, source, env } = rig();
    for (const key of ['web/a', 'web/b', 'db/a', 'db/b']) source(`v1/pods ${key.split('/')[0]}`).create(named(key));
    const pods = cluster.informer('v1/pods', { namespace: ['web', 'db'] });
    let running = 0;
    let most = 0;
    let done = 0;
    pods.on({
      async add() {
        most = Math.max(most, (running += 1));
        await env.sleep(10);
        running -= 1;
        done += 1;
        if (done === 2) throw new Error('one failure must not stop the others');
      },
    });
    await pods.synced();
    for (let turn = 0; turn < 200 && done < 4; turn += 1) await env.clock.advance(10);
    expect([most, done]).toEqual([1, 4]);
  });

  test.each([[[]], [['', 'web']]])('%j is refused', (namespace) => {
    const { cluster } = rig();
    expect(() => cluster.informer('v1/pods', { namespace })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
  });

  test('the state is that of the worst namespace', async () => {
    const { cluster, source } = rig();
    source('v1/pods db').failNext('list', new Error('no'));
    source('v1/pods db').failNext('watch', new Error('no'));
    const pods = cluster.informer('v1/pods', { namespace: ['web', 'db'] });
    await settle();
    expect(pods.state.kind).toBe('starting');
    expect(pods.hasSynced).toBe(false);
  });
});

describe('changes()', () => {
  test('yields the cached objects, then the changes; leaving the loop removes the handler', async () => {
    const { cluster, source } = rig();
    const pods = cluster.informer('v1/pods');
    source('v1/pods *').create(named('web/a'));
    await pods.synced();
    const seen: InformerEvent<Pod>[] = [];
    for await (const change of pods.changes()) {
      expectTypeOf(change).toEqualTypeOf<InformerEvent<Live<Pod>>>();
      seen.push(change);
      if (seen.length === 1) source('v1/pods *').update(named('web/a'));
      if (seen.length === 2) source('v1/pods *').delete('web/a');
      if (seen.length === 3) break;
    }
    expect(keys(seen)).toEqual(['add web/a', 'update web/a', 'delete web/a']);
    expect(pods.health()[0]?.handlers).toEqual([]);
  });

  test('a change counts as handled when the next is requested, so a slow reader sees the newest states', async () => {
    const { cluster, source } = rig();
    const pods = cluster.informer('v1/pods');
    await pods.synced();
    const changes = pods.changes({ limit: 2 });
    source('v1/pods *').create(named('web/a', { labels: { n: '0' } }));
    await settle();
    expect((await changes.next()).value?.key).toBe('web/a');
    for (let n = 1; n <= 50; n += 1) source('v1/pods *').update(named('web/a', { labels: { n: String(n) } }));
    await settle();
    expect(pods.health()[0]?.handlers[0]?.pending).toBeLessThan(4);
    const last = (await changes.next()).value;
    expect(last?.type).toBe('update');
    expect(last?.object.metadata?.labels?.['n']).toBe('50');
    await changes.return?.();
  });

  test.each(['the signal', 'close of the handle', 'close of the cluster', 'return'])(
    'ends with %s, also while waiting',
    async (how) => {
      const { cluster } = rig();
      const pods = cluster.informer('v1/pods');
      await pods.synced();
      const stop = new AbortController();
      const changes = pods.changes({ signal: stop.signal });
      const waiting = changes.next();
      if (how === 'the signal') stop.abort();
      else if (how === 'return') await changes.return?.();
      else if (how === 'close of the handle') await pods.close();
      else await cluster.close();
      expect(await waiting).toEqual({ done: true, value: undefined });
      expect(await changes.next()).toEqual({ done: true, value: undefined });
    },
  );

  test('policy detach reports dropped changes', async () => {
    const { cluster, source } = rig();
    const pods = cluster.informer('v1/pods');
    await pods.synced();
    const changes = pods.changes({ policy: 'detach', limit: 1 });
    for (let n = 0; n < 20; n += 1) source('v1/pods *').create(named(`web/p${n}`));
    await settle();
    const types = new Set<string>();
    for await (const change of changes) {
      types.add(change.type);
      if (change.type === 'overflow') break;
    }
    expect(types).toContain('overflow');
  });

  test.each([
    ['one namespace', 'web'],
    ['several namespaces', ['web', 'db']],
  ])('synced: true marks the end of the initial adds once, before any later change: %s', async (_, namespace) => {
    const { cluster, source } = rig();
    source('v1/pods web').create(named('web/a'));
    source('v1/pods web').create(named('web/b'));
    const pods = cluster.informer('v1/pods', { namespace });
    const seen: string[] = [];
    for await (const change of pods.changes({ synced: true })) {
      expectTypeOf(change).toEqualTypeOf<InformerEvent<Live<Pod>> | Synced>();
      // Written while the initial adds are still being read.
      if (seen.length === 1) source('v1/pods web').create(named('web/late'));
      seen.push(change.type === 'synced' ? 'synced' : `${change.type} ${change.key}`);
      if (seen.length === 4) break;
    }
    expect(seen).toEqual(['add web/a', 'add web/b', 'synced', 'add web/late']);
  });

  test('synced: true marks an empty cache, too', async () => {
    const { cluster } = rig();
    const changes = cluster.informer('v1/pods').changes({ synced: true });
    expect((await changes.next()).value).toEqual({ type: 'synced' });
    await changes.return?.();
    expect(() => cluster.informer('v1/pods').changes({ synced: 'yes' as never })).toThrow(/synced/);
  });
});

describe('waitFor', () => {
  test('resolves at once if the condition is met, else at the change that meets it', async () => {
    const { cluster, source } = rig();
    const pods = cluster.informer('v1/pods');
    source('v1/pods *').create(named('web/a'));
    const there = await pods.waitFor('web/a', (pod) => pod !== undefined);
    expect(there?.metadata?.name).toBe('a');
    const labelled = pods.waitFor('web/a', (pod) => pod?.metadata?.labels?.['ok'] === 'yes');
    await settle();
    source('v1/pods *').create(named('web/other', { labels: { ok: 'yes' } }));
    source('v1/pods *').update(named('web/a', { labels: { ok: 'yes' } }));
    expect((await labelled)?.metadata?.name).toBe('a');
    const gone = pods.waitFor('web/a', (pod) => pod === undefined);
    await settle();
    source('v1/pods *').delete('web/a');
    expect(await gone).toBeUndefined();
    expect(pods.health()[0]?.handlers).toEqual([]);
  });

  test('times out with a reason, ends with the handle, and rejects with what a condition throws', async () => {
    const { cluster, source, env } = rig();
    const pods = cluster.informer('v1/pods');
    await pods.synced();
    const late = pods
      .waitFor('web/a', (pod) => pod !== undefined, { timeoutMs: 1_000 })
      .catch((error: unknown) => error);
    await settle();
    await env.clock.advance(1_000);
    expect(await late).toMatchObject({ code: 'SYNC_FAILED', message: expect.stringContaining('v1/pods web/a') });
    const broken = pods.waitFor('web/a', (pod) => {
      if (pod !== undefined) throw new TypeError('bad condition');
      return false;
    });
    broken.catch(() => {});
    await settle();
    source('v1/pods *').create(named('web/a'));
    await expect(broken).rejects.toThrow('bad condition');
    const ended = pods.waitFor('web/a', (pod) => pod === undefined).catch((error: unknown) => error);
    await settle();
    await pods.close();
    expect(await ended).toMatchObject({ code: 'SYNC_FAILED' });
  });

  test('does not read the whole cache to find one object', async () => {
    const { cluster, source } = rig();
    for (let n = 0; n < 100; n += 1) source('v1/pods *').create(named(`web/p${n}`));
    const pods = cluster.informer('v1/pods');
    await pods.synced();
    let asked = 0;
    const waiting = pods.waitFor('web/p50', (pod) => ((asked += 1), pod === undefined));
    await settle();
    source('v1/pods *').delete('web/p50');
    await waiting;
    expect(asked).toBe(2);
  });
});

describe('health', () => {
  const ask = (cluster: Cluster, url: string, method = 'GET') => {
    let status = 0;
    let text = '';
    cluster.probes({ maxStaleMs: 60_000 })(
      { url, method },
      { writeHead: (code) => (status = code), end: (body = '') => (text = body) },
    );
    return [status, text];
  };

  test('F63, G19: a wall clock that is moved changes nothing: how long a cache has been stale is elapsed time', async () => {
    const { cluster, source, env } = rig();
    const pods = cluster.informer('v1/pods');
    await pods.synced();
    for (const verb of ['list', 'watch'] as const) source('v1/pods *').failNext(verb, new Error('gone'), 1_000);
    source('v1/pods *').cut();
    await env.clock.advance(30_000);
    expect(pods.state.kind).toBe('stale');
    env.clock.jumpWall(3_600_000);
    expect(ask(cluster, '/readyz')[0]).toBe(200);
    await env.clock.advance(60_000);
    env.clock.jumpWall(-7_200_000);
    expect(ask(cluster, '/readyz')[0]).toBe(503);
  });

  test('G19, H7: a handler that blocks the cache makes the program not ready at once: no server can end that', async () => {
    const { cluster, source, env } = rig();
    const pods = cluster.informer('v1/pods');
    await pods.synced();
    let release = (): void => {};
    pods.on({ add: () => new Promise<void>((resolve) => (release = resolve)) }, { policy: 'block', limit: 1 });
    for (let n = 0; n < 5; n += 1) source('v1/pods *').create(named(`web/p${n}`));
    await env.clock.advance(9_000);
    expect(ask(cluster, '/readyz')[0]).toBe(200);
    await env.clock.advance(3_000);
    expect(pods.state).toMatchObject({ kind: 'stale', reason: 'backlog' });
    expect(ask(cluster, '/readyz')).toEqual([
      503,
      expect.stringMatching(/^v1\/pods has been stale for \d+ s: backlog\n$/),
    ]);
    expect(ask(cluster, '/livez')[0]).toBe(200);
    for (let n = 0; n < 5; n += 1) {
      release();
      await env.clock.advance(1);
    }
    expect([pods.state.kind, ask(cluster, '/readyz')[0]]).toEqual(['synced', 200]);
  });

  test('ready when every cache has synced and is fresh; live while none has stopped', async () => {
    const { cluster, source, env } = rig();
    expect(ask(cluster, '/readyz')).toEqual([200, 'ok\n']);
    const pods = cluster.informer('v1/pods');
    expect(ask(cluster, '/readyz')).toEqual([503, 'v1/pods has not synced yet\n']);
    expect(ask(cluster, '/livez')).toEqual([200, 'ok\n']);
    await pods.synced();
    expect(ask(cluster, '/health/readyz?verbose')).toEqual([200, 'ok\n']);
    for (const verb of ['list', 'watch'] as const) source('v1/pods *').failNext(verb, new Error('gone'), 1_000);
    source('v1/pods *').cut();
    await env.clock.advance(30_000);
    expect(pods.state.kind).toBe('stale');
    expect(ask(cluster, '/readyz')[0]).toBe(200);
    await env.clock.advance(60_000);
    expect(ask(cluster, '/readyz')).toEqual([503, expect.stringMatching(/^v1\/pods has been stale for \d+ s: /)]);
    expect(ask(cluster, '/livez')[0]).toBe(200);
    expect(ask(cluster, '/other')[0]).toBe(404);
    expect(ask(cluster, '/livez', 'POST')[0]).toBe(404);
    expect(ask(cluster, '/livez', 'HEAD')).toEqual([200, '']);
  });
});

test('close stops everything once, and nothing starts afterwards', async () => {
  const { cluster, source, closed } = rig();
  const pods = cluster.informer('v1/pods');
  await pods.synced();
  await Promise.all([cluster.close(), cluster.close()]);
  expect([closed(), source('v1/pods *').openWatches]).toEqual([1, 0]);
  expect(() => cluster.informer('v1/pods')).toThrow(expect.objectContaining({ code: 'ILLEGAL_STATE' }));
});

test('a handler with initial: false receives only later changes', async () => {
  const { cluster, source } = rig();
  source('v1/pods *').create(named('web/a'));
  const pods = cluster.informer('v1/pods');
  await pods.synced();
  const heard: string[] = [];
  pods.on({ add: ({ key }) => void heard.push(key) }, { initial: false });
  source('v1/pods *').create(named('web/b'));
  await settle();
  expect(heard).toEqual(['web/b']);
});
