import type { Env } from 'kube-informer/core';
import { typeCheckError } from '../api/apply/structured-merge/check-type.ts';
import { objectSchemaType } from '../api/apply/structured-merge/schema-type.ts';
import type { WriteRequest as ManagedWrite } from '../api/apply/write-request.ts';
import type { StrategyContext } from '../api/kinds/common/kind-rule.ts';
import type { JsonObject } from '../core/json.ts';
import type { ApiObject } from '../core/kube-object.ts';
import { unknownStatusError } from '../core/status-error.ts';
import { serverTimestamp } from '../core/server-timestamp.ts';
import type { User } from '../core/user.ts';
import type { Registry } from '../registry/registry.ts';
import type { Served } from '../registry/served.ts';
import type { Store } from '../storage/store/stored-objects.ts';
import type { StoredRecord } from '../storage/store/stored-record.ts';
import type { AdmissionGate } from './admission-gate.ts';
import type { FieldValidation } from './request/query.ts';

/** The server in the form that verbs use. */
export interface Api {
  readonly env: Env;
  readonly store: Store;
  /**
   * The newest revision of the storage, for a server whose store is a copy that may lag behind. @default the
   * store's own
   */
  readonly newest?: () => number;
  readonly registry: Registry;
  /** Makes the context in which kinds prepare their objects. */
  readonly kindContext: (isDryRun?: boolean) => StrategyContext;
  /** Whether objects get managedFields. */
  readonly tracksManagers: boolean;
  /** Policies and webhooks. @default none */
  readonly admission?: AdmissionGate;
}

/** The object of a request, and the user that sent it. */
export interface Target {
  readonly served: Served;
  readonly namespace: string;
  readonly name: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  readonly user: User;
  /** Adds a `Warning` header to the response. */
  readonly warn: (text: string) => void;
  /** Throws when the user may not create the object. Called by a PUT or an apply of an object that does not exist. */
  readonly requireCreate?: () => void;
  /**
   * Throws when the client is gone: its connection was cut, maybe by a restart, and the stored state may now
   * be another cluster's. Nothing waits between this call and the write.
   */
  readonly requireHere?: () => void;
  /**
   * The admission that applies. `nothing`: the request was already admitted as another one. `at once`: a
   * write of the server itself, which cannot wait, so only webhooks that return at once are called. @default
   * everything
   */
  readonly admits?: 'nothing' | 'at once';
}

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  /** The parameters that the client sent, for policies and webhooks. */
  readonly sent?: JsonObject;
}

/** The result of a write: an object that is stored as bytes, or one that is not stored. */
export interface Written {
  readonly status: 200 | 201 | 202;
  readonly object: ApiObject;
  /** The record, if the object is exactly that. */
  readonly record?: StoredRecord;
}

export const apiContextNow = ({ env }: Api): string => serverTimestamp(env.wallNow());

/** Describes a write for the bookkeeping of managedFields. */
export function apiContextWrite(api: Api, { served, subresource }: Target, manager: string): ManagedWrite {
  const { resource, apiVersion } = served;
  return {
    manager,
    apiVersion,
    schema: resource.schema,
    subresource: subresource === '' ? undefined : subresource,
    now: apiContextNow(api),
    resource,
    versions: (wanted) => {
      const version = wanted.slice(wanted.lastIndexOf('/') + 1);
      const other = api.registry.find(resource.group, version, resource.resource);
      if (other === undefined || other.apiVersion !== wanted) return undefined;
      return { schema: other.resource.schema, convert: (object) => convertInApiContext(object, served, other) };
    },
  };
}

/**
 * The object in another version of its kind, for the bookkeeping of its owners.
 *
 * Without a webhook, only the version differs between versions of a custom resource. Throws if the other
 * schema does not have a field; a real server then drops the owners of the object's fields, and so do the
 * callers of this.
 */
function convertInApiContext(object: ApiObject, from: Served, to: Served): ApiObject {
  if (!from.resource.custom || to.mayWait || from.mayWait) {
    const stored = from.conversion?.toStored(object) ?? object;
    return to.named(to.conversion?.fromStored(stored) ?? stored);
  }
  const renamed = to.named(object);
  const error = typeCheckError(renamed as JsonObject, objectSchemaType(to.resource.schema), { allowDuplicates: true });
  if (error !== undefined) throw unknownStatusError(error);
  return renamed;
}
