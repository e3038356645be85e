import { describe, expect, test } from 'vitest';
import { KubeError, type Status } from '../../src/core/errors.ts';
import * as predicates from '../../src/core/status.ts';
import {
  isAlreadyExists,
  isBadRequest,
  isConflict,
  isConnectionRefused,
  isExpired,
  isForbidden,
  isGone,
  isInternalError,
  isInvalid,
  isNotFound,
  isRefusalStatus,
  isResourceExpired,
  isServerFailure,
  isTimeout,
  isTooLargeResourceVersion,
  isTooManyRequests,
  isTooLargeStatus,
  isUnauthorized,
  isUnparsableVersion,
  retryAfterOf,
  statusError,
  statusOf,
} from '../../src/core/status.ts';

const failed = (status: Status): KubeError => new KubeError('API_STATUS', 'the server said no', { status });
const wrapped = (error: unknown): KubeError => new KubeError('TRANSPORT', 'failed to list pods', { cause: error });

/** The names of all predicates of the module that recognise `error`. */
function classesOf(error: unknown): string[] {
  return Object.entries(predicates)
    .filter(([name, call]) => name.startsWith('is') && (call as (error: unknown) => boolean)(error))
    .map(([name]) => name);
}

describe('expired', () => {
  test.each<[Status, boolean]>([
    [{ code: 410, reason: 'Expired' }, true],
    [{ reason: 'Expired' }, true],
    [{ code: 410, reason: 'Gone' }, true],
    [{ reason: 'Gone' }, true],
    [{ code: 410 }, true],
    [{ code: 410, reason: '' }, true],
    [{ code: 410, reason: 'SomethingNew' }, true],
    [{ code: 410, reason: 'NotFound' }, false],
    [{ code: 404, reason: 'NotFound' }, false],
    [{ code: 500 }, false],
    [{ message: 'too old resource version: Expired, Gone' }, false],
  ])('ERR-01: %j counts as expired: %s', (status, expected) => {
    expect(isExpired(failed(status))).toBe(expected);
    expect(isExpired(wrapped(wrapped(failed(status))))).toBe(expected);
  });

  test("ERR-01: the pager's predicate is narrower: only the reason Expired", () => {
    expect(isResourceExpired(failed({ code: 410, reason: 'Expired' }))).toBe(true);
    expect(isResourceExpired(failed({ code: 410, reason: 'Gone' }))).toBe(false);
    expect(isResourceExpired(failed({ code: 410 }))).toBe(false);
    expect(isGone(failed({ code: 410, reason: 'Expired' }))).toBe(false);
  });
});

describe('too large resourceVersion', () => {
  const byType: Status = {
    code: 504,
    reason: 'Timeout',
    details: { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }] },
  };
  const byCauseMessage: Status = {
    code: 504,
    reason: 'Timeout',
    details: { causes: [{ message: 'Too large resource version' }] },
  };
  const byMessage: Status = {
    code: 504,
    reason: 'Timeout',
    message: 'Timeout: Too large resource version: 9, current: 5',
  };

  test.each<[string, Status]>([
    ['a typed cause', byType],
    ['a cause in words', byCauseMessage],
    ['a message in words', byMessage],
  ])('ERR-02: the wire form with %s is recognised', (_, status) => {
    expect(isTooLargeResourceVersion(failed(status))).toBe(true);
    expect(isTooLargeResourceVersion(wrapped(failed(status)))).toBe(true);
  });

  test('ERR-02: the typed cause needs nothing else, and need not be the first', () => {
    expect(
      isTooLargeResourceVersion(failed({ details: { causes: [{}, { reason: 'ResourceVersionTooLarge' }] } })),
    ).toBe(true);
  });

  test('ERR-02: the message counts only with a timeout: its reason, or 504 with an unknown one', () => {
    for (const status of [byCauseMessage, byMessage]) {
      const { reason: _, ...noReason } = status;
      const { code: __, ...noCode } = status;
      expect(isTooLargeResourceVersion(failed(noReason))).toBe(true);
      expect(isTooLargeResourceVersion(failed(noCode))).toBe(true);
      expect(isTooLargeResourceVersion(failed({ ...status, reason: 'SomethingNew' }))).toBe(true);
      expect(isTooLargeResourceVersion(failed({ ...status, reason: 'ServiceUnavailable' }))).toBe(false);
      expect(isTooLargeResourceVersion(failed({ ...status, code: 500, reason: 'InternalError' }))).toBe(false);
    }
  });

  test('ERR-02: the message of a cause must be exactly that text, the message of a Status must contain it', () => {
    const causes = [{ message: 'Too large resource version: 9' }];
    expect(isTooLargeResourceVersion(failed({ code: 504, reason: 'Timeout', details: { causes } }))).toBe(false);
    expect(isTooLargeResourceVersion(failed({ code: 504, reason: 'Timeout', message: 'too slow' }))).toBe(false);
    expect(isTooLargeResourceVersion(failed({ code: 504, reason: 'Timeout' }))).toBe(false);
  });
});

