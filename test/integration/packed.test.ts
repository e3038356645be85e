import { isDeepStrictEqual } from 'node:util';
import { startApiServer } from '@kube-informer/apiserver';
import { Cluster } from 'kube-informer';
import { describe, expect, onTestFinished, test } from 'vitest';

const pod = (name: string, phase: string, labels: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', labels, annotations: { text: 'ünï – 字 😀' } },
  spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'example/c:1', env: [{ name: 'A', value: 'b' }] }] },
  status: { phase, podIP: '10.0.0.1' },
});

describe.each(['auto', 'json'] as const)('wire: %s', (wire) => {
  test('PKD-01, PKD-20, PKD-21: objects of a packed cache equal those of a request, after a list and after events', async () => {
    const server = await startApiServer();
    onTestFinished(() => server.close());
    server.load(Array.from({ length: 300 }, (_, at) => pod(`p${at}`, 'Pending', { app: `a${at % 7}` })));
    const cluster = await Cluster.connect({ kubeconfig: server.kubeconfig() });
    onTestFinished(() => cluster.close());
    const packed = cluster.informer('v1/pods', { hold: 'packed', wire, indexers: { node: 'spec.nodeName' } });
    const updated: (string | undefined)[] = [];
    packed.on({ update: ({ object }) => updated.push(object.metadata?.name) });
    await packed.synced({ timeoutMs: 30_000 });
    const pods = cluster.resource('v1/pods');
    const agrees = async (): Promise<void> => {
      const { items } = await pods.list({ namespace: 'default', wire });
      const held = new Map(packed.list().map((object) => [object.metadata?.name, object]));
      expect(held.size).toBe(items.length);
      const odd = items.filter((item) => !isDeepStrictEqual(structuredClone(held.get(item.metadata?.name)), item));
      expect(odd.map(({ metadata }) => metadata?.name)).toEqual([]);
    };
    await agrees();
    expect(packed.list({ labels: { app: 'a3' } })).toHaveLength(43);
    expect(packed.byIndex('node', 'n1')).toHaveLength(300);

    await pods.patch('default/p5', { metadata: { labels: { app: 'new' } } });
    await packed.waitFor('default/p5', (object) => object?.metadata?.labels?.['app'] === 'new', { timeoutMs: 30_000 });
    await pods.delete('default/p6');
    await packed.waitFor('default/p6', (object) => object === undefined, { timeoutMs: 30_000 });
    await agrees();
    expect(updated).toContain('p5');
  });
});

describe.each(['auto', 'json'] as const)('select and omit, wire: %s', (wire) => {
  test.each(['plain', 'packed'] as const)(
    'PKD-18, PKD-19: a cache of some paths beside one of whole objects, hold: %s',
    async (hold) => {
      const server = await startApiServer();
      onTestFinished(() => server.close());
      server.load(Array.from({ length: 20 }, (_, at) => pod(`p${at}`, 'Pending', { app: `a${at % 7}` })));
      const cluster = await Cluster.connect({ kubeconfig: server.kubeconfig() });
      onTestFinished(() => cluster.close());
      const some = cluster.informer('v1/pods', { hold, wire, select: ['spec.nodeName', 'status.phase'] });
      const most = cluster.informer('v1/pods', { hold, wire, omit: ['metadata.managedFields', 'spec.containers.env'] });
      const whole = cluster.informer('v1/pods', { hold, wire });
      const updated: string[] = [];
      some.on({ update: ({ key }) => updated.push(key) });
      const caches = [some, most, whole];
      await Promise.all(caches.map((cache) => cache.synced({ timeoutMs: 30_000 })));
      expect(cluster.caches()).toHaveLength(3);
      const { items } = await cluster.resource('v1/pods').list({ namespace: 'default', wire });
      for (const item of items) {
        const key = `default/${item.metadata?.name}`;
        const { name, namespace, uid, resourceVersion } = item.metadata ?? {};
        expect(structuredClone(some.get(key))).toEqual({
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name, namespace, uid, resourceVersion },
          spec: { nodeName: 'n1' },
          status: { phase: 'Pending' },
        });
        const { managedFields: _, ...metadata } = item.metadata ?? {};
        const containers = item.spec?.containers?.map(({ env: __, ...container }) => container);
        expect(structuredClone(most.get(key))).toEqual({ ...item, metadata, spec: { ...item.spec, containers } });
        expect(structuredClone(whole.get(key))).toEqual(item);
      }
      const pods = cluster.resource('v1/pods');
      await pods.patch('default/p5', { metadata: { labels: { app: 'new' } } });
      const { metadata } = await pods.patch('default/p6', { status: { phase: 'Running' } }, { subresource: 'status' });
      await some.waitForVersion(metadata?.resourceVersion ?? '', { timeoutMs: 30_000 });
      await some.waitFor('default/p6', (object) => object?.status?.phase === 'Running', { timeoutMs: 30_000 });
      await expect.poll(() => updated).toEqual(['default/p6']);
      expect(some.health()[0]?.outsideSelection).toBe(1);
    },
  );
});
