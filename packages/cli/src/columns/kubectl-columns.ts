import type { KubeObject } from 'kube-informer';
import {
  objectAgeSince,
  objectField,
  objectFieldCondition,
  objectFieldEntries,
  objectAgeText,
  objectAgeInstant,
  isFieldConditionTrue,
  jobObjectStatus,
  objectFieldItems,
  objectFieldNumber,
  podObjectReady,
  podObjectRestarts,
  podObjectStatus,
  objectFieldText,
  objectFieldTexts,
} from '@kube-informer/inspector/internal';
import { AGE, type Column, column, NAME, NONE, statusColumn } from './column.ts';

const kubectlTextColumn = (title: string, path: string, absent = ''): Column =>
  column(title, (object) => objectFieldText(object, path, absent));
const kubectlNumberColumn = (title: string, path: string): Column =>
  column(title, (object) => String(objectFieldNumber(object, path)));
const READY = column('READY', (object) => `${objectFieldNumber(object, 'status.readyReplicas')}/${objectFieldNumber(object, 'spec.replicas')}`, { priority: 3 }); // prettier-ignore
const kubectlPhaseColumn = (title = 'STATUS'): Column =>
  statusColumn(title, (object) => objectFieldText(object, 'status.phase', 'Unknown'));

/** Columns of the built-in resources, as kubectl prints them, by `group/plural`. Other resources show name and age. */
export const COLUMNS_BY_RESOURCE: ReadonlyMap<string, readonly Column[]> = new Map([
  [
    '/pods',
    [
      NAME,
      column('READY', podObjectReady),
      statusColumn('STATUS', podObjectStatus),
      column('RESTARTS', podObjectRestarts, { minWidth: 8 }),
      AGE,
      column('IP', (pod) => objectFieldText(pod, 'status.podIP', NONE), { priority: 0 }),
      column('NODE', (pod) => objectFieldText(pod, 'spec.nodeName', NONE), { priority: 0 }),
    ],
  ],
  ['/namespaces', [NAME, kubectlPhaseColumn(), AGE]],
  ['/nodes', [NAME, statusColumn('STATUS', kubectlNodeStatus), column('ROLES', kubectlNodeRoles), AGE, kubectlTextColumn('VERSION', 'status.nodeInfo.kubeletVersion')]],
  ['/services', [NAME, kubectlTextColumn('TYPE', 'spec.type'), kubectlTextColumn('CLUSTER-IP', 'spec.clusterIP', NONE), column('EXTERNAL-IP', kubectlExternalAddress), column('PORT(S)', kubectlPorts), AGE]],
  ['/configmaps', [NAME, column('DATA', (object) => String(objectFieldEntries(object, 'data').length + objectFieldEntries(object, 'binaryData').length)), AGE]],
  ['/secrets', [NAME, kubectlTextColumn('TYPE', 'type'), column('DATA', (object) => String(objectFieldEntries(object, 'data').length)), AGE]],
  ['/persistentvolumes', [NAME, kubectlTextColumn('CAPACITY', 'spec.capacity.storage'), kubectlPhaseColumn(), column('CLAIM', kubectlClaim), kubectlTextColumn('STORAGECLASS', 'spec.storageClassName'), AGE]],
  ['/persistentvolumeclaims', [NAME, kubectlPhaseColumn(), kubectlTextColumn('VOLUME', 'spec.volumeName'), kubectlTextColumn('CAPACITY', 'status.capacity.storage'), kubectlTextColumn('STORAGECLASS', 'spec.storageClassName'), AGE]],
  ['/events', kubectlEventColumns('involvedObject', 'message')],
  ['events.k8s.io/events', kubectlEventColumns('regarding', 'note')],
  ['apps/deployments', [NAME, READY, kubectlNumberColumn('UP-TO-DATE', 'status.updatedReplicas'), kubectlNumberColumn('AVAILABLE', 'status.availableReplicas'), AGE, column('IMAGES', kubectlImages, { minWidth: 16 })]],
  ['apps/replicasets', [NAME, kubectlNumberColumn('DESIRED', 'spec.replicas'), kubectlNumberColumn('CURRENT', 'status.replicas'), kubectlNumberColumn('READY', 'status.readyReplicas'), AGE]],
  ['apps/statefulsets', [NAME, READY, AGE, column('IMAGES', kubectlImages, { minWidth: 16 })]],
  ['apps/daemonsets', [NAME, kubectlNumberColumn('DESIRED', 'status.desiredNumberScheduled'), kubectlNumberColumn('CURRENT', 'status.currentNumberScheduled'), kubectlNumberColumn('READY', 'status.numberReady'), kubectlNumberColumn('UP-TO-DATE', 'status.updatedNumberScheduled'), kubectlNumberColumn('AVAILABLE', 'status.numberAvailable'), AGE]],
  ['batch/jobs', [NAME, statusColumn('STATUS', jobObjectStatus), column('COMPLETIONS', kubectlJobCompletions), column('DURATION', kubectlJobDuration, { isAge: true }), AGE]],
  ['batch/cronjobs', [NAME, kubectlTextColumn('SCHEDULE', 'spec.schedule'), column('SUSPEND', (object) => (objectField(object, 'spec.suspend') === true ? 'True' : 'False')), column('ACTIVE', (object) => String(objectFieldItems(object, 'status.active').length)), column('LAST SCHEDULE', (object, now) => (objectField(object, 'status.lastScheduleTime') === undefined ? NONE : objectAgeSince(objectField(object, 'status.lastScheduleTime'), now)), { isAge: true }), AGE]],
  ['networking.k8s.io/ingresses', [NAME, kubectlTextColumn('CLASS', 'spec.ingressClassName', NONE), column('HOSTS', kubectlHosts, { minWidth: 12 }), column('ADDRESS', kubectlBalancer), AGE]],
  ['autoscaling/horizontalpodautoscalers', [NAME, column('REFERENCE', (object) => `${objectFieldText(object, 'spec.scaleTargetRef.kind')}/${objectFieldText(object, 'spec.scaleTargetRef.name')}`), kubectlTextColumn('MINPODS', 'spec.minReplicas', '1'), kubectlNumberColumn('MAXPODS', 'spec.maxReplicas'), kubectlNumberColumn('REPLICAS', 'status.currentReplicas'), AGE]],
  ['coordination.k8s.io/leases', [NAME, kubectlTextColumn('HOLDER', 'spec.holderIdentity', NONE), AGE]],
  ['apiextensions.k8s.io/customresourcedefinitions', [NAME, kubectlTextColumn('SCOPE', 'spec.scope'), kubectlTextColumn('KIND', 'spec.names.kind'), AGE]],
]); // prettier-ignore

