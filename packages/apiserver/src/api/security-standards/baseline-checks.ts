import { type Fields, fieldsAt, isFieldAbsent, itemsField, textField, textsField } from '../kinds/common/fields.ts';
import { goQuoted } from '../../core/go/go-quoted.ts';
import {
  containersFailingSecurityCheck,
  securityCheckContainers,
  type CheckedPod,
  containersInSecurityCheck,
  isSecurityCheckFreeInUserNamespace,
  isSecuritySet,
  pluralInSecurityCheck,
  quotedInSecurityCheck,
  type SecurityCheck,
  securityCheckContext,
  settersInSecurityCheck,
  sortedInSecurityCheck,
  type Violation,
} from './security-check.ts';

const CAPABILITIES: ReadonlySet<string> = new Set([
  'AUDIT_WRITE', 'CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'MKNOD', 'NET_BIND_SERVICE', 'SETFCAP', 'SETGID', 'SETPCAP',
  'SETUID', 'SYS_CHROOT',
]); // prettier-ignore

/** Kernel parameters that a pod may set, by the version that allowed them. */
const SYSCTLS: ReadonlyMap<string, number> = new Map<string, number>([
  ['kernel.shm_rmid_forced', 0], ['net.ipv4.ip_local_port_range', 0], ['net.ipv4.tcp_syncookies', 0],
  ['net.ipv4.ping_group_range', 0], ['net.ipv4.ip_unprivileged_port_start', 0], ['net.ipv4.ip_local_reserved_ports', 27],
  ['net.ipv4.tcp_keepalive_time', 29], ['net.ipv4.tcp_fin_timeout', 29], ['net.ipv4.tcp_keepalive_intvl', 29],
  ['net.ipv4.tcp_keepalive_probes', 29], ['net.ipv4.tcp_rmem', 32], ['net.ipv4.tcp_wmem', 32],
]); // prettier-ignore

/** Types of SELinux, by the version that allowed them. */
const SELINUX_TYPES: ReadonlyMap<string, number> = new Map<string, number>([
  ['', 0], ['container_t', 0], ['container_init_t', 0], ['container_kvm_t', 0], ['container_engine_t', 31],
]); // prettier-ignore

/** Whether a version allows a value: `since` is the first that did, undefined if none does. */
const isAllowedByBaselineCheck = (version: number, since: number | undefined): boolean =>
  since !== undefined && since <= version;

const PROFILES: ReadonlySet<string> = new Set(['RuntimeDefault', 'Localhost']);

const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/';
const SECCOMP_POD = 'seccomp.security.alpha.kubernetes.io/pod';
const SECCOMP_CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/';

/** The checks of the level `baseline`, in the order of messages. */
export const BASELINE_CHECKS: readonly SecurityCheck[] = [
  { id: 'appArmorProfile', since: 0, check: appArmorBaselineCheck },
  { id: 'capabilities_baseline', since: 0, check: addedCapabilityBaselineCheck },
  { id: 'hostNamespaces', since: 0, check: hostNamespaceBaselineCheck },
  { id: 'hostPathVolumes', since: 0, check: hostPathBaselineCheck },
  { id: 'hostPorts', since: 0, check: hostPortBaselineCheck },
  { id: 'hostProbesAndHostLifecycle', since: 34, check: probeHostBaselineCheck },
  { id: 'privileged', since: 0, check: privilegedBaselineCheck },
  {
    id: 'procMount',
    since: 0,
    check: (pod, version) =>
      isSecurityCheckFreeInUserNamespace(pod, version) ? undefined : procMountBaselineCheck(pod),
  },
  { id: 'seLinuxOptions', since: 0, check: seLinuxBaselineCheck },
  { id: 'seccompProfile_baseline', since: 0, check: seccompBaselineCheck },
  { id: 'sysctls', since: 0, check: sysctlBaselineCheck },
  { id: 'windowsHostProcess', since: 0, check: hostProcessBaselineCheck },
];

function appArmorBaselineCheck(pod: CheckedPod): Violation | undefined {
  const isBad = (parent: Fields): boolean =>
    isSecuritySet(parent, 'appArmorProfile') && !PROFILES.has(profileOfBaselineCheck(parent, 'appArmorProfile'));
  const setters = settersInSecurityCheck(pod, isBad);
  const annotations = Object.entries(pod.annotations)
    .filter(([key, value]) => key.startsWith(APP_ARMOR) && !/^(?:$|runtime\/default$|localhost\/)/.test(value))
    .map(([key, value]) => `${key}=${goQuoted(value)}`)
    .toSorted();
  const values = [...badProfilesOfBaselineCheck(pod, 'appArmorProfile', isBad), ...annotations];
  if (values.length === 0) return undefined;
  const all = [...(setters === '' ? [] : [setters]), ...(annotations.length > 0 ? [pluralInSecurityCheck('annotation', annotations)] : [])];
  return {
    reason: pluralInSecurityCheck('forbidden AppArmor profile', values),
    detail: `${all.join(' and ')} must not set AppArmor profile type to ${quotedInSecurityCheck(values)}`,
  };
} // prettier-ignore

