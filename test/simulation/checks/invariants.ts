import type { WatchOptions } from 'kube-informer/core';
import type { SharedInformer } from 'kube-informer/informer';
import { type Entry, type History, isSame, type Item, Mirror, print, type State, versionOf } from '../world/history.ts';
import { type Role, roleOf } from '../world/path.ts';
import type { Purpose } from '../world/traffic.ts';
import type { World } from '../world/world.ts';

/** A broken promise. The first one ends the run. */
export class Violation extends Error {
  override readonly name = 'Violation';
  readonly invariant: string;

  constructor(invariant: string, message: string) {
    super(`${invariant}: ${message}`);
    this.invariant = invariant;
  }
}

/** How often the whole index is rebuilt and compared. */
const REBUILD_EVERY = 64;
/** Maximum requests in ten seconds beyond one for each event. */
const MAX_REQUESTS = 30;
const REQUEST_WINDOW_MS = 10_000;
/** Maximum sleeps of one informer: backoff, watchdogs, probe, resync, audit, detector, one per handler. */
const MAX_SLEEPERS = 16;
/** Maximum open requests: a list, a probe, a clusterId and an audit. */
const MAX_CALLS = 4;
/** Maximum pages of one list; the largest simulated collection has 14. */
const MAX_PAGES = 40;

/**
 * Compares the cache with the storage's own history after every step. A step that
 * changed nothing costs a walk over the cache; one that did, a comparison.
 *
 *  I1  the version cached for a key never goes back in an epoch
 *  I2  every cached state existed, for that key, at that version
 *  I3  the cache is the state of the storage at the cache's own version (delta queue: once it is empty)
 *  I4  a watch resumes at the last applied version
 *  I7  the index by namespace is what a rebuild would give
 *  I8  sleepers and open requests are bounded
 *  I9  one list and one watch at a time, no hot loop, Retry-After obeyed
 *  I13 at rest the cache is the head of the history
 *  G3  no new epoch without an older storage
 *  G15 synced means that a list was applied
 */
export class Invariants {
  readonly #world: World;
  readonly #informer: SharedInformer<Item>;
  readonly #without: readonly string[];
  #failure: Violation | undefined;
  #objects: readonly Item[] = [];
  #version = '';
  #steps = 0;
  readonly #highest = new Map<string, number>();
  readonly #mirror: Mirror;
  #history: History;
  readonly #requests: number[] = [];
  readonly #framesAt: number[] = [];
  #pages = 0;
  #frames = 0;
  #askedUntil = 0;
  #pauseUntil = 0;
  #wasPolling = false;
  #stopped = false;
  #epochs = 0;
  #epochsAllowed = 0;
  #epochExpected = 0;
  #spareEpoch = false;
  /** When the cache last changed. */
  lastChangeAt = 0;
  /** Called for every new epoch. */
  onEpoch: () => void = () => {};

  constructor(world: World, informer: SharedInformer<Item>, without: readonly string[] = []) {
    this.#world = world;
    this.#without = without;
    this.#informer = informer;
    this.#history = world.history;
    this.#mirror = new Mirror(world.history);
  }

