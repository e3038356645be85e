import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Client } from '../../../src/client/client.ts';
import { resolveConnection } from '../../../src/client/connect/resolve-connection.ts';
import { createFetchTransport } from '../../../src/client/transport/fetch/fetch-transport.ts';
import { KnownSecrets, MAX_SECRET_LENGTH, MIN_SECRET_LENGTH } from '../../../src/core/known-secrets.ts';
import { guardedEnv, systemEnv } from '../../../src/core/env.ts';
import { errorMessageOf, KubeError } from '../../../src/core/errors.ts';
import { redact } from '../../../src/core/redact.ts';
import { isExpired, isForbidden, statusError } from '../../../src/core/status.ts';
import type { KubeObject } from '../../../src/core/object/object.ts';
import { SharedInformer } from '../../../src/informer/shared-informer.ts';
import { fakeEnv } from '../../../src/testing/fake-clock.ts';
import { everyPrint, kubeconfig } from '../rig/auth-rig.ts';
import { collect, failureOf } from '../rig/bodies.ts';
import { clientRig, fakeConnection, FakeCredentials, FakeTransport, requesterRig, status } from '../rig/client-rig.ts';
import { onRequest } from '../rig/scripted-server.ts';
import { certificates, failure, get, rawRig, textOf } from '../rig/transport-rig.ts';

const certs = certificates();
const CANARY = 'canary-0123456789-canary';
const JSON_TYPE = { 'content-type': 'application/json' };
const MEGABYTES = 'm'.repeat(3_000_000);

describe('S80: bytes of a response are in no error', () => {
  test.each([
    ['a chunk without a size', `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${CANARY}\r\n`],
    ['a broken header', `HTTP/1.1 200 OK\r\n${CANARY}\u0001: x\r\n\r\n`],
    ['two lengths', `HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\n${CANARY}`],
    ['no HTTP at all', `${CANARY} ${CANARY}\r\n\r\n`],
  ])('S80: %s', async (_, bytes) => {
    const { transport } = await rawRig(certs, (socket) => onRequest(socket, () => socket.write(bytes)));
    const error = await failure(transport.send(get('/api/v1/secrets')).then(textOf));
    expect(error.cause.code).toMatch(/^HPE_/);
    expect(everyPrint(error) + JSON.stringify(error.cause)).not.toContain(CANARY);
    expect(everyPrint(error)).not.toContain('rawPacket');
  });

  test('S80: what a library attaches to its error is dropped, its name, code, Status and causes stay', () => {
    class ForeignError extends Error {
      override readonly name = 'ForeignError';
      readonly code = 'E_FOREIGN';
      readonly body = CANARY;
      readonly response = { headers: { authorization: CANARY } };
      readonly status = { kind: 'Status', code: 410, reason: 'Expired', message: 'gone', extra: CANARY };
    }
    const foreign = new ForeignError('Bearer abcdef-token', { cause: Object.assign(new Error('x'), { raw: CANARY }) });
    const error = new KubeError('TRANSPORT', 'failed', { cause: foreign });
    expect(everyPrint(error)).not.toMatch(new RegExp(`${CANARY}|abcdef-token`));
    expect(error.cause).toMatchObject({ name: 'ForeignError', code: 'E_FOREIGN', message: 'Bearer [redacted]' });
    expect(isExpired(error)).toBe(true);
    const plain = new TypeError('plain');
    expect(new KubeError('TRANSPORT', 'failed', { cause: plain }).cause).toBe(plain);
    const own = Object.assign(new Error('of the user'), { mine: {} });
    expect(new KubeError('TRANSFORM_FAILED', 'failed', { cause: own }).cause).toBe(own);
  });
});

