import { expect, test } from 'vitest';
import { KubeError } from '../../../../src/core/errors.ts';
import { defaultWatchErrorHandler, isCleanWatchEnd, reasonOf } from '../../../../src/informer/reflector/watch-error.ts';
import { type FakeEnv, fakeEnv } from '../../../../src/testing/fake-clock.ts';
import { expired, statusFailure, tooLarge } from '../../../../src/testing/fake-source.ts';

function rig(error: unknown): FakeEnv {
  const env = fakeEnv();
  defaultWatchErrorHandler(error, { name: 'pods', type: 'v1, Kind=Pod', env, reason: reasonOf(error), leftOut: 0 });
  return env;
}

const wrap = (cause: unknown): KubeError => new KubeError('TRANSPORT', 'failed to list', { cause });

test.each([
  ['expired', expired('too old'), ['debug']],
  ['gone', statusFailure(410, 'Gone', 'gone'), ['debug']],
  ['a clean end', new Error('EOF'), []],
  ['an unexpected end', new Error('unexpected EOF'), ['info']],
  ['forbidden', statusFailure(403, 'Forbidden', 'no'), ['warn']],
  ['anything else', new Error('boom'), ['warn']],
  ['something that is no error', 'boom', ['warn']],
])('ERR-07: by default %s is logged by its class, also when wrapped', (_, error, levels) => {
  for (const thrown of [error, wrap(error)]) {
    const { lines } = rig(thrown);
    expect(lines.map((line) => line.level)).toEqual(levels);
  }
});

test('ERR-07: the log line names the reflector, the type, the error and its reason, and returns nothing', () => {
  const { lines } = rig(wrap(statusFailure(404, 'NotFound', 'no such resource')));
  expect(lines[0]?.fields).toEqual({
    reflector: 'pods',
    type: 'v1, Kind=Pod',
    error: 'failed to list',
    reason: 'not-found',
  });
});

const system = (code: string): Error => Object.assign(new Error(code), { code });

test.each([
  ['forbidden', statusFailure(403, 'Forbidden', '')],
  ['unauthorized', statusFailure(401, 'Unauthorized', '')],
  ['not-found', statusFailure(404, 'NotFound', '')],
  ['throttled', statusFailure(429, '', '')],
  ['expired', statusFailure(410, 'Expired', '')],
  ['stale-server', tooLarge('10', '5')],
  ['stale-server', new KubeError('STALE_SERVER', '')],
  ['server-error', statusFailure(502, '', '')],
  ['undecodable', new KubeError('WATCH_DECODE', '')],
  ['undecodable', new KubeError('LIST_INVALID', '')],
  ['undecodable', new KubeError('INVALID_KEY', '')],
  ['watch-list', new KubeError('WATCH_LIST', '')],
  ['silent', new KubeError('WATCH_ENDED', '')],
  ['inconsistent', new KubeError('CONTINUITY_LOST', '')],
  ['tls', system('ERR_TLS_CERT_ALTNAME_INVALID')],
  ['tls', system('UNABLE_TO_VERIFY_LEAF_SIGNATURE')],
  ['tls', system('SELF_SIGNED_CERT_IN_CHAIN')],
  ['credentials', new KubeError('CREDENTIALS', 'plugin failed')],
  ['credentials', new KubeError('CREDENTIALS', 'plugin could not be started', { cause: system('EACCES') })],
  ['dns', system('ENOTFOUND')],
  ['dns', system('EAI_AGAIN')],
  ['unreachable', system('ECONNREFUSED')],
  ['unreachable', system('ECONNRESET')],
  ['unreachable', system('UND_ERR_CONNECT_TIMEOUT')],
  ['unreachable', system('ERR_HTTP2_GOAWAY_SESSION')],
  ['unreachable', new KubeError('TRANSPORT', '')],
  ['other', new Error('boom')],
  ['other', new KubeError('SYNC_FAILED', '')],
  ['other', undefined],
])('G15: the reason is %s, whatever the error is wrapped in', (reason, error) => {
  expect(reasonOf(error)).toBe(reason);
  if (reason !== 'other') expect(reasonOf(wrap(new TypeError('fetch failed', { cause: error })))).toBe(reason);
});

test('ERR-07: only the exact message is a clean end', () => {
  expect(isCleanWatchEnd(new Error('EOF'))).toBe(true);
  expect(isCleanWatchEnd(wrap(new Error('EOF')))).toBe(true);
  expect(isCleanWatchEnd(new Error('unexpected EOF'))).toBe(false);
});