  fail(invariant: string, message: string): void {
    if (!this.#without.includes(invariant)) this.#failure ??= new Violation(invariant, message);
  }

  get steps(): number {
    return this.#steps;
  }

  get epochs(): number {
    return this.#epochs;
  }

  /** Called when every promise job of a step has run. Throws the first violation. */
  afterStep(): void {
    this.#steps += 1;
    const objects = this.#informer.store.list();
    if (this.#hasChanged(objects)) this.#compare(objects);
    if (this.#steps % REBUILD_EVERY === 0) this.#rebuildIndex(objects);
    // A delta queue knows its version only when it is empty.
    const { setup } = this.#world.parts;
    if (this.#version === '' && this.#informer.hasSynced && setup.queue === 'ordered' && !this.#world.tainted)
      this.fail('G15', 'synced without a list');
    const { sleeping } = this.#world.parts.clock;
    if (sleeping > MAX_SLEEPERS) this.fail('I8', `${sleeping} sleepers`);
    if (this.#world.calls.size > MAX_CALLS) this.fail('I8', `${this.#world.calls.size} requests at once`);
    if (this.#failure !== undefined) throw this.#failure;
  }

  // — the cache ——————————————————————————————————————————————————————————

  #hasChanged(objects: readonly Item[]): boolean {
    const before = this.#objects;
    if (objects.length !== before.length || this.#informer.store.resourceVersion !== this.#version) return true;
    for (let i = 0; i < objects.length; i += 1) if (objects[i] !== before[i]) return true;
    return false;
  }

  #compare(objects: readonly Item[]): void {
    const { store } = this.#informer;
    const keys = store.keys();
    const before = new Set(this.#objects);
    if (objects.length !== before.size) this.lastChangeAt = this.#world.parts.clock.now();
    objects.forEach((object, i) => {
      if (before.has(object)) return;
      this.lastChangeAt = this.#world.parts.clock.now();
      const key = keys[i] as string;
      const version = versionOf(object);
      const highest = this.#highest.get(key) ?? 0;
      if (version < highest && !this.isBetweenEpochs && !this.#world.tainted && this.isComparable(key))
        this.fail('I1', `${key} went back from ${highest} to ${version}`);
      this.#highest.set(key, version);
      this.#mustHaveExisted(key, object, version);
    });
    this.#objects = objects;
    this.#version = store.resourceVersion;
    if (store.resourceVersion === '' || this.isBetweenEpochs) return;
    // A delta queue applies changes in another order; only an empty one tells the version of the cache.
    if (this.#world.parts.setup.queue === 'delta' && this.#informer.health().pending > 0) return;
    this.#compareAll(keys, objects);
  }

  #mustHaveExisted(key: string, object: Item, version: number): void {
    for (let i = this.#world.epochs.length - 1; i >= 0; i -= 1) {
      const entry = (this.#world.epochs[i] as History).entryAt(version);
      if (entry === undefined || entry.key !== key || entry.type === 'DELETED') continue;
      if (isSame(entry.object, object)) return;
    }
    this.fail('I2', `${key} is cached as ${print(object)}, which never existed`);
  }

  #compareAll(keys: readonly string[], objects: readonly Item[]): void {
    const { swarm } = this.#world.parts;
    // Not possible with a server that loses events, or with two clusters that are told apart only afterwards.
    if (swarm.has('lost-event') || this.#world.isForeign) return;
    const rv = Number(this.#version);
    if (this.#world.tainted) {
      const state = this.#world.history.at(rv);
      const right = rv <= this.#world.history.rv && differenceFrom(state, keys, objects, () => false) === undefined;
      if (right) this.#world.tainted = false;
      return;
    }
    if (differenceFrom(this.#mirror.moveTo(this.#history, rv), keys, objects, this.#isPoisoned) === undefined) return;
    let difference: string | undefined;
    for (let i = this.#world.epochs.length - 1; i >= 0; i -= 1) {
      const history = this.#world.epochs[i] as History;
      const found = differenceFrom(history.at(rv), keys, objects, this.#isPoisoned);
      if (found === undefined && history.rv >= rv) {
        this.#history = history;
        return;
      }
      difference ??= found;
    }
    this.fail('I3', `the cache at ${rv} is not the state of ${rv}: ${difference}`);
  }

  /** A state that cannot be used leaves the old state in place, or none, and is named; its delete moves no version. */
  readonly #isPoisoned = (key: string, entry: Entry, cached: Item | undefined): boolean =>
    this.#informer.health().poisoned.some((poisoned) => poisoned.key === key) ||
    (cached === undefined && this.#world.touched.has(key) && this.#history.deletedAfter(key, entry.rv));

  #rebuildIndex(objects: readonly Item[]): void {
    const { store } = this.#informer;
    const rebuilt = new Map<string, number>();
    const keys = store.keys();
    objects.forEach((object, i) => {
      const { namespace } = object.metadata;
      rebuilt.set(namespace, (rebuilt.get(namespace) ?? 0) + 1);
      if (!store.indexKeys('namespace', namespace).includes(keys[i] as string))
        this.fail('I7', `index namespace=${namespace} lacks ${keys[i]}`);
    });
    for (const value of store.indexValues('namespace')) {
      const indexed = store.indexKeys('namespace', value).length;
      if (indexed !== (rebuilt.get(value) ?? 0)) this.fail('I7', `index namespace=${value} has ${indexed} keys`);
    }
  }

  // — epochs —————————————————————————————————————————————————————————————

  /** The newest state is older than the client's: it may go back once more. */
  allowEpoch(): void {
    this.#epochsAllowed = this.#epochsReceived + 1;
  }

  /** It must go back eventually. Another cluster may be noticed twice: first by its age, then by its identity. */
  expectEpoch(): void {
    this.allowEpoch();
    this.#epochExpected = this.#epochsAllowed;
    this.#spareEpoch = this.#world.isForeign;
  }

  /** The client has announced a new epoch. */
  epochReset(): void {
    this.#epochs += 1;
    this.#highest.clear();
    if (this.#epochs >= this.#epochExpected) this.#world.noticed();
    this.onEpoch();
    // After a wrong version the right one looks like a storage that went back.
    if (this.#world.tainted) this.allowEpoch();
    if (this.#epochs <= this.#epochsAllowed) return;
    if (!this.#spareEpoch) this.fail('G3', 'a new epoch, though the storage did not go back');
    this.#spareEpoch = false;
  }

  /** Includes one that is queued behind a handler that blocks. */
  get #epochsReceived(): number {
    return Math.max(this.#informer.health().epochs, this.#epochs);
  }

  /** Whether old and new states may be mixed now: only with a delta queue, which has no atomic change. */
  get isBetweenEpochs(): boolean {
    return this.#world.parts.setup.queue === 'delta' && this.#epochsAllowed > this.#epochs;
  }

  /** False for a key that may have kept a state of another epoch, because the transform failed on the new one. */
  isComparable(key: string): boolean {
    return this.#epochs === 0 || !this.#world.touched.has(key);
  }

  // — requests ———————————————————————————————————————————————————————————

  requested(purpose: Purpose, options: WatchOptions): void {
    const now = this.#world.parts.clock.now();
    if (this.#stopped) this.fail('I12', `a ${purpose} request after stop`);
    const { calls, streams } = this.#world;
    const main = purpose === 'list' || purpose === 'page';
    if (main && [...calls].some((call) => call.isMain)) this.fail('I9', 'a second list while one is running');
    const open = (role: Role): boolean => [...streams].some((stream) => stream.role === role);
    if (!isList(purpose) && open(roleOf(options))) this.fail('I9', `a second ${purpose} while one is open`);
    // Polling continues until a long watch beside it has shown that it works; after a list without a version only
    // another list shows what was deleted.
    const isPolling = this.#isPolling;
    if (main && open('long') && !isPolling && !this.#world.tainted) this.fail('I9', 'a list beside an open watch');
    this.#pages = purpose === 'page' ? this.#pages + 1 : purpose === 'list' ? 0 : this.#pages;
    if (this.#pages > MAX_PAGES) this.fail('I9', `${this.#pages} pages of one list`);
    // A response that was not accepted can no longer start an epoch.
    if (purpose === 'list' || purpose === 'watch-list')
      this.#epochsAllowed = this.#epochsReceived + (this.#world.rewound ? 1 : 0);
    if (purpose === 'watch' || purpose === 'poll') this.#resumesAtApplied(options.resourceVersion ?? '');
    if (purpose === 'page' || purpose === 'audit') return;
    const aside = purpose === 'probe' || purpose === 'echo' || purpose === 'witness';
    // Polling begins at once when watches are given up, by a list if short ones fail too; I18 bounds its rate.
    if (purpose === 'poll') this.#pauseUntil = 0;
    const notBefore = Math.max(this.#askedUntil, this.#pauseUntil);
    if (!aside && now < notBefore - 1e-6)
      this.fail('I9', `a ${purpose} ${notBefore - now} ms before the server wanted one`);
    this.#requests.push(now);
    this.#framesAt.push(this.#frames);
    this.#boundRate(now);
  }

  /** A server that is polled is so until a watch is taken, also while the polling is late and the cache stale. */
  get #isPolling(): boolean {
    const { kind } = this.#informer.state as { kind: string };
    if (kind === 'polling' || kind === 'synced') this.#wasPolling = kind === 'polling';
    return this.#wasPolling;
  }

  #boundRate(now: number): void {
    while ((this.#requests[0] as number) < now - REQUEST_WINDOW_MS) {
      this.#requests.shift();
      this.#framesAt.shift();
    }
    const paid = 2 * (this.#frames - (this.#framesAt[0] as number));
    if (this.#requests.length > MAX_REQUESTS + paid)
      this.fail('I9', `${this.#requests.length} requests in ${REQUEST_WINDOW_MS / 1_000} s`);
  }

  #resumesAtApplied(asked: string): void {
    if (this.#world.tainted) return;
    const { store, lastSyncResourceVersion } = this.#informer;
    if (asked !== lastSyncResourceVersion)
      this.fail('I4', `a watch from ${asked}, but the last version received is ${lastSyncResourceVersion}`);
    const { queue, hiccups, bad } = this.#world.parts.setup;
    // With slices a replacement is still being applied while nothing is queued; a bad state moves no version.
    if (queue !== 'ordered' || hiccups > 0 || bad > 0) return;
    if (this.#informer.health().pending === 0 && store.resourceVersion !== asked)
      this.fail('I4', `a watch from ${asked}, but the cache is at ${store.resourceVersion}`);
  }

  askedToWait(ms: number): void {
    this.#askedUntil = Math.max(this.#askedUntil, this.#world.parts.clock.now() + ms);
  }

  needsPause(ms: number): void {
    this.#pauseUntil = Math.max(this.#pauseUntil, this.#world.parts.clock.now() + ms);
  }

  frameDelivered(): void {
    this.#frames += 1;
  }

  /** From now on the informer must do nothing. */
  stopped(): void {
    this.#stopped = true;
  }

  get isStopped(): boolean {
    return this.#stopped;
  }

  // — at rest ————————————————————————————————————————————————————————————

  /** The differences between cache and storage. */
  differenceFromHead(): string | undefined {
    const { store } = this.#informer;
    return differenceFrom(this.#world.history.state, store.keys(), store.list(), () => false);
  }
}

function isList(purpose: Purpose): boolean {
  return purpose === 'list' || purpose === 'page' || purpose === 'probe' || purpose === 'audit';
}

/** Undefined when they are equal, `except` for some. */
function differenceFrom(
  state: State,
  keys: readonly string[],
  objects: readonly Item[],
  except: (key: string, entry: Entry, cached: Item | undefined) => boolean,
): string | undefined {
  for (let i = 0; i < keys.length; i += 1) {
    const key = keys[i] as string;
    const cached = objects[i] as Item;
    const entry = state.get(key);
    if (entry === undefined) return `${key} is cached as ${print(cached)} and does not exist`;
    if (isSame(cached, entry.object) || except(key, entry, cached)) continue;
    return `${key} is cached as ${print(cached)} and is ${print(entry.object)}`;
  }
  if (keys.length === state.size) return undefined;
  const known = new Set(keys);
  for (const [key, entry] of state) {
    if (!known.has(key) && !except(key, entry, undefined)) return `${key} is ${print(entry.object)} and not cached`;
  }
  return undefined;
}
