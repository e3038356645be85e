import { messageOf } from '../core/errors.ts';
import type { Key } from '../core/object/key.ts';
import type { ReadonlyStore } from '../store/store.ts';
import type { SlowCall } from './handlers/call-log.ts';
import type { Feed } from './apply/feed.ts';
import type { InformerState } from './informer-state.ts';
import type { Process } from './apply/process.ts';
import type { Processor } from './handlers/processor.ts';
import type { ReflectorState } from './reflector/reflector-context.ts';

/** Everything a person or a probe may want to know, as plain data. */
export interface InformerHealth {
  readonly state: InformerState;
  readonly reflector: ReflectorState;
  /** Wall clock of the last good answer of the server. */
  readonly lastContactAt: number | undefined;
  /** The version the cache has reached. */
  readonly resourceVersion: string;
  readonly objects: number;
  /** Changes received and not yet applied. */
  readonly pending: number;
  /** Keys whose newest state user code could not digest, and why. */
  readonly poisoned: readonly { readonly key: Key; readonly error: string }[];
  readonly staleDropped: number;
  readonly unknownDeletes: number;
  /** How often the server's storage went back in time. */
  readonly epochs: number;
  /** `opaque`: this server's versions cannot be ordered, so older states cannot be recognised. */
  readonly versions: 'ordered' | 'opaque';
  readonly usesWatchList: boolean;
  readonly handlers: readonly HandlerHealth[];
}

export interface HandlerHealth {
  readonly name: string;
  readonly pending: number;
  readonly synced: boolean;
  /** Callbacks that have ended. */
  readonly calls: number;
  /** Of these, how many threw or rejected. */
  readonly failures: number;
  /** The slowest callbacks seen, longest first: of those that return a promise all are timed, of the others one in 16. */
  readonly slowest: readonly SlowCall[];
  /** How long the running callback has been running. */
  readonly busyForMs: number | undefined;
}

export interface HealthParts<T extends object> {
  readonly state: InformerState;
  /** Undefined before the start. */
  readonly feed: Feed<T> | undefined;
  readonly indexer: ReadonlyStore<T>;
  readonly process: Process<T>;
  readonly processor: Processor<T>;
  readonly watchList: boolean;
}

export function healthOf<T extends object>({
  state,
  feed,
  indexer,
  process,
  processor,
  watchList,
}: HealthParts<T>): InformerHealth {
  const reflector = feed?.controller.reflector;
  return {
    state,
    reflector: reflector?.state ?? { kind: 'idle' },
    lastContactAt: reflector?.lastContactAt,
    resourceVersion: indexer.resourceVersion,
    objects: indexer.size,
    pending: feed?.queue.pending ?? 0,
    poisoned: [...process.poisoned].map(([key, { error }]) => ({ key, error: messageOf(error) })),
    staleDropped: process.staleDropped,
    unknownDeletes: process.unknownDeletes,
    epochs: (reflector?.epochs ?? 0) + process.contradictions,
    versions: reflector?.versionsAreOrdered === false ? 'opaque' : 'ordered',
    usesWatchList: reflector?.usesWatchList ?? watchList,
    handlers: processor.listeners.map((listener) => ({
      name: listener.name,
      pending: listener.pending,
      synced: listener.tracker.hasSynced,
      calls: listener.log.calls,
      failures: listener.log.failures,
      slowest: listener.log.slowest,
      busyForMs: listener.busyForMs,
    })),
  };
}
