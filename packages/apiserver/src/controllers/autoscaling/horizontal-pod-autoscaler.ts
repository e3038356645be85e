import { defined } from 'kube-informer/core';
import type { HorizontalPodAutoscaler } from '@kube-informer/kubernetes/autoscaling/v2';
import type { Pod } from '@kube-informer/kubernetes/v1';
import { isSameJson } from '../../core/json.ts';
import { StatusError } from '../../core/status-error.ts';
import { serverTimestamp } from '../../core/server-timestamp.ts';
import { type Condition, withStatusCondition } from '../common/status-conditions.ts';
import type { ControllerHost, Scale, Stop } from '../common/controller-host.ts';
import { controllerEvents } from '../common/controller-events.ts';
import { controllerSelectorTextMatches } from '../common/controller-selector.ts';
import { type Typed, typedResource } from '../common/typed-resource.ts';
import { workLoop } from '../common/work-loop.ts';
import { type Decision, decideReplicas } from './decide-replicas.ts';
import type { Recommendation } from './scaling-limits.ts';
import { measureAutoscalingMetric } from './autoscaling-metrics.ts';
import type { PodUsage } from './propose-replicas.ts';

/** Interval at which autoscalers check their pods. */
const PERIOD_MS = 15_000;

/** State of an autoscaler after its last sync. */
interface LastTurn {
  readonly spec: object;
  readonly nextAt: number;
  readonly recent: readonly Recommendation[];
}

/**
 * Scales the targets of HorizontalPodAutoscalers every 15 seconds, by the CPU and memory that `usageOf` returns for
 * pods. Metrics of other
 * types have no source here: they fail, as in a cluster without an adapter.
 */
export function startHorizontalPodAutoscaler(host: ControllerHost, usageOf: (pod: Pod) => PodUsage | undefined): Stop {
  const autoscalers = typedResource<HorizontalPodAutoscaler>(host, 'autoscaling', 'horizontalpodautoscalers');
  const pods = typedResource<Pod>(host, '', 'pods');
  const record = controllerEvents(host, 'horizontal-pod-autoscaler');
  const lastTurns = new Map<string, LastTurn>();

  const sync = (key: string): number | undefined => {
    const [namespace = '', name = ''] = key.split('/');
    const autoscaler = autoscalers.get(namespace, name);
    const last = lastTurns.get(key);
    const now = host.env.wallNow();
    if (autoscaler === undefined || autoscaler.metadata?.deletionTimestamp !== undefined) {
      lastTurns.delete(key);
      return undefined;
    }
    // Its own writes of the status lead here too. They are ignored until the time that the last turn has set.
    if (last !== undefined && now < last.nextAt && isSameJson(last.spec, autoscaler.spec)) return undefined;
    const recent = takeTurn(autoscaler, last?.recent ?? [], now);
    lastTurns.set(key, { spec: autoscaler.spec, nextAt: now + PERIOD_MS, recent });
    return PERIOD_MS;
  };

  const takeTurn = (
    autoscaler: HorizontalPodAutoscaler,
    before: readonly Recommendation[],
    now: number,
  ): readonly Recommendation[] => {
    const { spec, metadata, status: old } = autoscaler;
    const { namespace = '' } = metadata ?? {};
    const scale = scaleOfHorizontalPodAutoscaler(host, namespace, spec.scaleTargetRef);
    if (typeof scale === 'string') {
      record(autoscaler, 'Warning', 'FailedGetScale', scale);
      const message = `the HPA controller was unable to get the target's current scale: ${scale}`;
      const conditions = [['AbleToScale', 'False', 'FailedGetScale', message]] as const;
      write(autoscaler, { conditions, metrics: [] }, old?.currentReplicas ?? 0, old?.desiredReplicas ?? 0, now);
      return before;
    }
    const { replicas: current, selector } = scale;
    const selected = (): Pod[] =>
      pods.list(namespace).filter(({ metadata: of }) => controllerSelectorTextMatches(selector, of?.labels));
    const decision = decideReplicas(
      autoscaler,
      current,
      () => measureAutoscalingMetric(spec.metrics ?? [], selected(), usageOf, current),
      before,
      now,
    );
    for (const [reason, message] of decision.warnings) record(autoscaler, 'Warning', reason, message);
    const { desired = old?.desiredReplicas ?? 0, recent } = decision;
    if (decision.desired === undefined || desired === current) write(autoscaler, decision, current, desired, now);
    else {
      host.setScale(namespace, spec.scaleTargetRef, desired);
      record(autoscaler, 'Normal', 'SuccessfulRescale', `New size: ${desired}; reason: ${decision.why}`);
      const message = `the HPA controller was able to update the target scale to ${desired}`;
      const conditions = [...decision.conditions, ['AbleToScale', 'True', 'SucceededRescale', message] as const];
      write(autoscaler, { ...decision, conditions }, current, desired, now, serverTimestamp(now));
    }
    return recent;
  };

  const write = (
    autoscaler: HorizontalPodAutoscaler,
    { conditions, metrics }: Pick<Decision, 'conditions' | 'metrics'>,
    currentReplicas: number,
    desiredReplicas: number,
    now: number,
    lastScaleTime = autoscaler.status?.lastScaleTime,
  ): void => {
    let all: readonly Condition[] = autoscaler.status?.conditions ?? [];
    for (const [type, status, reason, message] of conditions)
      all = withStatusCondition(all, { type, status, reason, message, lastTransitionTime: serverTimestamp(now) });
    autoscalers.updateStatus(autoscaler, {
      ...defined({ lastScaleTime }),
      currentReplicas,
      desiredReplicas,
      ...(metrics.length === 0 ? {} : { currentMetrics: metrics }),
      conditions: all,
    });
  };

  const loop = workLoop(host.env, 'autoscalers', sync);
  const look = ({ metadata }: Typed): void => loop.add(`${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`);
  const stop = host.watch('autoscaling', 'horizontalpodautoscalers', (_, object) => look(object));
  for (const one of autoscalers.list()) look(one);
  return () => {
    stop();
    loop.stop();
  };
}

/** The scale of a target, or why it has none. */
function scaleOfHorizontalPodAutoscaler(
  host: ControllerHost,
  namespace: string,
  target: HorizontalPodAutoscaler['spec']['scaleTargetRef'],
): Scale | string {
  try {
    return host.scale(namespace, target);
  } catch (error) {
    if (error instanceof StatusError) return error.message;
    throw error;
  }
}