const profileOfBaselineCheck = (parent: Fields, field: string): string =>
  textField(fieldsAt(securityCheckContext(parent), field), 'type');

const badProfilesOfBaselineCheck = (pod: CheckedPod, field: string, isBad: (parent: Fields) => boolean): string[] =>
  sortedInSecurityCheck(
    [pod.spec, ...securityCheckContainers(pod)].filter(isBad).map((parent) => profileOfBaselineCheck(parent, field)),
  );

function addedCapabilityBaselineCheck(pod: CheckedPod): Violation | undefined {
  const added = (container: Fields): string[] =>
    textsField(fieldsAt(securityCheckContext(container), 'capabilities'), 'add').filter(
      (name) => !CAPABILITIES.has(name),
    );
  const names = containersFailingSecurityCheck(pod, (container) => added(container).length > 0);
  if (names.length === 0) return undefined;
  const all = quotedInSecurityCheck(sortedInSecurityCheck(securityCheckContainers(pod).flatMap(added)));
  return {
    reason: 'non-default capabilities',
    detail: `${containersInSecurityCheck(names)} must not include ${all} in securityContext.capabilities.add`,
  };
}

function hostNamespaceBaselineCheck({ spec }: CheckedPod): Violation | undefined {
  const shared = ['hostNetwork', 'hostPID', 'hostIPC'].filter((name) => spec[name] === true);
  return shared.length === 0
    ? undefined
    : { reason: 'host namespaces', detail: shared.map((name) => `${name}=true`).join(', ') };
}

function hostPathBaselineCheck({ spec }: CheckedPod): Violation | undefined {
  const names = itemsField(spec, 'volumes')
    .filter((volume) => !isFieldAbsent(volume['hostPath']))
    .map((volume) => textField(volume, 'name'));
  return names.length === 0
    ? undefined
    : {
        reason: 'hostPath volumes',
        detail: `${pluralInSecurityCheck('volume', names)} ${quotedInSecurityCheck(names)}`,
      };
}

function hostPortBaselineCheck(pod: CheckedPod): Violation | undefined {
  const portsOf = (container: Fields): string[] =>
    itemsField(container, 'ports').flatMap(({ hostPort }) => (hostPort ? [String(hostPort as number)] : []));
  const names = containersFailingSecurityCheck(pod, (container) => portsOf(container).length > 0);
  if (names.length === 0) return undefined;
  const ports = sortedInSecurityCheck(securityCheckContainers(pod).flatMap(portsOf));
  const verb = names.length === 1 ? 'uses' : 'use';
  return {
    reason: 'hostPort',
    detail: `${containersInSecurityCheck(names)} ${verb} ${pluralInSecurityCheck('hostPort', ports)} ${ports.join(', ')}`,
  };
}

function probeHostBaselineCheck(pod: CheckedPod): Violation | undefined {
  const hostsOf = (container: Fields): string[] =>
    [
      ...['livenessProbe', 'readinessProbe', 'startupProbe'].map((name) => fieldsAt(container, name)),
      ...['postStart', 'preStop'].map((name) => fieldsAt(fieldsAt(container, 'lifecycle'), name)),
    ]
      .flatMap((handler) => ['httpGet', 'tcpSocket'].map((action) => textField(fieldsAt(handler, action), 'host')))
      .filter((host) => host !== '');
  const names = sortedInSecurityCheck(
    containersFailingSecurityCheck(pod, (container) => hostsOf(container).length > 0),
  );
  if (names.length === 0) return undefined;
  const hosts = sortedInSecurityCheck(securityCheckContainers(pod).flatMap(hostsOf));
  const verb = names.length === 1 ? 'uses' : 'use';
  return {
    reason: 'probe or lifecycle host',
    detail: `${containersInSecurityCheck(names)} ${verb} ${pluralInSecurityCheck('probe or lifecycle host', hosts)} ${quotedInSecurityCheck(hosts)}`,
  };
}

function privilegedBaselineCheck(pod: CheckedPod): Violation | undefined {
  const names = containersFailingSecurityCheck(
    pod,
    (container) => securityCheckContext(container)['privileged'] === true,
  );
  return names.length === 0
    ? undefined
    : {
        reason: 'privileged',
        detail: `${containersInSecurityCheck(names)} must not set securityContext.privileged=true`,
      };
}

