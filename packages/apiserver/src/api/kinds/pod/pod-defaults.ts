import { applyDefaultTable, type DefaultTable, defaultTableUnder } from '../common/default-table.ts';
import {
  ensureFields,
  type Fields,
  fieldsAt,
  isFieldAbsent,
  itemsField,
  setDefaultField,
  textField,
} from '../common/fields.ts';

const HTTP_GET: DefaultTable = [
  ['path', '/'],
  ['scheme', 'HTTP'],
];

const defaultPodHandler = (path: string): DefaultTable => defaultTableUnder(`${path}.httpGet`, HTTP_GET);

const setPodProbeDefaults = (path: string): DefaultTable => [
  ...defaultPodHandler(path),
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
  ...setPodProbeDefaults('livenessProbe'),
  ...setPodProbeDefaults('readinessProbe'),
  ...setPodProbeDefaults('startupProbe'),
  ...defaultPodHandler('lifecycle.postStart'),
  ...defaultPodHandler('lifecycle.preStop'),
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
  ...defaultTableUnder('rbd', RBD),
  ...defaultTableUnder('azureDisk', AZURE_DISK),
  ...defaultTableUnder('scaleIO', SCALE_IO),
];

/** File mode 0644 in decimal, as in JSON. */
const FILE_MODE = 420;

const VOLUME: DefaultTable = [
  ...VOLUME_SOURCE,
  ['secret.defaultMode', FILE_MODE],
  ['configMap.defaultMode', FILE_MODE],
  ['downwardAPI.defaultMode', FILE_MODE],
  ['projected.defaultMode', FILE_MODE],
  ['projected.sources[].serviceAccountToken.expirationSeconds', 3600],
  ['ephemeral.volumeClaimTemplate.spec.volumeMode', 'Filesystem'],
  ...defaultTableUnder('downwardAPI', DOWNWARD_ITEMS),
  ...defaultTableUnder('projected.sources[].downwardAPI', DOWNWARD_ITEMS),
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
  applyDefaultTable(spec, POD_SPEC);
  for (const list of CONTAINER_LISTS)
    for (const container of itemsField(spec, list)) {
      applyDefaultTable(container, CONTAINER);
      setDefaultField(container, 'imagePullPolicy', defaultPodPullPolicy(textField(container, 'image')));
    }
  for (const volume of itemsField(spec, 'volumes')) {
    if (Object.keys(volume).every((name) => name === 'name' || isFieldAbsent(volume[name]))) volume['emptyDir'] = {};
    applyDefaultTable(volume, VOLUME);
    const image = volume['image'];
    if (!isFieldAbsent(image))
      setDefaultField(
        ensureFields(volume, 'image'),
        'pullPolicy',
        defaultPodPullPolicy(textField(fieldsAt(volume, 'image'), 'reference')),
      );
  }
  // The old name of the account is still set together with the new one.
  const account = textField(spec, 'serviceAccountName') || textField(spec, 'serviceAccount');
  if (account !== '') Object.assign(spec, { serviceAccountName: account, serviceAccount: account });
}

/** Sets the defaults of the pod template in a controller's spec. */
export function setPodTemplateDefaults(parent: Fields): void {
  defaultPodSpec(ensureFields(ensureFields(parent, 'template'), 'spec'));
}

/** Defaults of a pod that its template does not get: a template must read the same on old and new servers. */
export function defaultPod(spec: Fields): void {
  for (const container of [...itemsField(spec, 'containers'), ...itemsField(spec, 'initContainers')]) {
    const resources = fieldsAt(container, 'resources');
    const limits = fieldsAt(resources, 'limits');
    for (const [name, amount] of Object.entries(limits)) {
      const requests = ensureFields(resources, 'requests');
      requests[name] ??= amount;
    }
    // With its node's network, a pod has no other port to listen on.
    if (spec['hostNetwork'] === true)
      for (const port of itemsField(container, 'ports')) port['hostPort'] ||= port['containerPort'];
  }
  if (spec['enableServiceLinks'] === undefined || spec['enableServiceLinks'] === null)
    spec['enableServiceLinks'] = true;
}

/** The default pull policy. `latest` may change under the name, so it is fetched every time. */
/** The syntax of an image name, `[host[:port]/]path[:tag][@digest]`; only the host may have capital letters. */
const IMAGE_NAME =
  /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::\d+)?\/)?[a-z0-9]+(?:[._/-]+[a-z0-9]+)*(?::\w[\w.-]{0,127})?(?:@[A-Za-z][A-Za-z0-9+._-]*:[0-9a-fA-F]{32,})?$/;

function defaultPodPullPolicy(image: string): string {
  // The server reads no tag from an invalid name.
  if (!IMAGE_NAME.test(image)) return 'IfNotPresent';
  if (image.includes('@')) return /:latest@/.test(image) ? 'Always' : 'IfNotPresent';
  const tag = /:([^/:]*)$/.exec(image)?.[1];
  return tag === undefined || tag === 'latest' ? 'Always' : 'IfNotPresent';
}
