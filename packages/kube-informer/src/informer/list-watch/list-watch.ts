import { defined } from '../../core/defined.ts';
import type { ListOptions, WatchOptions } from '../../core/object/list-options.ts';
import type { KubeList } from '../../core/object/object.ts';
import type { WatchEvent } from '../../core/object/watch-event.ts';

export type ListFn<T> = (options: ListOptions, signal: AbortSignal) => Promise<KubeList<T>>;
export type WatchFn<T> = (options: WatchOptions, signal: AbortSignal) => AsyncIterable<WatchEvent<T>>;

/**
 * What the informer needs from a server: pages and a stream.
 *
 * The informer owns this interface and imports no client. The client of this
 * package fits it, a FakeSource in a test fits it, and so does anything else that
 * can list and watch.
 */
export interface ListWatch<T> {
  /** One page; never follows `continue` itself. Rejects when `signal` aborts. */
  readonly list: ListFn<T>;

  /**
   * Events after `options.resourceVersion`, until the server ends the stream.
   * Failing to open is the first `next()` rejecting; a source that rejects has
   * already cleaned up. Returning early from the iteration closes the connection.
   */
  readonly watch: WatchFn<T>;

  /** True when the server behind cannot stream its initial list; only `true` counts. */
  readonly watchListUnsupported?: boolean;

  /**
   * Something that differs between two clusters (the UID of `kube-system`, say). Asked at the
   * first list, at every relist and after every reopened watch; a change is a new epoch.
   */
  readonly clusterId?: (signal: AbortSignal) => Promise<string>;
}

/** Changes the query of every list and watch, on a copy. */
export type OptionsModifier = (options: WatchOptions, verb: 'list' | 'watch') => WatchOptions;

/** The same source, narrowed: `modify` sees a copy of the options of each call. Markers are carried over. */
export function withOptions<T>(source: ListWatch<T>, modify: OptionsModifier): ListWatch<T> {
  const { watchListUnsupported, clusterId } = source;
  return {
    list: (options, signal) => source.list(modify({ ...options }, 'list'), signal),
    watch: (options, signal) => source.watch(modify({ ...options }, 'watch'), signal),
    ...defined({ watchListUnsupported }),
    ...(clusterId === undefined ? {} : { clusterId: (signal: AbortSignal) => clusterId.call(source, signal) }),
  };
}
