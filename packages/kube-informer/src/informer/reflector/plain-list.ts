import { defined } from '../../core/defined.ts';
import { hasCode, KubeError, messageOf } from '../../core/errors.ts';
import { isExpired, isTooLargeResourceVersion, statusOf } from '../../core/status.ts';
import type { Trace } from '../../core/trace.ts';
import { type ListResult, listPages, pageSizeFor } from '../list-watch/pager.ts';
import { kubeErrorCode } from './watch-error.ts';
import type { ReflectorContext } from './reflector-context.ts';
import { type ListVersion, listVersion } from './versions.ts';

export interface PlainListOptions {
  /** What the very first list asks for: the newest, or any cached state. */
  readonly first: '' | '0';
  readonly pageSize: number | undefined;
  /** A list at "any state" came in pages, so the server has no watch cache to spare. */
  readonly cacheIsOff: boolean;
}

export interface PlainListResult<T> extends ListResult<T> {
  /** The version first asked for, whatever had to be asked for in the end. */
  readonly firstAsked: string;
  /** The newest state there is, and still older than what was seen: the storage itself went back. */
  readonly older: boolean;
}

/**
 * The whole collection by LIST: at least as new as what was seen, or, where that cannot be had, the newest there is.
 *
 * The second question is asked once, at once; its answer, good or bad, is final for this cycle.
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
    result = await listAtVersion(context, asked, options, signal);
    if (versions.isStale(result.resourceVersion) && asked.resourceVersion !== '') {
      throw new KubeError(
        'STALE_SERVER',
        `asked for a state not older than ${asked.resourceVersion}, got ${result.resourceVersion}`,
      );
    }
  } catch (error) {
    if (signal.aborted) throw error;
    trace.step(`list failed (${messageOf(error)})`);
    if (!isVersionUnavailable(error)) throw listFailedError(context, error);
    versions.unavailable = true;
    context.log('debug', 'the wanted version is not available; asking for the newest', { error: messageOf(error) });
    try {
      result = await listAtVersion(context, { resourceVersion: '' }, options, signal);
    } catch (again) {
      trace.step(`list failed (${messageOf(again)})`);
      throw signal.aborted ? again : listFailedError(context, again);
    }
  }
  versions.unavailable = false;
  trace.step(`objects listed (${result.items.length})`);
  return { ...result, firstAsked: asked.resourceVersion, older: versions.isStale(result.resourceVersion) };
}

function isVersionUnavailable(error: unknown): boolean {
  return isExpired(error) || isTooLargeResourceVersion(error) || hasCode(error, 'STALE_SERVER');
}

function listAtVersion<T>(
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
      // Decided anew for the second question: a read of the newest is always paged.
      pageSize: pageSizeFor(resourceVersion, pageSize, cacheIsOff),
      signal,
      onPage: (received) => (context.state = { kind: 'listing', received }),
    },
  );
}

function listFailedError<T>({ options }: ReflectorContext<T>, error: unknown): KubeError {
  const status = statusOf(error);
  return new KubeError(kubeErrorCode(error), `failed to list ${options.typeDescription}: ${messageOf(error)}`, {
    cause: error,
    ...defined({ status }),
  });
}
