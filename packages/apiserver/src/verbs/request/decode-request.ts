import { applySchemaDefaults } from '../../api/schema/apply-defaults.ts';
import { builtinObjectMetaSchema } from '../../api/schema/builtin-schema.ts';
import { pruneBySchema } from '../../api/schema/prune-by-schema.ts';
import type { Resource } from '../../api/schema/resource.ts';
import { dropUnknownFields, strictUnknownFieldFaults } from '../../api/schema/unknown-fields.ts';
import { invalidFieldError } from '../../core/field-error.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { ApiObject } from '../../core/kube-object.ts';
import { badRequestStatusError, invalidStatusError, type StatusError } from '../../core/status-error.ts';
import type { Registry } from '../../registry/registry.ts';
import type { Served } from '../../registry/served.ts';
import type { FieldValidation } from './query.ts';
import { typeFault } from './type-fault.ts';

/** A parsed body. `text` is its JSON text, if it was JSON. */
export interface Body {
  readonly value: JsonObject | null;
  readonly text: string | undefined;
  /** Duplicate keys of a YAML text, for the warning. */
  readonly duplicates?: readonly string[];
}

/** The target of decoding: a served resource, or a kind that only subresources use. */
export interface Decodable extends Pick<Served, 'apiVersion' | 'named'> {
  readonly resource: Pick<Resource, 'group' | 'version' | 'kind' | 'custom' | 'schema'>;
  /** The message about a body of another kind. @default one that names both kinds */
  readonly otherKindFault?: string;
}

export interface DecodeOptions {
  readonly registry: Registry;
  readonly served: Decodable;
  readonly fieldValidation: FieldValidation;
  readonly warn: (text: string) => void;
}

/** The object in a body, of the kind that the path expects, without fields that the kind does not have. Throws 400. */
export function decodeRequestObject({ value, text, duplicates = [] }: Body, options: DecodeOptions): ApiObject {
  const { served, fieldValidation } = options;
  const { kind, version, schema, custom } = served.resource;
  const object = (value ?? {}) as ApiObject;
  checkDecodedRequestType(object, options);
  const fail = (why: string): StatusError =>
    badRequestStatusError(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${why}`);
  const fault = custom
    ? typeFault((object.metadata ?? null) as Json, builtinObjectMetaSchema(), 'ObjectMeta')
    : typeFault(object as Json, schema, kind);
  if (fault !== undefined) throw fail(fault.why);
  const faults = fieldValidation === 'Ignore' ? [] : [...duplicates, ...strictUnknownFieldFaults(object, schema, text)];
  return decodeKnownRequestFields(served.named(object), options, faults, (all) => {
    const heading = duplicates.length > 0 ? 'yaml: unmarshal errors:\n  ' : '';
    return fail(`strict decoding error: ${heading}${all.join(', ')}`);
  });
}

/** Removes unknown fields; reports `faults` as an error or as warnings, by `fieldValidation`. */
export function decodeKnownRequestFields(
  object: ApiObject,
  { served, fieldValidation, warn }: DecodeOptions,
  faults: readonly string[],
  strictError: (faults: readonly string[]) => StatusError,
): ApiObject {
  const { schema, custom } = served.resource;
  if (fieldValidation === 'Strict' && faults.length > 0) throw strictError(faults);
  for (const fault of faults) warn(fault);
  if (schema === undefined) return object;
  if (custom) return dropEmptyInDecodedRequest(applySchemaDefaults(pruneBySchema(object, schema).object, schema));
  return faults.length > 0 || fieldValidation === 'Ignore' ? dropUnknownFields(object, schema) : object;
}

/** Drops empty lists and maps in the metadata, which is a Go type in every object. */
function dropEmptyInDecodedRequest(object: ApiObject): ApiObject {
  const { metadata } = object;
  if (metadata === undefined) return object;
  const kept = Object.entries(metadata).filter(
    ([, value]) => value !== null && (typeof value !== 'object' || Object.keys(value as object).length > 0),
  );
  return { ...object, metadata: Object.fromEntries(kept) };
}

function checkDecodedRequestType(object: ApiObject, options: DecodeOptions): void {
  if (options.served.resource.custom) checkDecodedRequestCustomType(object, options.served);
  else checkDecodedRequestBuiltinType(object, options);
}

/** The type in an object; `null` counts as missing. */
const decodedRequestType = ({ apiVersion, kind }: ApiObject) => ({ apiVersion: apiVersion ?? '', kind: kind ?? '' });

/** Checks the type of a built-in object. A missing apiVersion or kind is filled in. */
function checkDecodedRequestBuiltinType(object: ApiObject, { registry, served }: DecodeOptions): void {
  const { apiVersion, kind } = decodedRequestType(object);
  const { resource } = served;
  if ((apiVersion === '' || apiVersion === served.apiVersion) && (kind === '' || kind === resource.kind)) return;
  if (served.otherKindFault !== undefined) throw badRequestStatusError(served.otherKindFault);
  const given = apiVersion === '' ? served.apiVersion : apiVersion;
  const name = kind === '' ? resource.kind : kind;
  const version = given.slice(given.indexOf('/') + 1);
  const why = otherRequestKind(registry, given, name, resource);
  throw badRequestStatusError(
    `${name} in version ${JSON.stringify(version)} cannot be handled as a ${resource.kind}: ${why}`,
  );
}

/** The error for an object of one kind that is decoded as another. */
export function otherRequestKind(
  registry: Registry,
  apiVersion: string,
  kind: string,
  wanted: Decodable['resource'],
): string {
  const [group, version] = apiVersion.includes('/') ? (apiVersion.split('/', 2) as [string, string]) : ['', apiVersion];
  return wanted.custom || registry.findKind(group, version, kind) === undefined
    ? `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`
    : `converting (${version}.${kind}) to (${decodedRequestGroupPackage(wanted.group)}.${wanted.kind}): unknown conversion`;
}

/** Checks the type of a custom object. A missing one is not filled in: there is no type to take it from. */
function checkDecodedRequestCustomType(object: ApiObject, { resource, apiVersion: expected }: Decodable): void {
  const { apiVersion, kind } = decodedRequestType(object);
  if (kind === '') {
    const text = JSON.stringify(object);
    const head = text.length > 30 ? `${text.slice(0, 30)} ...` : text;
    throw badRequestStatusError(
      `the object provided is unrecognized (must be of type ${resource.kind}): Object 'Kind' is missing in '${text}' (${head})`,
    );
  }
  if (apiVersion !== expected)
    throw badRequestStatusError(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
    );
  if (kind !== resource.kind)
    throw invalidStatusError({ group: resource.group, kind }, object.metadata?.name ?? '', [
      invalidFieldError('kind', kind, `must be ${resource.kind}`),
    ]);
}

/** The Go package of a group's internal types. */
const decodedRequestGroupPackage = (group: string): string =>
  group === '' ? 'core' : (group.split('.', 1)[0] as string);
