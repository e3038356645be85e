import { KubeError } from 'kube-informer/core';
import { fakeEnv } from 'kube-informer/testing';
import { expect, test } from 'vitest';
import { describeCommandFailure } from '../../src/output/command-failure.ts';
import { logNotices } from '../../src/output/notices.ts';

function rig() {
  const lines: string[] = [];
  const outer = fakeEnv();
  const env = logNotices(outer, (line) => lines.push(line));
  const retry = (path: string, why: string): void =>
    env.log('warn', 'a request failed and is retried', { method: 'GET', path, ms: 500, error: `GET ${path}: ${why}` });
  return { lines, clock: outer.clock, env, retry };
}

test('the reason for retries is logged once for all requests, and again after a while', async () => {
  const { lines, clock, retry } = rig();
  const why = 'connect ECONNREFUSED 127.0.0.1:1; nothing listens there: check address and port';
  for (const path of ['/api', '/apis', '/api', '/apis']) retry(path, why);
  expect(lines).toEqual(['retrying requests: connect ECONNREFUSED 127.0.0.1:1']);
  retry('/api', 'too many\u001b[2J requests');
  expect(lines.slice(1)).toEqual(['retrying requests: too many\\x1b[2J requests']);
  await clock.advance(30_000);
  retry('/api', 'too many\u001b[2J requests');
  expect(lines).toHaveLength(3);
});

test('other warnings are logged each time', () => {
  const { lines, env } = rig();
  env.log('warn', 'something is odd', { type: 'v1/pods', error: new Error('why') });
  env.log('warn', 'something is odd', { type: 'v1/pods', error: new Error('why') });
  env.log('debug', 'nobody cares');
  expect(lines).toEqual(['v1/pods: something is odd: why', 'v1/pods: something is odd: why']);
});

test('attempts that failed in the same way are reported once', () => {
  const failure = (...whys: string[]): Error =>
    Object.assign(new KubeError('TRANSPORT', 'GET /x failed; last: …; before: …'), {
      attempts: whys.map((why) => new Error(why)),
    });
  expect(describeCommandFailure(failure('refused', 'refused', 'refused')).message).toBe('refused (tried 3 times)');
  expect(describeCommandFailure(failure('refused', 'reset')).message).toBe('GET /x failed; last: …; before: …');
});
