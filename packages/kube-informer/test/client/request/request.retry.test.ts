import { describe, expect, test } from 'vitest';
import { readResponseJson } from '../../../src/client/request/response.ts';
import { attemptsOf } from '../../../src/client/request/request.ts';
import { transportFailureCause, transportFailure } from '../../../src/client/transport/transport-failure.ts';
import { decodeList } from '../../../src/client/codec/list-stream.ts';
import { KubeError, type Status } from '../../../src/core/errors.ts';
import { isConnectionRefused, isTooManyRequests, retryAfterOf } from '../../../src/core/status.ts';
import { body, failureOf } from '../rig/bodies.ts';
import { type Answer, requesterRig, type RigOptions, status } from '../rig/client-rig.ts';

const OK: Answer = { body: { ok: true } };
const system = (code: string): Error => Object.assign(new Error(code), { code });
const broken = (code: string, notSent = false): Error => transportFailure('x', system(code), { notSent });
const times = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);
const READS = ['GET', 'HEAD', 'OPTIONS'] as const;
const WRITES = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Sends one request; tells when each attempt went out. Backoff draws 0.5, so it is half of its bound. */
function rig(
  script: readonly Answer[],
  method: (typeof READS)[number] | (typeof WRITES)[number] = 'GET',
  options: RigOptions = {},
) {
  const at: number[] = [];
  const { requester, transport, env } = requesterRig(
    script.map((answer) => (request) => {
      at.push(env.now());
      return typeof answer === 'function' ? answer(request) : answer;
    }),
    options,
  );
  const running = requester.call({ method, path: '/x' }, (answer) => readResponseJson(answer, 'x'));
  running.catch(() => {});
  return { running, at, transport, env, clock: env.clock, requester };
}

/** The pauses before each further attempt, when all fail alike. */
async function pauses(answer: Answer, method: (typeof READS)[number] | (typeof WRITES)[number]): Promise<number[]> {
  const { at, clock, running } = rig(times(20, answer), method);
  await clock.advance(3_600_000);
  await failureOf(running);
  return at.slice(1).map((when, i) => when - (at[i] as number));
}

const BACKOFF = [500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000, 15_000, 15_000];