describe('S98: no half of a token is shown', () => {
  const TOKEN = 'token-of-connection-1';
  /** Shrinks to one word when it is redacted, so that the end of a long text comes into view. */
  const shrinking = (length: number): string => {
    const [begin, end] = ['-----BEGIN CERTIFICATE-----', '-----END CERTIFICATE----- echo: '];
    return `${begin}${'A'.repeat(length - begin.length - end.length)}${end}`;
  };

  test.each([1, 5, 13, TOKEN.length - 1])('S98: a body that is cut after %i characters of it', async (kept) => {
    const body = `${shrinking(65_536 - kept)}${TOKEN} and more`;
    const { requester } = requesterRig([{ status: 500, body, headers: { 'content-type': 'text/plain' } }], {
      connection: { credentials: new FakeCredentials([TOKEN]) },
    });
    const error = await failureOf(requester.open({ method: 'GET', path: '/api/v1/pods', attempts: 'once' }));
    expect(everyPrint(error)).toContain('[redacted] echo:');
    expect(everyPrint(error)).not.toMatch(/echo: t/);
  });

  test('S98: a text of a library that is longer than what is searched', () => {
    const secrets = new KnownSecrets();
    onTestFinished(() => secrets.clear());
    secrets.remember(TOKEN);
    const text = `${shrinking(65_536 - 13)}${TOKEN}`;
    expect(errorMessageOf(new Error(text))).toBe('[redacted] echo: ');
    expect(new KubeError('TRANSPORT', text).message).toBe('[redacted] echo: ');
  });

  test('S98: the stack of a cause keeps no message that the error had before', () => {
    const cause = new Error(`Bearer ${CANARY}`);
    expect(cause.stack).toContain(CANARY);
    cause.message = 'harmless';
    expect(everyPrint(new KubeError('TRANSPORT', 'failed', { cause }))).not.toContain(CANARY);
  });
});

describe('S81: a Status in a response of 200 is checked like that of a failed one', () => {
  const hostile = {
    kind: 'Status', apiVersion: 'v1', code: 500, reason: 'InternalError',
    message: `token-of-connection-1 {"kind":"Secret","data":{"a":"${CANARY}"}} ${MEGABYTES}`,
    details: { name: MEGABYTES, causes: Array.from({ length: 5_000 }, () => ({ message: CANARY })) },
    metadata: { annotations: { a: CANARY } },
  }; // prettier-ignore
  const credentials = new FakeCredentials(['token-of-connection-1']);
  const plain = { ...hostile, message: `token-of-connection-1 ${MEGABYTES}`, details: {} };

  const check = (seen: string): void => {
    expect(seen).not.toMatch(/canary|token-of-connection/);
    expect(seen.length).toBeLessThan(60_000);
  };

  test('S81: in place of a list', async () => {
    const { client } = clientRig([{ headers: JSON_TYPE, body: hostile }], { connection: { credentials } });
    const error = await failureOf(client.resource('v1/pods').list({ attempts: 'once' }));
    expect(error).toMatchObject({ code: 'API_STATUS', status: { code: 500 } });
    check(everyPrint(error));
  });

  test('S81: in a watch, for a reader of events and for an informer: log, health and onWatchError', async () => {
    for (const object of [hostile, plain]) {
      const line = `${JSON.stringify({ type: 'ERROR', object })}\n`;
      const { client } = clientRig([{ headers: JSON_TYPE, body: line }], { connection: { credentials } });
      const { values } = await collect(client.resource('v1/pods').watch());
      expect(values).toMatchObject([{ type: 'ERROR', object: { code: 500 } }]);
      check(JSON.stringify(values));

      const env = fakeEnv();
      const seen: unknown[] = [];
      const empty = {
        headers: JSON_TYPE,
        body: { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: [] },
      };
      const rig = clientRig([], { connection: { credentials } });
      rig.transport.routes.set('/api/v1/pods', ({ path }) =>
        path.includes('watch=') ? { headers: JSON_TYPE, body: line } : empty,
      );
      const informer = new SharedInformer<KubeObject>(rig.client.resource<KubeObject>('v1/pods').listWatch(), {
        env,
        watchList: false,
        onWatchError: (error) => void seen.push(error),
      });
      const stop = new AbortController();
      onTestFinished(() => stop.abort());
      void informer.run(stop.signal);
      await env.clock.advance(5_000);
      expect(seen.length).toBeGreaterThan(0);
      check(seen.slice(0, 1).map(everyPrint).join(''));
      check(JSON.stringify(informer.health()));
      check(everyPrint(env.lines.slice(0, 20)));
    }
  });

  test('S81: a watch of Secrets hides what the server says about one', async () => {
    const object = {
      kind: 'Status',
      code: 500,
      message: `cannot decode ${CANARY}`,
      details: { causes: [{ message: CANARY }] },
    };
    const body = `${JSON.stringify({ type: 'ERROR', object })}\n`;
    const { client } = clientRig([
      { headers: JSON_TYPE, body },
      { headers: JSON_TYPE, body: object },
    ]);
    check(JSON.stringify(await collect(client.resource('v1/secrets').watch())));
    check(everyPrint(await failureOf(client.resource('v1/secrets').list({ attempts: 'once' }))));
    check(everyPrint(statusError({ ...object, details: { kind: 'secrets' } })));
  });
});

