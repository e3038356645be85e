import {
  type FieldError,
  forbiddenField,
  invalidField,
  requiredField,
  unsupportedField,
} from '../../../core/field-error.ts';
import type { ApiObject } from '../../../core/object.ts';
import { applyTable, type DefaultTable } from '../common/default-table.ts';
import { countGeneration } from '../common/generation.ts';
import {
  ensureFields, type Fields, fieldsAt, isAbsent, isEmpty, itemsAt, numberAt, sameFields, setDefault, shown, specOf, textAt, textMapAt,
} from '../common/fields.ts'; // prettier-ignore
import { defaultPodTemplate } from '../pod/defaults.ts';
import { podSpecErrors } from '../pod/validation.ts';
import {
  daemonSetStatusErrors,
  deploymentStatusErrors,
  replicaSetStatusErrors,
  statefulSetStatusErrors,
} from './replica-counts.ts';
import { daemonStrategyErrors, deadlineErrors, deploymentStrategyErrors, statefulStrategyErrors } from './rollout.ts';
import type { KindRules, ScalePaths } from '../common/rules.ts';
import { countErrors } from '../common/value-checks.ts';
import { isEmptySelector, selectorMatches, selectorText } from '../common/selector.ts';

const replicaPaths = (selector: (spec: Fields) => string): ScalePaths => ({
  specReplicas: '.spec.replicas',
  statusReplicas: '.status.replicas',
  selector: (object) => selector(specOf(object)),
});

const scale = replicaPaths((spec) => selectorText(fieldsAt(spec, 'selector')));

const noReplicas = (object: ApiObject): void => {
  object['spec'] = { replicas: 0, ...specOf(object) };
};

export const deploymentRules: KindRules = {
  scale,
  empty: noReplicas,
  defaults(object) {
    const spec = workloadSpec(object, [
      ['replicas', 1],
      ['strategy.type', 'RollingUpdate'],
      ['revisionHistoryLimit', 10],
      ['progressDeadlineSeconds', 600],
    ]);
    rollingUpdate(fieldsAt(spec, 'strategy'), { maxUnavailable: '25%', maxSurge: '25%' });
  },
  prepareUpdate(next, old) {
    // Its controller copies annotations to replica sets, so a change of them is a change of what is wanted.
    if (!sameFields(next.metadata?.annotations, old.metadata?.annotations)) countGeneration(next, old);
  },
  prepareStatusUpdate(next, old) {
    const { metadata = {} } = next;
    delete metadata.labels;
    if (old.metadata?.labels !== undefined) metadata.labels = old.metadata.labels;
  },
  validate: (object) => deploymentErrors(object),
  validateUpdate: (next, old) => [...deploymentErrors(next), ...fixedSelector(next, old)],
  validateStatusUpdate: deploymentStatusErrors,
};

const deploymentErrors = (object: ApiObject): FieldError[] => [
  ...workloadErrors(object, 'deployment'),
  ...deploymentStrategyErrors(specOf(object)),
  ...deadlineErrors(specOf(object)),
];

export const replicaSetRules: KindRules = {
  scale,
  empty: noReplicas,
  defaults(object) {
    workloadSpec(object, [['replicas', 1]]);
  },
  validate: (object) => workloadErrors(object, 'deployment'),
  validateUpdate: (next, old) => [...workloadErrors(next, 'deployment'), ...fixedSelector(next, old)],
  validateStatusUpdate: replicaSetStatusErrors,
};

const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

