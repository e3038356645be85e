import type { Pod } from '@kube-informer/kubernetes/v1';
import { milliOf } from '../common/milli-quantity.ts';
import { isControlledPodActive, isControlledPodReady } from '../common/controlled-pod.ts';

/** Tolerance: usage and target may differ by this share before anything is done. */
const TOLERANCE = 0.1;

/** Current usage of the containers of a pod, by resource: `{ cpu: '250m', memory: '64Mi' }`. */
export type PodUsage = Readonly<Record<string, string>>;

export interface ResourceTarget {
  readonly resource: string;
  /** Percent of what the pods request. */
  readonly averageUtilization?: number;
  /** Usage of each pod, in thousandths. */
  readonly averageMilli?: number;
}

/** The number of replicas that one metric requires, and its value. */
export interface Proposal {
  readonly replicas: number;
  readonly averageMilli: number;
  readonly averageUtilization?: number;
}

/** Thrown when a metric has no value. */
export class MetricFailure extends Error {}

interface Sample {
  readonly used: number;
  readonly requested: number;
}

/**
 * The number of replicas that brings the average usage of pods to its target. Like the real controller, it is
 * cautious with missing data: pods without a measurement count as using their target when scaling down, and
 * as idle when scaling up; then pods that are not ready count as idle too.
 */
export function proposeReplicas(
  pods: readonly Pod[],
  usageOf: (pod: Pod) => PodUsage | undefined,
  current: number,
  target: ResourceTarget,
): Proposal {
  const { resource } = target;
  const measured: Sample[] = [];
  const [unknown, idle]: [Sample[], Sample[]] = [[], []];
  for (const pod of pods.filter(isControlledPodActive)) {
    const requested = target.averageUtilization === undefined ? 1 : requestedToProposeReplicas(pod, resource);
    const used = milliOf(usageOf(pod)?.[resource] ?? '');
    if (resource === 'cpu' && !isControlledPodReady(pod)) idle.push({ used: 0, requested });
    else if (used === undefined) unknown.push({ used: 0, requested });
    else measured.push({ used, requested });
  }
  if (measured.length === 0)
    throw new MetricFailure(
      pods.length === 0
        ? `unable to get metrics for resource ${resource}: no metrics returned from resource metrics API`
        : `did not receive metrics for targeted pods (pods might be unready)`,
    );
  const used = sumToProposeReplicas(measured, ({ used: one }) => one);
  const averageMilli = Math.floor(used / measured.length);
  const found = {
    averageMilli,
    ...(target.averageUtilization === undefined
      ? {}
      : { averageUtilization: Math.floor((used * 100) / sumToProposeReplicas(measured, ({ requested }) => requested)) }),
  };
  const first = ratioToProposeReplicas(measured, target);
  const isKnown = unknown.length === 0 && (idle.length === 0 || first <= 1);
  if (isKnown)
    return { ...found, replicas: isProposedReplicaRatioNear(first) ? current : Math.ceil(first * measured.length) };
  const guessed = first < 1 ? unknown.map(({ requested }) => ({ requested, used: fullUseToProposeReplicas(requested, target) })) : [...unknown, ...idle];
  const all = [...measured, ...guessed];
  const ratio = ratioToProposeReplicas(all, target);
  // With the estimates the direction changes: keep the current size.
  if (isProposedReplicaRatioNear(ratio) || first < 1 !== ratio < 1) return { ...found, replicas: current };
  const replicas = Math.ceil(ratio * all.length);
  const isAgainst = ratio < 1 ? replicas > current : replicas < current;
  return { ...found, replicas: isAgainst ? current : replicas };
} // prettier-ignore

const isProposedReplicaRatioNear = (ratio: number): boolean => Math.abs(1 - ratio) <= TOLERANCE;

const sumToProposeReplicas = (samples: readonly Sample[], value: (sample: Sample) => number): number =>
  samples.reduce((sum, sample) => sum + value(sample), 0);

function ratioToProposeReplicas(
  samples: readonly Sample[],
  { averageUtilization, averageMilli = 1 }: ResourceTarget,
): number {
  const used = sumToProposeReplicas(samples, (sample) => sample.used);
  if (averageUtilization === undefined) return used / samples.length / averageMilli;
  return (used * 100) / sumToProposeReplicas(samples, (sample) => sample.requested) / averageUtilization;
}

const fullUseToProposeReplicas = (
  requested: number,
  { averageUtilization, averageMilli = 0 }: ResourceTarget,
): number => (averageUtilization === undefined ? averageMilli : (requested * Math.max(100, averageUtilization)) / 100);

function requestedToProposeReplicas({ metadata, spec }: Pod, resource: string): number {
  let sum = 0;
  for (const { name, resources } of spec?.containers ?? []) {
    const milli = milliOf(String(resources?.requests?.[resource] ?? ''));
    if (milli === undefined)
      throw new MetricFailure(
        `failed to get ${resource} utilization: missing request for ${resource} in container ${name} of Pod ${metadata?.name}`,
      );
    sum += milli;
  }
  return sum;
}
