import { describe, expect, test } from 'vitest';
import type { ClusterInformer } from '../../src/cluster/cluster-informer.ts';
import type { InformerSetOptions } from '../../src/cluster/informer-set-options.ts';
import { InformerSet } from '../../src/cluster/informer-set.ts';
import { errorMessageOf } from '../../src/core/errors.ts';
import type { KubeObject } from '../../src/core/object/object.ts';
import { filtered } from '../../src/informer/handlers/filtered.ts';
import type { Handler } from '../../src/informer/handlers/handlers.ts';
import type { ListWatch } from '../../src/informer/list-watch/list-watch.ts';
import { SharedInformer } from '../../src/informer/shared-informer.ts';
import { type FakeEnv, fakeEnv } from '../../src/testing/fake-clock.ts';
import { FakeSource } from '../../src/testing/fake-source.ts';
import { HandlerRecorder } from '../../src/testing/handler-recorder.ts';
import { named, rig } from '../cluster/rig/cluster.rig.ts';
import { type Misbehaviour, MISBEHAVIOURS, PROMISES, type UserCodeNames, wouldEndTheProcess } from './misbehaviours.ts';

const logged = (env: FakeEnv, text: string): number => env.lines.filter(({ message }) => message.includes(text)).length;
const all = Object.entries(MISBEHAVIOURS);
const answers = Object.entries({ ...MISBEHAVIOURS, ...PROMISES });

/** One informer over two namespaces, or over all, with a handler that must not notice anything. */
function informers(namespaces: readonly string[]) {
  const { cluster, env, source } = rig();
  const pods = cluster.informer('v1/pods', namespaces.length === 0 ? {} : { namespace: namespaces });
  const heard = new HandlerRecorder();
  (pods as ClusterInformer).on(heard, { name: 'heard' });
  return { env, pods: pods as ClusterInformer, heard, source: source(`v1/pods ${namespaces[0] ?? '*'}`) };
}

/** Every callback of a handler. */
const HANDLERS = {
  add: (bad) => ({ add: bad }),
  update: (bad) => ({ update: bad }),
  delete: (bad) => ({ delete: bad }),
  overflow: (bad) => ({ add: () => new Promise(() => {}), overflow: bad }),
} satisfies Record<keyof Handler<KubeObject>, (bad: Misbehaviour) => Handler<KubeObject>>;

