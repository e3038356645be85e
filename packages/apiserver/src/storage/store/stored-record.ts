import { defined } from 'kube-informer/core';
import { setInJson } from '../../core/json.ts';
import type { ApiObject, ObjectMeta } from '../../core/kube-object.ts';
import { storedSlabBytes } from './stored-slab.ts';

/**
 * One object in the store: encoded once, shared by every list and watch that shows it, never changed.
 *
 * `tail` is the JSON text after kind and apiVersion: `"metadata":{…},"spec":{…}}`. The text before it differs
 * by served version and by list or object, so it is added when the bytes are sent, without copying them.
 *
 * There is one for every object and every change in the history, so it has little besides the bytes.
 */
export class StoredRecord {
  /** `namespace/name`, or `name` in cluster scope. */
  readonly key: string;
  readonly namespace: string;
  readonly revision: number;
  /** Labels, kept parsed because a list matches its label selector against every object. */
  readonly labels: Readonly<Record<string, string>> | undefined;
  readonly tail: Buffer;
  /** Offset of the digits of the resourceVersion in `tail`. */
  readonly versionAt: number;

  constructor(
    { namespace = '', name = '', labels }: ObjectMeta,
    revision: number,
    { tail, versionAt }: { readonly tail: Buffer; readonly versionAt: number },
  ) {
    this.key = recordKey(namespace, name);
    this.namespace = internRecordText(namespace);
    this.revision = revision;
    this.labels = labels === undefined ? undefined : internRecordLabels(labels);
    this.tail = tail;
    this.versionAt = versionAt;
  }

  get name(): string {
    return this.namespace === '' ? this.key : this.key.slice(this.namespace.length + 1);
  }
}

/** The order of keys. Custom resources are written with sorted keys, built-ins in the order of the Go structs. */
export type Layout = 'sorted' | 'struct';

export const recordKey = (namespace: string, name: string): string =>
  namespace === '' ? name : `${namespace}/${name}`;

export function encodeRecord(object: ApiObject, revision: number, layout: Layout): StoredRecord {
  const { apiVersion: _apiVersion, kind: _kind, metadata = {}, ...rest } = object;
  const [prefix, suffix] = layout === 'sorted' ? sortedRecordText(metadata, rest) : structRecordText(metadata, rest);
  const tail = storedSlabBytes(`${prefix}${revision}${suffix}`);
  return new StoredRecord(metadata, revision, { tail, versionAt: Buffer.byteLength(prefix) });
}

type Text = readonly [beforeVersion: string, afterVersion: string];

const VERSION = '"resourceVersion":"';

/** Encodes the metadata in the order of its Go struct, and everything at once: loading spends most of its time here. */
function structRecordText(metadata: ObjectMeta, rest: object): Text {
  const { name, generateName, namespace, selfLink, uid, generation, creationTimestamp, deletionTimestamp } = metadata;
  const { deletionGracePeriodSeconds, labels, annotations, ownerReferences, finalizers, managedFields } = metadata;
  const text = JSON.stringify({
    metadata: {
      name,
      generateName,
      namespace,
      selfLink,
      uid,
      resourceVersion: '',
      generation,
      creationTimestamp,
      deletionTimestamp,
      deletionGracePeriodSeconds,
      labels,
      annotations,
      ownerReferences,
      finalizers,
      managedFields,
    },
    ...rest,
  });
  // A text that looks like this has its quotes escaped, so the first is the right one.
  const at = text.indexOf(VERSION) + VERSION.length;
  return [text.slice(1, at), text.slice(at)];
}

function sortedRecordText(metadata: ObjectMeta, rest: object): Text {
  const [before, after] = splitRecordMetadata(metadata);
  const body = JSON.stringify(sortStoredRecord(rest));
  const end = body === '{}' ? '}' : `,${body.slice(1)}`;
  return [
    `"metadata":{${recordMetadataText(metadata, before, ',')}${VERSION}`,
    `"${recordMetadataText(metadata, after, '', ',')}}${end}`,
  ];
}

/** Parses a record, without kind and apiVersion. The caller must not change the result: records are shared. */
export function parseRecord(record: StoredRecord): ApiObject {
  return JSON.parse(`{${record.tail.toString()}`) as ApiObject;
}

