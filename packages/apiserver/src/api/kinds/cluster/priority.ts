import {
  type FieldError,
  forbiddenFieldError,
  invalidFieldError,
  requiredFieldError,
  unsupportedFieldError,
} from '../../../core/field-error.ts';
import type { ApiObject } from '../../../core/kube-object.ts';
import { applyDefaultTable, type DefaultTable, defaultTableUnder } from '../common/default-table.ts';
import {
  fieldsAt,
  isFieldAbsent,
  nameField,
  numberField,
  setDefaultField,
  specFields,
  textField,
} from '../common/fields.ts';
import type { KindRules } from '../common/kind-rule.ts';

/** Priorities of pods by their class, and of requests by their level. */

const HIGHEST_PRIORITY = 1_000_000_000;

export const priorityClassRules: KindRules = {
  defaults: (object) => setDefaultField(object, 'preemptionPolicy', 'PreemptLowerPriority'),
  // It has a generation that never changes: none of its important fields can change.
  prepareCreate: (object) => void ((object.metadata ??= {}).generation = 1),
  validate(object) {
    const { name = '' } = object.metadata ?? {};
    const value = numberField(object, 'value') ?? 0;
    if (name.startsWith('system-')) return systemPriorityErrors(name, value);
    if (value <= HIGHEST_PRIORITY) return [];
    return [forbiddenFieldError('value', `maximum allowed value of a user defined priority is ${HIGHEST_PRIORITY}`)];
  },
  validateUpdate: (next, old) =>
    (next['value'] ?? 0) === (old['value'] ?? 0)
      ? []
      : [forbiddenFieldError('value', 'may not be changed in an update.')],
};

const SYSTEM_PRIORITIES: ReadonlyMap<string, number> = new Map<string, number>(
  Object.entries({
    'system-cluster-critical': 2_000_000_000,
    'system-node-critical': 2_000_001_000,
  }),
);

function systemPriorityErrors(name: string, value: number): FieldError[] {
  const wanted = SYSTEM_PRIORITIES.get(name);
  if (value === wanted) return [];
  const why =
    wanted === undefined
      ? `${name} is not a known system priority class`
      : `value of ${name} PriorityClass must be ${wanted}`;
  const reserved = "priority class names with 'system-' prefix are reserved for system use only. error:";
  return [forbiddenFieldError('metadata.name', `${reserved} ${why}`)];
}

export const priorityLevelRules: KindRules = {
  defaults(object) {
    applyDefaultTable(object, [
      ['spec.exempt.nominalConcurrencyShares', 0],
      ['spec.exempt.lendablePercent', 0],
      ['spec.limited.nominalConcurrencyShares', 30],
      ['spec.limited.lendablePercent', 0],
    ]);
    const queuing: DefaultTable = [
      ['queues', 64],
      ['handSize', 8],
      ['queueLengthLimit', 50],
    ];
    applyDefaultTable(object, defaultTableUnder('spec.limited.limitResponse.queuing', queuing), { overZero: true });
  },
  validate: priorityLevelErrors,
};

function priorityLevelErrors(object: ApiObject): FieldError[] {
  const spec = specFields(object);
  const type = textField(spec, 'type');
  if (type === '') return [requiredFieldError('spec.type')];
  if (type !== 'Exempt' && type !== 'Limited') return [unsupportedFieldError('spec.type', type, ['Exempt', 'Limited'])];
  const errors: FieldError[] = [];
  if ((type === 'Exempt') !== (nameField(object) === 'exempt'))
    errors.push(invalidFieldError('spec.type', type, "must be 'Exempt' if and only if `name` is 'exempt'"));
  const [hasLimited, hasExempt] = [!isFieldAbsent(spec['limited']), !isFieldAbsent(spec['exempt'])];
  if (type === 'Exempt') {
    if (hasLimited) errors.push(forbiddenFieldError('spec.limited', 'must be nil if the type is not Limited'));
    return errors;
  }
  if (hasExempt) errors.push(forbiddenFieldError('spec.exempt', 'must be nil if the type is Limited'));
  if (!hasLimited) return [...errors, requiredFieldError('spec.limited', 'must not be empty when type is Limited')];
  const limited = fieldsAt(spec, 'limited');
  const shares = numberField(limited, 'nominalConcurrencyShares') ?? 0;
  if (shares < 0)
    errors.push(invalidFieldError('spec.limited.nominalConcurrencyShares', shares, 'must be a non-negative integer'));
  const response = fieldsAt(limited, 'limitResponse');
  const field = 'spec.limited.limitResponse';
  const hasQueues = !isFieldAbsent(response['queuing']);
  switch (textField(response, 'type')) {
    case '':
      errors.push(requiredFieldError(`${field}.type`));
      break;
    case 'Queue':
      // kube-apiserver writes Limited although it means Queue.
      if (!hasQueues)
        errors.push(
          requiredFieldError(`${field}.queuing`, 'must not be empty if limited.limitResponse.type is Limited'),
        );
      break;
    case 'Reject':
      if (hasQueues)
        errors.push(
          forbiddenFieldError(`${field}.queuing`, 'must be nil if limited.limitResponse.type is not Limited'),
        );
      break;
    default:
      errors.push(unsupportedFieldError(`${field}.type`, textField(response, 'type'), ['Queue', 'Reject']));
  }
  return errors;
}
