import { KubeError, type KubeObject, LabelSelector } from 'kube-informer';
import type { Env } from 'kube-informer/core';
import type { CacheRecord } from '../caches/cache-tracker.ts';
import type { IndexMask } from '../mask/index-mask.ts';
import { isMaskedResource, type Mask } from '../mask/mask.ts';
import type { Filters, Row } from '../protocol/messages.ts';
import { objectAgeInstant } from '../objects/object-age.ts';
import { isObjectFields, objectField } from '../objects/object-fields.ts';
import { objectStatus } from '../objects/object-status.ts';
import { visibleBrief, visibleText } from '../mask/visible.ts';
import { WorkSlices } from './work-slices.ts';

/** A query for the rows of a cache. */
export interface RowQuery {
  readonly cache: string;
  /** Key of a single object; empty for all. */
  readonly key: string;
  /** Words that must all occur in name, labels or status. Lower case. */
  readonly words: readonly string[];
  readonly namespace: string;
  readonly labels: LabelSelector;
  readonly index: string;
  readonly value: string;
  readonly limit: number;
}

/** Maximum length of a parameter. */
const MAX_CHARACTERS = 1_000;
/** Maximum number of rows; it limits the size of a message. */
const MAX_ROWS = 2_000;
const DEFAULT_ROWS = 300;
/** Maximum number of values offered per index. */
const MAX_VALUES = 500;
/** Maximum number of values examined per index, in slices: masking an object takes time. */
const MAX_EXAMINED = 5_000;
/** Number of labels of an object that are examined, besides those that a selector names. A row shows fewer. */
const MAX_LABELS = 200;
/** Number of objects examined per value. */
const SAMPLE = 8;
/** A time later than any timestamp, to reverse the order. */
const FUTURE = 9_999_999_999_999;

/** Parses a query. Throws INVALID_OPTION if a parameter is invalid. */
export function parseRowQuery(parameters: URLSearchParams): RowQuery {
  const text = (name: string): string => {
    const value = parameters.get(name) ?? '';
    if (value.length <= MAX_CHARACTERS) return value;
    throw new KubeError('INVALID_OPTION', `${name}: longer than ${MAX_CHARACTERS} characters`);
  };
  const limit = Number(text('limit') || DEFAULT_ROWS);
  return {
    cache: text('cache'),
    key: text('key'),
    words: text('text')
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== ''),
    namespace: text('namespace'),
    labels: LabelSelector.parse(text('labels')),
    index: text('index'),
    value: text('value'),
    limit: Number.isInteger(limit) ? Math.min(MAX_ROWS, Math.max(1, limit)) : DEFAULT_ROWS,
  };
}

/** Whether the query uses an index. Never for Secrets: it would allow guessing values. */
export const rowQueryAsksIndex = ({ cache: { informer, resource } }: CacheRecord, { key, index }: RowQuery): boolean =>
  key === '' && index !== '' && !isMaskedResource(resource) && informer.store.hasIndex(index);

/** Keys that may match; an index avoids a full scan. */
export function rowQueryCandidates(record: CacheRecord, query: RowQuery): readonly string[] {
  const { store } = record.cache.informer;
  if (query.key !== '') return [query.key];
  if (rowQueryAsksIndex(record, query)) return store.indexKeys(query.index, query.value);
  if (query.namespace !== '') return store.indexKeys('namespace', query.namespace);
  return store.keys();
}

/** Whether an object matches the query, apart from its index. Masked texts never match. */
export function matchesRowQuery(key: string, object: KubeObject, query: RowQuery, mask: Mask): boolean {
  const { namespace = '' } = object.metadata ?? {};
  if (query.namespace !== '' && namespace !== query.namespace) return false;
  if (!query.labels.isEverything) {
    const named = query.labels.requirements.map((one) => one.key);
    if (!query.labels.matches(mask.labels(rowQueryLabels(object, named)))) return false;
  }
  if (query.words.length === 0) return true;
  const named = `${key} ${rowQueryLabelText(object, mask)}`.toLowerCase();
  // Most words match names; the status is computed only for the others.
  const others = query.words.filter((word) => !named.includes(word));
  if (others.length === 0) return true;
  const status = rowQueryStatusText(object, mask).toLowerCase();
  return others.every((word) => status.includes(word));
}

