import type { UserCode } from '../../core/guarded.ts';
import { type BackoffOptions, completeBackoffOptions } from '../../core/async/backoff.ts';
import type { Env } from '../../core/env.ts';
import { requireOption } from '../../core/errors.ts';
import type { KeyFn } from '../../core/object/key.ts';
import type { Metrics } from '../../core/metrics.ts';
import type { ObjectAccess } from '../../core/object/object.ts';
import type { Applied } from '../freshness/evidence.ts';
import type { StreamingPath } from '../freshness/streaming-path.ts';
import type { ExpectedType } from '../list-watch/event-reader.ts';
import { type ListWatch, requireListWatch } from '../list-watch/list-watch.ts';
import type { WatchErrorHandler } from './watch-error.ts';

export interface ReflectorOptions<T> {
  /** Name in log lines and metrics. @default the source location that created the reflector */
  readonly name?: string;
  /** Description of the collection in messages. @default from `expected` */
  readonly typeDescription?: string;
  /** The type of the collection's objects; objects of another type are logged and skipped. @default what the source knows */
  readonly expected?: ExpectedType;
  /** Period of `sink.resync()` calls; 0 for none. @default 0 */
  readonly resyncMs?: number;
  /** Called before each resync; false skips it. @default always true */
  readonly shouldResync?: UserCode<() => boolean>;
  /** Objects per list page. @default 500, or everything at once where the server can list from its watch cache */
  readonly pageSize?: number;
  /** Minimum lifetime to request for a watch; less than 5 minutes has no effect. Each watch gets up to twice as long. */
  readonly minWatchTimeoutMs?: number;
  /** Time for which internal errors of a running watch are retried without a relist. @default 0: three in a row */
  readonly maxInternalErrorRetryMs?: number;
  /** Fetch the initial state as a streaming list. @default true, unless the source has `watchListUnsupported` */
  readonly watchList?: boolean;
  /** Maximum wait for the next new object, or the end marker, of a streaming list. @default 30_000 */
  readonly markerTimeoutMs?: number;
  /** Compare each streaming list with a plain list of the same version before using it. For tests. @default false */
  readonly verifyWatchList?: boolean;
  /** Accept any cached state, maybe an old one, for the first list. Cheap for the server. @default false */
  readonly allowStaleFirstList?: boolean;
  readonly backoff?: BackoffOptions;
  /** Called for the first failure of each kind, then after 1, 5 and 30 minutes and every hour while it continues. @default logs */
  readonly onWatchError?: UserCode<WatchErrorHandler>;
  readonly env?: UserCode<Env>;
  readonly metrics?: UserCode<Metrics>;
  readonly metricLabels?: Readonly<Record<string, string>>;
  readonly access?: ObjectAccess<T>;
  readonly key?: UserCode<KeyFn<T>>;
  /**
   * What is known about the connection to the server. Pass the same instance to all reflectors of one
   * connection. @default its own
   */
  readonly path?: StreamingPath;
}

/** Settings that an informer passes to its reflector, and callbacks by which the reflector reports to it. */
export interface ReflectorHooks {
  /** Returns how far the cache behind the sink has applied changes. @default the sink applies changes at once */
  readonly applied?: () => Applied;
  /** Called when the judgement about the cache may have changed. */
  readonly onEvidence?: () => void;
}

export const DEFAULT_MARKER_TIMEOUT_MS = 30_000;

/** Throws INVALID_OPTION for a source without `list` and `watch`, and for options that are out of range. */
export function checkReflectorOptions<T>(source: ListWatch<T>, options: ReflectorOptions<T>): void {
  const {
    resyncMs = 0,
    pageSize = 0,
    minWatchTimeoutMs = 0,
    maxInternalErrorRetryMs = 0,
    markerTimeoutMs = DEFAULT_MARKER_TIMEOUT_MS,
  } = options;
  requireListWatch(source);
  requireOption(Number.isFinite(resyncMs) && resyncMs >= 0, 'resyncMs', 'a number >= 0', resyncMs);
  requireOption(Number.isInteger(pageSize) && pageSize >= 0, 'pageSize', 'a whole number >= 0', pageSize);
  requireOption(
    Number.isFinite(minWatchTimeoutMs) && minWatchTimeoutMs >= 0,
    'minWatchTimeoutMs',
    'a number >= 0',
    minWatchTimeoutMs,
  );
  requireOption(maxInternalErrorRetryMs >= 0, 'maxInternalErrorRetryMs', 'a number >= 0', maxInternalErrorRetryMs);
  requireOption(markerTimeoutMs > 0, 'markerTimeoutMs', 'a positive number', markerTimeoutMs);
  completeBackoffOptions(options.backoff);
}
