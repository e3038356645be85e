import type { AddEvent, DeleteEvent, Handler, InformerEvent, Registration, UpdateEvent } from 'kube-informer/informer';
import type { Dice } from '../world/dice.ts';
import { isSame, type Item, print, versionOf } from '../world/history.ts';
import type { Invariants } from './invariants.ts';
import type { HandlerSetup } from '../world/setup.ts';
import type { World } from '../world/world.ts';

/** Made once: a stack trace per failure would cost more than the rest of the run. */
const TROUBLE = new Error('this handler fails');

export interface WitnessParts {
  readonly world: World;
  readonly invariants: Invariants;
  readonly dice: Dice;
  /** The cache, as the handler may see it. */
  readonly cached: (key: string) => Item | undefined;
}

/**
 * A handler that holds the informer to its word, and then behaves as badly as its temper says.
 *
 *  I5   absent → add → present → update* → delete → absent; `old` is what it was told last
 *  I6   nothing is told twice, except by a resync or in a new epoch
 *  I7   the cache holds what is told, or something newer
 *  I8   what waits for it is bounded
 *  I12  after the stop, silence
 */
export class Witness implements Handler<Item> {
  readonly setup: HandlerSetup;
  readonly #parts: WitnessParts;
  /** Objects that were added and not deleted. */
  readonly #view = new Map<string, Item>();
  /** The epoch of the last event of each object. */
  readonly #since = new Map<string, number>();
  readonly #received = new Set<string>();
  readonly #stuck: (() => void)[] = [];
  #registration: Registration | undefined;
  /** Events of an older epoch may still be waiting for it. */
  #behind = false;
  #calm = false;
  #gone = false;
  /** Whether no event may come, because the world is at rest. */
  quiet = false;
  lastToldAt = 0;
  count = 0;

  constructor(setup: HandlerSetup, parts: WitnessParts) {
    this.setup = setup;
    this.#parts = parts;
  }

  get name(): string {
    return this.setup.options.name;
  }

  get isGone(): boolean {
    return this.#gone;
  }

  get pending(): number {
    return this.#registration?.pending ?? 0;
  }

  joined(registration: Registration): void {
    this.#registration = registration;
  }

  remove(): void {
    this.#registration?.remove();
    this.#gone = true;
    this.release();
  }

  // — what it is told ————————————————————————————————————————————————————

