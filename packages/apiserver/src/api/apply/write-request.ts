import type { JsonObject } from '../../core/json.ts';
import type { ApiObject } from '../../core/kube-object.ts';
import { compactGoForm, goFormWithZeroValues } from '../protobuf/go-form.ts';
import { builtinSchemaName } from '../schema/builtin-schema.ts';
import type { Resource } from '../schema/resource.ts';
import type { Schema } from '../schema/schema.ts';
import { FieldSet } from './structured-merge/field-set.ts';
import { objectSchemaType } from './structured-merge/schema-type.ts';
import { applyOwnerId, type Owner } from './apply-owners.ts';
import type { Scope } from './ownership.ts';
import { resetFields } from './reset-fields.ts';

/** The manager of a write, the object's type, and the subresource written to. */
export interface WriteRequest {
  /** The result of `managerName`. */
  readonly manager: string;
  readonly apiVersion: string;
  readonly schema: Schema | undefined;
  readonly subresource?: string | undefined;
  /** RFC 3339 in whole seconds. */
  readonly now: string;
  /**
   * The resource, which determines the fields that the request cannot change and whether the kind is a Go
   * type. Without it: none, and no.
   */
  readonly resource?: Resource | undefined;
  /**
   * The other versions of the kind; undefined for one that is not served. Without it, all versions have the
   * same fields.
   */
  readonly versions?: ((apiVersion: string) => OtherVersion | undefined) | undefined;
}

export interface OtherVersion {
  readonly schema: Schema | undefined;
  /** Converts an object to this version. Absent where the fields are the same. */
  convert?(object: ApiObject): ApiObject;
}

export function writeRequestScope({ apiVersion, schema, subresource, resource, versions }: WriteRequest): Scope {
  const type = objectSchemaType(schema);
  const same = { type, convert: (object: JsonObject): JsonObject => object };
  return {
    reset: resource === undefined ? new FieldSet() : resetFields(resource, subresource),
    version(wanted) {
      if (versions === undefined) return same;
      const other = versions(wanted);
      if (other === undefined) return wanted === apiVersion ? same : undefined;
      return {
        type: wanted === apiVersion ? type : objectSchemaType(other.schema),
        convert: (object) => (other.convert?.(object as ApiObject) ?? object) as JsonObject,
      };
    },
  };
}

/** The owner of the request, without fields yet. */
export function writeRequestOwner(
  { manager, apiVersion, subresource = '' }: WriteRequest,
  operation: Owner['operation'],
): Owner & { readonly id: string } {
  const owner = { manager: manager === '' ? 'unknown' : manager, operation, apiVersion, subresource };
  return { ...owner, time: undefined, fields: new FieldSet(), id: applyOwnerId(owner) };
}

/** The object in which fields are compared: without `managedFields`. */
export function writeRequestContent(object: ApiObject | undefined): JsonObject {
  if (object?.metadata?.managedFields === undefined) return (object ?? {}) as JsonObject;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...(object as JsonObject), metadata: metadata as JsonObject };
}

/** The parts of `object` that a server stores. */
export const compactForWriteRequest = (object: JsonObject, request: WriteRequest): JsonObject =>
  formForWriteRequest(object, request, compactGoForm);

/** `object` in the form in which a server compares it. */
export const comparableForWriteRequest = (object: JsonObject, request: WriteRequest): JsonObject =>
  formForWriteRequest(object, request, goFormWithZeroValues);

/** The object in the form of its type. Built-in kinds are Go types; of custom resources only the metadata is one. */
function formForWriteRequest(object: JsonObject, { resource }: WriteRequest, form: typeof compactGoForm): JsonObject {
  if (resource === undefined) return object;
  const { group, version, kind, custom } = resource;
  if (custom) return { ...object, metadata: form(object['metadata'] as JsonObject, OBJECT_META) };
  const message = builtinSchemaName(group, version, kind);
  return message === undefined ? object : form(object, message);
}

const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
