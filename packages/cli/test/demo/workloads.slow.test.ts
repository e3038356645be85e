import { type ApiObject, startApiServer } from '@kube-informer/apiserver';
import { FakeClock, fakeEnv, seededRandom } from 'kube-informer/testing';
import { expect, onTestFinished, test } from 'vitest';
import { objectFieldNumber } from '@kube-informer/inspector/internal';
import { Kubelet } from '../../src/demo/kubelet.ts';
import { seedDemo } from '../../src/demo/seed.ts';
import { worldDraft, isOwnedInWorld, worldEventRecorder, type World } from '../../src/demo/world.ts';
import { stepDemoWorkloads } from '../../src/demo/workloads.ts';

/** The demo's cluster without its story: the test makes all changes. */
async function rig(seed = 1) {
  const clock = new FakeClock();
  const random = seededRandom(seed);
  const env = fakeEnv({ clock, random });
  const controllers = { garbageCollector: true, podGrace: true, namespaces: true };
  const server = await startApiServer({ env: fakeEnv({ clock, random: seededRandom(99) }), tls: false, controllers });
  onTestFinished(() => server.close());
  const { local } = server;
  const world: World = { local, env, recordEvent: worldEventRecorder(local, env) };
  seedDemo(world);
  const kubelet = new Kubelet(world);
  const change = ({ metadata }: ApiObject, edit: (spec: Spec) => void): void => {
    const changed = worldDraft(local.get('apps', 'deployments', metadata?.namespace ?? '', metadata?.name ?? '') as ApiObject);
    edit(changed['spec'] as Spec);
    local.update('apps', 'deployments', changed);
  }; // prettier-ignore
  let releases = 0;
  return {
    random,
    deployments: () => local.list('apps', 'deployments'),
    live: async (seconds: number): Promise<void> => {
      for (let i = 0; i < seconds * 5; i += 1) {
        stepDemoWorkloads(world);
        kubelet.step();
        await clock.advance(200);
      }
    },
    scale: (deployment: ApiObject, replicas: number) => change(deployment, (spec) => (spec.replicas = replicas)),
    release: (deployment: ApiObject, mark: '' | '-broken' = '') =>
      change(deployment, ({ template }) => {
        const [first] = template.spec.containers;
        if (first !== undefined) first.image = `app:${(releases += 1)}${mark}`;
      }),
    sets: (deployment: ApiObject) => local.list('apps', 'replicasets').filter((set) => isOwnedInWorld(set, deployment)),
  };
}

interface Spec {
  replicas: number;
  readonly template: { readonly spec: { readonly containers: { image: string }[] } };
}

type Rig = Awaited<ReturnType<typeof rig>>;

function expectDone({ deployments, sets }: Rig): void {
  for (const deployment of deployments()) {
    const replicas = objectFieldNumber(deployment, 'spec.replicas');
    expect(deployment['status'], deployment.metadata?.name).toMatchObject({
      replicas,
      updatedReplicas: replicas,
      readyReplicas: replicas,
    });
    expect(sets(deployment).map((set) => objectFieldNumber(set, 'spec.replicas')).filter((size) => size > 0)).toEqual([replicas]); // prettier-ignore
  }
}

test('a good release completes, although several old ones do not start', async () => {
  const world = await rig();
  const { deployments, release, live, sets } = world;
  await live(10);
  for (const deployment of deployments()) release(deployment, '-broken');
  await live(3);
  for (const deployment of deployments()) release(deployment, '-broken');
  await live(3);
  const [first] = deployments();
  expect(first === undefined ? 0 : sets(first).length).toBeGreaterThan(2);
  for (const deployment of deployments()) release(deployment);
  await live(40);
  expectDone(world);
});

test.each([1, 2, 3])('after any releases and scaling with seed %d, the last release completes', async (seed) => {
  const world = await rig(seed);
  const { deployments, release, scale, live, random } = world;
  for (let turn = 0; turn < 12; turn += 1) {
    for (const deployment of deployments()) {
      const die = random();
      if (die < 0.35) release(deployment, '-broken');
      else if (die < 0.6) release(deployment);
      else if (die < 0.8) scale(deployment, 1 + Math.floor(random() * 4));
    }
    await live(Math.ceil(random() * 3));
  }
  for (const deployment of deployments()) release(deployment);
  await live(60);
  expectDone(world);
});
