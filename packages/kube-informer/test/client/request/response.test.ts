import { describe, expect, test } from 'vitest';
import {
  discardResponseBody,
  errorFromResponse,
  type RequestInfo,
  readResponseBytes,
  readResponseJson,
} from '../../../src/client/request/response.ts';
import { KnownSecrets } from '../../../src/core/known-secrets.ts';
import type { TransportResponse } from '../../../src/client/transport/transport.ts';
import type { KubeError } from '../../../src/core/errors.ts';
import {
  isBadRequest, isConflict, isExpired, isForbidden, isInternalError, isInvalid, isNotFound, isServerFailure, isTimeout, isTooLargeResourceVersion,
  isTooManyRequests, isUnauthorized, isUnparsableVersion } from '../../../src/core/status.ts'; // prettier-ignore
import { body, bytes, everyByte, failureOf } from '../rig/bodies.ts';

/** Held as long as the tests run: the redaction knows the secrets of connections in use. */
const known = new KnownSecrets();

const WALL = Date.parse('Sun, 06 Nov 1994 08:49:37 GMT');
const TIME = { wallNow: WALL, maxRetryAfterMs: 60_000 };
const PODS: RequestInfo = { what: 'GET /api/v1/pods', isSecret: false };
const SECRETS: RequestInfo = { what: 'PUT /api/v1/namespaces/a/secrets/b', isSecret: true };

function rig(status: number, content: unknown, headers: Readonly<Record<string, string>> = {}) {
  const chunks = Array.isArray(content)
    ? (content as (string | Uint8Array)[])
    : [typeof content === 'string' ? content : JSON.stringify(content)];
  const made = body(chunks);
  const answer: TransportResponse = { status, headers: new Map(Object.entries(headers)), body: made };
  return {
    answer,
    body: made,
    error: (question: RequestInfo = PODS): Promise<KubeError> => errorFromResponse(answer, question, TIME),
  };
}

const statusBody = (code: number, reason?: string, more: object = {}): object => ({
  kind: 'Status',
  apiVersion: 'v1',
  code,
  reason,
  ...more,
});

