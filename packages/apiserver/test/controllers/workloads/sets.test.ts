import { expect, test } from 'vitest';
import { type Anything, movingCluster, workload } from '../../rig/moving-cluster.ts';

const claim = {
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};
const isReady = ({ status }: Anything): boolean =>
  status?.conditions?.some((one: Anything) => one.type === 'Ready' && one.status === 'True') === true;
const life = (pod: Anything, type: string): string =>
  `${pod.metadata.name} ${type === 'DELETED' ? 'gone' : pod.metadata.deletionTimestamp !== undefined ? 'ends' : isReady(pod) ? 'ready' : type === 'ADDED' ? 'new' : 'waits'}`;
const steps = (story: readonly string[]): readonly string[] => story.filter((line) => !line.endsWith('waits'));

test('a StatefulSet starts its pods one after the other, with claims of their own', async () => {
  const { create, advance, get, list, story, local } = await movingCluster();
  const received = story('', 'pods', life);
  create(workload('StatefulSet', { volumeClaimTemplates: [claim] }));
  await advance(5_000);
  expect(steps(received)).toEqual(['web-0 new', 'web-0 ready', 'web-1 new', 'web-1 ready', 'web-2 new', 'web-2 ready']);
  const set = get('apps', 'statefulsets', 'web');
  expect(set.status).toMatchObject({ replicas: 3, readyReplicas: 3, currentReplicas: 3, updatedReplicas: 3, availableReplicas: 3 }); // prettier-ignore
  expect(set.status.currentRevision).toBe(set.status.updateRevision);
  expect(get('', 'pods', 'web-1')).toMatchObject({
    metadata: { labels: { 'statefulset.kubernetes.io/pod-name': 'web-1', 'apps.kubernetes.io/pod-index': '1', 'controller-revision-hash': set.status.currentRevision } },
    spec: { hostname: 'web-1', subdomain: 'web' },
  }); // prettier-ignore
  const claims = list('', 'persistentvolumeclaims');
  expect(claims.map(({ metadata, status }) => `${metadata.name} ${status.phase}`)).toEqual(['data-web-0 Bound', 'data-web-1 Bound', 'data-web-2 Bound']); // prettier-ignore
  local.remove('', 'persistentvolumeclaims', 'default', 'data-web-2');
  await advance(1_000);
});

test('a StatefulSet is updated and scaled down from the last pod to the first, each when the one before is ready', async () => {
  const { create, advance, edit, get, story } = await movingCluster();
  create(workload('StatefulSet'));
  await advance(5_000);
  const before = get('apps', 'statefulsets', 'web').status.currentRevision;
  const received = story('', 'pods', life);
  edit('apps', 'statefulsets', 'web', (set) => void (set.spec.template.spec.containers[0].image = 'app:2'));
  await advance(10_000);
  expect(steps(received)).toEqual(
    ['web-2', 'web-1', 'web-0'].flatMap((name) => ['ends', 'gone', 'new', 'ready'].map((step) => `${name} ${step}`)),
  );
  const { status } = get('apps', 'statefulsets', 'web');
  expect(status.currentRevision).toBe(status.updateRevision);
  expect(status.currentRevision).not.toBe(before);
  edit('apps', 'statefulsets', 'web', (set) => void (set.spec.replicas = 1));
  await advance(5_000);
  expect(steps(received).slice(12)).toEqual(['web-2 ends', 'web-2 gone', 'web-1 ends', 'web-1 gone']);
});

test('a partition keeps the pods below it; Parallel waits for no pod; a pod that never starts stops an ordered set', async () => {
  const { create, advance, edit, list, story } = await movingCluster({
    nodes: { run: ({ image }) => (image === 'app:bad' ? { readyAfterMs: Infinity } : undefined) },
  });
  const received = story('', 'pods', life);
  const partition = { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } };
  create(workload('StatefulSet', { podManagementPolicy: 'Parallel', ...partition }));
  await advance(2_000);
  expect(received.slice(0, 3)).toEqual(['web-0 new', 'web-1 new', 'web-2 new']);
  edit('apps', 'statefulsets', 'web', (set) => void (set.spec.template.spec.containers[0].image = 'app:2'));
  await advance(5_000);
  const images = (): readonly string[] => list('', 'pods').map(({ spec }) => spec.containers[0].image);
  expect(images()).toEqual(['app:1', 'app:1', 'app:2']);
  edit('apps', 'statefulsets', 'web', (set) => {
    set.spec.updateStrategy.rollingUpdate.partition = 0;
    set.spec.template.spec.containers[0].image = 'app:bad';
  });
  await advance(20_000);
  expect(images()).toEqual(['app:1', 'app:1', 'app:bad']);
});

test('a DaemonSet has a pod on each node it fits on, follows nodes, and is updated one by one', async () => {
  const { create, advance, edit, get, list, local } = await movingCluster();
  create(workload('DaemonSet'));
  await advance(2_000);
  const nodes = (): readonly string[] => list('', 'pods').map(({ spec }) => spec.nodeName as string).toSorted(); // prettier-ignore
  expect(nodes()).toEqual(['node-1', 'node-2', 'node-3']);
  expect(get('apps', 'daemonsets', 'web').status).toMatchObject({
    desiredNumberScheduled: 3, currentNumberScheduled: 3, numberReady: 3, updatedNumberScheduled: 3, numberAvailable: 3, numberMisscheduled: 0,
  }); // prettier-ignore
  let fewest = 3;
  const stop = local.watch('', 'pods', () => (fewest = Math.min(fewest, list('', 'pods').filter((pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined).length))); // prettier-ignore
  edit('apps', 'daemonsets', 'web', (set) => void (set.spec.template.spec.containers[0].image = 'app:2'));
  await advance(10_000);
  stop();
  expect(list('', 'pods').map(({ spec }) => spec.containers[0].image)).toEqual(['app:2', 'app:2', 'app:2']);
  expect(fewest).toBe(2);
  const node = structuredClone(local.get('', 'nodes', '', 'node-3')) as Anything;
  local.create('', 'nodes', { ...node, metadata: { name: 'node-4', labels: { disk: 'ssd' } } });
  await advance(2_000);
  expect(nodes()).toHaveLength(4);
  edit('apps', 'daemonsets', 'web', (set) => void (set.spec.template.spec.nodeSelector = { disk: 'ssd' }));
  await advance(10_000);
  expect(nodes()).toEqual(['node-4']);
});
