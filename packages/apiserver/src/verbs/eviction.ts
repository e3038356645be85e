import { defined } from 'kube-informer/core';
import { managedFieldsAfterUpdate } from '../api/apply/managed-fields.ts';
import {
  type Fields,
  fieldsAt,
  isFields,
  itemsField,
  numberField,
  specFields,
  textField,
  textMapField,
} from '../api/kinds/common/fields.ts';
import { kindSelectorMatches } from '../api/kinds/common/kind-selector.ts';
import { copyJson, type JsonObject } from '../core/json.ts';
import type { ApiObject, ObjectMeta } from '../core/kube-object.ts';
import { badRequestStatusError, statusError, type Status, type StatusError } from '../core/status-error.ts';
import type { Served } from '../registry/served.ts';
import type { StoredRecord } from '../storage/store/stored-record.ts';
import { passAdmissionGate, admissionGateWriteOptions } from './admission-gate.ts';
import { type Api, apiContextWrite, apiContextNow, type Target, type WriteOptions } from './api-context.ts';
import { deleteNow } from './delete.ts';
import { readForVerb } from './read.ts';
import { type DeleteOptions, readDeleteOptions } from './request/delete-options.ts';
import { EVICTION } from './request/posted-kinds.ts';
import type { Steps } from './steps.ts';
import { DONE } from './subresources.ts';

const RETRY_SECONDS = 10;

/** The manager that owns the status of a budget. */
const MANAGER = 'kube-apiserver';

/**
 * Evicts a pod (`pods/eviction`): a delete that checks the pod's disruption budget first. The budget's
 * controller writes how many disruptions are allowed.
 */
export function* evictPod(api: Api, target: Target, given: ApiObject, options: WriteOptions): Steps<Status> {
  const { served, name } = target;
  readForVerb(target);
  const admitted = yield* passAdmissionGate(api, target, {
    operation: 'CREATE',
    kind: EVICTION,
    object: given,
    dryRun: options.dryRun,
    options: admissionGateWriteOptions('CreateOptions', options),
  });
  const eviction = admitted ?? given;
  // The delete below is part of the eviction: it is not admitted again.
  const evicted: Target = { ...target, admits: 'nothing' };
  const pod = served.object(readForVerb(target));
  if ((eviction.metadata?.name ?? '') !== name)
    throw badRequestStatusError('name in URL does not match name in Eviction object');
  const wanted = readDeleteOptions(new URLSearchParams(), (eviction['deleteOptions'] ?? {}) as JsonObject);
  const deletion: DeleteOptions = { ...wanted, dryRun: wanted.dryRun || options.dryRun };
  const budget = isEvictedWithoutBudget(pod) ? undefined : findEvictionBudget(api, target, pod);
  if (budget !== undefined && !isUnhealthyEvictionAllowed(pod, budget.object))
    takeDisruptionForEviction(api, target, budget, deletion.dryRun);
  const { preconditions, ...unconditional } = deletion;
  // Preconditions apply to the pod as it is before it is marked.
  if (preconditions !== undefined) yield* deleteNow(api, evicted, { ...deletion, dryRun: true });
  if (deletion.dryRun) return DONE;
  markEvicted(api, target);
  yield* deleteNow(api, evicted, unconditional);
  return DONE;
}

const statusForEviction = (object: ApiObject): Fields => fieldsAt(object, 'status');

/** Whether a pod is evicted without a check, because it is not running or is being deleted. */
const isEvictedWithoutBudget = (pod: ApiObject): boolean =>
  ['Succeeded', 'Failed', 'Pending'].includes(textField(statusForEviction(pod), 'phase')) ||
  pod.metadata?.deletionTimestamp !== undefined;

const isEvictedPodReady = (pod: ApiObject): boolean =>
  itemsField(statusForEviction(pod), 'conditions').some(({ type, status }) => type === 'Ready' && status === 'True');

interface Budget {
  readonly served: Served;
  readonly record: StoredRecord;
  readonly object: ApiObject;
}

