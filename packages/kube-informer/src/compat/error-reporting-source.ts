import { defined } from '../core/defined.ts';
import { isBadRequest, isExpired, isInvalid, statusError } from '../core/status.ts';
import type { WatchOptions } from '../core/object/list-options.ts';
import type { WatchEvent } from '../core/object/watch-event.ts';
import type { ListWatch } from '../informer/list-watch/list-watch.ts';

/**
 * Wraps a source to call `failed` for every failed request, but not for normal events: expired history, a
 * server without streaming lists, the end of a watch.
 */
export function errorReportingSource<T>(source: ListWatch<T>, failed: (error: unknown) => void): ListWatch<T> {
  const { watchListUnsupported, expected, echo } = source;
  const report = (error: unknown, options: WatchOptions): void => {
    const isOldServer = options.sendInitialEvents === true && (isInvalid(error) || isBadRequest(error));
    if (!isExpired(error) && !isOldServer) failed(error);
  };
  return {
    async list(options, signal) {
      try {
        return await source.list(options, signal);
      } catch (error) {
        report(error, options);
        throw error;
      }
    },
    watch(options, signal) {
      const stream = source.watch(options, signal);
      return Object.assign(withErrorReports(stream, options, report), defined({ progress: stream.progress }));
    },
    ...defined({ echo: echo?.bind(source) }),
    ...defined({ watchListUnsupported, expected }),
  };
}

async function* withErrorReports<T>(
  stream: AsyncIterable<WatchEvent<T>>,
  options: WatchOptions,
  report: (error: unknown, options: WatchOptions) => void,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  try {
    for await (const event of stream) {
      if (event.type === 'ERROR') report(statusError(event.object), options);
      yield event;
    }
  } catch (error) {
    report(error, options);
    throw error;
  }
}
