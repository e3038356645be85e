import { defined } from '../core/defined.ts';
import { isBadRequest, isExpired, isInvalid, statusError } from '../core/status.ts';
import type { WatchOptions } from '../core/object/list-options.ts';
import type { WatchEvent } from '../core/object/watch-event.ts';
import type { ListWatch } from '../informer/list-watch/list-watch.ts';

/**
 * The same source; `failed` is told of every request that failed. Not of what belongs to normal life: history that has
 * expired, a server that cannot stream its lists, the end of a watch.
 */
export function watched<T>(source: ListWatch<T>, failed: (error: unknown) => void): ListWatch<T> {
  const { watchListUnsupported } = source;
  const note = (error: unknown, options: WatchOptions): void => {
    const isOldServer = options.sendInitialEvents === true && (isInvalid(error) || isBadRequest(error));
    if (!isExpired(error) && !isOldServer) failed(error);
  };
  return {
    async list(options, signal) {
      try {
        return await source.list(options, signal);
      } catch (error) {
        note(error, options);
        throw error;
      }
    },
    watch: (options, signal) => follow(source, options, signal, note),
    ...defined({ watchListUnsupported }),
  };
}

async function* follow<T>(
  source: ListWatch<T>,
  options: WatchOptions,
  signal: AbortSignal,
  note: (error: unknown, options: WatchOptions) => void,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  try {
    for await (const event of source.watch(options, signal)) {
      if (event.type === 'ERROR') note(statusError(event.object), options);
      yield event;
    }
  } catch (error) {
    note(error, options);
    throw error;
  }
}
