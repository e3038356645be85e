import { parseFieldSelector } from '../api/meta/field-selector.ts';
import { parseLabelSelector } from '../api/meta/label-selector.ts';
import { badRequestStatusError, expiredStatusError } from '../core/status-error.ts';
import type { Served } from '../registry/served.ts';
import type { Collection, Range } from '../storage/store/stored-collection.ts';
import {
  type Continue,
  continueTokenAfter,
  inconsistentContinueToken,
  parseContinueToken,
} from '../storage/store/continue-token.ts';
import type { StoredRecord } from '../storage/store/stored-record.ts';
import { Selection } from '../storage/watch/selection.ts';
import type { Api } from './api-context.ts';
import { convertRecords } from './converted-records.ts';
import { waitForFreshRead } from './read.ts';
import { type ListQuery, queryVersionFault } from './request/query.ts';

/** A page of records, in key order. */
export interface Page {
  readonly records: readonly StoredRecord[];
  readonly revision: number;
  /** The continue token; empty on the last page. */
  readonly continue: string;
  readonly remaining: number | undefined;
}

const TOO_OLD = 'The resourceVersion for the provided list is too old.';
const TOO_OLD_TOKEN =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
  'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
  'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or ' +
  'deleted between the time the first chunk was returned and now may show up in the list.';

/** Reads the selectors of a list or a watch. Throws 400 for an invalid selector. */
export function listVerbSelection(
  served: Served,
  namespace: string,
  query: Pick<ListQuery, 'labelSelector' | 'fieldSelector'>,
  after = 0,
): Selection {
  return new Selection({
    namespace,
    labels: parseLabelSelector(query.labelSelector),
    fields: parseFieldSelector(query.fieldSelector, served.fields),
    object: (record) => served.object(record),
    after,
  });
}

/** One page of a list, by the rules of resourceVersion, resourceVersionMatch, limit and continue. */
export async function listVerb(
  api: Api,
  served: Served,
  namespace: string,
  query: ListQuery,
  gone: AbortSignal,
): Promise<Page> {
  const selection = listVerbSelection(served, namespace, query);
  const { collection } = served;
  const token = query.continue === '' ? undefined : parseContinueToken(query.continue);
  if (token !== undefined && query.resourceVersion !== '' && query.resourceVersion !== '0')
    throw badRequestStatusError('specifying resource version is not allowed when using continue');
  const fault = queryVersionFault(query.resourceVersion);
  if (fault !== undefined) throw badRequestStatusError(`invalid resource version: ${fault}`);

  const asked = Number(query.resourceVersion);
  // Any state is accepted, so it comes from a cache; and caches do not page.
  const limit = query.resourceVersion === '0' ? 0 : query.limit;
  const exact = listVerbRevision(query, asked, token);
  await waitForFreshRead(api, BigInt(token === undefined ? query.resourceVersion : (exact ?? 0)), gone);
  if (exact !== undefined && exact < collection.oldest)
    throw token === undefined
      ? expiredStatusError(TOO_OLD)
      : expiredStatusError(TOO_OLD_TOKEN, inconsistentContinueToken(token.start));

  const range: Range = { namespace, start: token === undefined ? '' : listVerbPrefix(namespace) + token.start };
  const revision = exact ?? api.store.revision;
  const found =
    selection.name === undefined
      ? listVerbFrom(collection, exact, range)
      : listVerbOfOne(collection, exact, range, selection);
  if (selection.hasFields) await convertRecords(served, found);
  const page = listVerbPage(found, selection, { revision, limit, prefix: listVerbPrefix(namespace) });
  await convertRecords(served, page.records);
  return page;
}

/** The revision to list. Undefined for the newest state. */
function listVerbRevision(query: ListQuery, asked: number, token: Continue | undefined): number | undefined {
  if (token !== undefined) return token.revision > 0 ? token.revision : undefined;
  if (query.resourceVersionMatch === 'Exact') return asked;
  // The oldest rule: a version and a limit without a match rule mean exactly that version.
  return asked > 0 && query.limit > 0 && query.resourceVersionMatch === '' ? asked : undefined;
}

function listVerbFrom(collection: Collection, exact: number | undefined, range: Range): readonly StoredRecord[] {
  return exact === undefined ? collection.current(range) : collection.at(exact, range);
}

/** A list with a field selector for one name, which need not read the others. */
function listVerbOfOne(
  collection: Collection,
  exact: number | undefined,
  range: Range,
  { namespace, name = '' }: Selection,
): readonly StoredRecord[] {
  if (exact !== undefined || namespace === '') return listVerbFrom(collection, exact, range);
  const record = collection.get(namespace, name);
  return record === undefined || record.key < (range.start ?? '') ? [] : [record];
}

function listVerbPage(
  found: readonly StoredRecord[],
  selection: Selection,
  { revision, limit, prefix }: { revision: number; limit: number; prefix: string },
): Page {
  if (limit === 0 || (selection.everything && found.length <= limit)) {
    const records = selection.everything ? found : found.filter((record) => selection.matches(record));
    return { records, revision, continue: '', remaining: undefined };
  }
  const records: StoredRecord[] = [];
  let seen = 0;
  for (const record of found) {
    if (records.length === limit) break;
    seen += 1;
    if (selection.matches(record)) records.push(record);
  }
  const last = found[seen - 1];
  if (seen === found.length || last === undefined) return { records, revision, continue: '', remaining: undefined };
  return {
    records,
    revision,
    continue: continueTokenAfter(revision, last.key.slice(prefix.length)),
    // With a selector the remaining objects are not counted.
    remaining: selection.everything ? found.length - seen : undefined,
  };
}

const listVerbPrefix = (namespace: string): string => (namespace === '' ? '' : `${namespace}/`);
