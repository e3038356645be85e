import { expect, test } from 'vitest';
import { expectFailure } from '../rig/failures.ts';
import { configMap, type Fixture, ok } from '../rig/fixture.ts';
import { until } from '../rig/target.ts';

const NOT_ALLOWED = { message: 'the server does not allow this method on the requested resource', details: {} };

/** Point (r): requests that no client library sends but that servers receive. */
export function malformedCases(fixture: () => Fixture): void {
  test('point (r): an unknown method is refused like one that a path does not support', async () => {
    const f = fixture();
    const { configMaps } = await f.space();
    expectFailure(await f.http.ask('BREW', configMaps), 405, 'MethodNotAllowed', NOT_ALLOWED);
    expectFailure(await f.http.ask('PROPFIND', `${configMaps}/a`), 405, 'MethodNotAllowed', NOT_ALLOWED);
  });

  test('point (r2): a dryRun without a value is refused', async () => {
    const f = fixture();
    const { configMaps } = await f.space();
    const body = configMap('a');
    const refused = async (method: string, path: string, kind: string, headers: Record<string, string> = {}) => {
      const query = { dryRun: '' };
      const answer = await f.http.ask(method, path, { query, headers, ...(method === 'DELETE' ? {} : { body }) });
      const { message } = expectFailure(answer, 422, 'Invalid');
      // Older servers show a list as Go does.
      expect(message.replace('[]string{""}', '[""]')).toBe(
        `${kind}.meta.k8s.io "" is invalid: dryRun: Unsupported value: [""]: supported values: "All"`,
      );
    };
    await refused('POST', configMaps, 'CreateOptions');
    await f.create(configMaps, body);
    await refused('PUT', `${configMaps}/a`, 'UpdateOptions');
    await refused('PATCH', `${configMaps}/a`, 'PatchOptions', { 'content-type': 'application/merge-patch+json' });
    await refused('DELETE', `${configMaps}/a`, 'DeleteOptions');
    await refused('DELETE', configMaps, 'DeleteOptions');
    ok(await f.http.ask('GET', `${configMaps}/a`), 200);
  });

  test('point (r3): an invalid percent escape is refused in a path and drops the parameter in a query', async () => {
    const f = fixture();
    const { configMaps } = await f.space();
    const path = await f.http.ask('GET', `${configMaps}/%zz`);
    expect([path.status, path.headers['content-type'], path.text]).toEqual([
      400,
      'text/plain; charset=utf-8',
      '400 Bad Request',
    ]);
    ok(await f.http.ask('GET', `${configMaps}?labelSelector=%zz&limit=1`), 200);
  });

  test('point (r4): a request line may be long, and headers of more than a megabyte are refused', async () => {
    const f = fixture();
    const { configMaps } = await f.space();
    const names = Array.from({ length: 10_000 }, (_, at) => `name-${at}`);
    const query = { labelSelector: `app in (${names.join(',')})` };
    expect(ok(await f.http.ask('GET', configMaps, { query }), 200).items).toEqual([]);
    const headers = { 'x-long': 'y'.repeat(1_100_000) };
    // The response may arrive while the request is still being sent.
    const status = await f.http.ask('GET', configMaps, { headers }).then(
      (answer) => answer.status,
      (error: NodeJS.ErrnoException) => error.code,
    );
    expect([431, 'EPIPE', 'ECONNRESET']).toContain(status);
  });

  test('point (r5): a body that is nested too deeply is refused for every verb', async () => {
    const f = fixture();
    const { configMaps } = await f.space();
    const deep = `${'['.repeat(10_001)}${']'.repeat(10_001)}`;
    const refused = async (method: string, path: string, type: string, body: string, message: RegExp) => {
      const answer = await f.http.ask(method, path, { headers: { 'content-type': type }, body });
      expectFailure(answer, 400, 'BadRequest', { message });
    };
    const json = 'application/json';
    const object = `{"metadata":{"name":"a"},"deep":${deep}}`;
    const fault = /invalid character '\[' exceeded max depth/;
    await refused('POST', configMaps, json, object, fault);
    await f.create(configMaps, configMap('a'));
    await refused('PUT', `${configMaps}/a`, json, object, fault);
    await refused('PATCH', `${configMaps}/a`, 'application/merge-patch+json', object, fault);
    const yaml = /exceeded max depth of \d+/;
    await refused('POST', configMaps, 'application/yaml', object, yaml);
    await refused('PATCH', `${configMaps}/a?fieldManager=m`, 'application/apply-patch+yaml', object, yaml);
    await refused('DELETE', `${configMaps}/a`, json, `{"deep":${deep}}`, fault);
  });

  test('point (r6): a watch with a negative timeoutSeconds ends at once', async () => {
    const f = fixture();
    const { configMaps } = await f.space();
    const query = { watch: true, timeoutSeconds: -1, resourceVersion: 0 };
    const answer = await f.http.ask('GET', configMaps, { query });
    // A real server sometimes responds 503, when it notices before the stream begins.
    expect([200, 503]).toContain(answer.status);
    const number = '9223372036854775808';
    expectFailure(await f.http.ask('GET', configMaps, { query: { timeoutSeconds: number } }), 400, 'BadRequest', {
      message: `strconv.ParseInt: parsing "${number}": value out of range`,
    });
  });

  test('point (r7): a name that cannot be a path segment is refused, and an escaped slash separates segments', async () => {
    const f = fixture();
    const { configMaps, widgets, pods, name } = await f.space();
    const refused = async (method: string, path: string, said: string, complaint: string) => {
      const body = method === 'DELETE' || method === 'GET' ? {} : { body: {} };
      const headers = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {};
      expectFailure(await f.http.ask(method, path, { ...body, headers }), 400, 'BadRequest', {
        message: `Name parameter invalid: "${said}": ${complaint}`,
      });
    };
    for (const method of ['GET', 'DELETE', 'PATCH'])
      for (const path of [configMaps, widgets]) {
        await refused(method, `${path}/..`, '..', "may not be '..'");
        await refused(method, `${path}/%2e`, '.', "may not be '.'");
        await refused(method, `${path}/a%25b`, 'a%b', "may not contain '%'");
      }
    await refused('GET', `${pods}/../log`, '..', "may not be '..'");

    const slash = await f.http.ask('GET', `${configMaps}/a%2fb`);
    expectFailure(slash, 404, 'NotFound', { message: 'the server could not find the requested resource', details: {} });
    expectFailure(await f.http.ask('GET', `${widgets}/a%2fb`), 404, 'NotFound', {
      message: `widgets.${f.group} "a" not found`,
    });
    await f.create(configMaps, configMap('a'));
    expect(ok(await f.http.ask('GET', configMaps.replace(`/${name}/`, `%2f${name}%2F`) + '%2Fa')).metadata.name).toBe(
      'a',
    );
  });

  test('point (r8): a namespace that cannot be a path segment is refused by the storage', async () => {
    const f = fixture();
    const { configMaps, widgets, name } = await f.space();
    const inside = (path: string, namespace: string) => path.replace(`/${name}/`, `/${namespace}/`);
    const keys = {
      [configMaps]: '/configmaps/..',
      [widgets]: `/${f.group}/widgets/..`,
      [configMaps.replace(/configmaps$/, 'services')]: '/services/specs/..',
    };
    for (const [path, key] of Object.entries(keys))
      expectFailure(await f.http.ask('GET', inside(path, '..')), 500, undefined, { message: `invalid key: "${key}"` });
    for (const method of ['GET', 'DELETE'])
      expectFailure(await f.http.ask(method, `${inside(configMaps, '%2e')}/a`), 500, undefined, {
        message: 'invalid key: "/configmaps/./a"',
      });
    const created = await f.http.ask('POST', inside(configMaps, '%25'), { body: configMap('a') });
    expectFailure(created, 500, 'InternalError', {
      message: `Internal error occurred: invalid resource name "%": [may not contain '%']`,
    });
    expect(ok(await f.http.ask('GET', inside(configMaps, '%25'))).items).toEqual([]);
  });

  test('point (r9): the message about an invalid continue token says why', async () => {
    const f = fixture();
    const { leases } = await f.space();
    const refused = async (token: string, why: string) => {
      const answer = await f.http.ask('GET', leases, { query: { limit: 1, continue: token } });
      expectFailure(answer, 400, 'BadRequest', {
        message: `invalid continue token: continue key is not valid: ${why}`,
      });
    };
    await refused('x', 'illegal base64 data at input byte 0');
    await refused('abcde', 'illegal base64 data at input byte 4');
    await refused('ab!', 'illegal base64 data at input byte 2');
    await refused('YQ\n', "invalid character 'a' looking for beginning of value");
    for (const [text, why] of NO_TOKENS) await refused(Buffer.from(text, 'latin1').toString('base64url'), why);
  });

  test('point (r10): a timeout must be a duration, and a health check path has no trailing slash', async () => {
    const f = fixture();
    const { configMaps } = await f.space();
    const faults = {
      x: 'time: invalid duration "x"',
      '10': 'time: missing unit in duration "10"',
      '1h1x': 'time: unknown unit "x" in duration "1h1x"',
    };
    for (const [timeout, fault] of Object.entries(faults))
      for (const path of [configMaps, '/version'])
        expectFailure(await f.http.ask('GET', path, { query: { timeout } }), 400, 'BadRequest', {
          message: `invalid timeout specified in the request URL - ${fault}`,
        });
    for (const timeout of ['1h1.5s', '0', '']) ok(await f.http.ask('GET', configMaps, { query: { timeout } }));
    const watch = await f.http.ask('GET', configMaps, { query: { watch: true, timeoutSeconds: 1, timeout: 'x' } });
    expect(watch.status).toBe(200);

    // A server that is still starting responds 503.
    const found = (path: string) => until(`${path} is 200`, async () => (await f.http.ask('GET', path)).status === 200);
    for (const path of ['/readyz', '/readyz/ping', '/metrics']) {
      await found(path);
      expect((await f.http.ask('GET', `${path}/`)).status).toBe(404);
    }
    for (const path of ['/version/', '/api/', '/apis/apps/']) await found(path);
  });

  test('point (r11): an unknown member of a JSON patch operation is warned about, refused or ignored', async () => {
    const f = fixture();
    const { configMaps } = await f.space();
    await f.create(configMaps, configMap('a'));
    const body = [{ op: 'add', path: '/data/x', value: 'y', foo: 1 }];
    const answer = await f.patch('json', `${configMaps}/a`, body);
    expect(ok(answer)['data']).toEqual({ k: '1', x: 'y' });
    expect(answer.headers['warning']).toBe('299 - "json patch unknown field \\"[0].foo\\""');
    const strict = await f.patch('json', `${configMaps}/a`, body, { fieldValidation: 'Strict' });
    expectFailure(strict, 422, 'Invalid', { message: /strict decoding error: json patch unknown field "\[0\]\.foo"$/ });
    const ignored = await f.patch('json', `${configMaps}/a`, body, { fieldValidation: 'Ignore' });
    ok(ignored);
    expect(ignored.headers['warning']).toBe(undefined);
  });
}

