import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/core/object/object.ts';
import { InformerSet } from '../../src/cluster/informer-set.ts';
import { filtered } from '../../src/informer/handlers/filtered.ts';
import { HandlerQueue } from '../../src/informer/handlers/handler-queue.ts';
import { SharedInformer } from '../../src/informer/shared-informer.ts';
import { namespaceKeyedIndexerAndReflector } from '../../src/informer/indexer-and-reflector.ts';
import { fakeEnv, settle } from '../../src/testing/fake-clock.ts';
import { FakeSource } from '../../src/testing/fake-source.ts';

const pod = (name: string): KubeObject => ({ metadata: { namespace: 'web', name } });

test('G13, G16: a log that throws ends nothing: the informer syncs, a failing handler continues, and stop returns', async () => {
  const env = fakeEnv({
    log: () => {
      throw new Error('no such level');
    },
  });
  const source = new FakeSource();
  source.create(pod('a'));
  const informer = new SharedInformer(source, { env });
  const heard: string[] = [];
  informer.on({
    add({ key }) {
      heard.push(key);
      throw new Error('not today');
    },
  });
  informer.start();
  await env.clock.advance(0);
  source.create(pod('b'));
  await env.clock.advance(1_000);
  expect(heard).toEqual(['web/a', 'web/b']);
  await informer.stop();
  expect(env.clock.sleeping).toBe(0);
});

test('MET-08: metrics that throw end nothing', async () => {
  const env = fakeEnv();
  const fails = (): never => {
    throw new Error('registry full');
  };
  const broken = { inc: fails, set: fails, observe: fails };
  const source = new FakeSource();
  const identifier = { name: 'a', resource: 'v1/pods', reserved: true };
  const metrics = { counter: () => broken, gauge: () => broken, histogram: () => broken };
  const informer = new SharedInformer(source, { env, identifier, metrics });
  informer.start();
  source.create(pod('a'));
  await env.clock.advance(0);
  expect(informer.hasSynced).toBe(true);
  source.create(pod('b'));
  await env.clock.advance(0);
  expect(informer.list()).toHaveLength(2);
  await informer.stop();
});

test('G21, INF-12: stop waits for the running callback of a handler that was removed', async () => {
  const env = fakeEnv();
  const source = new FakeSource();
  source.create(pod('a'));
  const informer = new SharedInformer(source, { env });
  let finish = (): void => {};
  const registration = informer.on({ add: () => new Promise<void>((resolve) => (finish = resolve)) });
  informer.start();
  await env.clock.advance(0);
  registration.remove();
  let stopped = false;
  const stopping = informer.stop().then(() => (stopped = true));
  await settle();
  expect(stopped).toBe(false);
  finish();
  await stopping;
});

test('G14, G16: while a blocking handler stops the informer, the state shows it, and the watchdog still works', async () => {
  const env = fakeEnv();
  const source = new FakeSource();
  const informer = new SharedInformer(source, { env });
  informer.on({ add: () => new Promise<void>(() => {}) }, { policy: 'block', limit: 1 });
  informer.start();
  await env.clock.advance(0);
  for (let i = 0; i < 2_100; i += 1) source.create(pod(`p${i}`));
  await env.clock.advance(10_001);
  expect(informer.state).toMatchObject({ kind: 'stale', reason: 'backlog' });
  const before = source.calls.length;
  await env.clock.advance(700_000);
  expect(source.calls.length).toBeGreaterThan(before);
  const stopping = informer.stop();
  await env.clock.advance(30_000); // the callback never settles; the grace period does
  await stopping;
});

test('F82: a merged queue of many keys is drawn in order, to the last one', () => {
  const queue = new HandlerQueue<KubeObject>(1);
  const keys = 20_000;
  for (let i = 0; i < keys; i += 1) queue.push({ type: 'add', key: `k${i}`, object: pod(`k${i}`), initial: false });
  const order: string[] = [];
  for (let event = queue.shift(); event !== undefined; event = queue.shift()) order.push(event.key);
  expect(order).toHaveLength(keys);
  expect(order[0]).toBe('k0');
  expect(order.at(-1)).toBe(`k${keys - 1}`);
  expect(queue.isMerging).toBe(false);
});

test('H2: merged events read their objects only when asked', () => {
  const queue = new HandlerQueue<KubeObject>(1);
  let decoded = 0;
  const packed = (name: string): KubeObject => {
    decoded += 1;
    return pod(name);
  };
  const update = (n: number) => ({
    type: 'update' as const,
    key: 'web/a',
    get object() {
      return packed(`new${n}`);
    },
    get old() {
      return packed(`old${n}`);
    },
    replaced: false,
    resync: false,
  });
  for (let n = 0; n < 5; n += 1) queue.push(update(n));
  const event = queue.shift();
  expect(queue.length).toBe(0);
  expect(decoded).toBe(0);
  expect(event?.type === 'update' && event.old.metadata?.name).toBe('old0');
  expect(event?.object.metadata?.name).toBe('new4');
});

test('FAC-01, MET-07: a refused request does not use up the name under which the next one reports', () => {
  const env = fakeEnv();
  const set = new InformerSet({ source: () => new FakeSource(), env, name: 'review-app' });
  expect(() => set.informer('v1/pods', { indexers: { namespace: () => [] } })).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTION' }),
  );
  set.informer('v1/pods');
  expect(env.lines.filter(({ message }) => message.includes('no metrics'))).toEqual([]);
  return set.shutdown();
});

test('REF-16: the convenience constructor stores under the key function it is given', async () => {
  const env = fakeEnv();
  const source = new FakeSource();
  source.create(pod('a'));
  const stop = new AbortController();
  const { indexer, reflector } = namespaceKeyedIndexerAndReflector(source, {
    env,
    key: (object) => `K-${object.metadata?.name}`,
  });
  const running = reflector.run(stop.signal);
  await env.clock.advance(0);
  expect(indexer.keys()).toEqual(['K-a']);
  stop.abort();
  await running;
});

test('EVH-07: a filtered handler is named after the one behind the filter', async () => {
  class Shop {
    add(): void {}
  }
  const informer = new SharedInformer(new FakeSource(), { env: fakeEnv() });
  informer.on(filtered(() => true, new Shop()));
  expect(informer.health().handlers.map(({ name }) => name)).toEqual(['filtered Shop']);
  await informer.stop();
});
