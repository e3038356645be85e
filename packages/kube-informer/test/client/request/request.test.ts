import { getEventListeners } from 'node:events';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { readResponseJson } from '../../../src/client/request/response.ts';
import type { Impersonation } from '../../../src/client/config/connection-plan.ts';
import { KnownSecrets } from '../../../src/core/known-secrets.ts';
import { RateLimiter } from '../../../src/core/async/rate-limit.ts';
import { type ApiRequest, attemptsOf } from '../../../src/client/request/request.ts';
import { transportFailure } from '../../../src/client/transport/transport-failure.ts';
import { hasCode, type KubeError } from '../../../src/core/errors.ts';
import { isNotFound, isUnauthorized } from '../../../src/core/status.ts';
import { fakeEnv, settle } from '../../../src/testing/fake-clock.ts';
import { body, failureOf } from '../rig/bodies.ts';
import { type Answer, FakeCredentials, requesterRig, type RigOptions, silence, status } from '../rig/client-rig.ts';

/** Held as long as the tests run: the redaction knows the secrets of connections in use. */
const known = new KnownSecrets();

const OK: Answer = { body: { ok: true } };
const reset = transportFailure('x', Object.assign(new Error('reset'), { code: 'ECONNRESET' }));

function rig(script: readonly Answer[], options: RigOptions = {}) {
  const made = requesterRig(script, options);
  const call = (request: Partial<ApiRequest> = {}): Promise<unknown> => {
    const running = made.requester.call({ method: 'GET', path: '/x', ...request }, (answer) =>
      readResponseJson(answer, 'x'),
    );
    running.catch(() => {});
    return running;
  };
  return { ...made, call, clock: made.env.clock };
}

describe('what is sent', () => {
  test('STR-12: the path prefix of the server is kept, its query and fragment are not', async () => {
    for (const server of ['https://h.example/k8s/clusters/c-1', 'https://h.example/k8s/clusters/c-1/?a=b#c']) {
      const { call, transport } = rig([OK], { connection: { server: new URL(server) } });
      await call({ path: '/api/v1/pods?limit=1' });
      expect(transport.lines).toEqual(['GET /k8s/clusters/c-1/api/v1/pods?limit=1']);
    }
  });

  test('STR-12: accept, user agent, credentials and content type', async () => {
    const { call, transport } = rig([OK, OK]);
    await call();
    expect(transport.last.headers).toEqual({
      accept: 'application/json',
      'user-agent': 'test',
      authorization: 'Bearer first',
    });
    expect('body' in transport.last).toBe(false);
    await call({ method: 'POST', body: '{}', contentType: 'application/json', accept: 'text/plain' });
    expect(transport.last).toMatchObject({
      body: '{}',
      headers: { accept: 'text/plain', 'content-type': 'application/json' },
    });
  });

  test('STR-12: without credentials there is no authorization header', async () => {
    const { call, transport } = rig([OK], { connection: { credentials: new FakeCredentials([]) } });
    await call();
    expect(transport.last.headers).not.toHaveProperty('authorization');
  });

  test('D8: an explicit Authorization header wins, and a 401 to it renews nothing', async () => {
    const credentials = new FakeCredentials(['one', 'two']);
    const { call, transport } = rig([status(401)], { connection: { credentials } });
    expect(isUnauthorized(await failureOf(call({ headers: { Authorization: 'Bearer mine' } })))).toBe(true);
    expect(transport.last.headers['authorization']).toBe('Bearer mine');
    expect(credentials.rejections).toEqual([]);
    expect(transport.sent).toHaveLength(1);
  });

  test('impersonation: one header per group, names encoded', async () => {
    const impersonate: Impersonation = {
      user: 'jane',
      uid: '42',
      groups: ['a', 'b'],
      extra: { 'Example.com/Scopes (x)': ['view', 'edit'], empty: [] },
    };
    const { call, transport } = rig([OK], { connection: { impersonate } });
    await call();
    expect(transport.last.headers).toMatchObject({
      'impersonate-user': 'jane',
      'impersonate-uid': '42',
      'impersonate-group': ['a', 'b'],
      'impersonate-extra-example.com%2fscopes%20%28x%29': ['view', 'edit'],
    });
    expect(Object.keys(transport.last.headers).filter((name) => name.startsWith('impersonate'))).toHaveLength(4);
  });

  test.each<Impersonation>([
    { user: 'a\r\nx: y' },
    { user: '' },
    { user: 'a', groups: ['b\nc'] },
    { user: 'a', uid: 'b\0' },
    { user: 'a', extra: { 'b\r\n': ['c'] } },
    { user: 'a', extra: { b: ['c\r\nd'] } },
  ])('S8: impersonation with a line break is refused at construction: %j', (impersonate) => {
    expect(() => rig([], { connection: { impersonate } })).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }));
  });

  test('S8: a token with a line break is never sent, nor shown', async () => {
    const credentials = new FakeCredentials(['canary-token\r\nx-evil: 1']);
    const { call, transport } = rig([OK], { connection: { credentials } });
    const error = (await failureOf(call())) as KubeError;
    expect(error.code).toBe('CREDENTIALS');
    expect(inspect(error, { depth: 9 })).not.toContain('canary');
    expect(transport.sent).toEqual([]);
  });

  test.each<Record<string, string>>([
    { 'x-a': 'b\r\nc: d' },
    { 'x-a': 'b\0' },
    { 'x-a\r\n': 'b' },
    { 'x a': 'b' },
    { '': 'b' },
    { Host: 'evil.example' },
    { 'Content-Length': '0' },
    { 'transfer-encoding': 'chunked' },
    { Connection: 'upgrade' },
  ])('S8: a header of %j is refused before anything is sent', async (headers) => {
    const { call, transport } = rig([OK]);
    expect(await failureOf(call({ headers }))).toMatchObject({ code: 'INVALID_OPTION' });
    expect(transport.sent).toEqual([]);
  });
});

