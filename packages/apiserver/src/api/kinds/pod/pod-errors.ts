import {
  type FieldError,
  forbiddenFieldError,
  invalidFieldError,
  requiredFieldError,
} from '../../../core/field-error.ts';
import {
  ensureFields,
  type Fields,
  fieldsAt,
  itemsField,
  numberField,
  sameFields,
  shownFieldValue,
  specFields,
  textField,
} from '../common/fields.ts';
import type { KindRules } from '../common/kind-rule.ts';
import { defaultPod, defaultPodSpec, setPodTemplateDefaults } from './pod-defaults.ts';
import { appArmorFromAnnotations } from './app-armor.ts';
import { ephemeralContainerRules, resizeRules } from './pod-subresources.ts';
import { podQosClass } from './pod-qos.ts';
import { wholePodWarnings } from './pod-warnings.ts';
import { validatePodImages, validatePodSpec } from './pod-validation.ts';

/** Taints that a pod tolerates for five minutes by default. */
const NODE_PROBLEM_TAINTS = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

export const podRules: KindRules = {
  subresources: { ephemeralcontainers: ephemeralContainerRules, resize: resizeRules },

  defaults(pod) {
    const spec = ensureFields(pod, 'spec');
    defaultPodSpec(spec);
    defaultPod(spec);
  },

  prepareCreate(pod, context) {
    const spec = ensureFields(pod, 'spec');
    // A negative period becomes the shortest one; templates keep it.
    if ((numberField(spec, 'terminationGracePeriodSeconds') ?? 0) < 0) spec['terminationGracePeriodSeconds'] = 1;
    spec['priority'] ??= 0;
    spec['preemptionPolicy'] ??= 'PreemptLowerPriority';
    addPodNodeTolerations(spec);
    appArmorFromAnnotations((pod.metadata ?? {}) as Fields, spec);
    const gated = itemsField(spec, 'schedulingGates').length > 0;
    pod['status'] = {
      phase: 'Pending',
      ...(gated ? { conditions: [schedulingGatedPodCondition(context.now)] } : {}),
      qosClass: podQosClass(spec),
    };
  },

  prepareUpdate(next) {
    // Added again if an update removed them, as on create.
    addPodNodeTolerations(ensureFields(next, 'spec'));
  },

  prepareStatusUpdate(next, old) {
    const status = ensureFields(next, 'status');
    const before = fieldsAt(old, 'status');
    // Older kubelets omit it; it never changes.
    if (textField(status, 'qosClass') === '' && before['qosClass'] !== undefined)
      status['qosClass'] = before['qosClass'];
    const { metadata = {} } = next;
    delete metadata.ownerReferences;
    if (old.metadata?.ownerReferences !== undefined) metadata.ownerReferences = old.metadata.ownerReferences;
  },

  warnings: (pod, old) => (old === undefined ? wholePodWarnings(pod) : []),
  validate: (pod) => [...podErrors(specFields(pod)), ...newPodEphemeralErrors(specFields(pod))],
  validateUpdate: (next, old) => [
    ...podErrors(specFields(next)),
    ...podUpdateErrors(specFields(next), specFields(old)),
  ],
};

/** Errors of ephemeral containers in a new pod, which may have none. */
const newPodEphemeralErrors = (spec: Fields): FieldError[] =>
  itemsField(spec, 'ephemeralContainers').length === 0
    ? []
    : [forbiddenFieldError('spec.ephemeralContainers', 'cannot be set on create')];

const podErrors = (spec: Fields): FieldError[] => [
  ...validatePodSpec(spec, 'spec'),
  ...validatePodImages(spec, 'spec'),
];

export const podTemplateRules: KindRules = {
  defaults: (object) => setPodTemplateDefaults(object),
};

export function addPodNodeTolerations(spec: Fields): void {
  const tolerations = itemsField(spec, 'tolerations');
  const tolerated = (key: string): boolean =>
    tolerations.some(
      (toleration) =>
        (textField(toleration, 'key') === key || textField(toleration, 'key') === '') &&
        (textField(toleration, 'effect') === 'NoExecute' || textField(toleration, 'effect') === ''),
    );
  const missing = NODE_PROBLEM_TAINTS.filter((key) => !tolerated(key));
  if (missing.length === 0) return;
  spec['tolerations'] = [
    ...tolerations,
    ...missing.map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 })),
  ];
}

const schedulingGatedPodCondition = (now: string): Fields => ({
  type: 'PodScheduled',
  status: 'False',
  lastProbeTime: null,
  lastTransitionTime: now,
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
});

const MAY_CHANGE =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/** Errors of changes to a pod's spec, of which only a few fields can change. */
function podUpdateErrors(next: Fields, old: Fields): FieldError[] {
  for (const list of ['containers', 'initContainers'] as const)
    if (itemsField(next, list).length !== itemsField(old, list).length)
      return [forbiddenFieldError(`spec.${list}`, 'pod updates may not add or remove containers')];
  const errors: FieldError[] = [];
  const [deadline, oldDeadline] = [next['activeDeadlineSeconds'], numberField(old, 'activeDeadlineSeconds')];
  if (oldDeadline !== undefined) {
    if (typeof deadline !== 'number')
      errors.push(
        invalidFieldError(
          'spec.activeDeadlineSeconds',
          shownFieldValue(deadline),
          'must not update from a positive integer to nil value',
        ),
      );
    else if (deadline > oldDeadline)
      errors.push(
        invalidFieldError('spec.activeDeadlineSeconds', deadline, 'must be less than or equal to previous value'),
      );
  }
  for (const [index, container] of itemsField(next, 'containers').entries())
    if (textField(container, 'image') === '') errors.push(requiredFieldError(`spec.containers[${index}].image`));
  for (const toleration of itemsField(old, 'tolerations'))
    if (
      !itemsField(next, 'tolerations').some((one) =>
        sameFields({ ...one, tolerationSeconds: null }, { ...toleration, tolerationSeconds: null }),
      )
    )
      errors.push(
        forbiddenFieldError('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds'),
      );
  if (!sameFields(fixedPodSpec(next, old), fixedPodSpec(old, old)))
    errors.push(forbiddenFieldError('spec', MAY_CHANGE));
  return errors;
}

/** The spec without the fields that may change; scheduling gates may be removed, never added. */
function fixedPodSpec(spec: Fields, old: Fields): Fields {
  const fixed: Fields = { ...spec };
  for (const list of ['containers', 'initContainers'])
    fixed[list] = itemsField(spec, list).map(({ image: _image, ...container }) => container);
  delete fixed['activeDeadlineSeconds'];
  delete fixed['tolerations'];
  const gates = itemsField(old, 'schedulingGates');
  fixed['schedulingGates'] = itemsField(spec, 'schedulingGates').every((gate) =>
    gates.some((one) => sameFields(one, gate)),
  );
  // No scheduler has handled a gated pod yet, so its placement can still be narrowed.
  if (gates.length > 0) for (const field of ['nodeSelector', 'affinity']) delete fixed[field];
  if (
    numberField(old, 'terminationGracePeriodSeconds') !== undefined &&
    (numberField(old, 'terminationGracePeriodSeconds') ?? 0) < 0
  )
    delete fixed['terminationGracePeriodSeconds'];
  return fixed;
}
