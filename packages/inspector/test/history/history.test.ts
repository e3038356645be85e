import fc from 'fast-check';
import type { InformerEvent, KubeObject } from 'kube-informer';
import { systemEnv } from 'kube-informer/core';
import { describe, expect, test } from 'vitest';
import { History } from '../../src/history/inspector-history.ts';
import type { ObjectDetail, Overview, Timeline } from '../../src/protocol/messages.ts';
import { configMap, rig } from '../rigs/inspector.ts';

const object = (version: number): KubeObject => ({ metadata: { name: 'x', resourceVersion: String(version) } });
const update = (key: string, version: number): InformerEvent<KubeObject> => ({
  type: 'update', key, object: object(version), old: object(version - 1), replaced: false, resync: false,
}); // prettier-ignore

describe('history', () => {
  test('the version before the first change is kept; resyncs and initial adds are not changes', () => {
    const history = new History();
    history.note('c', { type: 'add', key: 'a', object: object(1), initial: true }, 1);
    history.note('c', { ...update('a', 1), resync: true } as InformerEvent<KubeObject>, 2);
    expect(history.of('c', 'a')).toEqual([]);
    history.note('c', update('a', 2), 3);
    history.note('c', { type: 'delete', key: 'a', object: object(3), finalStateUnknown: false }, 4);
    expect(history.of('c', 'a').map(({ type, at }) => [type, at])).toEqual([
      ['before', undefined],
      ['update', 3],
      ['delete', 4],
    ]);
    history.forget('c');
    expect([history.of('c', 'a'), history.size]).toEqual([[], 0]);
  });

  test('S48: it never exceeds its limits, per object and in total, and keeps the newest versions', () => {
    const steps = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('one', 'two')), { maxLength: 80 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 12 }), (all, perObject, inAll) => {
        const history = new History({ perObject, inAll });
        for (const [at, [key, cache]] of all.entries()) {
          history.note(cache, update(key, at + 1), at);
          expect(history.of(cache, key).at(-1)?.at).toBe(at);
          const sizes = ['a', 'b', 'c', 'd'].flatMap((one) => [history.of('one', one).length, history.of('two', one).length]);
          expect(Math.max(...sizes)).toBeLessThanOrEqual(perObject);
          expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(history.size);
          expect(history.size).toBeLessThanOrEqual(inAll);
        }
      }),
    );
  }); // prettier-ignore
});

