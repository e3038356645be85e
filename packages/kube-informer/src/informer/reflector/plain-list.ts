import { defined } from '../../core/defined.ts';
import { hasCode, KubeError, errorMessageOf } from '../../core/errors.ts';
import {
  isExpired,
  isTooLargeStatus,
  isTooLargeResourceVersion,
  isUnparsableVersion,
  statusOf,
} from '../../core/status.ts';
import type { Trace } from '../../core/trace.ts';
import { type ListResult, listPages, type PageSizes } from '../list-watch/pager.ts';
import { watchErrorCode } from './watch-error.ts';
import type { ReflectorContext } from './reflector-context.ts';
import { type ListVersion, listVersion } from './versions.ts';

export interface PlainListOptions {
  /** The resourceVersion of the first list: `''` for the newest state, `'0'` for any cached state. */
  readonly first: '' | '0';
  readonly pages: PageSizes;
}

export interface PlainListResult<T> extends ListResult<T> {
  /** The version requested first, even if the newest state was requested afterwards. */
  readonly firstAsked: string;
  /** Whether the newest state was requested, not one from a cache of the server. */
  readonly isConsistent: boolean;
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
  let isConsistent = asked.resourceVersion === '';
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
      isConsistent = true;
    } catch (again) {
      trace.step(`list failed (${errorMessageOf(again)})`);
      throw signal.aborted ? again : plainListFailedError(context, again);
    }
  }
  versions.unavailable = false;
  trace.step(`objects listed (${result.items.length})`);
  return { ...result, firstAsked: asked.resourceVersion, isConsistent };
}

function isPlainListVersionUnavailable(error: unknown): boolean {
  return (
    isExpired(error) || isTooLargeResourceVersion(error) || isUnparsableVersion(error) || hasCode(error, 'STALE_SERVER')
  );
}

/** Lists at a version. A response that is too large to be read is requested again at once, in smaller pages. */
async function plainListAtVersion<T>(
  context: ReflectorContext<T>,
  { resourceVersion, resourceVersionMatch }: ListVersion,
  { pages }: PlainListOptions,
  signal: AbortSignal,
): Promise<ListResult<T>> {
  const at = { ...(resourceVersion === '' ? {} : { resourceVersion }), ...defined({ resourceVersionMatch }) };
  for (;;) {
    context.state = { kind: 'listing', received: 0 };
    // Computed for each request: a list of the newest state is always paged.
    const pageSize = pages.for(resourceVersion);
    const onPage = (received: number): void => void (context.state = { kind: 'listing', received });
    try {
      return await listPages(context.options.source, at, { pageSize, signal, onPage });
    } catch (error) {
      if (signal.aborted || !isTooLargeStatus(error) || !pages.shrink(pageSize)) throw error;
      context.log('warn', 'a response to a list is too large; listing in smaller pages', {
        pageSize: pages.for(resourceVersion),
        error: errorMessageOf(error),
      });
    }
  }
}

function plainListFailedError<T>({ options }: ReflectorContext<T>, error: unknown): KubeError {
  const status = statusOf(error);
  return new KubeError(watchErrorCode(error), `failed to list ${options.typeDescription}: ${errorMessageOf(error)}`, {
    cause: error,
    ...defined({ status }),
  });
}
