import type { Strategy } from '../api/kinds/strategy.ts';
import type { FieldLookup } from '../api/meta/field-lookup.ts';
import type { Resource } from '../api/schema/resource.ts';
import type { TableFormat } from '../api/table/table-types.ts';
import type { ApiObject } from '../core/kube-object.ts';
import type { Collection } from '../storage/store/stored-collection.ts';
import type { StoredRecord } from '../storage/store/stored-record.ts';

/** Another form of the same stored objects: `events.k8s.io/v1` of `v1` Events, `v2` of a custom resource in `v1`. */
export interface Conversion {
  toStored(object: ApiObject): ApiObject;
  /**
   * Converts a stored object. `record` is set if it is the stored one: an older one may be stored in another
   * version.
   */
  fromStored(object: ApiObject, record?: StoredRecord): ApiObject;
  /** Whether a webhook converts, so that both may throw `ConversionNeeded`. */
  readonly mayWait?: boolean;
  /** Makes the next conversion of the record call the webhook again. */
  forget?(record: StoredRecord): void;
}

export interface ServedParts {
  readonly resource: Resource;
  readonly collection: Collection;
  readonly strategy: Strategy;
  readonly fields: FieldLookup;
  /** The format of Tables, loaded for the first request for one. */
  readonly table: () => Promise<TableFormat>;
  readonly conversion?: Conversion | undefined;
  /** The same resource in its stored form, for code that cannot wait for a webhook. @default this */
  readonly stored?: (() => Served) | undefined;
  /** Warning that every request gets: `v1 Endpoints is deprecated …`. */
  readonly deprecation?: string | undefined;
}

/** One version of one resource, with everything that its requests need. */
export class Served {
  readonly resource: Resource;
  readonly collection: Collection;
  readonly strategy: Strategy;
  readonly fields: FieldLookup;
  readonly deprecation: string | undefined;
  readonly apiVersion: string;
  readonly conversion: Conversion | undefined;
  readonly #stored: (() => Served) | undefined;
  /** The text before a record's bytes: kind and apiVersion, in order. */
  readonly head: string;
  readonly #makeTable: () => Promise<TableFormat>;
  #table: Promise<TableFormat> | undefined;

  constructor({ resource, collection, strategy, fields, table, conversion, stored, deprecation }: ServedParts) {
    this.resource = resource;
    this.collection = collection;
    this.strategy = strategy;
    this.fields = fields;
    this.conversion = conversion;
    this.#stored = stored;
    this.deprecation = deprecation;
    this.#makeTable = table;
    this.apiVersion = resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
    const version = `"apiVersion":${JSON.stringify(this.apiVersion)},`;
    const kind = `"kind":${JSON.stringify(resource.kind)},`;
    this.head = `{${resource.custom ? version + kind : kind + version}`;
  }

  table(): Promise<TableFormat> {
    return (this.#table ??= this.#makeTable());
  }

  /** Whether a webhook converts objects, so that reading one may throw `ConversionNeeded`. */
  get mayWait(): boolean {
    return this.conversion?.mayWait === true;
  }

  /** The resource for code that cannot wait. */
  get atOnce(): Served {
    return this.mayWait ? (this.#stored?.() ?? this) : this;
  }

  /** The object of a record as this version shows it. Shared below its first level: copy before changing it. */
  object(record: StoredRecord): ApiObject {
    const stored = this.collection.object(record);
    return this.named(this.conversion === undefined ? stored : this.conversion.fromStored(stored, record));
  }

  /** A copy that begins with kind and apiVersion. */
  named(object: ApiObject): ApiObject {
    const { kind } = this.resource;
    const { apiVersion } = this;
    return this.resource.custom
      ? { apiVersion, kind, ...servedFieldsWithoutType(object) }
      : { kind, apiVersion, ...servedFieldsWithoutType(object) };
  }

  /** The object as it would be read after it was stored. */
  asStored(object: ApiObject): ApiObject {
    const { conversion } = this;
    return this.named(conversion === undefined ? object : conversion.fromStored(conversion.toStored(object)));
  }

  /** Writes an object of this version. */
  put(object: ApiObject): StoredRecord {
    return this.collection.put(this.conversion === undefined ? object : this.conversion.toStored(object));
  }

  /** Writes an object of this version, unless nothing would change. */
  change(object: ApiObject): void {
    this.collection.change(this.conversion === undefined ? object : this.conversion.toStored(object));
  }
}

function servedFieldsWithoutType({ kind: _kind, apiVersion: _apiVersion, ...fields }: ApiObject): ApiObject {
  return fields;
}