export const daemonSetRules: KindRules = {
  empty({ metadata }) {
    if (metadata !== undefined) metadata.annotations = { [TEMPLATE_GENERATION]: '0', ...metadata.annotations };
  },
  defaults(object) {
    const spec = workloadSpec(object, [
      ['updateStrategy.type', 'RollingUpdate'],
      ['revisionHistoryLimit', 10],
    ]);
    rollingUpdate(fieldsAt(spec, 'updateStrategy'), { maxUnavailable: 1, maxSurge: 0 });
    // There before the count is made: it belongs to whoever wrote the object.
    if (object.metadata?.annotations?.[TEMPLATE_GENERATION] === undefined) countTemplates(object, -1);
  },
  prepareCreate: (object) => countTemplates(object, 0),
  prepareUpdate(next, old) {
    const before = Number(old.metadata?.annotations?.[TEMPLATE_GENERATION] ?? 0);
    const changed = !sameFields(specOf(next)['template'], specOf(old)['template']);
    countTemplates(next, Math.max(before - (changed ? 0 : 1), 0));
  },
  validate: (object) => daemonSetErrors(object),
  validateUpdate: (next, old) => [...fixedSelector(next, old), ...daemonSetErrors(next)],
  validateStatusUpdate: daemonSetStatusErrors,
};

const daemonSetErrors = (object: ApiObject): FieldError[] => [
  ...workloadErrors(object, 'daemonset'),
  ...daemonStrategyErrors(specOf(object)),
];

function countTemplates({ metadata = {} }: ApiObject, before: number): void {
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
  scale,
  empty: noReplicas,
  defaults(object) {
    const spec = ensureFields(object, 'spec');
    // Only an update strategy that was left out altogether gets its parameters.
    if (isAbsent(fieldsAt(spec, 'updateStrategy')['type']))
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
    if (textAt(strategy, 'type') === 'RollingUpdate') applyTable(strategy, [['rollingUpdate.partition', 0]]);
    for (const claim of itemsAt(spec, 'volumeClaimTemplates')) applyTable(claim, CLAIM_TEMPLATE);
  },
  validate: (object) => statefulSetErrors(object),
  validateUpdate: (next, old) => [...statefulSetErrors(next), ...fixedStatefulSpec(next, old)],
  validateStatusUpdate: statefulSetStatusErrors,
};

const statefulSetErrors = (object: ApiObject): FieldError[] => [
  ...statefulStrategyErrors(specOf(object)),
  ...workloadErrors(object, 'statefulset'),
];

function fixedStatefulSpec(next: ApiObject, old: ApiObject): FieldError[] {
  const fixed = (object: ApiObject): Fields =>
    Object.fromEntries(Object.entries(specOf(object)).filter(([name]) => !STATEFUL_MAY_CHANGE.includes(name)));
  if (sameFields(fixed(next), fixed(old))) return [];
  const names = STATEFUL_MAY_CHANGE.map((name) => `'${name}'`);
  const text = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  return [forbiddenField('spec', `updates to statefulset spec for fields other than ${text} are forbidden`)];
}

/** A state of a workload that was: it can get another number, and nothing else. */
export const controllerRevisionRules: KindRules = {
  validate(object) {
    const errors = countErrors(object, ['revision'], '').map((error) => ({ ...error, field: 'revision' }));
    return isAbsent(object['data']) ? [requiredField('data', 'data is mandatory'), ...errors] : errors;
  },
  validateUpdate: (next, old) => [
    ...countErrors(next, ['revision'], '').map((error) => ({ ...error, field: 'revision' })),
    ...(sameFields(next['data'], old['data']) ? [] : [invalidField('data', shown(next['data']), 'field is immutable')]),
  ],
};

