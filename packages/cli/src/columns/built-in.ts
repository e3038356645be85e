import type { KubeObject } from 'kube-informer';
import {
  ageOf,
  at,
  conditionAt,
  entriesAt,
  humanAge,
  instant,
  isTrue,
  itemsAt,
  numberAt,
  podReady,
  podRestarts,
  podStatus,
  textAt,
  textsAt,
} from '@kube-informer/inspector/internal';
import { AGE, type Column, column, NAME, NONE, status } from './column.ts';

const text = (title: string, path: string, absent = ''): Column =>
  column(title, (object) => textAt(object, path, absent));
const number = (title: string, path: string): Column => column(title, (object) => String(numberAt(object, path)));
const READY = column('READY', (object) => `${numberAt(object, 'status.readyReplicas')}/${numberAt(object, 'spec.replicas')}`); // prettier-ignore
const phase = (title = 'STATUS'): Column => status(title, (object) => textAt(object, 'status.phase', 'Unknown'));

/** Columns of the built-in resources, as kubectl prints them, by `group/plural`. Other resources show name and age. */
export const COLUMNS_BY_RESOURCE: ReadonlyMap<string, readonly Column[]> = new Map([
  [
    '/pods',
    [
      NAME,
      column('READY', podReady),
      status('STATUS', podStatus),
      column('RESTARTS', podRestarts, { minWidth: 8 }),
      AGE,
      column('IP', (pod) => textAt(pod, 'status.podIP', NONE), { priority: 0 }),
      column('NODE', (pod) => textAt(pod, 'spec.nodeName', NONE), { priority: 0 }),
    ],
  ],
  ['/namespaces', [NAME, phase(), AGE]],
  ['/nodes', [NAME, status('STATUS', nodeStatus), column('ROLES', nodeRoles), AGE, text('VERSION', 'status.nodeInfo.kubeletVersion')]],
  ['/services', [NAME, text('TYPE', 'spec.type'), text('CLUSTER-IP', 'spec.clusterIP', NONE), column('EXTERNAL-IP', externalAddress), column('PORT(S)', ports), AGE]],
  ['/configmaps', [NAME, column('DATA', (object) => String(entriesAt(object, 'data').length + entriesAt(object, 'binaryData').length)), AGE]],
  ['/secrets', [NAME, text('TYPE', 'type'), column('DATA', (object) => String(entriesAt(object, 'data').length)), AGE]],
  ['/persistentvolumes', [NAME, text('CAPACITY', 'spec.capacity.storage'), phase(), column('CLAIM', claim), text('STORAGECLASS', 'spec.storageClassName'), AGE]],
  ['/persistentvolumeclaims', [NAME, phase(), text('VOLUME', 'spec.volumeName'), text('CAPACITY', 'status.capacity.storage'), text('STORAGECLASS', 'spec.storageClassName'), AGE]],
  ['/events', eventColumns('involvedObject', 'message')],
  ['events.k8s.io/events', eventColumns('regarding', 'note')],
  ['apps/deployments', [NAME, READY, number('UP-TO-DATE', 'status.updatedReplicas'), number('AVAILABLE', 'status.availableReplicas'), AGE, column('IMAGES', images, { minWidth: 16 })]],
  ['apps/replicasets', [NAME, number('DESIRED', 'spec.replicas'), number('CURRENT', 'status.replicas'), number('READY', 'status.readyReplicas'), AGE]],
  ['apps/statefulsets', [NAME, READY, AGE, column('IMAGES', images, { minWidth: 16 })]],
  ['apps/daemonsets', [NAME, number('DESIRED', 'status.desiredNumberScheduled'), number('CURRENT', 'status.currentNumberScheduled'), number('READY', 'status.numberReady'), number('UP-TO-DATE', 'status.updatedNumberScheduled'), number('AVAILABLE', 'status.numberAvailable'), AGE]],
  ['batch/jobs', [NAME, status('STATUS', jobStatus), column('COMPLETIONS', completions), column('DURATION', jobDuration, { isAge: true }), AGE]],
  ['batch/cronjobs', [NAME, text('SCHEDULE', 'spec.schedule'), column('SUSPEND', (object) => (at(object, 'spec.suspend') === true ? 'True' : 'False')), column('ACTIVE', (object) => String(itemsAt(object, 'status.active').length)), column('LAST SCHEDULE', (object, now) => (at(object, 'status.lastScheduleTime') === undefined ? NONE : ageOf(at(object, 'status.lastScheduleTime'), now)), { isAge: true }), AGE]],
  ['networking.k8s.io/ingresses', [NAME, text('CLASS', 'spec.ingressClassName', NONE), column('HOSTS', hosts, { minWidth: 12 }), column('ADDRESS', balancer), AGE]],
  ['autoscaling/horizontalpodautoscalers', [NAME, column('REFERENCE', (object) => `${textAt(object, 'spec.scaleTargetRef.kind')}/${textAt(object, 'spec.scaleTargetRef.name')}`), text('MINPODS', 'spec.minReplicas', '1'), number('MAXPODS', 'spec.maxReplicas'), number('REPLICAS', 'status.currentReplicas'), AGE]],
  ['coordination.k8s.io/leases', [NAME, text('HOLDER', 'spec.holderIdentity', NONE), AGE]],
  ['apiextensions.k8s.io/customresourcedefinitions', [NAME, text('SCOPE', 'spec.scope'), text('KIND', 'spec.names.kind'), AGE]],
]); // prettier-ignore

