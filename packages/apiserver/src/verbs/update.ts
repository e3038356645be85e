import { managedFieldsAfterUpdate } from '../api/apply/managed-fields.ts';
import { metaUpdateErrors } from '../api/meta/meta-errors.ts';
import { type FieldError, invalidFieldError } from '../core/field-error.ts';
import { copyJson, isSameJson } from '../core/json.ts';
import type { ApiObject, ObjectMeta } from '../core/kube-object.ts';
import {
  badRequestStatusError,
  conflictStatusError,
  statusError,
  invalidStatusError,
  notFoundStatusError,
  statusErrorResource,
  staleUpdateStatusError,
  unknownStatusError,
} from '../core/status-error.ts';
import { storageKey } from '../storage/store/storage-key.ts';
import type { StoredRecord } from '../storage/store/stored-record.ts';
import { builtinAdmissionOnUpdate } from './plugins/builtin-admission.ts';
import { mutateAtAdmissionGate, validateAtAdmissionGate, admissionGateWriteOptions } from './admission-gate.ts';
import { type Api, apiContextWrite, type Target, type WriteOptions, type Written } from './api-context.ts';
import { kindBlamedOnCreate, create, createOrUpdateSchemaErrors } from './create.ts';
import { whenRecordsConverted } from './converted-records.ts';
import { queryResourceVersionFault } from './request/query.ts';
import { ChangedMeanwhile, retriedSteps, type Steps } from './steps.ts';
import { writeWarningsOfContent } from './write-warnings.ts';

export interface UpdateOptions extends WriteOptions {
  /** Whether the new object is the old one with changes, so that it has the old uid and resourceVersion. */
  readonly isPatch?: boolean;
  /** Whether managedFields are already correct, as after an apply. */
  readonly keepsManagedFields?: boolean;
  /** Whether a missing resourceVersion is accepted for every kind, as in a write through `scale`. */
  readonly isUnconditional?: boolean;
}

/** Handles a PUT: replaces the object, or its status. */
export function update(api: Api, target: Target, object: ApiObject, options: WriteOptions): Steps<Written> {
  return retriedSteps(
    () => tryUpdate(api, target, copyJson(object), options),
    () => staleUpdateStatusError(target.served.resource, target.name),
  );
}

function* tryUpdate(api: Api, target: Target, object: ApiObject, options: WriteOptions): Steps<Written> {
  const { served, name, namespace, subresource } = target;
  checkUpdatedPlace(object.metadata ?? {}, target);
  const record = served.collection.get(namespace, name);
  if (record === undefined) {
    if (subresource !== '' || !served.strategy.allowsCreateOnUpdate) throw notFoundStatusError(served.resource, name);
    const uid = object.metadata?.uid ?? '';
    if (uid !== '') throw updateOfOtherUid(target, uid, '');
    delete object.metadata?.resourceVersion;
    return yield* create(api, target, object, { ...options, isImplied: true });
  }
  return yield* storeUpdate(api, target, record, object, options);
}

/**
 * Replaces `record` by `next`, with all checks of an update. `next` is the caller's own copy. Throws
 * `ChangedMeanwhile` when another request wrote the object while admission was waiting.
 */
export function* storeUpdate(
  api: Api,
  target: Target,
  record: StoredRecord,
  given: ApiObject,
  options: UpdateOptions,
): Steps<Written> {
  const { served } = target;
  const { resource, strategy } = served;
  target.requireHere?.();
  // Loaded objects lack the defaults of their kind; a real server adds them to every object that it reads from storage.
  const old = copyJson(yield* whenRecordsConverted(() => served.object(record)));
  strategy.applyDefaults(old);
  const oldMeta = old.metadata as ObjectMeta;
  const sent = (given.metadata ??= {});
  if (options.isPatch !== true) checkUpdatedUid(target, sent, oldMeta.uid ?? '');
  checkUpdatedVersion(target, record, sent, options);
  restoreUpdatedMetadata(sent, oldMeta);

  const clearsOwners = sent.managedFields?.length === 0;
  strategy.applyDefaults(given);
  // A typed object drops an empty list; here an explicit empty list clears it.
  if (clearsOwners) (given.metadata ??= {}).managedFields = [];
  if (options.keepsManagedFields !== true)
    yield* whenRecordsConverted(() => managersOnUpdate(api, target, old, given, options));
  const write = {
    operation: 'UPDATE',
    dryRun: options.dryRun,
    options: admissionGateWriteOptions('UpdateOptions', options),
    oldObject: old,
  } as const;
  const next = yield* mutateAtAdmissionGate(api, target, { ...write, object: given });
  if (next !== given) strategy.applyDefaults(next);
  const context = { ...api.kindContext(options.dryRun), user: target.user };
  if (target.subresource === 'status') strategy.prepareStatusUpdate(next, old, context);
  else if (strategy.hasPart(target.subresource)) strategy.preparePartUpdate(target.subresource, next, old);
  else if (target.subresource === 'finalize') next['status'] = copyJson(old['status']);
  else strategy.prepareUpdate(next, old, context);

  // Read only now: strategies may replace the metadata.
  const meta = next.metadata as ObjectMeta;
  const errors = [
    ...metaUpdateErrors(resource, meta, oldMeta),
    ...updateErrors(target, next, old),
    ...createOrUpdateSchemaErrors(next, target, old),
  ];
  if (errors.length > 0) throw invalidStatusError(kindBlamedOnCreate(resource), target.name, errors);
  writeWarningsOfContent(target, next, old);
  builtinAdmissionOnUpdate(api, target, next, old);
  yield* validateAtAdmissionGate(api, target, { ...write, object: served.named(next) });
  meta.resourceVersion = oldMeta.resourceVersion as string;
  const shown = yield* whenRecordsConverted(() => served.asStored(next));
  target.requireHere?.();
  if (served.collection.get(record.namespace, record.name) !== record) throw new ChangedMeanwhile();

  if (isGoneAfterUpdate(target, next, oldMeta)) {
    if (!options.dryRun) served.collection.remove(record.namespace, record.name);
    return { status: 200, object: served.named(next) };
  }
  if (isSameJson(shown, old)) return { status: 200, object: old, record };
  if (options.dryRun) return { status: 200, object: shown };
  const stored = served.put(next);
  return { status: 200, object: yield* whenRecordsConverted(() => served.object(stored)), record: stored };
}

