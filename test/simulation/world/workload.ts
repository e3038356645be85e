import type { Dice } from './dice.ts';
import { NEVER } from './setup.ts';
import type { World } from './world.ts';

const NAMESPACES = ['web', 'db', 'jobs'] as const;

/** Leases that are renewed at once where writes are evenly spread. */
const LEASES = 10;

/**
 * Writes objects like a busy cluster: mostly updates, some creates and deletes, some deletes
 * followed by a create with the same name, sometimes many at once.
 */
export class Workload {
  readonly #world: World;
  readonly #dice: Dice;
  readonly #others: Dice;
  readonly #keys: readonly string[];
  #running = false;
  /** Writes that had to wait for a restore to be noticed. */
  #owed = 0;

  constructor(world: World, dice: Dice) {
    this.#world = world;
    this.#dice = dice;
    this.#others = dice.fork(1);
    this.#keys = Array.from({ length: world.parts.setup.keys }, (_, i) => `${NAMESPACES[i % 3]}/${String(i)}`);
  }

  /** Creates the first objects. */
  populate(): void {
    for (const key of this.#keys) if (this.#dice.chance(0.6)) this.#world.put(key, false);
  }

  start(): void {
    this.#running = true;
    this.#plan();
    this.#planOthers();
  }

  /** Other resources of the cluster are written. */
  #planOthers(): void {
    const { clock, setup } = this.#world.parts;
    if (setup.othersEveryMs === NEVER) return;
    const { othersEveryMs, othersEvenly } = setup;
    clock.after(othersEvenly ? othersEveryMs : this.#others.exponential(othersEveryMs), () => {
      if (!this.#running) return;
      this.#world.skip(othersEvenly ? LEASES : this.#others.whole(1, 5));
      this.#planOthers();
    });
  }

  stop(): void {
    this.#running = false;
  }

  #plan(): void {
    const { clock, setup } = this.#world.parts;
    clock.after(this.#dice.exponential(setup.writeEveryMs), () => {
      if (!this.#running) return;
      const burst = this.#dice.chance(0.03) ? this.#dice.whole(5, 40) : 1;
      this.write(burst + this.#owed);
      this.#plan();
    });
  }

  /** Writes `count` times, or as often as the world lets it. */
  write(count: number): void {
    this.#owed = 0;
    for (let i = 0; i < count; i += 1) {
      if (!this.#world.mayWrite) {
        this.#owed = Math.min(60, count - i);
        return;
      }
      this.#one();
    }
  }

  #one(): void {
    const dice = this.#dice;
    const world = this.#world;
    const key = dice.pick(this.#keys);
    const bad = dice.chance(world.parts.setup.bad);
    const exists = world.history.state.has(key);
    const what = dice.unit();
    if (!exists || what < 0.6) world.put(key, bad);
    else if (what < 0.8) world.delete(key);
    else if (what < 0.95) {
      world.delete(key);
      if (world.mayWrite) world.put(key, bad);
    } else if (world.mayWrite) world.skip(dice.whole(1, 5));
  }

  /** Replaces every bad state by a good one, as soon as writes are possible. */
  cure(): void {
    const world = this.#world;
    for (const [key, { object }] of world.history.state) {
      if (!object.spec.bad) continue;
      if (!world.mayWrite) return void world.parts.clock.after(500, () => this.cure());
      world.put(key, false);
    }
  }
}