describe('retriable watch start', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:6443'), { code: 'ECONNREFUSED' });

  test('ERR-03: connection refused is found anywhere in the chain of causes', () => {
    expect(isConnectionRefused(refused)).toBe(true);
    expect(isConnectionRefused(new TypeError('fetch failed', { cause: refused }))).toBe(true);
    expect(isConnectionRefused(wrapped(wrapped(new TypeError('fetch failed', { cause: refused }))))).toBe(true);
  });

  test('ERR-03: other broken connections are not refused ones, and a message is not a code', () => {
    for (const code of ['ECONNRESET', 'ETIMEDOUT', 'ENOTFOUND', 'EPIPE']) {
      expect(isConnectionRefused(wrapped(Object.assign(new Error(code), { code })))).toBe(false);
    }
    expect(isConnectionRefused(new Error('ECONNREFUSED'))).toBe(false);
    for (const nothing of [undefined, null, 'ECONNREFUSED', 61]) expect(isConnectionRefused(nothing)).toBe(false);
  });

  test('ERR-03: a chain of causes that ends in itself is looked through once', () => {
    const circle = new Error('circle');
    circle.cause = wrapped(circle);
    expect(classesOf(circle)).toEqual([]);
    expect(retryAfterOf(circle)).toBeUndefined();
  });

  test.each<[Status, boolean]>([
    [{ code: 429, reason: 'TooManyRequests' }, true],
    [{ reason: 'TooManyRequests' }, true],
    [{ code: 429 }, true],
    [{ code: 429, reason: 'SomethingNew' }, true],
    [{ code: 429, reason: 'ServiceUnavailable' }, true],
    [{ code: 429, reason: 'InternalError' }, true],
    [{ code: 503, reason: 'ServiceUnavailable' }, false],
    [{ code: 500, reason: 'InternalError' }, false],
  ])('ERR-03: %j counts as too many requests: %s', (status, expected) => {
    expect(isTooManyRequests(failed(status))).toBe(expected);
    expect(isTooManyRequests(wrapped(failed(status)))).toBe(expected);
  });
});

describe('internal error', () => {
  test.each<[Status, boolean]>([
    [{ code: 500, reason: 'InternalError' }, true],
    [{ reason: 'InternalError' }, true],
    [{ code: 500 }, true],
    [{ code: 500, reason: '' }, true],
    [{ code: 500, reason: 'SomethingNew' }, true],
    [{ code: 500, reason: 'StorageReadError' }, false],
    [{ code: 500, reason: 'ServerTimeout' }, false],
    [{ code: 500, reason: 'Expired' }, false],
    [{ code: 503 }, false],
    [{ code: 502 }, false],
  ])('ERR-04: %j counts as internal: %s', (status, expected) => {
    expect(isInternalError(failed(status))).toBe(expected);
    expect(isInternalError(wrapped(failed(status)))).toBe(expected);
  });
});

