import { expect, test } from 'vitest';
import { expectFailure } from '../rig/failures.ts';
import { configMap, type Fixture, ok } from '../rig/fixture.ts';
import { configMapProtobuf, PROTOBUF } from '../rig/protobuf.ts';

const TABLE = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };
const PARTIAL = { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' };
/** An integer that a floating-point number cannot hold. */
const TOO_LARGE = '9007199254740993';

/** Cases 1 to 16: what POST accepts, fills in and refuses. */
export function createCases(fixture: () => Fixture): void {
  test('case 1: the response to a create has every field that the server sets', async () => {
    const f = fixture();
    const { name: namespace, configMaps } = await f.space();
    const created = await f.create(configMaps, configMap('a'));
    expect(created).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', data: { k: '1' } });
    expect(created.metadata).toMatchObject({ name: 'a', namespace });
    expect(created.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(created.metadata.resourceVersion).toMatch(/^[1-9][0-9]*$/);
    expect(created.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(created.metadata.generation).toBeUndefined();
  });

  test('case 2: a second ConfigMap of the same name is refused', async () => {
    const f = fixture();
    const { configMaps } = await f.space();
    await f.create(configMaps, configMap('a'));
    expectFailure(await f.http.ask('POST', configMaps, { body: configMap('a') }), 409, 'AlreadyExists', {
      message: 'configmaps "a" already exists',
      details: { name: 'a', kind: 'configmaps' },
    });
  });

  test('case 3: a second Widget of the same name is refused, and the failure names the group', async () => {
    const f = fixture();
    const { widgets } = await f.space();
    await f.create(widgets, f.widget('a'));
    expectFailure(await f.http.ask('POST', widgets, { body: f.widget('a') }), 409, 'AlreadyExists', {
      message: `widgets.${f.group} "a" already exists`,
      details: { name: 'a', group: f.group, kind: 'widgets' },
    });
  });

  test('case 4: a body for another namespace than the path is refused', async () => {
    const f = fixture();
    const { configMaps } = await f.space();
    const other = await f.space();
    const body = configMap('a', {}, { namespace: other.name });
    expectFailure(await f.http.ask('POST', configMaps, { body }), 400, 'BadRequest', {
      message: 'the namespace of the provided object does not match the namespace sent on the request',
    });
  });

  test('case 5: a body with another apiVersion than the path is refused', async () => {
    const f = fixture();
    const { configMaps, widgets } = await f.space();
    const ofApps = { apiVersion: 'apps/v1', kind: 'ConfigMap', ...configMap('a') };
    expectFailure(await f.http.ask('POST', configMaps, { body: ofApps }), 400, 'BadRequest', {
      message: /^ConfigMap in version "v1" cannot be handled as a ConfigMap: /,
    });
    const ofV9 = { ...f.widget('a'), apiVersion: `${f.group}/v9` };
    expectFailure(await f.http.ask('POST', widgets, { body: ofV9 }), 400, 'BadRequest', {
      message: `the API version in the data (${f.group}/v9) does not match the expected API version (${f.group}/v1)`,
    });
  });

  test('case 6: a create in a namespace that does not exist is refused', async () => {
    const f = fixture();
    const { name } = await f.space();
    const path = `/api/v1/namespaces/${name}-nope/configmaps`;
    expectFailure(await f.http.ask('POST', path, { body: configMap('a') }), 404, 'NotFound', {
      message: `namespaces "${name}-nope" not found`,
      details: { name: `${name}-nope`, kind: 'namespaces' },
    });
  });

  test('case 7: an object without a name is invalid', async () => {
    const f = fixture();
    const { configMaps } = await f.space();
    const body = expectFailure(await f.http.ask('POST', configMaps, { body: {} }), 422, 'Invalid', {
      message: 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
      causes: [{ reason: 'FieldValueRequired', field: 'metadata.name' }],
    });
    expect(body.details).toMatchObject({ kind: 'ConfigMap' });
    expect(body.details).not.toHaveProperty('name');
  });

  test('case 8: a name must be a DNS name', async () => {
    const f = fixture();
    const { configMaps } = await f.space();
    const body = expectFailure(await f.http.ask('POST', configMaps, { body: configMap('Bad_Name') }), 422, 'Invalid', {
      message: /^ConfigMap "Bad_Name" is invalid: metadata.name: Invalid value: "Bad_Name": /,
      causes: [{ reason: 'FieldValueInvalid', field: 'metadata.name' }],
    });
    expect(body.details).toMatchObject({ name: 'Bad_Name', kind: 'ConfigMap' });
  });

  test('case 9: generateName appends five random characters', async () => {
    const f = fixture();
    const { configMaps } = await f.space();
    const { metadata } = await f.create(configMaps, { metadata: { generateName: 'x-' } });
    expect(metadata.name).toMatch(/^x-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(metadata.generateName).toBe('x-');
  });

  test('case 10: fields that only the server may set are replaced or dropped', async () => {
    const f = fixture();
    const { configMaps } = await f.space();
    const past = '2000-01-01T00:00:00Z';
    const { metadata } = await f.create(configMaps, {
      metadata: {
        name: 'a',
        uid: 'u',
        creationTimestamp: past,
        deletionTimestamp: past,
        deletionGracePeriodSeconds: 5,
      },
    });
    expect(metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(metadata.creationTimestamp).not.toBe(past);
    expect(metadata).not.toHaveProperty('deletionTimestamp');
    expect(metadata).not.toHaveProperty('deletionGracePeriodSeconds');
  });

  test('case 11: a create with a resourceVersion fails with a Status without a reason', async () => {
    const f = fixture();
    const { configMaps } = await f.space();
    const body = configMap('a', {}, { resourceVersion: '5' });
    expectFailure(await f.http.ask('POST', configMaps, { body }), 500, undefined, {
      message: 'resourceVersion should not be set on objects to be created',
    });
    await f.create(configMaps, configMap('zero', {}, { resourceVersion: '0' }));
  });

  test('case 12: a body that is not JSON is refused', async () => {
    const f = fixture();
    const { configMaps } = await f.space();
    for (const body of ['{"metadata":', 'hello', '', '[]', '{"metadata":{"name":"a"}} xx']) {
      expectFailure(await f.http.ask('POST', configMaps, { body }), 400, 'BadRequest', {
        message: /^the object provided is unrecognized \(must be of type ConfigMap\): couldn't get version\/kind/,
      });
    }
  });

  test('case 12b: a body of more than 3 MiB is refused', async () => {
    const f = fixture();
    const { configMaps } = await f.space();
    const body = configMap('a', { k: 'x'.repeat(4 << 20) });
    expectFailure(await f.http.ask('POST', configMaps, { body }), 413, 'RequestEntityTooLarge', {
      message: 'Request entity too large: limit is 3145728',
    });
  });

  test('case 13: a body with an unknown content type is refused', async () => {
    const f = fixture();
    const { configMaps } = await f.space();
    const headers = { 'content-type': 'text/plain' };
    expectFailure(
      await f.http.ask('POST', configMaps, { headers, body: configMap('a') }),
      415,
      'UnsupportedMediaType',
      {
        message:
          /^the body of the request was in an unknown format - accepted media types include: application\/json, /,
      },
    );
  });

  test('case 13b: a body may be YAML', async () => {
    const f = fixture();
    const { configMaps } = await f.space();
    const headers = { 'content-type': 'application/yaml' };
    const body = 'metadata:\n  name: a\ndata:\n  k: "1" # a string\n';
    const created = ok(await f.http.ask('POST', configMaps, { headers, body }), 201);
    expect(created).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: '1' } });
  });

  test('case 14: a body may be protobuf', async () => {
    const f = fixture();
    const { configMaps } = await f.space();
    const headers = { 'content-type': PROTOBUF };
    const created = ok(
      await f.http.ask('POST', configMaps, { headers, body: configMapProtobuf('a', { k: '1' }) }),
      201,
    );
    expect(created).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: '1' } });
  });

  test('case 15: a dry run responds like a create and stores nothing', async () => {
    const f = fixture();
    const { leases } = await f.space();
    const before = await f.get(leases);
    using watch = await f.http.watch(leases, { resourceVersion: before.metadata.resourceVersion });
    const { metadata } = await f.create(leases, { metadata: { name: 'dry' } }, { dryRun: 'All' });
    expect(metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(metadata.resourceVersion).toBeUndefined();
    expectFailure(await f.http.ask('GET', `${leases}/dry`), 404, 'NotFound');
    await f.create(leases, { metadata: { name: 'wet' } });
    expect((await watch.next()).object.metadata.name).toBe('wet');
  });

  test('case 15b: dryRun accepts only All', async () => {
    const f = fixture();
    const { configMaps } = await f.space();
    const answer = await f.http.ask('POST', configMaps, { query: { dryRun: 'x' }, body: configMap('a') });
    const body = expectFailure(answer, 422, 'Invalid', {
      message: 'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["x"]: supported values: "All"',
      causes: [{ reason: 'FieldValueNotSupported', field: 'dryRun' }],
    });
    expect(body.details).toMatchObject({ group: 'meta.k8s.io', kind: 'CreateOptions' });
  });

  test('case 16: an unknown field is refused, warned about or ignored, and never stored', async () => {
    const f = fixture();
    const { configMaps } = await f.space();
    const ask = (name: string, fieldValidation: string) =>
      f.http.ask('POST', configMaps, { query: { fieldValidation }, body: { ...configMap(name), foo: 1 } });
    expectFailure(await ask('strict', 'Strict'), 400, 'BadRequest', {
      message: 'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "foo"',
    });
    const warned = await ask('warn', 'Warn');
    expect(ok(warned, 201)).not.toHaveProperty('foo');
    expect(warned.headers['warning']).toBe('299 - "unknown field \\"foo\\""');
    const passed = await ask('ignore', 'Ignore');
    expect(ok(passed, 201)).not.toHaveProperty('foo');
    expect(passed.headers['warning']).toBeUndefined();
    expectFailure(await ask('x', 'x'), 422, 'Invalid', {
      causes: [{ reason: 'FieldValueNotSupported', field: 'fieldValidation' }],
    });
    expect(await f.get(`${configMaps}/warn`)).not.toHaveProperty('foo');
  });

  test('case 16b: warnings quote field names in UTF-8, with control characters escaped and limited in length', async () => {
    const f = fixture();
    const { configMaps } = await f.space();
    const ask = async (fields: string, headers = {}): Promise<string> => {
      const query = { dryRun: 'All' };
      const answer = await f.http.ask('POST', configMaps, { body: Buffer.from(fields, 'latin1'), query, headers });
      ok(answer, 201);
      return Buffer.from(answer.headers['warning'] as string, 'latin1').toString();
    };
    const utf8 = (text: string): string => Buffer.from(text).toString('latin1');
    const unknown = (shown: string): string => `299 - "unknown field \\"${shown}\\""`;
    for (const [name, shown = name] of [
      ['é'],
      ['数据'],
      ['😀'],
      ['\u007f', String.raw`\\x7f`],
      ['\u0085\u200b\u{e0001}', String.raw`\\u0085\\u200b\\U000e0001`],
    ] as [string, string?][])
      expect(await ask(utf8(`{"metadata":{"name":"a"},"${name}":1}`))).toBe(unknown(shown));
    const escapes = String.raw`\u0001\u0007\u000b\n\ud800`;
    expect(await ask(`{"metadata":{"name":"a"},"${escapes}":1}`)).toBe(unknown(String.raw`\\x01\\a\\v\\n` + '\ufffd'));
    expect(await ask('{"metadata":{"name":"a"},"\u00ffA":1}')).toBe(unknown('\ufffdA'));
    const yaml = { 'content-type': 'application/yaml' };
    expect(await ask(utf8('metadata: {name: a}\n数据: 1'), yaml)).toBe(unknown('数据'));
    // 4096 characters in total; beyond that the first 256 of each, and only as many warnings as fit.
    const whole = 'x'.repeat(4096 - 'unknown field ""'.length);
    expect(await ask(`{"metadata":{"name":"a"},"${whole}":1}`)).toBe(unknown(whole));
    const cut = (text: string): string => `299 - "unknown field \\"${text.slice(0, 256 - 'unknown field "'.length)}"`;
    expect(await ask(`{"metadata":{"name":"a"},"${whole}x":1}`)).toBe(cut(`${whole}x`));
    const names = Array.from({ length: 20 }, (_, at) => `${at + 10}${'y'.repeat(300)}`);
    const fields = names.map((name) => `"${name}":1`).join();
    expect((await ask(`{"metadata":{"name":"a"},${fields}}`)).split(', ')).toEqual(names.slice(0, 16).map(cut));
  });
}

