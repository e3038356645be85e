import { request } from 'node:http';
import { fakeEnv } from 'kube-informer/testing';
import { describe, expect, test } from 'vitest';
import { type ApiServer, type ApiServerOptions, startApiServer } from '../../src/index.ts';
import { ask } from '../rig/http-client.ts';
import { CONFIG_MAPS, configMap, until, watch } from '../rig/stream-client.ts';

const rig = (options: ApiServerOptions = {}) => startApiServer({ tls: false, admin: true, ...options });

interface Options {
  readonly body?: unknown;
  readonly token?: string;
  readonly host?: string;
}

// oxlint-disable-next-line typescript/no-explicit-any -- bodies are compared whole
type Body = any;

/** One request to the admin endpoint. */
function admin(
  server: ApiServer,
  method: string,
  path: string,
  options: Options = {},
): Promise<{ status: number; body: Body }> {
  const { url, token: own } = server.admin!;
  const { body, token = own, host } = options;
  const headers = { authorization: `Bearer ${token}`, ...(host === undefined ? {} : { host }) };
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { method, agent: false, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: JSON.parse(text) }));
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
  });
}

describe('access', () => {
  test('no admin endpoint without the option', async () => {
    await using server = await startApiServer({ tls: false });
    expect(server.admin).toBeUndefined();
  });

  test('needs its own token, not that of the API', async () => {
    await using server = await rig();
    expect((await admin(server, 'GET', '/faults')).status).toBe(200);
    for (const token of ['', 'wrong', server.token, `${server.admin?.token}x`])
      expect((await admin(server, 'GET', '/faults', { token })).status).toBe(401);
    expect((await ask(server, 'GET', '/api', { token: server.admin!.token })).status).toBe(401);
  });

  test('accepts requests to its address, not to another host name', async () => {
    await using server = await rig();
    const { host, port } = new URL(server.admin!.url);
    expect((await admin(server, 'GET', '/faults', { host })).status).toBe(200);
    expect((await admin(server, 'GET', '/faults', { host: `localhost:${port}` })).status).toBe(200);
    for (const other of ['evil.example', `evil.example:${port}`, '127.0.0.1', `127.0.0.1:${port}.evil.example`])
      expect((await admin(server, 'GET', '/faults', { host: other })).status).toBe(421);
  });

  test('a configured token and port; it listens on loopback and ends with the server', async () => {
    const server = await rig({ admin: { token: 'mine' } });
    const { url, token } = server.admin!;
    expect([token, new URL(url).hostname]).toEqual(['mine', '127.0.0.1']);
    await server.close();
    expect(server.admin).toBeUndefined();
    await using next = await rig({ admin: { port: Number(new URL(url).port) } });
    expect(next.admin?.url).toBe(url);
  });
});

