import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { MAX_DEPTH } from '../../src/http/message/depth.ts';
import { startApiServer } from '../../src/index.ts';
import { ask } from '../rig/http-client.ts';

const rig = () => startApiServer({ tls: false });

type Server = Awaited<ReturnType<typeof rig>>;

const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

async function defineWidgets(server: Server): Promise<void> {
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const body = {
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  expect((await ask(server, 'POST', path, { body })).status).toBe(201);
}

const head = '"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"}';
const nest = (open: string, close: string, depth: number): string => `${open.repeat(depth)}1${close.repeat(depth)}`;
const objects = (depth: number): string => `{${head},"spec":${nest('{"a":', '}', depth - 1)}}`;
const lists = (depth: number): string => `{${head},"spec":{"a":${nest('[', ']', depth - 2)}}}`;

const WRITES: readonly [type: string, body: (object: string) => string][] = [
  ['application/merge-patch+json', (object) => object],
  ['application/json-patch+json', (object) => `[{"op":"replace","path":"/spec","value":${object}}]`],
  ['application/apply-patch+yaml', (object) => object],
];

test.each([
  ['objects', objects],
  ['lists', lists],
])('%s may be nested up to the limit, and can be written', async (_title, nested) => {
  await using server = await rig();
  await defineWidgets(server);
  expect((await ask(server, 'POST', WIDGETS, { body: nested(MAX_DEPTH) })).status).toBe(201);
  for (const [type, body] of WRITES) {
    const text = body(nested(MAX_DEPTH - 10));
    const headers = { 'content-type': type };
    const path = `${WIDGETS}/w?fieldManager=m${type.includes('apply') ? '&force=true' : ''}`;
    expect([type, (await ask(server, 'PATCH', path, { body: text, headers })).status]).toEqual([type, 200]);
  }
  const read = await ask(server, 'GET', `${WIDGETS}/w`);
  expect((await ask(server, 'PUT', `${WIDGETS}/w`, { body: read.text })).status).toBe(200);
});

test.each([
  ['objects', objects, "invalid character '{' exceeded max depth"],
  ['lists', lists, "invalid character '[' exceeded max depth"],
])('%s that are nested one level deeper are refused', async (_title, nested, message) => {
  await using server = await rig();
  await defineWidgets(server);
  const { status, body } = await ask(server, 'POST', WIDGETS, { body: nested(MAX_DEPTH + 1) });
  expect([status, body.message]).toEqual([400, expect.stringContaining(message)]);
});

test('brackets inside strings do not count as levels', async () => {
  await using server = await rig();
  const body = { metadata: { name: 'a' }, data: { a: `"\\${'['.repeat(5000)}` } };
  expect((await ask(server, 'POST', CONFIG_MAPS, { body })).status).toBe(201);
});

test('YAML aliases that expand to a large document are refused', async () => {
  await using server = await rig();
  const lines = ['a0: &a0 [x,x,x,x,x,x,x,x,x,x]'];
  for (let at = 1; at < 9; at += 1) lines.push(`a${at}: &a${at} [${`*a${at - 1},`.repeat(9)}*a${at - 1}]`);
  const body = `${lines.join('\n')}\n`;
  const posted = await ask(server, 'POST', CONFIG_MAPS, { body, headers: { 'content-type': 'application/yaml' } });
  expect([posted.status, posted.body.message]).toEqual([400, expect.stringContaining('excessive aliasing')]);
  const headers = { 'content-type': 'application/apply-patch+yaml' };
  const applied = await ask(server, 'PATCH', `${CONFIG_MAPS}/a?fieldManager=m`, { body, headers });
  expect([applied.status, applied.body.message]).toEqual([400, expect.stringContaining('excessive aliasing')]);
});

test.each([
  ['BREW /api/v1/pods HTTP/1.1', 'HTTP/1.1 405 Method Not Allowed', '"reason":"MethodNotAllowed"'],
  ['CONNECT 127.0.0.1:1 HTTP/1.1', 'HTTP/1.1 405 Method Not Allowed', '"reason":"MethodNotAllowed"'],
  ['GARBAGE', 'HTTP/1.1 4', ''],
])('%s gets a response, and the server keeps running', async (line, start, part) => {
  await using server = await rig();
  const text = await new Promise<string>((resolve, reject) => {
    let all = '';
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1', () =>
      socket.write(`${line}\r\nHost: x\r\n\r\n`),
    );
    socket.on('data', (chunk: Buffer) => (all += chunk.toString()));
    socket.on('close', () => resolve(all));
    socket.on('error', reject);
  });
  expect(text.startsWith(start)).toBe(true);
  expect(text).toContain(part);
  expect((await ask(server, 'GET', '/version')).status).toBe(200);
});
