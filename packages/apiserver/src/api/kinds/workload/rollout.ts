import {
  type FieldError,
  forbiddenField,
  invalidField,
  requiredField,
  unsupportedField,
} from '../../../core/field-error.ts';
import type { JsonObject } from '../../../core/json.ts';
import { type Fields, fieldsAt, isAbsent, numberAt, shown, textAt } from '../common/fields.ts';
import { amountErrors, countErrors, isNoAmount, labelErrors, partErrors } from '../common/value-checks.ts';

/** Checks of the update strategies of workloads. */

/** A strategy as the server shows it in a message: its own struct. */
const structOf = (strategy: Fields): JsonObject => ({
  Type: textAt(strategy, 'type'),
  RollingUpdate: (strategy['rollingUpdate'] ?? null) as null,
});

export function deploymentStrategyErrors(spec: Fields): FieldError[] {
  const strategy = fieldsAt(spec, 'strategy');
  const path = 'spec.strategy.rollingUpdate';
  switch (textAt(strategy, 'type')) {
    case 'Recreate':
      return isAbsent(strategy['rollingUpdate'])
        ? []
        : [forbiddenField(path, "may not be specified when strategy `type` is 'Recreate'")];
    case 'RollingUpdate': {
      const update = fieldsAt(strategy, 'rollingUpdate');
      const errors = [...amountErrors(update, 'maxUnavailable', path), ...amountErrors(update, 'maxSurge', path)];
      const { maxUnavailable, maxSurge } = update;
      if (errors.length === 0 && isNoAmount(maxUnavailable) && isNoAmount(maxSurge))
        errors.push(invalidField(`${path}.maxUnavailable`, shown(maxUnavailable), 'may not be 0 when `maxSurge` is 0'));
      return [...errors, ...partErrors(update, 'maxUnavailable', path)];
    }
    default:
      return [unsupportedField('spec.strategy', structOf(strategy), ['Recreate', 'RollingUpdate'])];
  }
}

export function deadlineErrors(spec: Fields): FieldError[] {
  const deadline = numberAt(spec, 'progressDeadlineSeconds');
  if (deadline === undefined) return [];
  const errors = countErrors(spec, ['progressDeadlineSeconds'], 'spec');
  if (deadline <= (numberAt(spec, 'minReadySeconds') ?? 0))
    errors.push(invalidField('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds'));
  return errors;
}

export function daemonStrategyErrors(spec: Fields): FieldError[] {
  const strategy = fieldsAt(spec, 'updateStrategy');
  const type = textAt(strategy, 'type');
  if (type === 'OnDelete') return [];
  if (type !== 'RollingUpdate')
    return [unsupportedField('spec.updateStrategy', structOf(strategy), ['RollingUpdate', 'OnDelete'])];
  const update = fieldsAt(strategy, 'rollingUpdate');
  const path = 'spec.updateStrategy.rollingUpdate';
  const errors = ['maxUnavailable', 'maxSurge'].flatMap((name) => [
    ...amountErrors(update, name, path),
    ...partErrors(update, name, path),
  ]);
  const [unavailable, surge] = [!isNoAmount(update['maxUnavailable']), !isNoAmount(update['maxSurge'])];
  if (unavailable && surge)
    errors.push(
      invalidField(`${path}.maxSurge`, shown(update['maxSurge']), 'may not be set when maxUnavailable is non-zero'),
    );
  if (!unavailable && !surge) errors.push(requiredField(`${path}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'));
  return errors;
}

export function statefulStrategyErrors(spec: Fields): FieldError[] {
  const errors: FieldError[] = [];
  const policy = textAt(spec, 'podManagementPolicy');
  if (!['OrderedReady', 'Parallel'].includes(policy))
    errors.push(invalidField('spec.podManagementPolicy', policy, "must be 'OrderedReady' or 'Parallel'"));
  const strategy = fieldsAt(spec, 'updateStrategy');
  const update = fieldsAt(strategy, 'rollingUpdate');
  const type = textAt(strategy, 'type');
  const path = 'spec.updateStrategy';
  if (type === 'RollingUpdate') errors.push(...countErrors(update, ['partition'], `${path}.rollingUpdate`));
  else if (type !== 'OnDelete')
    errors.push(invalidField(path, structOf(strategy), "must be 'RollingUpdate' or 'OnDelete'"));
  else if (!isAbsent(strategy['rollingUpdate'])) {
    const struct = { Partition: numberAt(update, 'partition') ?? 0, MaxUnavailable: null };
    errors.push(invalidField(`${path}.rollingUpdate`, struct, "only allowed for updateStrategy 'RollingUpdate'"));
  }
  const retention = fieldsAt(spec, 'persistentVolumeClaimRetentionPolicy');
  for (const name of ['whenDeleted', 'whenScaled']) {
    const value = textAt(retention, name);
    const field = `spec.persistentVolumeClaimRetentionPolicy.${name}`;
    if (!['Retain', 'Delete'].includes(value)) errors.push(unsupportedField(field, value, ['Retain', 'Delete']));
  }
  errors.push(...countErrors(fieldsAt(spec, 'ordinals'), ['start'], 'spec.ordinals'));
  const service = textAt(spec, 'serviceName');
  if (service !== '') errors.push(...labelErrors('spec.serviceName', service));
  return errors;
}
