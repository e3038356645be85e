import { applyTable, type DefaultTable, under } from '../common/default-table.ts';
import { ensureFields, type Fields, fieldsAt, isAbsent, itemsAt, setDefault, textAt } from '../common/fields.ts';

const HTTP_GET: DefaultTable = [
  ['path', '/'],
  ['scheme', 'HTTP'],
];

const handler = (path: string): DefaultTable => under(`${path}.httpGet`, HTTP_GET);

const probe = (path: string): DefaultTable => [
  ...handler(path),
  [`${path}.grpc.service`, ''],
  [`${path}.timeoutSeconds`, 1],
  [`${path}.periodSeconds`, 10],
  [`${path}.successThreshold`, 1],
  [`${path}.failureThreshold`, 3],
];

const CONTAINER: DefaultTable = [
  ['terminationMessagePath', '/dev/termination-log'],
  ['terminationMessagePolicy', 'File'],
  ['ports[].protocol', 'TCP'],
  ['env[].valueFrom.fieldRef.apiVersion', 'v1'],
  ...probe('livenessProbe'),
  ...probe('readinessProbe'),
  ...probe('startupProbe'),
  ...handler('lifecycle.postStart'),
  ...handler('lifecycle.preStop'),
];

const DOWNWARD_ITEMS: DefaultTable = [['items[].fieldRef.apiVersion', 'v1']];

const RBD: DefaultTable = [
  ['pool', 'rbd'],
  ['user', 'admin'],
  ['keyring', '/etc/ceph/keyring'],
];

const AZURE_DISK: DefaultTable = [
  ['cachingMode', 'ReadWrite'],
  ['fsType', 'ext4'],
  ['readOnly', false],
  ['kind', 'Shared'],
];

const SCALE_IO: DefaultTable = [
  ['storageMode', 'ThinProvisioned'],
  ['fsType', 'xfs'],
];

/** Volume sources that pods and persistent volumes share. */
export const VOLUME_SOURCE: DefaultTable = [
  ['hostPath.type', ''],
  ['iscsi.iscsiInterface', 'default'],
  ...under('rbd', RBD),
  ...under('azureDisk', AZURE_DISK),
  ...under('scaleIO', SCALE_IO),
];

/** 0644 as JSON has it. */
const FILE_MODE = 420;

const VOLUME: DefaultTable = [
  ...VOLUME_SOURCE,
  ['secret.defaultMode', FILE_MODE],
  ['configMap.defaultMode', FILE_MODE],
  ['downwardAPI.defaultMode', FILE_MODE],
  ['projected.defaultMode', FILE_MODE],
  ['projected.sources[].serviceAccountToken.expirationSeconds', 3600],
  ['ephemeral.volumeClaimTemplate.spec.volumeMode', 'Filesystem'],
  ...under('downwardAPI', DOWNWARD_ITEMS),
  ...under('projected.sources[].downwardAPI', DOWNWARD_ITEMS),
];

const POD_SPEC: DefaultTable = [
  ['restartPolicy', 'Always'],
  ['terminationGracePeriodSeconds', 30],
  ['dnsPolicy', 'ClusterFirst'],
  ['securityContext', {}],
  ['schedulerName', 'default-scheduler'],
];

const CONTAINER_LISTS = ['containers', 'initContainers', 'ephemeralContainers'] as const;

/** Defaults of a pod spec, in a pod and in a pod template. */
export function defaultPodSpec(spec: Fields): void {
  applyTable(spec, POD_SPEC);
  for (const list of CONTAINER_LISTS)
    for (const container of itemsAt(spec, list)) {
      applyTable(container, CONTAINER);
      setDefault(container, 'imagePullPolicy', pullPolicy(textAt(container, 'image')));
    }
  for (const volume of itemsAt(spec, 'volumes')) {
    if (Object.keys(volume).every((name) => name === 'name' || isAbsent(volume[name]))) volume['emptyDir'] = {};
    applyTable(volume, VOLUME);
    const image = volume['image'];
    if (!isAbsent(image))
      setDefault(
        ensureFields(volume, 'image'),
        'pullPolicy',
        pullPolicy(textAt(fieldsAt(volume, 'image'), 'reference')),
      );
  }
  // The old name of the account still travels beside the new one.
  const account = textAt(spec, 'serviceAccountName') || textAt(spec, 'serviceAccount');
  if (account !== '') Object.assign(spec, { serviceAccountName: account, serviceAccount: account });
}

/** The template of pods in the spec of their controller. */
export function defaultPodTemplate(parent: Fields): void {
  defaultPodSpec(ensureFields(ensureFields(parent, 'template'), 'spec'));
}

/** Defaults of a pod that its template does not get: a template must read the same on old and new servers. */
export function defaultPod(spec: Fields): void {
  for (const container of [...itemsAt(spec, 'containers'), ...itemsAt(spec, 'initContainers')]) {
    const resources = fieldsAt(container, 'resources');
    const limits = fieldsAt(resources, 'limits');
    for (const [name, amount] of Object.entries(limits)) {
      const requests = ensureFields(resources, 'requests');
      requests[name] ??= amount;
    }
    // On the network of its node a pod has no other port to listen on.
    if (spec['hostNetwork'] === true)
      for (const port of itemsAt(container, 'ports')) port['hostPort'] ||= port['containerPort'];
  }
  if (spec['enableServiceLinks'] === undefined || spec['enableServiceLinks'] === null)
    spec['enableServiceLinks'] = true;
}

/** `latest` may change under the name, so it is fetched every time. */
function pullPolicy(image: string): string {
  if (image === '') return 'IfNotPresent';
  if (image.includes('@')) return /:latest@/.test(image) ? 'Always' : 'IfNotPresent';
  const tag = /:([^/:]*)$/.exec(image)?.[1];
  return tag === undefined || tag === 'latest' ? 'Always' : 'IfNotPresent';
}