describe('the retry table', () => {
  test.each([...READS, ...WRITES])(
    'D10, F37: %s after 429 with Retry-After: ten times, each after that delay',
    async (method) => {
      expect(await pauses(status(429, {}, { 'retry-after': '3' }), method)).toEqual(times(10, 3_000));
      expect(await pauses(status(429, { details: { retryAfterSeconds: 2 } }), method)).toEqual(times(10, 2_000));
    },
  );

  test.each(WRITES)('D10, F41: %s is not repeated after a 5xx: it may have been carried out', async (method) => {
    for (const code of [500, 502, 503, 504]) {
      expect(await pauses(status(code, {}, { 'retry-after': '3' }), method)).toEqual([]);
      expect(await pauses(status(code, { details: { retryAfterSeconds: 2 } }), method)).toEqual([]);
      expect(await pauses(status(code), method)).toEqual([]);
    }
  });

  test.each(READS)('D10, F37: %s after 5xx with Retry-After: ten times, after Retry-After', async (method) => {
    for (const code of [500, 502, 503, 504]) {
      expect(await pauses(status(code, {}, { 'retry-after': '3' }), method)).toEqual(times(10, 3_000));
      expect(await pauses(status(code, { details: { retryAfterSeconds: 2 } }), method)).toEqual(times(10, 2_000));
    }
  });

  test.each(['0', 'Sun, 06 Nov 1994 08:49:37 GMT'])(
    'D10, F37: a Retry-After of %j is ignored: a write is not repeated, a read after the backoff',
    async (header) => {
      const answer = status(503, {}, { 'retry-after': header });
      for (const method of WRITES) expect(await pauses(answer, method)).toEqual([]);
      expect(await pauses(answer, 'GET')).toEqual([500, 1_000]);
    },
  );

  test('D10: closing ends the wait for another attempt', async () => {
    const { running, requester, clock } = rig([status(503, {}, { 'retry-after': '60' })]);
    await clock.advance(0);
    requester.close();
    await clock.advance(0);
    expect(await failureOf(running)).toMatchObject({ code: 'ABORTED' });
  });

  test('D10: Retry-After on any other response is ignored', async () => {
    for (const code of [400, 403, 404, 409, 422]) {
      expect(await pauses(status(code, {}, { 'retry-after': '3' }), 'GET')).toEqual([]);
    }
  });

  test.each(READS)(
    'D10: %s after 429 without header: ten times, backoff with full jitter up to 30 s',
    async (method) => {
      expect(await pauses(status(429), method)).toEqual(BACKOFF);
      expect(await pauses({ status: 429, body: 'Too many requests, please try again later.' }, method)).toEqual(
        BACKOFF,
      );
    },
  );

  test.each(WRITES)('D10: %s after 429 without header: not retried', async (method) => {
    expect(await pauses(status(429), method)).toEqual([]);
  });

  test('D10: GET after 5xx without header: three attempts in all; writes: one', async () => {
    for (const code of [500, 502, 503, 504, 599]) {
      expect(await pauses(status(code), 'GET')).toEqual([500, 1_000]);
      for (const method of WRITES) expect(await pauses(status(code), method)).toEqual([]);
    }
  });

  test.each([
    'ECONNRESET',
    'EPIPE',
    'UND_ERR_SOCKET',
    'ERR_STREAM_PREMATURE_CLOSE',
    'ERR_PING_TIMEOUT',
    'ERR_HTTP2_GOAWAY_SESSION',
    'ERR_HTTP2_STREAM_ERROR',
    'ERR_HTTP2_SESSION_ERROR',
    'ERR_CERTIFICATE_CHANGED',
  ])(
    'D10: a connection that broke (%s): reads after 1 s; writes only if the server has not seen them',
    async (code) => {
      for (const method of READS) expect(await pauses(broken(code), method)).toEqual(times(10, 1_000));
      for (const method of WRITES) {
        expect(await pauses(broken(code), method)).toEqual([]);
        expect(await pauses(broken(code, true), method)).toEqual(times(10, 1_000));
      }
    },
  );

  test('D10: a request on a refused stream is retried, on every platform', async () => {
    expect(await pauses(broken('ERR_HTTP2_STREAM_REFUSED'), 'POST')).toEqual(times(10, 1_000));
  });

  test.each([
    'ECONNREFUSED',
    'ENOTFOUND',
    'EAI_AGAIN',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'ETIMEDOUT',
    'ERR_CONNECT_TIMEOUT',
    'ERR_HEADERS_TIMEOUT',
    'ERR_SILENT',
    'UND_ERR_CONNECT_TIMEOUT',
    'UND_ERR_HEADERS_TIMEOUT',
  ])('D10: no server or no answer in time (%s): reads three times with backoff, writes not', async (code) => {
    for (const method of READS) expect(await pauses(broken(code, true), method)).toEqual(BACKOFF.slice(0, 3));
    for (const method of WRITES) expect(await pauses(broken(code, true), method)).toEqual([]);
  });

  test('D10: without a reason, as in a browser: reads are retried with backoff', async () => {
    const error = transportFailure('GET /x', new TypeError('Failed to fetch'));
    expect(await pauses(error, 'GET')).toEqual(BACKOFF.slice(0, 3));
    expect(await pauses(error, 'POST')).toEqual([]);
  });

  test.each([
    'CERT_HAS_EXPIRED',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'ERR_BODY_TOO_LARGE',
    'ERR_REDIRECT_HIDDEN',
    'ERR_TRANSPORT_CLOSED',
    'ERR_PROXY',
    'Z_DATA_ERROR',
  ])('D10: an untrusted certificate or another permanent failure (%s): not retried', async (code) => {
    expect(await pauses(broken(code, true), 'GET')).toEqual([]);
    expect(await pauses(broken(code, true), 'POST')).toEqual([]);
  });

  test.each([400, 401, 403, 404, 405, 409, 410, 415, 422, 428])('D10: %i: not retried', async (code) => {
    for (const method of [...READS, ...WRITES]) expect(await pauses(status(code), method)).toEqual([]);
  });

  test.each([301, 302, 303, 307, 308])('D10, S6: %i: neither followed nor retried', async (code) => {
    for (const method of ['GET', 'POST'] as const) {
      const { at, clock, running, transport } = rig(
        times(3, { status: code, headers: { location: 'https://evil.example/x?a' } }),
        method,
      );
      await clock.advance(60_000);
      expect(await failureOf(running)).toMatchObject({
        code: 'TRANSPORT',
        message: expect.stringContaining('https://evil.example;') as string,
      });
      expect(at).toHaveLength(1);
      expect(transport.lines).toEqual([`${method} /x`]);
    }
  });

  test('D10: an error that is not TRANSPORT is not retried', async () => {
    expect(await pauses(new KubeError('CREDENTIALS', 'no token'), 'GET')).toEqual([]);
    expect(await pauses({ body: '<html>' }, 'GET')).toEqual([]);
  });
});

