import { reasonOf, type SharedInformer } from 'kube-informer/informer';
import { type Expectations, MAX_LAG_MS } from '../scenarios/scenario.ts';
import type { Entry, Item } from '../world/history.ts';
import { versionOf } from '../world/history.ts';
import type { Role } from '../world/path.ts';
import type { Purpose } from '../world/traffic.ts';
import { type Frame, isMarker, type Stream } from '../world/stream.ts';
import type { World } from '../world/world.ts';

/** Beyond 2T: 5 s are promised, and answers take up to two seconds in these worlds. */
const POLL_SLACK_MS = 7_000;
/** How long lists must have worked before a lag is the informer's own. */
const LISTS_WORK_MS = 120_000;
const READ_SLACK_MS = 5_000;
/** What the promise of 75 s leaves to a replica that lags, and what such a replica takes in these worlds beyond that. */
const MAX_REPLICA_LAG_MS = 15_000;
/** Found within 75 s, and then another way to the data is taken: reopened, waited, listed. */
const MAX_RECOVERY_MS = 130_000;
/** Three backoffs of a minute, and a list. */
const MAX_BARREN_MS = 195_000;
/** Reads that are tried at every step. */
const READS_MS = [10_000, 75_000, 300_000];
/** A stream is young for so long: an echo may speak for it. */
const YOUNG_MS = 10_000;
/** Maximum time that sent bytes may be on the wire. */
const ARRIVING_MS = 1_000;
/** A busy process reads a little later what has arrived, and dates it so. */
const READING_MS = 1_500;
/** How long a healthy cache may be in doubt where bookmarks do not come or do not move on: each witness may meet a replica that was not asked. */
const MAX_DOUBT_MS = 180_000;
const HOUR = 3_600_000;
/** Requests of the start that no table counts. */
const STARTING_REQUESTS = 6;
/** Maximum calls of onWatchError for one class of failure in an hour. */
const MAX_TOLD = 10;
/** The reason of a request without a response. */
const NO_RESPONSE = 'no response';

/** What the engine has besides today's types: listeners of its state. */
interface Listenable {
  onState?(listener: (now: { readonly kind: string; readonly reason?: string }) => void): () => void;
}

/** How long the informer was in each state, and how far behind at most. */
export interface FreshnessReport {
  readonly states: Readonly<Record<string, number>>;
  readonly maxLagMs: number;
  /** The same while it said `synced`. */
  readonly maxSyncedLagMs: number;
  readonly requestsPerHour: number;
}

interface Write {
  readonly entry: Entry;
  readonly at: number;
}

/**
 * Compares what the informer says about its age with the truth, after every step, on the true clock.
 *
 *  I16  `synced`: every change older than 75 s is applied; `polling`: older than 2T + 5 s;
 *       a read with maxStalenessMs that passes: not older than that, plus 5 s
 *  I17  lists have worked for 120 s: at most 130 s behind, whatever the state
 *  I18  requests per hour are bounded; where nothing is wrong the state stays `synced`
 *  I19  only this stream, an answer of the server to this informer, or a list lowers staleFor()
 *  I20  a failure is told within seconds, and at most 10 times an hour
 */
export class Freshness {
  readonly #world: World;
  readonly #informer: SharedInformer<Item>;
  readonly #fail: (invariant: string, message: string) => void;
  readonly #expects: Expectations;
  /** Whether the faults are those of the scenario only. */
  readonly #pure: boolean;
  /** Writes that are not known to be applied, oldest first. */
  #pending: Write[] = [];
  #epochs = 1;
  #failedAt = 0;
  /** Time of the last arrival that may lower staleFor(). */
  #heardAt = 0;
  #deliveredAt = Number.NEGATIVE_INFINITY;
  readonly #brokenSince = new Map<string, number>();
  #listedAt = Number.NEGATIVE_INFINITY;
  #staleForMs = Number.POSITIVE_INFINITY;
  #syncedAt: number | undefined;
  #requests: number[] = [];
  #count = 0;
  readonly #received = new Map<string, number[]>();
  /** Start of refusals of watches, by reasons that the client has not reported. */
  readonly #untold = new Map<string, number>();
  /** Reasons reported since the scenario began. */
  readonly #known = new Set<string>();
  #lastAt = 0;
  #maxLagMs = 0;
  #maxSyncedLagMs = 0;
  #wrongSince: number | undefined;
  readonly #states: Record<string, number> = {};
  #beganAt: number | undefined;

