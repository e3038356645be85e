import vm from 'node:vm';
import { expect, test } from 'vitest';
import { errorMessageOf, errorCauseOf, hasCode, KubeError } from '../../src/core/errors.ts';
import { isExpired, retryAfterOf, statusOf } from '../../src/core/status.ts';
import { defaultWatchErrorHandler, reasonOf, watchErrorCode } from '../../src/informer/reflector/watch-error.ts';
import { fakeEnv } from '../../src/testing/fake-clock.ts';

const thrower = (): never => {
  throw new Error('a getter that throws');
};
const throwingProxy: unknown = new Proxy({}, { get: thrower, has: thrower, getPrototypeOf: thrower, ownKeys: thrower });
const cyclic = new Error('first');
Object.assign(cyclic, { cause: Object.assign(new Error('second'), { cause: cyclic }) });

const THROWN: [string, unknown, string][] = [
  ['undefined', undefined, 'undefined'],
  ['null', null, 'null'],
  ['a text', 'boom', '"boom"'],
  ['a symbol', Symbol('boom'), 'Symbol(boom)'],
  ['a bigint', 5n, '5'],
  ['a function', () => 'secret', 'a function'],
  ['an object without a prototype', Object.create(null), 'an object'],
  ['an object whose toString throws', { toString: thrower, [Symbol.toPrimitive]: thrower }, 'an object'],
  [
    'an error whose message throws',
    Object.defineProperty(new Error('x'), 'message', { get: thrower }),
    'an unprintable value',
  ],
  ['an error whose message is no text', Object.assign(new Error('x'), { message: 7 }), 'Error without a message'],
  ['an error without a message', new TypeError(), 'TypeError without a message'],
  ['an error whose name is no text', Object.assign(new Error(), { name: Symbol('x') }), 'an error without a message'],
  ['an error of another realm', vm.runInNewContext('new Error("from afar")'), 'from afar'],
  ['something that looks like an error', { message: 'said so' }, 'said so'],
  ['a proxy that throws', throwingProxy, 'an unprintable value'],
  ['a cycle of causes', cyclic, 'first'],
];

test.each(THROWN)(
  'ERR-11, F86: %s has a message, a reason and a log line, and nothing throws',
  (_, thrown, message) => {
    expect(errorMessageOf(thrown)).toBe(message);
    expect(reasonOf(thrown)).toBe('other');
    expect([isExpired(thrown), statusOf(thrown), retryAfterOf(thrown)]).toEqual([false, undefined, undefined]);
    expect(watchErrorCode(thrown)).toBe('TRANSPORT');
    const env = fakeEnv();
    defaultWatchErrorHandler(thrown, { name: 'pods', type: 'v1, Kind=Pod', env });
    expect(env.lines).toMatchObject([{ level: 'warn', fields: { error: message, reason: 'other' } }]);
  },
);

test('ERR-11: causes before one that throws are still found', () => {
  const error = new KubeError('LIST_INVALID', 'no list', { cause: throwingProxy });
  expect(hasCode(error, 'LIST_INVALID')).toBe(true);
  expect(hasCode(error, 'TRANSPORT')).toBe(false);
  expect(errorCauseOf(cyclic, () => false)).toBeUndefined();
});

/** An error that counts how often its message is read. */
const countedError = (count: () => void): Error =>
  Object.defineProperty(new Error(), 'message', { get: () => (count(), 'part') });

test('S80: each error that a cause leads to is read once, also in a circle or in groups that share their parts', () => {
  let reads = 0;
  const count = (): void => void (reads += 1);
  const circle = countedError(count);
  Object.assign(circle, { cause: circle });
  const error = new KubeError('TRANSPORT', 'outer', { cause: circle });
  expect(reads).toBeLessThan(10);
  expect((error.cause as Error).message).toBe('part');

  reads = 0;
  let shared: Error[] = [countedError(count)];
  for (let level = 0; level < 12; level += 1)
    shared = Array.from({ length: 8 }, () => Object.assign(countedError(count), { errors: shared }));
  void new KubeError('TRANSPORT', 'outer', { cause: shared[0] });
  expect(reads).toBeLessThan(1_000);
});
