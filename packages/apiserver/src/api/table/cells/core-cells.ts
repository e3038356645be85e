import type { ApiObject } from '../../../core/kube-object.ts';
import { ageCellSince } from './age-cell.ts';
import { ageCell, type Cells, nameCell } from './cells.ts';
import { endpointsCellText } from './endpoint-texts.ts';
import {
  readField,
  readFieldCondition,
  readFilledFieldText,
  readFieldFlag,
  readFieldIsPresent,
  readFieldConditionIsTrue,
  readFieldItems,
  readFieldMap,
  readFieldNumber,
  readFieldSize,
  readFieldText,
} from './read-fields.ts';
import { containerCellTexts, labelsCellText, NONE } from './cell-texts.ts';

/** Cells of kinds of the core group that are not workloads, networks or storage. */
export const coreCells: Readonly<Record<string, Cells>> = {
  '/namespaces': (object, now) => [nameCell(object), readFieldText(object, 'status.phase'), ageCell(object, now)],
  '/configmaps': (object, now) => [
    nameCell(object),
    readFieldSize(object, 'data') + readFieldSize(object, 'binaryData'),
    ageCell(object, now),
  ],
  '/secrets': (object, now) => [
    nameCell(object),
    readFieldText(object, 'type'),
    readFieldSize(object, 'data'),
    ageCell(object, now),
  ],
  '/serviceaccounts': (object, now) => [nameCell(object), ageCell(object, now)],
  '/endpoints': (object, now) => [nameCell(object), endpointsCellText(object), ageCell(object, now)],
  '/podtemplates': (object) => [
    nameCell(object),
    ...containerCellTexts(object, 'template.spec.containers'),
    labelsCellText(readFieldMap(object, 'template.metadata.labels')),
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
  const used = readFieldMap(quota, 'status.used');
  return Object.entries(readFieldMap(quota, 'status.hard'))
    .filter(([resource]) => isShown(resource))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([resource, hard]) => `${resource}: ${used[resource] ?? '0'}/${hard}`)
    .join(', ');
}

const ROLE_PREFIX = 'node-role.kubernetes.io/';

function coreNodeCells(node: ApiObject, now: number): ReturnType<Cells> {
  const info = (field: string): string => readFieldText(node, `status.nodeInfo.${field}`);
  const architecture = info('architecture');
  const address = (type: string): string =>
    readFieldText(
      readFieldItems(node, 'status.addresses').find((item) => item['type'] === type),
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
  const ready = readFieldCondition(node, 'Ready');
  const status = ready === undefined ? 'Unknown' : readFieldConditionIsTrue(ready) ? 'Ready' : 'NotReady';
  return readFieldFlag(node, 'spec.unschedulable') ? `${status},SchedulingDisabled` : status;
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
  const healthy = readFieldItems(object, 'conditions').find((condition) => condition['type'] === 'Healthy');
  const status = healthy === undefined ? 'Unknown' : readFieldConditionIsTrue(healthy) ? 'Healthy' : 'Unhealthy';
  return [nameCell(object), status, readFieldText(healthy, 'message'), readFieldText(healthy, 'error')];
}

/** The fields of an event. The two event kinds are the same, with different names for these fields. */
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
  const seen = (path: string): string => ageCellSince(readField(event, path), now);
  const first = readFieldIsPresent(event, fields.first) ? seen(fields.first) : seen('eventTime');
  const last = readFieldIsPresent(event, fields.last) ? seen(fields.last) : first;
  const hasSeries = readFieldIsPresent(event, 'series');
  const kind = readFieldText(event, `${fields.object}.kind`).toLowerCase();
  const target = readFieldText(event, `${fields.object}.name`);
  const component = readFieldText(event, `${fields.source}.component`) || readFieldText(event, fields.reporter);
  const host = readFilledFieldText(event, `${fields.source}.host`, readFieldText(event, 'reportingInstance'));
  return [
    hasSeries ? seen('series.lastObservedTime') : last,
    readFieldText(event, 'type'),
    readFieldText(event, 'reason'),
    target === '' ? kind : `${kind}/${target}`,
    readFieldText(event, `${fields.object}.fieldPath`),
    host === '' ? component : `${component}, ${host}`,
    readFieldText(event, fields.message).trim(),
    first,
    // An event that happened once may have no count.
    hasSeries ? readFieldNumber(event, 'series.count') : readFieldNumber(event, fields.count) || 1,
    nameCell(event),
  ];
}
