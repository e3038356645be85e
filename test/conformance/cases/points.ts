import { expect, test } from 'vitest';
import { expectFailure } from '../rig/failures.ts';
import { configMap, type Fixture, lease, ok } from '../rig/fixture.ts';
import type { Frame } from '../rig/target.ts';

const TABLE = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };
const END = { 'k8s.io/initial-events-end': 'true' };
const STREAMING = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true };

/** Points that the documentation leaves open; the real server decides. Point (g) needs a server of its own. */
export function pointCases(fixture: () => Fixture): void {
  test('point (a): an invalid version is refused in three ways', async () => {
    const f = fixture();
    const { configMaps, widgets } = await f.space();
    await f.create(configMaps, configMap('a'));
    await f.create(widgets, f.widget('a'));
    const faults = { abc: 'invalid syntax', '18446744073709551616': 'value out of range' };
    for (const [resourceVersion, fault] of Object.entries(faults)) {
      const query = { resourceVersion };
      const parsing = `strconv.ParseUint: parsing "${resourceVersion}": ${fault}`;
      const message = `resourceVersion: Invalid value: "${resourceVersion}": ${parsing}`;
      for (const path of [configMaps, widgets]) {
        expectFailure(await f.http.ask('GET', `${path}/a`, { query }), 500, undefined, { message });
        const watch = await f.http.ask('GET', path, { query: { ...query, watch: true } });
        expectFailure(watch, 500, undefined, { message });
        expectFailure(await f.http.ask('GET', path, { query }), 400, 'BadRequest', {
          message: `invalid resource version: ${message}`,
        });
      }
      await f.create(configMaps, configMap(`b${resourceVersion}`, {}, query));
      const put = await f.http.ask('PUT', `${configMaps}/a`, { body: configMap('a', {}, query) });
      expectFailure(put, 500, undefined, { message: parsing });
    }
  });

  test('point (b): a verb that a subresource lacks is refused in two ways', async () => {
    const f = fixture();
    const { name, configMaps, pods, widgets } = await f.space();
    const builtIn = { message: 'the server does not allow this method on the requested resource', details: {} };
    for (const [method, path] of [
      ['DELETE', `${pods}/x/status`],
      ['GET', `${pods}/x/eviction`],
      ['GET', `/api/v1/namespaces/${name}/finalize`],
    ] as const) {
      expectFailure(await f.http.ask(method, path), 405, 'MethodNotAllowed', builtIn);
    }
    expectFailure(await f.http.ask('GET', `${configMaps}/a/status`), 404, 'NotFound', {
      message: 'the server could not find the requested resource',
      details: {},
    });
    for (const subresource of ['status', 'scale']) {
      expectFailure(await f.http.ask('DELETE', `${widgets}/a/${subresource}`), 405, 'MethodNotAllowed', {
        message: `delete is not supported on resources of kind "widgets.${f.group}"`,
        details: { group: f.group, kind: 'widgets' },
      });
    }
  });

  test('point (c): a bookmark has the empty fields that its kind cannot omit', async () => {
    const f = fixture();
    const { leases, pods, widgets } = await f.space();
    const bookmark = async (path: string) => {
      using watch = await f.http.watch(path, STREAMING);
      const { type, object } = await watch.next();
      expect(type).toBe('BOOKMARK');
      const { resourceVersion } = object.metadata;
      expect(object.metadata).toEqual({ resourceVersion, annotations: END });
      const { metadata: _, ...rest } = object;
      return rest;
    };
    expect(await bookmark(leases)).toEqual({ kind: 'Lease', apiVersion: 'coordination.k8s.io/v1', spec: {} });
    expect(await bookmark(widgets)).toEqual({ kind: 'Widget', apiVersion: `${f.group}/v1` });
    expect(await bookmark(pods)).toEqual({ kind: 'Pod', apiVersion: 'v1', spec: { containers: null }, status: {} });
  });

  test('point (d): a bookmark in a watch of Tables is a row of an empty object', async () => {
    const f = fixture();
    const { configMaps, widgets } = await f.space();
    await f.create(configMaps, configMap('a'));
    const bookmarkOf = async (path: string): Promise<Frame[]> => {
      using watch = await f.http.watch(path, STREAMING, TABLE);
      return await watch.until(({ type }) => type === 'BOOKMARK');
    };
    const frames = await bookmarkOf(configMaps);
    const { object } = frames.at(-1) as Frame;
    const { resourceVersion } = object.metadata;
    expect(object).toEqual({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion },
      columnDefinitions: null,
      rows: [
        {
          cells: ['', 0, '<unknown>'],
          object: {
            kind: 'PartialObjectMetadata',
            apiVersion: 'meta.k8s.io/v1',
            metadata: { resourceVersion, annotations: END },
          },
        },
      ],
    });
    // As the first frame it has the columns.
    const [first] = await bookmarkOf(widgets);
    expect(first?.object.columnDefinitions?.map(({ name }) => name)).toEqual(['Name', 'Size']);
    expect(first?.object.rows).toHaveLength(1);
  });

  test('point (e): a message lists supported values in their declared order', async () => {
    const f = fixture();
    const { leases } = await f.space();
    const message = async (method: string, query: Record<string, string>) =>
      ok(await f.http.ask(method, leases, { query, ...(method === 'POST' ? { body: lease('a') } : {}) }), 422).message;
    expect(await message('GET', { resourceVersion: '1', resourceVersionMatch: 'x' })).toMatch(
      /supported values: "Exact", "NotOlderThan", ""$/,
    );
    expect(await message('POST', { fieldValidation: 'x' })).toMatch(
      /supported values: "", "Ignore", "Strict", "Warn"$/,
    );
    const query = { propagationPolicy: 'x' };
    const deletion = ok(await f.http.ask('DELETE', `${leases}/a`, { query }), 422);
    expect(deletion.message).toMatch(/supported values: "Foreground", "Background", "Orphan", "nil"$/);
  });

  test('point (f): the response to a deletion is the object for some kinds, and for all while finalizers keep it', async () => {
    const f = fixture();
    const { name } = await f.space();
    const core = `/api/v1/namespaces/${name}`;
    const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${name}`;
    const returned = async (path: string, kind: string, body: object) => {
      await f.create(path, { metadata: { name: 's' }, ...body });
      const answer = await f.remove(`${path}/s`);
      expect(answer).toMatchObject({ kind, metadata: { name: 's' } });
      expect(answer.metadata.deletionTimestamp).toBeUndefined();
    };
    await returned(`${core}/services`, 'Service', { spec: { ports: [{ port: 80 }] } });
    await returned(`${core}/serviceaccounts`, 'ServiceAccount', {});
    await returned(`${core}/resourcequotas`, 'ResourceQuota', {});
    const expectDetails = async (path: string, body: object, details: object) => {
      const { metadata } = await f.create(path, { metadata: { name: 's' }, ...body });
      const answer = await f.remove(`${path}/s`);
      expect(answer).toMatchObject({ kind: 'Status', status: 'Success' });
      expect(answer.details).toEqual({ name: 's', uid: metadata.uid, ...details });
    };
    await expectDetails(`${core}/secrets`, {}, { kind: 'secrets' });
    await expectDetails(`${core}/limitranges`, { spec: { limits: [] } }, { kind: 'limitranges' });
    await expectDetails(`${rbac}/roles`, {}, { group: 'rbac.authorization.k8s.io', kind: 'roles' });
    await f.create(`${core}/secrets`, { metadata: { name: 'kept', finalizers: ['example.com/keep'] } });
    const kept = await f.remove(`${core}/secrets/kept`);
    expect(kept).toMatchObject({ kind: 'Secret', metadata: { name: 'kept', finalizers: ['example.com/keep'] } });
    expect(kept.metadata.deletionTimestamp).toMatch(/Z$/);
    await f.merge(`${core}/secrets/kept`, { metadata: { finalizers: null } });
  });

  test('point (h): managedFields of a custom resource have one entry per manager, version and subresource', async () => {
    const f = fixture();
    const { widgets } = await f.space();
    const headers = { 'user-agent': 'my-tool/v1.2 (x)' };
    ok(await f.http.ask('POST', widgets, { headers, body: f.widget('a') }), 201);
    await f.merge(`${widgets}/a`, { metadata: { labels: { a: 'b' } } }, { fieldManager: 'other' });
    const object = await f.merge(`${widgets}/a/status`, { status: { phase: 'Ready' } }, { fieldManager: 'other' });
    const entry = { apiVersion: `${f.group}/v1`, fieldsType: 'FieldsV1', operation: 'Update' };
    const time = expect.stringMatching(/Z$/) as string;
    const fields = (object.metadata.managedFields ?? []).map(({ time: at, ...rest }) => {
      expect(at).toEqual(time);
      return rest;
    });
    expect(fields).toHaveLength(3);
    expect(fields).toContainEqual({
      ...entry,
      manager: 'my-tool',
      fieldsV1: { 'f:spec': { '.': {}, 'f:color': {}, 'f:size': {} } },
    });
    expect(fields).toContainEqual({
      ...entry,
      manager: 'other',
      fieldsV1: { 'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } } },
    });
    expect(fields).toContainEqual({
      ...entry,
      manager: 'other',
      subresource: 'status',
      fieldsV1: { 'f:status': { '.': {}, 'f:phase': {} } },
    });
  });

  test('point (i): status endpoints of built-in kinds take metadata, those of custom resources do not', async () => {
    const f = fixture();
    const space = await f.space();
    const patch = { metadata: { labels: { l: 'x' }, annotations: { a: 'x' } } };
    const taken = async (path: string): Promise<string> => {
      const { metadata } = await f.merge(`${path}/status`, patch);
      return [metadata.labels?.['l'], metadata.annotations?.['a']]
        .map((value) => (value === 'x' ? 'taken' : 'ignored'))
        .join();
    };
    await f.createPod(space, 'p');
    expect(await taken(`${space.pods}/p`)).toBe('taken,taken');
    await f.create(space.widgets, f.widget('w'));
    expect(await taken(`${space.widgets}/w`)).toBe('ignored,ignored');
    const template = { metadata: { labels: { app: 'd' } }, spec: { containers: [{ name: 'c', image: 'none' }] } };
    const spec = { replicas: 0, selector: { matchLabels: { app: 'd' } }, template };
    await f.create(space.deployments, { metadata: { name: 'd' }, spec });
    expect(await taken(`${space.deployments}/d`)).toBe('ignored,taken');
    expect(await taken(`/api/v1/namespaces/${space.name}`)).toBe('taken,taken');
  });
}
