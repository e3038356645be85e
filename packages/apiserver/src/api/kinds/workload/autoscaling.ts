import { defined } from 'kube-informer/core';
import { type FieldError, invalidFieldError, requiredFieldError } from '../../../core/field-error.ts';
import type { ApiObject } from '../../../core/kube-object.ts';
import {
  ensureFields,
  type Fields,
  fieldsAt,
  isFieldAbsent,
  isFieldEmpty,
  isFields,
  numberField,
  setDefaultField,
  specFields,
  textField,
} from '../common/fields.ts';
import type { KindRules } from '../common/kind-rule.ts';
import { intOrPercentValueErrors, choiceValueErrors, percentValueErrors } from '../common/value-errors.ts';
import {
  behaviorFromAnnotation,
  behaviorToAnnotation,
  currentMetricsFromAnnotation,
  currentMetricsToAnnotation,
  metricsFromAnnotation,
  metricsToAnnotation,
} from './autoscaling-annotations.ts';
import { disruptionBudgetReplicaCountErrors } from './replica-count-errors.ts';

/** HorizontalPodAutoscalers and PodDisruptionBudgets. */

const defaultAutoscalingCpu = (percent: number): Fields => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: percent } },
});
const DEFAULT_CPU = 80;

const autoscalingPolicy = (type: string, value: number): Fields => ({ type, value, periodSeconds: 15 });
const SCALE_UP = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [autoscalingPolicy('Pods', 4), autoscalingPolicy('Percent', 100)],
};
const SCALE_DOWN = { selectPolicy: 'Max', policies: [autoscalingPolicy('Percent', 100)] };

export const autoscalerRules: KindRules = {
  defaults(object) {
    const spec = ensureFields(object, 'spec');
    setDefaultField(spec, 'minReplicas', 1);
    if (isFieldEmpty(spec['metrics'])) spec['metrics'] = [defaultAutoscalingCpu(DEFAULT_CPU)];
    if (isFieldAbsent(spec['behavior'])) return;
    const behavior = ensureFields(spec, 'behavior');
    behavior['scaleUp'] = { ...structuredClone(SCALE_UP), ...fieldsAt(behavior, 'scaleUp') };
    behavior['scaleDown'] = { ...structuredClone(SCALE_DOWN), ...fieldsAt(behavior, 'scaleDown') };
  },
  validate: (object) => autoscalingErrors(object),
  validateUpdate: (next) => autoscalingErrors(next),
};

export const oldAutoscalerRules: KindRules = {
  ...autoscalerRules,
  defaults(object) {
    const spec = ensureFields(object, 'spec');
    setDefaultField(spec, 'minReplicas', 1);
    if (!(METRICS in (object.metadata?.annotations ?? {})))
      setDefaultField(spec, 'targetCPUUtilizationPercentage', DEFAULT_CPU);
  },
};

function autoscalingErrors(object: ApiObject): FieldError[] {
  const spec = specFields(object);
  const [least, most] = [numberField(spec, 'minReplicas') ?? 1, numberField(spec, 'maxReplicas') ?? 0];
  const errors: FieldError[] = [];
  if (least < 1) errors.push(invalidFieldError('spec.minReplicas', least, 'must be greater than or equal to 1'));
  if (most < 1) errors.push(requiredFieldError('spec.maxReplicas', 'must be set and greater than 0'));
  if (most < least)
    errors.push(invalidFieldError('spec.maxReplicas', most, 'must be greater than or equal to `minReplicas`'));
  const target = fieldsAt(spec, 'scaleTargetRef');
  for (const name of ['kind', 'name'])
    if (textField(target, name) === '') errors.push(requiredFieldError(`spec.scaleTargetRef.${name}`));
  const apiVersion = textField(target, 'apiVersion');
  if (apiVersion === '' || (textField(target, 'kind') !== 'ReplicationController' && !apiVersion.includes('/')))
    errors.push(invalidFieldError('spec.scaleTargetRef.apiVersion', apiVersion, 'apiVersion must specify API group'));
  return errors;
}

/**
 * Annotations for the parts of the stored `v2` form that `autoscaling/v1`, which has only one number, cannot
 * express.
 */
const METRICS = 'autoscaling.alpha.kubernetes.io/metrics';
const CURRENT_METRICS = 'autoscaling.alpha.kubernetes.io/current-metrics';
const CONDITIONS = 'autoscaling.alpha.kubernetes.io/conditions';
const BEHAVIOR = 'autoscaling.alpha.kubernetes.io/behavior';

