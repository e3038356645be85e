import { defined, errorMessageOf, isEqual, KubeError, type KubeObject } from 'kube-informer/core';
import type { Partially } from 'kube-informer/client';
import { type Condition, type ConditionChange, setCondition } from './condition.ts';
import type { ObjectCall, ObjectClient } from './object-client.ts';
import { ownedFields } from './owned-fields.ts';

/** An object with a status, as far as this room reads it. */
interface WithStatus extends KubeObject {
  readonly status?: StatusFields;
}
type StatusFields = Readonly<Record<string, unknown>> & { readonly conditions?: readonly Condition[] };

/** The status changes of a run, in order. Later fields and conditions replace earlier ones. */
export interface StatusChanges {
  readonly set: Readonly<Record<string, unknown>>;
  readonly conditions: readonly ConditionChange[];
}

export interface WriteStatusOptions extends ObjectCall {
  readonly fieldManager: string;
  readonly wallNow: number;
  /** Time since this status was last written. A change that only concerns messages waits until 10 s have passed. */
  readonly sinceWrittenMs?: number | undefined;
}

/** The result of a status write. */
export type StatusWrite<T> =
  | { readonly outcome: 'written'; readonly object: T }
  | { readonly outcome: 'unchanged' }
  /** Only messages differ, and the last write is too recent: write it in `afterMs`. */
  | { readonly outcome: 'put-off'; readonly afterMs: number };

/** Minimum time between two writes that only change messages: a message with a number in it must not cause a storm. */
const MESSAGE_INTERVAL_MS = 10_000;

/**
 * Applies the status once, if it differs from what `object` has.
 *
 * It is a server-side apply of the manager's whole part: fields that earlier runs set and this one did not are kept, and
 * conditions of other managers are not touched where the schema lists them by type.
 *
 * @param object the object as this run saw it; its generation becomes `observedGeneration`
 */
export async function writeStatus<T extends KubeObject>(
  client: ObjectClient<T>,
  object: T,
  changes: StatusChanges,
  { fieldManager, wallNow, sinceWrittenMs = MESSAGE_INTERVAL_MS, ...call }: WriteStatusOptions,
): Promise<StatusWrite<T>> {
  const seen = (object as WithStatus).status ?? {};
  const next = changedToWriteStatus(seen, changes, { wallNow, generation: object.metadata?.generation });
  if (isEqual(next, seen)) return { outcome: 'unchanged' };
  const dueMs = MESSAGE_INTERVAL_MS - sinceWrittenMs;
  if (dueMs > 0 && isEqual(writtenStatusWithoutMessages(next), writtenStatusWithoutMessages(seen)))
    return { outcome: 'put-off', afterMs: dueMs };
  const { apiVersion, kind, metadata: { name, namespace, uid } = {} } = object;
  const owned = (ownedFields(object, fieldManager, 'status') as WithStatus | undefined)?.status ?? {};
  const status = managedToWriteStatus(object, owned, next, changes);
  // The differences belong to other managers: fields beside ours in the same map.
  if (isEqual(status, owned)) return { outcome: 'unchanged' };
  // The uid makes the server refuse a successor of the same name.
  const metadata = defined({ name, namespace, uid });
  const applied = { apiVersion, kind, metadata, status } as unknown as Partially<T>;
  const written = await client.apply(applied, { ...call, fieldManager, force: true, subresource: 'status' });
  return { outcome: 'written', object: written };
}

/** The status with the changes of a run. */
function changedToWriteStatus(
  seen: StatusFields,
  { set, conditions }: StatusChanges,
  about: { readonly wallNow: number; readonly generation?: number | undefined },
): StatusFields {
  const fields = jsonToWriteStatus({ ...seen, ...set });
  if (conditions.length === 0) return fields;
  let list = seen.conditions ?? [];
  for (const change of conditions) list = setCondition(list, change, about);
  return { ...fields, conditions: list };
}

function jsonToWriteStatus(fields: StatusFields): StatusFields {
  try {
    return JSON.parse(JSON.stringify(fields)) as StatusFields;
  } catch (error) {
    throw new KubeError('INVALID_OPTION', `status: it cannot be written as JSON: ${errorMessageOf(error)}`, {
      cause: error,
    });
  }
}

/** The part of `next` that the manager already owns (`owned`) or changes now. */
function managedToWriteStatus(
  object: KubeObject,
  owned: StatusFields,
  next: StatusFields,
  { set, conditions }: StatusChanges,
): StatusFields {
  const names = new Set([...Object.keys(owned), ...Object.keys(set)].filter((name) => name !== 'conditions'));
  const fields = Object.fromEntries(Object.entries(next).filter(([name]) => names.has(name)));
  const types = new Set([...(owned.conditions ?? []), ...conditions].map(({ type }) => type));
  const isWhole = writesAtomicStatus(object);
  const ours = (next.conditions ?? []).filter(({ type }) => isWhole || types.has(type));
  return ours.length === 0 ? fields : { ...fields, conditions: ours };
}

/** Whether the schema does not list conditions by type, so that an apply replaces the whole list. */
function writesAtomicStatus({ metadata = {} }: KubeObject): boolean {
  return (metadata.managedFields ?? []).some(({ fieldsV1 }) => {
    const { 'f:status': status } = (fieldsV1 ?? {}) as { 'f:status'?: { 'f:conditions'?: object } };
    return status?.['f:conditions'] !== undefined && Object.keys(status['f:conditions']).length === 0;
  });
}

function writtenStatusWithoutMessages(status: StatusFields): StatusFields {
  const conditions = (status.conditions ?? []).map((condition) => ({ ...condition, message: '' }));
  return { ...status, conditions };
}
