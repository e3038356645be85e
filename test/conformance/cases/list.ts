import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { expectFailure } from '../rig/failures.ts';
import { configMap, type Fixture, lease, names, ok, scattered, type Space } from '../rig/fixture.ts';
import type { Body, Query } from '../rig/target.ts';

/** An integer that a floating-point number cannot hold. */
const TOO_LARGE = '9007199254740993';

/** The pages of a limited list, followed to the end. */
async function pages(f: Fixture, path: string, query: Query, afterFirst?: () => Promise<unknown>): Promise<Body[]> {
  const all = [await f.get(path, query)];
  await afterFirst?.();
  for (;;) {
    const token = all.at(-1)?.metadata.continue ?? '';
    if (token === '') return all;
    all.push(await f.get(path, { ...query, continue: token }));
  }
}

/** A namespace with Leases `a` to `e`. */
async function five(f: Fixture): Promise<Space> {
  const space = await f.space();
  for (const name of ['c', 'a', 'e', 'b', 'd']) await f.create(space.leases, lease(name));
  return space;
}

/** Cases 24 to 29, 31 to 36 and 43: what a list holds, its pages and its versions. */
export function listCases(fixture: () => Fixture): void {
  test('case 24: the version of a list is not older than its items, and typed items do not repeat their kind', async () => {
    const f = fixture();
    const { leases } = await five(f);
    const list = await f.get(leases);
    expect(list).toMatchObject({ kind: 'LeaseList', apiVersion: 'coordination.k8s.io/v1' });
    expect(names(list)).toEqual(['a', 'b', 'c', 'd', 'e']);
    for (const item of list.items) {
      expect(item).not.toHaveProperty('kind');
      expect(item).not.toHaveProperty('apiVersion');
      expect(Number(list.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(item.metadata.resourceVersion));
    }
    const empty = await f.space();
    expect((await f.get(empty.leases)).items).toEqual([]);
    const nowhere = await f.get(empty.leases.replace(empty.name, `${empty.name}-nope`));
    expect(nowhere.items).toEqual([]);
  });

  test('case 25: items of a custom resource have kind and apiVersion', async () => {
    const f = fixture();
    const { widgets } = await f.space();
    expect((await f.get(widgets)).items).toEqual([]);
    await f.create(widgets, f.widget('a'));
    const list = await f.get(widgets);
    expect(list).toMatchObject({ kind: 'WidgetList', apiVersion: `${f.group}/v1` });
    expect(list.items).toMatchObject([{ kind: 'Widget', apiVersion: `${f.group}/v1`, metadata: { name: 'a' } }]);
  });

  test('case 26: a list of all namespaces is ordered by namespace, then name', async () => {
    const f = fixture();
    const [one, two] = [await f.space(), await f.space()];
    for (const [space, name] of [
      [two, 'a'],
      [one, 'z'],
      [two, 'b'],
      [one, 'a'],
    ] as const) {
      await f.create(space.widgets, f.widget(name));
    }
    const list = await f.get(`/apis/${f.group}/v1/widgets`);
    const keys = list.items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    const expected = [one, two].sort((a, b) => (a.name < b.name ? -1 : 1));
    const ours = keys.filter((key) => key.startsWith(`${one.name}/`) || key.startsWith(`${two.name}/`));
    expect(ours).toEqual(
      expected.flatMap(({ name }) => (name === one.name ? ['a', 'z'] : ['a', 'b']).map((n) => `${name}/${n}`)),
    );
  });

  test('case 27: a limited list comes in pages of one version', async () => {
    const f = fixture();
    const { leases } = await five(f);
    const all = await pages(f, leases, { limit: 2 });
    expect(all.map(names)).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
    expect(all.map(({ metadata }) => metadata.remainingItemCount)).toEqual([3, 1, undefined]);
    expect(new Set(all.map(({ metadata }) => metadata.resourceVersion)).size).toBe(1);
  });

  test('case 28: later pages show the state of the first page', async () => {
    const f = fixture();
    const { leases } = await five(f);
    const all = await pages(f, leases, { limit: 2 }, async () => {
      await f.create(leases, lease('z9'));
      await f.remove(`${leases}/d`);
    });
    expect(all.flatMap(names)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(new Set(all.map(({ metadata }) => metadata.resourceVersion)).size).toBe(1);
    expect(names(await f.get(leases))).toEqual(['a', 'b', 'c', 'e', 'z9']);
  });

  test('case 29: with a selector, remainingItemCount is absent and every page is full', async () => {
    const f = fixture();
    const { leases } = await five(f);
    for (const name of ['b', 'd', 'e']) await f.merge(`${leases}/${name}`, { metadata: { labels: { pick: 'me' } } });
    const all = await pages(f, leases, { limit: 2, labelSelector: 'pick=me' });
    expect(all.map(names)).toEqual([['b', 'd'], ['e']]);
    for (const { metadata } of all) expect(metadata.remainingItemCount).toBeUndefined();
  });

  test('case 31: a list of any version ignores the limit', async () => {
    const f = fixture();
    const { leases } = await five(f);
    await f.cached(leases);
    const list = await f.get(leases, { resourceVersion: '0', limit: 1 });
    expect(list.items).toHaveLength(5);
    expect(list.metadata.continue ?? '').toBe('');
  });

  test('case 32: an exact list shows the past', async () => {
    const f = fixture();
    const { leases } = await five(f);
    const { resourceVersion } = (await f.get(leases)).metadata;
    await f.create(leases, lease('z'));
    await f.merge(`${leases}/a`, { spec: { holderIdentity: 'later' } });
    await f.remove(`${leases}/b`);
    const past = await f.get(leases, { resourceVersion, resourceVersionMatch: 'Exact' });
    expect(names(past)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(past.items[0]?.spec).toEqual({ holderIdentity: 'nobody' });
    expect(past.metadata.resourceVersion).toBe(resourceVersion);
  });

  test('case 33: a version with a limit and no match is exact', async () => {
    const f = fixture();
    const { leases } = await five(f);
    const { resourceVersion } = (await f.get(leases)).metadata;
    await f.remove(`${leases}/b`);
    const past = await f.get(leases, { resourceVersion, limit: 500 });
    expect(names(past)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(past.metadata.resourceVersion).toBe(resourceVersion);
  });

  test('case 34: NotOlderThan returns the current state', async () => {
    const f = fixture();
    const { leases } = await five(f);
    const { resourceVersion } = (await f.get(leases)).metadata;
    await f.remove(`${leases}/b`);
    // A cache may respond with any state from R on; the newest is required once it is requested by its version.
    const newest = (await f.get(leases)).metadata.resourceVersion;
    for (const query of [{ resourceVersionMatch: 'NotOlderThan' }, {}]) {
      const list = await f.get(leases, { resourceVersion: newest, ...query });
      expect(names(list).sort()).toEqual(['a', 'c', 'd', 'e']);
      expect(Number(list.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(newest));
      const old = await f.get(leases, { resourceVersion, ...query });
      expect(Number(old.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(resourceVersion));
    }
  });

  test('case 34b: a list from the watch cache is ordered by name', async () => {
    const f = fixture();
    const { leases } = await f.space();
    const sorted = await scattered(f, leases);
    const { resourceVersion } = (await f.get(leases)).metadata;
    expect(names(await f.get(leases, { resourceVersion }))).toEqual(sorted);
  });

  test('case 35: invalid combinations with resourceVersionMatch are refused', async () => {
    const f = fixture();
    const { leases } = await f.space();
    const refused = async (query: Query, reason: string, message: string) => {
      const answer = await f.http.ask('GET', leases, { query });
      const { details } = expectFailure(answer, 422, 'Invalid', {
        message: `ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: ${message}`,
        causes: [{ reason, field: 'resourceVersionMatch', message }],
      });
      expect(details).toMatchObject({ kind: 'ListOptions', group: 'meta.k8s.io' });
    };
    const match = 'resourceVersionMatch';
    const needsVersion = `Forbidden: ${match} is forbidden unless resourceVersion is provided`;
    await refused({ [match]: 'Exact' }, 'FieldValueForbidden', needsVersion);
    await refused({ [match]: 'NotOlderThan' }, 'FieldValueForbidden', needsVersion);
    const notForZero = `Forbidden: ${match} "exact" is forbidden for resourceVersion "0"`;
    await refused({ [match]: 'Exact', resourceVersion: '0' }, 'FieldValueForbidden', notForZero);
    const unknown = 'Unsupported value: "x": supported values: "Exact", "NotOlderThan", ""';
    await refused({ [match]: 'x', resourceVersion: '1' }, 'FieldValueNotSupported', unknown);
  });

  test('case 36: a list of a version far ahead times out, and an invalid version is refused', async () => {
    const f = fixture();
    const { leases, widgets } = await f.space();
    const ask = (path: string, query: Query) => f.http.ask('GET', path, { query });
    const answers = await Promise.all([
      ask(leases, { resourceVersion: TOO_LARGE }),
      ask(leases, { resourceVersion: TOO_LARGE, resourceVersionMatch: 'Exact' }),
      ask(leases, { resourceVersion: TOO_LARGE, limit: 1 }),
      ask(widgets, { resourceVersion: TOO_LARGE }),
    ]);
    for (const answer of answers) {
      expectFailure(answer, 504, 'Timeout', {
        message: new RegExp(`^Timeout: Too large resource version: ${TOO_LARGE}, current: \\d+$`),
        causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      });
      expect(answer.headers['retry-after']).toBe('1');
    }
    expectFailure(await ask(leases, { resourceVersion: 'abc' }), 400, 'BadRequest', {
      message: /^invalid resource version: resourceVersion: Invalid value: "abc"/,
    });
  });

  test('case 43: the version of a list grows with writes to other kinds', async () => {
    const f = fixture();
    const { leases, configMaps } = await f.space();
    const before = await f.get(leases);
    const { metadata } = await f.create(configMaps, configMap('a'));
    const after = Number((await f.get(leases)).metadata.resourceVersion);
    expect(after).toBeGreaterThan(Number(before.metadata.resourceVersion));
    expect(after).toBeGreaterThanOrEqual(Number(metadata.resourceVersion));
  });
}

/** Cases 30 and 38 to 42: parameters of a list, and its forms. */
export function listRequestCases(fixture: () => Fixture): void {
  test('case 30: a continue token excludes a resourceVersion and must be valid', async () => {
    const f = fixture();
    const { leases } = await five(f);
    const first = await f.get(leases, { limit: 2 });
    const token = first.metadata.continue ?? '';
    const ask = (query: Query) => f.http.ask('GET', leases, { query });
    const invalid = { message: /^invalid continue token: continue key is not valid: / };
    expectFailure(await ask({ continue: 'garbage' }), 400, 'BadRequest', invalid);
    expectFailure(await ask({ continue: '!!' }), 400, 'BadRequest', invalid);
    const withVersion = await ask({ continue: token, resourceVersion: first.metadata.resourceVersion });
    expectFailure(withVersion, 400, 'BadRequest', {
      message: 'specifying resource version is not allowed when using continue',
    });
    const query = { continue: token, resourceVersion: first.metadata.resourceVersion };
    expectFailure(await ask({ ...query, resourceVersionMatch: 'NotOlderThan' }), 422, 'Invalid', {
      causes: [{ reason: 'FieldValueForbidden', field: 'resourceVersionMatch' }],
    });
  });

  test('case 38: a list cannot send initial events', async () => {
    const f = fixture();
    const { leases } = await f.space();
    expectFailure(await f.http.ask('GET', leases, { query: { sendInitialEvents: true } }), 422, 'Invalid', {
      message:
        'ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
      causes: [{ reason: 'FieldValueForbidden', field: 'sendInitialEvents' }],
    });
  });

  test('case 39: every form of label selector selects the right objects', async () => {
    const f = fixture();
    const { leases } = await f.space();
    for (const value of ['b', 'c', 'd', '5']) await f.create(leases, lease(`has-${value}`, { labels: { a: value } }));
    await f.create(leases, lease('none', { labels: { other: 'b' } }));
    const picked = async (labelSelector: string) => names(await f.get(leases, { labelSelector }));
    expect(await picked('a=b')).toEqual(['has-b']);
    expect(await picked('a==b')).toEqual(['has-b']);
    expect(await picked('a!=b')).toEqual(['has-5', 'has-c', 'has-d', 'none']);
    expect(await picked('a in (b,c)')).toEqual(['has-b', 'has-c']);
    expect(await picked('a notin (b, c)')).toEqual(['has-5', 'has-d', 'none']);
    expect(await picked('a')).toEqual(['has-5', 'has-b', 'has-c', 'has-d']);
    expect(await picked('!a')).toEqual(['none']);
    expect(await picked('a>4')).toEqual(['has-5']);
    expect(await picked('a<5')).toEqual([]);
    expect(await picked('a,a notin (b)')).toEqual(['has-5', 'has-c', 'has-d']);
    for (const labelSelector of ['a in', 'a===b', 'a=b c', 'a>x', ',', 'a/b/c=d']) {
      expectFailure(await f.http.ask('GET', leases, { query: { labelSelector } }), 400, 'BadRequest');
    }
  });

  test('case 40: a field selector accepts the fields of its kind only', async () => {
    const f = fixture();
    const space = await five(f);
    const { configMaps, leases, pods, widgets } = space;
    const picked = async (path: string, fieldSelector: string) => names(await f.get(path, { fieldSelector }));
    const refused = async (path: string, fieldSelector: string, message: string) =>
      expectFailure(await f.http.ask('GET', path, { query: { fieldSelector } }), 400, 'BadRequest', { message });
    expect((await f.get(leases, { fieldSelector: 'metadata.name=a' })).kind).toBe('LeaseList');
    expect(await picked(leases, 'metadata.name=a')).toEqual(['a']);
    expect(await picked(leases, 'metadata.name!=a')).toEqual(['b', 'c', 'd', 'e']);
    await refused(
      configMaps,
      'data.k=1',
      '"data.k" is not a known field selector: only "metadata.name", "metadata.namespace"',
    );
    await f.createPod(space, 'p');
    expect(await picked(pods, 'status.phase=Pending')).toEqual(['p']);
    expect(await picked(pods, 'status.phase!=Pending')).toEqual([]);
    await refused(pods, 'spec.foo=1', 'field label not supported: spec.foo');
    await f.create(widgets, f.widget('red'));
    await f.create(widgets, f.widget('blue', { color: 'blue' }));
    expect(await picked(widgets, 'spec.color=red')).toEqual(['red']);
    await refused(widgets, 'spec.other=x', 'field label not supported: spec.other');
  });

  test('case 41: a list can be read as PartialObjectMetadataList or as a Table', async () => {
    const f = fixture();
    const { leases } = await five(f);
    const ask = (as: string) =>
      f.http.ask('GET', leases, { headers: { accept: `application/json;as=${as};g=meta.k8s.io;v=v1` } });
    const partial = ok(await ask('PartialObjectMetadataList'));
    expect(partial).toMatchObject({ kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' });
    expect(partial.metadata.resourceVersion).toMatch(/^\d+$/);
    expect(names(partial)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(partial.items[0]).toMatchObject({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' });
    expect(partial.items[0]).not.toHaveProperty('spec');
    expectFailure(await ask('PartialObjectMetadata'), 406, 'NotAcceptable', {
      message: /^you requested PartialObjectMetadata, but the requested object is a list/,
    });
    const table = ok(await ask('Table'));
    expect(table.metadata.resourceVersion).toMatch(/^\d+$/);
    expect(table.rows.map(({ cells }) => cells[0])).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test('case 42: only a large response is compressed, and only if gzip is accepted', async () => {
    const f = fixture();
    const { configMaps } = await f.space();
    const headers = { 'accept-encoding': 'gzip', accept: 'application/json' };
    const small = await f.http.ask('GET', configMaps, { headers });
    expect(small.headers['content-encoding']).toBeUndefined();
    await f.create(configMaps, configMap('big', { k: 'x'.repeat(200 << 10) }));
    const packed = await f.http.ask('GET', configMaps, { headers });
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(packed.headers['vary']).toBe('Accept-Encoding');
    const list = JSON.parse(gunzipSync(packed.bytes).toString()) as Body;
    expect(names(list)).toContain('big');
    const plain = await f.http.ask('GET', configMaps);
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(names(ok(plain))).toContain('big');
  });
}
