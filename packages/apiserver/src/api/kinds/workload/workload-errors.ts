import { podTemplateWarnings } from '../pod/pod-warnings.ts';
import {
  type FieldError,
  forbiddenFieldError,
  invalidFieldError,
  requiredFieldError,
  unsupportedFieldError,
} from '../../../core/field-error.ts';
import type { ApiObject } from '../../../core/kube-object.ts';
import { applyDefaultTable, type DefaultTable } from '../common/default-table.ts';
import { countGeneration } from '../common/generation.ts';
import {
  ensureFields, type Fields, fieldsAt, isFieldAbsent, isFieldEmpty, itemsField, numberField, sameFields, setDefaultField, shownFieldValue, specFields, textField, textMapField,
} from '../common/fields.ts'; // prettier-ignore
import { setPodTemplateDefaults } from '../pod/pod-defaults.ts';
import { validatePodSpec } from '../pod/pod-validation.ts';
import {
  daemonSetReplicaCountErrors,
  deploymentReplicaCountErrors,
  replicaSetReplicaCountErrors,
  statefulSetReplicaCountErrors,
} from './replica-count-errors.ts';
import {
  daemonSetRolloutErrors,
  rolloutDeadlineErrors,
  recreateRolloutErrors,
  statefulSetRolloutErrors,
} from './rollout.ts';
import type { KindRules, ScalePaths } from '../common/kind-rule.ts';
import { negativeValueErrors } from '../common/value-errors.ts';
import { isEmptyKindSelector, kindSelectorMatches, kindSelectorText } from '../common/kind-selector.ts';

const workloadScalePaths = (selector: (spec: Fields) => string): ScalePaths => ({
  specReplicas: '.spec.replicas',
  statusReplicas: '.status.replicas',
  selector: (object) => selector(specFields(object)),
});

const scale = workloadScalePaths((spec) => kindSelectorText(fieldsAt(spec, 'selector')));

const emptyWorkloadReplicas = (object: ApiObject): void => {
  object['spec'] = { replicas: 0, ...specFields(object) };
};

export const deploymentRules: KindRules = {
  warnings: workloadTemplateWarnings,
  scale,
  empty: emptyWorkloadReplicas,
  defaults(object) {
    const spec = workloadSpec(object, [
      ['replicas', 1],
      ['strategy.type', 'RollingUpdate'],
      ['revisionHistoryLimit', 10],
      ['progressDeadlineSeconds', 600],
    ]);
    defaultWorkloadRollingUpdate(fieldsAt(spec, 'strategy'), { maxUnavailable: '25%', maxSurge: '25%' });
  },
  prepareUpdate(next, old) {
    // Its controller copies annotations to replica sets, so changing them changes the desired state.
    if (!sameFields(next.metadata?.annotations, old.metadata?.annotations)) countGeneration(next, old);
  },
  prepareStatusUpdate(next, old) {
    const { metadata = {} } = next;
    delete metadata.labels;
    if (old.metadata?.labels !== undefined) metadata.labels = old.metadata.labels;
  },
  validate: (object) => deploymentWorkloadErrors(object),
  validateUpdate: (next, old) => [...deploymentWorkloadErrors(next), ...fixedWorkloadSelectorErrors(next, old)],
  validateStatusUpdate: deploymentReplicaCountErrors,
};

const deploymentWorkloadErrors = (object: ApiObject): FieldError[] => [
  ...workloadErrors(object, 'deployment'),
  ...recreateRolloutErrors(specFields(object)),
  ...rolloutDeadlineErrors(specFields(object)),
];

export const replicaSetRules: KindRules = {
  warnings: workloadTemplateWarnings,
  scale,
  empty: emptyWorkloadReplicas,
  defaults(object) {
    workloadSpec(object, [['replicas', 1]]);
  },
  validate: (object) => workloadErrors(object, 'deployment'),
  validateUpdate: (next, old) => [...workloadErrors(next, 'deployment'), ...fixedWorkloadSelectorErrors(next, old)],
  validateStatusUpdate: replicaSetReplicaCountErrors,
};

