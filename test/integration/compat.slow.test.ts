import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { startApiServer } from '@kube-informer/apiserver';
import type { KubeObject } from 'kube-informer';
import { type KubeConfigLike, ListWatch, makeInformer } from 'kube-informer/compat';
import { describe, expect, onTestFinished, test } from 'vitest';

/** The part of client-node's KubeConfig that is used; test/real/client-node/compat.test.ts uses the real one. */
function config(
  cluster: { server: string },
  user: object,
  apply: (options: object) => void = () => {},
): KubeConfigLike {
  return {
    getCurrentCluster: () => cluster,
    getCurrentUser: () => user,
    applyToHTTPSOptions: async (options: object) => apply(options),
  };
}

describe('makeInformer of kube-informer/compat on the embedded server', () => {
  async function rig() {
    const server = await startApiServer();
    onTestFinished(() => server.close());
    const dir = await mkdtemp(join(tmpdir(), 'compat-'));
    onTestFinished(() => rm(dir, { recursive: true, force: true }));
    const caFile = join(dir, 'ca.crt');
    await writeFile(caFile, server.ca ?? '');
    const cluster = { server: server.url, caFile: relative(process.cwd(), caFile) };
    const load = (name: string, labels: Record<string, string> = {}): number =>
      server.load([{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default', labels } }]);
    return { server, load, config: config(cluster, { token: server.token }), cluster };
  }
  const PATH = '/api/v1/namespaces/default/configmaps';
  const namesOf = (objects: readonly KubeObject[]): string[] =>
    objects.map(({ metadata }) => metadata?.name ?? '').toSorted();

  test('all objects have one shape, and it survives a cut and a failing server', async () => {
    const { server, load, config: given } = await rig();
    load('one');
    const informer = makeInformer<KubeObject>(given, PATH);
    onTestFinished(() => informer.stop());
    const errors: { statusCode?: number }[] = [];
    let connects = 0;
    informer.on('error', (error) => errors.push(error));
    informer.on('connect', () => void (connects += 1));
    await informer.start();
    expect(connects).toBe(1);
    await server.waitFor({ watches: 1 }); // or there is nothing to cut
    const failing = server.faults.add({ match: { verb: 'watch' }, do: { status: 500 }, times: 2 });
    server.faults.cutWatches();
    await expect.poll(() => errors.filter(({ statusCode }) => statusCode === 500).length, { timeout: 30_000 }).toBe(2);
    failing.remove();
    load('two');
    await expect.poll(() => namesOf(informer.list()), { timeout: 30_000 }).toContain('two');
    await expect.poll(() => connects).toBe(2);
    const shapes = informer
      .list()
      .map(({ kind, apiVersion, metadata }) => [kind, apiVersion, Object(metadata?.creationTimestamp) instanceof Date]);
    expect(new Set(shapes.map(String))).toEqual(new Set(['ConfigMap,v1,true']));
    await informer.stop();
    await expect.poll(() => server.watchers().length).toBe(0);
  });

  test('selectors: by parameter, in the path, and those of ListWatch', async () => {
    const { load, config: given } = await rig();
    load('blue', { colour: 'blue' });
    load('red', { colour: 'red' });
    const byParameter = makeInformer<KubeObject>(given, PATH, undefined, 'colour=blue');
    const inPath = makeInformer<KubeObject>(given, `${PATH}?labelSelector=${encodeURIComponent('colour=red')}`);
    const both = new ListWatch<KubeObject>(PATH, { config: given }, undefined, false, 'colour', 'metadata.name=red');
    onTestFinished(async () => void (await Promise.all([byParameter, inPath, both].map((one) => one.stop()))));
    await Promise.all([byParameter.start(), inPath.start(), both.start()]);
    expect(namesOf(byParameter.list())).toEqual(['blue']);
    expect(namesOf(inPath.list())).toEqual(['red']);
    expect(namesOf(both.list())).toEqual(['red']);
  });

  test('credentials that only the KubeConfig has', async () => {
    const { server, load, cluster } = await rig();
    load('one');
    let asked = 0;
    const apply = (options: object): void => {
      asked += 1;
      Object.assign(options, { headers: { Authorization: `Bearer ${server.token}` } });
    };
    const given = config(cluster, { authProvider: { name: 'mine' } }, apply);
    const informer = makeInformer<KubeObject>(given, PATH);
    onTestFinished(() => informer.stop());
    await informer.start();
    expect(namesOf(informer.list())).toContain('one');
    expect(asked).toBeGreaterThan(0);
  });
});