const UNKNOWN = 'server does not recognize this encoded version ';
const NO_VALUE = 'looking for beginning of value';
const NO_KEY = 'looking for beginning of object key string';
const VERSION = '"v":"meta.k8s.io/v1"';

/** Malformed continue tokens, and the parser's message for each. */
const NO_TOKENS: readonly (readonly [string, string])[] = [
  ['hello', `invalid character 'h' ${NO_VALUE}`],
  ['null', UNKNOWN],
  ['{}', UNKNOWN],
  ['{"v":"x"}', `${UNKNOWN}x`],
  ['[]', 'json: cannot unmarshal array into Go value of type storage.continueToken'],
  ['"x"', 'json: cannot unmarshal string into Go value of type storage.continueToken'],
  ['true', 'json: cannot unmarshal bool into Go value of type storage.continueToken'],
  ['{"v":5}', 'json: cannot unmarshal number into Go struct field continueToken.v of type string'],
  [`{${VERSION},"rv":"5"}`, 'json: cannot unmarshal string into Go struct field continueToken.rv of type int64'],
  [`{${VERSION},"rv":1.5}`, 'json: cannot unmarshal number 1.5 into Go struct field continueToken.rv of type int64'],
  [
    `{${VERSION},"rv":1,"start":[]}`,
    'json: cannot unmarshal array into Go struct field continueToken.start of type string',
  ],
  [`{${VERSION},"rv":null,"start":"a"}`, 'incorrect encoded start resourceVersion (version meta.k8s.io/v1)'],
  [`{${VERSION},"rv":1}`, 'encoded start key empty (version meta.k8s.io/v1)'],
  [`{${VERSION},"rv":1,"start":"a/../b"}`, 'a/../b'],
  [' \n', 'unexpected end of JSON input'],
  ['{"v":', 'unexpected end of JSON input'],
  ['"a', 'unexpected end of JSON input'],
  ['[1', 'unexpected end of JSON input'],
  ['{} x', "invalid character 'x' after top-level value"],
  ['01', "invalid character '1' after top-level value"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1 "b"}', `invalid character '"' after object key:value pair`],
  ['[1 2]', "invalid character '2' after array element"],
  ['{a:1}', `invalid character 'a' ${NO_KEY}`],
  ['{"a":1,}', `invalid character '}' ${NO_KEY}`],
  ['[1,]', `invalid character ']' ${NO_VALUE}`],
  ['nul', "invalid character ' ' in literal null (expecting 'l')"],
  ['fakse', "invalid character 'k' in literal false (expecting 'l')"],
  ['-', "invalid character ' ' in numeric literal"],
  ['1.', "invalid character ' ' after decimal point in numeric literal"],
  ['1.5e+x', "invalid character 'x' in exponent of numeric literal"],
  ['"\\x"', "invalid character 'x' in string escape code"],
  ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
  ['"\u0001"', "invalid character '\\x01' in string literal"],
  ['"\n"', "invalid character '\\n' in string literal"],
  ["'", `invalid character '\\'' ${NO_VALUE}`],
  ['\\', `invalid character '\\\\' ${NO_VALUE}`],
  ['\u007f', `invalid character '\\x7f' ${NO_VALUE}`],
  ['\u0081', `invalid character '\\u0081' ${NO_VALUE}`],
  ['\u00ad', `invalid character '\\u00ad' ${NO_VALUE}`],
  ['\u00e9', `invalid character '\u00e9' ${NO_VALUE}`],
];
