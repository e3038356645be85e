import type { SharedInformer } from 'kube-informer/informer';
import { drive, SimClock, simEnv } from '../world/clock.ts';
import { type FaultKind, STATES } from '../world/coverage.ts';
import { Dice } from '../world/dice.ts';
import { Swarm } from '../world/faults.ts';
import type { Item } from '../world/history.ts';
import { Freshness } from '../checks/freshness.ts';
import { Invariants, Violation } from '../checks/invariants.ts';
import type { Report, RunOptions } from './run.ts';
import { Server } from '../world/server.ts';
import type { Traffic } from '../world/traffic.ts';
import { type Scenario, scenarioNamed } from '../scenarios/index.ts';
import { patientHandlers, relist } from '../scenarios/scenario.ts';
import { drawSetup, type HandlerSetup, NEVER, type Setup } from '../world/setup.ts';
import { Story } from '../world/story.ts';
import { type Frame, isMarker } from '../world/stream.ts';
import { createSubject } from './subject.ts';
import { Weather } from '../world/weather.ts';
import { Witness } from '../checks/witness.ts';
import { Workload } from '../world/workload.ts';
import { World } from '../world/world.ts';

const MINUTE = 60_000;
const FAULTS_MS = 20 * MINUTE;
const QUIET_MS = 4 * MINUTE;
/** Time for the slowest handler to process its queue. */
const DRAIN_MS = MINUTE;
const AFTER_STOP_MS = 5 * MINUTE;
const MIN_WRITES = 200;
const STOP_GRACE_MS = 30_000;
/** How long it may take from polling back to watching: the last try is ten minutes after the one before. */
const MAX_RETURN_MS = 15 * MINUTE;
/** Faults that hide the truth from every client, or replace the storage; a scenario does without them, and needs echoes. */
const NOT_IN_SCENARIOS: ReadonlySet<FaultKind> = new Set([
  'lost-event',
  'older-newest',
  'older-list',
  'restore',
  'new-cluster',
  'no-watch-list',
]);

/** The engine's constants behind G4: longest silence, longest life of a watch, longest delay, one list. */
const SILENCE_MS = 75_000;
const WATCH_LIFE_MS = 600_000 + 30_000;
const BACKOFF_MS = 60_000;
const LIST_MS = 15_000;
/** How often, in steps, the handlers' backlogs are measured. */
const BOUNDS_EVERY = 8;
/** Maximum steps of a run; a longer one is in an endless loop. */
const MAX_STEPS = 60_000;

/**
 * One run: a world, an informer in it, and their faults.
 *
 *   faults ──► healthy: must converge, then stay still ──► some writes ──► new faults, stop, silence
 */
export class Simulation {
  readonly clock = new SimClock();
  readonly #seed: number;
  readonly #options: RunOptions;
  readonly #dice: Dice;
  readonly #setup: Setup;
  readonly #swarm: Swarm;
  readonly #story: Story;
  readonly #world: World;
  readonly #weather: Weather;
  readonly #workload: Workload;
  readonly #informer: SharedInformer<Item>;
  readonly #invariants: Invariants;
  readonly #freshness: Freshness;
  readonly #scenario: Scenario | undefined;
  readonly #witnesses: Witness[] = [];
  #requests = 0;
  #sawBookmark = false;

