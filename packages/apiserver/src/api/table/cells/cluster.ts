import type { Json } from '../../../core/json.ts';
import type { ApiObject } from '../../../core/object.ts';
import { age, type Cells, name } from './cells.ts';
import { at, conditionOf, flagAt, isPresent, itemsAt, numberAt, textAt } from './read.ts';
import { NONE } from './texts.ts';

/** Cells of kinds that share out the cluster's resources. */
export const clusterCells: Readonly<Record<string, Cells>> = {
  'coordination.k8s.io/leases': (object, now) => [
    name(object),
    textAt(object, 'spec.holderIdentity'),
    age(object, now),
  ],
  'scheduling.k8s.io/priorityclasses': (object, now) => [
    name(object),
    numberAt(object, 'value'),
    flagAt(object, 'globalDefault'),
    age(object, now),
    textAt(object, 'preemptionPolicy'),
  ],
  'node.k8s.io/runtimeclasses': (object, now) => [name(object), textAt(object, 'handler'), age(object, now)],
  'flowcontrol.apiserver.k8s.io/flowschemas': (object, now) => [
    name(object),
    textAt(object, 'spec.priorityLevelConfiguration.name'),
    numberAt(object, 'spec.matchingPrecedence'),
    textAt(object, 'spec.distinguisherMethod.type', NONE),
    age(object, now),
    textAt(conditionOf(object, 'Dangling'), 'status', '?'),
  ],
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': (object, now) => [
    name(object),
    textAt(object, 'spec.type'),
    numberOrNone(object, 'spec.limited.nominalConcurrencyShares'),
    numberOrNone(object, 'spec.limited.limitResponse.queuing.queues'),
    numberOrNone(object, 'spec.limited.limitResponse.queuing.handSize'),
    numberOrNone(object, 'spec.limited.limitResponse.queuing.queueLengthLimit'),
    age(object, now),
  ],
  'resource.k8s.io/deviceclasses': (object, now) => [name(object), age(object, now)],
  'resource.k8s.io/resourceclaimtemplates': (object, now) => [name(object), age(object, now)],
  'resource.k8s.io/resourceclaims': (object, now) => [name(object), claimState(object), age(object, now)],
  'resource.k8s.io/resourceslices': (object, now) => [
    name(object),
    textAt(object, 'spec.nodeName'),
    textAt(object, 'spec.driver'),
    textAt(object, 'spec.pool.name'),
    age(object, now),
  ],
};

function numberOrNone(object: ApiObject, path: string): Json {
  const value = at(object, path);
  return typeof value === 'number' ? value : NONE;
}

function claimState(claim: ApiObject): string {
  const isDeleted = claim.metadata?.deletionTimestamp !== undefined;
  if (!isPresent(claim, 'status.allocation')) return isDeleted ? 'deleted' : 'pending';
  return [
    ...(isDeleted ? ['deleted'] : []),
    'allocated',
    ...(itemsAt(claim, 'status.reservedFor').length > 0 ? ['reserved'] : []),
  ].join(',');
}