describe('401', () => {
  test('F40, G23: credentials are renewed once and the request is replayed once', async () => {
    const credentials = new FakeCredentials(['old', 'new']);
    const { call, transport } = rig([status(401), OK], { connection: { credentials } });
    expect(await call({ method: 'POST', body: '{"a":1}', contentType: 'application/json' })).toEqual({ ok: true });
    expect(transport.sent.map(({ headers, body: sent }) => [headers['authorization'], sent])).toEqual([
      ['Bearer old', '{"a":1}'],
      ['Bearer new', '{"a":1}'],
    ]);
    expect(credentials.rejections).toMatchObject([{ authorization: 'Bearer old' }]);
  });

  test('F40: a second 401 is final', async () => {
    const { call, transport } = rig([status(401), status(401), OK], {
      connection: { credentials: new FakeCredentials(['a', 'b', 'c']) },
    });
    expect(isUnauthorized(await failureOf(call()))).toBe(true);
    expect(transport.sent).toHaveLength(2);
  });

  test('F40: credentials that cannot be renewed are not sent twice', async () => {
    const { call, transport } = rig([status(401), OK]);
    expect(isUnauthorized(await failureOf(call()))).toBe(true);
    expect(transport.sent).toHaveLength(1);
  });

  test('F40, G23: once per call, not once per attempt', async () => {
    const credentials = new FakeCredentials(['a', 'b', 'c']);
    const { call, transport, clock } = rig([status(401), status(503), status(401), OK], {
      connection: { credentials },
    });
    const running = call();
    await clock.advance(10_000);
    expect(isUnauthorized(await failureOf(running))).toBe(true);
    expect(transport.sent).toHaveLength(3);
    expect(credentials.rejections).toHaveLength(1);
  });

  test('F40: renewed credentials are not an attempt: also a call that makes only one is replayed', async () => {
    const { call } = rig([status(401), OK], { connection: { credentials: new FakeCredentials(['old', 'new']) } });
    expect(await call({ attempts: 'once' })).toEqual({ ok: true });
  });

  test('F40: the body of the first response is closed', async () => {
    const { call, transport } = rig([{ status: 401, body: body(['x'.repeat(100_000), 'more']) }, OK], {
      connection: { credentials: new FakeCredentials(['old', 'new']) },
    });
    await call();
    expect(transport.bodies[0]?.closed).toBe(1);
  });

  test('G23: credentials are fetched before every attempt', async () => {
    const credentials = new FakeCredentials(['a']);
    const { call, clock } = rig([status(503), reset, OK], { connection: { credentials } });
    const running = call();
    await clock.advance(10_000);
    await running;
    expect(credentials.asked).toBe(3);
  });
});