const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

export const daemonSetRules: KindRules = {
  warnings: workloadTemplateWarnings,
  empty({ metadata }) {
    if (metadata !== undefined) metadata.annotations = { [TEMPLATE_GENERATION]: '0', ...metadata.annotations };
  },
  defaults(object) {
    const spec = workloadSpec(object, [
      ['updateStrategy.type', 'RollingUpdate'],
      ['revisionHistoryLimit', 10],
    ]);
    defaultWorkloadRollingUpdate(fieldsAt(spec, 'updateStrategy'), { maxUnavailable: 1, maxSurge: 0 });
    // Added before the generation is counted: it belongs to the writer of the object.
    if (object.metadata?.annotations?.[TEMPLATE_GENERATION] === undefined) countWorkloadTemplates(object, -1);
  },
  prepareCreate: (object) => countWorkloadTemplates(object, 0),
  prepareUpdate(next, old) {
    const before = Number(old.metadata?.annotations?.[TEMPLATE_GENERATION] ?? 0);
    const changed = !sameFields(specFields(next)['template'], specFields(old)['template']);
    countWorkloadTemplates(next, Math.max(before - (changed ? 0 : 1), 0));
  },
  validate: (object) => daemonSetWorkloadErrors(object),
  validateUpdate: (next, old) => [...fixedWorkloadSelectorErrors(next, old), ...daemonSetWorkloadErrors(next)],
  validateStatusUpdate: daemonSetReplicaCountErrors,
};

const daemonSetWorkloadErrors = (object: ApiObject): FieldError[] => [
  ...workloadErrors(object, 'daemonset'),
  ...daemonSetRolloutErrors(specFields(object)),
];

function countWorkloadTemplates({ metadata = {} }: ApiObject, before: number): void {
  metadata.annotations = { ...metadata.annotations, [TEMPLATE_GENERATION]: String(before + 1) };
}

const STATEFUL_MAY_CHANGE = [
  'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy', 'minReadySeconds',
]; // prettier-ignore

const CLAIM_TEMPLATE: DefaultTable = [
  ['kind', 'PersistentVolumeClaim'],
  ['apiVersion', 'v1'],
  ['spec.volumeMode', 'Filesystem'],
  ['status.phase', 'Pending'],
];

export const statefulSetRules: KindRules = {
  warnings: workloadTemplateWarnings,
  scale,
  empty: emptyWorkloadReplicas,
  defaults(object) {
    const spec = ensureFields(object, 'spec');
    // Only an update strategy that is absent altogether gets its parameters.
    if (isFieldAbsent(fieldsAt(spec, 'updateStrategy')['type']))
      ensureFields(ensureFields(spec, 'updateStrategy'), 'rollingUpdate');
    workloadSpec(object, [
      ['replicas', 1],
      ['podManagementPolicy', 'OrderedReady'],
      ['updateStrategy.type', 'RollingUpdate'],
      ['revisionHistoryLimit', 10],
      ['persistentVolumeClaimRetentionPolicy', {}],
      ['persistentVolumeClaimRetentionPolicy.whenDeleted', 'Retain'],
      ['persistentVolumeClaimRetentionPolicy.whenScaled', 'Retain'],
    ]);
    const strategy = fieldsAt(spec, 'updateStrategy');
    if (textField(strategy, 'type') === 'RollingUpdate') applyDefaultTable(strategy, [['rollingUpdate.partition', 0]]);
    for (const claim of itemsField(spec, 'volumeClaimTemplates')) applyDefaultTable(claim, CLAIM_TEMPLATE);
  },
  validate: (object) => statefulSetWorkloadErrors(object),
  validateUpdate: (next, old) => [...statefulSetWorkloadErrors(next), ...fixedStatefulSetWorkloadErrors(next, old)],
  validateStatusUpdate: statefulSetReplicaCountErrors,
};

