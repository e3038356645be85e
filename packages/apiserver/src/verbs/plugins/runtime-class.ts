import {
  type Fields,
  fieldsAt,
  isFieldAbsent,
  isFieldEmpty,
  itemsField,
  numberField,
  sameFields,
  specFields,
  textField,
  textMapField,
} from '../../api/kinds/common/fields.ts';
import { compareQuantities } from '../../api/kinds/common/quantity.ts';
import type { ApiObject } from '../../core/kube-object.ts';
import { forbiddenStatusError, type StatusError } from '../../core/status-error.ts';
import type { PluginServer, PluginTarget } from './admission-plugin.ts';

/** Adds the overhead and the scheduling constraints of the RuntimeClass to a pod that names one. Throws 403. */
export function admitByRuntimeClass({ registry }: PluginServer, { served }: PluginTarget, pod: ApiObject): void {
  const spec = specFields(pod);
  const refuse = (why: string): StatusError => forbiddenStatusError(served.resource, pod.metadata?.name ?? '', why);
  const name = textField(spec, 'runtimeClassName');
  const classes = registry.find('node.k8s.io', 'v1', 'runtimeclasses');
  const record = name === '' ? undefined : classes?.collection.get('', name);
  if (name !== '' && record === undefined) throw refuse(`pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
  const found: Fields = record === undefined ? {} : (classes?.object(record) ?? {});
  const fault = takeRuntimeClassOverhead(spec, found) ?? takeRuntimeClassScheduling(spec, found);
  if (fault !== undefined) throw refuse(fault);
}

/** Sets the overhead. Returns the reason if the pod's own is refused. */
function takeRuntimeClassOverhead(spec: Fields, found: Fields): string | undefined {
  const given = fieldsAt(spec, 'overhead');
  const fixed = fieldsAt(fieldsAt(found, 'overhead'), 'podFixed');
  if (isFieldAbsent(found['overhead']))
    return isFieldEmpty(spec['overhead'])
      ? undefined
      : 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead';
  if (!isFieldEmpty(spec['overhead']) && !isSameRuntimeClassOverhead(given, fixed))
    return "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
  spec['overhead'] = { ...fixed };
  return undefined;
}

const isSameRuntimeClassOverhead = (a: Fields, b: Fields): boolean =>
  Object.keys(a).length === Object.keys(b).length &&
  Object.keys(a).every((name) => name in b && compareQuantities(textField(a, name), textField(b, name)) === 0);

/** Adds the node selector and the tolerations. Returns the reason if the pod's own selector is refused. */
function takeRuntimeClassScheduling(spec: Fields, found: Fields): string | undefined {
  const scheduling = fieldsAt(found, 'scheduling');
  if (isFieldAbsent(found['scheduling'])) return undefined;
  const own = textMapField(spec, 'nodeSelector');
  for (const [key, value] of Object.entries(textMapField(scheduling, 'nodeSelector')))
    if ((own[key] ?? value) !== value)
      return `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own[key]}`;
  const selector = { ...own, ...textMapField(scheduling, 'nodeSelector') };
  if (Object.keys(selector).length > 0) spec['nodeSelector'] = selector;
  spec['tolerations'] = mergedRuntimeClassTolerations([
    ...itemsField(spec, 'tolerations'),
    ...itemsField(scheduling, 'tolerations'),
  ]);
  return undefined;
}

/** Tolerations without those that others include. */
function mergedRuntimeClassTolerations(all: readonly Fields[]): Fields[] {
  const merged: Fields[] = [];
  for (const [index, one] of all.entries()) {
    const isIncluded =
      merged.some((other) => includesRuntimeClassToleration(other, one)) ||
      all.slice(index + 1).some((other) => !sameFields(other, one) && includesRuntimeClassToleration(other, one));
    if (!isIncluded) merged.push(one);
  }
  return merged;
}

/** Whether `wide` tolerates everything that `narrow` tolerates. */
function includesRuntimeClassToleration(wide: Fields, narrow: Fields): boolean {
  if (sameFields(wide, narrow)) return true;
  const operator = textField(wide, 'operator') || 'Equal';
  const [key, effect] = [textField(wide, 'key'), textField(wide, 'effect')];
  if (key !== textField(narrow, 'key') && (key !== '' || operator !== 'Exists')) return false;
  if (effect !== '' && effect !== textField(narrow, 'effect')) return false;
  const seconds = numberField(wide, 'tolerationSeconds');
  if (effect === 'NoExecute' && seconds !== undefined)
    if ((numberField(narrow, 'tolerationSeconds') ?? Infinity) > seconds) return false;
  if (operator === 'Exists') return true;
  return textField(narrow, 'operator') === 'Equal' && textField(narrow, 'value') === textField(wide, 'value');
}
