import { serverSideApply } from '../api/apply/server-side-apply.ts';
import { jsonPatch, unknownInJsonPatch } from '../api/patch/json-patch.ts';
import { mergePatch } from '../api/patch/merge-patch.ts';
import { strategicPatch } from '../api/patch/strategic-patch.ts';
import type { Schema } from '../api/schema/schema.ts';
import { strictUnknownFieldFaults } from '../api/schema/unknown-fields.ts';
import { jsonSyntaxTypeName } from '../core/go/json-syntax.ts';
import { goQuoted } from '../core/go/go-quoted.ts';
import { goText } from '../core/go/text.ts';
import { copyJson, type Json, type JsonObject } from '../core/json.ts';
import type { ApiObject } from '../core/kube-object.ts';
import {
  badRequestStatusError,
  conflictStatusError,
  statusError,
  notFoundStatusError,
  staleUpdateStatusError,
  type StatusError,
  unknownStatusError,
  unsupportedMediaTypeStatusError,
} from '../core/status-error.ts';
import { type Api, apiContextWrite, type Target, type WriteOptions, type Written } from './api-context.ts';
import { create } from './create.ts';
import { whenRecordsConverted } from './converted-records.ts';
import { type Decodable, decodeKnownRequestFields, otherRequestKind } from './request/decode-request.ts';
import { type TypeFault, typeFault } from './request/type-fault.ts';
import { retriedSteps, type Steps } from './steps.ts';
import { checkUpdatedPlace, storeUpdate } from './update.ts';

export type PatchType =
  | 'application/json-patch+json'
  | 'application/merge-patch+json'
  | 'application/strategic-merge-patch+json'
  | 'application/apply-patch+yaml';

export interface Patch {
  readonly type: PatchType;
  /** The parsed patch: JSON, or YAML for an apply. */
  readonly value: Json;
  readonly force: boolean;
  /** Duplicate keys in the text of the patch, for the warning. */
  readonly duplicates?: readonly string[];
}

const BUILTIN_TYPES: readonly PatchType[] = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];
const CUSTOM_TYPES = BUILTIN_TYPES.filter((type) => type !== 'application/strategic-merge-patch+json');

/** The patch type of a body, or a 415: custom resources have no strategic merge. */
export function patchType(mediaType: string, isCustom: boolean): PatchType {
  const types: readonly string[] = isCustom ? CUSTOM_TYPES : BUILTIN_TYPES;
  if (types.includes(mediaType)) return mediaType as PatchType;
  throw isCustom
    ? unsupportedMediaTypeStatusError(types)
    : statusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', { details: {} });
}

/** Handles a PATCH of an object or its status. Concurrent patches never conflict: each works on the newest state. */
export function patch(api: Api, target: Target, request: Patch, options: WriteOptions): Steps<Written> {
  const once = request.type === 'application/apply-patch+yaml' ? patchByApply : patchOnce;
  return retriedSteps(
    () => once(api, target, request, options),
    () => staleUpdateStatusError(target.served.resource, target.name),
  );
}

function* patchOnce(api: Api, target: Target, request: Patch, options: WriteOptions): Steps<Written> {
  const { served, namespace, name } = target;
  const record = served.collection.get(namespace, name);
  if (record === undefined) throw notFoundStatusError(served.resource, name);
  const { fieldValidation } = options;
  const old = yield* whenRecordsConverted(() => served.object(record));
  const next = patchedObject(api, served, old, request, { fieldValidation, warn: target.warn });
  checkUpdatedPlace(next.metadata ?? {}, target);
  return yield* storeUpdate(api, target, record, next, { ...options, isPatch: true });
}

/** `old` after the patch, with only the fields of its kind. `served` is the resource that the patch is for. */
export function patchedObject(
  { registry }: Api,
  served: Decodable,
  old: ApiObject,
  { type, value, duplicates = [] }: Patch,
  { fieldValidation, warn }: Pick<WriteOptions, 'fieldValidation'> & Pick<Target, 'warn'>,
): ApiObject {
  const { kind, custom, schema } = served.resource;
  const result = applyPatch(old as JsonObject, type, value, schema);
  const isStrategic = type === 'application/strategic-merge-patch+json';
  const shown = isStrategic ? goText(value) : JSON.stringify(sortPatchedKeys(result));
  const refuse = (why: string): StatusError => invalidPatch(shown, why);
  const [givenKind, givenVersion] = [result['kind'] ?? '', result['apiVersion'] ?? ''].map((given) =>
    typeof given === 'string' ? given : JSON.stringify(given),
  ) as [string, string];
  if (givenKind === '' && !custom) result['kind'] = kind;
  // Without a version it is decoded as the server's own struct, in which no field has its JSON name.
  if (givenVersion === '' && result['kind'] === kind && !custom) return {};
  if (result['kind'] !== kind || givenVersion !== served.apiVersion)
    throw refuse(otherRequestKind(registry, givenVersion, givenKind, served.resource));
  const fault = custom ? undefined : typeFault(result, schema, kind);
  if (fault !== undefined) throw refuse(isStrategic ? patchVerbFault(fault) : fault.why);
  const unknown = type === 'application/json-patch+json' ? unknownInJsonPatch(value) : [];
  const faults =
    fieldValidation === 'Ignore'
      ? []
      : [
          ...duplicates,
          ...unknown.map((path) => `json patch unknown field ${goQuoted(path)}`),
          ...strictUnknownFieldFaults(result as ApiObject, schema),
        ];
  return decodeKnownRequestFields(result as ApiObject, { registry, served, fieldValidation, warn }, faults, (all) =>
    refuse(`strict decoding error: ${all.join(', ')}`),
  );
}

