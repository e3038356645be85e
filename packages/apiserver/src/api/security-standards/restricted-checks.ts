import { type Fields, fieldsAt, isFieldAbsent, itemsField, textField, textsField } from '../kinds/common/fields.ts';
import { seccompProfileBaselineCheck, passesSeccompBaselineCheck, procMountBaselineCheck } from './baseline-checks.ts';
import {
  containersFailingSecurityCheck,
  securityCheckContainers,
  type CheckedPod,
  containersInSecurityCheck,
  isSecurityCheckFreeInUserNamespace,
  isSecurityCheckFreeOnWindows,
  isSecuritySet,
  pluralInSecurityCheck,
  quotedInSecurityCheck,
  type SecurityCheck,
  securityCheckContext,
  settersInSecurityCheck,
  sortedInSecurityCheck,
  type Violation,
} from './security-check.ts';

/** Types of volumes that the level allows. */
const VOLUMES = [
  'configMap', 'csi', 'downwardAPI', 'emptyDir', 'ephemeral', 'image', 'persistentVolumeClaim', 'projected', 'secret',
]; // prettier-ignore

/** Types of volumes that messages name. */
const OTHER_VOLUMES = [
  'hostPath', 'gcePersistentDisk', 'awsElasticBlockStore', 'gitRepo', 'nfs', 'iscsi', 'glusterfs', 'rbd', 'flexVolume', 'cinder', 'cephfs',
  'flocker', 'fc', 'azureFile', 'vsphereVolume', 'quobyte', 'azureDisk', 'photonPersistentDisk', 'portworxVolume', 'scaleIO', 'storageos',
]; // prettier-ignore

/** The checks that the level `restricted` adds, in the order of messages. */
export const RESTRICTED_CHECKS: readonly SecurityCheck[] = [
  { id: 'allowPrivilegeEscalation', since: 8, check: escalationRestrictedCheck },
  { id: 'capabilities_restricted', since: 22, overrides: 'capabilities_baseline', check: capabilityRestrictedCheck },
  { id: 'procMount_restricted', since: 35, overrides: 'procMount', check: procMountBaselineCheck },
  { id: 'restrictedVolumes', since: 0, overrides: 'hostPathVolumes', check: volumeTypeRestrictedCheck },
  { id: 'runAsNonRoot', since: 0, check: nonRootRestrictedCheck },
  { id: 'runAsUser', since: 23, check: rootUserRestrictedCheck },
  {
    id: 'seccompProfile_restricted',
    since: 19,
    overrides: 'seccompProfile_baseline',
    check: missingSeccompRestrictedCheck,
  },
];

function escalationRestrictedCheck(pod: CheckedPod, version: number): Violation | undefined {
  if (isSecurityCheckFreeOnWindows(pod, version)) return undefined;
  const names = containersFailingSecurityCheck(
    pod,
    (container) => securityCheckContext(container)['allowPrivilegeEscalation'] !== false,
  );
  return names.length === 0
    ? undefined
    : {
        reason: 'allowPrivilegeEscalation != false',
        detail: `${containersInSecurityCheck(names)} must set securityContext.allowPrivilegeEscalation=false`,
      };
}

function capabilityRestrictedCheck(pod: CheckedPod, version: number): Violation | undefined {
  if (isSecurityCheckFreeOnWindows(pod, version)) return undefined;
  const capabilities = (container: Fields): Fields => fieldsAt(securityCheckContext(container), 'capabilities');
  const added = (container: Fields): string[] =>
    textsField(capabilities(container), 'add').filter((name) => name !== 'NET_BIND_SERVICE');
  const keeping = containersFailingSecurityCheck(
    pod,
    (container) => !textsField(capabilities(container), 'drop').includes('ALL'),
  );
  const adding = containersFailingSecurityCheck(pod, (container) => added(container).length > 0);
  const all = quotedInSecurityCheck(sortedInSecurityCheck(securityCheckContainers(pod).flatMap(added)));
  const details = [
    ...(keeping.length > 0
      ? [`${containersInSecurityCheck(keeping)} must set securityContext.capabilities.drop=["ALL"]`]
      : []),
    ...(adding.length > 0
      ? [`${containersInSecurityCheck(adding)} must not include ${all} in securityContext.capabilities.add`]
      : []),
  ];
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') };
}

function volumeTypeRestrictedCheck({ spec }: CheckedPod): Violation | undefined {
  const has = (volume: Fields, type: string): boolean => !isFieldAbsent(volume[type]);
  const bad = itemsField(spec, 'volumes').filter((volume) => !VOLUMES.some((type) => has(volume, type)));
  if (bad.length === 0) return undefined;
  const types = sortedInSecurityCheck(
    bad.map((volume) => OTHER_VOLUMES.find((type) => has(volume, type)) ?? 'unknown'),
  );
  const names = quotedInSecurityCheck(bad.map((volume) => textField(volume, 'name')));
  const verb = bad.length === 1 ? 'uses' : 'use';
  return {
    reason: 'restricted volume types',
    detail: `${pluralInSecurityCheck('volume', bad)} ${names} ${verb} ${pluralInSecurityCheck('restricted volume type', types)} ${quotedInSecurityCheck(types)}`,
  };
}

function nonRootRestrictedCheck(pod: CheckedPod, version: number): Violation | undefined {
  if (isSecurityCheckFreeInUserNamespace(pod, version)) return undefined;
  const reason = 'runAsNonRoot != true';
  const setters = settersInSecurityCheck(pod, (parent) => securityCheckContext(parent)['runAsNonRoot'] === false);
  if (setters !== '') return { reason, detail: `${setters} must not set securityContext.runAsNonRoot=false` };
  if (securityCheckContext(pod.spec)['runAsNonRoot'] === true) return undefined;
  const names = containersFailingSecurityCheck(pod, (container) => !isSecuritySet(container, 'runAsNonRoot'));
  return names.length === 0
    ? undefined
    : { reason, detail: `pod or ${containersInSecurityCheck(names)} must set securityContext.runAsNonRoot=true` };
}

function rootUserRestrictedCheck(pod: CheckedPod, version: number): Violation | undefined {
  if (isSecurityCheckFreeInUserNamespace(pod, version)) return undefined;
  const setters = settersInSecurityCheck(pod, (parent) => securityCheckContext(parent)['runAsUser'] === 0);
  return setters === '' ? undefined : { reason: 'runAsUser=0', detail: `${setters} must not set runAsUser=0` };
}

function missingSeccompRestrictedCheck(pod: CheckedPod, version: number): Violation | undefined {
  if (isSecurityCheckFreeOnWindows(pod, version)) return undefined;
  const bad = seccompProfileBaselineCheck(pod);
  if (bad !== undefined || passesSeccompBaselineCheck(pod.spec)) return bad;
  const names = containersFailingSecurityCheck(pod, (container) => !isSecuritySet(container, 'seccompProfile'));
  return names.length === 0
    ? undefined
    : {
        reason: 'seccompProfile',
        detail: `pod or ${containersInSecurityCheck(names)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
      };
}