describe('trying again', () => {
  test('D10: a response that breaks off is a failed attempt', async () => {
    const cut = { body: body(['{"ok":'], { error: broken('ECONNRESET') }) };
    const { running, at, clock } = rig([cut, OK]);
    await clock.advance(5_000);
    expect(await running).toEqual({ ok: true });
    expect(at).toEqual([0, 1_000]);
  });

  test('D10: a list that ends early is retried after 1 s', async () => {
    const { requester, env, transport } = requesterRig([
      { body: '{"items":[{}' },
      { body: { kind: 'PodList', items: [] } },
    ]);
    const running = requester.call({ method: 'GET', path: '/x' }, ({ body: read }) => decodeList(read, { env }));
    await env.clock.advance(999);
    expect(transport.sent).toHaveLength(1);
    await env.clock.advance(1);
    expect(await running).toMatchObject({ items: [] });
  });

  test('D10: a write whose response breaks off is not repeated', async () => {
    const { running, at, clock } = rig([{ body: body(['{"ok":'], { error: broken('ECONNRESET') }) }, OK], 'POST');
    await clock.advance(5_000);
    expect(await failureOf(running)).toMatchObject({ code: 'TRANSPORT' });
    expect(at).toHaveLength(1);
  });

  test('D10: different failures count together, each with its own pause', async () => {
    const { running, at, clock } = rig([
      status(503),
      broken('ECONNRESET'),
      broken('ECONNREFUSED'),
      status(429, {}, { 'retry-after': '7' }),
      OK,
    ]);
    await clock.advance(60_000);
    expect(await running).toEqual({ ok: true });
    expect(at).toEqual([0, 500, 1_500, 3_500, 10_500]);
  });

  test('D10: when all attempts fail alike, the error names the reason once', async () => {
    const { running, clock } = rig(Array.from({ length: 10 }, () => broken('ECONNREFUSED')));
    await clock.advance(600_000);
    const { message } = (await failureOf(running)) as KubeError;
    expect(message).toMatch(/^GET \/x failed \d+ times; each time: (?!.*each time).*ECONNREFUSED/);
    expect(message.match(/ECONNREFUSED/g)).toHaveLength(1);
  });

  test('D10: the error names the last attempt and the last other one, and keeps them all', async () => {
    const { running, clock } = rig([
      broken('ECONNRESET'),
      status(503, { message: 'busy' }),
      status(403, { message: 'no', reason: 'Forbidden' }),
    ]);
    await clock.advance(60_000);
    const error = (await failureOf(running)) as KubeError;
    expect(error.code).toBe('API_STATUS');
    expect(error.message).toBe('GET /x failed 3 times; last: GET /x: no; before: GET /x: busy');
    expect(error.status?.reason).toBe('Forbidden');
    expect(attemptsOf(error)).toHaveLength(3);
    expect(attemptsOf(error).at(-1)).toBe(error.cause);
    expect(attemptsOf(new Error('x'))).toEqual([]);
  });

  test('D10: predicates and Retry-After survive the last attempt', async () => {
    const refused = rig(times(11, broken('ECONNREFUSED')));
    await refused.clock.advance(600_000);
    expect(isConnectionRefused(await failureOf(refused.running))).toBe(true);
    const busy = rig(times(11, status(429, {}, { 'retry-after': '4' })));
    await busy.clock.advance(600_000);
    const error = await failureOf(busy.running);
    expect(isTooManyRequests(error)).toBe(true);
    expect(retryAfterOf(error)).toBe(4_000);
  });

  test('D10: attempts are logged without the query', async () => {
    const { requester, env } = requesterRig([status(503), OK]);
    const running = requester.call({ method: 'GET', path: '/x?fieldSelector=mine' }, (answer) =>
      readResponseJson(answer, 'x'),
    );
    await env.clock.advance(1_000);
    await running;
    expect(env.lines).toMatchObject([{ level: 'debug', fields: { method: 'GET', path: '/x', ms: 500 } }]);
    expect(JSON.stringify(env.lines)).not.toContain('mine');
  });

  test('F37: the pause may be at most a minute, unless configured', async () => {
    const long = status(429, {}, { 'retry-after': '600' });
    const { at, clock, running } = rig([long, OK]);
    await clock.advance(700_000);
    await running;
    expect(at).toEqual([0, 60_000]);
    const patient = rig([long, OK], 'GET', { requester: { maxRetryAfterMs: 3_600_000 } });
    await patient.clock.advance(700_000);
    await patient.running;
    expect(patient.at).toEqual([0, 600_000]);
  });

  test('STR-07, STR-12: `once` makes one attempt and passes Retry-After on', async () => {
    const { requester, transport, env } = requesterRig([status(429, {}, { 'retry-after': '9' }), OK]);
    const running = requester.call({ method: 'GET', path: '/x', attempts: 'once' }, (answer) =>
      readResponseJson(answer, 'x'),
    );
    const error = await failureOf(running);
    expect(retryAfterOf(error)).toBe(9_000);
    expect(transport.sent).toHaveLength(1);
    expect(env.clock.sleeping).toBe(0);
    expect((error as { status: Status }).status.code).toBe(429);
  });

  test('STR-07: opening a stream is retried until its headers have arrived, and not after', async () => {
    const { requester, transport, env } = requesterRig([
      status(503),
      broken('ECONNRESET'),
      { body: body(['one'], { error: broken('ECONNRESET') }) },
      OK,
    ]);
    const opening = requester.open({ method: 'GET', path: '/x', longLived: true });
    await env.clock.advance(10_000);
    const answer = await opening;
    expect(transport.sent.map(({ longLived }) => longLived)).toEqual([true, true, true]);
    await failureOf(
      (async () => {
        for await (const _ of answer.body);
      })(),
    );
    await env.clock.advance(60_000);
    expect(transport.sent).toHaveLength(3);
  });

  test('STR-07: only status 200 opens a stream', async () => {
    const { requester } = requesterRig([{ status: 204 }]);
    expect(await failureOf(requester.open({ method: 'GET', path: '/x', longLived: true }))).toMatchObject({
      code: 'API_STATUS',
      status: { code: 204 },
    });
  });

  test('D10: the code of a KubeError in the chain of causes is skipped', async () => {
    const error = transportFailure('x', transportFailureCause('ERR_PING_TIMEOUT', 'no answer to a ping'));
    expect(await pauses(error, 'GET')).toEqual(times(10, 1_000));
  });
});
