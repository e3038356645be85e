import { type LinkedAbort, linkedAbort } from '../../core/async/abort.ts';
import { hasCode, KubeError, errorMessageOf } from '../../core/errors.ts';
import { compareVersions, isOlder } from '../../core/object/resource-version.ts';
import { isExpired, isRefusalStatus, isTooLargeResourceVersion, isUnparsableVersion } from '../../core/status.ts';
import type { Ending } from './decide.ts';
import type { PollSchedule } from '../freshness/poll-schedule.ts';
import { readWatch } from './read-watch.ts';
import type { PollingMode, ReflectorContext } from './reflector-context.ts';
import type { WatchSession } from './watch-session.ts';
import { askWitnessForVersion } from './witness.ts';

/** Maximum time that the server may end a whole round early. */
const MAX_EARLY_MS = 500;
/** Maximum time that a round may last beyond its period. */
const GRACE_MS = 5_000;
/** Pause between two requests for the server's current version. */
const ECHO_EVERY_MS = 60_000;
/** A trial watch beside the polling is accepted when it delivers something, or has stayed open this long. */
const TRIAL_MS = 10_000;
/** Time that a trial watch must stay open without events, after earlier watches withheld events. */
const LONG_TRIAL_MS = 75_000;
/** Where short watches fail too: minimum pause between two lists, and maximum share of the time spent listing. */
const MIN_LIST_PAUSE_MS = 30_000;
const LIST_SHARE = 20;
/** Maximum number of rounds that may stay below a version the server is known to have. */
const MAX_ROUNDS_BEHIND = 2;

/**
 * Follows the server by a chain of short watches, each starting where the last one ended. Through a proxy
 * that buffers, a watch of five seconds delivers all its events at its end.
 *
 * Returns the watch that has proved itself beside the chain, or `relist` when the history cannot be continued
 * or short watches fail as well.
 */
export async function pollServer<T>(
  context: ReflectorContext<T>,
  mode: PollingMode<T>,
  signal: AbortSignal,
): Promise<WatchSession<T> | 'relist'> {
  const poll = new PollingChain(context, mode, signal);
  try {
    return await poll.run();
  } finally {
    await poll.close();
  }
}

/**
 * A watch beside the polling. It stays open during lists between two chains: on a quiet server it may take
 * long to prove itself.
 */
export interface PollTrial<T> {
  session: WatchSession<T> | undefined;
  isProved: boolean;
}

class PollingChain<T> {
  readonly #context: ReflectorContext<T>;
  readonly #signal: AbortSignal;
  readonly #leave: () => void;
  readonly #questions: LinkedAbort;
  #asking: Promise<void> | undefined;
  readonly #trial: PollTrial<T>;
  readonly #schedule: PollSchedule;
  readonly #isPartial: boolean;
  /** Whether the path holds events back, without a failure: only time and an echo show when that ends. */
  readonly #isHeldBack: boolean;
  readonly #isSilent: boolean;
  /** A version that the server had, and the number of rounds since then that have not reached it. */
  #target = '';
  #roundsBehind = 0;
  #isBehind = false;
  /** Whether the last round ended early. */
  #wasEarly = false;
  /** Number of events that the chain has delivered. */
  #events = 0;
  /** Number of rounds that ended as they should. */
  #wholeRounds = 0;

  constructor(context: ReflectorContext<T>, mode: PollingMode<T>, signal: AbortSignal) {
    const { schedule, isPartial, trial, error } = mode;
    this.#context = context;
    this.#trial = trial;
    this.#schedule = schedule;
    this.#isPartial = isPartial;
    this.#isHeldBack = isPartial || hasCode(error, 'WATCH_BUFFERED');
    this.#isSilent = hasCode(error, 'WATCH_ENDED');
    this.#signal = signal;
    this.#questions = linkedAbort(signal);
    this.#leave = context.path.joinPolling();
    // The last list came from a storage that went back: the watch follows another history.
    if (isOlder(context.versions.last, trial.session?.openedWith.resourceVersion)) this.#dropTrial();
  }

