import { defined } from '../../core/defined.ts';
import { hasCode, KubeError, errorMessageOf } from '../../core/errors.ts';
import { isExpired, isTooLargeResourceVersion, statusOf } from '../../core/status.ts';
import type { Trace } from '../../core/trace.ts';
import { type ListResult, listPages, pageSizeFor } from '../list-watch/pager.ts';
import { watchErrorCode } from './watch-error.ts';
import type { ReflectorContext } from './reflector-context.ts';
import { type ListVersion, listVersion } from './versions.ts';

export interface PlainListOptions {
  /** The resourceVersion of the first list: `''` for the newest state, `'0'` for any cached state. */
  readonly first: '' | '0';
  readonly pageSize: number | undefined;
  /** A list at version 0 was paged, so the server does not serve lists from a watch cache. */
  readonly cacheIsOff: boolean;
}

export interface PlainListResult<T> extends ListResult<T> {
  /** The version requested first, even if the newest was requested after it. */
  readonly firstAsked: string;
  /** The newest state of the server is older than a state seen before: the storage went back. */
  readonly older: boolean;
}

/**
 * Lists the whole collection: not older than the newest state seen or, if the server cannot do that, its newest state.
 *
 * The second request is sent at once, and only once; its result is final for this cycle.
 */
export async function plainList<T>(
  context: ReflectorContext<T>,
  options: PlainListOptions,
  trace: Trace,
  signal: AbortSignal,
): Promise<PlainListResult<T>> {
  const { versions } = context;
  const asked = listVersion(versions.high, versions.unavailable, options.first);
  let result: ListResult<T>;
  try {
    result = await plainListAtVersion(context, asked, options, signal);
    if (versions.isStale(result.resourceVersion) && asked.resourceVersion !== '') {
      throw new KubeError(
        'STALE_SERVER',
        `requested a state not older than ${asked.resourceVersion}, got ${result.resourceVersion}`,
      );
    }
  } catch (error) {
    if (signal.aborted) throw error;
    trace.step(`list failed (${errorMessageOf(error)})`);
    if (!isPlainListVersionUnavailable(error)) throw plainListFailedError(context, error);
    versions.unavailable = true;
    context.log('debug', 'the requested version is not available; listing the newest', {
      error: errorMessageOf(error),
    });
    try {
      result = await plainListAtVersion(context, { resourceVersion: '' }, options, signal);
    } catch (again) {
      trace.step(`list failed (${errorMessageOf(again)})`);
      throw signal.aborted ? again : plainListFailedError(context, again);
    }
  }
  versions.unavailable = false;
  trace.step(`objects listed (${result.items.length})`);
  return { ...result, firstAsked: asked.resourceVersion, older: versions.isStale(result.resourceVersion) };
}

function isPlainListVersionUnavailable(error: unknown): boolean {
  return isExpired(error) || isTooLargeResourceVersion(error) || hasCode(error, 'STALE_SERVER');
}

function plainListAtVersion<T>(
  context: ReflectorContext<T>,
  { resourceVersion, resourceVersionMatch }: ListVersion,
  { pageSize, cacheIsOff }: PlainListOptions,
  signal: AbortSignal,
): Promise<ListResult<T>> {
  context.state = { kind: 'listing', received: 0 };
  return listPages(
    context.options.source,
    {
      ...(resourceVersion === '' ? {} : { resourceVersion }),
      ...defined({ resourceVersionMatch }),
    },
    {
      // Computed for each request: a list of the newest state is always paged.
      pageSize: pageSizeFor(resourceVersion, pageSize, cacheIsOff),
      signal,
      onPage: (received) => (context.state = { kind: 'listing', received }),
    },
  );
}

function plainListFailedError<T>({ options }: ReflectorContext<T>, error: unknown): KubeError {
  const status = statusOf(error);
  return new KubeError(watchErrorCode(error), `failed to list ${options.typeDescription}: ${errorMessageOf(error)}`, {
    cause: error,
    ...defined({ status }),
  });
}