describe('the other classes', () => {
  test.each<[string, (error: unknown) => boolean, string, number | undefined]>([
    ['isNotFound', isNotFound, 'NotFound', 404],
    ['isForbidden', isForbidden, 'Forbidden', 403],
    ['isUnauthorized', isUnauthorized, 'Unauthorized', 401],
    ['isConflict', isConflict, 'Conflict', 409],
    ['isAlreadyExists', isAlreadyExists, 'AlreadyExists', undefined],
    ['isInvalid', isInvalid, 'Invalid', 422],
    ['isBadRequest', isBadRequest, 'BadRequest', 400],
    ['isTimeout', isTimeout, 'Timeout', 504],
  ])('%s goes by the reason, and by the code only where the reason is unknown', (_, is, reason, code) => {
    expect(is(failed({ reason }))).toBe(true);
    expect(is(wrapped(failed({ reason, code: 299 })))).toBe(true);
    expect(is(failed({ reason: 'Gone' }))).toBe(false);
    expect(is(failed({}))).toBe(false);
    expect(is(new Error(reason))).toBe(false);
    if (code === undefined) return;
    expect(is(failed({ code }))).toBe(true);
    expect(is(failed({ code, reason: 'SomethingNew' }))).toBe(true);
    expect(is(failed({ code, reason: 'Gone' }))).toBe(false);
    expect(is(failed({ code: code + 1 }))).toBe(false);
  });

  test('a server failure is 5xx, a refusal is 4xx without 429', () => {
    const codes = [399, 400, 404, 410, 428, 429, 430, 499, 500, 503, 599, 600];
    const serverFailures = codes.filter((code) => isServerFailure(wrapped(failed({ code }))));
    expect(serverFailures).toEqual([500, 503, 599]);
    expect(codes.filter((code) => isRefusalStatus(wrapped(failed({ code }))))).toEqual([400, 404, 410, 428, 430, 499]);
    expect([isServerFailure(new Error('x')), isRefusalStatus(new Error('x'))]).toEqual([false, false]);
  });
});

describe('statusError', () => {
  test.each<[string, unknown]>([
    ['untyped, v1', { kind: 'Status', apiVersion: 'v1', code: 410, reason: 'Expired', message: 'too old' }],
    [
      'untyped, meta.k8s.io/v1',
      { kind: 'Status', apiVersion: 'meta.k8s.io/v1', code: 410, reason: 'Expired', message: 'too old' },
    ],
    ['typed, without kind', { status: 'Failure', code: 410, reason: 'Expired', message: 'too old' }],
  ])('STR-08: a Status (%s) becomes a status error of its class', (_, object) => {
    const error = statusError(object);
    expect(error).toMatchObject({ code: 'API_STATUS', message: 'too old', status: object });
    expect(isExpired(error)).toBe(true);
    expect(statusOf(wrapped(error))).toBe(error.status);
    expect(error.status).toEqual(object);
  });

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'Expired'],
    ['a list', [{ kind: 'Status', apiVersion: 'v1', code: 410 }]],
    ['an empty object', {}],
    [
      'an object of another kind',
      { kind: 'Pod', apiVersion: 'v1', status: { code: 410 }, code: 410, reason: 'Expired' },
    ],
    ['a Status of another group', { kind: 'Status', apiVersion: 'example.com/v1', code: 410, reason: 'Expired' }],
    ['a Status of another version', { kind: 'Status', apiVersion: 'v2', code: 429, reason: 'TooManyRequests' }],
    ['bytes', new Uint8Array([1, 2, 3])],
  ])('STR-08: %s becomes an "unexpected object" error that matches no class', (_, object) => {
    const error = statusError(object, 'watch of v1/pods');
    expect(error.code).toBe('WATCH_DECODE');
    expect(error.message).toBe('watch of v1/pods: unexpected object instead of a Status');
    expect(statusOf(error)).toBeUndefined();
    expect(classesOf(error)).toEqual([]);
    expect(retryAfterOf(error)).toBeUndefined();
  });

  test('STR-08: the message names the context and, if present, the server’s message', () => {
    expect(statusError({ kind: 'Status', message: 'no' }, 'list').message).toBe('list: no');
    expect(statusError({ kind: 'Status', reason: 'Gone' }).message).toBe('Gone');
    expect(statusError({ kind: 'Status', code: 410 }).message).toBe('code 410');
    expect(statusError({ kind: 'Status' }).message).toBe('code unknown');
    expect(statusError(undefined).message).toContain('the server sent an error');
  });
});

