import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../src/core/object/object.ts';
import { LabelSelector } from '../../../src/core/selector/selector.ts';
import { Lister } from '../../../src/cluster/lister.ts';
import type { InformerEvent } from '../../../src/informer/handlers/handlers.ts';
import type { SharedInformerOptions } from '../../../src/informer/informer-options.ts';
import { SharedInformer } from '../../../src/informer/shared-informer.ts';
import { fakeEnv, settle } from '../../../src/testing/fake-clock.ts';
import { FakeSource } from '../../../src/testing/fake-source.ts';

interface Pod extends KubeObject {
  readonly spec: { readonly nodeName: string; readonly images: readonly string[] };
}

function pod(name: string, nodeName: string, labels: Record<string, string> = {}): Pod {
  return { metadata: { namespace: 'web', name, labels }, spec: { nodeName, images: [`${nodeName}-a`, 'b'] } };
}

async function rig<I extends string = never>(options: Partial<SharedInformerOptions<Pod, I>> = {}) {
  const env = fakeEnv();
  const source = new FakeSource<Pod>();
  source.create(pod('a', 'n1', { app: 'ä', tier: '1' }));
  source.create(pod('b', 'n2', { app: 'x' }));
  source.create(pod('c', 'n1'));
  const informer = new SharedInformer<Pod, I>(source, { env, hold: 'packed', ...options } as SharedInformerOptions<
    Pod,
    I
  >);
  const events: InformerEvent<Pod>[] = [];
  const push = (event: InformerEvent<Pod>): void => void events.push(event);
  informer.on({ add: push, update: push, delete: push });
  informer.start();
  await informer.synced();
  await settle();
  return { env, source, informer, events };
}

