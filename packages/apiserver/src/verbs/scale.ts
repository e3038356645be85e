import { serverSideApply } from '../api/apply/server-side-apply.ts';
import { managedFieldsAfterUpdate } from '../api/apply/managed-fields.ts';
import { type ScaledObject, objectOwnersFromScale, scaleOwnersFromObject } from '../api/apply/scale-owners.ts';
import type { WriteRequest } from '../api/apply/write-request.ts';
import type { ScalePaths } from '../api/kinds/common/kind-rule.ts';
import { builtinSchema } from '../api/schema/builtin-schema.ts';
import type { Resource } from '../api/schema/resource.ts';
import type { Schema } from '../api/schema/schema.ts';
import { invalidFieldError } from '../core/field-error.ts';
import { copyJson } from '../core/json.ts';
import type { ApiObject, ManagedFields } from '../core/kube-object.ts';
import {
  internalStatusError,
  invalidStatusError,
  noSuchResourceStatusError,
  notFoundStatusError,
  staleUpdateStatusError,
  unknownStatusError,
} from '../core/status-error.ts';
import type { StoredRecord } from '../storage/store/stored-record.ts';
import { passAdmissionGate, admissionGateWriteOptions } from './admission-gate.ts';
import { type Api, apiContextNow, type Target, type WriteOptions } from './api-context.ts';
import { appliedPatchObject, type Patch, patchedObject } from './patch.ts';
import { whenRecordsConverted } from './converted-records.ts';
import { readForVerb } from './read.ts';
import type { Decodable } from './request/decode-request.ts';
import { retriedSteps, type Steps } from './steps.ts';
import { checkUpdatedPlace, checkUpdatedUid, storeUpdate } from './update.ts';

const RESOURCE: Resource = {
  group: 'autoscaling',
  version: 'v1',
  resource: 'scales',
  singular: 'scale',
  kind: 'Scale',
  listKind: 'ScaleList',
  namespaced: true,
  verbs: ['get', 'patch', 'update'],
  shortNames: [],
  categories: [],
  subresources: [],
  custom: false,
  get schema(): Schema | undefined {
    return builtinSchema('autoscaling', 'v1', 'Scale');
  },
};

/** The kind of the `scale` subresource. */
const SCALE: Decodable = {
  resource: RESOURCE,
  apiVersion: 'autoscaling/v1',
  named: ({ kind: _kind, apiVersion: _apiVersion, ...rest }) => ({
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    ...rest,
  }),
};

/**
 * The kind of the `scale` of a target. When the real server refuses another type for a custom resource, its
 * message does not name the expected one.
 */
export const scaleKindOf = ({ served }: Target): Decodable =>
  served.resource.custom
    ? { ...SCALE, otherKindFault: 'no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"' }
    : SCALE;

/** The `scale` of an object: the same few fields for all kinds with replicas. */
export function* getScale(target: Target): Steps<ApiObject> {
  const record = readForVerb(target);
  const scale = scaleOf(target, yield* whenRecordsConverted(() => target.served.object(record)));
  if (target.served.resource.custom && scaleReplicas(scale) === undefined)
    throw internalStatusError(
      `the spec replicas field ${JSON.stringify(scalePathsOf(target).specReplicas)} does not exist`,
    );
  return scale;
}

export function putScale(api: Api, target: Target, scale: ApiObject, options: WriteOptions): Steps<ApiObject> {
  return scaleAgain(target, () => putScaleOnce(api, target, copyJson(scale), options));
}

const scaleAgain = ({ served, name }: Target, write: () => Steps<ApiObject>): Steps<ApiObject> =>
  retriedSteps(write, () => staleUpdateStatusError(served.resource, name));

function* putScaleOnce(api: Api, target: Target, scale: ApiObject, options: WriteOptions): Steps<ApiObject> {
  const record = target.served.collection.get(target.namespace, target.name);
  if (record === undefined) throw notFoundStatusError(target.served.resource, target.name);
  checkUpdatedPlace((scale.metadata ??= {}), target);
  checkUpdatedUid(
    target,
    scale.metadata,
    (yield* whenRecordsConverted(() => target.served.object(record))).metadata?.uid ?? '',
  );
  return yield* setScaleReplicas(api, target, record, scaleManagers(api, target, record, scale, options), options);
}

export function patchScale(api: Api, target: Target, patch: Patch, options: WriteOptions): Steps<ApiObject> {
  return scaleAgain(target, () => patchScaleOnce(api, target, patch, options));
}

function* patchScaleOnce(api: Api, target: Target, patch: Patch, options: WriteOptions): Steps<ApiObject> {
  const { served, namespace, name, warn } = target;
  const record = served.collection.get(namespace, name);
  if (record === undefined) throw notFoundStatusError(served.resource, name);
  yield* whenRecordsConverted(() => served.object(record));
  if (patch.type === 'application/apply-patch+yaml') return yield* applyScale(api, target, record, patch, options);
  const { fieldValidation } = options;
  const next = patchedObject(api, SCALE, ownedScale(api, target, record), patch, { fieldValidation, warn });
  checkUpdatedPlace((next.metadata ??= {}), target);
  const tracked = scaleManagers(api, target, record, next, options);
  return yield* setScaleReplicas(api, target, record, tracked, options);
}

