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