describe('what it does', () => {
  test('adds rules like the programmatic API', async () => {
    await using server = await rig();
    const rule = { match: { path: { regexp: 'configmaps$' } }, do: { status: { code: 503 } }, times: 'always' };
    const { body } = await admin(server, 'POST', '/faults', { body: rule });
    expect((await ask(server, 'GET', CONFIG_MAPS)).status).toBe(503);
    expect((await ask(server, 'GET', '/api/v1/pods')).status).toBe(200);
    const listed = await admin(server, 'GET', '/faults');
    expect(listed.body.rules).toMatchObject([{ id: body.id, count: 1, fault: 'status {"code":503}' }]);
    expect(listed.body.fired).toMatchObject([{ verb: 'list', path: CONFIG_MAPS }]);
    expect((await admin(server, 'DELETE', `/faults/${body.id}`)).status).toBe(200);
    expect((await ask(server, 'GET', CONFIG_MAPS)).status).toBe(200);
    expect((await admin(server, 'DELETE', `/faults/${body.id}`)).status).toBe(400);
  });

  test('calls the methods of the menu by name', async () => {
    await using server = await rig();
    const stream = await watch(server);
    const cut = await admin(server, 'POST', '/faults/cutWatches', {
      body: { match: { resource: 'configmaps' }, how: 'fin' },
    });
    expect(cut.body).toEqual({ count: 1 });
    await until(() => stream.outcome === 'ECONNRESET');
    await admin(server, 'POST', '/faults/tooManyRequests', { body: { retryAfterSeconds: 2 } });
    expect((await ask(server, 'GET', CONFIG_MAPS)).headers['retry-after']).toBe('2');
    await admin(server, 'POST', '/faults/emulate', { body: { server: '1.20' } });
    expect((await ask(server, 'GET', '/version')).body.minor).toBe('20');
    await admin(server, 'DELETE', '/faults');
    expect((await ask(server, 'GET', '/version')).body.minor).not.toBe('20');
    const { body } = await admin(server, 'POST', '/faults/expireToken');
    expect(body).toEqual({ token: server.token });
    expect((await admin(server, 'POST', '/faults/explode')).body.error).toContain('expected one of');
    expect((await admin(server, 'POST', '/faults/constructor')).status).toBe(400);
  });

  test('history, revisions, restarts, snapshots', async () => {
    await using server = await rig();
    server.load([configMap('a')]);
    const { body: snapshot } = await admin(server, 'POST', '/snapshot');
    server.load([configMap('b')]);
    await admin(server, 'POST', '/history/compact', { body: {} });
    const old = await ask(
      server,
      'GET',
      `${CONFIG_MAPS}?resourceVersion=${snapshot.revision}&resourceVersionMatch=Exact`,
    );
    expect(old.status).toBe(410);
    expect((await admin(server, 'POST', '/revision/jump', { body: { revisions: 10 } })).body.revision).toBe(
      snapshot.revision + 11,
    );
    expect((await admin(server, 'POST', '/restore', { body: { id: snapshot.id } })).body).toEqual({
      revision: snapshot.revision,
    });
    expect((await ask(server, 'GET', CONFIG_MAPS)).body.items).toHaveLength(1);
    expect((await admin(server, 'POST', '/restore', { body: { id: '77' } })).status).toBe(400);
    await admin(server, 'POST', '/restart', { body: { keep: 'nothing' } });
    expect((await ask(server, 'GET', CONFIG_MAPS)).body.items).toEqual([]);
  });

  test('loads lines of objects, and writes at a rate', async () => {
    await using server = await rig();
    const lines = ['a', 'b'].map((name) => JSON.stringify(configMap(name))).join('\n');
    expect((await admin(server, 'POST', '/load', { body: `${lines}\n` })).body).toEqual({ loaded: 2 });
    const before = server.revision.current;
    const churned = await admin(server, 'POST', '/churn', {
      body: { resource: 'pods', rate: 500, seconds: 0.2, objects: 10 },
    });
    expect(churned.body).toEqual({ writes: 100 });
    expect(server.revision.current).toBe(before + 100);
    expect((await ask(server, 'GET', '/api/v1/pods')).body.items).toHaveLength(10);
    expect((await admin(server, 'POST', '/churn', { body: { resource: 'nopes' } })).status).toBe(400);
  });

  test('shows requests since the last call, and watchers', async () => {
    await using server = await rig();
    await ask(server, 'GET', '/version');
    await server.idle();
    const first = (await admin(server, 'GET', '/requests')).body.requests;
    expect(first).toMatchObject([{ path: '/version', status: 200 }]);
    expect((await admin(server, 'GET', `/requests?since=${first[0].id}`)).body.requests).toEqual([]);
    const stream = await watch(server);
    expect((await admin(server, 'GET', '/watchers')).body.watchers).toMatchObject([
      { resource: 'configmaps', state: 'live' },
    ]);
    stream.close();
  });

  test('moves the clock if the server has a fake one', async () => {
    const env = fakeEnv();
    await using fake = await rig({ env });
    expect((await admin(fake, 'POST', '/clock', { body: { advanceMs: 5000 } })).body).toEqual({ now: 5000 });
    await using real = await rig();
    const refused = await admin(real, 'POST', '/clock', { body: { advanceMs: 5000 } });
    expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining('real clock')]);
  });

  test('explains what is wrong with a request and lists the endpoints', async () => {
    await using server = await rig();
    expect((await admin(server, 'POST', '/faults', { body: '{' })).status).toBe(400);
    expect((await admin(server, 'POST', '/faults', { body: '[]' })).status).toBe(400);
    expect((await admin(server, 'POST', '/faults', { body: { do: { reorder: true } } })).body.error).toContain(
      'illegal',
    );
    const lost = await admin(server, 'GET', '/nowhere');
    expect([lost.status, lost.body.routes]).toEqual([404, expect.arrayContaining(['POST /faults', 'GET /requests'])]);
    expect((await admin(server, 'DELETE', '/')).status).toBe(404);
  });
});

