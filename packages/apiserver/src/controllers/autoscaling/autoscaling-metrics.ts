import { defined } from 'kube-informer/core';
import type { MetricSpec, MetricStatus } from '@kube-informer/kubernetes/autoscaling/v2';
import type { Pod } from '@kube-informer/kubernetes/v1';
import { milliOf, milliText } from '../common/milli-quantity.ts';
import { MetricFailure, type PodUsage, type Proposal, proposeReplicas } from './propose-replicas.ts';

/** The combined result of the metrics of an autoscaler. */
export interface Measured {
  /** The metric that requires most replicas; undefined if none could be read. */
  readonly best: { readonly metric: MetricSpec; readonly replicas: number } | undefined;
  /** The metrics for the status. */
  readonly current: readonly MetricStatus[];
  /** The first metric that could not be read. */
  readonly failure: { readonly reason: string; readonly text: string; readonly count: number } | undefined;
}

/** Reads all metrics of an autoscaler. Only the usage of CPU and memory has a source here. */
export function measureAutoscalingMetric(
  metrics: readonly MetricSpec[],
  pods: readonly Pod[],
  usageOf: (pod: Pod) => PodUsage | undefined,
  replicas: number,
): Measured {
  let best: Measured['best'];
  const current: MetricStatus[] = [];
  const failures: { reason: string; text: string }[] = [];
  for (const metric of metrics) {
    try {
      const proposal = proposalOfAutoscalingMetric(metric, pods, usageOf, replicas);
      current.push(autoscalingMetricStatus(metric, proposal));
      if (best === undefined || proposal.replicas > best.replicas) best = { metric, replicas: proposal.replicas };
    } catch (error) {
      if (!(error instanceof MetricFailure)) throw error;
      failures.push({ reason: `FailedGet${metric.type}Metric`, text: error.message });
    }
  }
  const [first] = failures;
  return { best, current, failure: first === undefined ? undefined : { ...first, count: failures.length } };
}

/** A metric as text: `cpu resource utilization (percentage of request)` */
export function autoscalingMetricText({ resource }: MetricSpec): string {
  const isShare = resource?.target.averageUtilization !== undefined;
  return isShare ? `${resource?.name} resource utilization (percentage of request)` : `${resource?.name} resource`;
}

function proposalOfAutoscalingMetric(
  { type, resource }: MetricSpec,
  pods: readonly Pod[],
  usageOf: (pod: Pod) => PodUsage | undefined,
  replicas: number,
): Proposal {
  if (type !== 'Resource' || resource === undefined)
    throw new MetricFailure(`unable to get metric: there is no source of metrics of type ${type}`);
  const { averageUtilization, averageValue } = resource.target;
  const target =
    averageUtilization === undefined
      ? { averageMilli: milliOf(String(averageValue ?? '')) ?? 1 }
      : { averageUtilization };
  return proposeReplicas(pods, usageOf, replicas, { resource: resource.name, ...target });
}

const autoscalingMetricStatus = (
  { resource }: MetricSpec,
  { averageMilli, averageUtilization }: Proposal,
): MetricStatus => ({
  type: 'Resource',
  resource: {
    name: resource?.name ?? '',
    current: {
      ...defined({ averageUtilization }),
      averageValue: milliText(averageMilli),
    },
  },
});