/** Errors of the kind's rules about the change, or about the part that is written. */
function updateErrors({ served, subresource }: Target, next: ApiObject, old: ApiObject): FieldError[] {
  const { strategy } = served;
  if (subresource === 'status') return strategy.validateStatusUpdate(next, old);
  return strategy.hasPart(subresource)
    ? strategy.validatePartUpdate(subresource, next, old)
    : strategy.validateUpdate(next, old);
}

/** Throws unless the object is the one that the path names. */
export function checkUpdatedPlace(meta: ObjectMeta, { name, namespace, served }: Target): void {
  const given = meta.name ?? '';
  if (given === '')
    throw badRequestStatusError(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    );
  if (given !== name)
    throw badRequestStatusError(`the name of the object (${given}) does not match the name on the URL (${name})`);
  if (!served.resource.namespaced) delete meta.namespace;
  else if ((meta.namespace ?? '') !== '' && meta.namespace !== namespace)
    throw badRequestStatusError(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
}

/** Throws a conflict if the object of that name is not the one the client means. */
export function checkUpdatedUid(target: Target, { uid = '' }: ObjectMeta, is: string): void {
  if (uid !== '' && uid !== is) throw updateOfOtherUid(target, uid, is);
}

function checkUpdatedVersion(target: Target, record: StoredRecord, meta: ObjectMeta, options: UpdateOptions): void {
  const { resource, strategy } = target.served;
  const version = meta.resourceVersion ?? '';
  const fault = queryResourceVersionFault(version);
  if (fault !== undefined) throw unknownStatusError(fault);
  if (Number(version) === 0) {
    if (strategy.allowsUnconditionalUpdate || options.isUnconditional === true) return;
    const error = invalidFieldError('metadata.resourceVersion', 0, 'must be specified for an update');
    // The only 422 that names the resource instead of the kind.
    throw statusError(
      422,
      'Invalid',
      `${statusErrorResource(resource)} ${JSON.stringify(target.name)} is invalid: ${error.field}: ${error.message}`,
      {
        details: {
          name: target.name,
          ...(resource.group === '' ? {} : { group: resource.group }),
          kind: resource.resource,
          causes: [error].map(({ reason, message, field }) => ({ reason, message, field })),
        },
      },
    );
  }
  if (Number(version) !== record.revision) throw staleUpdateStatusError(resource, target.name);
}

/** The status 409 with the storage's message, which names a key and no object. */
function updateOfOtherUid(
  { served, namespace, name }: Target,
  given: string,
  is: string,
): ReturnType<typeof conflictStatusError> {
  const { resource } = served;
  return conflictStatusError(
    resource,
    name,
    `StorageError: invalid object, Code: 4, Key: /registry${storageKey(resource, namespace, name)}, ResourceVersion: 0, ` +
      `AdditionalErrorMsg: Precondition failed: UID in precondition: ${given}, UID in object meta: ${is}`,
  );
}

/** Restores metadata that a client leaves out or may not change. */
function restoreUpdatedMetadata(meta: ObjectMeta, old: ObjectMeta): void {
  const keep = <K extends keyof ObjectMeta>(key: K): void => {
    const value = old[key];
    if (value === undefined) delete meta[key];
    else meta[key] = copyJson(value);
  };
  for (const key of ['uid', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const)
    if (meta[key] === undefined || meta[key] === null || meta[key] === '') keep(key);
  keep('creationTimestamp');
  keep('generation');
  keep('selfLink');
  if (old.namespace !== undefined) meta.namespace = old.namespace;
  if ((meta.generateName ?? '') === '') delete meta.generateName;
}

function managersOnUpdate(
  api: Api,
  target: Target,
  old: ApiObject,
  next: ApiObject,
  { fieldManager }: WriteOptions,
): void {
  const meta = next.metadata as ObjectMeta;
  if (!api.tracksManagers) {
    delete meta.managedFields;
    return;
  }
  const managedFields = managedFieldsAfterUpdate({
    ...apiContextWrite(api, target, fieldManager),
    before: old,
    after: target.served.named(next),
  });
  if (managedFields.length > 0) meta.managedFields = managedFields;
  else delete meta.managedFields;
}

/** Whether the update removes the last finalizer of an object that is being deleted, so that the object is removed. */
function isGoneAfterUpdate({ served }: Target, next: ApiObject, old: ObjectMeta): boolean {
  if (old.deletionTimestamp === undefined || (old.deletionGracePeriodSeconds ?? 0) !== 0) return false;
  if ((next.metadata?.finalizers ?? []).length > 0) return false;
  const { group, resource } = served.resource;
  if (group !== '' || resource !== 'namespaces') return true;
  const { finalizers = [] } = (next['spec'] ?? {}) as { finalizers?: readonly string[] };
  return finalizers.length === 0;
}