function nodeStatus(node: KubeObject): string {
  const ready = conditionAt(node, 'Ready');
  const status = ready === undefined ? 'Unknown' : isTrue(ready) ? 'Ready' : 'NotReady';
  return at(node, 'spec.unschedulable') === true ? `${status},SchedulingDisabled` : status;
}

const ROLE = 'node-role.kubernetes.io/';

function nodeRoles({ metadata }: KubeObject): string {
  const roles = Object.keys(metadata?.labels ?? {}).filter((label) => label.startsWith(ROLE));
  return roles.map((label) => label.slice(ROLE.length)).toSorted().join(',') || NONE; // prettier-ignore
}

function balancer(object: KubeObject): string {
  const addresses = itemsAt(object, 'status.loadBalancer.ingress').map((one) =>
    textAt(one, 'ip', textAt(one, 'hostname')),
  );
  return addresses.filter((address) => address !== '').join(',');
}

function externalAddress(service: KubeObject): string {
  const type = textAt(service, 'spec.type');
  if (type === 'ExternalName') return textAt(service, 'spec.externalName');
  const addresses = [balancer(service), ...textsAt(service, 'spec.externalIPs')].filter((one) => one !== '');
  return addresses.join(',') || (type === 'LoadBalancer' ? '<pending>' : NONE);
}

function ports(service: KubeObject): string {
  const all = itemsAt(service, 'spec.ports').map((port) => {
    const onNode = numberAt(port, 'nodePort');
    return `${numberAt(port, 'port')}${onNode > 0 ? `:${onNode}` : ''}/${textAt(port, 'protocol', 'TCP')}`;
  });
  return all.join(',') || NONE;
}

function claim(volume: KubeObject): string {
  const name = textAt(volume, 'spec.claimRef.name');
  return name === '' ? '' : `${textAt(volume, 'spec.claimRef.namespace')}/${name}`;
}

function hosts(ingress: KubeObject): string {
  const all = itemsAt(ingress, 'spec.rules').map((rule) => textAt(rule, 'host', '*'));
  return all.join(',') || '*';
}

function images(workload: KubeObject): string {
  return itemsAt(workload, 'spec.template.spec.containers').map((one) => textAt(one, 'image')).join(','); // prettier-ignore
}

function jobStatus(job: KubeObject): string {
  for (const type of ['Complete', 'Failed']) if (isTrue(conditionAt(job, type))) return type;
  if (job.metadata?.deletionTimestamp !== undefined) return 'Terminating';
  return isTrue(conditionAt(job, 'Suspended')) ? 'Suspended' : 'Running';
}

function completions(job: KubeObject): string {
  return `${numberAt(job, 'status.succeeded')}/${textAt(job, 'spec.completions', '1')}`;
}

function jobDuration(job: KubeObject, now: number): string {
  const start = instant(at(job, 'status.startTime'));
  return start === undefined ? '' : humanAge((instant(at(job, 'status.completionTime')) ?? now) - start);
}

/** Columns of both Event kinds, whose fields have different names. */
function eventColumns(about: string, message: string): readonly Column[] {
  const lastSeen = (event: KubeObject, now: number): string => {
    const times = ['series.lastObservedTime', 'lastTimestamp', 'deprecatedLastTimestamp', 'eventTime'];
    const last = times.map((path) => at(event, path)).find((time) => typeof time === 'string');
    return ageOf(last ?? event.metadata?.creationTimestamp, now);
  };
  return [
    column('LAST SEEN', lastSeen, { isAge: true, priority: 2 }),
    column('TYPE', (event) => textAt(event, 'type'), { isStatus: true }),
    column('REASON', (event) => textAt(event, 'reason'), { priority: 3 }),
    column('OBJECT', (event) => `${textAt(event, `${about}.kind`).toLowerCase()}/${textAt(event, `${about}.name`)}`, {
      priority: Infinity,
    }),
    column('MESSAGE', (event) => textAt(event, message).trim(), { priority: Infinity, minWidth: 20 }),
  ];
}