describe('a failed response', () => {
  test('STR-12: a Status is the error, with its fields', async () => {
    const details = {
      name: 'a',
      kind: 'pods',
      causes: [{ reason: 'FieldValueInvalid', message: 'must be x', field: 'spec.a' }],
    };
    const error = await rig(422, statusBody(422, 'Invalid', { message: 'Pod "a" is invalid', details })).error();
    expect(error).toMatchObject({ code: 'API_STATUS', message: 'GET /api/v1/pods: Pod "a" is invalid' });
    expect(error.status).toEqual({
      apiVersion: 'v1',
      kind: 'Status',
      code: 422,
      reason: 'Invalid',
      message: 'Pod "a" is invalid',
      details,
    });
  });

  test.each<[number, (error: unknown) => boolean]>([
    [400, isBadRequest],
    [401, isUnauthorized],
    [403, isForbidden],
    [404, isNotFound],
    [409, isConflict],
    [410, isExpired],
    [422, isInvalid],
    [429, isTooManyRequests],
    [500, isInternalError],
    [502, isServerFailure],
    [503, isServerFailure],
    [504, isTimeout],
  ])('STR-12: a plain-text %i is typed all the same', async (code, is) => {
    const error = await rig(code, 'something went wrong\n').error();
    expect(is(error)).toBe(true);
    expect(error.message).toBe(`GET /api/v1/pods: the server answered ${code}: something went wrong`);
    expect(is(await rig(code, '').error())).toBe(true);
    expect(is(await rig(code, { kind: 'Status' }).error())).toBe(true);
  });

  test('STR-12: a too large resource version is recognised', async () => {
    const details = { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }] };
    expect(isTooLargeResourceVersion(await rig(504, statusBody(504, 'Timeout', { details })).error())).toBe(true);
  });

  test('STR-12: a Status with fields of wrong types is harmless', async () => {
    const hostile = {
      kind: 'Status',
      code: 200,
      message: { a: 1 },
      reason: 7,
      details: { causes: [null, 5, { message: [] }], retryAfterSeconds: '9' },
    };
    const error = await rig(503, hostile).error();
    expect(error.status).toEqual({
      apiVersion: 'v1',
      kind: 'Status',
      code: 503,
      reason: 'ServiceUnavailable',
      details: { causes: [{}, {}, {}] },
    });
    expect(error.retryAfterMs).toBeUndefined();
    expect((await rig(503, { kind: 'Status', details: 'x' }).error()).status?.details).toBeUndefined();
    expect((await rig(503, { kind: 'Pod' }).error()).message).toContain('{"kind":"Pod"}');
  });

  test('F41: an HTML page of a proxy is cut to 2 KB, its tokens hidden, and not read to its end', async () => {
    known.remember('echoed-canary-token-1');
    const page = `<html><body>\n\n502 Bad   Gateway Authorization: Bearer echoed-canary-token-1 ${'x'.repeat(100_000)}`;
    const { error, body: read } = rig(502, [page, 'never read', 'never read']);
    const failure = await error();
    expect(failure.message).toContain('the server answered 502: <html><body> 502 Bad Gateway');
    expect(failure.message).not.toContain('canary');
    expect(failure.message.length).toBeLessThan(2_200);
    expect(JSON.stringify(failure)).not.toContain('canary');
    expect(isServerFailure(failure)).toBe(true);
    expect(read.pulled).toBe(1);
    expect(read.closed).toBe(1);
  });

  test('F41: a body that breaks off still gives the error of its HTTP status', async () => {
    const broken: TransportResponse = {
      status: 503,
      headers: new Map(),
      body: body(['upstream con'], { error: new Error('reset') }),
    };
    expect((await errorFromResponse(broken, PODS, TIME)).message).toContain('503: upstream con');
  });

  test('S26: a Status that echoes a token is redacted in message, causes and names', async () => {
    known.remember('echoed-canary-token-2');
    const causes = [{ message: 'Bearer echoed-canary-token-2', field: 'echoed-canary-token-2' }];
    const details = { name: 'echoed-canary-token-2', causes };
    const error = await rig(
      401,
      statusBody(401, 'Unauthorized', { message: 'bad token: echoed-canary-token-2', details }),
    ).error();
    expect(JSON.stringify([error.message, error.status])).not.toContain('canary');
  });

  test.each([
    [
      422,
      statusBody(422, 'Invalid', {
        message: 'data: Invalid value: "c2VjcmV0LWNhbmFyeQ=="',
        details: { causes: [{ message: 'secret-canary', field: 'data' }] },
      }),
    ],
    [400, statusBody(400, 'BadRequest', { message: 'cannot decode {"data":{"a":"secret-canary"}}' })],
    [403, statusBody(403, 'Forbidden', { message: 'admission webhook "w" denied the request: secret-canary' })],
    [500, statusBody(500, undefined, { message: 'secret-canary' })],
    [502, 'you sent: secret-canary'],
  ])('S26: text of the server that could quote a Secret is left out of a %i', async (code, content) => {
    const error = await rig(code, content).error(SECRETS);
    expect(JSON.stringify([error.message, error.status])).not.toMatch(/canary|c2VjcmV0/);
    expect(error.message).toContain(String(code));
    expect(error.status?.code).toBe(code);
  });

  test.each([
    [404, statusBody(404, 'NotFound', { message: 'secrets "b" not found' })],
    [403, statusBody(403, 'Forbidden', { message: 'secrets "b" is forbidden: User "x" cannot get it' })],
  ])('S26: text that consists of names only is kept: %i', async (code, content) => {
    expect((await rig(code, content).error(SECRETS)).message).toMatch(/secrets "b"/);
  });

  test.each([
    [
      400,
      statusBody(400, 'BadRequest', { message: 'invalid resource version: resourceVersion: Invalid value: "canary"' }),
    ],
    [500, statusBody(500, undefined, { message: 'resourceVersion: Invalid value: "canary": strconv.ParseUint' })],
  ])('S26, ERR-10: a version that cannot be parsed is recognised for Secrets too: %i', async (code, content) => {
    const error = await rig(code, content).error(SECRETS);
    expect(isUnparsableVersion(error)).toBe(true);
    expect(JSON.stringify([error.message, error.status])).not.toContain('canary');
  });

  test('S26: an echoed Secret is recognised in the response to any request', async () => {
    const error = await rig(500, '{"kind": "Secret", "data": {"a": "secret-canary"}}').error();
    expect(JSON.stringify([error.message, error.status])).not.toContain('canary');
    expect((await rig(500, 'kind: SecretList\nitems: [secret-canary]').error()).message).not.toContain('canary');
  });

  test.each([301, 302, 303, 307, 308])('S6: a redirect (%i) is an error that shows the origin only', async (code) => {
    const location = 'https://user:pass@evil.example:8443/path?token=canary#x';
    const { error, body: read } = rig(code, ['page'], { location });
    const failure = await error();
    expect(failure).toMatchObject({ code: 'TRANSPORT' });
    expect(failure.message).toBe(
      'GET /api/v1/pods: the server redirects to https://evil.example:8443; redirects are never followed',
    );
    expect(read).toMatchObject({ pulled: 0, closed: 1 });
  });

  test('S6: a redirect to itself, without a target, or to an invalid URL', async () => {
    expect((await rig(307, '', { location: '/other' }).error()).message).toContain('redirects to itself;');
    expect((await rig(307, '').error()).message).toContain('redirects;');
    expect((await rig(307, '', { location: 'https://' }).error()).message).toContain('redirects;');
  });
});

