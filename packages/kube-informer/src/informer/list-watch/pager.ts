import { defined } from '../../core/defined.ts';
import { linkedAbort, untilAborted } from '../../core/async/abort.ts';
import { KubeError, requireOption } from '../../core/errors.ts';
import type { ListOptions } from '../../core/object/list-options.ts';
import { isTableObject, type KubeList, type TypeRef } from '../../core/object/object.ts';
import { isPlaceInHistory } from '../../core/object/resource-version.ts';
import { isResourceExpired } from '../../core/status.ts';
import type { ListWatch } from './list-watch.ts';

export const DEFAULT_PAGE_SIZE = 500;

/**
 * The page size for a list at `resourceVersion`; 0 requests everything at once.
 *
 * The server lists a specific version from its watch cache only when no limit is
 * sent, so such lists are not paged, unless the watch cache is off (`cacheIsOff`)
 * or the user chose a page size (`explicit`).
 */
export function pageSizeFor(resourceVersion: string, explicit: number | undefined, cacheIsOff: boolean): number {
  if (explicit !== undefined && explicit !== 0) return explicit;
  if (cacheIsOff) return DEFAULT_PAGE_SIZE;
  return isPlaceInHistory(resourceVersion) ? 0 : DEFAULT_PAGE_SIZE;
}

export interface ListResult<T> {
  readonly items: T[];
  /** The version of the first page; later pages have the same one. */
  readonly resourceVersion: string;
  readonly paginated: boolean;
  readonly type: TypeRef;
}

export interface PagerOptions {
  readonly pageSize: number;
  readonly signal: AbortSignal;
  /** Called after each page with the number of items received so far. */
  readonly onPage?: (received: number) => void;
}

/**
 * Lists the whole collection, page by page, at one version.
 *
 * When the continue token expires, lists again without paging, so that two versions
 * are never mixed. Keeps no reference to a page, so that one object does not keep
 * the other 499 of its page in memory.
 */
export async function listPages<T>(
  source: ListWatch<T>,
  options: ListOptions,
  pager: PagerOptions,
): Promise<ListResult<T>> {
  const { pageSize, signal, onPage } = pager;
  const items: T[] = [];
  let first: KubeList<T> | undefined;
  let page: KubeList<T> | undefined;
  do {
    try {
      page = await fetchPage(source, pageQuery(options, pageSize, page?.metadata?.continue), signal);
    } catch (error) {
      if (first === undefined || !isResourceExpired(error)) throw error;
      const whole = await fetchPage(source, pageQuery(options, 0, undefined), signal);
      onPage?.(whole.items.length);
      return { items: [...whole.items], resourceVersion: versionOfPage(whole), paginated: true, type: whole };
    }
    first ??= page;
    for (const item of page.items) items.push(item);
    onPage?.(items.length);
  } while (page.metadata?.continue);
  return { items, resourceVersion: versionOfPage(first), paginated: page !== first, type: { ...typeOfPage(first) } };
}

export interface EachItemOptions {
  readonly signal: AbortSignal;
  /** @default 500 */
  readonly pageSize?: number;
  /** Pages fetched ahead of the consumer. @default 10 */
  readonly bufferPages?: number;
}

/**
 * Yields the items of a list and fetches pages ahead while the consumer works. Fetching ends when the consumer leaves.
 *
 * Throws when the continue token expires: the consumer has already seen part of the list, so it cannot be restarted.
 */
export async function* eachListItem<T>(
  source: ListWatch<T>,
  options: ListOptions,
  each: EachItemOptions,
): AsyncGenerator<T, void, undefined> {
  const { signal, pageSize = DEFAULT_PAGE_SIZE, bufferPages = 10 } = each;
  requireOption(Number.isInteger(bufferPages) && bufferPages >= 0, 'bufferPages', 'a whole number >= 0', bufferPages);
  const fetching = linkedAbort(signal);
  const ahead: Promise<KubeList<T>>[] = [];
  const fetchAfter = async (previous: Promise<KubeList<T>> | undefined): Promise<KubeList<T>> => {
    const token = previous === undefined ? undefined : (await previous).metadata?.continue;
    if (previous !== undefined && !token) return { items: [] };
    return fetchPage(source, pageQuery(options, pageSize, token), fetching.signal);
  };
  try {
    for (let last: Promise<KubeList<T>> | undefined; ;) {
      // The current page and `bufferPages` more.
      while (ahead.length <= bufferPages) {
        last = fetchAfter(last);
        last.catch(() => {}); // rethrown below, when its turn comes
        ahead.push(last);
      }
      const page = await (ahead.shift() as Promise<KubeList<T>>);
      yield* page.items;
      if (!page.metadata?.continue) return;
    }
  } finally {
    fetching.abort();
  }
}

/** Follow-up pages carry no resourceVersion: it is part of the continue token. */
function pageQuery(options: ListOptions, limit: number, token: string | undefined): ListOptions {
  const { resourceVersion, resourceVersionMatch, continue: _, limit: __, ...rest } = options;
  const at = token
    ? { continue: token }
    : {
        ...defined({ resourceVersion, resourceVersionMatch }),
      };
  return { ...rest, ...at, ...(limit === 0 ? {} : { limit }) };
}

async function fetchPage<T>(source: ListWatch<T>, options: ListOptions, signal: AbortSignal): Promise<KubeList<T>> {
  signal.throwIfAborted();
  // Called inside an async function, so that a source that throws is treated like one that rejects.
  const page: unknown = await untilAborted((async () => source.list(options, signal))(), signal, 'list');
  if (typeof page !== 'object' || page === null || !Array.isArray((page as KubeList<T>).items)) {
    throw new KubeError('LIST_INVALID', 'the response to a list request has no items');
  }
  if (isTableObject(page as TypeRef)) {
    throw new KubeError(
      'LIST_INVALID',
      'the response to a list request is a Table; request objects (Accept: application/json)',
    );
  }
  return page as KubeList<T>;
}

function versionOfPage(list: KubeList<unknown>): string {
  return list.metadata?.resourceVersion ?? '';
}

function typeOfPage({ apiVersion, kind }: TypeRef): TypeRef {
  return { ...defined({ apiVersion, kind }) };
}
