import { expect, test } from 'vitest';
import { KubeError } from '../../../../src/core/errors.ts';
import { FailureReporter, type ReportedFailure } from '../../../../src/informer/reflector/failure-reporter.ts';
import { fakeEnv } from '../../../../src/testing/fake-clock.ts';
import { statusFailure } from '../../../../src/testing/fake-source.ts';

const away = new KubeError('TRANSPORT', 'no route');

test('ERR-08: the first failure of each kind is reported at once, then after 1, 5 and 30 minutes, then every hour, with the number left out', async () => {
  const env = fakeEnv();
  const received: [number, ReportedFailure][] = [];
  const teller = new FailureReporter(env, (failure) => void received.push([env.now() / 60_000, failure]));
  for (let second = 0; second <= 3 * 3_600; second += 10) {
    teller.failed(away);
    await env.clock.advance(10_000);
  }
  expect(received.map(([minute]) => minute)).toEqual([0, 1, 5, 30, 90, 150]);
  expect(received.map(([, { leftOut }]) => leftOut)).toEqual([0, 5, 23, 149, 359, 359]);
});

test('ERR-08: another kind is reported at once, and so is one that has not occurred for ten minutes', async () => {
  const env = fakeEnv();
  const received: string[] = [];
  const teller = new FailureReporter(env, ({ reason }) => void received.push(reason));
  teller.failed(away);
  teller.failed(statusFailure(503, '', 'later'));
  teller.failed(away);
  await env.clock.advance(10 * 60_000 + 1);
  teller.failed(away);
  expect(received).toEqual(['unreachable', 'server-error', 'unreachable']);
});
