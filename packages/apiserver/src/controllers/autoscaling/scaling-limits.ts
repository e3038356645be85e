import type { HorizontalPodAutoscaler } from '@kube-informer/kubernetes/autoscaling/v2';

/** Default stabilization window for scaling down; scaling up has none. */
const DOWN_WINDOW_SECONDS = 300;

/** A number of replicas that was recommended. */
export interface Recommendation {
  readonly at: number;
  readonly replicas: number;
}

/** The limited size, and the condition about it. */
export interface Limited {
  readonly replicas: number;
  /** Recommendations that still matter, this one included. */
  readonly recent: readonly Recommendation[];
  readonly isStabilized: boolean;
  readonly limit: readonly [status: 'True' | 'False', reason: string, message: string];
}

/**
 * Limits a proposal: fewer replicas than in any recent proposal wait for the window of `behavior.scaleDown`,
 * more for that of `scaleUp`; then the limits of the spec apply. At most twice the replicas, or four, are
 * added at once.
 */
export function limitReplicas(
  { spec }: HorizontalPodAutoscaler,
  before: readonly Recommendation[],
  current: number,
  { at, replicas: proposed }: Recommendation,
): Limited {
  const { minReplicas = 1, maxReplicas, behavior } = spec;
  const downMs = (behavior?.scaleDown?.stabilizationWindowSeconds ?? DOWN_WINDOW_SECONDS) * 1_000;
  const upMs = (behavior?.scaleUp?.stabilizationWindowSeconds ?? 0) * 1_000;
  const recent = [...before.filter((one) => one.at > at - Math.max(downMs, upMs)), { at, replicas: proposed }];
  const within = (ms: number): number[] =>
    recent.filter((one) => one.at > at - ms || one.at === at).map((one) => one.replicas);
  // Not above the lowest and not below the highest recent proposal.
  const stable = Math.min(Math.max(current, Math.min(...within(upMs))), Math.max(...within(downMs)));
  const isDisabled = (way: 'scaleUp' | 'scaleDown'): boolean => behavior?.[way]?.selectPolicy === 'Disabled';
  const wanted = isDisabled(stable > current ? 'scaleUp' : 'scaleDown') ? current : stable;
  const most = behavior?.scaleUp?.policies === undefined ? Math.max(2 * current, 4) : maxReplicas;
  const isStabilized = stable !== proposed;
  const give = (replicas: number, ...limit: Limited['limit']): Limited => ({ replicas, recent, isStabilized, limit });
  if (wanted < minReplicas)
    return give(minReplicas, 'True', 'TooFewReplicas', 'the desired replica count is less than the minimum replica count');
  if (wanted > Math.min(most, maxReplicas))
    return most < maxReplicas
      ? give(most, 'True', 'ScaleUpLimit', 'the desired replica count is increasing faster than the maximum scale rate')
      : give(maxReplicas, 'True', 'TooManyReplicas', 'the desired replica count is more than the maximum replica count');
  return give(wanted, 'False', 'DesiredWithinRange', 'the desired count is within the acceptable range');
} // prettier-ignore