describe('S82: credentials are checked where their header is written', () => {
  const http = { server: new URL('http://cluster.example.com'), credentials: new FakeCredentials([CANARY]) };

  test('S82: no header with credentials leaves over plain http, with any kind of connection', async () => {
    const { requester, transport } = requesterRig([status(200)], { connection: http });
    const error = await failureOf(requester.open({ method: 'GET', path: '/api' }));
    expect(error).toMatchObject({ code: 'INVALID_CONFIG' });
    expect((error as Error).message).toContain('credentials are not sent over plain http');
    const none = { ...http, credentials: new FakeCredentials([]) };
    const { requester: other, transport: sent } = requesterRig([status(200)], { connection: none });
    const headers = { authorization: `Bearer ${CANARY}` };
    expect(await failureOf(other.open({ method: 'GET', path: '/api', headers }))).toMatchObject({
      code: 'INVALID_CONFIG',
    });
    expect([transport.sent, sent.sent]).toEqual([[], []]);
  });

  test('S82: a loopback address may get credentials if the connection allows it, without a proxy', async () => {
    const local = { ...http, server: new URL('http://127.0.0.1:8080'), credentialsOverHttp: true };
    const { requester } = requesterRig([{ body: '{}' }], { connection: local });
    expect((await requester.open({ method: 'GET', path: '/api' })).status).toBe(200);
    const proxied = requesterRig([], { connection: { ...local, proxy: new URL('http://proxy') } });
    expect(await failureOf(proxied.requester.open({ method: 'GET', path: '/api' }))).toMatchObject({
      code: 'INVALID_CONFIG',
    });
  });

  test('S82: credentials of a user’s source are redacted from before the request is sent', async () => {
    const secret = 'custom-authenticator-token-1';
    const { requester } = requesterRig([status(500, { message: `you sent ${secret}` })], {
      connection: { credentials: new FakeCredentials([secret]) },
    });
    expect(everyPrint(await failureOf(requester.open({ method: 'POST', path: '/api' })))).not.toContain(secret);
  });
});

describe('S83: each connection remembers its own secrets', () => {
  test('S83: 600 users of a kubeconfig push out nothing and hide no words', async () => {
    const users = Array.from({ length: 600 }, (_, at) => ({
      name: `u${at}`,
      user: { token: `word-number-${at}`, password: 'forbidden' },
    }));
    const config = kubeconfig({ user: { token: 'token-of-the-chosen-one' } }) as { users: object[] };
    const connection = await resolveConnection(
      { kubeconfig: { ...config, users: [...config.users, ...users] } },
      fakeEnv(),
    );
    await connection.credentials.current(new AbortController().signal);
    expect(redact('the token-of-the-chosen-one')).toBe('the [redacted]');
    expect(redact('pods is forbidden: word-number-3 word-number-599')).toContain('word-number-599');
    expect(redact('pods is forbidden: word-number-3')).toContain('forbidden: word-number-3');
  });

  test('S83: a closed client is forgotten, others are not', async () => {
    const other = new KnownSecrets();
    other.remember('token-of-another-connection');
    const connection = fakeConnection({ credentials: new FakeCredentials(['token-of-a-closed-one']) });
    const client = new Client({ connection, transport: new FakeTransport([{ body: '{}' }]), env: fakeEnv() });
    await client.request({ path: '/version' });
    expect(redact('token-of-a-closed-one')).toBe('[redacted]');
    await client.close();
    expect(redact('token-of-a-closed-one')).toBe('token-of-a-closed-one');
    expect(redact('token-of-another-connection')).toBe('[redacted]');
    other.clear();
  });

  test('S83: short words are never hidden, long secrets are remembered up to a limit', () => {
    const known = new KnownSecrets();
    known.remember('x'.repeat(MIN_SECRET_LENGTH - 1), 'Forbid', `${'s3'.repeat(5_000_000)}`);
    expect(redact('x'.repeat(MIN_SECRET_LENGTH - 1))).toContain('x');
    expect(redact('Forbidden')).toBe('Forbidden');
    expect(redact(`a ${'s3'.repeat(MAX_SECRET_LENGTH).slice(0, MAX_SECRET_LENGTH)} b`)).toBe('a [redacted] b');
    known.clear();
  });
});