describe('ending', () => {
  test('a signal ends a call that waits for its response', async () => {
    const stop = new AbortController();
    const { call, transport } = rig([silence]);
    const running = failureOf(call({ signal: stop.signal }));
    await settle();
    stop.abort('enough');
    expect(await running).toMatchObject({ code: 'ABORTED', message: 'GET /x was aborted', cause: 'enough' });
    expect(transport.sent).toHaveLength(1);
  });

  test('a transport that ignores its signal does not matter', async () => {
    const stop = new AbortController();
    const { call } = rig([() => new Promise(() => {})]);
    const running = failureOf(call({ signal: stop.signal }));
    await settle();
    stop.abort();
    expect(await running).toMatchObject({ code: 'ABORTED' });
  });

  test('a signal ends the reading of a body, the getting of credentials and the wait for the next attempt', async () => {
    const endless = { body: { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) } };
    for (const [script, options] of [
      [[endless], {}],
      [
        [OK],
        {
          connection: {
            credentials: { kind: 'slow', current: () => new Promise<never>(() => {}), rejected: () => false },
          },
        },
      ],
      [[status(429, {}, { 'retry-after': '30' }), OK], {}],
    ] as const) {
      const stop = new AbortController();
      const { call, env } = rig(script, options);
      const running = failureOf(call({ signal: stop.signal }));
      await settle();
      stop.abort();
      expect(await running).toMatchObject({ code: 'ABORTED' });
      expect(env.clock.sleeping).toBe(0);
    }
  });

  test('the error of an aborted call includes the failure before', async () => {
    const stop = new AbortController();
    const { call } = rig([status(503, { message: 'busy' }, { 'retry-after': '30' })]);
    const running = failureOf(call({ signal: stop.signal }));
    await settle();
    stop.abort();
    const error = (await running) as KubeError;
    expect(error.message).toContain('busy');
    expect(attemptsOf(error)).toHaveLength(1);
  });

  test('a signal that is already aborted sends nothing', async () => {
    const { call, transport } = rig([OK]);
    expect(await failureOf(call({ signal: AbortSignal.abort() }))).toMatchObject({ code: 'ABORTED' });
    expect(transport.sent).toEqual([]);
  });

  test('timeoutMs is for the whole call, retries included, and is not taken for an abort', async () => {
    const { call, clock, transport } = rig([status(503, { message: 'busy' }, { 'retry-after': '2' }), silence]);
    const running = failureOf(call({ timeoutMs: 5_000 }));
    await clock.advance(4_999);
    expect(transport.sent).toHaveLength(2);
    await clock.advance(1);
    const error = (await running) as KubeError;
    expect(error).toMatchObject({
      code: 'TRANSPORT',
      message: 'GET /x: no response within 5000 ms; the last attempt: GET /x: busy',
    });
    expect(hasCode(error, 'ABORTED')).toBe(false);
    expect(clock.sleeping).toBe(0);
  });

  test('F68: the timeout message says when the time was spent on getting credentials', async () => {
    const credentials = { kind: 'exec aws', current: () => new Promise<never>(() => {}), rejected: () => false };
    const { requester, env, transport } = requesterRig([], { connection: { credentials } });
    const running = failureOf(requester.call({ method: 'GET', path: '/x', timeoutMs: 700 }, () => Promise.resolve()));
    await settle();
    await env.clock.advance(700);
    expect(await running).toMatchObject({
      code: 'TRANSPORT',
      message: 'GET /x: no response within 700 ms while getting credentials (exec aws)',
    });
    expect(transport.sent).toEqual([]);
  });

  test('timeoutMs without a failure before', async () => {
    const { call, clock } = rig([silence]);
    const running = failureOf(call({ timeoutMs: 10 }));
    await clock.advance(10);
    expect(await running).toMatchObject({ code: 'TRANSPORT', message: 'GET /x: no response within 10 ms' });
    expect(await failureOf(call({ timeoutMs: 0 }))).toMatchObject({ code: 'INVALID_OPTION' });
  });

  test('a call that ended in time leaves no timer and nothing on its signal', async () => {
    const { signal } = new AbortController();
    const { call, clock } = rig([OK, status(404), status(503), OK]);
    await call({ signal, timeoutMs: 60_000 });
    await failureOf(call({ signal, timeoutMs: 60_000 }));
    const running = call({ signal });
    await clock.advance(1_000);
    await running;
    expect(clock.sleeping).toBe(0);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('D10: a call under a signal leaves one listener on it, however much it does', async () => {
    const { signal } = new AbortController();
    const { call } = rig([silence]);
    void call({ signal });
    await settle();
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  });
});

describe('the limiter', () => {
  const limited = (script: readonly Answer[], perSecond = 1) => {
    const env = fakeEnv({ random: 0.5 });
    const limiter = new RateLimiter(env, { perSecond, burst: 1 });
    return rig(script, { clock: env.clock, requester: { env, limiter } });
  };

  test('D10: every attempt passes it', async () => {
    const { call, clock, transport } = limited([status(503), status(503), OK], 0.1);
    const running = call();
    await clock.advance(9_999);
    expect(transport.sent).toHaveLength(1);
    await clock.advance(1);
    expect(transport.sent).toHaveLength(2);
    await clock.advance(10_000);
    expect(await running).toEqual({ ok: true });
  });

  test('STR-07, D10: watches do not', async () => {
    const { requester, transport } = limited([{ body: '' }, { body: '' }, { body: '' }]);
    for (let i = 0; i < 3; i += 1) await requester.open({ method: 'GET', path: '/x', longLived: true });
    expect(transport.sent).toHaveLength(3);
  });

  test('D10: waiting for it is not part of timeoutMs', async () => {
    const { call, clock, transport } = limited([OK, OK, OK], 0.1);
    const all = [1, 2, 3].map(() => call({ timeoutMs: 100 }));
    await clock.advance(25_000);
    expect(await Promise.all(all)).toHaveLength(3);
    expect(transport.sent).toHaveLength(3);
  });

  test('STR-12: it can be replaced or left out for one request', async () => {
    const { call, clock, transport } = limited([OK, OK, OK], 0.1);
    await call();
    await call({ limiter: 'none' });
    let asked = 0;
    await call({ limiter: { take: () => Promise.resolve(void (asked += 1)) } });
    expect(asked).toBe(1);
    expect(transport.sent).toHaveLength(3);
    expect(clock.now()).toBe(0);
  });
});

describe('warnings', () => {
  const warned = (text: string, more: object = OK as object): Answer => ({
    headers: { warning: `299 - "${text}"` },
    ...more,
  });

  test('D11: they are reported with method and path, once per text', async () => {
    const { call, env } = rig([warned('old'), warned('old'), warned('older', { status: 404, body: {} })]);
    await call({ path: '/x?a=b' });
    await call();
    await failureOf(call());
    expect(env.lines.map(({ fields }) => fields)).toEqual([
      { text: 'old', method: 'GET', path: '/x' },
      { text: 'older', method: 'GET', path: '/x' },
    ]);
  });

  test('D11: a watch reports them at its start', async () => {
    const { requester, env } = rig([warned('old watch')]);
    await requester.open({ method: 'GET', path: '/x', longLived: true });
    expect(env.lines).toHaveLength(1);
  });

  test('STR-12: the handler can be replaced for one request', async () => {
    const shared: string[] = [];
    const own: string[] = [];
    const { call, env } = rig([warned('one'), warned('two'), warned('three'), warned('three')], {
      requester: { onWarning: ({ text }) => void shared.push(text) },
    });
    await call();
    await call({ onWarning: ({ text }) => void own.push(text) });
    await call({ onWarning: 'log' });
    await call({ onWarning: 'log' });
    expect([shared, own, env.lines.length]).toEqual([['one'], ['two'], 1]);
  });

  test('D11: with throw the call fails, its body is closed, and it is not retried', async () => {
    const { call, transport } = rig([warned('old')], { requester: { onWarning: 'throw' } });
    expect(await failureOf(call())).toMatchObject({ code: 'API_WARNING' });
    expect(transport.bodies[0]?.closed).toBe(1);
    expect(transport.sent).toHaveLength(1);
  });
});

describe('secrets', () => {
  test('S26, F41: a server that echoes the request gets no secret into an error or a log', async () => {
    known.remember('canary-bearer-1');
    const echo = 'Authorization: Bearer canary-bearer-1';
    const credentials = new FakeCredentials(['canary-bearer-1']);
    const { call, env, clock } = rig(
      [
        { status: 502, body: `<html>${echo}</html>` },
        status(503, { message: echo, details: { causes: [{ message: echo }] } }),
        { status: 307, headers: { location: 'https://x.example/?token=canary-bearer-1' } },
      ],
      { connection: { credentials } },
    );
    const running = failureOf(call());
    await clock.advance(60_000);
    const error = await running;
    expect(attemptsOf(error)).toHaveLength(3);
    expect(inspect([error, attemptsOf(error), env.lines], { depth: 12 })).not.toContain('canary');
  });

  test("S26, S24: nor for the caller's own headers, with the scheme or without", async () => {
    const packed = btoa('jane:canary-password');
    const headers = {
      Authorization: `Basic ${packed}`,
      'X-Auth-Token': 'canary-token',
      Cookie: 'theme=darkness; session=canary-session',
    };
    const words = [packed, 'canary-password', 'canary-token', 'canary-session'];
    const { call } = rig([{ status: 400, body: `I was sent ${words.join(' and ')}, of text/unusual` }]);
    const error = await failureOf(call({ headers: { ...headers, Accept: 'text/unusual' } }));
    const shown = inspect(error, { depth: 9 });
    for (const word of words) expect(shown).not.toContain(word);
    expect(shown).toContain('text/unusual');
    const { call: bearer } = rig([{ status: 400, body: 'no such token: canary/bearer' }]);
    const refused = await failureOf(bearer({ headers: { authorization: 'Bearer canary/bearer' } }));
    expect(inspect(refused, { depth: 9 })).not.toContain('canary');
  });

  test('S26: a Secret that is refused is not quoted', async () => {
    const { call } = rig([status(422, { reason: 'Invalid', message: 'data: Invalid value: "canary"' })]);
    const error = await failureOf(
      call({ method: 'PUT', path: '/api/v1/namespaces/a/secrets/b?dryRun=All', body: '{}' }),
    );
    expect(inspect(error, { depth: 9 })).not.toContain('canary');
    const { call: other } = rig([status(404, { reason: 'NotFound', message: 'secrets "b" not found' })]);
    const missing = await failureOf(other({ path: '/api/v1/namespaces/a/secrets/b' }));
    expect(isNotFound(missing)).toBe(true);
    expect((missing as Error).message).toContain('secrets "b" not found');
  });

  test('S25: a requester shows nothing when printed', () => {
    const { requester } = rig([], { connection: { credentials: new FakeCredentials(['canary-token']) } });
    expect(inspect(requester, { depth: 9, showHidden: true }) + JSON.stringify(requester)).not.toContain('canary');
  });
});
