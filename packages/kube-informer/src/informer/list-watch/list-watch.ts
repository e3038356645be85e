import { defined } from '../../core/defined.ts';
import type { ListOptions, WatchOptions } from '../../core/object/list-options.ts';
import type { KubeList } from '../../core/object/object.ts';
import type { WatchEvent } from '../../core/object/watch-event.ts';

export type ListFn<T> = (options: ListOptions, signal: AbortSignal) => Promise<KubeList<T>>;
export type WatchFn<T> = (options: WatchOptions, signal: AbortSignal) => AsyncIterable<WatchEvent<T>>;

/**
 * A source of objects: lists pages and opens watches.
 *
 * The informer owns this interface and imports no client. The client of this
 * package implements it, and so does FakeSource in tests.
 */
export interface ListWatch<T> {
  /** One page; never follows `continue` itself. Rejects when `signal` aborts. */
  readonly list: ListFn<T>;

  /**
   * Events after `options.resourceVersion`, until the server ends the stream.
   * When the watch cannot be opened, the first `next()` rejects; a source that rejects
   * has already cleaned up. Returning early from the iteration closes the connection.
   */
  readonly watch: WatchFn<T>;

  /** True when the server does not support streaming lists. */
  readonly watchListUnsupported?: boolean;

  /**
   * Returns a value that differs between clusters, for example the UID of `kube-system`. Called at the
   * first list, at every relist and after every reopened watch. A change starts a new epoch.
   */
  readonly clusterId?: (signal: AbortSignal) => Promise<string>;
}

/** Changes the query of every list and watch, on a copy. */
export type OptionsModifier = (options: WatchOptions, verb: 'list' | 'watch') => WatchOptions;

/** The same source with `modify` applied to a copy of the options of each call. Other fields are carried over. */
export function withOptions<T>(source: ListWatch<T>, modify: OptionsModifier): ListWatch<T> {
  const { watchListUnsupported, clusterId } = source;
  return {
    list: (options, signal) => source.list(modify({ ...options }, 'list'), signal),
    watch: (options, signal) => source.watch(modify({ ...options }, 'watch'), signal),
    ...defined({ watchListUnsupported }),
    ...(clusterId === undefined ? {} : { clusterId: (signal: AbortSignal) => clusterId.call(source, signal) }),
  };
}
