import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { mountInspector, type MountOptions } from '../../src/index.ts';
import type { ObjectDetail, Overview } from '../../src/protocol/messages.ts';
import { configMap, rig, send } from '../rigs/inspector.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A server of a user with an inspector in it. `wrap` is what a framework does before the handler. */
async function mounted(options: MountOptions, wrap: (handler: Handler) => Handler = (handler) => handler) {
  const { cluster, server } = await rig();
  const inspector = mountInspector(cluster, options);
  const handler = wrap(inspector.handler);
  const web = createServer(handler);
  await new Promise<void>((resolve) => void web.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    await inspector.close();
    web.closeAllConnections();
    web.close();
  });
  const { port } = web.address() as AddressInfo;
  const headers = { 'x-inspector-token': inspector.token };
  return { cluster, server, inspector, port, headers };
}

test('an inspector is mounted under a path of a server, and answers nothing without the token', async () => {
  const { port, headers, inspector, cluster } = await mounted({ path: '/debug/inspect' });
  cluster.informer('v1/configmaps');
  expect(inspector.fragment).toBe(`/#token=${inspector.token}`);
  const bare = await send(port, '/debug/inspect');
  expect([bare.status, bare.headers.location]).toEqual([308, './inspect/']);
  const page = await send(port, '/debug/inspect/');
  expect([page.status, page.text]).toEqual([200, expect.stringContaining('src="app.js"')]);
  expect((await send(port, '/debug/inspect/app.js')).headers['content-type']).toContain('javascript');
  expect((await send(port, '/debug/inspect/api/overview')).status).toBe(401);
  const { status, text } = await send(port, '/debug/inspect/api/overview', { headers });
  expect([status, (JSON.parse(text) as Overview).caches.length]).toEqual([200, 1]);
});

test('a mounted inspector refuses foreign hosts and origins, whatever the port; TLS of the server is fine', async () => {
  const { port, headers } = await mounted({ path: '/i', hostNames: ['app.lan'] });
  const status = async (more: Record<string, string>) =>
    (await send(port, '/i/api/overview', { headers: { ...headers, ...more } })).status;
  expect(await status({ host: 'app.lan:8443', origin: 'https://app.lan:8443' })).toBe(200);
  expect(await status({ host: 'localhost' })).toBe(200);
  expect(await status({ host: 'evil.lan:8443' })).toBe(403);
  expect(await status({ host: 'app.lan', origin: 'https://evil.lan' })).toBe(403);
  expect(await status({ host: 'app.lan', origin: 'ftp://app.lan' })).toBe(403);
});

test('a framework that removes the path, as Express does, needs no option', async () => {
  const express =
    (handler: Handler): Handler =>
    (request, response) => {
      const originalUrl = request.url ?? '';
      Object.assign(request, { originalUrl, url: originalUrl.replace(/^\/inspect\/?/, '/') });
      handler(request, response);
    };
  const { port } = await mounted({}, express);
  expect((await send(port, '/inspect')).headers.location).toBe('./inspect/');
  expect((await send(port, '/inspect/')).status).toBe(200);
  expect((await send(port, '/inspect/app.css')).status).toBe(200);
});

test.each<[string, (handler: Handler) => Handler]>([
  ['not yet, as in a hook onRequest of Fastify', (handler) => (request, response) => void setImmediate(handler, request, response)],
  ['as express.json() does', (handler) => async (request, response) => {
    const chunks = await request.toArray() as Buffer[];
    handler(Object.assign(request, { body: JSON.parse(Buffer.concat(chunks).toString() || '{}') as unknown }), response);
  }],
])('an action works if the framework has read its body: %s', async (_, wrap) => {
  const { port, headers, cluster, server } = await mounted({ path: '/i', reveal: true }, wrap);
  server.load([configMap('a', { password: 'hunter2' })]);
  await cluster.informer('v1/configmaps', { namespace: 'default' }).synced({ timeoutMs: 30_000 });
  const ask = (body: object) => send(port, '/i/api/reveal', {
    method: 'POST', headers: { ...headers, 'content-type': 'application/json', origin: `http://127.0.0.1:${port}` }, body: JSON.stringify(body),
  });
  expect(await ask({ cache: 'v1/configmaps in default', key: 'default/a' })).toMatchObject({ status: 200, text: expect.stringContaining('hunter2') as string });
  expect((await ask({ cache: 7 })).status).toBe(400);
}); // prettier-ignore

test('S130: mounted, every response has the security headers, and its redirect leads nowhere else', async () => {
  const { port, headers } = await mounted({ path: '/debug/inspect' });
  const paths = ['', '/', '/app.js', '/api/overview', '/nothing', '/%2e%2e/', '//evil.test/', '/..;/x', '?next=//evil.test'];
  for (const more of [{}, headers, { host: 'evil.test' }, { origin: 'http://evil.test' }])
    for (const path of paths) {
      const response = await send(port, `/debug/inspect${path}`, { headers: more });
      expect(response.headers, `${response.status} ${path}`).toMatchObject({
        'content-security-policy': expect.stringMatching(/default-src 'none'.*frame-ancestors 'none'/),
        'x-frame-options': 'DENY', 'referrer-policy': 'no-referrer', 'x-content-type-options': 'nosniff', 'cache-control': 'no-store',
      });
      expect(response.headers).not.toHaveProperty('access-control-allow-origin');
      expect(response.headers.location ?? './inspect/').toMatch(/^\.\/inspect\/(?:\?|$)/);
    }
}); // prettier-ignore

test('wrong paths and options are rejected', async () => {
  const { cluster } = await rig();
  for (const wrong of [{ path: 'inspect' }, { path: '/inspect/' }, { path: '/a b' }, { port: 1 }])
    expect(() => mountInspector(cluster, wrong)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
});

test('an object is shown with its events, newest first, masked, if a cache has them', async () => {
  const { cluster, server, json } = await rig();
  server.load([configMap('a'), configMap('b')]);
  const maps = cluster.informer('v1/configmaps', { namespace: 'default' });
  await maps.synced({ timeoutMs: 30_000 });
  const detail = () => json<ObjectDetail>(`/api/object?cache=${encodeURIComponent('v1/configmaps in default')}&key=default/a`);
  expect((await detail()).events).toEqual([]);
  const event = (name: string, about: string, lastTimestamp: string, message: string) => ({
    apiVersion: 'v1', kind: 'Event', metadata: { namespace: 'default', name }, lastTimestamp, type: 'Warning', reason: 'Failed', count: 3, message,
    involvedObject: { uid: maps.get(about)?.metadata.uid },
  });
  server.load([
    event('old', 'a', '2026-01-01T00:00:00Z', 'old'),
    event('new', 'a', '2026-01-02T00:00:00Z', 'Authorization: Bearer abcdefghijklmnopqrstuvwxyz012345'),
    event('other', 'b', '2026-01-03T00:00:00Z', 'of another object'),
  ]);
  await cluster.informer('v1/events').synced({ timeoutMs: 30_000 });
  const { events } = await detail();
  expect(events.map(({ at, count, isWarning }) => [at, count, isWarning])).toEqual([
    [Date.parse('2026-01-02'), 3, true],
    [Date.parse('2026-01-01'), 3, true],
  ]);
  expect(JSON.stringify(events)).not.toContain('abcdefghijklmnopqrstuvwxyz012345');
}); // prettier-ignore
