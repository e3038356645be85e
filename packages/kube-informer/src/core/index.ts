export { type LinkedAbort, linkedAbort, untilAborted } from './async/abort.ts';
export { Backoff, type BackoffOptions, RetryWithDeadline } from './async/backoff.ts';
export { defined, type Defined } from './defined.ts';
export { type Env, guardedEnv, type Log, type LogLevel, systemEnv } from './env.ts';
export {
  type ErrorCode,
  errorMessageOf,
  hasCode,
  KubeError,
  type KubeErrorOptions,
  requireOption,
  type Status,
  type StatusCause,
} from './errors.ts';
export { guardedAnswer, guardedCallback, guardedPromise, type UserCode } from './guarded.ts';
export { joinKey, type Key, type KeyFn, keyFn, keyOf, type ObjectName, splitKey } from './object/key.ts';
export { type KnownOptions, requireKnown } from './known-options.ts';
export { Latch } from './async/latch.ts';
export type { GetOptions, ListOptions, WatchOptions } from './object/list-options.ts';
export {
  type Counter,
  type Gauge,
  guardedMetrics,
  type Histogram,
  type MetricLabels,
  type Metrics,
  noMetrics,
} from './metrics.ts';
export {
  type KubeList,
  type KubeObject,
  type Live,
  type ManagedFields,
  type ObjectAccess,
  type ObjectMeta,
  type OwnerReference,
  plainAccess,
  type TypeRef,
} from './object/object.ts';
export type { PathOf, Selected } from './object/selected.ts';
export { compareVersions, isOlder } from './object/resource-version.ts';
export { safeText } from './redact.ts';
export { printableText, UNPRINTABLE } from './unprintable.ts';
export { ElapsedClock } from './elapsed-clock.ts';
export { isEqual } from './object/equal.ts';
export { microTimestamp, parseTimestamp, timestamp } from './timestamp.ts';
export {
  FieldSelector,
  type FieldSelectorLike,
  type Labels,
  LabelSelector,
  type LabelSelectorLike,
  type LabelSelectorSpec,
} from './selector/selector.ts';
export {
  isAlreadyExists, isBadRequest, isConflict, isConnectionRefused, isExpired, isForbidden, isGone, isInternalError, isInvalid, isNotFound,
  isResourceExpired, isServerFailure, isTimeout, isTooLargeResourceVersion, isTooManyRequests, isUnauthorized, isUnparsableVersion, retryAfterOf, statusError, statusOf,
} from './status.ts'; // prettier-ignore
export { unreadableCause, unreadableObject } from './object/unreadable.ts';
export { INITIAL_EVENTS_END, type WatchEvent } from './object/watch-event.ts';