export function procMountBaselineCheck(pod: CheckedPod): Violation | undefined {
  const mount = (container: Fields): string => textField(securityCheckContext(container), 'procMount');
  const isBad = (container: Fields): boolean => !['', 'Default'].includes(mount(container));
  const names = containersFailingSecurityCheck(pod, isBad);
  if (names.length === 0) return undefined;
  const values = quotedInSecurityCheck(sortedInSecurityCheck(securityCheckContainers(pod).filter(isBad).map(mount)));
  return {
    reason: 'procMount',
    detail: `${containersInSecurityCheck(names)} must not set securityContext.procMount to ${values}`,
  };
}

function seLinuxBaselineCheck(pod: CheckedPod, version: number): Violation | undefined {
  const options = (parent: Fields): Fields => fieldsAt(securityCheckContext(parent), 'seLinuxOptions');
  const isBadType = (type: string): boolean => !isAllowedByBaselineCheck(version, SELINUX_TYPES.get(type));
  const has = (parent: Fields, field: string): boolean => textField(options(parent), field) !== '';
  const isBad = (parent: Fields): boolean =>
    isBadType(textField(options(parent), 'type')) || has(parent, 'user') || has(parent, 'role');
  const setters = settersInSecurityCheck(pod, isBad);
  if (setters === '') return undefined;
  const bad = [pod.spec, ...securityCheckContainers(pod)].filter(isBad);
  const types = sortedInSecurityCheck(bad.map((parent) => textField(options(parent), 'type')).filter(isBadType));
  const faults = [
    ...(types.length > 0 ? [`${pluralInSecurityCheck('type', types)} ${quotedInSecurityCheck(types)}`] : []),
    ...['user', 'role'].filter((field) => bad.some((one) => has(one, field))).map((field) => `${field} may not be set`),
  ];
  return {
    reason: 'seLinuxOptions',
    detail: `${setters} set forbidden securityContext.seLinuxOptions: ${faults.join('; ')}`,
  };
}

/** Checks seccomp. Before v1.19, profiles were annotations. */
function seccompBaselineCheck(pod: CheckedPod, version: number): Violation | undefined {
  return version < 19 ? seccompAnnotationBaselineCheck(pod) : seccompProfileBaselineCheck(pod);
}

/** Checks for named profiles that are not allowed; used by both levels. */
export function seccompProfileBaselineCheck(pod: CheckedPod): Violation | undefined {
  const isBad = (parent: Fields): boolean =>
    isSecuritySet(parent, 'seccompProfile') && !passesSeccompBaselineCheck(parent);
  const setters = settersInSecurityCheck(pod, isBad);
  if (setters === '') return undefined;
  const values = quotedInSecurityCheck(badProfilesOfBaselineCheck(pod, 'seccompProfile', isBad));
  return {
    reason: 'seccompProfile',
    detail: `${setters} must not set securityContext.seccompProfile.type to ${values}`,
  };
}

export const passesSeccompBaselineCheck = (parent: Fields): boolean =>
  PROFILES.has(profileOfBaselineCheck(parent, 'seccompProfile'));

function seccompAnnotationBaselineCheck(pod: CheckedPod): Violation | undefined {
  const keys = [
    SECCOMP_POD,
    ...securityCheckContainers(pod).map((container) => `${SECCOMP_CONTAINER}${textField(container, 'name')}`),
  ];
  const bad = sortedInSecurityCheck(
    keys.flatMap((key) => {
      const value = pod.annotations[key];
      return value === undefined || /^(?:runtime\/default$|docker\/default$|localhost\/)/.test(value)
        ? []
        : [`${key}=${goQuoted(value)}`];
    }),
  );
  return bad.length === 0
    ? undefined
    : { reason: 'seccompProfile', detail: `forbidden ${pluralInSecurityCheck('annotation', bad)} ${bad.join(', ')}` };
}

function sysctlBaselineCheck({ spec }: CheckedPod, version: number): Violation | undefined {
  const names = itemsField(securityCheckContext(spec), 'sysctls')
    .map((sysctl) => textField(sysctl, 'name'))
    .filter((name) => !isAllowedByBaselineCheck(version, SYSCTLS.get(name)));
  return names.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: names.join(', ') };
}

function hostProcessBaselineCheck(pod: CheckedPod): Violation | undefined {
  const setters = settersInSecurityCheck(
    pod,
    (parent) => fieldsAt(securityCheckContext(parent), 'windowsOptions')['hostProcess'] === true,
  );
  return setters === ''
    ? undefined
    : { reason: 'hostProcess', detail: `${setters} must not set securityContext.windowsOptions.hostProcess=true` };
}