  #dropTrial(): void {
    this.#trial.session?.close();
    this.#trial.session = undefined;
    this.#trial.isProved = false;
  }

  get #now(): number {
    return this.#context.options.env.now();
  }

  async close(): Promise<void> {
    this.#leave();
    this.#questions.abort();
    if (this.#signal.aborted) this.#dropTrial();
    await this.#asking;
  }

  async run(): Promise<WatchSession<T> | 'relist'> {
    // After silent streams, a short watch that is silent too would only take time.
    if (this.#isSilent && this.#isListDue) return this.#relist();
    while (!this.#signal.aborted) {
      if (this.#trial.session !== undefined && this.#trial.isProved) return this.#trial.session;
      const startedAt = this.#now;
      const periodMs = this.#context.path.pollPeriodMs;
      // Concurrently: a late response must not delay the rounds.
      this.#asking ??= this.#tryToWatch().finally(() => (this.#asking = undefined));
      const ending = await this.#round(periodMs);
      if (this.#signal.aborted) break;
      if (this.#trial.session !== undefined && this.#trial.isProved) return this.#trial.session;
      // A round that was cut short may have lost what was held back for it; if a server ends all of them early, nothing
      // is lost.
      const isEarly = this.#now - startedAt < periodMs - MAX_EARLY_MS;
      const isWhole = ending.kind === 'closed' && (!isEarly || this.#wasEarly);
      if (isWhole) this.#wholeRounds += 1;
      this.#wasEarly = isEarly;
      const isOver = ending.kind === 'closed' ? isWhole && this.#succeeded(periodMs) : this.#failed(ending.error);
      if (isOver || this.#isBehind) return this.#relist();
      // A round that ended early must not be followed at once by the next, and Retry-After is obeyed.
      if (ending.kind !== 'closed') this.#context.waits.failedBeside(ending.error);
      await this.#context.waits.sleepUntil(startedAt + periodMs, this.#signal);
    }
    return 'relist';
  }

  /** Relists from the storage: a cache of the server may be as old as its watches. */
  #relist(): 'relist' {
    this.#context.versions.unavailable = true;
    return 'relist';
  }

  /** One short watch, read to its end. */
  async #round(periodMs: number): Promise<Ending> {
    const { versions, options } = this.#context;
    const query = { resourceVersion: versions.last, timeoutSeconds: periodMs / 1_000, allowWatchBookmarks: true };
    const session = this.#context.openWatch(query, this.#signal);
    this.#context.attend(session);
    void options.env
      .sleep(periodMs + GRACE_MS, session.signal)
      .then(() => session.interrupt(new KubeError('WATCH_ENDED', 'the short watch stayed open past its deadline')));
    try {
      return await readWatch(this.#context, session);
    } finally {
      this.#context.attend(undefined);
      session.close();
      this.#events += session.accepted;
      options.metrics.watchDuration.observe((options.env.now() - session.startedAt) / 1_000);
      options.metrics.itemsPerWatch.observe(session.accepted);
    }
  }

  /**
   * Records a round that ended as it should. It counts unless it stayed below a version that the server is
   * known to have. Returns whether only a list can help.
   */
  #succeeded(periodMs: number): boolean {
    const { versions, server } = this.#context;
    const reached = compareVersions(versions.last, this.#target);
    this.#context.book.reached(versions.last);
    if (reached === undefined || reached >= 0) {
      this.#target = '';
      this.#roundsBehind = 0;
    } else this.#roundsBehind += 1;
    const { unreachedMs } = this.#context;
    const { sendsBookmarks } = server;
    const round = judgePollRound({ sendsBookmarks, roundsBehind: this.#roundsBehind, unreachedMs, periodMs });
    if (round === 'counts') {
      this.#context.pollEvery(periodMs);
      this.#context.polled();
      // The failed request works again: no need to wait before a watch is tried.
      if (!this.#isHeldBack) this.#schedule.tryAt(this.#now);
      return false;
    }
    if (round === 'open') return false;
    const message =
      this.#target === ''
        ? 'the server does not report its current version, and its watches may end below it'
        : `the server had version ${this.#target}, and its watches end below it`;
    this.#context.contradicted(new KubeError('STALE_SERVER', message), 'event');
    return this.#isListDue;
  }

  get #listPauseMs(): number {
    return Math.max(MIN_LIST_PAUSE_MS, LIST_SHARE * this.#context.listMs);
  }

  get #isListDue(): boolean {
    return this.#context.sinceListMs >= this.#listPauseMs;
  }

  /** Records a round that failed. Returns whether only a list can help. */
  #failed(error: unknown): boolean {
    if (isRefusalStatus(error) && !isExpired(error) && !isUnparsableVersion(error)) throw error;
    if (isExpired(error)) this.#context.noteProblem(error);
    else this.#context.failed(error);
    if (isExpired(error) || isUnparsableVersion(error) || isTooLargeResourceVersion(error)) return true;
    // Lists take over, at their own period.
    this.#context.pollEvery(this.#listPauseMs);
    return this.#isListDue;
  }

  /** Requests the server's version, and if it responds at once, tries a watch beside the chain. */
  async #tryToWatch(): Promise<void> {
    const { versions } = this.#context;
    const now = this.#now;
    const isTrialDue = this.#trial.session === undefined && now >= this.#schedule.backAt;
    if ((now < this.#schedule.echoAt && !isTrialDue) || this.#signal.aborted) return;
    this.#schedule.echoAt = now + pollingEchoMs(this.#context.path.pollPeriodMs);
    const openedWith = { resourceVersion: versions.last };
    const verdict = await askWitnessForVersion(this.#context, { signal: this.#questions.signal, openedWith });
    if (this.#questions.signal.aborted) return;
    if (verdict.kind === 'failed') this.#context.waits.failedBeside(verdict.error);
    // The storage went back: the version to watch from will not come.
    if (verdict.kind === 'guilty' && hasCode(verdict.error, 'STALE_SERVER')) this.#isBehind = true;
    if (verdict.kind === 'moved' || verdict.kind === 'guilty') this.#target = verdict.version ?? '';
    if (verdict.kind === 'current') this.#context.book.reached(versions.last);
    if (verdict.kind === 'failed')
      this.#context.log('debug', 'the echo failed', { error: errorMessageOf(verdict.error) });
    if (!isTrialDue) return;
    if (verdict.kind === 'current' || verdict.kind === 'moved') this.#startTrial();
    else this.#schedule.postpone(now);
  }

  #startTrial(): void {
    const session = this.#context.openLongWatch(this.#signal);
    const trial = this.#trial;
    trial.session = session;
    const { env } = this.#context.options;
    const [eventsBefore, roundsBefore] = [this.#events, this.#wholeRounds];
    const end = (isProved: boolean): void => {
      if (trial.session !== session || trial.isProved) return;
      trial.isProved = isProved;
      if (isProved) return;
      session.close();
      trial.session = undefined;
      this.#schedule.postpone(this.#now);
    };
    void session.first().then(({ delivers, error }) => {
      // The chain may be over by now, and the next list may be due.
      this.#context.waits.failedBeside(error);
      end(delivers);
    });
    // If the source cannot tell that a response began, the concurrent rounds must show that watches get one.
    const isOpen = (): boolean => session.progress?.opened ?? this.#wholeRounds > roundsBefore;
    const isQuiet = (): boolean => this.#events === eventsBefore && isOpen();
    const ms = this.#isPartial ? LONG_TRIAL_MS : TRIAL_MS;
    void env.sleep(ms, session.signal).then(() => {
      if (session.signal.aborted) return;
      // There is no evidence for or against it: its deliveries decide, until its time is over.
      const mayWait = session.progress === undefined && this.#events === eventsBefore && !isQuiet();
      if (!mayWait) return end(isQuiet());
      void env.sleep(session.deadlineAt - env.now(), session.signal).then(() => {
        // The next one is due at once, because this one has not failed.
        if (trial.session === session && !trial.isProved) this.#dropTrial();
      });
    });
  }
}

/** A round of polling that the server ended as it should. */
export interface PollRound {
  readonly sendsBookmarks: boolean;
  /** Number of consecutive rounds that have not reached a version which the server is known to have. */
  readonly roundsBehind: number;
  /** Time since the rounds had delivered everything that the server had. */
  readonly unreachedMs: number;
  readonly periodMs: number;
}

/**
 * Decides what a round shows. The first matching row counts:
 *
 * ```
 *  the server sends no bookmarks                          counts   a response without events is enough
 *  second round below the server's version                behind
 *  everything delivered as of about the last request      counts
 *  next response is due, and the last rounds count        open
 *  otherwise                                              behind   only a list can help
 * ```
 *
 * Pure.
 */
export function judgePollRound(round: PollRound): 'counts' | 'open' | 'behind' {
  const { sendsBookmarks, roundsBehind, unreachedMs, periodMs } = round;
  if (!sendsBookmarks) return 'counts';
  if (roundsBehind >= MAX_ROUNDS_BEHIND) return 'behind';
  if (unreachedMs <= pollingEchoMs(periodMs) - periodMs) return 'counts';
  return unreachedMs <= pollingEchoMs(periodMs) + 2 * periodMs ? 'open' : 'behind';
}

function pollingEchoMs(periodMs: number): number {
  return Math.max(ECHO_EVERY_MS, 12 * periodMs);
}
