import { startApiServer } from '@kube-informer/apiserver';
import { FakeClock, fakeEnv, seededRandom } from 'kube-informer/testing';
import { expect, onTestFinished, test } from 'vitest';
import { numberAt, podStatus } from '@kube-informer/inspector/internal';
import { Simulation } from '../../src/demo/simulation.ts';

async function rig(seed: number) {
  const clock = new FakeClock();
  const refused: unknown[] = [];
  const env = fakeEnv({
    clock,
    random: seededRandom(seed),
    log: (_, __, fields) => void refused.push(fields?.['error']),
  });
  const controllers = { garbageCollector: true, podGrace: true, namespaces: true };
  const server = await startApiServer({ env: fakeEnv({ clock, random: seededRandom(99) }), tls: false, controllers });
  onTestFinished(() => server.close());
  const simulation = new Simulation(server.local, env);
  const seen = new Set<string>();
  return {
    local: server.local,
    refused,
    seen,
    /** Runs the simulation for a while. */
    live: async (seconds: number): Promise<void> => {
      for (let i = 0; i < seconds * 5; i += 1) {
        simulation.step();
        for (const pod of server.local.list('', 'pods')) seen.add(podStatus(pod as Parameters<typeof podStatus>[0]));
        await clock.advance(200);
      }
    },
  };
}

test('deployments become ready, with the right pods on the right nodes', async () => {
  const { local, live, refused } = await rig(1);
  // The state before any change from outside.
  await live(1);
  expect(local.list('apps', 'replicasets')).toHaveLength(6);
  expect(local.list('', 'pods')).toHaveLength(11);
  expect(new Set(local.list('', 'pods').map((pod) => (pod['spec'] as { nodeName: string }).nodeName)).size).toBe(3);
  expect(refused).toEqual([]);
});

test.each([1, 2, 3])(
  'in a minute with seed %d pods roll out, crash, recover and end, and no write is rejected',
  async (seed) => {
    const { local, live, seen, refused } = await rig(seed);
    await live(60);
    expect([...seen]).toEqual(expect.arrayContaining(['ContainerCreating', 'Running', 'CrashLoopBackOff', 'Terminating', 'Completed'])); // prettier-ignore
    expect(refused).toEqual([]);
    expect(local.list('', 'events').length).toBeGreaterThan(10);
    for (const deployment of local.list('apps', 'deployments'))
      expect(numberAt(deployment, 'status.readyReplicas')).toBeGreaterThan(0);
  },
);

test('the same seed gives the same changes', async () => {
  const told = async (seed: number): Promise<string[]> => {
    const { local, live } = await rig(seed);
    await live(20);
    return local.list('', 'pods').map(({ metadata }) => metadata?.name ?? '');
  };
  expect(await told(7)).toEqual(await told(7));
  expect(await told(7)).not.toEqual(await told(8));
});

test('scaling from outside is reconciled', async () => {
  const { local, live } = await rig(1);
  await live(1);
  const web = structuredClone(local.get('apps', 'deployments', 'shop', 'web')) as { spec: { replicas: number } };
  web.spec.replicas = 5;
  local.update('apps', 'deployments', web);
  await live(1);
  const pods = local.list('', 'pods', 'shop').filter(({ metadata }) => metadata?.name?.startsWith('web-'));
  expect(pods).toHaveLength(5);
});
