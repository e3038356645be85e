import { networkInterfaces } from 'node:os';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { FaultSummary, Overview } from '../../src/protocol/messages.ts';
import { configMap, raw, rig, send } from '../rigs/inspector.ts';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'";

const reaches = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 10_000 });
    const end = (is: boolean) => (): void => {
      socket.destroy();
      resolve(is);
    };
    socket.once('connect', end(true)).once('error', end(false)).once('timeout', end(false));
  });

describe('the inspector over HTTP', () => {
  test('S38: by default it listens on loopback, on a free port, with a random token, read-only and masked', async () => {
    const { inspector, ask, json } = await rig();
    const { inspector: other } = await rig();
    const { hostname, hash, search } = new URL(inspector.url);
    expect([hostname, search]).toEqual(['127.0.0.1', '']);
    // 256 bits in base64url.
    expect(hash).toMatch(/^#token=[\w-]{43}$/);
    expect(inspector.url).toContain(inspector.token);
    expect(other.token).not.toBe(inspector.token);
    expect(other.address.port).not.toBe(inspector.address.port);
    expect(await json<Overview>('/api/overview')).toMatchObject({ canFault: false, canReveal: false });
    const sent = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } };
    for (const path of ['/api/fault', '/api/faults', '/api/reveal']) {
      expect((await ask(path)).status).toBe(404);
      expect((await ask(path, sent)).status).toBe(405);
    }
    const outside = Object.values(networkInterfaces()).flatMap((all = []) => all.filter((one) => !one.internal && one.family === 'IPv4'));
    for (const { address } of outside) expect(await reaches(address, inspector.address.port)).toBe(false);
  }); // prettier-ignore

  test('S38: an address other than loopback requires a token, and a warning is logged', async () => {
    const refused = expect.objectContaining({ code: 'INVALID_OPTION' });
    await expect(rig({ host: '0.0.0.0' })).rejects.toThrow(refused);
    await expect(rig({ host: '0.0.0.0', token: 'short' })).rejects.toThrow(refused);
    await expect(rig({ token: `${'x'.repeat(32)}\r\nevil: 1` })).rejects.toThrow(refused);
    const token = 'x'.repeat(32);
    const open = await rig({ host: '0.0.0.0', token, hostNames: ['box.lan'] });
    expect(open.lines).toEqual([expect.stringMatching(/^warn the inspector is reachable from other machines/)]);
    const { port } = open.inspector.address;
    expect((await open.ask('/api/overview', { headers: { host: `box.lan:${port}` } })).status).toBe(200);
    expect((await open.ask('/api/overview', { headers: { host: `evil.lan:${port}` } })).status).toBe(403);
    const quiet = await rig();
    expect(quiet.lines).toEqual([]);
  }); // prettier-ignore

  test('wrong and unknown options are rejected', async () => {
    const refused = expect.objectContaining({ code: 'INVALID_OPTION' });
    for (const wrong of [{ prot: 1 }, { port: 'x' }, { port: 1.5 }, { port: 70_000 }, { history: { perObject: -1 } }, { history: { each: 5 } }])
      await expect(rig(wrong as object)).rejects.toThrow(refused);
  }); // prettier-ignore

  test('S39: a foreign, similar or missing Host header gets 403 only', async () => {
    const { ask, inspector, authority } = await rig();
    const { port } = inspector.address;
    for (const host of ['evil.com', `localhost.evil.com:${port}`, `127.0.0.1.nip.io:${port}`, '127.0.0.1'])
      for (const path of ['/', '/app.js', '/api/overview', '/api/stream', '/nothing'])
        expect((await ask(path, { headers: { host } })).status).toBe(403);
    const token = `x-inspector-token: ${inspector.token}\r\nConnection: close\r\n`;
    expect(await raw(port, `GET /api/overview HTTP/1.1\r\n${token}\r\n`)).toMatch(/^HTTP\/1\.1 403 /);
    expect(await raw(port, `GET /api/overview HTTP/1.0\r\n${token}\r\n`)).toMatch(/^HTTP\/1\.1 403 /);
    const two = `Host: ${authority}\r\nHost: evil.com\r\n`;
    expect(await raw(port, `GET /api/overview HTTP/1.1\r\n${two}${token}\r\n`)).toMatch(/^HTTP\/1\.1 40[03] |^$/);
    // An absolute URL in the request line does not bypass the check.
    const absolute = `GET http://${authority}/api/overview HTTP/1.1\r\nHost: evil.com\r\n${token}\r\n`;
    expect(await raw(port, absolute)).toMatch(/^HTTP\/1\.1 403 /);
  });

  test('S40: another origin gets 403, no response has CORS headers, and upgrades are refused', async () => {
    const { ask, inspector, authority } = await rig();
    for (const origin of ['https://evil.com', 'null', 'http://localhost:1'])
      for (const path of ['/', '/api/overview', '/api/stream'])
        expect((await ask(path, { headers: { origin } })).status).toBe(403);
    const preflight = { origin: 'https://evil.com', 'access-control-request-headers': 'x-inspector-token' };
    const answers = [
      await ask('/api/overview'),
      await ask('/api/overview', { method: 'OPTIONS', headers: preflight }),
      await ask('/api/overview', { headers: { origin: `http://${authority}` } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 403, 200]);
    for (const { headers } of answers)
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    const upgrade = `GET /api/stream HTTP/1.1\r\nHost: ${authority}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\n\r\n`;
    expect(await raw(inspector.address.port, upgrade)).not.toMatch(/^HTTP\/1\.1 [12]\d\d/);
  });

  test('S41: the error of a failed fault is shown, masked, until it is started again', async () => {
    const ways = [() => { throw new Error('token=abcdefgh is not enough'); }, () => Promise.reject(new Error('later')), () => Promise.resolve()];
    const fault = { name: 'cut', title: 'Cut', description: '', run: () => ways.shift()?.() };
    const { ask, json, authority, lines } = await rig({ faults: [fault] });
    const headers = { 'content-type': 'application/json', origin: `http://${authority}` };
    const tried = async () => {
      expect((await ask('/api/fault', { method: 'POST', body: '{"name":"cut"}', headers })).status).toBe(202);
      await expect.poll(async () => (await json<readonly FaultSummary[]>('/api/faults'))[0]?.isRunning, { timeout: 30_000 }).toBe(false);
      return (await json<readonly FaultSummary[]>('/api/faults'))[0]?.failure;
    };
    expect(await tried()).toBe('token=[redacted] is not enough');
    expect(await tried()).toBe('later');
    expect(await tried()).toBeUndefined();
    expect(lines).toHaveLength(2);
  }); // prettier-ignore

  test('S48: a HEAD request for a stream is refused, and takes no client slot', async () => {
    const { ask } = await rig();
    for (let i = 0; i < 20; i += 1) {
      const { status, headers } = await ask('/api/stream', { method: 'HEAD' });
      expect([status, headers['allow']]).toEqual([405, 'GET']);
    }
    expect((await ask('/api/overview', { method: 'HEAD' })).status).toBe(200);
  });

  test('S41: a form, an image or a script of another site starts no fault; GET changes nothing', async () => {
    let ran = 0;
    const fault = { name: 'cut', title: 'Cut', description: '', run: () => void (ran += 1) };
    const { ask, plain, authority, inspector } = await rig({ faults: [fault] });
    const good = { 'content-type': 'application/json', origin: `http://${authority}` };
    const body = '{"name":"cut"}';
    const form = { 'content-type': 'text/plain', origin: 'https://evil.com' };
    expect((await plain('/api/fault', { method: 'POST', body, headers: form })).status).toBe(403);
    expect((await plain('/api/fault', { method: 'POST', body, headers: good })).status).toBe(401);
    expect((await ask('/api/fault', { method: 'POST', body, headers: { ...good, 'content-type': 'text/plain' } })).status).toBe(415);
    expect((await ask('/api/fault', { method: 'POST', body })).status).toBe(403);
    expect((await ask('/api/fault?name=cut', { headers: good })).status).toBe(405);
    expect((await ask('/api/fault', { method: 'POST', body: '{"name":"nope"}', headers: good })).status).toBe(404);
    expect((await ask('/api/fault', { method: 'POST', body: 'cut', headers: good })).status).toBe(400);
    expect((await ask('/api/fault', { method: 'POST', body: JSON.stringify({ name: 'x'.repeat(10_000) }), headers: good })).status).toBe(400);
    for (const path of ['/', '/api/overview', '/api/faults', '/api/timeline', '/api/handlers']) expect((await ask(path)).status).toBe(200);
    expect(ran).toBe(0);
    expect((await ask('/api/fault', { method: 'POST', body, headers: good })).status).toBe(202);
    expect(ran).toBe(1);
    expect((await ask('/')).headers['set-cookie']).toBeUndefined();
    expect(inspector.url).not.toContain('?');
  }); // prettier-ignore

  test('S42: the token is accepted in its header only, and is in no log, page or response', async () => {
    const { plain, ask, inspector, lines } = await rig({ reveal: true });
    const { token } = inspector;
    expect((await plain('/api/overview')).status).toBe(401);
    expect((await plain(`/api/overview?token=${token}`)).status).toBe(401);
    expect((await plain('/api/overview', { headers: { authorization: `Bearer ${token}` } })).status).toBe(401);
    expect((await plain('/api/overview', { headers: { cookie: `token=${token}` } })).status).toBe(401);
    expect((await plain('/api/overview', { headers: { 'x-inspector-token': `${token}x` } })).status).toBe(401);
    for (const path of ['/', '/app.js', '/app.css', '/api/overview', '/api/nothing']) {
      const { text, headers } = await ask(path);
      expect(text + JSON.stringify(headers)).not.toContain(token);
      expect(headers['referrer-policy']).toBe('no-referrer');
    }
    expect(lines.join('\n')).not.toContain(token);
  });

  test('S43, S44: every response, also a refusal, has all security headers', async () => {
    const { ask, plain } = await rig();
    const answers = [
      await ask('/'), await ask('/app.js'), await ask('/app.css'), await ask('/icon.svg'), await ask('/api/overview'),
      await ask('/nothing'), await plain('/api/overview'), await plain('/', { headers: { host: 'evil.com' } }), await ask('/api/object'),
    ]; // prettier-ignore
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 404, 401, 403, 400]);
    for (const { headers } of answers)
      expect(headers).toMatchObject({
        'content-security-policy': POLICY,
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      });
  });

  test('S45: only the four files of the page are served; no path leads to other files', async () => {
    const { plain, ask } = await rig();
    const types = ['/', '/app.js', '/app.css', '/icon.svg'].map(async (path) => (await plain(path)).headers['content-type']);
    expect(await Promise.all(types)).toEqual(['text/html', 'text/javascript', 'text/css', 'image/svg+xml'].map((type) => `${type}; charset=utf-8`));
    for (const path of ['/..%2f..%2fpackage.json', '/%2e%2e/package.json', '/app.js%00.html', '/../package.json', '//etc/passwd', '/app.js/', '/App.js', '/./app.js', '/index.html', '/__proto__', '/constructor', 'file:///etc/passwd']) {
      expect((await plain(path)).status).toBe(401);
      expect((await ask(path)).status).toBe(404);
    }
  }); // prettier-ignore

  test('S47: it is not a proxy: the API server gets no request, and API paths and methods are refused', async () => {
    const { ask, server, cluster } = await rig();
    server.local.create('', 'configmaps', configMap('one'));
    await cluster.informer('v1/configmaps').synced({ timeoutMs: 30_000 });
    await server.idle();
    const before = server.requests.length;
    for (const path of ['/api/v1/pods', '/apis', '/version', '/api/proxy?url=https://evil.com', 'https://evil.com/'])
      expect((await ask(path)).status).toBe(404);
    for (const method of ['DELETE', 'PUT', 'PATCH', 'POST'])
      expect((await ask('/api/object?cache=v1/configmaps&key=default/one', { method })).status).toBe(405);
    expect((await ask('/api/object?cache=v1/configmaps&key=default/one')).status).toBe(200);
    // A cache this process does not have is not opened on request.
    expect((await ask('/api/object?cache=v1/secrets&key=default/one')).status).toBe(400);
    expect((await ask('/api/filters?cache=v1/secrets')).status).toBe(400);
    expect(cluster.caches().map(({ resource }) => resource)).toEqual(['v1/configmaps']);
    const own = /^\/api\/v1\/configmaps/;
    expect(server.requests.slice(before).filter(({ path }) => !own.test(path))).toEqual([]);
    expect(server.local.get('', 'configmaps', 'default', 'one')).toBeDefined();
  });

  test('close leaves no socket and no handler, and is idempotent', async () => {
    const { cluster, inspector, ask, server } = await rig();
    server.local.create('', 'configmaps', configMap('one'));
    const maps = cluster.informer('v1/configmaps');
    await maps.synced({ timeoutMs: 30_000 });
    await ask('/api/overview');
    const handlers = (): readonly string[] => maps.health().flatMap((one) => one.handlers.map(({ name }) => name));
    expect(handlers()).toEqual(['inspector']);
    await Promise.all([inspector.close(), inspector.close()]);
    expect(handlers()).toEqual([]);
    await expect(send(inspector.address.port, '/')).rejects.toThrow(/ECONNREFUSED/);
  });

  test('a port in use is reported', async () => {
    const { inspector } = await rig();
    const { port } = inspector.address;
    await expect(rig({ port })).rejects.toThrow(new RegExp(`cannot listen on 127.0.0.1:${port}`));
  });
});
