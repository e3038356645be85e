import { describe, expect, test } from 'vitest';
import { redactForSafeError } from '../../src/core/safe-error.ts';
import { transportFailure, transportFailureReason } from '../../src/client/transport/transport-failure.ts';
import { errorMessageOf, errorCauseOf, hasCode, isKubeError, KubeError, requireOption } from '../../src/core/errors.ts';
import * as status from '../../src/core/status.ts';
import { isMutationAttempt } from '../../src/informer/handlers/mutation-attempt.ts';
import {
  defaultWatchErrorHandler,
  isCleanWatchEnd,
  isOutsideWatchError,
  reasonOf,
  watchErrorCode,
} from '../../src/informer/reflector/watch-error.ts';
import { fakeEnv } from '../../src/testing/fake-clock.ts';
import { MISBEHAVIOURS } from '../user-code/misbehaviours.ts';

/** What each misbehaving function throws; those that do not throw are left out. */
const thrown = Object.entries(MISBEHAVIOURS).flatMap(([does, bad]): [string, unknown][] => {
  if (!does.startsWith('throws')) return [];
  try {
    return bad();
  } catch (error) {
    return [[does, error], [`${does}, as a cause`, new KubeError('TRANSPORT', 'outer', { cause: error })]]; // prettier-ignore
  }
});
const trap = (): never => {
  throw new Error('a trap');
};
const hostile: [string, unknown][] = [
  ...thrown,
  ['a number', 5],
  ['null', null],
  ['a function', () => 5],
  ['a status that throws', { status: new Proxy({}, { get: trap }) }],
  ['causes that are no list', { status: { code: 504, reason: 'Timeout', details: { causes: 5 } } }],
  ['causes that are nothing', { status: { code: 504, reason: 'Timeout', details: { causes: [null] } } }],
  ['a message that is no text', { status: { code: 504, reason: 'Timeout', message: 5 } }],
  ['a message that is an object', Object.assign(new Error('x'), { message: {} })],
];

/** Every function that is asked about something unknown that was thrown. */
const questions: [string, (error: unknown) => unknown][] = [
  ['hasCode', (error) => hasCode(error, 'TRANSPORT')],
  ['isKubeError', isKubeError],
  ['findErrorCause', (error) => errorCauseOf(error, (candidate) => 'anything' in candidate)],
  ['reasonOf', reasonOf],
  ['watchErrorCode', watchErrorCode],
  ['isCleanWatchEnd', isCleanWatchEnd],
  ['isOutsideWatchError', isOutsideWatchError],
  ['isMutationAttempt', isMutationAttempt],
  ['transportReasonOf', transportFailureReason],
  ['transportError', (error) => transportFailure('GET /', error).message.length],
  ['redactCause', (error) => redactForSafeError(error).message],
  ['defaultWatchErrorHandler', (error) => defaultWatchErrorHandler(error, { name: 'n', type: 't', env: fakeEnv() })],
  ...Object.entries(status).filter(([name, value]) => typeof value === 'function' && name !== 'statusError') as [string, (error: unknown) => unknown][],
]; // prettier-ignore

describe.each(hostile)('U2: %s', (_, error) => {
  test('U2: has a message of bounded length', () => {
    const message = errorMessageOf(error);
    expect(message).toBeTypeOf('string');
    expect(message.length).toBeLessThan(5_000);
  });

  test.each(questions)('U2: %s answers', (__, ask) => {
    expect(() => ask(error)).not.toThrow();
  });

  test('U2: as an option it is named in the message', () => {
    expect(() => requireOption(false, 'limit', 'a number', error)).toThrow(
      /^option limit: expected a number, got .{1,100}$/,
    );
  });
});

test('U2: messages say what was thrown', () => {
  expect(errorMessageOf(new Error('plain'))).toBe('plain');
  expect(errorMessageOf(new Error(''))).toBe('Error without a message');
  expect(errorMessageOf({ message: 'of another realm' })).toBe('of another realm');
  expect(errorMessageOf(Symbol('user bug'))).toBe('Symbol(user bug)');
  expect(errorMessageOf(Object.create(null))).toBe('an object');
  expect(errorMessageOf('text')).toBe('"text"');
  expect(errorMessageOf(undefined)).toBe('undefined');
  expect(errorMessageOf(new Error('x'.repeat(10_000)))).toBe(`${'x'.repeat(4_096)}…`);
});

test('U2: an unreadable error in the chain does not hide what is above it', () => {
  const outer = new KubeError('STALE_SERVER', 'behind', { cause: new Proxy({}, { get: trap }) });
  expect(reasonOf(outer)).toBe('stale-server');
});