/** The metadata that never changes during the life of an object. */
export type Birth = Pick<ObjectMeta, 'uid' | 'creationTimestamp'>;

/**
 * Reads uid and creation time from the bytes if their order is known: parsing all of them takes ten times as
 * long. A text that contains one of the marks has its quotes escaped.
 */
export function recordBirth(record: StoredRecord, layout: Layout): Birth {
  const { tail, versionAt } = record;
  const { uid, creationTimestamp } =
    layout === 'sorted'
      ? (parseRecord(record).metadata ?? {})
      : {
          uid: recordTextAfter(tail, '"uid":"', 0, versionAt),
          creationTimestamp: recordTextAfter(tail, '"creationTimestamp":"', versionAt, tail.length),
        };
  return { ...defined({ uid, creationTimestamp }) };
}

/** The text after a mark, which needs no unescaping. */
function recordTextAfter(bytes: Buffer, mark: string, from: number, to: number): string | undefined {
  const at = bytes.indexOf(mark, from, 'latin1');
  if (at === -1 || at >= to) return undefined;
  const start = at + mark.length;
  return bytes.toString('utf8', start, bytes.indexOf('"', start, 'latin1'));
}

/** Whether two records are equal except for the resourceVersion. */
export function isSameRecord(a: StoredRecord, b: StoredRecord): boolean {
  const rest = ({ tail, versionAt, revision }: StoredRecord): Buffer =>
    tail.subarray(versionAt + String(revision).length);
  return (
    a.versionAt === b.versionAt &&
    a.tail.subarray(0, a.versionAt).equals(b.tail.subarray(0, b.versionAt)) &&
    rest(a).equals(rest(b))
  );
}

/** The same bytes with another resourceVersion: a DELETED event shows the last state with the version of the delete. */
export function recordTailAt(record: StoredRecord, revision: number): Buffer {
  if (revision === record.revision) return record.tail;
  const { tail, versionAt } = record;
  const rest = tail.subarray(versionAt + String(record.revision).length);
  return Buffer.concat([tail.subarray(0, versionAt), Buffer.from(String(revision)), rest]);
}

/** The metadata as text with a comma at the end or at the beginning: `"a":1,` or `,"a":1`. */
function recordMetadataText(
  metadata: ObjectMeta,
  keys: readonly (keyof ObjectMeta)[],
  end: string,
  start = '',
): string {
  let text = '';
  for (const key of keys) {
    const value = metadata[key];
    if (value === undefined) continue;
    text += `${start}"${key}":${JSON.stringify(sortStoredRecord(value))}${end}`;
  }
  return text;
}

function splitRecordMetadata(metadata: ObjectMeta): [(keyof ObjectMeta)[], (keyof ObjectMeta)[]] {
  const keys = (Object.keys(metadata) as (keyof ObjectMeta)[]).filter((key) => key !== 'resourceVersion').toSorted();
  const at = keys.findIndex((key) => key > 'resourceVersion');
  return at === -1 ? [keys, []] : [keys.slice(0, at), keys.slice(at)];
}

/** A copy whose keys are in alphabetical order at every depth. */
function sortStoredRecord(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortStoredRecord);
  if (value === null || typeof value !== 'object') return value;
  const from = value as Record<string, unknown>;
  const to: Record<string, unknown> = {};
  for (const key of Object.keys(from).toSorted()) setInJson(to, key, sortStoredRecord(from[key]));
  return to;
}

/** Maximum number of interned texts; beyond it the table is cleared. */
const MAX_INTERNED = 10_000;
const texts = new Map<string, string>();

/** Interns texts that a hundred thousand objects share: namespaces, the values of labels. */
function internRecordText(text: string): string {
  const known = texts.get(text);
  if (known !== undefined) return known;
  if (texts.size >= MAX_INTERNED) texts.clear();
  texts.set(text, text);
  return text;
}

function internRecordLabels(labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> | undefined {
  const entries = Object.entries(labels);
  if (entries.length === 0) return undefined;
  const copy: Record<string, string> = {};
  for (const [key, value] of entries) setInJson(copy, key, internRecordText(value));
  return copy;
}
