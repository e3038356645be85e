import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../src/core/object/object.ts';
import type { InformerEvent } from '../../../src/informer/handlers/handlers.ts';
import type { SharedInformerOptions } from '../../../src/informer/informer-options.ts';
import { SharedInformer } from '../../../src/informer/shared-informer.ts';
import { Lister } from '../../../src/cluster/lister.ts';
import { fakeEnv, settle } from '../../../src/testing/fake-clock.ts';
import { FakeSource } from '../../../src/testing/fake-source.ts';

interface Pod extends KubeObject {
  readonly spec: { readonly nodeName: string; readonly image: string };
}

const pod = (name: string, nodeName: string, image: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'web', name, labels: { app: 'a' } },
  spec: { nodeName, image },
});

async function rig(options: SharedInformerOptions<Pod>) {
  const env = fakeEnv();
  const source = new FakeSource<Pod>();
  source.create(pod('a', 'n1', 'one'));
  source.create(pod('b', 'n2', 'one'));
  const informer = new SharedInformer<Pod>(source, { env, ...options });
  const events: InformerEvent<Pod>[] = [];
  const push = (event: InformerEvent<Pod>): void => void events.push(event);
  informer.on({ add: push, update: push, delete: push });
  informer.start();
  await informer.synced();
  await settle();
  return { env, source, informer, events };
}

describe.each(['plain', 'packed'] as const)('hold: %s', (hold) => {
  test('PKD-19: with select, the cache has the paths, the identity and nothing else', async () => {
    const { informer, source } = await rig({ hold, select: ['spec.nodeName'] });
    const held = informer.get('web/a') as Pod;
    const { uid, resourceVersion } = source.get('web/a')?.metadata ?? {};
    expect(structuredClone(held)).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: 'web', name: 'a', uid, resourceVersion },
      spec: { nodeName: 'n1' },
    });
    await informer.stop();
  });

  test('PKD-18: a change outside the selection advances the version and is not announced', async () => {
    const { informer, source, events } = await rig({ hold, select: ['spec.nodeName'] });
    const before = informer.get('web/a');
    events.length = 0;
    source.update(pod('a', 'n1', 'two'));
    await settle();
    expect([events, informer.health().outsideSelection]).toEqual([[], 1]);
    const version = source.get('web/a')?.metadata?.resourceVersion;
    expect([informer.get('web/a')?.metadata?.resourceVersion, informer.store.resourceVersion]).toEqual([
      version,
      version,
    ]);
    source.update(pod('a', 'n3', 'two'));
    await settle();
    expect(events).toMatchObject([{ type: 'update', key: 'web/a', object: { spec: { nodeName: 'n3' } } }]);
    expect(before?.spec.nodeName).toBe('n1');
    source.delete('web/a');
    await settle();
    expect(events.at(-1)).toMatchObject({ type: 'delete', key: 'web/a' });
    await informer.stop();
  });

  test('PKD-18: a list that follows a gap announces what can be seen of it', async () => {
    const { informer, source, events, env } = await rig({ hold, select: ['spec.nodeName'] });
    events.length = 0;
    source.loseNext(2);
    source.update(pod('a', 'n1', 'two'));
    source.update(pod('b', 'n4', 'two'));
    source.expireHistory();
    source.cut();
    await env.clock.advance(60_000);
    expect(events).toMatchObject([{ type: 'update', key: 'web/b', object: { spec: { nodeName: 'n4' } } }]);
    expect(informer.health().outsideSelection).toBe(1);
    await informer.stop();
  });

  test('PKD-17: with omit, the cache has all but the paths, and every change is announced', async () => {
    const { informer, source, events } = await rig({ hold, omit: ['spec.image'] });
    expect(structuredClone(informer.get('web/a')?.spec)).toEqual({ nodeName: 'n1' });
    events.length = 0;
    source.update(pod('a', 'n1', 'two'));
    await settle();
    expect(events).toMatchObject([{ type: 'update', key: 'web/a' }]);
    expect(informer.health().outsideSelection).toBe(0);
    await informer.stop();
  });

  test('PKD-21: reading labels that are not kept is refused, not treated as no labels', async () => {
    const refused = expect.objectContaining({ code: 'INVALID_OPTION' });
    const { informer } = await rig({ hold, select: ['spec.nodeName'] });
    const lister = new Lister<Pod>(informer.store, { resource: 'v1/pods', access: informer.access });
    expect(() => lister.list({ labels: { app: 'a' } })).toThrow(refused);
    await informer.stop();
    const whole = await rig({ hold, select: ['metadata.labels'] });
    const other = new Lister<Pod>(whole.informer.store, { resource: 'v1/pods', access: whole.informer.access });
    expect(other.list({ labels: { app: 'a' } })).toHaveLength(2);
    await whole.informer.stop();
  });

  test('PKD-19: options that contradict each other are refused', () => {
    const refused = expect.objectContaining({ code: 'INVALID_OPTION' });
    const create = (options: SharedInformerOptions<Pod>) => () =>
      new SharedInformer<Pod>(new FakeSource<Pod>(), options);
    expect(create({ hold, select: ['spec'], omit: ['status'] })).toThrow(refused);
    expect(create({ hold, select: ['spec'], transform: (object) => object })).toThrow(refused);
    expect(create({ hold, omit: ['metadata.name'] })).toThrow(refused);
    expect(create({ hold, select: ['a b'] })).toThrow(refused);
  });
});
