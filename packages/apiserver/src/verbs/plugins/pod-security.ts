import { fieldsAt, isFieldAbsent, itemsField, specFields, textField } from '../../api/kinds/common/fields.ts';
import type { CheckedPod } from '../../api/security-standards/security-check.ts';
import {
  compareSecurityPolicyLevels,
  hasSecurityLabels,
  type LevelVersion,
  securityPolicyLevelText,
  securityPolicy,
  type SecurityPolicy,
} from '../../api/security-standards/security-policy.ts';
import { violatedPolicyChecks, violatedPolicyText } from '../../api/security-standards/violated-policy.ts';
import { goQuoted } from '../../core/go/go-quoted.ts';
import type { ApiObject } from '../../core/kube-object.ts';
import { forbiddenStatusError, invalidStatusError } from '../../core/status-error.ts';
import type { PluginServer, PluginTarget } from './admission-plugin.ts';

/** Paths of pod templates in objects that create pods. */
const TEMPLATES: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['/podtemplates', ['template']],
  ...['/replicationcontrollers', 'apps/replicasets', 'apps/deployments', 'apps/statefulsets', 'apps/daemonsets', 'batch/jobs'].map(
    (resource): [string, readonly string[]] => [resource, ['spec', 'template']],
  ),
  ['batch/cronjobs', ['spec', 'jobTemplate', 'spec', 'template']],
]); // prettier-ignore

/** Subresources of a pod that can change the security of its containers. */
const CHECKED_PARTS: ReadonlySet<string> = new Set(['', 'ephemeralcontainers', 'resize']);

/** Maximum number of pods that are checked when a namespace becomes stricter. */
const MAX_PODS = 3000;

/**
 * The plugin PodSecurity: refuses pods that the labels of their namespace do not allow (403), warns about templates, and
 * validates the labels themselves (422). Runs after validation.
 */
export function admitByPodSecurity(api: PluginServer, target: PluginTarget, object: ApiObject, old?: ApiObject): void {
  const { group, resource } = target.served.resource;
  const key = `${group}/${resource}`;
  if (key === '/namespaces') {
    if (target.subresource === '') admitPodSecurityLabels(api, target, object, old);
    return;
  }
  const template = TEMPLATES.get(key);
  const isPod = key === '/pods' && CHECKED_PARTS.has(target.subresource);
  if (!isPod && (template === undefined || target.subresource !== '')) return;
  const policy = podSecurityOfNamespace(api, object.metadata?.namespace ?? '');
  if (policy === undefined) return;
  if (template !== undefined) {
    const pod = template.reduce(fieldsAt, object as Record<string, unknown>);
    if (Object.keys(pod).length > 0) warnAboutPodSecurity(target, policy.warn, podOfPodSecurity(pod));
  } else if (old === undefined || hasOtherImagesForPodSecurity(object, old)) {
    const pod = podOfPodSecurity(object);
    const violations = violatedPolicyChecks(pod, policy.enforce);
    if (violations.length > 0)
      throw forbiddenStatusError(
        target.served.resource,
        object.metadata?.name ?? '',
        `violates PodSecurity ${goQuoted(securityPolicyLevelText(policy.enforce))}: ${violatedPolicyText(violations)}`,
      );
    warnAboutPodSecurity(target, policy.warn, pod);
  }
}

const podOfPodSecurity = (pod: ApiObject): CheckedPod => ({
  annotations: pod.metadata?.annotations ?? {},
  spec: specFields(pod),
});

function warnAboutPodSecurity({ warn }: PluginTarget, level: LevelVersion, pod: CheckedPod): void {
  const violations = violatedPolicyChecks(pod, level);
  if (violations.length > 0)
    warn(`would violate PodSecurity ${goQuoted(securityPolicyLevelText(level))}: ${violatedPolicyText(violations)}`);
}

function podSecurityOfNamespace({ registry }: PluginServer, name: string): SecurityPolicy | undefined {
  const namespaces = registry.find('', 'v1', 'namespaces');
  const record = namespaces?.collection.get('', name);
  if (namespaces === undefined || record === undefined) return undefined;
  const labels = namespaces.collection.object(record).metadata?.labels ?? {};
  return hasSecurityLabels(labels) ? securityPolicy(labels) : undefined;
}