function applyScale(
  api: Api,
  target: Target,
  record: StoredRecord,
  patch: Patch,
  options: WriteOptions,
): Steps<ApiObject> {
  const applied = appliedPatchObject(patch, options.fieldValidation);
  const live = ownedScale(api, target, record);
  // Everything would have to be given to an earlier manager; a real server fails at that, with this message.
  if (target.served.resource.custom && live.metadata?.managedFields === undefined)
    throw unknownStatusError(
      'failed to create manager for existing fields: failed to convert live object (/; autoscaling/v1, Kind=Scale) to ' +
        'proper version: request to convert CR to an invalid group/version: autoscaling/v1',
    );
  const next = serverSideApply({ ...scaleWrite(api, options), live, applied, force: patch.force });
  checkUpdatedPlace((next.metadata ??= {}), target);
  return setScaleReplicas(api, target, record, next, options);
}

function* setScaleReplicas(
  api: Api,
  target: Target,
  record: StoredRecord,
  given: ApiObject,
  options: WriteOptions,
): Steps<ApiObject> {
  const { served, name } = target;
  const admitted = yield* passAdmissionGate(api, target, {
    operation: 'UPDATE',
    kind: SCALE,
    object: given,
    oldObject: scaleOf(target, served.object(record)),
    dryRun: options.dryRun,
    options: admissionGateWriteOptions('UpdateOptions', options),
  });
  const scale = admitted ?? given;
  const { specReplicas } = scalePathsOf(target);
  const replicas = scaleReplicas(scale) ?? 0;
  if (replicas < 0)
    throw served.resource.custom
      ? invalidStatusError(served.resource, name, [
          invalidFieldError(specReplicas, replicas, 'should be a non-negative integer'),
        ])
      : invalidStatusError({ group: 'autoscaling', kind: 'Scale' }, name, [
          invalidFieldError('spec.replicas', replicas, 'must be greater than or equal to 0'),
        ]);
  const next = copyJson(served.object(record));
  const meta = (next.metadata ??= {});
  writeScalePath(next, specReplicas, replicas);
  const version = scale.metadata?.resourceVersion;
  if (version === undefined) delete meta.resourceVersion;
  else meta.resourceVersion = version;
  const owners = api.tracksManagers
    ? objectOwnersFromScale(scaledObject(api, target, next), scale.metadata?.managedFields)
    : [];
  if (owners.length > 0) meta.managedFields = owners;
  else delete meta.managedFields;
  const part: Target = { ...target, admits: 'nothing' };
  const written = yield* storeUpdate(api, part, record, next, {
    ...options,
    isPatch: true,
    isUnconditional: true,
    keepsManagedFields: true,
  });
  return scaleOf(target, written.object);
}

/** The Scale with the owners that the replicas have in the scaled object. */
function ownedScale(api: Api, target: Target, record: StoredRecord): ApiObject {
  const object = target.served.object(record);
  const scale = scaleOf(target, object);
  return scaleFields(scale, scaleOwnersFromObject(scaledObject(api, target, object)));
}

/** `next` with its owners after this write. */
function scaleManagers(
  api: Api,
  target: Target,
  record: StoredRecord,
  next: ApiObject,
  options: WriteOptions,
): ApiObject {
  const before = ownedScale(api, target, record);
  const after = SCALE.named(next);
  return scaleFields(after, managedFieldsAfterUpdate({ ...scaleWrite(api, options), before, after }));
}

function scaleFields(scale: ApiObject, managedFields: ManagedFields[]): ApiObject {
  const { managedFields: _, ...metadata } = scale.metadata ?? {};
  return { ...scale, metadata: managedFields.length === 0 ? metadata : { ...metadata, managedFields } };
}

const scaleWrite = (api: Api, { fieldManager }: WriteOptions): WriteRequest => ({
  manager: fieldManager,
  apiVersion: SCALE.apiVersion,
  schema: RESOURCE.schema,
  subresource: 'scale',
  now: apiContextNow(api),
  resource: RESOURCE,
});

function scaledObject({ registry }: Api, { served }: Target, object: ApiObject): ScaledObject {
  const { group, resource } = served.resource;
  return {
    managedFields: object.metadata?.managedFields,
    apiVersion: served.apiVersion,
    replicasPath: (apiVersion) => {
      const version = apiVersion.slice(apiVersion.lastIndexOf('/') + 1);
      const path = registry.find(group, version, resource)?.strategy.scale?.specReplicas;
      return path === undefined ? undefined : scalePathSegments(path);
    },
  };
}

function scaleOf(target: Target, object: ApiObject): ApiObject {
  const paths = scalePathsOf(target);
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata ?? {};
  const replicas = valueToScale(object, paths.specReplicas);
  const isShown = typeof replicas === 'number' && (target.served.resource.custom || replicas !== 0);
  const selector = paths.selector(object);
  return JSON.parse(
    JSON.stringify({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
      spec: isShown ? { replicas } : {},
      status: {
        replicas: Number(valueToScale(object, paths.statusReplicas) ?? 0),
        ...(selector === '' ? {} : { selector }),
      },
    }),
  ) as ApiObject;
}

function scalePathsOf({ served }: Target): ScalePaths {
  const { scale } = served.strategy;
  if (scale === undefined) throw noSuchResourceStatusError();
  return scale;
}

function scaleReplicas(scale: ApiObject): number | undefined {
  const { replicas } = (scale['spec'] ?? {}) as { replicas?: unknown };
  return typeof replicas === 'number' ? replicas : undefined;
}

const scalePathSegments = (path: string): string[] => path.replace(/^\./, '').split('.');

function valueToScale(object: ApiObject, path: string): unknown {
  let value: unknown = object;
  for (const key of scalePathSegments(path)) {
    if (value === null || typeof value !== 'object') return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

function writeScalePath(object: ApiObject, path: string, value: number): void {
  const keys = scalePathSegments(path);
  const last = keys.pop() as string;
  let parent = object as Record<string, unknown>;
  for (const key of keys) parent = (parent[key] ??= {}) as Record<string, unknown>;
  parent[last] = value;
}
