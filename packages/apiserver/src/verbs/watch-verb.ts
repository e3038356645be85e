import { expiredStatusError, unknownStatusError } from '../core/status-error.ts';
import type { Served } from '../registry/served.ts';
import type { StoredRecord } from '../storage/store/stored-record.ts';
import type { Selection } from '../storage/watch/selection.ts';
import type { Api } from './api-context.ts';
import { listVerbSelection } from './list-verb.ts';
import { waitForFreshRead } from './read.ts';
import { type ListQuery, queryVersionFault } from './request/query.ts';

/** The first revision of a watch, and its initial records. */
export interface WatchStart {
  readonly selection: Selection;
  readonly from: number;
  readonly initial: readonly StoredRecord[] | undefined;
  readonly marksInitialEnd: boolean;
}

/** Refuses an invalid watch with an ordinary response, before its stream is open. */
export function checkWatchVerb(served: Served, namespace: string, query: ListQuery): Selection {
  const fault = queryVersionFault(query.resourceVersion);
  // A real server gives this error no reason, so it is a 500.
  if (fault !== undefined) throw unknownStatusError(fault);
  return listVerbSelection(served, namespace, query);
}

/**
 * Starts a watch by its resourceVersion and sendInitialEvents. Its errors are sent in the stream as an ERROR event, as a
 * real server does.
 */
export async function startWatchVerb(
  api: Api,
  served: Served,
  namespace: string,
  query: ListQuery,
  gone: AbortSignal,
): Promise<WatchStart> {
  const { store } = api;
  const { collection } = served;
  const asked = Number(query.resourceVersion);
  // Servers that do not stream lists still begin with the state when no version is given.
  const wantsState = query.sendInitialEvents ?? asked === 0;
  if (wantsState) {
    // A streamed list without a version is a consistent read: a cache that lags behind must catch up with the storage
    // first.
    const isConsistent = query.sendInitialEvents === true && query.resourceVersion === '';
    const least = isConsistent ? BigInt(api.newest?.() ?? 0) : BigInt(query.resourceVersion);
    await waitForFreshRead(api, least, gone);
    const selection = listVerbSelection(served, namespace, query);
    return {
      selection,
      from: store.revision,
      initial: collection.current({ namespace }),
      marksInitialEnd: query.allowWatchBookmarks && query.sendInitialEvents === true,
    };
  }
  const from = asked === 0 ? store.revision : asked;
  if (from < collection.windowStart)
    throw expiredStatusError(`too old resource version: ${from} (${collection.windowStart})`);
  const after = from > store.revision ? from : 0;
  return {
    selection: listVerbSelection(served, namespace, query, after),
    from,
    initial: undefined,
    marksInitialEnd: false,
  };
}