/** Cases 17 to 23: GET of one object, and the forms it can take. */
export function readCases(fixture: () => Fixture): void {
  test('case 17: a GET returns the object as it was stored, or a 404 that names it', async () => {
    const f = fixture();
    const { configMaps } = await f.space();
    const created = await f.create(configMaps, configMap('a'));
    expect(await f.get(`${configMaps}/a`)).toEqual(created);
    expectFailure(await f.http.ask('GET', `${configMaps}/nope`), 404, 'NotFound', {
      message: 'configmaps "nope" not found',
      details: { name: 'nope', kind: 'configmaps' },
    });
  });

  test('case 18: an unknown resource is a Status, an unknown group is plain text', async () => {
    const f = fixture();
    expectFailure(await f.http.ask('GET', '/api/v1/nosuch'), 404, 'NotFound', {
      message: 'the server could not find the requested resource',
      details: {},
    });
    for (const path of ['/apis/no.such/v1/x', '/foo', `/apis/${f.group}/v1/nosuch`, `/apis/${f.group}/v9/widgets`]) {
      const answer = await f.http.ask('GET', path);
      expect(answer.status, path).toBe(404);
      expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
      expect(answer.text).toBe('404 page not found\n');
    }
  });

  test('case 19: a GET of version 0 returns any state, and one of a version far ahead times out', async () => {
    const f = fixture();
    const { configMaps } = await f.space();
    await f.create(configMaps, configMap('a'));
    await f.cached(configMaps);
    expect((await f.get(`${configMaps}/a`, { resourceVersion: '0' })).metadata.name).toBe('a');
    const answer = await f.http.ask('GET', `${configMaps}/a`, { query: { resourceVersion: TOO_LARGE } });
    expectFailure(answer, 504, 'Timeout', {
      message: new RegExp(`^Timeout: Too large resource version: ${TOO_LARGE}, current: \\d+$`),
      details: {
        causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
        retryAfterSeconds: 1,
      },
    });
    expect(answer.headers['retry-after']).toBe('1');
  });

  test('case 20: an object can be read as PartialObjectMetadata', async () => {
    const f = fixture();
    const { configMaps } = await f.space();
    const { metadata } = await f.create(configMaps, configMap('a'));
    const answer = await f.http.ask('GET', `${configMaps}/a`, { headers: PARTIAL });
    expect(ok(answer)).toEqual({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata });
    expect(answer.headers['content-type']).toBe('application/json');
  });

  test('case 21: an object can be read as a Table, whose rows have as much of the object as includeObject says', async () => {
    const f = fixture();
    const { configMaps } = await f.space();
    const { metadata } = await f.create(configMaps, configMap('a'));
    const table = async (includeObject: string) =>
      ok(await f.http.ask('GET', `${configMaps}/a`, { query: { includeObject }, headers: TABLE }));
    const usual = ok(await f.http.ask('GET', `${configMaps}/a`, { headers: TABLE }));
    expect(usual).toMatchObject({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: metadata.resourceVersion },
    });
    expect(usual.columnDefinitions?.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'Name string',
      'Data string',
      'Age string',
    ]);
    expect(usual.columnDefinitions?.[0]).toMatchObject({ format: 'name' });
    expect(usual.rows).toHaveLength(1);
    expect(usual.rows[0]?.cells.slice(0, 2)).toEqual(['a', 1]);
    const partial = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
    expect(usual.rows[0]?.object).toEqual(partial);
    expect((await table('Metadata')).rows[0]?.object).toEqual(partial);
    expect((await table('None')).rows[0]?.object ?? null).toBeNull();
    expect((await table('Object')).rows[0]?.object).toMatchObject({ kind: 'ConfigMap', data: { k: '1' } });
    const wrong = await f.http.ask('GET', `${configMaps}/a`, { query: { includeObject: 'x' }, headers: TABLE });
    expectFailure(wrong, 400, 'BadRequest', { message: /^Unable to convert to Table as requested: includeObject: / });
  });

  test('case 22: a response has one of the accepted types, or is a 406', async () => {
    const f = fixture();
    const { configMaps, widgets } = await f.space();
    await f.create(configMaps, configMap('a'));
    await f.create(widgets, f.widget('a'));
    const ask = (path: string, accept: string) => f.http.ask('GET', path, { headers: { accept } });
    expectFailure(await ask(`${configMaps}/a`, 'application/xml'), 406, 'NotAcceptable');
    expect((await ask(`${widgets}/a`, PROTOBUF)).status).toBe(406);
    expect(ok(await ask(`${widgets}/a`, `${PROTOBUF},application/json`)).kind).toBe('Widget');
    expect(ok(await ask(`${configMaps}/a`, 'text/html,*/*;q=0.1')).kind).toBe('ConfigMap');
    const either = await ask(`${configMaps}/a`, `${PROTOBUF},application/json`);
    expect(either.status).toBe(200);
    expect(either.headers['content-type']).toBe(PROTOBUF);
  });

  test('case 22b: application/* is JSON for custom resources and group lists, and 406 for built-in kinds', async () => {
    const f = fixture();
    const { configMaps, widgets } = await f.space();
    await f.create(configMaps, configMap('a'));
    await f.create(widgets, f.widget('a'));
    const ask = (path: string, accept: string) => f.http.ask('GET', path, { headers: { accept } });
    for (const accept of ['application/*', 'text/html, application/*;q=0.5', '*']) {
      expect(ok(await ask(`${widgets}/a`, accept)).kind).toBe('Widget');
      expect(ok(await ask(widgets, accept)).kind).toBe('WidgetList');
      expect(ok(await ask('/apis', accept)).kind).toBe('APIGroupList');
      expect(ok(await ask(`/apis/${f.group}/v1`, accept)).kind).toBe('APIResourceList');
      for (const path of [`${configMaps}/a`, configMaps, '/api', '/apis/apps/v1'])
        expectFailure(await ask(path, accept), 406, 'NotAcceptable', { message: /^406: Not Acceptable\n/ });
    }
    using watch = await f.http.watch(widgets, {}, { accept: 'application/*' });
    expect((await watch.next()).object.kind).toBe('Widget');
    const table = 'application/*;as=Table;v=v1;g=meta.k8s.io';
    expect(ok(await ask(`${widgets}/a`, table)).kind).toBe('Table');
    expectFailure(await ask(`${widgets}/a`, 'application/*;as=Table;v=v2;g=meta.k8s.io'), 406, 'NotAcceptable');
    expect(ok(await ask(`${configMaps}/a`, 'application/*, application/json')).kind).toBe('ConfigMap');
    // Of two with the same weight, the more specific one.
    for (const accept of ['application/*, application/yaml', '*/*, application/yaml'])
      expect((await ask(`${widgets}/a`, accept)).headers['content-type']).toBe('application/yaml');
    const better = await ask(`${widgets}/a`, 'application/yaml;q=0.1, application/*');
    expect(better.headers['content-type']).toBe('application/json');
  });

  test('case 23: curl and pretty=true get indented JSON, other requests get one line', async () => {
    const f = fixture();
    const { configMaps } = await f.space();
    const created = await f.create(configMaps, configMap('a'));
    const json = { accept: 'application/json' };
    const plain = await f.http.ask('GET', `${configMaps}/a`, { headers: json });
    expect(plain.text).toBe(`${JSON.stringify(created)}\n`);
    const indented = JSON.stringify(created, null, 2);
    const path = `${configMaps}/a`;
    expect((await f.http.ask('GET', path, { query: { pretty: true }, headers: json })).text).toBe(indented);
    const headers = { 'user-agent': 'curl/8', ...json };
    expect((await f.http.ask('GET', path, { headers })).text).toBe(indented);
    expect((await f.http.ask('GET', path, { headers, query: { pretty: false } })).text).toBe(plain.text);
  });
}
