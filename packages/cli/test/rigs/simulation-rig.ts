import { startApiServer } from '@kube-informer/apiserver';
import { FakeClock, fakeEnv, seededRandom } from 'kube-informer/testing';
import { expect, onTestFinished, test } from 'vitest';
import { objectFieldNumber, podObjectStatus } from '@kube-informer/inspector/internal';
import { Simulation } from '../../src/demo/simulation.ts';

export async function rig(seed: number) {
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
        for (const pod of server.local.list('', 'pods'))
          seen.add(podObjectStatus(pod as Parameters<typeof podObjectStatus>[0]));
        await clock.advance(200);
      }
    },
  };
}

/** The test of one story of the demo. */
export function testStory(seed: number): void {
  test(`in a minute with seed ${seed} pods roll out, crash, recover and end, and no write is rejected`, async () => {
    const { local, live, seen, refused } = await rig(seed);
    // The demo's controller makes such jobs; here it does not run.
    const container = { name: 'backup', image: 'ops/backup:1.0.0' };
    const template = { spec: { restartPolicy: 'Never', containers: [container] } };
    local.create('batch', 'jobs', {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { namespace: 'db', name: 'once' },
      spec: { template },
    });
    await live(60);
    expect([...seen]).toEqual(expect.arrayContaining(['ContainerCreating', 'Running', 'CrashLoopBackOff', 'Terminating', 'Completed'])); // prettier-ignore
    expect(refused).toEqual([]);
    expect(local.list('', 'events').length).toBeGreaterThan(10);
    for (const deployment of local.list('apps', 'deployments'))
      expect(objectFieldNumber(deployment, 'status.readyReplicas')).toBeGreaterThan(0);
  });
}
