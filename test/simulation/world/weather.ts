import { type ClientState, STATES } from './coverage.ts';
import type { Dice } from './dice.ts';
import { WEATHER, type WeatherKind } from './faults.ts';
import type { World } from './world.ts';

/** How long a fault waits for the client to be in the chosen state before it strikes anyway. */
const PATIENCE_MS = 60_000;

interface Armed {
  readonly kind: WeatherKind;
  readonly state: ClientState;
  readonly until: number;
}

/**
 * Faults of the whole world. Half of them wait for a certain moment ("while a list is running"):
 * such moments are short and would almost never be hit by chance.
 */
export class Weather {
  readonly #world: World;
  readonly #dice: Dice;
  #armed: Armed[] = [];
  #running = false;
  /** Called for a new epoch that the client should notice. */
  onRewind: () => void = () => {};

  constructor(world: World, dice: Dice) {
    this.#world = world;
    this.#dice = dice;
  }

  start(): void {
    this.#running = true;
    for (const kind of WEATHER) {
      if (!this.#world.parts.swarm.has(kind)) continue;
      const rare = kind === 'restore' || kind === 'new-cluster';
      this.#plan(kind, rare ? this.#dice.between(200_000, 700_000) : this.#dice.magnitude(40_000, 600_000));
      // Every run has a first list to disturb.
      if (this.#dice.chance(0.15)) this.#arm(kind, this.#dice.pick(['listing', 'watch-listing']));
    }
  }

  stop(): void {
    this.#running = false;
    this.#armed = [];
  }

  #plan(kind: WeatherKind, mean: number): void {
    const { clock } = this.#world.parts;
    clock.after(this.#dice.exponential(mean), () => {
      if (!this.#running) return;
      this.#plan(kind, mean);
      if (this.#dice.chance(0.4)) return this.#strike(kind);
      this.#arm(kind, this.#dice.pick(STATES));
    });
  }

  #arm(kind: WeatherKind, state: ClientState): void {
    this.#armed.push({ kind, state, until: this.#world.parts.clock.now() + PATIENCE_MS });
  }

  /** Called after every step: starts a fault that waits for this moment. Returns whether it did. */
  look(): boolean {
    if (this.#armed.length === 0) return false;
    const state = this.#world.clientState;
    const now = this.#world.parts.clock.now();
    const due = this.#armed.find((armed) => armed.state === state || armed.until <= now);
    if (due === undefined) return false;
    this.#armed = this.#armed.filter((armed) => armed !== due);
    this.#strike(due.kind);
    return true;
  }

  #strike(kind: WeatherKind): void {
    const world = this.#world;
    const dice = this.#dice;
    const state = world.clientState;
    if (kind === 'restore' || kind === 'new-cluster') {
      if (!(kind === 'restore' ? world.restore() : world.exchange())) return;
      world.fault(kind, state);
      if (world.rewound) this.onRewind();
      return;
    }
    world.fault(kind, state);
    if (kind === 'compaction') world.compact();
    else if (kind === 'lag') world.lag(dice.pick(world.replicas), dice.magnitude(500, 200_000));
    else if (kind === 'refused') world.outage(dice.magnitude(500, 400_000));
    else world.parts.clock.freeze(dice.magnitude(2_000, 400_000));
  }
}
