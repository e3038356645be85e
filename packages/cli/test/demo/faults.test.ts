import { startApiServer } from '@kube-informer/apiserver';
import { systemEnv } from 'kube-informer/core';
import { expect, onTestFinished, test } from 'vitest';
import { demoFaults } from '../../src/demo/demo-faults.ts';

async function rig(fails: boolean) {
  const server = await startApiServer();
  const end = new AbortController();
  onTestFinished(async () => {
    end.abort();
    await server.close();
  });
  const removed: string[] = [];
  const done = fails ? Promise.reject(new Error('no past to forget')) : Promise.resolve();
  done.catch(() => {});
  const scenario = (name: string) => ({ done, remove: () => void removed.push(name) });
  const faults = Object.assign(Object.create(server.faults) as typeof server.faults, {
    scenario,
    add: server.faults.add.bind(server.faults),
  });
  const all = demoFaults({ faults, restart: () => Promise.resolve() } as never, systemEnv, end.signal);
  const fault = (wanted: string) => all.find(({ name }) => name === wanted);
  return { server, fault, removed, end };
}

test('a fault ends with what it started, and fails if that fails', async () => {
  const good = await rig(false);
  await good.fault('expire')?.run();
  expect(good.removed).toEqual(['expired-on-resume']);
  const bad = await rig(true);
  for (const name of ['expire', 'slow-list']) await expect(bad.fault(name)?.run()).rejects.toThrow('no past to forget');
  // No rule that lasts is left behind.
  expect(bad.server.faults.rules).toEqual([]);
});
