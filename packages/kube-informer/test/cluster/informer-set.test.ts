import fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';
import type { SourceFactory } from '../../src/cluster/informer-set-options.ts';
import type { Lister } from '../../src/cluster/lister.ts';
import { type KubeObject, type Live, type ObjectAccess, plainAccess } from '../../src/core/object/object.ts';
import { isNotFound } from '../../src/core/status.ts';
import type { ListWatch } from '../../src/informer/list-watch/list-watch.ts';
import type { SharedInformer } from '../../src/informer/shared-informer.ts';
import { EventPipe } from '../../src/testing/event-pipe.ts';
import { FakeSource } from '../../src/testing/fake-source.ts';
import { NODE, type Pod, pod, RESOURCES, rig, thrown, warnings } from './rig/informer-set.rig.ts';

describe('one informer per resource and scope', () => {
  test('FAC-01: the first request creates the informer, the second returns the same one', () => {
    const { informers, made } = rig();
    const first = informers.informer<Pod>('v1/pods');
    expect(informers.informer<Pod>('v1/pods')).toBe(first);
    expect(made).toEqual([{ resource: 'v1/pods', scope: {} }]);
  });

  test('FAC-01: another resource, namespace or selector is another informer', () => {
    const { informers } = rig();
    const all = [
      informers.informer('v1/pods'),
      informers.informer('v1/services'),
      informers.informer('v1/pods', { namespace: 'web' }),
      informers.informer('v1/pods', { labelSelector: 'app=shop' }),
      informers.informer('v1/pods', { fieldSelector: 'app=shop' }),
      informers.informer('v1/pods', { namespace: 'web', labelSelector: 'app=shop' }),
    ];
    expect(new Set(all).size).toBe(6);
    expect(new Set(all.map(({ name }) => name)).size).toBe(6);
    const narrow = { namespace: 'web', labelSelector: 'app=shop', fieldSelector: 'metadata.name=a' };
    expect(informers.informer('v1/pods', narrow).name).toBe(
      'SharedInformer v1/pods in web (labels app=shop; fields metadata.name=a)',
    );
  });

  test('FAC-01: selectors with the same meaning are one scope', () => {
    const { informers } = rig();
    const first = informers.informer('v1/pods', { labelSelector: 'tier in (b,a),app=shop', fieldSelector: 'a=1,b=2' });
    const same = { labelSelector: ' app == shop, tier in (a, b)', fieldSelector: 'b==2,a=1' };
    expect(informers.informer('v1/pods', same)).toBe(first);
    const empty = { namespace: '', labelSelector: '', fieldSelector: '' };
    expect(informers.informer('v1/pods', empty)).toBe(informers.informer('v1/pods'));
  });

  test('FAC-01: any number of requests creates exactly one informer per distinct resource and scope', () => {
    const request = fc.record({
      resource: fc.constantFrom(...RESOURCES),
      namespace: fc.constantFrom(undefined, '', 'web', 'ops'),
      labels: fc.uniqueArray(fc.constantFrom('app=shop', 'tier!=front', '!legacy'), { maxLength: 3 }),
      fields: fc.uniqueArray(fc.constantFrom('spec.nodeName=a', 'status.phase!=Running'), { maxLength: 2 }),
      asLister: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(request, { maxLength: 40 }), fc.constantFrom('', 'web'), (requests, home) => {
        const { informers, made } = rig({ namespace: home });
        const seen = new Map<string, SharedInformer>();
        for (const { resource, namespace, labels, fields, asLister } of requests) {
          const selectors = { labelSelector: labels.join(','), fieldSelector: fields.join(',') };
          const scope = namespace === undefined ? selectors : { ...selectors, namespace };
          if (asLister) informers.lister(resource, scope);
          const informer = informers.informer(resource, scope);
          const meaning = JSON.stringify([resource, namespace ?? home, labels.toSorted(), fields.toSorted()]);
          expect(seen.get(meaning) ?? informer).toBe(informer);
          seen.set(meaning, informer);
        }
        expect(new Set(seen.values()).size).toBe(seen.size);
        expect(made).toHaveLength(seen.size);
        expect(informers.health()).toHaveLength(seen.size);
      }),
    );
  });

  test('FAC-01: a later request may omit options or repeat them', () => {
    const { informers } = rig({ resyncMs: 600_000 });
    const first = informers.informer('v1/pods', { pageSize: 100, backoff: { initialMs: 500 } });
    expect(informers.informer('v1/pods')).toBe(first);
    expect(informers.informer('v1/pods', { pageSize: 100, backoff: { initialMs: 500 } })).toBe(first);
    expect(informers.informer('v1/pods', { resyncMs: 600_000 })).toBe(first);
  });

  test('FAC-01: a later request with another option is refused, and the error names the option', () => {
    const { informers } = rig({ resyncMs: 600_000 });
    informers.informer('v1/pods', { namespace: 'web', backoff: { initialMs: 500 } });
    const error = thrown(() => informers.informer('v1/pods', { namespace: 'web', resyncMs: 1_000 }));
    expect(error.code).toBe('INVALID_OPTION');
    expect(error.message).toBe(
      'v1/pods in web is shared and was created with another resyncMs: omit it, or use the same value',
    );
    expect(thrown(() => informers.lister('v1/pods', { namespace: 'web', pageSize: 7 })).message).toContain('pageSize');
    const other = { namespace: 'web', backoff: { initialMs: 501 } };
    expect(thrown(() => informers.informer('v1/pods', other)).message).toContain('backoff');
    const more = { namespace: 'web', backoff: { initialMs: 500, maxMs: 1_000 } };
    expect(thrown(() => informers.informer('v1/pods', more)).message).toContain('backoff');
  });

  test('FAC-01: options that are class instances are compared by identity', () => {
    const another = (): ObjectAccess<KubeObject> => Object.create(plainAccess) as ObjectAccess<KubeObject>;
    const { informers } = rig();
    const access = another();
    const first = informers.informer('v1/pods', { access });
    expect(informers.informer('v1/pods', { access })).toBe(first);
    const error = thrown(() => informers.informer('v1/pods', { access: another() }));
    expect(error.message).toContain('another access');
  });

  test('FAC-01: a later request adds its indexes, also to a running informer', async () => {
    const { informers, env, pods } = rig();
    pods.create({ ...pod('web/a'), spec: { nodeName: 'node-1' } });
    informers.informer<Pod>('v1/pods');
    informers.start();
    await env.clock.advance(0);
    const indexed = informers.informer<Pod>('v1/pods', { indexers: { node: NODE } });
    expect(indexed.byIndex('node', 'node-1')).toHaveLength(1);
    expect(informers.informer<Pod>('v1/pods', { indexers: { node: NODE } })).toBe(indexed);
    await informers.shutdown();
  });

  test('FAC-01: an index name with another function is refused, and no index of the request is added', () => {
    const { informers } = rig();
    const first = informers.informer<Pod>('v1/pods', { indexers: { node: NODE } });
    const error = thrown(() => informers.informer<Pod>('v1/pods', { indexers: { fresh: NODE, node: () => [] } }));
    expect(error.code).toBe('INVALID_OPTION');
    expect(error.message).toContain('v1/pods is shared and has another index "node"');
    expect(first.store.hasIndex('fresh')).toBe(false);
  });

  test('FAC-01: a refused request leaves no informer behind', () => {
    const { informers } = rig();
    expect(thrown(() => informers.informer('v1/pods', { indexers: { namespace: () => [] } })).message).toContain(
      'another index "namespace"',
    );
    expect(thrown(() => informers.informer('v1/pods', { resyncMs: -1 })).code).toBe('INVALID_OPTION');
    expect(informers.health()).toEqual([]);
  });
});