describe('S84: a refusal about a Secret does not quote it', () => {
  test.each([
    `secrets "b" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'q' denied request: ${CANARY}`,
    `ValidatingAdmissionPolicy 'p' with binding 'q' denied request: expression 'x' resulted in ${CANARY}`,
    `admission webhook "w" denied the request: ${CANARY}`,
    `secrets "b" is forbidden: some plugin says ${CANARY}`,
  ])('S84: %s', async (message) => {
    for (const [code, reason] of [[403, 'Forbidden'], [401, 'Unauthorized'], [422, 'Invalid'], [409, 'Conflict'], [404, 'NotFound']] as const) {
      const details = { name: 'b', kind: 'secrets', causes: [{ message }] };
      // Conflict and NotFound of a plugin that is none of admission are made from names.
      if (message.includes('some plugin') && code !== 403 && code !== 401 && code !== 422) continue;
      const { requester } = requesterRig([status(code, { reason, message, details })]);
      const error = await failureOf(requester.open({ method: 'PUT', path: '/api/v1/namespaces/a/secrets/b', body: '{}' }));
      expect(everyPrint(error)).not.toContain(CANARY);
      expect(error).toMatchObject({ status: { code, reason, details: { name: 'b' } } });
    } // prettier-ignore
  });

  test('S84: what is made from names stays', async () => {
    for (const message of [
      'secrets is forbidden: User "system:serviceaccount:a:b" cannot list resource "secrets" in API group "" at the cluster scope',
      'secrets "b" is forbidden: User "x" cannot get resource "secrets" in API group "" in the namespace "a"',
      'secrets "b" is forbidden: unable to create new content in namespace a because it is being terminated',
    ]) {
      const { requester } = requesterRig([status(403, { reason: 'Forbidden', message })]);
      const error = await failureOf(
        requester.open({ method: 'POST', path: '/api/v1/namespaces/a/secrets', body: '{}' }),
      );
      expect((error as Error).message).toContain(message);
      expect(isForbidden(error)).toBe(true);
    }
  });

  test('S84: a warning of a policy is left out too, one about versions or fields stays', async () => {
    const header = `299 - "Validation failed for ValidatingAdmissionPolicy 'p': ${CANARY}", 299 - "unknown field \\"spec.x\\""`;
    const { requester, env } = requesterRig([{ headers: { warning: header }, body: '{}' }]);
    await requester.open({ method: 'PUT', path: '/api/v1/namespaces/a/%73ecrets/b', body: '{}' });
    expect(JSON.stringify(env.lines)).not.toContain(CANARY);
    expect(JSON.stringify(env.lines)).toContain('spec.x');
  });
});

describe('S85: the log', () => {
  const hostile = 'a\u009b31m\u001b[2J\u202egnp.exe\u2066\u200b\u2028\nsecond line\u0007';

  test('S85: the default log escapes control characters and those that change the direction, in one line', () => {
    const print = vi.spyOn(console, 'error').mockImplementation(() => {});
    onTestFinished(() => print.mockRestore());
    systemEnv.log('error', 'said', { text: hostile, error: new Error(hostile), [`k\u009b`]: 1 });
    const [line = ''] = print.mock.calls.map(([text]) => String(text));
    expect(print).toHaveBeenCalledTimes(1);
    // oxlint-disable-next-line no-control-regex -- exactly those must not be there
    expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/);
    expect(line).toContain('\\u{9b}31m');
    expect(line).toContain('\\u{202e}gnp');
  });

  test('S85: texts and errors lose credentials on their way to any log', () => {
    const known = new KnownSecrets();
    known.remember(CANARY);
    const env = fakeEnv();
    const error = Object.assign(new Error(CANARY), { body: CANARY });
    guardedEnv({ ...env }).log('warn', 'said', { text: `x ${CANARY}`, names: [CANARY], error });
    expect(everyPrint(env.lines)).not.toContain(CANARY);
    known.clear();
  });

  test('S85: messages of errors are escaped and bounded, our own words stay', () => {
    const { message } = new KubeError('LIST_INVALID', `${hostile} ${MEGABYTES}`);
    expect(message.length).toBeLessThan(20_000);
    expect(message).not.toContain('\u202e');
    expect(new KubeError('INVALID_OPTION', 'option token: expected a text').message).toBe(
      'option token: expected a text',
    );
    expect(errorMessageOf(new Error('token: hunter2-hunter2'))).toBe('token: [redacted]');
  });
});

test('S80: the error of a foreign fetch carries no bytes either', async () => {
  const fetch = (): Promise<never> =>
    Promise.reject(Object.assign(new TypeError('fetch failed'), { rawPacket: CANARY }));
  const transport = createFetchTransport({ server: new URL('https://x.test'), fetch, env: fakeEnv() });
  expect(everyPrint(await failure(transport.send(get('/'))))).not.toContain(CANARY);
});
