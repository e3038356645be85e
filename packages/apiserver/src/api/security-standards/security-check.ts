import { type Fields, fieldsAt, isFieldAbsent, itemsField, textField } from '../kinds/common/fields.ts';

/** A pod, or a pod template, in the form that checks use. */
export interface CheckedPod {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: Fields;
}

/** A failed check of a pod: `hostPort (container "c" uses hostPort 80)`. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

/** One check of the Pod Security Standards. Versions are minor ones: 25 is v1.25. */
export interface SecurityCheck {
  readonly id: string;
  readonly since: number;
  /** The check of the lower level that this one replaces. */
  readonly overrides?: string;
  check(pod: CheckedPod, version: number): Violation | undefined;
}

/** Every container of a pod, in the order of the real server's messages. */
export const securityCheckContainers = ({ spec }: CheckedPod): Fields[] =>
  ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) => itemsField(spec, list));

/** Names of the containers that do not pass. */
export const containersFailingSecurityCheck = (pod: CheckedPod, isBad: (container: Fields) => boolean): string[] =>
  securityCheckContainers(pod)
    .filter(isBad)
    .map((container) => textField(container, 'name'));

export const securityCheckContext = (parent: Fields): Fields => fieldsAt(parent, 'securityContext');

/** Whether a field of a security context is set at all. */
export const isSecuritySet = (parent: Fields, field: string): boolean =>
  !isFieldAbsent(securityCheckContext(parent)[field]);

export const quotedInSecurityCheck = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');

export const pluralInSecurityCheck = (singular: string, names: readonly unknown[]): string =>
  names.length === 1 ? singular : `${singular}s`;

/** Names of containers in a message: `container "a"`, `containers "a", "b"`. */
export const containersInSecurityCheck = (names: readonly string[]): string =>
  `${pluralInSecurityCheck('container', names)} ${quotedInSecurityCheck(names)}`;

/** Sorted values without duplicates. */
export const sortedInSecurityCheck = (values: readonly string[]): string[] => [...new Set(values)].toSorted();

/** `pod and container "c"`: everything that sets a refused value. Empty if nothing does. */
export function settersInSecurityCheck(pod: CheckedPod, isBad: (parent: Fields) => boolean): string {
  const names = containersFailingSecurityCheck(pod, isBad);
  return [...(isBad(pod.spec) ? ['pod'] : []), ...(names.length > 0 ? [containersInSecurityCheck(names)] : [])].join(
    ' and ',
  );
}

/** Whether a pod is exempt as a Windows pod: it has no Linux settings, and nothing is required of it since v1.25. */
export const isSecurityCheckFreeOnWindows = ({ spec }: CheckedPod, version: number): boolean =>
  version >= 25 && textField(fieldsAt(spec, 'os'), 'name') === 'windows';

/** Whether a pod is exempt because it uses a user namespace, in which root is not root on the node: since v1.35. */
export const isSecurityCheckFreeInUserNamespace = ({ spec }: CheckedPod, version: number): boolean =>
  version >= 35 && spec['hostUsers'] === false;
