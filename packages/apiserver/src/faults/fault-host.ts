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
   * `rollback`: the counter goes back, and versions that clients have seen are used again for other states.
   * `bump`: the counter jumps far ahead, as in a careful restore. In both, open watches end. `continue`: no
   * restore, but writes that lead back to the old state: watches stay open and get the differences as events.
   * @default 'rollback'
   */
  readonly revisions?: 'rollback' | 'bump' | 'continue';
}

export interface RotateOptions {
  /** Uses a new authority, which clients must trust from now on: `server.ca`. @default false */
  readonly newAuthority?: boolean;
  /** Whether the new certificate has already expired. @default false */
  readonly expired?: boolean;
}

/** Checks of these options, which may also come as JSON. */
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

/** The parts of the server that faults use, besides the seams. */
export interface FaultHost {
  readonly env: Env;
  readonly store: Store;
  readonly watches: Watches;
  readonly windowStart: WindowStart;
  /** Called when the seams have changed. */
  seamsChanged(seams: Faults): void;
  setDoor(door: Door): Promise<void>;
  sayGoodbye(): void;
  restart(options: RestartOptions): Promise<void>;
  snapshot(): StoreSnapshot;
  restore(snapshot: StoreSnapshot, options: RestoreOptions): void;
  /** Expires the administrator's token and returns the new one. */
  expireToken(): string;
  rotateCertificates(options: RotateOptions): void;
  /** Moves the clock that objects and headers show. */
  skew(ms: number): void;
}
