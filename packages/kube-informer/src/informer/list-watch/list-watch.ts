import { guardedAnswer, type UserCode } from '../../core/guarded.ts';
import { defined } from '../../core/defined.ts';
import { requireOption } from '../../core/errors.ts';
import type { BuildObject } from '../../core/object/object-codec.ts';
import type { ListOptions, WatchOptions } from '../../core/object/list-options.ts';
import type { KubeList, TypeRef } from '../../core/object/object.ts';
import type { WatchEvent } from '../../core/object/watch-event.ts';

export type ListFn<T> = (options: ListOptions, signal: AbortSignal) => Promise<KubeList<T>>;
export type WatchFn<T> = (options: WatchOptions, signal: AbortSignal) => WatchStream<T>;

/** Data of a watch besides whole events. */
export interface WatchProgress {
  /** Whether the server has accepted the watch: its response has begun. */
  readonly opened: boolean;
  /** Whether the last event has begun to arrive and has not ended. */
  readonly unfinished: boolean;
}

/** The events of a watch. */
export interface WatchStream<T> extends AsyncIterable<WatchEvent<T>> {
  /** Distinguishes a quiet watch from one that is held back on the path. Absent where the source cannot tell. */
  readonly progress?: WatchProgress;
}

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

  /**
   * Opens a streaming list of an object that does not exist. The server responds with one bookmark, at its
   * current version, and ends the stream after `timeoutSeconds`. Absent where the source cannot do that; then
   * a list of one object is used.
   */
  readonly echo?: (
    options: { readonly timeoutSeconds: number },
    signal: AbortSignal,
  ) => AsyncIterable<WatchEvent<unknown>>;

  /** True when the server does not support streaming lists. */
  readonly watchListUnsupported?: boolean;

  /**
   * The type of the objects, where the source knows it: objects of another type are logged and skipped. The
   * same object each time; its fields may be filled until the first response arrives.
   */
  readonly expected?: TypeRef;

  /** The same source, with objects that `build` makes from their bytes. Absent where the source has no bytes. */
  readonly building?: <R>(build: BuildObject<R>) => ListWatch<R>;

  /**
   * Returns a value that differs between clusters, for example the UID of `kube-system`. Called at the
   * first list, at every relist and after every reopened watch. A change starts a new epoch.
   */
  readonly clusterId?: (signal: AbortSignal) => Promise<string>;
}

/** Throws INVALID_OPTION unless it is a source. */
export function requireListWatch(source: { readonly list?: unknown; readonly watch?: unknown } | undefined): void {
  const isSource = typeof source?.list === 'function' && typeof source.watch === 'function';
  requireOption(isSource, 'source', 'an object with list and watch', source);
}

/** Changes the query of every list and watch, on a copy. */
export type OptionsModifier = (options: WatchOptions, verb: 'list' | 'watch') => WatchOptions;

/** The same source with `modify` applied to a copy of the options of each call. Other fields are carried over. */
export function withOptions<T>(source: ListWatch<T>, modifier: UserCode<OptionsModifier>): ListWatch<T> {
  const modify = guardedAnswer('modify', modifier);
  const { watchListUnsupported, clusterId, echo, expected, building } = source;
  return {
    list: (options, signal) => source.list(modify({ ...options }, 'list'), signal),
    watch: (options, signal) => source.watch(modify({ ...options }, 'watch'), signal),
    ...defined({ watchListUnsupported, expected }),
    ...(building === undefined
      ? {}
      : {
          building: <R>(build: BuildObject<R>) =>
            withOptions<R>(building.call(source, build) as ListWatch<R>, modifier),
        }),
    // Not modified: another selector would make it a list of everything.
    ...defined({ echo: echo?.bind(source), clusterId: clusterId?.bind(source) }),
  };
}
