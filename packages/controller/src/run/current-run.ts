import type { Key } from 'kube-informer/core';
import type { Cause } from './reasons.ts';
import type { RunWrite } from './run-log.ts';

/** A run that has not ended. */
export interface CurrentRun {
  readonly key: Key;
  /** Uid of its object; undefined: it runs because the object is gone. */
  readonly uid: string | undefined;
  /** Whether this run ends its object: it cleans up, or has requested the deletion. */
  endsObject: boolean;
  /** Whether its object was deleted, and not because of this run. */
  isVanished: boolean;
  /** Aborts its signal. */
  abort: (reason: unknown) => void;
  /** Start of the run, on the monotonic clock. */
  readonly startedAt: number;
  lastRequest: string | undefined;
  isHung: boolean;
  /** Whether it has ended: then it writes nothing more. */
  isOver: boolean;
  readonly writes: RunWrite[];
  readonly reasons: readonly string[];
  readonly causes: readonly Cause[];
  /** Time at which its key became ready, in milliseconds since 1970. */
  readonly queuedAt: number;
  readonly attempt: number;
  readonly fresh: boolean;
}
