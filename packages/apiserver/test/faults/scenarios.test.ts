import { systemEnv } from 'kube-informer/core';
import { expect, test } from 'vitest';
import { startApiServer } from '../../src/index.ts';

test('a scenario that fails rejects its promise and is logged', async () => {
  const lines: unknown[] = [];
  const env = { ...systemEnv, log: (...line: unknown[]) => void lines.push(line) };
  await using server = await startApiServer({ tls: false, env });
  const error = new Error('the past cannot be forgotten');
  server.faults.expireHistory = () => {
    throw error;
  };
  await expect(server.faults.scenario('expired-on-resume').done).rejects.toBe(error);
  expect(lines).toContainEqual(['error', 'a scenario failed', { name: 'expired-on-resume', error }]);
});