describe.each([
  ['all namespaces', []],
  ['two namespaces', ['web', 'db']],
])('ClusterInformer, %s', (_, namespaces) => {
  const callbacks = (['add', 'update', 'delete'] as const).flatMap((name) =>
    all.map(([does, bad]) => [name, does, bad] as const),
  );
  test.each(callbacks)(
    'U1, G13, F79: a handler whose %s %s is reported, and no other handler is affected',
    async (name, __, bad) => {
      const deaths = wouldEndTheProcess();
      const { env, pods, heard, source } = informers(namespaces);
      pods.on(HANDLERS[name](bad), { name: 'bad' });
      source.create(named('web/a'));
      source.update(named('web/a', { labels: { x: 'y' } }));
      await env.clock.advance(5_000);
      source.update(named('web/a', { labels: { x: 'z' } }));
      source.delete('web/a');
      source.create(named('web/later'));
      await env.clock.advance(5_000);
      expect(heard.view.has('web/later')).toBe(true);
      const { handlers } = pods.health()[0] ?? { handlers: [] };
      expect(handlers.find((one) => one.name === 'bad')?.failures ?? 1).toBeGreaterThan(0);
      expect(logged(env, 'a handler failed; the event is skipped')).toBeGreaterThan(0);
      await pods.close();
      expect(await deaths()).toBe(0);
    },
  );

  test.each(answers)('U1, U4, G13: a filter that %s is a failing handler: skipped and reported', async (__, bad) => {
    const deaths = wouldEndTheProcess();
    const { env, pods, heard, source } = informers(namespaces);
    const passed = new HandlerRecorder();
    pods.on(filtered((object: KubeObject) => (object.metadata?.name === 'bad' ? bad() : true), passed));
    source.create(named('web/bad'));
    source.create(named('web/later'));
    await env.clock.advance(5_000);
    expect([...heard.view.keys()]).toEqual(['web/bad', 'web/later']);
    expect([...passed.view.keys()]).toEqual(['web/later']);
    expect(logged(env, 'a handler failed; the event is skipped')).toBe(1);
    await pods.close();
    expect(await deaths()).toBe(0);
  });

  test.each(all)('U1, G13: onSynced that %s is reported, and prevents no sync', async (__, bad) => {
    const deaths = wouldEndTheProcess();
    const { env, pods, heard, source } = informers(namespaces);
    const registration = pods.on({ add() {} });
    registration.onSynced(bad);
    await env.clock.advance(1_000);
    source.create(named('web/later'));
    await env.clock.advance(1_000);
    expect([registration.hasSynced, heard.view.has('web/later')]).toEqual([true, true]);
    expect(logged(env, 'a callback failed')).toBe(1);
    await pods.close();
    expect(await deaths()).toBe(0);
  });

  test.each(answers)(
    'U1, U4: a condition of waitFor that %s, now or later, rejects the wait and nothing else',
    async (__, bad) => {
      const deaths = wouldEndTheProcess();
      const { env, pods, heard, source } = informers(namespaces);
      source.create(named('web/a'));
      const now = pods.waitFor('web/a', bad).then(
        () => 'met',
        (error: unknown) => `failed: ${errorMessageOf(error)}`,
      );
      const later = pods
        .waitFor('web/a', (object) => (object?.metadata?.labels === undefined ? false : bad()))
        .then(
          () => 'met',
          (error: unknown) => `failed: ${errorMessageOf(error)}`,
        );
      await env.clock.advance(1_000);
      expect(await now).toMatch(/^failed: /);
      source.update(named('web/a', { labels: { x: 'y' } }));
      source.create(named('web/later'));
      await env.clock.advance(1_000);
      expect(await later).toMatch(/^failed: /);
      expect(heard.view.has('web/later')).toBe(true);
      await pods.close();
      expect(await deaths()).toBe(0);
    },
  );
});

test.each(all)('U1: an overflow callback that %s is reported, and the handler continues', async (_, bad) => {
  const deaths = wouldEndTheProcess();
  const env = fakeEnv();
  const source = new FakeSource();
  const informer = new SharedInformer(source, { env }).start();
  await env.clock.advance(0);
  let finish = (): void => {};
  const slow = new Promise<void>((resolve) => (finish = resolve));
  const seen: string[] = [];
  informer.on({ add: ({ key }) => (seen.push(key), slow), overflow: bad }, { policy: 'detach', limit: 1, name: 'bad' });
  for (const name of ['a', 'b', 'c', 'd']) source.create(named(`web/${name}`));
  await env.clock.advance(0);
  finish();
  await env.clock.advance(5_000);
  expect(seen.slice(-4)).toEqual(['web/a', 'web/b', 'web/c', 'web/d']);
  expect(logged(env, 'a handler failed in overflow()')).toBe(1);
  await informer.stop();
  expect(await deaths()).toBe(0);
});

test.each(all)('U1: SharedInformer.onSynced that %s is reported', async (_, bad) => {
  const deaths = wouldEndTheProcess();
  const env = fakeEnv();
  const informer = new SharedInformer(new FakeSource(), { env });
  informer.onSynced(bad);
  informer.start();
  await env.clock.advance(0);
  expect([informer.hasSynced, logged(env, 'a callback failed')]).toEqual([true, 1]);
  await informer.stop();
  expect(await deaths()).toBe(0);
});

/** The functions of a source. Each misbehaves twice, then works. */
const SOURCES = ['list', 'watch', 'clusterId'] as const satisfies readonly Exclude<
  keyof ListWatch<KubeObject>,
  'watchListUnsupported'