describe('Retry-After', () => {
  const after = async (header: string | undefined, content: unknown = '', code = 429): Promise<number | undefined> =>
    (await rig(code, content, header === undefined ? {} : { 'retry-after': header }).error()).retryAfterMs;

  test.each([
    ['5', 5_000],
    [' 5 ', 5_000],
    ['0', undefined],
    ['61', 60_000],
    ['999999999', 60_000],
    ['Sun, 06 Nov 1994 08:49:47 GMT', 10_000],
    ['Sun, 06 Nov 1994 08:00:00 GMT', undefined],
    ['Mon, 07 Nov 1994 08:49:37 GMT', 60_000],
    ['soon', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['Sun, 99 Nov 1994 08:49:47 GMT', undefined],
    ['1994-11-06T08:49:47Z', undefined],
    [undefined, undefined],
  ])('F37: the header %j means %s ms, at most a minute', async (header, ms) => {
    expect(await after(header)).toBe(ms);
  });

  test('F37: a Status can carry it in place of the header', async () => {
    const said = statusBody(429, 'TooManyRequests', { details: { retryAfterSeconds: 7 } });
    expect(await after(undefined, said)).toBe(7_000);
    expect(await after('3', said)).toBe(3_000);
    expect(
      await after(undefined, statusBody(503, undefined, { details: { retryAfterSeconds: 0 } }), 503),
    ).toBeUndefined();
  });

  test('F37: the longest pause can be configured', async () => {
    const { answer } = rig(429, '', { 'retry-after': '600' });
    expect((await errorFromResponse(answer, PODS, { ...TIME, maxRetryAfterMs: 300_000 })).retryAfterMs).toBe(300_000);
  });
});

describe('a successful response', () => {
  test('JSON is read, whatever the chunks', async () => {
    const { answer } = rig(200, everyByte(bytes('{"a":"é"}')));
    expect(await readResponseJson(answer, 'GET /x')).toEqual({ a: 'é' });
  });

  test('F41: an HTML page in place of an object is an error without its content', async () => {
    const { answer } = rig(200, '<html>secret-canary</html>', { 'content-type': 'text/html; charset=secret-canary' });
    const error = (await failureOf(readResponseJson(answer, 'GET /x'))) as KubeError;
    expect(error).toMatchObject({ code: 'TRANSPORT' });
    expect(error.message).toContain('GET /x: the response is not valid JSON (26 bytes, text/html)');
    expect(JSON.stringify(error) + error.message + String((error.cause as Error).stack)).not.toContain('canary');
  });

  test('S26: a Secret that cannot be read leaves no trace in the error', async () => {
    const { answer } = rig(200, '{"kind":"Secret","data":{"a":"secret-canary"');
    const error = (await failureOf(readResponseJson(answer, 'GET /x'))) as KubeError & {
      cause: Error & { cause: Error };
    };
    expect([error.message, error.stack, error.cause.stack, error.cause.cause.stack].join()).not.toContain('canary');
  });

  test('a response over the maximum size is refused and closed', async () => {
    const { answer, body: read } = rig(200, ['12345', '67890', 'x', 'y']);
    expect(await failureOf(readResponseBytes(answer.body, 10, 'GET /x'))).toMatchObject({
      code: 'TRANSPORT',
      message: 'GET /x: the response is larger than 10 bytes',
    });
    expect(read).toMatchObject({ pulled: 3, closed: 1 });
    expect(await readResponseBytes(rig(200, ['12345', '67890']).answer.body, 10, 'x')).toHaveLength(10);
  });

  test('closing an unread body never fails', async () => {
    await discardResponseBody(body([], { onReturn: () => Promise.reject(new Error('gone')) }));
    await discardResponseBody({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('gone')) }) });
  });
});