/**
 * The message about an invalid value. Strategic patches are decoded directly and not as JSON, and that
 * decoder's messages differ.
 */
function patchVerbFault({ why, isInText }: TypeFault): string {
  if (isInText) return patchVerbTreeFault(why);
  const type = why.slice(why.lastIndexOf(' ') + 1);
  const [, name = '', number] = /cannot unmarshal (\w+)(?: (\S+))? into /.exec(why) ?? [];
  if (number !== undefined) return Number.isInteger(Number(number)) ? why : `cannot convert float64 to ${type}`;
  const from = GO_KINDS.get(name) ?? name;
  if (type.startsWith('[]')) return `cannot restore slice from ${from}`;
  if (type.startsWith('map[')) return `cannot restore map from ${from}`;
  if (type.includes('.')) return `cannot restore struct from: ${from}`;
  return type === 'string' && name === 'number' ? 'cannot convert int64 to string' : `unrecognized type: ${type}`;
}

/** Names of the Go decoder for the types of JSON values. */
const GO_KINDS: ReadonlyMap<string, string> = new Map<string, string>(
  Object.entries({ object: 'map', array: 'slice', number: 'int64' }),
);

/** The message about a value in a tree. Bytes are the one type for which that decoder uses JSON's. */
const patchVerbTreeFault = (why: string): string =>
  why.startsWith('illegal base64') ? `error decoding from json: ${why}` : why;

/** Sorts the keys of the first level only: the patch library does not sort the others. */
const sortPatchedKeys = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1)));

function applyPatch(old: JsonObject, type: PatchType, value: Json, schema: Schema | undefined): JsonObject {
  switch (type) {
    case 'application/json-patch+json':
      return jsonPatch(old, value);
    case 'application/merge-patch+json':
      return mergePatch(old, value);
    case 'application/strategic-merge-patch+json':
    case 'application/apply-patch+yaml':
      return strategicPatch(old, value, schema);
  }
}

/** Handles a server-side apply, which creates the object if it does not exist. */
function* patchByApply(api: Api, target: Target, request: Patch, options: WriteOptions): Steps<Written> {
  const { served, name, namespace, subresource, warn } = target;
  const { fieldValidation } = options;
  const applied = appliedPatchObject(request, fieldValidation);
  const record = served.collection.get(namespace, name);
  if (record === undefined && subresource !== '') throw notFoundStatusError(served.resource, name);
  const merged = yield* whenRecordsConverted(() =>
    serverSideApply({
      ...apiContextWrite(api, target, options.fieldManager),
      live: record === undefined ? undefined : copyJson(served.object(record)),
      applied: copyJson(applied),
      force: request.force,
    }),
  );
  checkAppliedPatch(merged, served, target.name);
  const { duplicates = [] } = request;
  if (fieldValidation === 'Warn') for (const line of duplicates) warn(line);
  const faults = fieldValidation === 'Ignore' ? [] : strictUnknownFieldFaults(merged, served.resource.schema);
  const next = decodeKnownRequestFields(
    merged,
    { registry: api.registry, served, fieldValidation, warn },
    faults,
    (all) => badRequestStatusError(`strict decoding error: ${all.join(', ')}`),
  );
  checkUpdatedPlace((next.metadata ??= {}), target);
  if (record === undefined) {
    const { uid = '' } = next.metadata;
    if (uid !== '')
      throw conflictStatusError(
        served.resource,
        name,
        `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
      );
    delete next.metadata.resourceVersion;
    return yield* create(api, target, next, { ...options, keepsManagedFields: true, isImplied: true });
  }
  return yield* storeUpdate(api, target, record, next, { ...options, isPatch: true, keepsManagedFields: true });
}

/** Checks the values of an applied patch, whose shape was already checked. Throws 500. */
function checkAppliedPatch(merged: ApiObject, { resource, apiVersion }: Decodable, name: string): void {
  const fault = resource.custom ? undefined : typeFault(merged as Json, resource.schema, resource.kind);
  if (fault === undefined) return;
  const type = `${apiVersion.includes('/') ? '' : '/'}${apiVersion}, Kind=${resource.kind}`;
  throw unknownStatusError(
    `failed to convert new object (/${name}; ${type}) to proper version: ` +
      `unable to convert unstructured object to ${type}: ${fault.isInText ? patchVerbTreeFault(fault.why) : fault.why}`,
  );
}

/** The applied object as sent, without the server's own additions, which would look like the applier's. Throws 400. */
export function appliedPatchObject(
  { value, duplicates = [] }: Patch,
  fieldValidation: WriteOptions['fieldValidation'],
): ApiObject {
  if (value !== null && (typeof value !== 'object' || Array.isArray(value)))
    throw badRequestStatusError(
      'error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ' +
        `${jsonSyntaxTypeName(value)} into Go value of type map[string]interface {}`,
    );
  if (fieldValidation === 'Strict' && duplicates.length > 0)
    throw badRequestStatusError(
      'error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n' +
        duplicates.map((line) => `  ${line}`).join('\n'),
    );
  return copyJson(value ?? {}) as ApiObject;
}

/** The status 422 for a patch whose result is not an object of the kind, so that it has neither a kind nor a name. */
const invalidPatch = (value: string, why: string): StatusError =>
  statusError(422, 'Invalid', ` "" is invalid: patch: Invalid value: ${JSON.stringify(value)}: ${why}`, {
    details: {
      causes: [
        { reason: 'FieldValueInvalid', message: `Invalid value: ${JSON.stringify(value)}: ${why}`, field: 'patch' },
      ],
    },
  });
