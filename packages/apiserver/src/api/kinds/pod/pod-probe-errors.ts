import {
  type FieldError,
  forbiddenFieldError,
  invalidFieldError,
  requiredFieldError,
} from '../../../core/field-error.ts';
import { type Fields, fieldsAt, isFieldAbsent, numberField, textsField } from '../common/fields.ts';
import { negativeValueErrors, portValueErrors } from '../common/value-errors.ts';

/** Rules of probes and lifecycle hooks of a container. */

const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;
const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc'] as const;
const HOOK_HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'sleep'] as const;
const COUNTS = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'];

export function podProbeErrors(container: Fields, path: string): FieldError[] {
  return PROBES.flatMap((name) => {
    if (isFieldAbsent(container[name])) return [];
    const probe = fieldsAt(container, name);
    const field = `${path}.${name}`;
    const errors = [...podProbeHandlerErrors(probe, HANDLERS, field), ...negativeValueErrors(probe, COUNTS, field)];
    const threshold = numberField(probe, 'successThreshold') ?? 1;
    if (name !== 'readinessProbe' && threshold > 1)
      errors.push(invalidFieldError(`${field}.successThreshold`, threshold, 'must be 1'));
    const grace = numberField(probe, 'terminationGracePeriodSeconds');
    if (name === 'readinessProbe' && grace !== undefined)
      errors.push(
        invalidFieldError(`${field}.terminationGracePeriodSeconds`, grace, 'must not be set for readinessProbes'),
      );
    return errors;
  });
}

export function podProbeErrorsOfLifecycleHook(container: Fields, path: string): FieldError[] {
  const hooks = fieldsAt(container, 'lifecycle');
  return ['postStart', 'preStop'].flatMap((name) =>
    isFieldAbsent(hooks[name])
      ? []
      : podProbeHandlerErrors(fieldsAt(hooks, name), HOOK_HANDLERS, `${path}.lifecycle.${name}`),
  );
}

function podProbeHandlerErrors(parent: Fields, handlers: readonly string[], path: string): FieldError[] {
  const [first, ...others] = handlers.filter((name) => !isFieldAbsent(parent[name]));
  if (first === undefined) return [requiredFieldError(path, 'must specify a handler type')];
  const handler = fieldsAt(parent, first);
  const errors: FieldError[] = [];
  if (first === 'exec' && textsField(handler, 'command').length === 0)
    errors.push(requiredFieldError(`${path}.exec.command`));
  if (['httpGet', 'tcpSocket', 'grpc'].includes(first))
    errors.push(...portValueErrors(`${path}.${first}.port`, handler['port']));
  const tooMany = others.map((name) =>
    forbiddenFieldError(`${path}.${name}`, 'may not specify more than 1 handler type'),
  );
  return [...errors, ...tooMany];
}
