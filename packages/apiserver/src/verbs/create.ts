import { managedFieldsAfterUpdate } from '../api/apply/managed-fields.ts';
import { scaleErrors } from '../api/kinds/definition/scale-errors.ts';
import { generateName } from '../api/meta/name-errors.ts';
import { metaErrors, wipeServerMeta } from '../api/meta/meta-errors.ts';
import { loadedRules, mustLoadRules } from '../api/rules/load-rules.ts';
import { applySchemaDefaults } from '../api/schema/apply-defaults.ts';
import type { Resource } from '../api/schema/resource.ts';
import { validateAgainstSchema, validateStatusBySchema } from '../api/schema/validation/validate.ts';
import { type FieldError, invalidFieldError } from '../core/field-error.ts';
import type { ApiObject, ObjectMeta } from '../core/kube-object.ts';
import {
  alreadyExistsStatusError,
  badRequestStatusError,
  forbiddenStatusError,
  exhaustedNamesStatusError,
  internalStatusError,
  invalidStatusError,
  notFoundStatusError,
  unknownStatusError,
} from '../core/status-error.ts';
import { uuid } from '../core/uuid.ts';
import { builtinAdmissionAfterCreate, builtinAdmissionOnCreate } from './plugins/builtin-admission.ts';
import { mutateAtAdmissionGate, validateAtAdmissionGate, admissionGateWriteOptions } from './admission-gate.ts';
import {
  type Api,
  apiContextWrite,
  apiContextNow,
  type Target,
  type WriteOptions,
  type Written,
} from './api-context.ts';
import { whenRecordsConverted } from './converted-records.ts';
import { queryResourceVersionFault } from './request/query.ts';
import type { Steps } from './steps.ts';
import { writeWarningsOfContent } from './write-warnings.ts';

/** Maximum number of attempts to generate a free name. */
const NAME_TRIES = 8;

export interface CreateOptions extends WriteOptions {
  /** Whether the body has already been applied or tracked, so that its managedFields are correct. */
  readonly keepsManagedFields?: boolean;
  /** Whether the request is a PUT or an apply, so that the right to create has not been checked yet. */
  readonly isImplied?: boolean;
}

/** Stores a new object. `object` is the caller's own copy, in the served version. */
export function* create(api: Api, target: Target, given: ApiObject, options: CreateOptions): Steps<Written> {
  const { served } = target;
  const { resource, strategy } = served;
  target.requireHere?.();
  fillCreatedMetadata(api, target, given);
  strategy.applyDefaults(given);
  if (options.keepsManagedFields !== true) managersOnCreate(api, target, given, options);
  builtinAdmissionOnCreate(api, target, given);
  const write = {
    operation: 'CREATE',
    dryRun: options.dryRun,
    options: admissionGateWriteOptions('CreateOptions', options),
  } as const;
  const object = yield* mutateAtAdmissionGate(api, target, { ...write, object: given });
  if (object !== given) strategy.applyDefaults(object);
  strategy.prepareCreate(object, { ...api.kindContext(options.dryRun), user: target.user });
  defaultStatusOnCreate(object, resource);

  // Read only now: strategies may replace the metadata.
  const meta = object.metadata as ObjectMeta;
  const errors: FieldError[] = [...metaErrors(resource, meta), ...strategy.validate(object)];
  if (resource.schema !== undefined) errors.push(...createOrUpdateSchemaErrors(object, target));
  if (errors.length > 0) throw invalidStatusError(kindBlamedOnCreate(resource), meta.name ?? '', errors);
  if (options.isImplied === true) target.requireCreate?.();
  writeWarningsOfContent(target, object);
  builtinAdmissionAfterCreate(api, target, object);
  yield* validateAtAdmissionGate(api, target, { ...write, object: served.named(object) });
  if (served.mayWait) yield* whenRecordsConverted(() => served.asStored(object));
  target.requireHere?.();

  const name = meta.name as string;
  const existing = served.collection.get(meta.namespace ?? '', name);
  if (existing !== undefined) {
    if ((meta.generateName ?? '') !== '' && target.name === '') throw exhaustedNamesStatusError(resource, name);
    const { deletionTimestamp } = served.collection.object(existing).metadata ?? {};
    throw alreadyExistsStatusError(resource, name, deletionTimestamp !== undefined);
  }
  // The version of an object that is not stored does not matter, and stays as it was sent.
  if (options.dryRun) return { status: 201, object: yield* whenRecordsConverted(() => served.asStored(object)) };
  // Parsed like the storage does: a version that is not a number counts as none.
  const version = meta.resourceVersion ?? '';
  if (queryResourceVersionFault(version) === undefined && Number(version) > 0)
    throw unknownStatusError('resourceVersion should not be set on objects to be created');
  delete meta.resourceVersion;
  const record = served.put(object);
  return { status: 201, object: yield* whenRecordsConverted(() => served.object(record)), record };
}

