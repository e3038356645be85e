import {
  type FieldError,
  forbiddenFieldError,
  invalidFieldError,
  requiredFieldError,
  unsupportedFieldError,
} from '../../../core/field-error.ts';
import type { JsonObject } from '../../../core/json.ts';
import { type Fields, fieldsAt, isFieldAbsent, numberField, shownFieldValue, textField } from '../common/fields.ts';
import {
  intOrPercentValueErrors,
  negativeValueErrors,
  dnsLabelValueErrors,
  percentValueErrors,
} from '../common/value-errors.ts';

/** Checks of the update strategies of workloads. */

/** A strategy as the server shows it in a message: its own struct. */
const rolloutStrategyStruct = (strategy: Fields): JsonObject => ({
  Type: textField(strategy, 'type'),
  RollingUpdate: (strategy['rollingUpdate'] ?? null) as null,
});

export function recreateRolloutErrors(spec: Fields): FieldError[] {
  const strategy = fieldsAt(spec, 'strategy');
  const path = 'spec.strategy.rollingUpdate';
  switch (textField(strategy, 'type')) {
    case 'Recreate':
      return isFieldAbsent(strategy['rollingUpdate'])
        ? []
        : [forbiddenFieldError(path, "may not be specified when strategy `type` is 'Recreate'")];
    case 'RollingUpdate': {
      const update = fieldsAt(strategy, 'rollingUpdate');
      const errors = [
        ...intOrPercentValueErrors(update, 'maxUnavailable', path),
        ...intOrPercentValueErrors(update, 'maxSurge', path),
      ];
      const { maxUnavailable, maxSurge } = update;
      if (errors.length === 0 && isZeroRolloutAmount(maxUnavailable) && isZeroRolloutAmount(maxSurge))
        errors.push(
          invalidFieldError(
            `${path}.maxUnavailable`,
            shownFieldValue(maxUnavailable),
            'may not be 0 when `maxSurge` is 0',
          ),
        );
      return [...errors, ...percentValueErrors(update, 'maxUnavailable', path)];
    }
    default:
      return [unsupportedFieldError('spec.strategy', rolloutStrategyStruct(strategy), ['Recreate', 'RollingUpdate'])];
  }
}

export function rolloutDeadlineErrors(spec: Fields): FieldError[] {
  const deadline = numberField(spec, 'progressDeadlineSeconds');
  if (deadline === undefined) return [];
  const errors = negativeValueErrors(spec, ['progressDeadlineSeconds'], 'spec');
  if (deadline <= (numberField(spec, 'minReadySeconds') ?? 0))
    errors.push(invalidFieldError('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds'));
  return errors;
}

export function daemonSetRolloutErrors(spec: Fields): FieldError[] {
  const strategy = fieldsAt(spec, 'updateStrategy');
  const type = textField(strategy, 'type');
  if (type === 'OnDelete') return [];
  if (type !== 'RollingUpdate')
    return [
      unsupportedFieldError('spec.updateStrategy', rolloutStrategyStruct(strategy), ['RollingUpdate', 'OnDelete']),
    ];
  const update = fieldsAt(strategy, 'rollingUpdate');
  const path = 'spec.updateStrategy.rollingUpdate';
  const errors = ['maxUnavailable', 'maxSurge'].flatMap((name) => [
    ...intOrPercentValueErrors(update, name, path),
    ...percentValueErrors(update, name, path),
  ]);
  const [unavailable, surge] = [
    !isZeroRolloutAmount(update['maxUnavailable']),
    !isZeroRolloutAmount(update['maxSurge']),
  ];
  if (unavailable && surge)
    errors.push(
      invalidFieldError(
        `${path}.maxSurge`,
        shownFieldValue(update['maxSurge']),
        'may not be set when maxUnavailable is non-zero',
      ),
    );
  if (!unavailable && !surge)
    errors.push(requiredFieldError(`${path}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'));
  return errors;
}

export function statefulSetRolloutErrors(spec: Fields): FieldError[] {
  const errors: FieldError[] = [];
  const policy = textField(spec, 'podManagementPolicy');
  if (!['OrderedReady', 'Parallel'].includes(policy))
    errors.push(invalidFieldError('spec.podManagementPolicy', policy, "must be 'OrderedReady' or 'Parallel'"));
  const strategy = fieldsAt(spec, 'updateStrategy');
  const update = fieldsAt(strategy, 'rollingUpdate');
  const type = textField(strategy, 'type');
  const path = 'spec.updateStrategy';
  if (type === 'RollingUpdate') errors.push(...negativeValueErrors(update, ['partition'], `${path}.rollingUpdate`));
  else if (type !== 'OnDelete')
    errors.push(invalidFieldError(path, rolloutStrategyStruct(strategy), "must be 'RollingUpdate' or 'OnDelete'"));
  else if (!isFieldAbsent(strategy['rollingUpdate'])) {
    const struct = { Partition: numberField(update, 'partition') ?? 0, MaxUnavailable: null };
    errors.push(invalidFieldError(`${path}.rollingUpdate`, struct, "only allowed for updateStrategy 'RollingUpdate'"));
  }
  const retention = fieldsAt(spec, 'persistentVolumeClaimRetentionPolicy');
  for (const name of ['whenDeleted', 'whenScaled']) {
    const value = textField(retention, name);
    const field = `spec.persistentVolumeClaimRetentionPolicy.${name}`;
    if (!['Retain', 'Delete'].includes(value)) errors.push(unsupportedFieldError(field, value, ['Retain', 'Delete']));
  }
  errors.push(...negativeValueErrors(fieldsAt(spec, 'ordinals'), ['start'], 'spec.ordinals'));
  const service = textField(spec, 'serviceName');
  if (service !== '') errors.push(...dnsLabelValueErrors('spec.serviceName', service));
  return errors;
}

/** Whether a number or percentage is zero. */
const isZeroRolloutAmount = (value: unknown): boolean =>
  typeof value === 'string' ? !/^\d+%$/.test(value) || Number.parseInt(value, 10) === 0 : (value ?? 0) === 0;