const autoscalingCpuPercent = (metric: unknown, field: 'target' | 'current'): number | undefined => {
  const resource = fieldsAt((metric ?? {}) as Fields, 'resource');
  return textField(resource, 'name') === 'cpu'
    ? numberField(fieldsAt(resource, field), 'averageUtilization')
    : undefined;
};

export function autoscalingToOldVersion(object: ApiObject): ApiObject {
  const { metrics, behavior, ...spec } = specFields(object);
  const { currentMetrics, conditions, ...status } = fieldsAt(object, 'status');
  const all = Array.isArray(metrics) ? metrics : [];
  const others = all.filter((metric) => autoscalingCpuPercent(metric, 'target') === undefined);
  const percent = all.map((metric) => autoscalingCpuPercent(metric, 'target')).find((value) => value !== undefined);
  const current = Array.isArray(currentMetrics) ? currentMetrics : [];
  const used = current
    .map((metric) => autoscalingCpuPercent(metric, 'current'))
    .findLast((value) => value !== undefined);
  const saved: Record<string, unknown> = {
    [METRICS]: metricsToAnnotation(others),
    [CURRENT_METRICS]: currentMetricsToAnnotation(current),
    [CONDITIONS]: conditions,
    [BEHAVIOR]: isFields(behavior) ? behaviorToAnnotation(behavior) : undefined,
  };
  const annotations = { ...object.metadata?.annotations };
  for (const [name, value] of Object.entries(saved))
    if (!isFieldEmpty(value)) annotations[name] = JSON.stringify(value);
  const metadata = { ...object.metadata, ...(isFieldEmpty(annotations) ? {} : { annotations }) };
  return {
    ...object,
    apiVersion: 'autoscaling/v1',
    metadata,
    spec: { ...spec, ...defined({ targetCPUUtilizationPercentage: percent }) },
    status: { ...status, ...defined({ currentCPUUtilizationPercentage: used }) },
  };
}

export function autoscalingToStoredVersion(object: ApiObject): ApiObject {
  const { targetCPUUtilizationPercentage: percent, ...spec } = specFields(object);
  const { currentCPUUtilizationPercentage: _used, ...status } = fieldsAt(object, 'status');
  const { annotations = {}, ...metadata } = object.metadata ?? {};
  const others = parseOldAutoscaling(annotations[METRICS]);
  const metrics = [
    ...(Array.isArray(others) ? metricsFromAnnotation(others) : []),
    ...(typeof percent === 'number' ? [defaultAutoscalingCpu(percent)] : []),
  ];
  const [current, conditions, behavior] = [CURRENT_METRICS, CONDITIONS, BEHAVIOR].map((name) =>
    parseOldAutoscaling(annotations[name]),
  );
  const kept = Object.entries(annotations).filter(
    ([name]) => ![METRICS, CURRENT_METRICS, CONDITIONS, BEHAVIOR].includes(name),
  );
  return {
    ...object,
    apiVersion: 'autoscaling/v2',
    metadata: { ...metadata, ...(kept.length === 0 ? {} : { annotations: Object.fromEntries(kept) }) },
    spec: {
      ...spec,
      metrics: metrics.length === 0 ? [defaultAutoscalingCpu(DEFAULT_CPU)] : metrics,
      ...(behavior === undefined ? {} : { behavior: behaviorFromAnnotation(behavior) }),
    },
    status: {
      ...status,
      ...(Array.isArray(current) ? { currentMetrics: currentMetricsFromAnnotation(current) } : {}),
      ...defined({ conditions }),
    },
  };
}

/** Parses an annotation; undefined if it is not valid JSON. */
function parseOldAutoscaling(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export const disruptionBudgetRules: KindRules = {
  validate(budget) {
    const spec = specFields(budget);
    const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy: policy } = spec;
    const errors: FieldError[] = [];
    if (!isFieldAbsent(minAvailable) && !isFieldAbsent(maxUnavailable)) {
      const struct = {
        MinAvailable: minAvailable as string | number,
        Selector: (selector ?? null) as null,
        MaxUnavailable: maxUnavailable as string | number,
        UnhealthyPodEvictionPolicy: (policy ?? null) as null,
      };
      errors.push(invalidFieldError('spec', struct, 'minAvailable and maxUnavailable cannot be both set'));
    }
    for (const name of ['minAvailable', 'maxUnavailable'])
      errors.push(...intOrPercentValueErrors(spec, name, 'spec'), ...percentValueErrors(spec, name, 'spec'));
    return [
      ...errors,
      ...choiceValueErrors(spec, 'unhealthyPodEvictionPolicy', 'spec', ['AlwaysAllow', 'IfHealthyBudget']),
    ];
  },
  validateStatusUpdate: disruptionBudgetReplicaCountErrors,
};