const statefulSetWorkloadErrors = (object: ApiObject): FieldError[] => [
  ...statefulSetRolloutErrors(specFields(object)),
  ...workloadErrors(workloadWithClaimVolumes(object), 'statefulset'),
];

/**
 * The set as it is validated: its claim templates count as volumes of its pods, before the volumes of the template, and
 * replace those of the same name.
 */
function workloadWithClaimVolumes(object: ApiObject): ApiObject {
  const spec = specFields(object);
  const claims = itemsField(spec, 'volumeClaimTemplates').map((claim) =>
    textField(fieldsAt(claim, 'metadata'), 'name'),
  );
  if (claims.length === 0) return object;
  const template = fieldsAt(spec, 'template');
  const pods = fieldsAt(template, 'spec');
  const names = new Set(claims);
  const volumes = [
    ...[...names].map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
    ...itemsField(pods, 'volumes').filter((volume) => !names.has(textField(volume, 'name'))),
  ];
  return { ...object, spec: { ...spec, template: { ...template, spec: { ...pods, volumes } } } };
}

function fixedStatefulSetWorkloadErrors(next: ApiObject, old: ApiObject): FieldError[] {
  const fixed = (object: ApiObject): Fields =>
    Object.fromEntries(Object.entries(specFields(object)).filter(([name]) => !STATEFUL_MAY_CHANGE.includes(name)));
  if (sameFields(fixed(next), fixed(old))) return [];
  const names = STATEFUL_MAY_CHANGE.map((name) => `'${name}'`);
  const text = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  return [forbiddenFieldError('spec', `updates to statefulset spec for fields other than ${text} are forbidden`)];
}

/** Rules of a past state of a workload: only its number can change. */
export const controllerRevisionRules: KindRules = {
  validate(object) {
    const errors = negativeValueErrors(object, ['revision'], '').map((error) => ({ ...error, field: 'revision' }));
    return isFieldAbsent(object['data']) ? [requiredFieldError('data', 'data is mandatory'), ...errors] : errors;
  },
  validateUpdate: (next, old) => [
    ...negativeValueErrors(next, ['revision'], '').map((error) => ({ ...error, field: 'revision' })),
    ...(sameFields(next['data'], old['data'])
      ? []
      : [invalidFieldError('data', shownFieldValue(next['data']), 'field is immutable')]),
  ],
};

export const replicationControllerRules: KindRules = {
  scale: workloadScalePaths((spec) => kindSelectorText({ matchLabels: spec['selector'] })),
  defaults(object) {
    const spec = ensureFields(object, 'spec');
    setDefaultField(spec, 'replicas', 1);
    if (!isFieldAbsent(spec['template'])) setPodTemplateDefaults(spec);
    const labels = textMapField(fieldsAt(fieldsAt(spec, 'template'), 'metadata'), 'labels');
    if (Object.keys(labels).length > 0) {
      if (isFieldEmpty(spec['selector'])) spec['selector'] = { ...labels };
      const metadata = (object.metadata ??= {});
      if (isFieldEmpty(metadata.labels)) metadata.labels = { ...labels };
    }
  },
  validate(object) {
    const spec = specFields(object);
    const selector = textMapField(spec, 'selector');
    const errors = negativeWorkloadFieldErrors(spec, ['replicas']);
    if (Object.keys(selector).length === 0) errors.push(requiredFieldError('spec.selector'));
    if (isFieldAbsent(spec['template'])) return [...errors, requiredFieldError('spec.template')];
    return [
      ...errors,
      ...workloadTemplateErrors(spec, (labels) => kindSelectorMatches({ matchLabels: selector }, labels)),
    ];
  },
  validateStatusUpdate: replicaSetReplicaCountErrors,
};