export function rowQueryRow(
  key: string,
  object: KubeObject,
  { mask, changedAt }: { readonly mask: Mask; readonly changedAt: ReadonlyMap<string, number> },
): Row {
  const { name = '', namespace = '', creationTimestamp } = object.metadata ?? {};
  return {
    key,
    namespace: visibleText(namespace),
    name: visibleText(name),
    labels: rowQueryLabelText(object, mask),
    status: rowQueryStatusText(object, mask),
    tone: objectStatus(object).tone,
    createdAt: objectAgeInstant(creationTimestamp),
    changedAt: changedAt.get(key),
    order: rowQueryOrder(key, object),
  };
}

/** The values a cache can be filtered by, without those that would reveal something masked. */
export async function rowQueryFilters(
  record: CacheRecord,
  mask: IndexMask,
  env: Pick<Env, 'now' | 'yield'>,
): Promise<Filters> {
  const { informer, resource } = record.cache;
  const { store } = informer;
  const names = isMaskedResource(resource) ? [] : store.indexNames().filter((name) => name !== 'namespace');
  const indexes: Filters['indexes'][number][] = [];
  for (const name of names) indexes.push(await rowQueryIndexFilter(record, name, mask, env));
  return {
    namespaces: store
      .indexValues('namespace')
      .filter((one) => one !== '')
      .toSorted(),
    indexes,
  };
}

async function rowQueryIndexFilter(
  { cache: { informer, resource } }: CacheRecord,
  name: string,
  mask: IndexMask,
  env: Pick<Env, 'now' | 'yield'>,
): Promise<Filters['indexes'][number]> {
  const { store } = informer;
  const all = store.indexValues(name).toSorted();
  const values: string[] = [];
  const slices = new WorkSlices(env);
  let examined = 0;
  for (const value of all) {
    if (values.length >= MAX_VALUES || examined >= MAX_EXAMINED) break;
    examined += 1;
    // One object that shows the value is enough; only the first ones are examined.
    for (const key of store.indexKeys(name, value).slice(0, SAMPLE)) {
      const object = store.get(key);
      const isShown = object !== undefined && !mask.hides(resource, object, value);
      if (isShown) values.push(value);
      if (slices.due()) await slices.pause();
      if (isShown) break;
    }
  }
  return { name, values, more: all.length - examined };
}

/** Sorts by key; Events by time, newest first. */
export function rowQueryOrder(key: string, object: KubeObject): string {
  if (object.kind !== 'Event') return key;
  const { lastTimestamp, eventTime, series } = object as Record<string, unknown>;
  const { lastObservedTime } = (series ?? {}) as Record<string, unknown>;
  const at = objectAgeInstant(lastObservedTime) ?? objectAgeInstant(lastTimestamp) ?? objectAgeInstant(eventTime) ?? 0;
  return `${String(FUTURE - at).padStart(13, '0')} ${key}`;
}

const rowQueryLabelText = (object: KubeObject, mask: Mask): string =>
  visibleBrief(Object.entries(mask.labels(rowQueryLabels(object))).map(([label, value]) => `${label}=${value}`).join('  ')); // prettier-ignore

/** The first labels of an object, and the `named` ones. Masking all of ten thousand labels, per row, would block the process. */
function rowQueryLabels(object: KubeObject, named: readonly string[] = []): Readonly<Record<string, string>> {
  const labels = objectField(object, 'metadata.labels');
  if (!isObjectFields(labels)) return {};
  const names = new Set([...named.filter((name) => Object.hasOwn(labels, name)), ...Object.keys(labels).slice(0, MAX_LABELS)]);
  return Object.fromEntries([...names].map((name) => [name, String(labels[name])]));
} // prettier-ignore

const rowQueryStatusText = (object: KubeObject, mask: Mask): string =>
  visibleBrief(mask.text(objectStatus(object).status));