describe('retryAfterOf', () => {
  test('reads what a header or the Status asked for, in milliseconds, through wrapping', () => {
    const byHeader = new KubeError('API_STATUS', 'slow down', { status: { code: 429 }, retryAfterMs: 1_500 });
    expect(retryAfterOf(byHeader)).toBe(1_500);
    expect(retryAfterOf(wrapped(wrapped(byHeader)))).toBe(1_500);
    const byStatus = failed({ code: 429, details: { retryAfterSeconds: 3 } });
    expect(retryAfterOf(wrapped(byStatus))).toBe(3_000);
    const read = statusError({ kind: 'Status', code: 429, details: { retryAfterSeconds: 7 } });
    expect([read.retryAfterMs, retryAfterOf(read)]).toEqual([7_000, 7_000]);
  });

  test('F37: an error of a source of the user pauses for an hour at most; a longer pause is a mistake and counts as a minute', () => {
    const asking = (retryAfterMs: number): number | undefined =>
      retryAfterOf(new KubeError('API_STATUS', 'slow down', { retryAfterMs }));
    expect([3_600_000, 3_600_001, 1e12, Infinity, Number.NaN].map(asking)).toEqual([
      3_600_000,
      ...Array(4).fill(60_000),
    ]);
  });

  test('a header goes before the Status, the outer error before the inner', () => {
    const status: Status = { code: 429, details: { retryAfterSeconds: 3 } };
    const inner = new KubeError('API_STATUS', 'slow down', { status, retryAfterMs: 1_500 });
    expect(retryAfterOf(inner)).toBe(1_500);
    expect(retryAfterOf(new KubeError('TRANSPORT', 'x', { cause: inner, retryAfterMs: 200 }))).toBe(200);
  });

  test('without a requested delay, or with one of zero, it is undefined', () => {
    expect(retryAfterOf(new Error('x'))).toBeUndefined();
    expect(retryAfterOf(undefined)).toBeUndefined();
    expect(retryAfterOf(failed({ code: 429 }))).toBeUndefined();
    for (const retryAfterSeconds of [0, -1, '5' as unknown as number]) {
      expect(retryAfterOf(failed({ code: 429, details: { retryAfterSeconds } }))).toBeUndefined();
      expect(statusError({ kind: 'Status', details: { retryAfterSeconds } }).retryAfterMs).toBeUndefined();
    }
  });
});

describe('questions that must not be asked again unchanged', () => {
  const said = 'resourceVersion: Invalid value: "9x": strconv.ParseUint: parsing "9x": invalid syntax';
  test.each<[Status, boolean]>([
    [{ code: 400, reason: 'BadRequest', message: `invalid resource version: ${said}` }, true],
    [{ code: 500, message: said }, true],
    [{ code: 500, reason: 'InternalError', message: said }, true],
    [{ code: 422, reason: 'Invalid', message: said }, false],
    [{ code: 400, reason: 'BadRequest', message: 'metadata.resourceVersion: Invalid' }, false],
    [{ code: 500, message: 5 as unknown as string }, false],
    [{ code: 500 }, false],
  ])('ERR-10: %j is a version that cannot be parsed: %s', (status, expected) => {
    expect(isUnparsableVersion(wrapped(failed(status)))).toBe(expected);
  });

  test('PAG-12, F51: a response that is too large is recognised by the code of its cause', () => {
    const cause = Object.assign(new Error('larger'), { code: 'ERR_BODY_TOO_LARGE' });
    expect(isTooLargeStatus(wrapped(wrapped(cause)))).toBe(true);
    expect(isTooLargeStatus(wrapped(failed({ code: 413 })))).toBe(false);
  });
});

describe('Retry-After', () => {
  test.each([
    [1, 1_000],
    [60, 60_000],
    [61, 60_000],
    [99_999_999, 60_000],
    [Number.POSITIVE_INFINITY, 60_000],
    [0, undefined],
    [-1, undefined],
    [Number.NaN, undefined],
    ['5' as unknown as number, undefined],
  ])('F37: %s seconds in a Status are %s ms', (retryAfterSeconds, expected) => {
    const status = { kind: 'Status', code: 429, details: { retryAfterSeconds } };
    expect(retryAfterOf(statusError(status))).toBe(expected);
    expect(retryAfterOf(failed(status))).toBe(expected);
  });

  test('F37: an error of another source cannot make a wait endless', () => {
    expect(retryAfterOf({ retryAfterMs: Number.POSITIVE_INFINITY })).toBe(60_000);
    expect(retryAfterOf({ retryAfterMs: 300_000 })).toBe(300_000);
  });
});
