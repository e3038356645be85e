import type { Json } from '../../../core/json.ts';
import type { ApiObject } from '../../../core/kube-object.ts';
import { ageCell, type Cells, nameCell } from './cells.ts';
import {
  readField,
  readFieldCondition,
  readFieldFlag,
  readFieldIsPresent,
  readFieldItems,
  readFieldNumber,
  readFieldText,
} from './read-fields.ts';
import { NONE } from './cell-texts.ts';

/** Cells of kinds that allocate the cluster's resources. */
export const clusterCells: Readonly<Record<string, Cells>> = {
  'coordination.k8s.io/leases': (object, now) => [
    nameCell(object),
    readFieldText(object, 'spec.holderIdentity'),
    ageCell(object, now),
  ],
  'scheduling.k8s.io/priorityclasses': (object, now) => [
    nameCell(object),
    readFieldNumber(object, 'value'),
    readFieldFlag(object, 'globalDefault'),
    ageCell(object, now),
    readFieldText(object, 'preemptionPolicy'),
  ],
  'node.k8s.io/runtimeclasses': (object, now) => [
    nameCell(object),
    readFieldText(object, 'handler'),
    ageCell(object, now),
  ],
  'flowcontrol.apiserver.k8s.io/flowschemas': (object, now) => [
    nameCell(object),
    readFieldText(object, 'spec.priorityLevelConfiguration.name'),
    readFieldNumber(object, 'spec.matchingPrecedence'),
    readFieldText(object, 'spec.distinguisherMethod.type', NONE),
    ageCell(object, now),
    readFieldText(readFieldCondition(object, 'Dangling'), 'status', '?'),
  ],
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': (object, now) => [
    nameCell(object),
    readFieldText(object, 'spec.type'),
    clusterNumberCell(object, 'spec.limited.nominalConcurrencyShares'),
    clusterNumberCell(object, 'spec.limited.limitResponse.queuing.queues'),
    clusterNumberCell(object, 'spec.limited.limitResponse.queuing.handSize'),
    clusterNumberCell(object, 'spec.limited.limitResponse.queuing.queueLengthLimit'),
    ageCell(object, now),
  ],
  'resource.k8s.io/deviceclasses': (object, now) => [nameCell(object), ageCell(object, now)],
  'resource.k8s.io/resourceclaimtemplates': (object, now) => [nameCell(object), ageCell(object, now)],
  'resource.k8s.io/resourceclaims': (object, now) => [
    nameCell(object),
    clusterClaimStateCell(object),
    ageCell(object, now),
  ],
  'resource.k8s.io/resourceslices': (object, now) => [
    nameCell(object),
    readFieldText(object, 'spec.nodeName'),
    readFieldText(object, 'spec.driver'),
    readFieldText(object, 'spec.pool.name'),
    ageCell(object, now),
  ],
};

function clusterNumberCell(object: ApiObject, path: string): Json {
  const value = readField(object, path);
  return typeof value === 'number' ? value : NONE;
}

function clusterClaimStateCell(claim: ApiObject): string {
  const isDeleted = claim.metadata?.deletionTimestamp !== undefined;
  if (!readFieldIsPresent(claim, 'status.allocation')) return isDeleted ? 'deleted' : 'pending';
  return [
    ...(isDeleted ? ['deleted'] : []),
    'allocated',
    ...(readFieldItems(claim, 'status.reservedFor').length > 0 ? ['reserved'] : []),
  ].join(',');
}