  add(event: AddEvent<Item>): void | Promise<void> {
    if (this.#view.has(event.key)) this.#fail('I5', `add of ${event.key}, which is there`);
    return this.#hear(event);
  }

  update(event: UpdateEvent<Item>): void | Promise<void> {
    const last = this.#view.get(event.key);
    if (last === undefined) this.#fail('I5', `update of ${event.key}, which was never added`);
    else if (!isSame(last, event.old))
      this.#fail('I5', `update of ${event.key}: old is ${print(event.old)}, but ${print(last)} was told`);
    return this.#hear(event);
  }

  delete(event: DeleteEvent<Item>): void | Promise<void> {
    if (!this.#view.has(event.key)) this.#fail('I5', `delete of ${event.key}, which was never added`);
    return this.#hear(event);
  }

  /** A resync of many objects may itself be more than the limit of policy `detach`. */
  get #overflowing(): boolean {
    return this.setup.options.policy === 'detach' && this.#parts.world.parts.setup.resyncMs > 0;
  }

  overflow(): void {
    if (this.setup.options.policy !== 'detach') this.#fail('I5', 'overflow without policy detach');
    this.#tell('overflow');
    this.#view.clear();
    this.#received.clear();
  }

  #hear(event: InformerEvent<Item>): void | Promise<void> {
    const { world, invariants } = this.#parts;
    const resync = event.type === 'update' && event.resync;
    if (world.parts.story.isTold)
      this.#tell(`${event.type}${resync ? ' (resync)' : ''} ${event.key}@${event.object.metadata.resourceVersion}`);
    this.count += 1;
    if (this.#gone || invariants.isStopped) this.#fail('I12', `${event.type} of ${event.key} after it was over`);
    if (this.quiet && !resync && !this.#overflowing)
      this.#fail('I13', `${event.type} of ${event.key}, though nothing happens any more`);
    if (this.#behind && this.pending === 0 && !invariants.isBetweenEpochs) this.#behind = false;
    else if (!this.#behind && !invariants.isBetweenEpochs) this.#compare(event, resync);
    if (event.type === 'delete') this.#view.delete(event.key);
    else this.#view.set(event.key, event.object);
    this.#since.set(event.key, invariants.epochs);
    if (!resync) this.lastToldAt = world.parts.clock.now();
    return this.#behave();
  }

  #compare(event: InformerEvent<Item>, resync: boolean): void {
    const { key, object, type } = event;
    const version = versionOf(object);
    const last = this.#view.get(key);
    if (last !== undefined && version < versionOf(last) && this.#isComparable(key))
      this.#fail('I1', `${key} went back to ${version}`);
    if (!resync) {
      const once = `${type} ${key} ${print(object)}`;
      if (this.#received.has(once)) this.#fail('I6', `${once} told twice`);
      this.#received.add(once);
    }
    const cached = this.#parts.cached(key);
    if (type === 'delete') {
      if (cached !== undefined && versionOf(cached) <= versionOf(last ?? object) && this.#isComparable(key))
        this.#fail('I7', `delete of ${key}, which is still cached`);
    } else if (cached === undefined) {
      if (!this.#parts.world.epochs.some((history) => history.deletedAfter(key, version)))
        this.#fail('I7', `${type} of ${key}@${version}, which is not cached`);
    } else if (versionOf(cached) < version) {
      this.#fail('I7', `${type} of ${key}@${version}, but the cache has ${versionOf(cached)}`);
    }
  }

  /** Whether past and next events are of one epoch. */
  #isComparable(key: string): boolean {
    const { invariants } = this.#parts;
    return this.#since.get(key) === invariants.epochs && invariants.isComparable(key);
  }

  /** A new epoch: versions start over, and queued events belong to the old one. */
  newEpoch(): void {
    this.#behind = true;
    this.#received.clear();
  }

  // — how it behaves —————————————————————————————————————————————————————

  #behave(): void | Promise<void> {
    const { dice, world } = this.#parts;
    const { clock } = world.parts;
    switch (this.setup.temper) {
      case 'recording':
        return;
      case 'slow':
        return new Promise((resolve) => void clock.after(dice.magnitude(1, 150), resolve));
      case 'throwing':
        if (this.#calm || !dice.chance(0.25)) return;
        if (dice.chance(0.5)) throw TROUBLE;
        return Promise.reject(TROUBLE);
      case 'hanging':
        if (this.#calm || !dice.chance(0.03)) return;
        return new Promise((resolve) => {
          this.#stuck.push(resolve);
          clock.after(dice.magnitude(1_000, 200_000), resolve);
        });
      case 'stuck':
        if (this.#calm || !dice.chance(0.03)) return;
        return new Promise((resolve) => void this.#stuck.push(resolve));
    }
  }

  /** Ends a hanging call, and makes the handler normal from now on. */
  release(): void {
    this.#calm = true;
    for (const go of this.#stuck.splice(0)) go();
  }

  /** Goes back to its temper. */
  provoke(): void {
    this.#calm = false;
  }

  /** I8: beyond its limit it holds a snapshot, the changes of one list, and two events per key, however long it hangs. */
  checkBound(): void {
    const { limit, policy } = this.setup.options;
    const { keys, queue } = this.#parts.world.parts.setup;
    // One entry of a delta queue holds all changes of its key while the informer was blocked.
    if (policy === 'block' && queue === 'delta') return;
    if (this.pending > limit + 5 * keys) this.#fail('I8', `${this.pending} events wait, with a limit of ${limit}`);
  }

  // — at rest ————————————————————————————————————————————————————————————

  /** I13: its events, applied in order, give the cache. */
  compareWith(keys: readonly string[]): void {
    // Not checked during a resync.
    if (this.pending > 0 && this.#parts.world.parts.setup.resyncMs > 0) return;
    if (this.pending > 0) this.#fail('I13', `${this.pending} events still wait`);
    if (this.#view.size !== keys.length) this.#fail('I13', `knows ${this.#view.size} objects of ${keys.length}`);
    for (const key of keys) {
      const known = this.#view.get(key);
      const cached = this.#parts.cached(key);
      if (known === undefined || cached === undefined || !isSame(known, cached))
        this.#fail('I13', `${key} is ${cached && print(cached)}, but it was told ${known && print(known)}`);
    }
  }

  #fail(invariant: string, message: string): void {
    this.#parts.invariants.fail(invariant, `handler ${this.name}: ${message}`);
  }

  #tell(text: string): void {
    this.#parts.world.parts.story.tell(this.name, text);
  }
}