function workloadSpec(object: ApiObject, table: DefaultTable): Fields {
  const spec = ensureFields(object, 'spec');
  applyDefaultTable(spec, table);
  setPodTemplateDefaults(spec);
  return spec;
}

function defaultWorkloadRollingUpdate(strategy: Fields, values: Readonly<Record<string, string | number>>): void {
  if (textField(strategy, 'type') !== 'RollingUpdate') return;
  const parameters = ensureFields(strategy, 'rollingUpdate');
  for (const [name, value] of Object.entries(values)) setDefaultField(parameters, name, value);
}

function workloadErrors(object: ApiObject, noun: string): FieldError[] {
  const spec = specFields(object);
  const errors = negativeWorkloadFieldErrors(spec, ['replicas', 'minReadySeconds', 'revisionHistoryLimit']);
  const given = !isFieldAbsent(spec['selector']);
  const selector = fieldsAt(spec, 'selector');
  const isDaemonSet = noun === 'daemonset';
  if (!given && !isDaemonSet) errors.push(requiredFieldError('spec.selector'));
  if (given && isEmptyKindSelector(selector))
    errors.push(invalidFieldError('spec.selector', {}, `empty selector is invalid for ${noun}`));
  const matches = (labels: Record<string, string>): boolean =>
    given && (isEmptyKindSelector(selector) || kindSelectorMatches(selector, labels));
  errors.push(...workloadTemplateErrors(spec, matches));
  const policy = textField(fieldsAt(fieldsAt(spec, 'template'), 'spec'), 'restartPolicy');
  if (['OnFailure', 'Never'].includes(policy))
    errors.push(unsupportedFieldError('spec.template.spec.restartPolicy', policy, ['Always']));
  return errors;
}

/** Errors of a selector that does not match the template: the controller would create pods without end. */
export function workloadTemplateLabelErrors(
  spec: Fields,
  matches: (labels: Record<string, string>) => boolean,
): FieldError[] {
  const metadata = fieldsAt(fieldsAt(spec, 'template'), 'metadata');
  if (matches(textMapField(metadata, 'labels'))) return [];
  const labels = isFieldEmpty(metadata['labels']) ? null : shownFieldValue(metadata['labels']);
  return [invalidFieldError('spec.template.metadata.labels', labels, '`selector` does not match template `labels`')];
}

const workloadTemplateErrors = (spec: Fields, matches: (labels: Record<string, string>) => boolean): FieldError[] => [
  ...workloadTemplateLabelErrors(spec, matches),
  ...validatePodSpec(fieldsAt(fieldsAt(spec, 'template'), 'spec'), 'spec.template.spec'),
];

export const negativeWorkloadFieldErrors = (parent: Fields, names: readonly string[], path = 'spec'): FieldError[] =>
  names.flatMap((name) => {
    const value = numberField(parent, name);
    return value !== undefined && value < 0
      ? [invalidFieldError(`${path}.${name}`, value, 'must be greater than or equal to 0')]
      : [];
  });

const fixedWorkloadSelectorErrors = (next: ApiObject, old: ApiObject): FieldError[] =>
  fixedWorkloadFieldErrors(next, old, ['selector']);

/** Errors of fields of the spec that cannot change. */
export const fixedWorkloadFieldErrors = (next: ApiObject, old: ApiObject, names: readonly string[]): FieldError[] =>
  names.flatMap((name) =>
    sameFields(specFields(next)[name], specFields(old)[name])
      ? []
      : [invalidFieldError(`spec.${name}`, shownFieldValue(specFields(next)[name]), 'field is immutable')],
  );

/** Warnings about the template of pods, when it is new or has changed. */
function workloadTemplateWarnings(next: ApiObject, old?: ApiObject): string[] {
  const isSame = old !== undefined && sameFields(specFields(next)['template'], specFields(old)['template']);
  return isSame ? [] : podTemplateWarnings(specFields(next));
}