/** Sets the status of a new custom resource to the defaults of its schema; the one in the request is dropped. */
function defaultStatusOnCreate(object: ApiObject, { custom, schema }: Resource): void {
  if (!custom || schema === undefined || object['status'] !== undefined) return;
  const { status } = applySchemaDefaults(object, schema);
  if (status !== undefined) object['status'] = status;
}

/** Sets the metadata that the server decides: namespace, name, uid, creation time. */
function fillCreatedMetadata(api: Api, target: Target, object: ApiObject): void {
  const { resource } = target.served;
  const meta = wipeServerMeta((object.metadata ??= {}));
  setCreatedNamespace(resource.namespaced, meta, target.namespace);
  if (target.name !== '' && (meta.name ?? '') === '') meta.name = target.name;
  if (resource.namespaced) requireNamespaceForCreate(api, target, meta);
  if (resource.custom) requireDefinitionForCreate(api, target, meta);
  meta.uid = uuid(() => api.env.random());
  meta.creationTimestamp = apiContextNow(api);
  dropDuplicateOwnersOnCreate(meta, target);
  const { name = '', generateName: prefix = '' } = meta;
  if (name === '' && prefix !== '') meta.name = nameOnCreate(api, target, prefix);
}

/** Adds the managedFields entry of the creator. */
function managersOnCreate(api: Api, target: Target, object: ApiObject, { fieldManager }: WriteOptions): void {
  const { served } = target;
  const meta = object.metadata as ObjectMeta;
  delete meta.managedFields;
  if (!api.tracksManagers) return;
  const managedFields = managedFieldsAfterUpdate({
    ...apiContextWrite(api, target, fieldManager),
    before: undefined,
    after: served.named(object),
  });
  if (managedFields.length > 0) meta.managedFields = managedFields;
}

/**
 * Errors by the schema of a custom resource. Built-in kinds have their own rules, with other messages in
 * another order.
 */
export function createOrUpdateSchemaErrors(
  object: ApiObject,
  { served, subresource, warn }: Target,
  old?: ApiObject,
): FieldError[] {
  const { schema, custom } = served.resource;
  if (schema === undefined || !custom) return [];
  const validate = subresource === 'status' ? validateStatusBySchema : validateAgainstSchema;
  const { scale } = served.strategy;
  const errors = [
    ...validate(object, schema, old).toSorted(compareCreateErrors),
    ...(scale === undefined ? [] : scaleErrors(object, scale, subresource === 'status' ? 'status' : 'all')),
  ];
  // Failures of rules stay in the order of the rules.
  return mustLoadRules(schema)
    ? [...errors, ...createdObjectErrors(object, served.resource, errors, warn, old)]
    : errors;
}

/** Errors after which rules are not evaluated, because they expect values of the right types and sizes. */
const BLOCKS_RULES: ReadonlySet<string> = new Set([
  'FieldValueNotSupported', 'FieldValueRequired', 'FieldValueTooLong', 'FieldValueTooMany', 'FieldValueTypeInvalid',
]); // prettier-ignore
const NOT_CHECKED =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