describe('a packed informer', () => {
  test('PKD-12: an event shows what the cache shows, and a new state is a new object', async () => {
    const { source, informer, events } = await rig();
    const [first] = events;
    expect(first?.object).toBe(informer.get('web/a'));
    source.update(pod('a', 'n9'));
    await settle();
    const update = events.at(-1) as InformerEvent<Pod> & { old: Pod };
    expect(update.object).toBe(informer.get('web/a'));
    expect(update.object).not.toBe(first?.object);
    expect([update.old, update.old.spec.nodeName, update.object.spec.nodeName]).toEqual([first?.object, 'n1', 'n9']);
    await informer.stop();
  });

  test('PKD-13: what was read stays readable after a delete and a stop', async () => {
    const { source, informer, events } = await rig();
    const seen = informer.get('web/b') as Pod;
    source.delete('web/b');
    await settle();
    expect(events.at(-1)).toMatchObject({ type: 'delete', key: 'web/b' });
    await informer.stop();
    expect([seen.spec.nodeName, informer.get('web/a')?.spec.nodeName]).toEqual(['n2', 'n1']);
  });

  test('PKD-23, G18: a relist of unchanged objects keeps no second copy of them, not even while it arrives', async () => {
    const { env, source, informer, events } = await rig({ watchList: true });
    for (let i = 0; i < 400; i += 1) source.create({ ...pod(`p${i}`, 'n1'), text: String(i).repeat(4_000) } as Pod);
    await settle();
    const before = informer.health().bytes?.held ?? 0;
    const told = events.length;
    const calls = source.calls.length;
    const first = informer.get('web/p1');
    // A watch cannot resume, because of one change that it missed.
    source.cut();
    source.create(pod('late', 'n3'));
    source.expireHistory();
    await env.clock.advance(5_000);
    await settle();
    expect(source.calls.slice(calls).filter(({ options }) => 'sendInitialEvents' in options)).toHaveLength(1);
    const { held = 0, pinned, wire = 0 } = informer.health().bytes ?? {};
    expect([held - before <= 262_144, pinned, wire > 3_000_000]).toEqual([true, 0, true]);
    expect(events.slice(told).map(({ key }) => key)).toEqual(['web/late']);
    expect([informer.get('web/p1') === first, informer.list().length]).toEqual([true, 404]);
    source.cut();
    source.update(pod('p1', 'n7'));
    source.delete('web/p2');
    source.expireHistory();
    await env.clock.advance(5_000);
    await settle();
    expect([informer.get('web/p1')?.spec.nodeName, informer.get('web/p2')]).toEqual(['n7', undefined]);
    await informer.stop();
  });

  test('PKD-17: a transform is refused, also one that is set later', async () => {
    const transform = (object: Pod): Pod => object;
    const refused = expect.objectContaining({ code: 'INVALID_OPTION' });
    const source = new FakeSource<Pod>();
    expect(() => new SharedInformer<Pod>(source, { hold: 'packed', transform })).toThrow(refused);
    expect(() => new SharedInformer<Pod>(source, { hold: 'packed' }).setTransform(transform)).toThrow(refused);
    expect(() => new SharedInformer<Pod>(source, { hold: 'zip' as 'packed' })).toThrow(refused);
  });

  test.each(['packed', 'plain'] as const)('PKD-20: an index by path, %s', async (hold) => {
    const { informer, source } = await rig<'node' | 'image' | 'app'>({
      hold,
      indexers: { node: 'spec.nodeName', image: 'spec.images', app: "metadata.labels['app']" },
    });
    const names = (pods: Pod[]): string[] => pods.map(({ metadata }) => metadata?.name ?? '').sort();
    expect(names(informer.byIndex('node', 'n1'))).toEqual(['a', 'c']);
    expect(names(informer.byIndex('image', 'b'))).toEqual(['a', 'b', 'c']);
    expect(names(informer.byIndex('app', 'ä'))).toEqual(['a']);
    source.update(pod('a', 'n2'));
    await settle();
    expect([names(informer.byIndex('node', 'n1')), names(informer.byIndex('node', 'n2'))]).toEqual([['c'], ['a', 'b']]);
    expect(names(informer.store.index('node', pod('x', 'n2')))).toEqual(['a', 'b']);
    expect(() => informer.addIndexers({ bad: 'spec..x' })).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
    await informer.stop();
  });

  test('PKD-20: an index function gets what readers see', async () => {
    const { informer } = await rig({ indexers: { first: (object: Pod) => object.spec.images.slice(0, 1) } as never });
    expect(informer.store.byIndex('first' as never, 'n2-a')).toEqual([informer.get('web/b')]);
    await informer.stop();
  });

  test('PKD-21: selectors on bytes give the same result as on objects, the first time and later', async () => {
    const { informer, source } = await rig();
    const lister = new Lister<Pod>(informer.store, { resource: 'v1/pods', access: informer.access });
    const selectors = [
      'app=x',
      'app!=x',
      'app',
      '!app',
      'app in (w,x)',
      'app notin (x)',
      'app!=x,tier=1',
      'app=x,tier=2',
      'tier>0',
    ];
    const check = (): void => {
      for (const text of selectors) {
        const selector = LabelSelector.parse(text);
        const truth = informer.list().filter(({ metadata }) => selector.matches(metadata?.labels));
        expect(new Set(lister.list({ labels: text }))).toEqual(new Set(truth));
        expect(lister.list({ labels: text, namespace: 'other' })).toEqual([]);
      }
    };
    for (let round = 0; round < 3; round += 1) check();
    source.update(pod('c', 'n1', { app: 'ä' }));
    source.delete('web/a');
    await settle();
    check();
    expect(informer.store.indexNames()).toEqual(['namespace']);
    await informer.stop();
  });

  test('PKD-16: a resync announces the same states and decodes nothing', async () => {
    const { env, informer, events } = await rig({ resyncMs: 30_000 });
    const before = events.length;
    await env.clock.advance(31_000);
    const resyncs = events.slice(before);
    expect(resyncs.map((event) => event.type === 'update' && event.resync)).toEqual([true, true, true]);
    expect(informer.health().bytes?.views).toBe(0);
    expect(resyncs[0]?.object).toBe(informer.get(resyncs[0]?.key ?? ''));
    await informer.stop();
  });

  test('PKD-24: health counts the bytes, and plain caches have none to count', async () => {
    const { informer } = await rig();
    const { wire = 0, held = 0 } = informer.health().bytes ?? {};
    expect(wire).toBeGreaterThan(200);
    expect(held).toBeGreaterThanOrEqual(wire);
    const plain = await rig({ hold: 'plain' });
    expect(plain.informer.health().bytes).toBeUndefined();
    await Promise.all([informer.stop(), plain.informer.stop()]);
  });

  test('PKD-14: verify compares with the server', async () => {
    const { informer } = await rig();
    expect(await informer.verify()).toMatchObject({ consistent: true, checked: 3 });
    await informer.stop();
  });

  test('MUD-02: a change of what readers see is found, and named once', async () => {
    const found: string[] = [];
    const { env, informer } = await rig({
      freeze: false,
      detectMutations: true,
      onMutation: (_, key) => found.push(key),
    });
    const seen = informer.get('web/a') as { spec: { nodeName: string } };
    await env.clock.advance(1_000);
    expect(found).toEqual([]);
    seen.spec.nodeName = 'mine';
    await env.clock.advance(3_000);
    expect(found).toEqual(['web/a']);
    await informer.stop();
  });
});
