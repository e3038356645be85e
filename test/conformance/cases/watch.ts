import { expect, test } from 'vitest';
import { expectFailure } from '../rig/failures.ts';
import { configMap, type Fixture, lease, scattered } from '../rig/fixture.ts';
import type { Body, Frame, Watch } from '../rig/target.ts';

/** The type and the name of a frame: `ADDED a`. */
const summary = ({ type, object }: Frame): string => `${type} ${object.metadata.name}`;
const version = ({ object }: Frame): number => Number(object.metadata.resourceVersion);

async function next(watch: Watch, count: number): Promise<string[]> {
  return (await watch.take(count)).map(summary);
}

/** The version of a list made now, from which a watch can begin. */
async function now(f: Fixture, path: string): Promise<string> {
  return (await f.get(path)).metadata.resourceVersion;
}

/** Cases 70 to 78 and 88 to 91: which events a stream holds. */
export function watchCases(fixture: () => Fixture): void {
  test('case 70: a watch sends every write, in order, one JSON document per line', async () => {
    const f = fixture();
    const { leases } = await f.space();
    const json = { accept: 'application/json' };
    using watch = await f.http.watch(leases, { resourceVersion: await now(f, leases) }, json);
    expect(watch.headers['content-type']).toBe('application/json');
    await f.create(leases, lease('a'));
    const updated = await f.merge(`${leases}/a`, { spec: { holderIdentity: 'b' } });
    await f.remove(`${leases}/a`);
    const frames = await watch.take(3);
    expect(frames.map(summary)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']);
    for (const { object } of frames) {
      expect(object).toMatchObject({ kind: 'Lease', apiVersion: 'coordination.k8s.io/v1' });
    }
    const [added, modified, deleted] = frames.map(version) as [number, number, number];
    expect(added).toBeLessThan(modified);
    expect(modified).toBe(Number(updated.metadata.resourceVersion));
    expect(deleted).toBeGreaterThan(modified);
    expect(frames[2]?.object.spec).toEqual({ holderIdentity: 'b' });
    expect(watch.lines.map((line) => Object.keys(JSON.parse(line) as object))).toEqual(
      frames.map(() => ['type', 'object']),
    );
  });

  test('case 71: a watch without a version begins with all objects', async () => {
    const f = fixture();
    const { leases } = await f.space();
    for (const name of ['b', 'c', 'a']) await f.create(leases, lease(name));
    using watch = await f.http.watch(leases);
    expect((await next(watch, 3)).sort()).toEqual(['ADDED a', 'ADDED b', 'ADDED c']);
    await f.remove(`${leases}/b`);
    expect(await next(watch, 1)).toEqual(['DELETED b']);
  });

  test('case 71b: initial events are ordered by name', async () => {
    const f = fixture();
    const { leases } = await f.space();
    const sorted = await scattered(f, leases);
    await f.cached(leases);
    using watch = await f.http.watch(leases);
    expect(await next(watch, sorted.length)).toEqual(sorted.map((name) => `ADDED ${name}`));
  });

  test('case 72: a watch from version 0 begins with all objects', async () => {
    const f = fixture();
    const { leases } = await f.space();
    for (const name of ['b', 'a']) await f.create(leases, lease(name));
    await f.cached(leases);
    using watch = await f.http.watch(leases, { resourceVersion: '0' });
    expect((await next(watch, 2)).sort()).toEqual(['ADDED a', 'ADDED b']);
    await f.create(leases, lease('c'));
    expect(await next(watch, 1)).toEqual(['ADDED c']);
  });

  test('case 73: a watch from an older version sends exactly the changes since then', async () => {
    const f = fixture();
    const { leases } = await f.space();
    await f.create(leases, lease('before'));
    const resourceVersion = await now(f, leases);
    await f.create(leases, lease('a'));
    await f.merge(`${leases}/before`, { spec: { holderIdentity: 'x' } });
    await f.remove(`${leases}/a`);
    await f.create(leases, lease('a'));
    using watch = await f.http.watch(leases, { resourceVersion });
    const expected = ['ADDED a', 'MODIFIED before', 'DELETED a', 'ADDED a'];
    const frames = await watch.take(4);
    expect(frames.map(summary)).toEqual(expected);
    expect(frames.map(version)).toEqual(frames.map(version).sort((a, b) => a - b));
    using middle = await f.http.watch(leases, { resourceVersion: frames[1]?.object.metadata.resourceVersion ?? '' });
    expect(await next(middle, 2)).toEqual(expected.slice(2));
  });

  test('case 75: a watch from a future version is silent until that version', async () => {
    const f = fixture();
    const { leases } = await f.space();
    const resourceVersion = String(Number(await now(f, leases)) + 1_000_000);
    using watch = await f.http.watch(leases, { resourceVersion, timeoutSeconds: 2 });
    await f.create(leases, lease('a'));
    expect(await watch.rest()).toEqual([]);
  });

  test('case 76: with a label selector, objects are added and deleted as they start and stop matching', async () => {
    const f = fixture();
    const { leases } = await f.space();
    const resourceVersion = await now(f, leases);
    using watch = await f.http.watch(leases, { resourceVersion, labelSelector: 'pick=me' });
    const label = (pick: string | null) => f.merge(`${leases}/a`, { metadata: { labels: { pick } } });
    await f.create(leases, lease('a'));
    await label('me');
    await f.merge(`${leases}/a`, { spec: { holderIdentity: 'x' } });
    const unlabelled = await label(null);
    await f.remove(`${leases}/a`);
    await f.create(leases, lease('last', { labels: { pick: 'me' } }));
    const frames = await watch.take(4);
    expect(frames.map(summary)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a', 'ADDED last']);
    expect(frames[2]?.object.metadata.labels).toEqual({ pick: 'me' });
    expect(frames[2]?.object.metadata.resourceVersion).toBe(unlabelled.metadata.resourceVersion);
  });

  test('case 77: a watch covers one name, one namespace or all of them', async () => {
    const f = fixture();
    const [one, two] = [await f.space(), await f.space()];
    const resourceVersion = await now(f, one.widgets);
    using named = await f.http.watch(one.widgets, { resourceVersion, fieldSelector: 'metadata.name=b' });
    using inside = await f.http.watch(one.widgets, { resourceVersion });
    using blue = await f.http.watch(one.widgets, { resourceVersion, fieldSelector: 'spec.color=blue' });
    using everywhere = await f.http.watch(`/apis/${f.group}/v1/widgets`, { resourceVersion });
    await f.create(two.widgets, f.widget('a'));
    await f.create(one.widgets, f.widget('a'));
    await f.create(one.widgets, f.widget('b'));
    await f.merge(`${one.widgets}/a`, { spec: { color: 'blue' } });
    expect(await next(named, 1)).toEqual(['ADDED b']);
    expect(await next(inside, 3)).toEqual(['ADDED a', 'ADDED b', 'MODIFIED a']);
    expect(await next(blue, 1)).toEqual(['ADDED a']);
    const seen: string[] = [];
    while (seen.length < 4) {
      const { object, type } = await everywhere.next();
      const { name, namespace } = object.metadata;
      if (namespace === one.name || namespace === two.name) seen.push(`${type} ${namespace}/${name}`);
    }
    expect(seen).toEqual([
      `ADDED ${two.name}/a`,
      `ADDED ${one.name}/a`,
      `ADDED ${one.name}/b`,
      `MODIFIED ${one.name}/a`,
    ]);
  });

  test('case 78: a watch ends cleanly after timeoutSeconds', async () => {
    const f = fixture();
    const { leases } = await f.space();
    const started = performance.now();
    using watch = await f.http.watch(leases, { timeoutSeconds: 2 });
    expect(await watch.rest()).toEqual([]);
    // Not before it, and within a minute; a watch without a timeout of its own takes half an hour.
    expect((performance.now() - started) / 1000).toBeGreaterThan(1.9);
  });

  test('case 88: a list and a watch from it miss nothing during many concurrent writes', async () => {
    const f = fixture();
    const { leases } = await f.space();
    const written: number[] = [];
    const wrote = ({ metadata }: Body): unknown => written.push(Number(metadata.resourceVersion));
    const writers = Array.from({ length: 10 }, async (_, writer) => {
      const name = `w${writer}`;
      for (let round = 0; round < 5; round += 1) {
        wrote(await f.create(leases, lease(name)));
        wrote(await f.merge(`${leases}/${name}`, { spec: { holderIdentity: 'busy' } }));
        wrote(await f.merge(`${leases}/${name}`, { spec: { holderIdentity: String(round) } }));
        if (round < 4) await f.remove(`${leases}/${name}`);
      }
    });
    const list = await f.get(leases);
    using watch = await f.http.watch(leases, { resourceVersion: list.metadata.resourceVersion });
    await Promise.all(writers);
    wrote(await f.create(leases, lease('the-end')));
    const frames = await watch.until(({ object }) => object.metadata.name === 'the-end');
    const versions = frames.map(version);
    expect(new Set(versions).size).toBe(versions.length);
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
    const later = written.filter((one) => one > Number(list.metadata.resourceVersion)).sort((a, b) => a - b);
    expect(frames.filter(({ type }) => type !== 'DELETED').map(version)).toEqual(later);
    const cache = new Map(list.items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
    for (const { type, object } of frames) {
      expect(type === 'ADDED', summary({ type, object })).toBe(!cache.has(object.metadata.name));
      if (type === 'DELETED') cache.delete(object.metadata.name);
      else cache.set(object.metadata.name, object.metadata.resourceVersion);
    }
    const final = await f.get(leases);
    const expected = final.items.map(({ metadata }) => [metadata.name, metadata.resourceVersion] as const);
    expect(Object.fromEntries(cache)).toEqual(Object.fromEntries(expected));
  });

  test('case 89: removing the last finalizer is one DELETED event, which still has it', async () => {
    const f = fixture();
    const { widgets } = await f.space();
    using watch = await f.http.watch(widgets, { resourceVersion: await now(f, widgets) });
    const finalizers = ['example.com/keep'];
    await f.create(widgets, f.widget('a', {}, { finalizers }));
    await f.remove(`${widgets}/a`);
    await f.merge(`${widgets}/a`, { metadata: { finalizers: null } });
    await f.create(widgets, f.widget('b'));
    const frames = await watch.take(4);
    expect(frames.map(summary)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a', 'ADDED b']);
    const [, marked, deleted] = frames as [Frame, Frame, Frame, Frame];
    expect(marked.object.metadata.deletionTimestamp).toMatch(/Z$/);
    expect(deleted.object.metadata.finalizers).toEqual(finalizers);
    expect(version(deleted)).toBeGreaterThan(version(marked));
  });

  test('case 90: a write that changes nothing is no event', async () => {
    const f = fixture();
    const { leases } = await f.space();
    const created = await f.create(leases, lease('a'));
    using watch = await f.http.watch(leases, { resourceVersion: created.metadata.resourceVersion });
    await f.put(`${leases}/a`, created);
    await f.merge(`${leases}/a`, { spec: { holderIdentity: 'nobody' } });
    await f.merge(`${leases}/a`, { spec: { holderIdentity: 'dry' } }, { dryRun: 'All' });
    await f.create(leases, lease('dry'), { dryRun: 'All' });
    await f.remove(`${leases}/a`, { dryRun: ['All'] });
    await f.create(leases, lease('b'));
    expect(await next(watch, 1)).toEqual(['ADDED b']);
  });

  test('case 91: an object that was deleted and created again before the watch gets a DELETED and an ADDED event', async () => {
    const f = fixture();
    const { leases } = await f.space();
    const { uid, resourceVersion } = (await f.create(leases, lease('a'))).metadata;
    await f.remove(`${leases}/a`);
    const second = await f.create(leases, lease('a'));
    using watch = await f.http.watch(leases, { resourceVersion });
    const frames = await watch.take(2);
    expect(frames.map(summary)).toEqual(['DELETED a', 'ADDED a']);
    expect(frames.map(({ object }) => object.metadata.uid)).toEqual([uid, second.metadata.uid]);
    expect(second.metadata.uid).not.toBe(uid);
  });
}

/** Cases 87 and 92: other forms of a stream, and another way to request it. */
export function watchFormCases(fixture: () => Fixture): void {
  test('case 87: a watch can send Tables, with columns in the first', async () => {
    const f = fixture();
    const { configMaps } = await f.space();
    const created = await f.create(configMaps, configMap('a'));
    const headers = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };
    const query = { resourceVersion: created.metadata.resourceVersion, fieldSelector: 'metadata.name=a' };
    using watch = await f.http.watch(configMaps, query, headers);
    const written = [
      await f.merge(`${configMaps}/a`, { data: { more: '1' } }),
      await f.merge(`${configMaps}/a`, { data: { more: '2' } }),
    ];
    await f.remove(`${configMaps}/a`);
    const frames = await watch.take(3);
    expect(frames.map(({ type }) => type)).toEqual(['MODIFIED', 'MODIFIED', 'DELETED']);
    for (const { object } of frames) {
      expect(object).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' });
      expect(object.rows).toHaveLength(1);
      expect(object.rows[0]?.cells.slice(0, 2)).toEqual(['a', 2]);
      expect(object.rows[0]?.object).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'a' } });
      expect(object.rows[0]?.object?.metadata.resourceVersion).toBe(object.metadata.resourceVersion);
    }
    expect(frames[0]?.object.columnDefinitions?.map(({ name }) => name)).toEqual(['Name', 'Data', 'Age']);
    expect(frames.slice(1).map(({ object }) => object.columnDefinitions)).toEqual([null, null]);
    expect(frames.slice(0, 2).map(({ object }) => object.metadata.resourceVersion)).toEqual(
      written.map(({ metadata }) => metadata.resourceVersion),
    );
  });

  test('case 87b: a watch can send PartialObjectMetadata', async () => {
    const f = fixture();
    const { leases } = await f.space();
    const headers = { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' };
    using watch = await f.http.watch(leases, { resourceVersion: await now(f, leases) }, headers);
    const { metadata } = await f.create(leases, lease('a'));
    const { object, type } = await watch.next();
    expect(type).toBe('ADDED');
    expect(object).toEqual({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata });
  });

  test('case 92: the deprecated watch path works', async () => {
    const f = fixture();
    const { name, leases, widgets } = await f.space();
    await f.create(leases, lease('a'));
    await f.create(leases, lease('b'));
    const group = '/apis/coordination.k8s.io/v1';
    using all = await f.http.watch(`${group}/watch/namespaces/${name}/leases`);
    expect((await next(all, 2)).sort()).toEqual(['ADDED a', 'ADDED b']);
    using one = await f.http.watch(`${group}/watch/namespaces/${name}/leases/b`);
    expect(await next(one, 1)).toEqual(['ADDED b']);
    using core = await f.http.watch(`/api/v1/watch/namespaces/${name}/configmaps`, { labelSelector: 'pick=me' });
    await f.create(`/api/v1/namespaces/${name}/configmaps`, configMap('c', {}, { labels: { pick: 'me' } }));
    expect(await next(core, 1)).toEqual(['ADDED c']);
    using custom = await f.http.watch(widgets.replace('/v1/', '/v1/watch/'));
    await f.create(widgets, f.widget('w'));
    expect(await next(custom, 1)).toEqual(['ADDED w']);
    const query = { fieldSelector: 'metadata.name=a' };
    const other = await f.http.ask('GET', `${group}/watch/namespaces/${name}/leases/b`, { query });
    expectFailure(other, 400, 'BadRequest', { message: "fieldSelector metadata.name doesn't match requested name" });
  });
}