test.each<[string, unknown, string]>([
  ['/revision/jump', {}, 'revisions: expected a whole number from 0'],
  ['/revision/jump', { revisions: 1.5 }, 'got 1.5'],
  ['/revision/jump', { revisions: -5 }, 'got -5'],
  ['/revision/jump', { revision: 5 }, 'there is no revision: expected one of revisions'],
  ['/history/compact', { revision: 'x' }, 'revision: expected a whole number from 0 on, got "x"'],
  ['/restart', { keep: 'bogus' }, 'keep: expected one of data, nothing'],
  ['/restart', { downMs: -1 }, 'downMs: expected a number from 0 on'],
  ['/clock', {}, 'real clock'],
  ['/churn', {}, 'resource is missing'],
  ['/churn', { resource: 'configmaps', rate: 'x' }, 'rate: expected a number above 0'],
  ['/load', {}, 'expected apiVersion and kind'],
  ['/faults/clockSkew', {}, 'ms: expected a number, got undefined'],
  ['/faults/clockSkew', { ms: '5' }, 'ms: expected a number, got "5"'],
  ['/faults/slowLists', {}, 'ms: expected a number from 0 on, got undefined'],
  ['/faults/slowLists', { ms: 5, jitter: 1 }, 'there is no jitter'],
  ['/faults/initializing', {}, 'forMs: expected a number above 0'],
  ['/faults/expireHistory', { revision: -1 }, 'revision: expected'],
  ['/faults/failRequests', {}, 'status is missing'],
  ['/faults/failRequests', { status: 5 }, 'do.status.code: expected a status code'],
  ['/faults/tooManyRequests', { tmies: 3 }, 'there is no tmies'],
  ['/faults/tooManyRequests', { retryAfterSeconds: -1 }, 'do.status.retryAfterSeconds: expected'],
  ['/faults/conflicts', { times: 'x' }, 'times: expected'],
  ['/faults/cutWatches', { mach: {} }, 'there is no mach'],
  ['/faults/silence', { deaf: 'x' }, 'deaf: expected true or false'],
  ['/faults/sequence', {}, 'rules: expected a list of at least 1'],
  ['/faults/sequence', { rules: [{ do: { error: 'Expired' } }] }, 'do.error: expected one of'],
  ['/faults/scenario', { name: 'toString' }, 'scenario: expected one of'],
  ['/faults/scenario', { name: 'overload', seed: 'x' }, 'seed: expected a number'],
  ['/faults/emulate', { server: '9' }, 'emulate: expected one of'],
  ['/faults/rotateCertificates', { expire: true }, 'there is no expire'],
  ['/faults', { match: { verb: 'watch' }, at: { event: 1 }, do: { error: 'Expired' } }, 'do.error: expected one of'],
])('an invalid request is a 400 with a message, and changes nothing: POST %s %j', async (path, body, message) => {
  await using server = await rig();
  const { current } = server.revision;
  const answer = await admin(server, 'POST', path, { body });
  expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(message)]);
  expect(server.revision.current).toBe(current);
  expect(server.faults.rules).toEqual([]);
});

test('DELETE of a sequence removes all of it, whichever rule is active', async () => {
  await using server = await rig();
  const rules = [500, 503, 504].map((status) => ({ match: { verb: 'list' }, do: { status } }));
  const first = (await admin(server, 'POST', '/faults/sequence', { body: { rules } })).body.id;
  expect((await ask(server, 'GET', CONFIG_MAPS)).status).toBe(500);
  expect((await admin(server, 'DELETE', `/faults/${first}`)).body).toEqual({ id: first, count: 1 });
  expect((await ask(server, 'GET', CONFIG_MAPS)).status).toBe(200);
  const again = (await admin(server, 'POST', '/faults/sequence', { body: { rules } })).body.id;
  expect((await ask(server, 'GET', CONFIG_MAPS)).status).toBe(500);
  await until(() => server.faults.rules.length === 1);
  const current = server.faults.rules[0]!.id;
  expect(current).not.toBe(again);
  expect((await admin(server, 'DELETE', `/faults/${current}`)).status).toBe(200);
  expect((await ask(server, 'GET', CONFIG_MAPS)).status).toBe(200);
  expect(server.faults.rules).toEqual([]);
});
