import { badRequest, failure, notFound, type StatusError, unsupportedMediaType } from '../errors/status.ts';
import { serverSideApply } from '../patch/apply.ts';
import { goText } from '../patch/go-text.ts';
import { jsonPatch } from '../patch/json-patch.ts';
import { mergePatch } from '../patch/merge-patch.ts';
import { strategicPatch } from '../patch/strategic-patch.ts';
import type { ApiObject, Json, JsonObject } from '../types.ts';
import { type Api, copyOf, managedWrite, type Target, type WriteOptions, type Written } from './api.ts';
import { create } from './create.ts';
import { invalidPatch, knownFields } from './decode.ts';
import { typeFault } from './type-fault.ts';
import { checkPlace, replace } from './update.ts';

export type PatchType =
  | 'application/json-patch+json'
  | 'application/merge-patch+json'
  | 'application/strategic-merge-patch+json'
  | 'application/apply-patch+yaml';

export interface Patch {
  readonly type: PatchType;
  /** Parsed: JSON, or YAML for an apply. */
  readonly value: Json;
  readonly force: boolean;
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
    ? unsupportedMediaType(types)
    : failure(415, 'UnsupportedMediaType', '415: Unsupported Media Type', { details: {} });
}

/** PATCH of an object or its status. Concurrent patches never conflict: each works on the newest state. */
export function patch(api: Api, target: Target, request: Patch, options: WriteOptions): Written {
  if (request.type === 'application/apply-patch+yaml') return apply(api, target, request, options);
  const { served, namespace, name } = target;
  const record = served.collection.get(namespace, name);
  if (record === undefined) throw notFound(served.resource, name);
  const next = patched(api, target, served.object(record), request, options);
  checkPlace(next.metadata ?? {}, target);
  return replace(api, target, record, next, { ...options, isPatch: true });
}

/** The object after the patch, with the kind's own fields only. */
function patched(api: Api, target: Target, old: ApiObject, { type, value }: Patch, options: WriteOptions): ApiObject {
  const { served } = target;
  const { kind, custom, schema } = served.resource;
  const result = applyPatch(old as JsonObject, type, value, target);
  const isStrategic = type === 'application/strategic-merge-patch+json';
  const shown = isStrategic ? goText(value) : JSON.stringify(sortedByKey(result));
  const refuse = (why: string): StatusError => invalidPatch(shown, why);
  if (result['kind'] !== kind || result['apiVersion'] !== served.apiVersion)
    throw refuse(
      `no kind ${JSON.stringify(result['kind'] ?? '')} is registered for version ` +
        `${JSON.stringify(result['apiVersion'] ?? '')} in scheme "pkg/runtime/scheme.go:111"`,
    );
  const fault = custom ? undefined : typeFault(result, schema, kind);
  if (fault !== undefined)
    throw refuse(isStrategic ? `unrecognized type: ${fault.slice(fault.lastIndexOf(' ') + 1)}` : fault);
  const { fieldValidation } = options;
  return knownFields(
    result as ApiObject,
    { registry: api.registry, served, fieldValidation, warn: (text) => target.warn(text) },
    [],
    (faults) => refuse(`strict decoding error: ${faults.join(', ')}`),
  );
}

/** At its first level only: what is below has not been touched by the patch library. */
const sortedByKey = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1)));

function applyPatch(old: JsonObject, type: PatchType, value: Json, { served }: Target): JsonObject {
  switch (type) {
    case 'application/json-patch+json':
      return jsonPatch(old, value);
    case 'application/merge-patch+json':
      return mergePatch(old, value);
    case 'application/strategic-merge-patch+json':
    case 'application/apply-patch+yaml':
      return strategicPatch(old, value, served.resource.schema);
  }
}

/** Server-side apply: creates the object if it is not there. */
function apply(api: Api, target: Target, { value, force }: Patch, options: WriteOptions): Written {
  const { served, name, namespace, subresource } = target;
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw badRequest('error decoding YAML: json: cannot unmarshal into Go value of type map[string]interface {}');
  const applied = copyOf(value) as ApiObject;
  const meta = (applied.metadata ??= {});
  if ((meta.name ?? '') === '') meta.name = name;
  checkPlace(meta, target);
  const record = served.collection.get(namespace, name);
  if (record === undefined && subresource !== '') throw notFound(served.resource, name);
  const merged = serverSideApply({
    ...managedWrite(api, target, options.fieldManager),
    live: record === undefined ? undefined : copyOf(served.object(record)),
    applied,
    force,
  });
  const next = knownFields(
    merged,
    { registry: api.registry, served, fieldValidation: options.fieldValidation, warn: (text) => target.warn(text) },
    [],
    (faults) => badRequest(`strict decoding error: ${faults.join(', ')}`),
  );
  if (record === undefined) {
    delete next.metadata?.resourceVersion;
    return create(api, target, next, { ...options, keepsManagedFields: true });
  }
  return replace(api, target, record, next, { ...options, isPatch: true, keepsManagedFields: true });
}