export const replicationControllerRules: KindRules = {
  scale: replicaPaths((spec) => selectorText({ matchLabels: spec['selector'] })),
  defaults(object) {
    const spec = ensureFields(object, 'spec');
    setDefault(spec, 'replicas', 1);
    if (!isAbsent(spec['template'])) defaultPodTemplate(spec);
    const labels = textMapAt(fieldsAt(fieldsAt(spec, 'template'), 'metadata'), 'labels');
    if (Object.keys(labels).length > 0) {
      if (isEmpty(spec['selector'])) spec['selector'] = { ...labels };
      const metadata = (object.metadata ??= {});
      if (isEmpty(metadata.labels)) metadata.labels = { ...labels };
    }
  },
  validate(object) {
    const spec = specOf(object);
    const selector = textMapAt(spec, 'selector');
    const errors = notNegative(spec, ['replicas']);
    if (Object.keys(selector).length === 0) errors.push(requiredField('spec.selector'));
    if (isAbsent(spec['template'])) return [...errors, requiredField('spec.template')];
    return [...errors, ...templateErrors(spec, (labels) => selectorMatches({ matchLabels: selector }, labels))];
  },
  validateStatusUpdate: replicaSetStatusErrors,
};

function workloadSpec(object: ApiObject, table: DefaultTable): Fields {
  const spec = ensureFields(object, 'spec');
  applyTable(spec, table);
  defaultPodTemplate(spec);
  return spec;
}

function rollingUpdate(strategy: Fields, values: Readonly<Record<string, string | number>>): void {
  if (textAt(strategy, 'type') !== 'RollingUpdate') return;
  const parameters = ensureFields(strategy, 'rollingUpdate');
  for (const [name, value] of Object.entries(values)) setDefault(parameters, name, value);
}

function workloadErrors(object: ApiObject, noun: string): FieldError[] {
  const spec = specOf(object);
  const errors = notNegative(spec, ['replicas', 'minReadySeconds', 'revisionHistoryLimit']);
  const given = !isAbsent(spec['selector']);
  const selector = fieldsAt(spec, 'selector');
  const isDaemonSet = noun === 'daemonset';
  if (!given && !isDaemonSet) errors.push(requiredField('spec.selector'));
  if (given && isEmptySelector(selector))
    errors.push(invalidField('spec.selector', {}, `empty selector is invalid for ${noun}`));
  const matches = (labels: Record<string, string>): boolean =>
    given && (isEmptySelector(selector) || selectorMatches(selector, labels));
  errors.push(...templateErrors(spec, matches));
  const policy = textAt(fieldsAt(fieldsAt(spec, 'template'), 'spec'), 'restartPolicy');
  if (['OnFailure', 'Never'].includes(policy))
    errors.push(unsupportedField('spec.template.spec.restartPolicy', policy, ['Always']));
  return errors;
}

/** A controller whose pods it would not recognise makes new ones for ever. */
export function templateLabelErrors(spec: Fields, matches: (labels: Record<string, string>) => boolean): FieldError[] {
  const metadata = fieldsAt(fieldsAt(spec, 'template'), 'metadata');
  if (matches(textMapAt(metadata, 'labels'))) return [];
  const labels = isEmpty(metadata['labels']) ? null : shown(metadata['labels']);
  return [invalidField('spec.template.metadata.labels', labels, '`selector` does not match template `labels`')];
}

const templateErrors = (spec: Fields, matches: (labels: Record<string, string>) => boolean): FieldError[] => [
  ...templateLabelErrors(spec, matches),
  ...podSpecErrors(fieldsAt(fieldsAt(spec, 'template'), 'spec'), 'spec.template.spec'),
];

export const notNegative = (parent: Fields, names: readonly string[], path = 'spec'): FieldError[] =>
  names.flatMap((name) => {
    const value = numberAt(parent, name);
    return value !== undefined && value < 0
      ? [invalidField(`${path}.${name}`, value, 'must be greater than or equal to 0')]
      : [];
  });

const fixedSelector = (next: ApiObject, old: ApiObject): FieldError[] => fixed(next, old, ['selector']);

/** Fields of the spec that are set once and for all. */
export const fixed = (next: ApiObject, old: ApiObject, names: readonly string[]): FieldError[] =>
  names.flatMap((name) =>
    sameFields(specOf(next)[name], specOf(old)[name])
      ? []
      : [invalidField(`spec.${name}`, shown(specOf(next)[name]), 'field is immutable')],
  );
