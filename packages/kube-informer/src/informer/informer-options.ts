import type { UserCode } from '../core/guarded.ts';
import { KubeError, requireOption } from '../core/errors.ts';
import { type KnownOptions, requireKnown } from '../core/known-options.ts';
import type { DecodedBudget } from '../store/packed/decoded-budget.ts';
import type { Index } from '../store/store.ts';
import type { InformerIdentifier } from './apply/informer-name.ts';
import type { MutationHandler } from './apply/mutation-guard.ts';
import type { ReflectorOptions } from './reflector/reflector-options.ts';
import type { TransformFn } from './queue/transform.ts';

export interface SharedInformerOptions<T extends object, I extends string = never> extends Omit<
  ReflectorOptions<T>,
  'shouldResync' | 'key'
> {
  /** Index functions, or paths such as `'spec.nodeName'`, by index name. The index `namespace` always exists. */
  readonly indexers?: Readonly<Record<I, Index<T>>>;
  /** Shrinks or reshapes each object before it enters the queue and the cache. */
  readonly transform?: UserCode<TransformFn<T>>;
  /**
   * `packed`: the cache keeps the bytes of objects, and decodes the parts that are read; for large
   * collections of which few objects are read at a time. `plain`: decoded objects. @default 'plain'
   */
  readonly hold?: 'packed' | 'plain';
  /**
   * Keeps only these paths of each object, and the fields that identify it: `['spec.nodeName',
   * 'status.phase']`. Other fields are neither decoded nor stored, and their changes are not announced.
   * Cannot be combined with `omit` or `transform`.
   */
  readonly select?: readonly string[];
  /** Drops these paths of each object: `['metadata.managedFields']`. */
  readonly omit?: readonly string[];
  /**
   * Maximum number of bytes that packed caches keep decoded, shared by all caches with this budget. @default
   * 64 MB for each cache
   */
  readonly decoded?: DecodedBudget;
  /** `ordered`: changes in the order the server sent them. `delta`: grouped by object. @default 'ordered' */
  readonly queue?: 'ordered' | 'delta';
  /** Applies many changes in one transaction. @default false */
  readonly batch?: boolean;
  /** Event for an object that was deleted and recreated: one update with `replaced` (`flag`), or a delete and an add (`split`). @default 'flag' */
  readonly uidChange?: 'flag' | 'split';
  /** Freezes cached objects, so that code that changes one throws. `false` saves about a fifth of the time of decoding. @default true */
  readonly freeze?: boolean;
  /** Checks once a second whether user code changed cached objects. @default true when KUBE_CACHE_MUTATION_DETECTOR is true */
  readonly detectMutations?: boolean;
  readonly onMutation?: UserCode<MutationHandler>;
  /** Compares the cache with the server every `everyMs`, and relists if they differ. */
  readonly audit?: { readonly everyMs: number };
  /** Called after the server's storage went back in time or was replaced, and the cache has followed it. */
  readonly onEpochReset?: UserCode<() => void>;
  /** Maximum wait for running callbacks when stopping. @default 30_000 */
  readonly stopGraceMs?: number;
  /** Turns the informer metrics on, under this name and resource. */
  readonly identifier?: InformerIdentifier;
  /** Sends handlers the same events as client-go, for comparing the two. */
  readonly parity?: 'client-go';
}

export const DEFAULT_STOP_GRACE_MS = 30_000;

export const INFORMER_OPTIONS: KnownOptions<SharedInformerOptions<object>> = {
  // ReflectorOptions
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
  path: true,
  // SharedInformer only
  indexers: true,
  transform: true,
  hold: true,
  select: true,
  omit: true,
  decoded: true,
  queue: true,
  batch: true,
  uidChange: true,
  freeze: true,
  detectMutations: true,
  onMutation: true,
  audit: true,
  onEpochReset: true,
  stopGraceMs: true,
  identifier: true,
  parity: true,
};

/**
 * Throws INVALID_OPTION for invalid options of an informer. `checkReflectorOptions` checks the options of the
 * reflector.
 */
export function checkInformerOptions<T extends object, I extends string>(options: SharedInformerOptions<T, I>): void {
  requireKnown('SharedInformer', options, INFORMER_OPTIONS);
  const { audit, stopGraceMs = 0, hold = 'plain', transform, access, select, omit } = options;
  requireOption(hold === 'plain' || hold === 'packed', 'hold', '"packed" or "plain"', hold);
  if (hold === 'packed' && transform !== undefined) throw packedInformerOptionError();
  requireOption(hold === 'plain' || access === undefined, 'access', 'none with hold: "packed"', access);
  const isReduced = select !== undefined || omit !== undefined;
  requireOption(!isReduced || access === undefined, 'access', 'none with select or omit', access);
  requireOption(select === undefined || transform === undefined, 'transform', 'none with select', transform);
  requireOption(stopGraceMs >= 0, 'stopGraceMs', 'a number of milliseconds >= 0', stopGraceMs);
  requireOption(audit === undefined || audit.everyMs >= 1_000, 'audit.everyMs', 'at least 1000', audit?.everyMs);
}

export function packedInformerOptionError(): KubeError {
  return new KubeError(
    'INVALID_OPTION',
    'a transform needs hold: "plain": a packed cache keeps the bytes that the server sent',
  );
}