  constructor(
    world: World,
    informer: SharedInformer<Item>,
    expects: Expectations,
    pure: boolean,
    fail: (invariant: string, message: string) => void,
  ) {
    this.#world = world;
    this.#informer = informer;
    this.#expects = expects;
    this.#pure = pure;
    this.#fail = fail;
    world.onWritten = (entry) => this.#pending.push({ entry, at: this.#now });
    world.path.onRefused = (role, refusal) => this.#refused(role, refusal);
    (informer as Listenable).onState?.(({ kind, reason }) => {
      if (reason !== undefined) this.#reasonTold(reason);
      world.parts.story.tell('state', reason === undefined ? kind : `${kind} ${reason}`);
    });
  }

  get report(): FreshnessReport {
    const states = Object.entries(this.#states).map(([kind, ms]) => [kind, Math.round(ms / 1_000)] as const);
    return {
      states: Object.fromEntries(states),
      maxLagMs: Math.round(this.#maxLagMs),
      maxSyncedLagMs: Math.round(this.#maxSyncedLagMs),
      requestsPerHour: Math.round((this.#count / Math.max(1, this.#now)) * HOUR),
    };
  }

  /** The scenario is in force from now on. */
  began(): void {
    this.#beganAt = this.#now;
    this.#failedAt = this.#now;
  }

  /** The scenario is over. */
  ended(): void {
    this.#beganAt = undefined;
    this.#untold.clear();
    this.#known.clear();
  }

  // — what happens ———————————————————————————————————————————————————————

  requested(purpose: Purpose): void {
    if (purpose === 'audit') return;
    this.#count += 1;
    this.#requests.push(this.#now);
    while ((this.#requests[0] as number) < this.#now - HOUR) this.#requests.shift();
    const most = (this.#expects.requestsPerHour ?? Number.POSITIVE_INFINITY) + STARTING_REQUESTS;
    if (this.#pure && this.#beganAt !== undefined && this.#requests.length > most)
      this.#fail('I18', `${this.#requests.length} requests in an hour, ${most} are allowed`);
  }

  answered(purpose: Purpose, version: number): void {
    if (purpose === 'list' || purpose === 'page') this.#listedAt = this.#now;
    if (purpose === 'probe') this.#serverHas(version);
  }

  requestFailed(): void {
    this.#failedAt = this.#now;
  }

  delivered(frame: Frame, stream: Stream): void {
    if (frame.type === 'ERROR') return;
    this.#deliveredAt = this.#now;
    const version = Number(frame.object.metadata?.resourceVersion ?? 0);
    if (stream.role === 'echo') return this.#serverHas(version);
    // Below where it was opened, the server is behind.
    const counts = isMarker(frame) || version >= stream.from;
    if (counts || stream.role === 'short') this.#heardAt = this.#now;
  }

  /**
   * Records that the server reported its version. It is a witness only if the client has received everything up to it.
   */
  #serverHas(version: number): void {
    if (version <= this.#world.clientAt()) this.#heardAt = this.#now;
  }

  streamEnded(stream: Stream): void {
    if (stream.role === 'short') this.#heardAt = this.#now;
  }

  /** Called for every onWatchError. */
  received(error: unknown): void {
    const reason = reasonOf(error);
    this.#reasonTold(reason);
    const times = (this.#received.get(reason) ?? []).filter((at) => at > this.#now - HOUR);
    times.push(this.#now);
    this.#received.set(reason, times);
    if (this.#pure && times.length > MAX_TOLD)
      this.#fail('I20', `onWatchError was called ${times.length} times in an hour for "${reason}"`);
  }

  #refused(role: Role, refusal: Error | 'never'): void {
    if (role !== 'long') return;
    const reason = refusal === 'never' ? NO_RESPONSE : reasonOf(refusal);
    if (!this.#known.has(reason) && !this.#untold.has(reason)) this.#untold.set(reason, this.#now);
  }

  /** Records a reported reason. A response that never comes has several names. */
  #reasonTold(reason: string): void {
    for (const received of this.#untold.has(NO_RESPONSE) ? [reason, NO_RESPONSE] : [reason]) {
      this.#untold.delete(received);
      this.#known.add(received);
    }
  }

  // — what must hold —————————————————————————————————————————————————————

  afterStep(): void {
    const { clock } = this.#world.parts;
    clock.isObserved = true;
    try {
      this.#check();
    } finally {
      clock.isObserved = false;
    }
  }

  #check(): void {
    const kind = this.#informer.state.kind as string;
    this.#states[kind] = (this.#states[kind] ?? 0) + this.#now - this.#lastAt;
    this.#lastAt = this.#now;
    if (kind === 'stopped') return;
    this.#checkTold();
    if (this.#world.isDown) this.requestFailed();
    if (!this.#informer.hasSynced) return this.#checkFirstSync(kind);
    this.#syncedAt ??= this.#now;
    const lag = this.#isKnowable ? this.#lag() : 0;
    if (this.#beganAt !== undefined) this.#maxLagMs = Math.max(this.#maxLagMs, lag);
    this.#checkState(kind, lag);
    this.#checkReads(lag);
    this.#checkStaleFor();
  }

  /** Before the first list is applied, everything is behind. */
  #checkFirstSync(kind: string): void {
    const maxLagMs = this.#maxRecoveryMs;
    const workMs = this.#now - this.#worksSince;
    if (maxLagMs !== undefined && workMs > maxLagMs && !this.#isHeld)
      this.#fail('I17', `lists have worked for ${seconds(workMs)}, and nothing is synced (${kind})`);
  }

  /** How far behind an informer may be whose lists work. Undefined where a list does not help. */
  get #maxRecoveryMs(): number | undefined {
    const { maxLagMs, settlesMs } = { maxLagMs: MAX_RECOVERY_MS, settlesMs: 0, ...this.#expects };
    // With the faults of the seed besides, only the general promise holds.
    if (maxLagMs === undefined) return undefined;
    if (this.#pure && this.#now - this.#worksSince >= settlesMs) return maxLagMs;
    // The third watch in a row that brings nothing leads to a list, each after a backoff.
    const { swarm } = this.#world.parts;
    const isBarren = swarm.has('short-watch') || swarm.has('undecodable');
    return Math.max(maxLagMs, isBarren ? MAX_BARREN_MS : MAX_RECOVERY_MS);
  }

  /** Start of the time in which lists work. A suspended process gets new time when it runs again. */
  get #worksSince(): number {
    return Math.max(this.#failedAt, this.#world.parts.clock.awakeSince);
  }

  #checkState(kind: string, lag: number): void {
    const { state } = this.#informer;
    // A round on a replica that lags looks like one without changes, until the next answer about the server's version.
    const unasked = this.#replicaLagMs > 0 || this.#expects.spread === true ? MAX_LAG_MS : 0;
    const promised =
      state.kind === 'polling'
        ? 2 * state.periodMs + POLL_SLACK_MS + unasked
        : (this.#expects.maxSyncedLagMs ?? MAX_LAG_MS) + this.#replicaLagMs;
    if (kind === 'synced' && this.#beganAt !== undefined) this.#maxSyncedLagMs = Math.max(this.#maxSyncedLagMs, lag);
    const lies = (kind === 'synced' || kind === 'polling') && lag > promised;
    this.#mustNotLast('state', lies, 'I16', () => `${kind}, ${seconds(lag)} behind: ${this.#oldest()}`);
    const { healthy = false } = this.#expects;
    const maxLagMs = this.#maxRecoveryMs;
    const listsWork = this.#now - this.#worksSince >= LISTS_WORK_MS;
    const late = this.#beganAt !== undefined && maxLagMs !== undefined && listsWork && !this.#isHeld && lag > maxLagMs;
    this.#mustNotLast('lag', late, 'I17', () => `lists work, ${seconds(lag)} behind (${kind}): ${this.#oldest()}`);
    // That a server has no bookmarks is learned in the first minutes.
    const learningMs = this.#world.parts.setup.bookmarks ? YOUNG_MS : 300_000;
    const settled = this.#now - (this.#syncedAt ?? this.#now) > learningMs;
    const isWrong = healthy && settled && this.#beganAt !== undefined && kind !== 'synced';
    if (!isWrong) this.#wrongSince = undefined;
    else this.#wrongSince ??= this.#now;
    // Where bookmarks prove nothing, a witness that comes a few seconds late is honest doubt.
    const allowedMs = this.#world.parts.setup.bookmarks && this.#world.parts.setup.progressNotify ? 0 : MAX_DOUBT_MS;
    if (isWrong && this.#now - (this.#wrongSince ?? this.#now) >= allowedMs)
      this.#fail('I18', `${kind}, although nothing is wrong`);
  }

  /** A handler of the seed with the policy "block" holds the cache back, and the state says so. */
  get #isHeld(): boolean {
    const { state } = this.#informer;
    const reason =
      state.kind === 'stale' ? state.reason : state.kind === 'starting' ? state.problem?.reason : undefined;
    return reason === 'backlog' && !this.#pure;
  }

  #checkReads(lag: number): void {
    // What a replica delivers late is as old as its lag, and nothing in it tells that.
    const slack = this.#replicaLagMs > 0 || this.#expects.spread === true ? MAX_LAG_MS : READ_SLACK_MS;
    for (const maxStalenessMs of READS_MS) {
      const lies = lag > maxStalenessMs + slack && this.#passes(maxStalenessMs);
      this.#mustNotLast(`read ${maxStalenessMs}`, lies, 'I16', () => {
        return `a read of at most ${seconds(maxStalenessMs)} passed, ${seconds(lag)} behind: ${this.#oldest()}`;
      });
    }
  }

  /** Lag of a replica that is behind and still delivers. */
  get #replicaLagMs(): number {
    return this.#world.parts.swarm.has('lag') ? MAX_REPLICA_LAG_MS : 0;
  }

  #passes(maxStalenessMs: number): boolean {
    try {
      this.#informer.list({ maxStalenessMs });
      return true;
    } catch (error) {
      if ((error as { code?: unknown }).code === 'STALE_CACHE') return false;
      throw error;
    }
  }

  /**
   * Fails when `broken`. While events are arriving it must last for a moment: after a pause the first of them
   * shows that the stream lives, and the others are still on the wire.
   */
  #mustNotLast(what: string, broken: boolean, invariant: string, message: () => string): void {
    const since = this.#brokenSince.get(what) ?? this.#now;
    if (!broken) return void this.#brokenSince.delete(what);
    this.#brokenSince.set(what, since);
    const isArriving = this.#now - this.#deliveredAt <= ARRIVING_MS;
    if (!isArriving || this.#now - since > ARRIVING_MS) this.#fail(invariant, message());
  }

  /** What lowers it may count later, when it is applied, and never as of a later time than it was heard at. */
  #checkStaleFor(): void {
    const staleForMs = this.#informer.staleFor();
    const silentMs = this.#now - Math.max(this.#heardAt, this.#listedAt);
    if (staleForMs < this.#staleForMs - 1 && staleForMs < silentMs - READING_MS)
      this.#fail(
        'I19',
        `staleFor() fell from ${seconds(this.#staleForMs)} to ${seconds(staleForMs)}, and nothing was heard for ${seconds(silentMs)}`,
      );
    this.#staleForMs = staleForMs;
  }

  #checkTold(): void {
    const { toldWithinMs } = this.#expects;
    if (toldWithinMs === undefined || !this.#pure || this.#beganAt === undefined) return;
    for (const [reason, since] of this.#untold) {
      if (this.#now - since > toldWithinMs)
        this.#fail(
          'I20',
          `watches are refused since ${seconds(this.#now - since)}, and "${reason}" was told to no one`,
        );
    }
  }

  // — the truth ——————————————————————————————————————————————————————————

  get #now(): number {
    return this.#world.parts.clock.now();
  }

  /** False where the server sends wrong data, or while the client follows a storage that no longer exists. */
  get #isKnowable(): boolean {
    const { swarm, setup } = this.#world.parts;
    if (this.#epochs !== this.#world.epochs.length || this.#world.rewound) {
      this.#epochs = this.#world.epochs.length;
      this.#pending = [];
    }
    // Without echoes a replica that stands still looks like a quiet one.
    const isBlind = (swarm.has('no-watch-list') || !setup.bookmarks) && (swarm.has('lag') || swarm.has('blind-watch'));
    return !isBlind && !swarm.has('lost-event') && !swarm.has('older-newest') && !this.#world.rewound;
  }

  /** How long ago the oldest change was made that the cache does not have. */
  #lag(): number {
    let oldest = this.#pending[0];
    while (oldest !== undefined && this.#isApplied(oldest.entry)) {
      this.#pending.shift();
      oldest = this.#pending[0];
    }
    return oldest === undefined ? 0 : this.#now - oldest.at;
  }

  #isApplied({ key, rv, type }: Entry): boolean {
    const cached = this.#informer.store.get(key);
    const isThere =
      cached === undefined
        ? type === 'DELETED' || this.#world.history.deletedAfter(key, rv)
        : versionOf(cached) >= rv && (type !== 'DELETED' || versionOf(cached) > rv);
    // The old state of an object that cannot be used stays, and health says so.
    return isThere || this.#informer.health().poisoned.some((poisoned) => poisoned.key === key);
  }

  #oldest(): string {
    const { entry } = this.#pending[0] as Write;
    return `${entry.type} ${entry.key}@${entry.rv} is not in the cache`;
  }
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
