import type { SimClock } from '../world/clock.ts';
import type { Dice } from '../world/dice.ts';
import type { HandlerSetup, Setup } from '../world/setup.ts';
import type { Workload } from '../world/workload.ts';
import type { World } from '../world/world.ts';

/** The objects that a scenario may act on. */
export interface Stage {
  readonly world: World;
  readonly clock: SimClock;
  readonly workload: Workload;
  readonly dice: Dice;
  /** The storage was replaced, and the client must announce it. */
  readonly restored: () => void;
}

/** What must hold in a scenario besides the invariants of every run. */
export interface Expectations {
  /** I17: maximum lag once lists have worked for two minutes; undefined where a list does not help. @default 130_000 */
  readonly maxLagMs?: number | undefined;
  /** I17: `maxLagMs` holds once lists have worked for so long; before, 130 s. @default 0 */
  readonly settlesMs?: number;
  /** I16: maximum lag of a cache whose state is `synced`. @default 75_000 */
  readonly maxSyncedLagMs?: number;
  /** I18: maximum requests in an hour, in runs without other faults. */
  readonly requestsPerHour?: number;
  /**
   * I16: requests go to different replicas, of which one may stand still. Rounds of polling on that one look quiet, and so
   * does its first bookmark; the next question shows it. @default false
   */
  readonly spread?: boolean;
  /** I18: nothing is wrong, so the informer stays synced. @default false */
  readonly healthy?: boolean;
  /** I20: maximum time from the first refused watch until it is reported. */
  readonly toldWithinMs?: number;
  /** G3: every restored storage must be announced. @default false */
  readonly announced?: boolean;
  /** Whether versions must be ordered again at the end. @default false */
  readonly ordered?: boolean;
}

/** One kind of world: what is wrong in it, and what must hold all the same. */
export interface Scenario {
  readonly name: string;
  readonly about: string;
  /** Requirements on the cluster and the informer. */
  readonly setup?: (dice: Dice) => Partial<Setup>;
  /** Puts it into force. It ends when the world heals. */
  readonly begin: (stage: Stage) => void;
  /** How long it lasts. @default 20 */
  readonly minutes?: number;
  /** Never together with the faults of the seed. @default false */
  readonly alone?: boolean;
  readonly expects: Expectations;
}

/** The promise of `synced`, and of an informer whose lists work. */
export const MAX_LAG_MS = 75_000;

/** Calls `act` again and again, after a pause of `between` milliseconds each. */
export function repeatedly(
  { clock, dice, world }: Stage,
  [min, max]: readonly [number, number],
  act: () => void,
): void {
  clock.after(dice.between(min, max), () => {
    if (world.parts.swarm.isHealthy) return;
    act();
    repeatedly({ clock, dice, world } as Stage, [min, max], act);
  });
}

/** Calls `act` from time to time; in some runs at the beginning, too. */
export function badOnce(stage: Stage, act: () => void): void {
  if (stage.dice.chance(0.4)) act();
  repeatedly(stage, [120_000, 400_000], act);
}

/** The connections are gone, and the changes since then are no longer in any window: the client must list. */
export function relist(world: World, workload: Workload): void {
  world.reconnect();
  workload.write(3);
  world.compact();
}

/** The handlers of a scenario: none may hold the cache back, unless it is about that. */
export function patientHandlers(handlers: readonly HandlerSetup[]): HandlerSetup[] {
  return handlers.map(({ temper, options }) => ({
    temper,
    options: { ...options, policy: options.policy === 'block' ? 'coalesce' : options.policy },
  }));
}
