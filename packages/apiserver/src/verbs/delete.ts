import { setDefinitionDeletedCondition } from '../api/kinds/definition/definition-conditions.ts';
import { type PodGrace, podDeletionSeconds } from '../api/kinds/pod/pod-deletion.ts';
import { copyJson, isSameJson } from '../core/json.ts';
import type { ApiObject, ObjectMeta } from '../core/kube-object.ts';
import { staleUpdateStatusError, statusError, type Status, successInsteadOfStatusError } from '../core/status-error.ts';
import { serverTimestamp } from '../core/server-timestamp.ts';
import { passAdmissionGate, admissionGateDeleteOptions } from './admission-gate.ts';
import { type Api, type Target } from './api-context.ts';
import { whenRecordsConverted } from './converted-records.ts';
import { readForVerb } from './read.ts';
import type { DeleteOptions } from './request/delete-options.ts';
import { ChangedMeanwhile, retriedSteps, type Steps } from './steps.ts';
import { writeWarningsOfOrphans } from './write-warnings.ts';

/** The response to a DELETE: the object if it still exists or if its kind returns it, otherwise a short Status. */
export type Deleted =
  | { readonly status: 200 | 202; readonly object: ApiObject }
  | { readonly status: 200; readonly success: Status };

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

/**
 * Deletes an object, or marks it: finalizers and a grace period keep it until they are over.
 *
 * Dependents are not deleted here: that is the garbage collector's task, and not every server has one.
 */
export function deleteNow(api: Api, target: Target, options: DeleteOptions): Steps<Deleted> {
  return retriedSteps(
    () => tryDelete(api, target, options),
    () => staleUpdateStatusError(target.served.resource, target.name),
  );
}

function* tryDelete(api: Api, target: Target, options: DeleteOptions): Steps<Deleted> {
  const { served } = target;
  target.requireHere?.();
  const record = readForVerb(target);
  const old = yield* whenRecordsConverted(() => served.object(record));
  served.strategy.beforeDelete?.(old);
  checkDeletePreconditions(target, old.metadata as ObjectMeta, options);
  yield* passAdmissionGate(api, target, {
    operation: 'DELETE',
    oldObject: old,
    dryRun: options.dryRun,
    options: admissionGateDeleteOptions(options),
  });
  target.requireHere?.();
  if (readForVerb(target) !== record) throw new ChangedMeanwhile();
  writeWarningsOfOrphans(target, options);

  const next = copyJson(old);
  const meta = next.metadata as ObjectMeta;
  const own = beginOwnDelete(api, target, next, options);
  if (own !== 'delete') {
    if (own === 'unchanged' || options.dryRun) return { status: 200, object: own === 'unchanged' ? old : next };
    return { status: 200, object: served.object(served.put(next)) };
  }
  setDeleteFinalizers(meta, keptAfterDelete(target, meta.finalizers ?? [], options));
  const grace = served.strategy.gracefulDeletion
    ? (podDeletionSeconds(old, options.gracePeriodSeconds, api.env.wallNow()) ?? 'as it is')
    : undefined;
  const isPending =
    meta.finalizers !== undefined || grace === 'as it is' || (grace?.deletionGracePeriodSeconds ?? 0) > 0;
  if (grace !== 'as it is' && (isPending || grace !== undefined))
    markDeletedObject(api, meta, old.metadata ?? {}, grace);
  const isChanged = !isSameJson(next, old);
  if (isPending) {
    const status = options.orphanDependents === false ? 202 : 200;
    if (!isChanged || options.dryRun) return { status, object: isChanged ? next : old };
    yield* whenRecordsConverted(() => served.asStored(next));
    if (readForVerb(target) !== record) throw new ChangedMeanwhile();
    const stored = served.put(next);
    return { status, object: yield* whenRecordsConverted(() => served.object(stored)) };
  }
  if (!options.dryRun) {
    // A kind with a grace period has two events: being deleted, then deleted.
    if (grace !== undefined && isChanged) served.put(next);
    const revision = served.collection.remove(record.namespace, record.name);
    if (revision !== undefined) meta.resourceVersion = String(revision);
  }
  return served.strategy.returnsDeletedObject
    ? { status: 200, object: next }
    : { status: 200, success: successInsteadOfStatusError(deletedStatus(target, meta.uid ?? '')) };
}

