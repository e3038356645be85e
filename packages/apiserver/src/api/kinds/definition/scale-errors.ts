import { type FieldError, invalidFieldError } from '../../../core/field-error.ts';
import { goText, goTypeText } from '../../../core/go/text.ts';
import { isJson, type Json } from '../../../core/json.ts';
import type { ApiObject } from '../../../core/kube-object.ts';
import type { ScalePaths } from '../common/kind-rule.ts';

const MAX_REPLICAS = 2 ** 31 - 1;

/**
 * Errors of the fields of a custom resource that its Scale shows, regardless of the schema. A write to
 * `status` is not refused because of the spec.
 */
export function scaleErrors(object: ApiObject, scale: ScalePaths, part: 'all' | 'status'): FieldError[] {
  return [
    ...(part === 'all' ? scaleReplicaErrors(object, scale.specReplicas) : []),
    ...scaleReplicaErrors(object, scale.statusReplicas),
    ...scaleSelectorErrors(object, scale.labelSelector),
  ];
}

function scaleReplicaErrors(object: ApiObject, path: string): FieldError[] {
  const { value, fault } = scaleErrorsField(object, path, 'int64');
  if (fault !== undefined) return [invalidFieldError(path, 0, fault)];
  const replicas = (value ?? 0) as number;
  if (replicas < 0) return [invalidFieldError(path, replicas, 'should be a non-negative integer')];
  return replicas > MAX_REPLICAS
    ? [invalidFieldError(path, replicas, `should be less than or equal to ${MAX_REPLICAS}`)]
    : [];
}

function scaleSelectorErrors(object: ApiObject, path: string | undefined): FieldError[] {
  const { fault } = path === undefined ? {} : scaleErrorsField(object, path, 'string');
  return fault === undefined ? [] : [invalidFieldError(path as string, '', fault)];
}

/** The value at a path, or why it cannot be read, as worded by the real server. */
function scaleErrorsField(
  object: ApiObject,
  path: string,
  type: 'int64' | 'string',
): { readonly value?: Json; readonly fault?: string } {
  const fields = path.replace(/^\./, '').split('.');
  let value = object as Json;
  for (const [index, field] of fields.entries()) {
    if (value === null) return {};
    if (!isJson(value)) return { fault: scaleErrorsFault(fields.slice(0, index + 1), value, 'map[string]interface{}') };
    if (!Object.hasOwn(value, field)) return {};
    value = value[field] as Json;
  }
  return value !== null && goTypeText(value) === type ? { value } : { fault: scaleErrorsFault(fields, value, type) };
}

const scaleErrorsFault = (fields: readonly string[], value: Json, type: string): string =>
  `.${fields.join('.')} accessor error: ${goText(value)} is of the type ${value === null ? '<nil>' : goTypeText(value)}, expected ${type}`;