describe('listers, sources and health', () => {
  test('FAC-07, FAC-08: start also starts informers requested through their lister', async () => {
    const { informers, env, pods } = rig();
    pods.create(pod('web/a', { app: 'shop' }));
    const lister = informers.lister<Pod>('v1/pods');
    informers.start();
    await env.clock.advance(0);
    expect(lister.get('web/a').metadata?.labels).toEqual({ app: 'shop' });
    expect(lister.namespace('web').list({ labels: 'app=shop' })).toHaveLength(1);
    const missing = thrown(() => lister.get('web/b'));
    expect(isNotFound(missing)).toBe(true);
    expect(missing.message).toContain('pods "web/b" not found');
    expect(warnings(env)).toEqual([]);
    await informers.shutdown();
  });

  test('FAC-08: lister and informer of one request share the cache', async () => {
    const { informers, env, pods, made } = rig({ namespace: 'web' });
    pods.create(pod('web/a'));
    const lister = informers.lister<Pod>('v1/pods', { labelSelector: '!legacy' });
    const informer = informers.informer<Pod>('v1/pods', { labelSelector: '!legacy' });
    informers.start();
    await env.clock.advance(0);
    expect(lister.find('web/a')).toBe(informer.get('web/a'));
    expect(made).toHaveLength(1);
    await informers.shutdown();
  });

  test('FAC-07: the transform is set when the informer is created and not later', async () => {
    const { informers, env } = rig();
    const same = (object: Pod): Pod => object;
    const informer = informers.informer<Pod>('v1/pods', { transform: same });
    expect(informers.informer<Pod>('v1/pods', { transform: same })).toBe(informer);
    const other = { transform: (object: Pod): Pod => object };
    expect(thrown(() => informers.informer<Pod>('v1/pods', other)).message).toContain('another transform');
    informers.start();
    await env.clock.advance(0);
    expect(thrown(() => informer.setTransform(same)).code).toBe('ILLEGAL_STATE');
    await informers.shutdown();
  });

  test('FAC-08: a resource unknown to the source throws at once, with the cause, and leaves nothing behind', () => {
    const { informers, servers } = rig({ namespace: 'web' });
    const error = thrown(() => informers.informer('v1/gadgets'));
    expect(error.code).toBe('INVALID_OPTION');
    expect(error.message).toBe('there is no source for v1/gadgets in web: the server has no v1/gadgets');
    expect((error.cause as Error).message).toBe('the server has no v1/gadgets');
    expect(thrown(() => informers.lister('v1/gadgets')).message).toContain('there is no source');
    expect(informers.health()).toEqual([]);
    Object.assign(servers, { 'v1/gadgets': new FakeSource() });
    expect(() => informers.informer('v1/gadgets')).not.toThrow();
  });

  test('FAC-08: invalid resources and invalid sources have different errors', () => {
    const { informers } = rig({ source: (() => ({})) as unknown as SourceFactory });
    expect(thrown(() => informers.informer('v1/pods')).message).toContain(
      'expected an object with list() and watch() for v1/pods',
    );
    const { informers: late } = rig({ source: (async () => new FakeSource()) as unknown as SourceFactory });
    expect(thrown(() => late.informer('v1/pods')).message).toBe(
      'there is no source for v1/pods: source returned a promise: it must return its result, not a promise of it',
    );
    for (const resource of ['', 'pods', 'v1/', '/pods', 'a/b/c/d', 'v1/pods in web', 7 as unknown as string]) {
      expect(thrown(() => informers.informer(resource)).message).toContain('"v1/pods"');
      expect(thrown(() => informers.lister(resource)).message).toContain('"v1/pods"');
    }
  });

  test('FAC-08: the lister reads metadata as the informer does', async () => {
    interface Packed {
      readonly id: string;
    }
    const access = {
      name: (object: Packed) => object.id,
      namespace: () => undefined,
      uid: (object: Packed) => object.id,
      resourceVersion: () => '5',
      labels: () => ({ app: 'shop' }),
      annotations: () => ({}),
      type: () => ({}),
    };
    const source: ListWatch<Packed> = {
      list: async () => ({ metadata: { resourceVersion: '5' }, items: [{ id: 'a' }] }),
      watch: (_, signal) => new EventPipe(signal, () => {}),
      watchListUnsupported: true,
    };
    const { informers, env } = rig({ source: () => source });
    const lister = informers.lister<Packed>('v1/things', { access });
    informers.start();
    await env.clock.advance(0);
    expect(lister.list({ labels: 'app=shop' })).toEqual([{ id: 'a' }]);
    await informers.shutdown();
  });

  test('FAC-05: health lists every informer with its resource and scope', async () => {
    const { informers, env } = rig({ namespace: 'web' });
    informers.informer('v1/pods', { labelSelector: 'app==shop' });
    informers.start();
    informers.lister('v1/nodes', { namespace: '' });
    await env.clock.advance(0);
    expect(informers.health()).toMatchObject([
      {
        resource: 'v1/pods',
        scope: { namespace: 'web', labelSelector: 'app=shop' },
        health: { state: { kind: 'synced' } },
      },
      { resource: 'v1/nodes', scope: {}, health: { state: { kind: 'idle' } } },
    ]);
    await informers.shutdown();
  });

  test('FAC-08: types follow the request', () => {
    const { informers } = rig();
    expectTypeOf(informers.informer('v1/nodes')).toEqualTypeOf<SharedInformer<KubeObject, string>>();
    expectTypeOf(informers.informer<Pod>('v1/pods')).toEqualTypeOf<SharedInformer<Pod, string>>();
    expectTypeOf(informers.lister<Pod>('v1/pods')).toEqualTypeOf<Lister<Live<Pod>>>();
    const known = informers.informer('v1/services', { indexers: { node: NODE } });
    expectTypeOf(known).toEqualTypeOf<SharedInformer<Pod, 'node'>>();
    expectTypeOf<Parameters<typeof known.byIndex>[0]>().toEqualTypeOf<'node' | 'namespace'>();
  });
});
