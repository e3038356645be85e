import { type Fields, fieldsAt, isFieldAbsent, itemsField, textField } from '../kinds/common/fields.ts';

/** A pod, or the pod of a template, as the checks see it. */
export interface CheckedPod {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: Fields;
}

/** A check that a pod does not pass: `hostPort (container "c" uses hostPort 80)`. */
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

/** `container "a"`, `containers "a", "b"`. */
export const containersInSecurityCheck = (names: readonly string[]): string =>
  `${pluralInSecurityCheck('container', names)} ${quotedInSecurityCheck(names)}`;

/** Values in order, each once. */
export const sortedInSecurityCheck = (values: readonly string[]): string[] => [...new Set(values)].toSorted();

/** `pod and container "c"`: all that set a value which is refused. Empty if nothing does. */
export function settersInSecurityCheck(pod: CheckedPod, isBad: (parent: Fields) => boolean): string {
  const names = containersFailingSecurityCheck(pod, isBad);
  return [...(isBad(pod.spec) ? ['pod'] : []), ...(names.length > 0 ? [containersInSecurityCheck(names)] : [])].join(
    ' and ',
  );
}

/** Pods of Windows have no Linux settings, and nothing is demanded of them since v1.25. */
export const isSecurityCheckFreeOnWindows = ({ spec }: CheckedPod, version: number): boolean =>
  version >= 25 && textField(fieldsAt(spec, 'os'), 'name') === 'windows';

/** In a user namespace the root of a container is no root of the node: since v1.35. */
export const isSecurityCheckFreeInUserNamespace = ({ spec }: CheckedPod, version: number): boolean =>
  version >= 35 && spec['hostUsers'] === false;
