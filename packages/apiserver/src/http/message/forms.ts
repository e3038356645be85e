import { defined } from 'kube-informer/core';
import type { TableFormat } from '../../api/table/table-types.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { ApiObject } from '../../core/kube-object.ts';
import { badRequestStatusError, statusError, type StatusError } from '../../core/status-error.ts';
import type { Served } from '../../registry/served.ts';
import type { StoredRecord } from '../../storage/store/stored-record.ts';
import type { Page } from '../../verbs/list-verb.ts';
import type { Accepted } from './negotiate.ts';

export type IncludeObject = 'Metadata' | 'Object' | 'None';

/** Reads `includeObject`: the part of the object in each row of a Table. Throws 400. */
export function includeObjectInForm(query: URLSearchParams): IncludeObject {
  const value = query.get('includeObject') ?? '';
  if (value === '') return 'Metadata';
  if (value === 'Metadata' || value === 'Object' || value === 'None') return value;
  throw badRequestStatusError(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(value)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}

/** Metadata in the order of the Go struct, whatever order the object came in. */
const META_ORDER = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
] as const;

export function partialMetadataForm({ metadata = {} }: ApiObject, version = 'v1'): JsonObject {
  const ordered = Object.fromEntries(
    META_ORDER.flatMap((key) => (metadata[key] === undefined ? [] : [[key, metadata[key]]])),
  );
  return {
    kind: 'PartialObjectMetadata',
    apiVersion: `meta.k8s.io/${version}`,
    metadata: ordered as JsonObject,
  };
}

/** The object with the version of an event. */
export function objectFormAtRevision(object: ApiObject, revision: number): ApiObject {
  const version = String(revision);
  if (object.metadata?.resourceVersion === version) return object;
  return { ...object, metadata: { ...object.metadata, resourceVersion: version } };
}

/** Options for showing objects in a form. */
export interface FormOptions {
  readonly served: Served;
  /** The format of the Table, if the form is one. */
  readonly table: TableFormat | undefined;
  readonly include: IncludeObject;
  /** Milliseconds since 1970, for ages. */
  readonly now: number;
}

export interface TableOptions {
  readonly table: TableFormat;
  readonly include: IncludeObject;
  readonly version: string;
  /** Milliseconds since 1970, for ages. */
  readonly now: number;
}

export interface TableMeta {
  readonly revision: string;
  readonly continue?: string;
  readonly remaining?: number | undefined;
}

