import { startApiServer } from '@kube-informer/apiserver';
import { FakeClock, fakeEnv, seededRandom } from 'kube-informer/testing';
import { expect, onTestFinished, test } from 'vitest';
import { objectFieldNumber, podObjectStatus } from '@kube-informer/inspector/internal';
import { DEMO_CONTROLLERS, demoNodes } from '../../src/demo/demo-nodes.ts';
import { Simulation } from '../../src/demo/simulation.ts';

export async function rig(seed: number) {
  const clock = new FakeClock();
  const refused: unknown[] = [];
  const env = fakeEnv({
    clock,
    random: seededRandom(seed),
    log: (_, __, fields) => void refused.push(fields?.['error']),
  });
  const server = await startApiServer({
    env: fakeEnv({ clock, random: seededRandom(99) }),
    tls: false,
    controllers: DEMO_CONTROLLERS,
    nodes: demoNodes(() => env.random()),
  });
  onTestFinished(() => server.close());
  const simulation = new Simulation(server, env);
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
    // A bad release of one pod may be under way: it is rolled back.
    const unready = (): unknown[] =>
      local
        .list('apps', 'deployments')
        .filter((deployment) => !(objectFieldNumber(deployment, 'status.readyReplicas') > 0))
        .map(({ metadata }) => metadata?.name);
    for (let more = 0; more < 6 && unready().length > 0; more += 1) await live(5);
    expect(unready()).toEqual([]);
  });
}
