import { connect as connectHttp2, constants } from 'node:http2';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startApiServer } from '../../src/index.ts';
import { requestLogText } from '../../src/http/request-log.ts';
import { ask } from '../rig/http-client.ts';

const SECRETS = '/api/v1/namespaces/default/secrets';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

/** Exceptions outside of every `try`: each of them ends the process of a user. */
const uncaught: unknown[] = [];
const catchIt = (error: unknown): void => void uncaught.push(error);
beforeEach(() => {
  uncaught.length = 0;
  process.on('uncaughtException', catchIt);
});
afterEach(() => {
  process.off('uncaughtException', catchIt);
  expect(uncaught).toEqual([]);
});

type Server = Awaited<ReturnType<typeof startApiServer>>;

/** The status of one HTTP/2 request with the given headers; 0 if the stream ended without one. */
function askHttp2(server: Server, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const session = connectHttp2(server.url, server.ca === undefined ? {} : { ca: server.ca });
    session.on('error', reject);
    const stream = session.request(headers, { endStream: true });
    let status = 0;
    stream.on('response', (got) => (status = Number(got[constants.HTTP2_HEADER_STATUS])));
    stream.on('error', () => {});
    stream.on('close', () => session.close(() => resolve(status)));
    stream.resume();
  });
}

test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'x'.repeat(5_000)])(
  'S61: an HTTP/2 request of method %.20s is refused, and the server lives on',
  async (method) => {
    await using server = await startApiServer();
    expect(await askHttp2(server, { ':method': method, ':path': '/api/v1/pods' })).toBe(401);
    const authorization = `Bearer ${server.token}`;
    expect(await askHttp2(server, { ':method': method, ':path': '/api/v1/pods', authorization })).toBe(405);
    await server.idle();
    const metrics = await ask(server, 'GET', '/metrics');
    expect(metrics.text).toContain('verb="OTHER"');
    expect(metrics.text).not.toContain('CONSTRUCTOR');
  },
);

test.each(['constructor', '__proto__', 'valueOf'])(
  'S61: a Secret of type %s is stored like any other',
  async (type) => {
    await using server = await startApiServer({ tls: false });
    expect((await ask(server, 'POST', SECRETS, { body: { metadata: { name: 'a' }, type } })).status).toBe(201);
  },
);

test.each(['GET //', 'GET http://[', 'POST /faults/constructor', 'GET /constructor', 'DELETE /faults/%'])(
  'S61: the admin endpoint answers %s, and the process lives on',
  async (line) => {
    await using server = await startApiServer({ tls: false, admin: true });
    const { url = '', token = '' } = server.admin ?? {};
    const { port, host } = new URL(url);
    const answer = await new Promise<string>((resolve, reject) => {
      let all = '';
      const socket = connect(Number(port), '127.0.0.1', () =>
        socket.write(
          `${line} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
        ),
      );
      socket.on('data', (chunk: Buffer) => (all += chunk.toString()));
      socket.on('close', () => resolve(all));
      socket.on('error', reject);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 40[04] /);
  },
);

test('S62: refused requests with long paths leave nothing behind in the metrics and little in the log', async () => {
  await using server = await startApiServer({ tls: false });
  const name = 'x'.repeat(100_000);
  for (let at = 0; at < 20; at += 1)
    expect((await ask(server, 'GET', `/apis/${at}${name}/v1/${name}?a=${name}`, { token: 'wrong' })).status).toBe(401);
  expect((await ask(server, 'GET', `/api/v1/namespaces/a/pods/b/${name}`)).status).toBe(404);
  await server.idle();
  const { text } = await ask(server, 'GET', '/metrics');
  expect(text.length).toBeLessThan(20_000);
  expect(text).toContain(
    'apiserver_request_total{code="401",group="",resource="other",subresource="",verb="LIST",version=""} 20',
  );
  expect(text).toContain('code="404",group="",resource="pods",subresource="other",verb="GET",version="v1"');
  expect(JSON.stringify(server.requests).length).toBeLessThan(21 * 3 * 10_000);
});

test('S62: the log keeps a short text as it is, and the beginning of a long one', () => {
  expect(requestLogText('/api/v1/pods')).toBe('/api/v1/pods');
  expect(requestLogText('x'.repeat(1_000_000)).length).toBeLessThan(10_000);
});

const YAML = { 'content-type': 'application/yaml' };
const lines = (count: number, line: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => line(at)).join('');

test.each([
  ['keys', lines(40_000, (at) => `  k${at}: v\n`)],
  ['blank lines', '\n'.repeat(400_000)],
  ['closing braces', lines(160_000, () => '}\n')],
])('S63: YAML of many %s is refused before it is parsed', async (_, text) => {
  await using server = await startApiServer({ tls: false });
  const posted = await ask(server, 'POST', CONFIG_MAPS, {
    body: `metadata:\n  name: a\ndata:\n${text}`,
    headers: YAML,
  });
  expect([posted.status, posted.body.message]).toEqual([413, expect.stringContaining('the YAML takes more than')]);
});

test('S63: YAML with many aliases is refused; stars in texts are not aliases', async () => {
  await using server = await startApiServer({ tls: false });
  const body = (data: string): string => `metadata:\n  name: a\ndata:\n${data}`;
  const aliases = body(lines(200, (at) => `  a${at}: &a${at} x\n  b${at}: *a${at}\n`));
  const refused = await ask(server, 'POST', CONFIG_MAPS, { body: aliases, headers: YAML });
  expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining('excessive aliasing')]);
  const stars = body(`  text: |\n${lines(500, () => '    * point\n')}`);
  expect((await ask(server, 'POST', CONFIG_MAPS, { body: stars, headers: YAML })).status).toBe(201);
});

test('S63: a request with errors in every field gets the first thousand', async () => {
  await using server = await startApiServer({ tls: false });
  const labels = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`!${at}`, '!']));
  const { status, body } = await ask(server, 'POST', CONFIG_MAPS, { body: { metadata: { name: 'a', labels } } });
  expect([status, body.details.causes.length]).toEqual([422, 1_000]);
});

test('S63: a definition with many large patterns is refused', async () => {
  await using server = await startApiServer({ tls: false });
  const properties = Object.fromEntries(
    Array.from({ length: 100 }, (_, at) => [
      `p${at}`,
      { type: 'string', pattern: `${'(a?){1,1000}'.repeat(15)}${at}` },
    ]),
  );
  const body = {
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties } } },
      ],
    },
  };
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const { status, body: answer } = await ask(server, 'POST', path, { body });
  expect([status, answer.message]).toEqual([413, expect.stringContaining('the definition takes more than')]);
});
