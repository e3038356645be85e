import type { Env } from 'kube-informer/core';
import { type Check, flagCheck, notNegativeCheck, oneOfShapeCheck, shapeCheck } from '../core/shape-check.ts';
import type { Door } from '../http/listener/listen.ts';
import type { Faults } from '../http/seams.ts';
import type { Watches } from '../http/served-watches.ts';
import type { Store, StoreSnapshot } from '../storage/store/stored-objects.ts';
import type { WindowStart } from './actions/request-seams.ts';

export interface RestartOptions {
  /** `data`: as after a restart of the process; watches from before it get 410. `nothing`: an empty cluster. @default 'data' */
  readonly keep?: 'data' | 'nothing';
  /** Time until the server listens again. @default 0 */
  readonly downMs?: number;
}

export interface RestoreOptions {
  /**
   * `rollback`: the counter goes back to where it was, and versions that clients have seen come again for other states.
   * `bump`: the counter jumps far ahead, as a careful restore does it. In both, open watches end.
   * `continue`: no restore at all, but the writes that lead back: watches stay open and see what differs as events.
   * @default 'rollback'
   */
  readonly revisions?: 'rollback' | 'bump' | 'continue';
}

export interface RotateOptions {
  /** Clients must trust another authority from now on: `server.ca`. @default false */
  readonly newAuthority?: boolean;
  /** The new certificate has run out already. @default false */
  readonly expired?: boolean;
}

/** Checks of these options; they also come as JSON. */
export const RESTART: Check = shapeCheck({
  keep: oneOfShapeCheck('data', 'nothing'),
  downMs: notNegativeCheck,
} satisfies Record<keyof RestartOptions, Check>);
export const RESTORE: Check = shapeCheck({
  revisions: oneOfShapeCheck('rollback', 'bump', 'continue'),
} satisfies Record<keyof RestoreOptions, Check>);
export const ROTATE: Check = shapeCheck({
  newAuthority: flagCheck,
  expired: flagCheck,
} satisfies Record<keyof RotateOptions, Check>);

/** The server as faults see it, besides the seams. */
export interface FaultHost {
  readonly env: Env;
  readonly store: Store;
  readonly watches: Watches;
  readonly windowStart: WindowStart;
  /** Other seams are in force. */
  seamsChanged(seams: Faults): void;
  setDoor(door: Door): Promise<void>;
  sayGoodbye(): void;
  restart(options: RestartOptions): Promise<void>;
  snapshot(): StoreSnapshot;
  restore(snapshot: StoreSnapshot, options: RestoreOptions): void;
  /** The token that is good from now on. */
  expireToken(): string;
  rotateCertificates(options: RotateOptions): void;
  /** Moves the clock that objects and headers show. */
  skew(ms: number): void;
}