export function tableForm(objects: readonly ApiObject[], meta: TableMeta, options: TableOptions): JsonObject {
  const { table, version } = options;
  const rows = objects.map((object) => tableFormRow(object, options));
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${version}`,
    metadata: listFormMeta(meta),
    columnDefinitions: table.columns as unknown as Json[],
    rows: rows.length === 0 && table.isNullWhenEmpty === true ? null : rows,
  };
}

/** A row of a Table; `cells` of a bookmark are empty, because it is not an object. */
export function tableFormRow(object: ApiObject, { table, include, version, now }: TableOptions): JsonObject {
  const conditions = table.conditions?.(object);
  return {
    cells: table.cells(object, now),
    ...defined({ conditions }),
    object:
      include === 'None' ? null : include === 'Object' ? (object as JsonObject) : partialMetadataForm(object, version),
  };
}

export function listFormMeta({ revision, continue: token = '', remaining }: TableMeta): JsonObject {
  return {
    resourceVersion: revision,
    ...(token === '' ? {} : { continue: token }),
    ...defined({ remainingItemCount: remaining }),
  };
}

/** A single object in the requested form. */
export function objectForm(object: ApiObject, accepted: Accepted, options: FormOptions): JsonObject | ApiObject {
  switch (accepted.as) {
    case 'object':
      return object;
    case 'PartialObjectMetadata':
      return partialMetadataForm(object, accepted.version);
    case 'PartialObjectMetadataList':
      throw notTheForm(accepted.as, 'not a list', goTypeOfForm(options.served));
    case 'Table':
      return tableForm(
        [object],
        { revision: object.metadata?.resourceVersion ?? '' },
        tableFormOptions(accepted, options),
      );
  }
}

const tableFormOptions = ({ version }: Accepted, { table, include, now }: FormOptions): TableOptions => ({
  table: table as TableFormat,
  include,
  version,
  now,
});

/** A list in a form that needs its objects parsed. */
export function listForm(page: Page, accepted: Accepted, options: FormOptions): JsonObject {
  const { served } = options;
  const objects = page.records.map((record) => served.object(record));
  const meta: TableMeta = { revision: String(page.revision), continue: page.continue, remaining: page.remaining };
  switch (accepted.as) {
    case 'PartialObjectMetadata':
      throw notTheForm(
        accepted.as,
        'a list',
        served.resource.custom ? '*unstructured.UnstructuredList' : `${goTypeOfForm(served)}List`,
      );
    case 'PartialObjectMetadataList':
      return {
        kind: 'PartialObjectMetadataList',
        apiVersion: `meta.k8s.io/${accepted.version}`,
        metadata: listFormMeta(meta),
        items: objects.map((object) => partialMetadataForm(object, accepted.version)),
      };
    case 'Table':
      return tableForm(objects, meta, tableFormOptions(accepted, options));
    case 'object':
      return {
        kind: served.resource.listKind,
        apiVersion: served.apiVersion,
        metadata: listFormMeta(meta),
        items: objects.map((object) => listFormItem(served, object)) as Json[],
      };
  }
}

function listFormItem(served: Served, object: ApiObject): Json {
  if (served.resource.custom) return object as JsonObject;
  const { kind: _kind, apiVersion: _apiVersion, ...item } = object;
  return item as JsonObject;
}

const notTheForm = (asked: string, is: string, type: string): StatusError =>
  statusError(406, 'NotAcceptable', `you requested ${asked}, but the requested object is ${is} (${type})`);

function goTypeOfForm({ resource }: Served): string {
  if (resource.custom) return '*unstructured.Unstructured';
  const packageName = resource.group === '' ? 'core' : (resource.group.split('.', 1)[0] as string);
  return `*${packageName}.${resource.kind}`;
}

const COMMA = Buffer.from(',');
const OPEN = Buffer.from('{');

/** The bytes of a list, item by item from what is stored, without parsing or encoding. */
export function* listFormBytes(served: Served, page: Page): Generator<Buffer> {
  const { resource, apiVersion, head } = served;
  const rest = page.remaining === undefined ? '' : `"remainingItemCount":${page.remaining}`;
  const kind = `"kind":${JSON.stringify(resource.listKind)}`;
  const version = `"apiVersion":${JSON.stringify(apiVersion)}`;
  if (resource.custom) {
    yield Buffer.from(`{${version},"items":[`);
    yield* listFormItems(page.records, Buffer.from(head));
    const meta = `{"continue":${JSON.stringify(page.continue)},${rest === '' ? '' : `${rest},`}"resourceVersion":"${page.revision}"}`;
    yield Buffer.from(`],${kind},"metadata":${meta}}\n`);
    return;
  }
  const token = page.continue === '' ? '' : `,"continue":${JSON.stringify(page.continue)}`;
  const meta = `{"resourceVersion":"${page.revision}"${token}${rest === '' ? '' : `,${rest}`}}`;
  yield Buffer.from(`{${kind},${version},"metadata":${meta},"items":[`);
  yield* listFormItems(page.records, OPEN);
  yield Buffer.from(']}\n');
}

function* listFormItems(records: readonly StoredRecord[], head: Buffer): Generator<Buffer> {
  let isFirst = true;
  for (const { tail } of records) {
    if (!isFirst) yield COMMA;
    isFirst = false;
    yield head;
    yield tail;
  }
}