function findEvictionBudget({ registry }: Api, { namespace }: Target, pod: ApiObject): Budget | undefined {
  const served = registry.find('policy', 'v1', 'poddisruptionbudgets');
  if (served === undefined) return undefined;
  const labels = textMapField((pod.metadata ?? {}) as Fields, 'labels');
  const budgets: Budget[] = [];
  for (const record of served.collection.current()) {
    if (record.namespace !== namespace) continue;
    const object = served.object(record);
    const { selector } = specFields(object);
    // No selector selects no pod, an empty one all of them.
    if (isFields(selector) && kindSelectorMatches(selector, labels)) budgets.push({ served, record, object });
  }
  if (budgets.length > 1)
    throw statusError(
      500,
      'InternalError',
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  return budgets[0];
}

/** Whether a pod that is not ready may be evicted: if enough others are healthy or if the budget allows it. */
function isUnhealthyEvictionAllowed(pod: ApiObject, budget: ApiObject): boolean {
  if (isEvictedPodReady(pod)) return false;
  if (textField(specFields(budget), 'unhealthyPodEvictionPolicy') === 'AlwaysAllow') return true;
  const [healthy, desired] = ['currentHealthy', 'desiredHealthy'].map(
    (name) => numberField(statusForEviction(budget), name) ?? 0,
  );
  return (healthy as number) >= (desired as number) && (desired as number) > 0;
}

/** Counts one disruption, or throws a 429. */
function takeDisruptionForEviction(api: Api, target: Target, { served, object }: Budget, isDryRun: boolean): void {
  const { generation = 0 } = object.metadata ?? {};
  const name = object.metadata?.name ?? '';
  const status = statusForEviction(object);
  if ((numberField(status, 'observedGeneration') ?? 0) < generation)
    throw tooManyEvictions(`The disruption budget ${name} is still being processed by the server.`, RETRY_SECONDS);
  const allowed = numberField(status, 'disruptionsAllowed') ?? 0;
  if (allowed === 0) throw tooManyEvictions(whyEvictionRefused(name, status));
  if (isDryRun) return;
  const next = copyJson(object);
  const counted = { ...statusForEviction(next), disruptionsAllowed: allowed - 1 } as Fields;
  counted['disruptedPods'] = { ...fieldsAt(status, 'disruptedPods'), [target.name]: apiContextNow(api) };
  if (allowed === 1)
    counted['conditions'] = [
      ...itemsField(counted, 'conditions').filter(({ type }) => type !== 'DisruptionAllowed'),
      {
        type: 'DisruptionAllowed',
        status: 'False',
        observedGeneration: numberField(status, 'observedGeneration') ?? 0,
        lastTransitionTime: apiContextNow(api),
        reason: 'InsufficientPods',
        message: '',
      },
    ];
  next['status'] = counted;
  served.strategy.applyDefaults(next);
  if (api.tracksManagers) {
    const write = apiContextWrite(api, { ...target, served, subresource: 'status' }, MANAGER);
    const managedFields = managedFieldsAfterUpdate({ ...write, before: object, after: served.named(next) });
    if (managedFields.length > 0) (next.metadata as ObjectMeta).managedFields = managedFields;
  }
  served.put(next);
}

function whyEvictionRefused(name: string, status: Fields): string {
  const condition = itemsField(status, 'conditions').find(({ type }) => type === 'DisruptionAllowed') ?? {};
  if (condition['status'] === 'False' && condition['reason'] === 'SyncFailed')
    return (
      `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ` +
      textField(condition, 'message')
    );
  const [healthy, desired] = ['currentHealthy', 'desiredHealthy'].map((field) => numberField(status, field) ?? 0);
  return (healthy as number) <= (desired as number)
    ? `The disruption budget ${name} needs ${desired} healthy pods and has ${healthy} currently`
    : `The disruption budget ${name} does not allow evicting pods currently`;
}

const tooManyEvictions = (message: string, retryAfterSeconds?: number): StatusError =>
  statusError(429, 'TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.", {
    details: {
      causes: [{ reason: 'DisruptionBudget', message }],
      ...defined({ retryAfterSeconds }),
    },
  });

/** Adds the condition `DisruptionTarget` to the pod. The write has no field manager. */
function markEvicted(api: Api, target: Target): void {
  const { served } = target;
  const next = copyJson(served.object(readForVerb(target)));
  const status = { ...statusForEviction(next) };
  const conditions = itemsField(status, 'conditions');
  if (conditions.some((one) => one['type'] === 'DisruptionTarget' && one['status'] === 'True')) return;
  status['conditions'] = [
    ...conditions.filter(({ type }) => type !== 'DisruptionTarget'),
    {
      type: 'DisruptionTarget',
      status: 'True',
      lastProbeTime: null,
      lastTransitionTime: apiContextNow(api),
      reason: 'EvictionByEvictionAPI',
      message: 'Eviction API: evicting',
    },
  ];
  next['status'] = status;
  served.strategy.applyDefaults(next);
  served.put(next);
}