  constructor(seed: number, options: RunOptions) {
    this.#seed = seed;
    this.#options = options;
    this.#dice = new Dice(seed);
    const scenes = this.#dice.fork(7);
    this.#scenario = options.scenario === undefined ? undefined : scenarioNamed(options.scenario, scenes);
    // Half of the scenarios meet the faults of the seed, too.
    const drawn = this.#scenario !== undefined && (this.#scenario.alone === true || scenes.chance(0.5));
    const pure = this.#scenario !== undefined && (options.pure ?? drawn);
    this.#setup = { ...this.#drawSetup(scenes, pure), ...options.setup };
    const { auditMs, clusterId } = this.#setup;
    const impossible: Partial<Record<FaultKind, boolean>> = {
      'lost-event': auditMs === undefined,
      'new-cluster': !clusterId,
    };
    const allowed = (fault: FaultKind): boolean =>
      impossible[fault] !== true && (this.#scenario === undefined || !NOT_IN_SCENARIOS.has(fault));
    this.#swarm = new Swarm(this.#dice.fork(2), allowed, options.faults ?? (pure ? {} : undefined));
    this.#story = new Story(this.clock, options.trace);
    this.#world = new World({
      clock: this.clock,
      dice: this.#dice.fork(3),
      swarm: this.#swarm,
      setup: this.#setup,
      story: this.#story,
      coverage: options.coverage,
      pace: options.engine?.atMinimumPace,
    });
    this.#weather = new Weather(this.#world, this.#dice.fork(4));
    this.#workload = new Workload(this.#world, this.#dice.fork(5));
    this.#informer = createSubject({
      engine: options.engine,
      source: new Server(this.#world, this.#traffic()),
      env: simEnv({
        clock: this.clock,
        dice: this.#dice.fork(6),
        log: this.#story.log,
        hiccups: this.#setup.hiccups,
        bootClock: this.#setup.bootClock,
      }),
      setup: this.#setup,
      stopGraceMs: STOP_GRACE_MS,
      onEpochReset: () => this.#invariants.epochReset(),
      onWatchError: (error) => this.#freshness.received(error),
    });
    this.#invariants = new Invariants(this.#world, this.#informer, options.without);
    const { freshness = this.#scenario !== undefined } = options;
    this.#freshness = new Freshness(
      this.#world,
      this.#informer,
      this.#scenario?.expects ?? {},
      pure,
      (id, message) => void (freshness && this.#invariants.fail(id, message)),
    );
    this.#invariants.onEpoch = () => this.#witnesses.forEach((witness) => witness.newEpoch());
    this.#weather.onRewind = () => this.#invariants.expectEpoch();
    this.#world.clientAt = () => Number(this.#informer.lastSyncResourceVersion);
  }

  async run(): Promise<Report> {
    const { queue, watchList, bookmarks } = this.#setup;
    this.#story.tell('seed', `${this.#seed}: queue ${queue}, watch-list ${watchList}, bookmarks ${bookmarks}`);
    this.#story.tell('swarm', this.#swarm.describe());
    this.#workload.populate();
    for (const setup of this.#setup.handlers) {
      if (this.#options.alone !== true || setup.temper === 'recording') this.#join(setup);
    }
    this.#informer.start();
    await this.#faults();
    const { boundMs, convergedMs } = await this.#converge();
    await this.#liveOn(boundMs);
    await this.#stop();
    return {
      seed: this.#seed,
      steps: this.#invariants.steps,
      simulatedMs: this.clock.now(),
      writes: this.#world.writes,
      requests: this.#requests,
      convergedMs,
      boundMs,
      epochs: this.#invariants.epochs,
      scenario: this.#scenario?.name,
      struck: this.#world.path.struck,
      freshness: this.#freshness.report,
    };
  }

  /** The seed's setup; in a scenario nothing that the scenario does not know of. */
  #drawSetup(scenes: Dice, pure: boolean): Setup {
    const drawn = drawSetup(this.#dice.fork(1));
    if (this.#scenario === undefined) return drawn;
    return {
      ...drawn,
      auditMs: undefined,
      verifyWatchList: false,
      bad: 0,
      handlers: patientHandlers(drawn.handlers),
      ...(pure ? { watchLifeMs: NEVER } : {}),
      ...this.#scenario.setup?.(scenes),
    };
  }

  // — the story ——————————————————————————————————————————————————————————

  /** Safety: with any faults nothing wrong is cached or delivered. */
  async #faults(): Promise<void> {
    const { joinAtMs, removeAtMs } = this.#setup;
    this.#workload.start();
    this.#weather.start();
    this.clock.after(joinAtMs, () => this.#joinLate());
    if (removeAtMs !== undefined) {
      this.clock.after(removeAtMs, () => this.#witnesses.find(({ name }) => name === 'hanging')?.remove());
    }
    const { minutes } = this.#scenario ?? {};
    this.#begin();
    await this.#advance(minutes === undefined ? FAULTS_MS : minutes * MINUTE);
    const minWrites = this.#scenario === undefined ? MIN_WRITES : 0;
    for (let more = 0; this.#world.writes < minWrites && more < 20; more += 1) await this.#advance(MINUTE);
    this.#freshness.ended();
    this.#weather.stop();
    this.#workload.stop();
    this.#workload.cure();
  }

  /** Puts the scenario into force: from the first request on, or later. */
  #begin(): void {
    const scenario = this.#scenario;
    if (scenario === undefined) return this.#freshness.began();
    const dice = this.#dice.fork(8);
    this.#story.tell('scenario', `${scenario.name}: ${scenario.about}`);
    const begin = (): void => {
      this.#freshness.began();
      scenario.begin({
        world: this.#world,
        clock: this.clock,
        workload: this.#workload,
        dice,
        restored: () => this.#invariants.expectEpoch(),
      });
    };
    if (scenario.expects.healthy === true || dice.chance(0.5)) begin();
    else this.clock.after(dice.magnitude(10_000, 200_000), begin);
  }

  /** Liveness (G4): after the faults the cache equals the server within a bound. Then nothing changes. */
  async #converge(): Promise<{ boundMs: number; convergedMs: number }> {
    this.#story.tell('world', 'healthy from now on');
    const healedAt = this.clock.now();
    const boundMs = this.#bound();
    this.#world.heal();
    for (const witness of this.#witnesses) witness.release();
    if (this.#scenario?.expects.ordered === true) await this.#relistTwice();
    await this.#advance(boundMs);
    this.#mustBeAtRest('the cache', boundMs);
    if (this.#scenario?.expects.announced === true && this.#world.rewound)
      this.#invariants.fail('G3', 'a restored storage was not announced');
    // While it is, I1, I3, I4, I9 and G15 are not checked.
    if (this.#world.tainted) this.#invariants.fail('I3', 'the cache has not been right since a wrong version');
    await this.#advance(DRAIN_MS);
    for (const witness of this.#witnesses) if (!witness.isGone) witness.compareWith(this.#informer.store.keys());
    const { poisoned } = this.#informer.health();
    if (poisoned.length > 0)
      this.#invariants.fail('I13', `still poisoned: ${poisoned.map(({ key }) => key).join(', ')}`);
    for (const witness of this.#witnesses) witness.quiet = true;
    const convergedMs = Math.max(0, this.#invariants.lastChangeAt - healedAt);
    await this.#advance(QUIET_MS);
    this.#mustBeAtRest('the cache after a quiet time', boundMs);
    // A silent watch has just been reopened, and its probe has no response yet.
    if (this.#informer.state.kind === 'stale') await this.#advance(LIST_MS);
    await this.#returnFromPolling();
    const { state, handlers, pending, versions } = this.#informer.health();
    if (this.#scenario?.expects.ordered === true && versions !== 'ordered')
      this.#invariants.fail('I11', `versions are still ${versions}`);
    // Polling is rest, too: it says so, and looks for a way back at its own pace.
    if (state.kind !== 'synced' && state.kind !== 'polling')
      this.#invariants.fail('I11', `still ${state.kind} after a quiet time`);
    if (pending > 0) this.#invariants.fail('I13', `${pending} changes not applied after a quiet time`);
    for (const { name, synced } of handlers) if (!synced) this.#invariants.fail('I13', `handler ${name} never synced`);
    return { boundMs, convergedMs };
  }

  /** One good list may be another accident; two show what the server is like. */
  async #relistTwice(): Promise<void> {
    for (let i = 0; i < 2; i += 1) {
      relist(this.#world, this.#workload);
      await this.#advance(MINUTE);
    }
  }

  /** An informer that polls goes back to watching. Only an event or a bookmark shows that a stream works, so there must be some. */
  async #returnFromPolling(): Promise<void> {
    const isPolling = (): boolean => (this.#informer.state.kind as string) === 'polling';
    if (!isPolling()) return;
    for (const witness of this.#witnesses) witness.quiet = false;
    const end = this.clock.monotonic() + MAX_RETURN_MS;
    while (isPolling() && this.clock.monotonic() < end) {
      this.#workload.write(1);
      await this.#advance(15_000);
    }
    await this.#advance(LIST_MS);
  }

  /** A cache that is correct by chance, on a dead watch, is found by the next write. */
  async #liveOn(boundMs: number): Promise<void> {
    for (const witness of this.#witnesses) witness.quiet = false;
    this.#workload.write(5);
    this.#workload.cure();
    await this.#advance(boundMs);
    this.#mustBeAtRest('the cache after more writes', boundMs);
    for (const witness of this.#witnesses) if (!witness.isGone) witness.compareWith(this.#informer.store.keys());
  }

  /** I12: after a stop during new faults nothing is left. */
  async #stop(): Promise<void> {
    this.#swarm.healthy = false;
    for (const witness of this.#witnesses) witness.provoke();
    this.#weather.start();
    this.#workload.start();
    await this.#advance(this.#dice.magnitude(1, 60_000));
    const moment = this.#dice.pick(STATES);
    await this.#advanceUntil(this.clock.monotonic() + MINUTE, () => this.#world.clientState === moment);
    this.#weather.stop();
    this.#story.tell('informer', 'stop()');
    let stopped = false;
    void this.#informer.stop().then(() => (stopped = true));
    // Only a running callback may delay the stop, and only for a while.
    const busy = this.#informer.health().handlers.some(({ busyForMs }) => busyForMs !== undefined);
    const graceMs = (busy ? STOP_GRACE_MS : 0) + 100;
    await this.#advanceUntil(this.clock.monotonic() + graceMs, () => stopped);
    if (!stopped) this.#invariants.fail('I12', `stop() has not ended after ${graceMs} ms`);
    this.#invariants.stopped();
    const { streams, calls } = this.#world;
    if (streams.size + calls.size > 0) this.#invariants.fail('I12', `${streams.size + calls.size} requests left open`);
    if (this.clock.sleeping > 0) this.#invariants.fail('I12', `${this.clock.sleeping} sleepers left`);
    await this.#advance(AFTER_STOP_MS);
    this.#workload.stop();
  }

  /** G4: the longest time to recover from here. */
  #bound(): number {
    const { auditMs } = this.#setup;
    const silence = this.#sawBookmark ? SILENCE_MS : WATCH_LIFE_MS;
    // A restore is accepted only when two connections and then a list have shown it.
    const rewind = this.#world.rewound ? 2 * BACKOFF_MS + LIST_MS : 0;
    const audit = auditMs === undefined ? 0 : auditMs + BACKOFF_MS + LIST_MS;
    return silence + BACKOFF_MS + LIST_MS + rewind + audit;
  }

  #mustBeAtRest(what: string, boundMs: number): void {
    const difference = this.#invariants.differenceFromHead();
    if (difference !== undefined)
      this.#invariants.fail('I13', `${what} is not the server, ${boundMs / 1_000} s later: ${difference}`);
  }

  // — time ———————————————————————————————————————————————————————————————

  #advance(ms: number): Promise<void> {
    return this.#advanceUntil(this.clock.monotonic() + ms, () => false);
  }

  /** Advances until `end` on the monotonic clock, so that a suspend does not shorten what follows it. */

  #advanceUntil(end: number, done: () => boolean): Promise<void> {
    const invariants = this.#invariants;
    return drive(() => {
      this.#freshness.afterStep();
      invariants.afterStep();
      if (invariants.steps % BOUNDS_EVERY === 0) for (const witness of this.#witnesses) witness.checkBound();
      if (invariants.steps > MAX_STEPS) throw new Violation('I9', `more than ${MAX_STEPS} steps`);
      if (done()) return false;
      // A step of its own: the process notices a cut when it happens, not when the next timer fires.
      if (this.#weather.look()) return true;
      return this.clock.step(end + this.clock.now() - this.clock.monotonic());
    });
  }

  // — the parts ——————————————————————————————————————————————————————————

  #traffic(): Traffic {
    return {
      requested: (purpose, options) => {
        this.#requests += 1;
        this.#story.request(purpose, options);
        this.#invariants.requested(purpose, options);
        this.#freshness.requested(purpose);
      },
      askedToWait: (ms) => this.#invariants.askedToWait(ms),
      needsPause: (ms) => this.#invariants.needsPause(ms),
      answered: (purpose, version) => this.#freshness.answered(purpose, version),
      failed: () => this.#freshness.requestFailed(),
      ended: (stream) => this.#freshness.streamEnded(stream),
      delivered: (frame, stream) => {
        this.#story.frame(frame);
        this.#freshness.delivered(frame, stream);
        if (stream.role === 'echo') return;
        this.#invariants.frameDelivered();
        this.#sawBookmark ||= this.#promisesBookmarks(frame);
      },
      wentBack: () => this.#invariants.allowEpoch(),
    };
  }

  /** An end marker, or a bookmark that is broken or older than the cache, does not promise more bookmarks. */
  #promisesBookmarks(frame: Frame): boolean {
    if (frame.type !== 'BOOKMARK' || isMarker(frame)) return false;
    return Number(frame.object.metadata?.resourceVersion) >= this.#world.clientAt();
  }

  #join(setup: HandlerSetup): void {
    const witness = new Witness(setup, {
      world: this.#world,
      invariants: this.#invariants,
      dice: this.#dice.fork(10 + this.#witnesses.length),
      cached: (key) => this.#informer.store.get(key),
    });
    this.#witnesses.push(witness);
    witness.joined(this.#informer.on(witness, setup.options));
  }

  #joinLate(): void {
    if (this.#options.alone === true) return;
    this.#story.tell('informer', 'one more handler joins');
    this.#join({ temper: 'recording', options: { name: 'late', policy: 'coalesce', limit: 8 } });
  }
}