>[];
test.each(SOURCES.flatMap((name) => all.map(([does, bad]) => [name, does, bad] as const)))(
  'U1, LW-02, REF-08: a source whose %s %s is asked again',
  async (name, _, bad) => {
    const deaths = wouldEndTheProcess();
    const env = fakeEnv();
    const server = new FakeSource();
    let calls = 0;
    const source: ListWatch<KubeObject> = {
      list: (options, signal) => server.list(options, signal),
      watch: (options, signal) => server.watch(options, signal),
      clusterId: async () => 'one',
      watchListUnsupported: true,
    };
    const good = source[name] as (...args: unknown[]) => unknown;
    const planted = { ...source, [name]: (...args: unknown[]) => ((calls += 1) <= 2 ? bad() : good(...args)) };
    const informer = new SharedInformer(planted, { env }).start();
    await env.clock.advance(60_000);
    server.create(named('web/later'));
    await env.clock.advance(5_000);
    expect(informer.get('web/later')).toBeDefined();
    expect(
      logged(
        env,
        name === 'clusterId' ? 'clusterId() failed' : name === 'list' ? 'list or watch failed' : 'the watch failed',
      ),
    ).toBeGreaterThan(0);
    await informer.stop();
    expect(await deaths()).toBe(0);
  },
);

/** Options of a set that its informers do not have. */
type OwnOfSet = Exclude<
  UserCodeNames<InformerSetOptions>,
  UserCodeNames<ConstructorParameters<typeof SharedInformer>[1] & object>
>;
const OF_SET = {
  /** Throws to the caller of `informer`, with a message. */
  source: (bad) => ({ source: bad }),
  modify: (bad) => ({ modify: bad }),
  transformByResource: (bad) => ({ transformByResource: { 'v1/pods': bad } }),
} satisfies Record<OwnOfSet, (bad: Misbehaviour) => Partial<InformerSetOptions>>;

test.each(answers)('U1, U4: a source factory that %s is refused where it is asked', async (_, bad) => {
  const deaths = wouldEndTheProcess();
  const informersOfSet = new InformerSet({ env: fakeEnv(), ...OF_SET.source(bad) });
  expect(() => informersOfSet.informer('v1/pods')).toThrow(/there is no source for v1\/pods: /);
  await informersOfSet.shutdown();
  expect(await deaths()).toBe(0);
});

test.each(answers)(
  'U1, U4: a modifier of queries that %s fails the cycle, which is reported and tried again',
  async (_, bad) => {
    const deaths = wouldEndTheProcess();
    const env = fakeEnv();
    const server = new FakeSource();
    let calls = 0;
    const { modify } = OF_SET.modify(((query: never) => ((calls += 1) <= 2 ? bad() : query)) as Misbehaviour);
    const set = new InformerSet({ env, source: () => server, modify, watchList: false });
    const pods = set.informer('v1/pods');
    set.start();
    await env.clock.advance(30_000);
    server.create(named('web/later'));
    await env.clock.advance(1_000);
    expect(pods.get('web/later')).toBeDefined();
    expect(calls).toBeGreaterThan(2);
    // The second failure has the same reason.
    expect(logged(env, 'list or watch failed')).toBe(1);
    await set.shutdown();
    expect(await deaths()).toBe(0);
  },
);

test.each(answers)('U1, U4, G9: a transform of a resource that %s poisons its keys', async (_, bad) => {
  const deaths = wouldEndTheProcess();
  const env = fakeEnv();
  const server = new FakeSource();
  const transform = ((object: KubeObject) => (object.metadata?.name === 'bad' ? bad() : object)) as never;
  const set = new InformerSet({ env, source: () => server, ...OF_SET.transformByResource(transform) });
  const pods = set.informer('v1/pods');
  server.create(named('web/bad'));
  server.create(named('web/later'));
  set.start();
  await env.clock.advance(0);
  expect(pods.store.keys()).toEqual(['web/later']);
  expect(pods.health().poisoned.map(({ key }) => key)).toEqual(['web/bad']);
  await set.shutdown();
  expect(await deaths()).toBe(0);
});