function setDeleteFinalizers(meta: ObjectMeta, finalizers: string[]): void {
  if (finalizers.length > 0) meta.finalizers = finalizers;
  else delete meta.finalizers;
}

function deletedStatus({ served, name }: Target, uid: string): Parameters<typeof successInsteadOfStatusError>[0] {
  const { group, resource } = served.resource;
  return { name, ...(group === '' ? {} : { group }), kind: resource, uid };
}

function checkDeletePreconditions({ served, name }: Target, meta: ObjectMeta, { preconditions }: DeleteOptions): void {
  const { group, kind } = served.resource;
  const refuse = (why: string): never => {
    const subject = group === '' ? kind : `${kind}.${group}`;
    const message = `Operation cannot be fulfilled on ${subject} ${JSON.stringify(name)}: ${why}`;
    throw statusError(409, 'Conflict', message, { details: { name, ...(group === '' ? {} : { group }), kind } });
  };
  const { uid, resourceVersion } = preconditions ?? {};
  if (typeof uid === 'string' && uid !== meta.uid)
    refuse(
      `the UID in the precondition (${uid}) does not match the UID in record (${meta.uid}). ` +
        'The object might have been deleted and then recreated',
    );
  if (typeof resourceVersion === 'string' && resourceVersion !== meta.resourceVersion)
    refuse(
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record ` +
        `(${meta.resourceVersion}). The object might have been modified`,
    );
}

/** Begins the deletion of kinds with a state of their own: they are removed only after their contents. */
function beginOwnDelete(
  api: Api,
  target: Target,
  next: ApiObject,
  options: DeleteOptions,
): 'delete' | 'changed' | 'unchanged' {
  const { served } = target;
  const { group, resource } = served.resource;
  const meta = next.metadata as ObjectMeta;
  const now = serverTimestamp(api.env.wallNow());
  if (group === '' && resource === 'namespaces') {
    const { finalizers = [] } = (next['spec'] ?? {}) as { finalizers?: readonly string[] };
    if (finalizers.length === 0 && (meta.finalizers ?? []).length === 0) return 'delete';
    if (meta.deletionTimestamp !== undefined) return 'unchanged';
    meta.deletionTimestamp = now;
    setDeleteFinalizers(meta, keptAfterDelete(target, meta.finalizers ?? [], options));
    next['status'] = { ...(next['status'] as object | undefined), phase: 'Terminating' };
    return 'changed';
  }
  if (group === 'apiextensions.k8s.io' && resource === 'customresourcedefinitions') {
    if (meta.deletionTimestamp !== undefined) return (meta.finalizers ?? []).length === 0 ? 'delete' : 'unchanged';
    setDefinitionDeletedCondition(next, now);
    return 'changed';
  }
  return 'delete';
}

/**
 * The finalizers of a deleted object, including those for the garbage collector's work before the object is
 * removed.
 */
function keptAfterDelete({ served }: Target, finalizers: readonly string[], options: DeleteOptions): string[] {
  const kept = finalizers.filter((finalizer) => finalizer !== ORPHAN && finalizer !== FOREGROUND);
  const policy = deletePropagation(finalizers, options) ?? served.strategy.defaultPropagation;
  if (served.strategy.hasDependents === false) return kept;
  if (policy === 'Orphan') return [...kept, ORPHAN];
  return policy === 'Foreground' ? [...kept, FOREGROUND] : kept;
}

function deletePropagation(finalizers: readonly string[], options: DeleteOptions): DeleteOptions['propagationPolicy'] {
  if (options.orphanDependents !== undefined) return options.orphanDependents ? 'Orphan' : 'Background';
  if (options.propagationPolicy !== undefined) return options.propagationPolicy;
  // An earlier delete has already decided.
  if (finalizers.includes(ORPHAN)) return 'Orphan';
  return finalizers.includes(FOREGROUND) ? 'Foreground' : undefined;
}

/** Marks the object as being deleted, once; a grace period can still become shorter. */
function markDeletedObject(api: Api, meta: ObjectMeta, before: ObjectMeta, grace: PodGrace | undefined): void {
  const isFirst = before.deletionTimestamp === undefined;
  if (isFirst && meta.generation !== undefined && meta.generation > 0) meta.generation += 1;
  if (grace !== undefined) Object.assign(meta, grace);
  else if (isFirst)
    Object.assign(meta, { deletionTimestamp: serverTimestamp(api.env.wallNow()), deletionGracePeriodSeconds: 0 });
}
