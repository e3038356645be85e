import type { ApiObject } from '../../../core/object.ts';
import { ageSince } from './age.ts';
import { age, type Cells, name } from './cells.ts';
import { endpointsText } from './endpoint-texts.ts';
import {
  at,
  conditionOf,
  filledAt,
  flagAt,
  isPresent,
  isTrue,
  itemsAt,
  mapAt,
  numberAt,
  sizeAt,
  textAt,
} from './read.ts';
import { containerTexts, labelsText, NONE } from './texts.ts';

/** Kinds of the core group that are not workloads, networks or storage. */
export const coreCells: Readonly<Record<string, Cells>> = {
  '/namespaces': (object, now) => [name(object), textAt(object, 'status.phase'), age(object, now)],
  '/configmaps': (object, now) => [
    name(object),
    sizeAt(object, 'data') + sizeAt(object, 'binaryData'),
    age(object, now),
  ],
  '/secrets': (object, now) => [name(object), textAt(object, 'type'), sizeAt(object, 'data'), age(object, now)],
  '/serviceaccounts': (object, now) => [name(object), age(object, now)],
  '/endpoints': (object, now) => [name(object), endpointsText(object), age(object, now)],
  '/podtemplates': (object) => [
    name(object),
    ...containerTexts(object, 'template.spec.containers'),
    labelsText(mapAt(object, 'template.metadata.labels')),
  ],
  '/resourcequotas': (object, now) => [
    name(object),
    quotaText(object, (resource) => !resource.startsWith('limits.')),
    quotaText(object, (resource) => resource.startsWith('limits.')),
    age(object, now),
  ],
  '/nodes': nodeCells,
  '/componentstatuses': componentCells,
  '/events': (event, now) =>
    eventCells(event, now, {
      object: 'involvedObject',
      message: 'message',
      first: 'firstTimestamp',
      last: 'lastTimestamp',
      count: 'count',
      source: 'source',
      reporter: 'reportingComponent',
    }),
  'events.k8s.io/events': (event, now) =>
    eventCells(event, now, {
      object: 'regarding',
      message: 'note',
      first: 'deprecatedFirstTimestamp',
      last: 'deprecatedLastTimestamp',
      count: 'deprecatedCount',
      source: 'deprecatedSource',
      reporter: 'reportingController',
    }),
};

function quotaText(quota: ApiObject, isShown: (resource: string) => boolean): string {
  const used = mapAt(quota, 'status.used');
  return Object.entries(mapAt(quota, 'status.hard'))
    .filter(([resource]) => isShown(resource))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([resource, hard]) => `${resource}: ${used[resource] ?? '0'}/${hard}`)
    .join(', ');
}

const ROLE_PREFIX = 'node-role.kubernetes.io/';

function nodeCells(node: ApiObject, now: number): ReturnType<Cells> {
  const info = (field: string): string => textAt(node, `status.nodeInfo.${field}`);
  const architecture = info('architecture');
  const address = (type: string): string =>
    textAt(
      itemsAt(node, 'status.addresses').find((item) => item['type'] === type),
      'address',
      NONE,
    );
  return [
    name(node),
    nodeStatus(node),
    nodeRoles(node),
    age(node, now),
    info('kubeletVersion'),
    address('InternalIP'),
    address('ExternalIP'),
    info('osImage') || '<unknown>',
    `${info('kernelVersion') || '<unknown>'}${architecture === '' ? '' : ` (${architecture})`}`,
    info('containerRuntimeVersion') || '<unknown>',
  ];
}

function nodeStatus(node: ApiObject): string {
  const ready = conditionOf(node, 'Ready');
  const status = ready === undefined ? 'Unknown' : isTrue(ready) ? 'Ready' : 'NotReady';
  return flagAt(node, 'spec.unschedulable') ? `${status},SchedulingDisabled` : status;
}

function nodeRoles(node: ApiObject): string {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(node.metadata?.labels ?? {})) {
    const role = key.startsWith(ROLE_PREFIX)
      ? key.slice(ROLE_PREFIX.length)
      : key === 'kubernetes.io/role'
        ? value
        : '';
    if (role !== '') roles.add(role);
  }
  return [...roles].sort().join(',') || NONE;
}

function componentCells(object: ApiObject): ReturnType<Cells> {
  const healthy = itemsAt(object, 'conditions').find((condition) => condition['type'] === 'Healthy');
  const status = healthy === undefined ? 'Unknown' : isTrue(healthy) ? 'Healthy' : 'Unhealthy';
  return [name(object), status, textAt(healthy, 'message'), textAt(healthy, 'error')];
}

/** The two event kinds are one, with other names for the same fields. */
interface EventFields {
  readonly object: string;
  readonly message: string;
  readonly first: string;
  readonly last: string;
  readonly count: string;
  readonly source: string;
  readonly reporter: string;
}

function eventCells(event: ApiObject, now: number, fields: EventFields): ReturnType<Cells> {
  const seen = (path: string): string => ageSince(at(event, path), now);
  const first = isPresent(event, fields.first) ? seen(fields.first) : seen('eventTime');
  const last = isPresent(event, fields.last) ? seen(fields.last) : first;
  const hasSeries = isPresent(event, 'series');
  const kind = textAt(event, `${fields.object}.kind`).toLowerCase();
  const target = textAt(event, `${fields.object}.name`);
  const component = textAt(event, `${fields.source}.component`) || textAt(event, fields.reporter);
  const host = filledAt(event, `${fields.source}.host`, textAt(event, 'reportingInstance'));
  return [
    hasSeries ? seen('series.lastObservedTime') : last,
    textAt(event, 'type'),
    textAt(event, 'reason'),
    target === '' ? kind : `${kind}/${target}`,
    textAt(event, `${fields.object}.fieldPath`),
    host === '' ? component : `${component}, ${host}`,
    textAt(event, fields.message).trim(),
    first,
    // An event that happened once may say so by saying nothing.
    hasSeries ? numberAt(event, 'series.count') : numberAt(event, fields.count) || 1,
    name(event),
  ];
}
