import { systemEnv } from '../../core/env.ts';
import { guardedCallback, type UserCode } from '../../core/guarded.ts';
import { defined } from '../../core/defined.ts';
import { linkedAbort, untilAborted } from '../../core/async/abort.ts';
import { abortError, errorMessageOf, KubeError, requireOption } from '../../core/errors.ts';
import type { ListOptions } from '../../core/object/list-options.ts';
import { isTableObject, type KubeList, type KubeObject, type TypeRef } from '../../core/object/object.ts';
import { isVersionPlaceInHistory } from '../../core/object/resource-version.ts';
import { isResourceExpired } from '../../core/status.ts';
import { eventReaderVersion } from './event-reader.ts';
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
  return isVersionPlaceInHistory(resourceVersion) ? 0 : DEFAULT_PAGE_SIZE;
}

/**
 * The page sizes of one reflector, and what was learned from its lists: a page that was too large to be read
 * is not requested again in the same size.
 */
export class PageSizes {
  readonly #explicit: number | undefined;
  /** Whether the server serves lists without a watch cache: it paged a list at version 0. */
  cacheIsOff = false;
  #max: number | undefined;

  constructor(explicit: number | undefined) {
    this.#explicit = explicit;
  }

  /** Like `pageSizeFor`, but at most the largest size known to be readable. */
  for(resourceVersion: string): number {
    const size = pageSizeFor(resourceVersion, this.#explicit, this.cacheIsOff);
    if (this.#max === undefined) return size;
    return size === 0 ? this.#max : Math.min(size, this.#max);
  }

  /** Records that a response with up to `size` objects was too large. False when there is no smaller size. */
  shrink(size: number): boolean {
    if (size === 1) return false;
    this.#max = size === 0 ? DEFAULT_PAGE_SIZE : Math.floor(size / 2);
    return true;
  }
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
  readonly onPage?: UserCode<(received: number) => void>;
}

/**
 * Lists the whole collection, page by page, at one version.
 *
 * When the continue token expires, or the pages never end, lists again without paging, so that two versions
 * are never mixed. Keeps no reference to a page, so that one object does not keep
 * the other 499 of its page in memory.
 */
export async function listPages<T>(
  source: ListWatch<T>,
  options: ListOptions,
  pager: PagerOptions,
): Promise<ListResult<T>> {
  const { pageSize, signal } = pager;
  const onPage = pager.onPage === undefined ? undefined : guardedCallback(systemEnv, 'onPage', pager.onPage);
  const items: T[] = [];
  const progress = new PageProgress();
  let first: KubeList<T> | undefined;
  let page: KubeList<T> | undefined;
  do {
    let failure: unknown;
    try {
      page = await fetchPage(source, pageQuery(options, pageSize, page?.metadata?.continue), signal);
      failure = progress.failureOf(page);
    } catch (error) {
      if (first === undefined || !isResourceExpired(error)) throw error;
      failure = error;
    }
    if (page === undefined || failure !== undefined) {
      // It was already requested without a limit.
      if (pageSize === 0 && !isResourceExpired(failure)) throw failure;
      const whole = await fetchPage(source, pageQuery(options, 0, undefined), signal);
      if (whole.metadata?.continue) throw partOfPagedList(failure);
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
  const progress = new PageProgress();
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
        last.catch(() => {}); // rethrown below, in order
        ahead.push(last);
      }
      const page = await (ahead.shift() as Promise<KubeList<T>>);
      const failure = progress.failureOf(page);
      if (failure !== undefined) throw failure;
      yield* page.items;
      if (!page.metadata?.continue) return;
    }
  } finally {
    fetching.abort();
  }
}

/** Maximum number of pages without an object in a row. */
const MAX_EMPTY_PAGES = 10;

/** Maximum number of pages that begin with the first object of another page, in the same state. One may have moved. */
const MAX_REPEATED_PAGES = 3;

/**
 * Detects a server that sends the same pages again and again, which would never end and fill the memory: a
 * continue token that occurred before, pages that begin like earlier ones, or page after page without an
 * object.
 */
class PageProgress {
  readonly #seen = new Set<string>();
  #empty = 0;
  #repeated = 0;

  /** An error LIST_INVALID when `page` makes no progress. */
  failureOf({ items, metadata }: KubeList<unknown>): KubeError | undefined {
    this.#empty = items.length === 0 ? this.#empty + 1 : 0;
    if (this.#empty > MAX_EMPTY_PAGES && metadata?.continue)
      return endlessPagedList(`${this.#empty} pages in a row have no items, and the last one says that there are more`);
    if (metadata?.continue && !this.#isNew(`token ${metadata.continue}`))
      return endlessPagedList('its continue token is the same on two pages');
    const { name, namespace = '', resourceVersion = '' } = (items[0] as KubeObject | undefined)?.metadata ?? {};
    if (name && !this.#isNew(`item ${namespace}/${name}@${resourceVersion}`)) this.#repeated += 1;
    if (this.#repeated > MAX_REPEATED_PAGES)
      return endlessPagedList(`${this.#repeated} pages begin with an object that another page began with`);
    return undefined;
  }

  #isNew(mark: string): boolean {
    const { size } = this.#seen;
    return this.#seen.add(mark).size > size;
  }
}

function endlessPagedList(what: string): KubeError {
  return new KubeError(
    'LIST_INVALID',
    `the pages of the list never end: ${what}; the server, or a proxy, ignores "continue"`,
  );
}

/**
 * The error for an incomplete list. It must not be taken for a complete one: the cache would delete the other
 * objects.
 */
function partOfPagedList(cause: unknown): KubeError {
  return new KubeError(
    'LIST_INVALID',
    `a list that was requested without a limit is not complete, and its pages cannot be followed: ${errorMessageOf(cause)}`,
    { cause },
  );
}

/** The query of a page. Follow-up pages carry no resourceVersion: it is part of the continue token. */
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
  if (signal.aborted) throw abortError(signal, 'list');
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
  const { resourceVersion, continue: token } = ((page as KubeList<T>).metadata ?? {}) as Record<string, unknown>;
  if (typeof (resourceVersion ?? '') !== 'string')
    throw new KubeError(
      'LIST_INVALID',
      `metadata.resourceVersion of the list is ${eventReaderVersion(resourceVersion)}`,
    );
  if (typeof (token ?? '') !== 'string')
    throw new KubeError('LIST_INVALID', `metadata.continue of the list is ${eventReaderVersion(token)}`);
  return page as KubeList<T>;
}

function versionOfPage(list: KubeList<unknown>): string {
  return list.metadata?.resourceVersion ?? '';
}

function typeOfPage({ apiVersion, kind }: TypeRef): TypeRef {
  return { ...defined({ apiVersion, kind }) };
}