describe('the details of an object', () => {
  test('versions with their changes, newest first, also after it is deleted', async () => {
    const { server, cluster, json, ask } = await rig();
    const made = server.local.create('', 'configmaps', configMap('one', { a: '1' }));
    const maps = cluster.informer('v1/configmaps');
    await maps.synced({ timeoutMs: 30_000 });
    await ask('/api/overview');
    server.local.update('', 'configmaps', { ...made, data: { a: '2' } });
    await maps.waitFor('default/one', (one) => one?.data?.['a'] === '2', { timeoutMs: 30_000 });
    const path = '/api/object?cache=v1/configmaps&key=default/one';
    await expect.poll(async () => (await json<ObjectDetail>(path)).versions.length, { timeout: 30_000 }).toBe(2);
    const detail = await json<ObjectDetail>(path);
    expect(detail).toMatchObject({ kind: 'ConfigMap', namespace: 'default', name: 'one', isDeleted: false, isMasked: false });
    expect(detail.versions[0]).toMatchObject({ type: 'update', added: 1, removed: 1, paths: ['data.a'] });
    expect(detail.versions[0]?.changes.filter(({ kind }) => kind !== 'same' && kind !== 'gap')).toEqual([
      { kind: 'removed', text: '  a: "1"' },
      { kind: 'added', text: '  a: "2"' },
    ]);
    server.local.remove('', 'configmaps', 'default', 'one');
    await expect.poll(async () => (await json<ObjectDetail>(path)).deletedAt, { timeout: 30_000 }).toBeDefined();
    const gone = await json<ObjectDetail>(path);
    expect(gone.versions.map(({ type }) => type)).toEqual(['delete', 'update', 'before']);
    expect(gone).toMatchObject({ isDeleted: true, deletedAt: gone.versions[0]?.at, status: 'deleted', tone: 'bad' });
    expect((await ask('/api/object?cache=v1/configmaps&key=default/never')).status).toBe(404);
  }); // prettier-ignore

  test('S104: all owners and dependents, across caches and not across namespaces; owners that are in no cache are named', async () => {
    const { server, cluster, json } = await rig();
    const owned = (name: string, owners: readonly { readonly name: string; readonly uid: string }[]) =>
      server.local.create('', 'configmaps', configMap(name, {}, { ownerReferences: owners.map((one) => ({ apiVersion: 'v1', kind: 'ConfigMap', ...one })) }));
    const uidOf = ({ metadata }: KubeObject): string => metadata?.uid ?? '';
    const top = owned('top', [{ name: 'unknown', uid: 'nobody-keeps-this' }]);
    const middle = owned('middle', [{ name: 'top', uid: uidOf(top as KubeObject) }]);
    owned('leaf-b', [{ name: 'middle', uid: uidOf(middle as KubeObject) }]);
    owned('leaf-a', [{ name: 'middle', uid: uidOf(middle as KubeObject) }]);
    // The same name with another uid is another object.
    owned('stranger', [{ name: 'middle', uid: 'of-an-earlier-middle' }]);
    // Planted in another namespace, where it can own no object.
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'middle', uid: uidOf(middle as KubeObject) };
    server.local.create('', 'configmaps', configMap('planted', {}, { namespace: 'kube-system', ownerReferences: [reference] }));
    await cluster.informer('v1/configmaps').synced({ timeoutMs: 30_000 });
    await cluster.informer('v1/configmaps', { metadataOnly: true }).synced({ timeoutMs: 30_000 });
    const read = (key: string) => json<ObjectDetail>(`/api/object?cache=v1/configmaps&key=${key}`);
    const { owners, owned: below } = await read('default/middle');
    expect(owners.map(({ name, cache, depth }) => [name, cache, depth])).toEqual([['unknown', undefined, -2], ['top', 'v1/configmaps', -1]]);
    expect(below.map(({ name, depth }) => [name, depth])).toEqual([['leaf-a', 1], ['leaf-b', 1]]);
    expect((await read('default/stranger')).owners).toMatchObject([{ name: 'middle', depth: -1 }]);
    expect((await read('default/stranger')).owners[0]?.cache).toBeUndefined();
    expect((await read('default/top')).owned.map(({ name, depth }) => [name, depth])).toEqual([['middle', 1], ['leaf-a', 2], ['leaf-b', 2]]);
  }); // prettier-ignore

  test('the failed watch, the wait and the next watch are in the timeline, and counted as a restart', async () => {
    const { server, cluster, json } = await rig();
    const maps = cluster.informer('v1/configmaps');
    await maps.synced({ timeoutMs: 30_000 });
    await json('/api/overview');
    // The watch may not be open yet.
    await expect.poll(() => server.faults.cutWatches(), { timeout: 30_000 }).toBe(1);
    const read = async () => (await json<Overview>('/api/overview')).caches[0];
    await expect.poll(read, { timeout: 30_000 }).toMatchObject({ restarts: 1, state: 'synced' });
    const last = async () => (await json<Timeline>('/api/timeline')).informers[0]?.steps.at(-1);
    await expect.poll(async () => [(await last())?.kind, (await last())?.endedAt], { timeout: 30_000 }).toEqual(['watch', undefined]);
    expect(await read()).toMatchObject({ id: 'v1/configmaps', lastRestart: { because: expect.stringMatching(/./) } });
    const { informers } = await json<Timeline>('/api/timeline');
    const steps = informers[0]?.steps ?? [];
    expect(steps.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['watch', 'watch']));
    const [broken] = steps.filter(({ kind }) => kind === 'watch');
    expect(broken).toMatchObject({ endedAt: expect.any(Number), because: expect.stringMatching(/./), failed: true });
    expect(steps.at(-1)).toMatchObject({ kind: 'watch' });
    expect(steps.at(-1)?.endedAt).toBeUndefined();
  }); // prettier-ignore

  test('a watch that ends at its timeout is opened again and not counted as a restart', async () => {
    const { server, cluster, json } = await rig();
    await cluster.informer('v1/configmaps').synced({ timeoutMs: 30_000 });
    const watches = async () =>
      (await json<Timeline>('/api/timeline')).informers[0]?.steps.filter(({ kind }) => kind === 'watch') ?? [];
    // A watch that ends within a second counts as a failure.
    await expect.poll(async () => (await watches()).length, { timeout: 30_000 }).toBe(1);
    await systemEnv.sleep(1_100);
    server.faults.add({ match: { verb: 'watch' }, at: { event: 0 }, do: { end: true } });
    server.local.create('', 'configmaps', configMap('one'));
    await expect.poll(async () => (await watches()).length, { timeout: 30_000 }).toBe(2);
    expect((await watches())[0]).toMatchObject({ because: 'the server ended it', failed: false });
    expect((await json<Overview>('/api/overview')).caches[0]).toMatchObject({ restarts: 0 });
    await expect.poll(() => server.faults.cutWatches(), { timeout: 30_000 }).toBe(1);
    const read = async () => (await json<Overview>('/api/overview')).caches[0];
    await expect.poll(read, { timeout: 30_000 }).toMatchObject({ restarts: 1 });
  });
});
