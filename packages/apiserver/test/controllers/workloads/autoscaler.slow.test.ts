import { expect, test } from 'vitest';
import type { ApiServerOptions } from '../../../src/index.ts';
import { type Anything, movingCluster, type MovingCluster, workload } from '../../rig/moving-cluster.ts';

const HPA = ['autoscaling', 'horizontalpodautoscalers', 'web'] as const;
const cpu = (averageUtilization: number): object => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});
const autoscaler = (spec: object = {}): object => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    minReplicas: 2,
    maxReplicas: 10,
    metrics: [cpu(50)],
    ...spec,
  },
});

/** A deployment of three pods that request 100m each, and use what `use` says. */
async function rig(use: { cpu?: string }, hpa: object = {}, options: ApiServerOptions = {}) {
  const cluster = await movingCluster({ nodes: { podUsage: () => (use.cpu === undefined ? undefined : { cpu: use.cpu }) }, ...options });
  const containers = [{ name: 'main', image: 'app:1', resources: { requests: { cpu: '100m' } } }];
  cluster.create(workload('Deployment', { template: { metadata: { labels: { app: 'web' } }, spec: { containers } } }));
  await cluster.advance(2_000);
  cluster.create(autoscaler(hpa));
  await cluster.advance(2_000);
  return cluster;
} // prettier-ignore

const replicas = ({ get }: MovingCluster): number => get('apps', 'deployments', 'web').spec.replicas;
const condition = ({ get }: MovingCluster, type: string): string => {
  const found = get(...HPA).status.conditions.find((one: Anything) => one.type === type);
  return `${found?.status} ${found?.reason}`;
};

test('replicas follow the use of CPU: at once when more are needed, after five minutes when fewer are', async () => {
  const use = { cpu: '80m' };
  const cluster = await rig(use);
  // 80 % of 3 where 50 % are wanted.
  expect(replicas(cluster)).toBe(5);
  expect(condition(cluster, 'AbleToScale')).toBe('True SucceededRescale');
  expect(cluster.events('web')).toContain(
    'SuccessfulRescale: New size: 5; reason: cpu resource utilization (percentage of request) above target',
  );
  expect(cluster.get(...HPA).status).toMatchObject({
    currentReplicas: 3,
    desiredReplicas: 5,
    currentMetrics: [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 80, averageValue: '80m' } } }],
  }); // prettier-ignore
  use.cpu = '51m'; // 51 % is near enough
  await cluster.advance(15_000);
  expect(replicas(cluster)).toBe(5);
  expect(condition(cluster, 'ScalingActive')).toBe('True ValidMetricFound');
  use.cpu = '10m';
  await cluster.advance(240_000);
  expect(replicas(cluster)).toBe(5);
  expect(condition(cluster, 'AbleToScale')).toBe('True ScaleDownStabilized');
  await cluster.advance(90_000);
  expect(replicas(cluster)).toBe(2); // one would do, and two are the least
  expect(condition(cluster, 'ScalingLimited')).toBe('True TooFewReplicas');
  expect(cluster.events('web')).toContain('SuccessfulRescale: New size: 2; reason: All metrics below target');
});

test('at most twice the replicas come at once, and never more than the maximum', async () => {
  const cluster = await rig({ cpu: '1' });
  expect(replicas(cluster)).toBe(6);
  expect(condition(cluster, 'ScalingLimited')).toBe('True ScaleUpLimit');
  await cluster.advance(15_000);
  expect(replicas(cluster)).toBe(10);
  expect(condition(cluster, 'ScalingLimited')).toBe('True TooManyReplicas');
});

test('a window of its own lets an autoscaler shrink sooner', async () => {
  const cluster = await rig({ cpu: '10m' }, { behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } });
  expect(replicas(cluster)).toBe(2);
});

test('without a measurement nothing is done, and the status and an event say why', async () => {
  const use: { cpu?: string } = {};
  const cluster = await rig(use);
  expect(replicas(cluster)).toBe(3);
  expect(condition(cluster, 'AbleToScale')).toBe('True SucceededGetScale');
  expect(condition(cluster, 'ScalingActive')).toBe('False FailedGetResourceMetric');
  expect(cluster.events('web').join()).toContain('FailedComputeMetricsReplicas: invalid metrics (1 invalid out of 1)');
  for (const pod of cluster.list('', 'pods'))
    cluster.local.update('', 'pods', { ...pod, metadata: { ...pod.metadata, annotations: { 'kube-informer.dev/cpu': '80m' } } });
  await cluster.advance(15_000);
  expect(replicas(cluster)).toBe(5);
}); // prettier-ignore

test('a pod without metrics does not cause scaling down, and counts as idle when more pods are needed', async () => {
  const known = new Set<string>();
  const usage = { cpu: '10m' };
  const podUsage = ({ metadata }: Anything): Anything => (known.has(metadata.name) ? usage : undefined);
  const cluster = await rig(
    {},
    { behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } },
    { nodes: { podUsage } },
  );
  known.add(cluster.list('', 'pods')[0].metadata.name);
  await cluster.advance(15_000);
  // 10 % and twice 100 % are 70 %, which would be more: left as it is.
  expect(replicas(cluster)).toBe(3);
  usage.cpu = '300m';
  await cluster.advance(15_000);
  // 300 % and twice nothing are 100 %: twice as many.
  expect(replicas(cluster)).toBe(6);
});

test('a target that is stopped, missing or out of range', async () => {
  const cluster = await rig({ cpu: '50m' });
  cluster.edit('apps', 'deployments', 'web', (object) => void (object.spec.replicas = 0));
  await cluster.advance(15_000);
  expect([replicas(cluster), condition(cluster, 'ScalingActive')]).toEqual([0, 'False ScalingDisabled']);
  cluster.edit('apps', 'deployments', 'web', (object) => void (object.spec.replicas = 12));
  await cluster.advance(15_000);
  expect(replicas(cluster)).toBe(10);
  expect(cluster.events('web')).toContain('SuccessfulRescale: New size: 10; reason: Current number of replicas above Spec.MaxReplicas');
  cluster.local.remove('apps', 'deployments', 'default', 'web');
  await cluster.advance(15_000);
  expect(condition(cluster, 'AbleToScale')).toBe('False FailedGetScale');
  expect(cluster.events('web')).toContain('FailedGetScale: deployments.apps "web" not found');
}); // prettier-ignore