/** Whether images differ: besides new containers, only they can change a stored pod. */
function hasOtherImagesForPodSecurity(pod: ApiObject, old: ApiObject): boolean {
  const images = (object: ApiObject, list: string): string =>
    itemsField(specFields(object), list)
      .map((container) => textField(container, 'image'))
      .join(' ');
  if (['containers', 'initContainers'].some((list) => images(pod, list) !== images(old, list))) return true;
  const before = new Map(
    itemsField(specFields(old), 'ephemeralContainers').map((one) => [textField(one, 'name'), textField(one, 'image')]),
  );
  return itemsField(specFields(pod), 'ephemeralContainers').some(
    (one) => before.get(textField(one, 'name')) !== textField(one, 'image'),
  );
}

function admitPodSecurityLabels(api: PluginServer, target: PluginTarget, namespace: ApiObject, old?: ApiObject): void {
  const [labels, before] = [namespace.metadata?.labels ?? {}, old?.metadata?.labels ?? {}];
  if (!hasSecurityLabels(labels)) return;
  const { enforce, errors } = securityPolicy(labels);
  const last = securityPolicy(before);
  const name = namespace.metadata?.name ?? '';
  if (errors.length > 0 && (old === undefined || JSON.stringify(errors) !== JSON.stringify(last.errors)))
    throw invalidStatusError({ group: '', kind: 'Namespace' }, name, errors);
  if (old === undefined || enforce.level === 'privileged') return;
  if (enforce.version === last.enforce.version && compareSecurityPolicyLevels(enforce.level, last.enforce.level) <= 0)
    return;
  for (const text of podSecurityWarnings(api, name, enforce)) target.warn(text);
}

/** Warnings about existing pods of a namespace that its new level would refuse. */
function podSecurityWarnings({ registry }: PluginServer, namespace: string, level: LevelVersion): string[] {
  const served = registry.find('', 'v1', 'pods');
  const pods = (served?.collection.current() ?? [])
    .filter((record) => record.namespace === namespace)
    .flatMap((record) => (served === undefined ? [] : [served.collection.object(record)]));
  const checked = podSecuritySample(pods).slice(0, MAX_PODS);
  const byReasons = new Map<string, string[]>();
  for (const pod of checked) {
    const reasons = violatedPolicyChecks(podOfPodSecurity(pod), level)
      .map(({ reason }) => reason)
      .join(', ');
    if (reasons !== '') byReasons.set(reasons, [...(byReasons.get(reasons) ?? []), pod.metadata?.name ?? '']);
  }
  const lines = [...byReasons].map(([reasons, names]) => `${podSecurityNames(names)}: ${reasons}`).toSorted();
  const [shown, all] = [checked.length, pods.length];
  return [
    ...(shown < all ? [`new PodSecurity enforce level only checked against the first ${shown} of ${all} existing pods`] : []),
    ...(lines.length > 0
      ? [`existing pods in namespace ${goQuoted(namespace)} violate the new PodSecurity enforce level ${goQuoted(securityPolicyLevelText(level))}`]
      : []),
    ...lines,
  ];
} // prettier-ignore

/** Pods in the order to check: pods of one controller are alike, so the first of each comes first. */
function podSecuritySample(pods: readonly ApiObject[]): ApiObject[] {
  const seen = new Set<string>();
  const [first, others]: [ApiObject[], ApiObject[]] = [[], []];
  for (const pod of pods) {
    const controller = pod.metadata?.ownerReferences?.find((owner) => owner.controller === true)?.uid;
    if (isFieldAbsent(controller) || !seen.has(controller as string)) first.push(pod);
    else others.push(pod);
    if (controller !== undefined) seen.add(controller);
  }
  return [...first, ...others];
}

/** Names for a message: `a (and 2 other pods)` */
function podSecurityNames(names: readonly string[]): string {
  const others = names.length - 1;
  const more = others === 0 ? '' : others === 1 ? ' (and 1 other pod)' : ` (and ${others} other pods)`;
  return `${names.toSorted()[0]}${more}`;
}
