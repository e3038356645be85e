import { expect, test } from 'vitest';
import { type Anything, movingCluster, workload } from '../../rig/moving-cluster.ts';

const progress = ({ status }: Anything): string => {
  const find = (type: string): Anything => status?.conditions?.find((one: Anything) => one.type === type);
  const of = (type: string): string => `${type}=${find(type)?.status ?? '-'} ${find(type)?.reason ?? ''}`;
  return `${of('Progressing')}, ${of('Available')}`;
};
const setImage = (image: string) => (deployment: Anything) =>
  void (deployment.spec.template.spec.containers[0].image = image);

test('a deployment becomes available by itself, with the conditions and events that kubectl shows', async () => {
  const { create, advance, get, list, pods, events, story } = await movingCluster();
  const received = story('apps', 'deployments', progress);
  create(workload('Deployment'));
  await advance(2_000);
  const deployment = get('apps', 'deployments', 'web');
  const [set] = list('apps', 'replicasets');
  expect(deployment.status).toMatchObject({
    observedGeneration: 1, replicas: 3, updatedReplicas: 3, readyReplicas: 3, availableReplicas: 3,
  }); // prettier-ignore
  expect(deployment.status).not.toHaveProperty('unavailableReplicas');
  expect(received.at(0)).toBe('Progressing=- , Available=- ');
  expect(received).toContain('Progressing=True NewReplicaSetCreated, Available=False MinimumReplicasUnavailable');
  expect(received.at(-1)).toBe('Progressing=True NewReplicaSetAvailable, Available=True MinimumReplicasAvailable');
  expect(deployment.metadata.annotations).toEqual({ 'deployment.kubernetes.io/revision': '1' });
  expect(set.metadata.name).toMatch(/^web-[b-z2-9]+$/);
  expect(set.metadata.labels).toEqual({ app: 'web', 'pod-template-hash': set.metadata.name.slice('web-'.length) });
  expect(events('web')).toEqual([`ScalingReplicaSet: Scaled up replica set ${set.metadata.name} from 0 to 3`]);
  expect(pods().map((pod) => pod.replace(/^web-[^-]+-\w{5}/, 'pod'))).toEqual(Array(3).fill('pod Running'));
});

test('a rolling update never has more or fewer pods than allowed, and ends', async () => {
  const { create, advance, edit, get, list, local, story } = await movingCluster();
  create(workload('Deployment', { replicas: 8 })); // 25% of 8: 10 at most, 6 at least
  await advance(2_000);
  let [most, fewest] = [0, 8];
  const stop = local.watch('', 'pods', () => {
    const all = list('', 'pods').filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const ready = all.filter(({ status }) => status.conditions?.some((one: Anything) => one.type === 'Ready' && one.status === 'True')); // prettier-ignore
    [most, fewest] = [Math.max(most, all.length), Math.min(fewest, ready.length)];
  });
  const received = story('apps', 'deployments', ({ status }) => `${status.updatedReplicas ?? 0} of ${status.replicas}`);
  edit('apps', 'deployments', 'web', setImage('app:2'));
  await advance(20_000);
  stop();
  expect([most, fewest]).toEqual([10, 6]);
  expect(received.at(-1)).toBe('8 of 8');
  const images = list('', 'pods').map(({ spec }) => spec.containers[0].image);
  expect(images).toEqual(Array(8).fill('app:2'));
  const revisions = list('apps', 'replicasets').map(({ metadata, spec }) => `${metadata.annotations['deployment.kubernetes.io/revision']}: ${spec.replicas}`); // prettier-ignore
  expect(revisions.toSorted()).toEqual(['1: 0', '2: 8']);
  expect(get('apps', 'deployments', 'web').metadata.annotations['deployment.kubernetes.io/revision']).toBe('2');
});

