import { requireOption } from '../core/errors.ts';
import { type KnownOptions, requireKnown } from '../core/known-options.ts';
import type { IndexFn } from '../store/store.ts';
import type { InformerIdentity } from './apply/informer-name.ts';
import type { MutationHandler } from './apply/mutation-guard.ts';
import type { ReflectorOptions } from './reflector/reflector.ts';
import type { TransformFn } from './queue/transform.ts';

export interface SharedInformerOptions<T extends object, I extends string = never> extends Omit<
  ReflectorOptions<T>,
  'shouldResync' | 'key'
> {
  /** Extra ways to look objects up; the index `namespace` is always there. */
  readonly indexers?: Readonly<Record<I, IndexFn<T>>>;
  /** Shrinks or reshapes each object before anybody sees it. */
  readonly transform?: TransformFn<T>;
  /** `ordered`: what the server said, as it said it. `delta`: grouped by object. @default 'ordered' */
  readonly queue?: 'ordered' | 'delta';
  /** Apply many changes in one transaction. @default false */
  readonly batch?: boolean;
  /** Another object under the same name: one update marked `replaced`, or a delete and an add. @default 'flag' */
  readonly identityChange?: 'flag' | 'split';
  /** Makes cached objects unchangeable. @default true when NODE_ENV is development or test */
  readonly freeze?: boolean;
  /** Looks for changed cached objects once a second. @default KUBE_CACHE_MUTATION_DETECTOR=true */
  readonly detectMutations?: boolean;
  readonly onMutation?: MutationHandler;
  /** Compares the cache with the server from time to time, and lists again if they differ. */
  readonly audit?: { readonly everyMs: number };
  /** The server's storage went back in time or was exchanged; the cache has followed. */
  readonly onEpochReset?: () => void;
  /** Longest wait for running callbacks when stopping. @default 30_000 */
  readonly stopGraceMs?: number;
  /** Turns the informer metrics on, under this name. */
  readonly identity?: InformerIdentity;
  /** Tells handlers what client-go would tell them, for comparing the two. */
  readonly parity?: 'client-go';
}

export const INFORMER_OPTIONS: KnownOptions<SharedInformerOptions<object>> = {
  // of the reflector
  name: true,
  typeDescription: true,
  expected: true,
  resyncMs: true,
  pageSize: true,
  minWatchTimeoutMs: true,
  maxInternalErrorRetryMs: true,
  watchList: true,
  markerTimeoutMs: true,
  verifyWatchList: true,
  allowStaleFirstList: true,
  backoff: true,
  onWatchError: true,
  env: true,
  metrics: true,
  metricLabels: true,
  access: true,
  // of the informer
  indexers: true,
  transform: true,
  queue: true,
  batch: true,
  identityChange: true,
  freeze: true,
  detectMutations: true,
  onMutation: true,
  audit: true,
  onEpochReset: true,
  stopGraceMs: true,
  identity: true,
  parity: true,
};

/** Throws INVALID_OPTION. What concerns the reflector is its own to check. */
export function checkInformerOptions<T extends object, I extends string>(options: SharedInformerOptions<T, I>): void {
  requireKnown('SharedInformer', options, INFORMER_OPTIONS);
  const { audit, stopGraceMs = 0 } = options;
  requireOption(stopGraceMs >= 0, 'stopGraceMs', 'a number of milliseconds >= 0', stopGraceMs);
  requireOption(audit === undefined || audit.everyMs >= 1_000, 'audit.everyMs', 'at least 1000', audit?.everyMs);
}
