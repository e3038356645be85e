import { createServer } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { ClusterInformer } from '../../src/cluster/cluster-informer.ts';
import type { KubeObject } from '../../src/core/object/object.ts';
import { settle } from '../../src/testing/fake-clock.ts';
import { named, rig } from './rig/cluster.rig.ts';

describe('close', () => {
  test('every call waits for running callbacks, and so does close of the cluster', async () => {
    const { cluster, source, env } = rig();
    const pods = cluster.informer('v1/pods');
    source('v1/pods *').create(named('web/a'));
    let running = 0;
    pods.on({
      add: async () => {
        running += 1;
        await env.sleep(1_500);
        running -= 1;
      },
    });
    await pods.synced();
    await settle();
    expect(running).toBe(1);
    const seen: string[] = [];
    const ended = (name: string) => (): void => void seen.push(`${name} ${running}`);
    void pods.close().then(ended('first'));
    void pods.close().then(ended('second'));
    const all = cluster.close().then(ended('cluster'));
    await env.clock.advance(1_499);
    expect(seen).toEqual([]);
    await env.clock.advance(1);
    await all;
    expect(seen.toSorted()).toEqual(['cluster 0', 'first 0', 'second 0']);
  });

  test('a closed cluster is not ready', async () => {
    const { cluster } = rig();
    expect(cluster.health()).toMatchObject({ ready: true, live: true });
    await cluster.close();
    expect(cluster.health()).toMatchObject({ ready: false, live: true, reasons: ['the cluster is closed'] });
    const server = createServer(cluster.probes());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const statuses = await Promise.all(
      ['readyz', 'livez'].map(async (probe) => (await fetch(`http://127.0.0.1:${port}/${probe}`)).status),
    );
    expect(statuses).toEqual([503, 200]);
    server.close();
  });
});

describe('names without a namespace', () => {
  test('LIS-05: a name alone means the namespace that is held, or that of the connection, as for requests', async () => {
    const { cluster, source } = rig();
    source('v1/pods *').create(named('default/a'));
    source('v1/pods web').create(named('web/b'));
    source('v1/nodes *').create({ metadata: { name: 'n' } });
    const all = cluster.informer('v1/pods');
    const web = cluster.informer('v1/pods', { namespace: 'web' });
    const nodes = cluster.informer('v1/nodes');
    await Promise.all([all, web, nodes].map((informer) => informer.synced()));
    expect([all.get('a'), all.get('b'), web.get('b'), nodes.get('n')].map((found) => found?.metadata?.name)).toEqual([
      'a', undefined, 'b', 'n',
    ]); // prettier-ignore
    const later = all.waitFor('c', (pod) => pod !== undefined);
    source('v1/pods *').create(named('default/c'));
    expect((await later)?.metadata?.namespace).toBe('default');
    await cluster.close();
  });

  test('LIS-05: with several namespaces that of the connection must be among them', async () => {
    const { cluster } = rig();
    const some = cluster.informer('v1/pods', { namespace: ['web', 'db'] });
    expect(() => some.get('a')).toThrow('namespace default is not cached: this informer of v1/pods holds web, db only');
    await cluster.close();
  });
});

describe('waitFor', () => {
  test('has one timeout for the sync and the condition together, and says which of them failed', async () => {
    const { cluster, source, env } = rig();
    source('v1/pods *').delayLists(env.sleep(2_000));
    const pods = cluster.informer('v1/pods', { watchList: false });
    const late = pods.waitFor('web/a', (pod) => pod !== undefined, { timeoutMs: 3_000 }).catch((error: Error) => error);
    let isOver = false;
    void late.then(() => (isOver = true));
    await env.clock.advance(2_999);
    expect(isOver).toBe(false);
    await env.clock.advance(1);
    expect(await late).toMatchObject({
      code: 'SYNC_FAILED',
      message: 'v1/pods web/a did not meet the condition within 3000 ms (the object does not exist)',
    });
  });
});

describe('a namespace that was not requested', () => {
  const reads: [string, (pods: ClusterInformer<KubeObject>) => unknown][] = [
    ['list', (pods) => pods.list({ namespace: 'zz' })],
    ['get', (pods) => pods.get('zz/x')],
    ['get without a namespace', (pods) => pods.get('x')],
    ['waitFor', (pods) => pods.waitFor('zz/x', () => true)],
    ['waitFor without a namespace', (pods) => pods.waitFor('x', () => true)],
  ];
  test.each(reads)('is refused by %s', async (_, read) => {
    const { cluster } = rig();
    const pods = cluster.informer<KubeObject>('v1/pods', { namespace: ['a', 'b'] });
    await pods.synced();
    const failed = (async () => read(pods as never))().catch((error: Error) => error);
    expect(await failed).toMatchObject({ code: 'INVALID_OPTION', message: expect.stringContaining('holds a, b only') });
    expect(pods.list({ namespace: 'a' })).toEqual([]);
    expect(pods.get('b/x')).toBeUndefined();
  });

  test('is empty if all namespaces were requested, and a key may have none', async () => {
    const { cluster, source } = rig();
    source('v1/nodes *').create({ metadata: { name: 'one' } });
    const nodes = cluster.informer('v1/nodes');
    await nodes.synced();
    expect(nodes.get('one')?.metadata?.name).toBe('one');
    expect(nodes.list({ namespace: 'zz' })).toEqual([]);
  });
});

test('a request refused for one namespace adds nothing to the others', () => {
  const { cluster } = rig();
  const [f, g] = [() => ['f'], () => ['g']];
  const a = cluster.informer('v1/pods', { namespace: 'a' });
  cluster.informer('v1/pods', { namespace: 'b', indexers: { node: g } });
  expect(() => cluster.informer('v1/pods', { namespace: ['a', 'b'], indexers: { node: f } })).toThrow(/another index/);
  expect(() => cluster.informer('v1/pods', { namespace: 'a', indexers: { node: g } })).not.toThrow();
  expect(a.health()).toHaveLength(1);
});

test('a custom resource can be cached as metadata only', async () => {
  interface Widget extends KubeObject {
    readonly spec: { readonly size: number };
  }
  const { cluster, source } = rig();
  source('metadata example.com/v1/widgets *').create(named('web/w'));
  const widgets = cluster.informer<Widget>('example.com/v1/widgets', { metadataOnly: true });
  await widgets.synced();
  expect(widgets.get('web/w')?.metadata?.name).toBe('w');
});