test('a release that does not start keeps the old pods, misses its deadline, and is rolled back', async () => {
  const { create, advance, edit, get, list } = await movingCluster({
    nodes: { run: ({ image }) => (image === 'app:bad' ? { exitAfterMs: 10, exitCode: 1 } : undefined) },
  });
  create(workload('Deployment', { progressDeadlineSeconds: 60 }));
  await advance(2_000);
  edit('apps', 'deployments', 'web', setImage('app:bad'));
  await advance(58_000);
  expect(progress(get('apps', 'deployments', 'web'))).toContain('Progressing=True ReplicaSetUpdated');
  await advance(10_000);
  const stuck = get('apps', 'deployments', 'web');
  expect(progress(stuck)).toBe('Progressing=False ProgressDeadlineExceeded, Available=True MinimumReplicasAvailable');
  expect(stuck.status).toMatchObject({ updatedReplicas: 1, availableReplicas: 3, unavailableReplicas: 1, replicas: 4 });

  edit('apps', 'deployments', 'web', setImage('app:1'));
  await advance(5_000);
  expect(progress(get('apps', 'deployments', 'web'))).toContain('Progressing=True NewReplicaSetAvailable');
  const [first] = list('apps', 'replicasets').filter(({ spec }) => spec.replicas === 3);
  // The old set again, with a new number.
  expect(first.metadata.annotations).toMatchObject({
    'deployment.kubernetes.io/revision': '3',
    'deployment.kubernetes.io/revision-history': '1',
  });
});

test('scaling keeps the roll-out of a paused deployment where it is, and resuming ends it', async () => {
  const { create, advance, edit, get, list } = await movingCluster();
  create(workload('Deployment'));
  await advance(2_000);
  edit('apps', 'deployments', 'web', (deployment) => {
    deployment.spec.paused = true;
    setImage('app:2')(deployment);
  });
  await advance(5_000);
  expect(progress(get('apps', 'deployments', 'web'))).toContain('Progressing=Unknown DeploymentPaused');
  edit('apps', 'deployments', 'web', (deployment) => void (deployment.spec.replicas = 5));
  await advance(5_000);
  expect(list('', 'pods').map(({ spec }) => spec.containers[0].image)).toEqual(Array(5).fill('app:1'));
  edit('apps', 'deployments', 'web', (deployment) => void (deployment.spec.paused = false));
  await advance(10_000);
  expect(list('', 'pods').map(({ spec }) => spec.containers[0].image)).toEqual(Array(5).fill('app:2'));
  expect(progress(get('apps', 'deployments', 'web'))).toContain('Progressing=True NewReplicaSetAvailable');
});

test('Recreate starts no new pod before the last old one is gone', async () => {
  const { create, advance, edit, list, local } = await movingCluster();
  create(workload('Deployment', { strategy: { type: 'Recreate' } }));
  await advance(2_000);
  const mixed: string[] = [];
  const stop = local.watch('', 'pods', () => {
    const images = new Set(list('', 'pods').map(({ spec }) => spec.containers[0].image));
    if (images.size > 1) mixed.push([...images].join());
  });
  edit('apps', 'deployments', 'web', setImage('app:2'));
  await advance(5_000);
  stop();
  expect(mixed).toEqual([]);
  expect(list('', 'pods').map(({ spec }) => spec.containers[0].image)).toEqual(Array(3).fill('app:2'));
});

test('old ReplicaSets are kept up to the limit of the history; a deleted deployment takes everything along', async () => {
  const { create, advance, edit, list, local } = await movingCluster();
  create(workload('Deployment', { revisionHistoryLimit: 2 }));
  for (let version = 2; version < 7; version += 1) {
    await advance(5_000);
    edit('apps', 'deployments', 'web', setImage(`app:${version}`));
  }
  await advance(10_000);
  expect(list('apps', 'replicasets')).toHaveLength(3);
  local.remove('apps', 'deployments', 'default', 'web');
  await advance(5_000);
  expect([list('apps', 'replicasets'), list('', 'pods')]).toEqual([[], []]);
});

test('minReadySeconds count before a pod is available; a deleted pod is replaced; a pod with other labels is released', async () => {
  const { create, advance, get, list, local, edit } = await movingCluster();
  create(workload('Deployment', { minReadySeconds: 30 }));
  await advance(10_000);
  expect(get('apps', 'deployments', 'web').status).toMatchObject({ readyReplicas: 3, unavailableReplicas: 3 });
  await advance(25_000);
  expect(get('apps', 'deployments', 'web').status).toMatchObject({ availableReplicas: 3 });
  const [first, second] = list('', 'pods').map(({ metadata }) => metadata.name as string);
  local.remove('', 'pods', 'default', first ?? '');
  edit('', 'pods', second ?? '', (pod) => void (pod.metadata.labels = { app: 'other' }));
  await advance(5_000);
  expect(list('', 'pods')).toHaveLength(4);
  expect(get('', 'pods', second ?? '').metadata).not.toHaveProperty('ownerReferences');
});