function kubectlNodeStatus(node: KubeObject): string {
  const ready = objectFieldCondition(node, 'Ready');
  const status = ready === undefined ? 'Unknown' : isFieldConditionTrue(ready) ? 'Ready' : 'NotReady';
  return objectField(node, 'spec.unschedulable') === true ? `${status},SchedulingDisabled` : status;
}

const ROLE = 'node-role.kubernetes.io/';

function kubectlNodeRoles({ metadata }: KubeObject): string {
  const roles = Object.keys(metadata?.labels ?? {}).filter((label) => label.startsWith(ROLE));
  return roles.map((label) => label.slice(ROLE.length)).toSorted().join(',') || NONE; // prettier-ignore
}

function kubectlBalancer(object: KubeObject): string {
  const addresses = objectFieldItems(object, 'status.loadBalancer.ingress').map((one) =>
    objectFieldText(one, 'ip', objectFieldText(one, 'hostname')),
  );
  return addresses.filter((address) => address !== '').join(',');
}

function kubectlExternalAddress(service: KubeObject): string {
  const type = objectFieldText(service, 'spec.type');
  if (type === 'ExternalName') return objectFieldText(service, 'spec.externalName');
  const addresses = [kubectlBalancer(service), ...objectFieldTexts(service, 'spec.externalIPs')].filter(
    (one) => one !== '',
  );
  return addresses.join(',') || (type === 'LoadBalancer' ? '<pending>' : NONE);
}

function kubectlPorts(service: KubeObject): string {
  const all = objectFieldItems(service, 'spec.ports').map((port) => {
    const onNode = objectFieldNumber(port, 'nodePort');
    return `${objectFieldNumber(port, 'port')}${onNode > 0 ? `:${onNode}` : ''}/${objectFieldText(port, 'protocol', 'TCP')}`;
  });
  return all.join(',') || NONE;
}

function kubectlClaim(volume: KubeObject): string {
  const name = objectFieldText(volume, 'spec.claimRef.name');
  return name === '' ? '' : `${objectFieldText(volume, 'spec.claimRef.namespace')}/${name}`;
}

function kubectlHosts(ingress: KubeObject): string {
  const all = objectFieldItems(ingress, 'spec.rules').map((rule) => objectFieldText(rule, 'host', '*'));
  return all.join(',') || '*';
}

function kubectlImages(workload: KubeObject): string {
  return objectFieldItems(workload, 'spec.template.spec.containers').map((one) => objectFieldText(one, 'image')).join(','); // prettier-ignore
}

function kubectlJobCompletions(job: KubeObject): string {
  return `${objectFieldNumber(job, 'status.succeeded')}/${objectFieldText(job, 'spec.completions', '1')}`;
}

function kubectlJobDuration(job: KubeObject, now: number): string {
  const start = objectAgeInstant(objectField(job, 'status.startTime'));
  return start === undefined
    ? ''
    : objectAgeText((objectAgeInstant(objectField(job, 'status.completionTime')) ?? now) - start);
}

/** Columns of both Event kinds, whose fields have different names. */
function kubectlEventColumns(about: string, message: string): readonly Column[] {
  const lastSeen = (event: KubeObject, now: number): string => {
    const times = ['series.lastObservedTime', 'lastTimestamp', 'deprecatedLastTimestamp', 'eventTime'];
    const last = times.map((path) => objectField(event, path)).find((time) => typeof time === 'string');
    return objectAgeSince(last ?? event.metadata?.creationTimestamp, now);
  };
  return [
    column('LAST SEEN', lastSeen, { isAge: true, priority: 2 }),
    column('TYPE', (event) => objectFieldText(event, 'type'), { isStatus: true }),
    column('REASON', (event) => objectFieldText(event, 'reason'), { priority: 3 }),
    column(
      'OBJECT',
      (event) => `${objectFieldText(event, `${about}.kind`).toLowerCase()}/${objectFieldText(event, `${about}.name`)}`,
      {
        priority: Infinity,
      },
    ),
    column('MESSAGE', (event) => objectFieldText(event, message).trim(), { priority: Infinity, minWidth: 20 }),
  ];
}
