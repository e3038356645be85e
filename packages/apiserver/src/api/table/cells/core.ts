import type { ApiObject } from '../../../core/object.ts';
import { ageSince } from './age.ts';
import { ageCell, type Cells, nameCell } from './cells.ts';
import { endpointsText } from './endpoint-texts.ts';
import {
  readField,
  readCondition,
  readFilledText,
  readFlag,
  readIsPresent,
  readConditionIsTrue,
  readItems,
  readMap,
  readNumber,
  readSize,
  readText,
} from './read-fields.ts';
import { containerCellTexts, labelsCellText, NONE } from './texts.ts';

/** Kinds of the core group that are not workloads, networks or storage. */
export const coreCells: Readonly<Record<string, Cells>> = {
  '/namespaces': (object, now) => [nameCell(object), readText(object, 'status.phase'), ageCell(object, now)],
  '/configmaps': (object, now) => [
    nameCell(object),
    readSize(object, 'data') + readSize(object, 'binaryData'),
    ageCell(object, now),
  ],
  '/secrets': (object, now) => [
    nameCell(object),
    readText(object, 'type'),
    readSize(object, 'data'),
    ageCell(object, now),
  ],
  '/serviceaccounts': (object, now) => [nameCell(object), ageCell(object, now)],
  '/endpoints': (object, now) => [nameCell(object), endpointsText(object), ageCell(object, now)],
  '/podtemplates': (object) => [
    nameCell(object),
    ...containerCellTexts(object, 'template.spec.containers'),
    labelsCellText(readMap(object, 'template.metadata.labels')),
  ],
  '/resourcequotas': (object, now) => [
    nameCell(object),
    coreQuotaCell(object, (resource) => !resource.startsWith('limits.')),
    coreQuotaCell(object, (resource) => resource.startsWith('limits.')),
    ageCell(object, now),
  ],
  '/nodes': coreNodeCells,
  '/componentstatuses': coreComponentCells,
  '/events': (event, now) =>
    coreEventCells(event, now, {
      object: 'involvedObject',
      message: 'message',
      first: 'firstTimestamp',
      last: 'lastTimestamp',
      count: 'count',
      source: 'source',
      reporter: 'reportingComponent',
    }),
  'events.k8s.io/events': (event, now) =>
    coreEventCells(event, now, {
      object: 'regarding',
      message: 'note',
      first: 'deprecatedFirstTimestamp',
      last: 'deprecatedLastTimestamp',
      count: 'deprecatedCount',
      source: 'deprecatedSource',
      reporter: 'reportingController',
    }),
};

function coreQuotaCell(quota: ApiObject, isShown: (resource: string) => boolean): string {
  const used = readMap(quota, 'status.used');
  return Object.entries(readMap(quota, 'status.hard'))
    .filter(([resource]) => isShown(resource))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([resource, hard]) => `${resource}: ${used[resource] ?? '0'}/${hard}`)
    .join(', ');
}

const ROLE_PREFIX = 'node-role.kubernetes.io/';

function coreNodeCells(node: ApiObject, now: number): ReturnType<Cells> {
  const info = (field: string): string => readText(node, `status.nodeInfo.${field}`);
  const architecture = info('architecture');
  const address = (type: string): string =>
    readText(
      readItems(node, 'status.addresses').find((item) => item['type'] === type),
      'address',
      NONE,
    );
  return [
    nameCell(node),
    coreNodeStatusCell(node),
    coreNodeRolesCell(node),
    ageCell(node, now),
    info('kubeletVersion'),
    address('InternalIP'),
    address('ExternalIP'),
    info('osImage') || '<unknown>',
    `${info('kernelVersion') || '<unknown>'}${architecture === '' ? '' : ` (${architecture})`}`,
    info('containerRuntimeVersion') || '<unknown>',
  ];
}

function coreNodeStatusCell(node: ApiObject): string {
  const ready = readCondition(node, 'Ready');
  const status = ready === undefined ? 'Unknown' : readConditionIsTrue(ready) ? 'Ready' : 'NotReady';
  return readFlag(node, 'spec.unschedulable') ? `${status},SchedulingDisabled` : status;
}

function coreNodeRolesCell(node: ApiObject): string {
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

function coreComponentCells(object: ApiObject): ReturnType<Cells> {
  const healthy = readItems(object, 'conditions').find((condition) => condition['type'] === 'Healthy');
  const status = healthy === undefined ? 'Unknown' : readConditionIsTrue(healthy) ? 'Healthy' : 'Unhealthy';
  return [nameCell(object), status, readText(healthy, 'message'), readText(healthy, 'error')];
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

function coreEventCells(event: ApiObject, now: number, fields: EventFields): ReturnType<Cells> {
  const seen = (path: string): string => ageSince(readField(event, path), now);
  const first = readIsPresent(event, fields.first) ? seen(fields.first) : seen('eventTime');
  const last = readIsPresent(event, fields.last) ? seen(fields.last) : first;
  const hasSeries = readIsPresent(event, 'series');
  const kind = readText(event, `${fields.object}.kind`).toLowerCase();
  const target = readText(event, `${fields.object}.name`);
  const component = readText(event, `${fields.source}.component`) || readText(event, fields.reporter);
  const host = readFilledText(event, `${fields.source}.host`, readText(event, 'reportingInstance'));
  return [
    hasSeries ? seen('series.lastObservedTime') : last,
    readText(event, 'type'),
    readText(event, 'reason'),
    target === '' ? kind : `${kind}/${target}`,
    readText(event, `${fields.object}.fieldPath`),
    host === '' ? component : `${component}, ${host}`,
    readText(event, fields.message).trim(),
    first,
    // An event that happened once may have no count.
    hasSeries ? readNumber(event, 'series.count') : readNumber(event, fields.count) || 1,
    nameCell(event),
  ];
}
