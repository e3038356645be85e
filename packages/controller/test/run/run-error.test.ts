import { KubeError } from 'kube-informer';
import { expect, test } from 'vitest';
import { runErrorMessage } from '../../src/run/run-error.ts';

const failure = (message: string, cause?: unknown): Error => Object.assign(new Error(message), { cause });

test('CTR-20: an error that hides its cause, as that of fetch does, is shown with it', () => {
  const message = (error: unknown): string => runErrorMessage(error, 'widgets');
  expect(message(failure('fetch failed', failure('getaddrinfo ENOTFOUND buckets')))).toBe(
    'fetch failed: getaddrinfo ENOTFOUND buckets',
  );
  // Of two addresses that refuse, Node makes an AggregateError without a message.
  expect(message(failure('fetch failed', { message: '', code: 'ECONNREFUSED' }))).toBe('fetch failed: ECONNREFUSED');
  expect(message(failure('no: that', failure('that')))).toBe('no: that');
  expect(message(failure('plain'))).toBe('plain');
  expect(message(failure('login', failure('at https://user:hunter2@db.test/')))).not.toContain('hunter2');
  expect(message(new KubeError('TRANSPORT', 'no connection', { cause: new Error('inner') }))).toBe('no connection');
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  expect(() => message(proxy)).not.toThrow();
  expect(message(undefined)).toBe('undefined');
  // A value whose message can be read, and whose class cannot.
  const odd = (text: string): object =>
    new Proxy(new TypeError(text), {
      getPrototypeOf: () => {
        throw new Error('no class');
      },
    });
  expect(message(odd('read only'))).toBe('read only');
  expect(message(odd('other'))).toBe('other');
});
