import type { HorizontalPodAutoscaler, MetricStatus } from '@kube-informer/kubernetes/autoscaling/v2';
import { limitReplicas, type Recommendation } from './scaling-limits.ts';
import { type Measured, autoscalingMetricText } from './autoscaling-metrics.ts';

/** Type, status, reason and message of a condition. */
type About = readonly [type: string, status: 'True' | 'False', reason: string, message: string];

/** The new size of an autoscaler's target, and the conditions and event about it. */
export interface Decision {
  /** Undefined if it cannot be computed. */
  readonly desired: number | undefined;
  /** The reason, for the event about a new size. */
  readonly why: string;
  readonly conditions: readonly About[];
  readonly warnings: readonly (readonly [reason: string, message: string])[];
  readonly metrics: readonly MetricStatus[];
  readonly recent: readonly Recommendation[];
}

const FOUND: About = [
  'AbleToScale',
  'True',
  'SucceededGetScale',
  "the HPA controller was able to get the target's current scale",
];
const NONE: About = [
  'ScalingActive',
  'False',
  'ScalingDisabled',
  'scaling is disabled since the replica count of the target is zero',
];
const STABILIZED: About = [
  'AbleToScale',
  'True',
  'ScaleDownStabilized',
  'recent recommendations were higher than current one, applying the highest recent recommendation',
];
const READY: About = ['AbleToScale', 'True', 'ReadyForNewScale', 'recommended size matches current size']; // prettier-ignore

/** Decides about `current` replicas. `measure` is called only if the limits of the spec do not decide. */
export function decideReplicas(
  autoscaler: HorizontalPodAutoscaler,
  current: number,
  measure: () => Measured,
  before: readonly Recommendation[],
  now: number,
): Decision {
  const { minReplicas = 1, maxReplicas, metrics: wanted = [] } = autoscaler.spec;
  const plain: Decision = { desired: current, why: '', conditions: [FOUND], warnings: [], metrics: [], recent: before };
  if (current === 0) return { ...plain, conditions: [FOUND, NONE] };
  if (current > maxReplicas)
    return { ...plain, desired: maxReplicas, why: 'Current number of replicas above Spec.MaxReplicas' };
  if (current < minReplicas)
    return { ...plain, desired: minReplicas, why: 'Current number of replicas below Spec.MinReplicas' };

  const { best, current: metrics, failure } = measure();
  // Missing measurements might require the current replicas.
  if (best === undefined || (failure !== undefined && best.replicas < current)) {
    const { reason = 'InvalidMetrics', text = 'there are no metrics', count = 0 } = failure ?? {};
    const message = `invalid metrics (${count} invalid out of ${wanted.length}), first error is: ${text}`;
    const conditions: About[] = [FOUND, ['ScalingActive', 'False', reason, `the HPA was unable to compute the replica count: ${text}`]];
    return { ...plain, desired: undefined, conditions, metrics, warnings: [[reason, text], ['FailedComputeMetricsReplicas', message]] };
  }
  const { replicas, recent, isStabilized, limit } = limitReplicas(autoscaler, before, current, { at: now, replicas: best.replicas });
  const text = autoscalingMetricText(best.metric);
  const valid: About = ['ScalingActive', 'True', 'ValidMetricFound', `the HPA was able to successfully calculate a replica count from ${text}`];
  return {
    desired: replicas,
    why: replicas > current ? `${text} above target` : 'All metrics below target',
    conditions: [isStabilized ? STABILIZED : READY, valid, ['ScalingLimited', ...limit]],
    warnings: [],
    metrics,
    recent,
  };
} // prettier-ignore