function createdObjectErrors(
  object: ApiObject,
  { schema, resource, group }: Resource,
  found: readonly FieldError[],
  warn: (text: string) => void,
  old: ApiObject | undefined,
): readonly FieldError[] {
  if (found.some(({ reason }) => BLOCKS_RULES.has(reason))) return [invalidFieldError('<nil>', null, NOT_CHECKED)];
  const rules = loadedRules();
  if (rules === undefined || schema === undefined)
    throw internalStatusError(
      `the rules of ${resource}.${group} are not loaded yet: create the object over HTTP, or in a later turn of the event loop`,
    );
  const { errors, warnings } = rules.evaluateRules(object, schema, old);
  for (const text of warnings) warn(text);
  return errors;
}

/** The kind that a 422 names. The rules of events are older than their group. */
export const kindBlamedOnCreate = ({ group, kind }: Resource): Pick<Resource, 'group' | 'kind'> => ({
  group: group === 'events.k8s.io' ? '' : group,
  kind,
});

/** Orders errors by field; those without a field come last. */
function compareCreateErrors({ field: a }: FieldError, { field: b }: FieldError): number {
  if (a === b) return 0;
  if (a.startsWith('<') !== b.startsWith('<')) return a.startsWith('<') ? 1 : -1;
  return a < b ? -1 : 1;
}

function setCreatedNamespace(isNamespaced: boolean, meta: ObjectMeta, namespace: string): void {
  if (!isNamespaced) {
    delete meta.namespace;
    return;
  }
  if ((meta.namespace ?? '') === '') meta.namespace = namespace;
  else if (meta.namespace !== namespace)
    throw badRequestStatusError(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
}

/** Throws if the namespace is being deleted: nothing new is created in it. */
export function requireNamespaceForCreate(api: Api, { served, namespace }: Target, meta: ObjectMeta): void {
  const namespaces = api.registry.find('', 'v1', 'namespaces');
  const record = namespaces?.collection.get('', namespace);
  if (namespaces === undefined) return;
  if (record === undefined) throw notFoundStatusError(namespaces.resource, namespace);
  const { deletionTimestamp } = namespaces.collection.object(record).metadata ?? {};
  if (deletionTimestamp === undefined) return;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  throw forbiddenStatusError(served.resource, meta.name ?? '', why, [
    {
      reason: 'NamespaceTerminating',
      message: `namespace ${namespace} is being terminated`,
      field: 'metadata.namespace',
    },
  ]);
}

/** Throws if the definition is being deleted: nothing new of the kind is created. */
function requireDefinitionForCreate({ registry }: Api, { served }: Target, meta: ObjectMeta): void {
  const { group, resource } = served.resource;
  const definitions = registry.find('apiextensions.k8s.io', 'v1', 'customresourcedefinitions');
  const record = definitions?.collection.get('', `${resource}.${group}`);
  if (definitions === undefined || record === undefined) return;
  if (definitions.collection.object(record).metadata?.deletionTimestamp === undefined) return;
  throw forbiddenStatusError(
    served.resource,
    meta.name ?? '',
    'create not allowed while custom resource definition is terminating',
  );
}

function dropDuplicateOwnersOnCreate(meta: ObjectMeta, { warn }: Target): void {
  const owners = meta.ownerReferences;
  if (!Array.isArray(owners)) return;
  const seen = new Map(owners.map((owner) => [JSON.stringify(owner), owner]));
  if (seen.size === owners.length) return;
  meta.ownerReferences = [...seen.values()];
  warn(
    '.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests',
  );
}

/** Generates a name. The last try is used without a check: the caller finds out whether it is free. */
function nameOnCreate({ env }: Api, { served, namespace }: Target, prefix: string): string {
  const { collection, resource } = served;
  let name = '';
  for (let tries = 0; tries < NAME_TRIES; tries += 1) {
    name = generateName(prefix, () => env.random());
    if (collection.get(resource.namespaced ? namespace : '', name) === undefined) return name;
  }
  return name;
}
