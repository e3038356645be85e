import { defined } from '../core/defined.ts';
import { errorMessageOf } from '../core/errors.ts';
import type { Key } from '../core/object/key.ts';
import type { HeldBytes } from '../core/object/representation.ts';
import type { FailedCall, SlowCall } from './handlers/call-log.ts';
import type { InformerState } from './informer-state.ts';
import type { InformerPipeline } from './pipeline.ts';
import type { ReflectorState } from './reflector/reflector-context.ts';

/** State, counters and handlers of an informer as plain data, for dashboards and probes. */
export interface InformerHealth {
  readonly state: InformerState;
  readonly reflector: ReflectorState;
  /** Wall clock time at which the cache was last known to be current. */
  readonly lastContactAt: number | undefined;
  /** The version of the cache. */
  readonly resourceVersion: string;
  readonly objects: number;
  /** Number of changes received and not yet applied. */
  readonly pending: number;
  /** Keys whose newest state could not be decoded, transformed or indexed, and the error. Their old state stays. */
  readonly poisoned: readonly { readonly key: Key; readonly error: string }[];
  /** Objects of the last list of which not even the name could be decoded. */
  readonly unnamed: number;
  /** States dropped because the cache held a newer one. */
  readonly staleDropped: number;
  /** Deletes of objects that were not in the cache. */
  readonly unknownDeletes: number;
  /** Changes of parts that `select` leaves out: applied, and not announced. */
  readonly outsideSelection: number;
  /** Number of times the server's storage went back in time or was replaced. */
  readonly epochs: number;
  /** `opaque`: this server's versions cannot be ordered, so older states cannot be recognized. */
  readonly versions: 'ordered' | 'opaque';
  readonly usesWatchList: boolean;
  /** Memory of the cache. Left out for plain objects, which are not counted. */
  readonly bytes?: HeldBytes;
  readonly handlers: readonly HandlerHealth[];
}

export interface HandlerHealth {
  readonly name: string;
  readonly pending: number;
  readonly synced: boolean;
  /** Number of callbacks that have ended, failed ones included. */
  readonly calls: number;
  /** Number of callbacks that threw or rejected. */
  readonly failures: number;
  readonly lastFailure: FailedCall | undefined;
  /** The slowest callbacks, longest first. All that return a promise are timed, and one in 16 of the others. */
  readonly slowest: readonly SlowCall[];
  /** Time for which the current callback has been running. */
  readonly busyForMs: number | undefined;
}

export function informerHealth<T extends object, I extends string>(
  state: InformerState,
  { reflector, pending, store, process, processor, usesWatchList, bytes }: InformerPipeline<T, I>,
): InformerHealth {
  return {
    state,
    reflector: reflector?.state ?? { kind: 'idle' },
    lastContactAt: reflector?.lastContactAt,
    resourceVersion: store.resourceVersion,
    objects: store.size,
    pending,
    poisoned: [...process.poisoned].map(([key, { error }]) => ({ key, error: errorMessageOf(error) })),
    unnamed: reflector?.unnamed ?? 0,
    staleDropped: process.staleDropped,
    unknownDeletes: process.unknownDeletes,
    outsideSelection: process.outsideSelection,
    epochs: (reflector?.epochs ?? 0) + process.contradictions,
    versions: reflector?.versionsAreOrdered === false ? 'opaque' : 'ordered',
    usesWatchList,
    ...defined({ bytes }),
    handlers: processor.listeners.map((listener) => ({
      name: listener.name,
      pending: listener.pending,
      synced: listener.tracker.hasSynced,
      calls: listener.log.calls,
      failures: listener.log.failures,
      lastFailure: listener.log.lastFailure,
      slowest: listener.log.slowest,
      busyForMs: listener.busyForMs,
    })),
  };
}
