import { type LinkedAbort, linkedAbort } from '../../core/async/abort.ts';
import { hasCode, KubeError, errorMessageOf } from '../../core/errors.ts';
import { compareVersions } from '../../core/object/resource-version.ts';
import {
  isExpired,
  isRefusal,
  isTooLargeResourceVersion,
  isUnparsableVersion,
  retryAfterOf,
} from '../../core/status.ts';
import type { Ending } from './decide.ts';
import type { PollSchedule } from '../freshness/poll-schedule.ts';
import { readWatch } from './read-watch.ts';
import type { PollingMode, ReflectorContext } from './reflector-context.ts';
import type { WatchSession } from './watch-session.ts';
import { askForVersion } from './witness.ts';

/** A round that the server ended at most this much early was a whole one. */
const MAX_EARLY_MS = 500;
/** How long a round may last beyond its period. */
const GRACE_MS = 5_000;
/** Pause between two questions for the server's current version. */
const ECHO_EVERY_MS = 60_000;
/** A watch that is tried beside the polling is taken when it delivers something, or has stayed open this long. */
const TRIAL_MS = 10_000;
/** Where watches withheld events it must stay open this long while there is nothing to deliver: they did so unseen. */
const LONG_TRIAL_MS = 75_000;
/** When short watches fail, too: the shortest pause between two lists, and the longest share of the time spent listing. */
const MIN_LIST_PAUSE_MS = 30_000;
const LIST_SHARE = 20;
/** Rounds that may stay below a version the server is known to have. */
const MAX_ROUNDS_BEHIND = 2;

/**
 * Follows the server by a chain of short watches, each from where the last one ended. Through a proxy that buffers, a
 * watch of five seconds delivers all its events at its end.
 *
 * Returns the watch that has proved itself beside the chain, or `relist` when the history cannot be continued or short
 * watches fail as well.
 */
export async function pollServer<T>(
  context: ReflectorContext<T>,
  { schedule, isPartial }: PollingMode,
  signal: AbortSignal,
): Promise<WatchSession<T> | 'relist'> {
  const poll = new PollingChain(context, schedule, isPartial, signal);
  try {
    return await poll.run();
  } finally {
    await poll.close();
  }
}

class PollingChain<T> {
  readonly #context: ReflectorContext<T>;
  readonly #signal: AbortSignal;
  readonly #leave: () => void;
  readonly #questions: LinkedAbort;
  #asking: Promise<void> | undefined;
  #trial: WatchSession<T> | undefined;
  #trialIsProved = false;
  readonly #schedule: PollSchedule;
  readonly #isPartial: boolean;
  /** By the way, not by a failure: only time, and an echo, tell when that ends. */
  readonly #isHeldBack: boolean;
  /** A version that the server had, and the rounds since then that have not shown it. */
  #target = '';
  #roundsBehind = 0;
  #isBehind = false;
  /** The server asked for a pause until then, on the monotonic clock. */
  #notBefore = 0;
  /** The round before ended early. */
  #wasEarly = false;
  /** Events that the chain has brought. */
  #events = 0;
  /** Rounds that ended as they should. */
  #wholeRounds = 0;

  constructor(context: ReflectorContext<T>, schedule: PollSchedule, isPartial: boolean, signal: AbortSignal) {
    this.#context = context;
    this.#schedule = schedule;
    this.#isPartial = isPartial;
    this.#isHeldBack = isPartial || hasCode(context.polling?.error, 'WATCH_BUFFERED');
    this.#signal = signal;
    this.#questions = linkedAbort(signal);
    this.#leave = context.path.joinPolling();
  }

  get #now(): number {
    return this.#context.options.env.now();
  }

  /** A watch that has proved itself lives on with its new owner. */
  async close(): Promise<void> {
    this.#leave();
    this.#questions.abort();
    if (!this.#trialIsProved) this.#trial?.close();
    await this.#asking;
  }

  async run(): Promise<WatchSession<T> | 'relist'> {
    while (!this.#signal.aborted) {
      const startedAt = this.#now;
      const periodMs = this.#context.path.pollPeriodMs;
      // Beside the rounds: an answer that is late must not make them late.
      this.#asking ??= this.#tryToWatch().finally(() => (this.#asking = undefined));
      const ending = await this.#round(periodMs);
      if (this.#signal.aborted) break;
      if (this.#trial !== undefined && this.#trialIsProved) return this.#trial;
      // One that was cut short may have lost what was held back for it; a server that ends all of them early has not.
      const isEarly = this.#now - startedAt < periodMs - MAX_EARLY_MS;
      const isWhole = ending.kind === 'closed' && (!isEarly || this.#wasEarly);
      if (isWhole) this.#wholeRounds += 1;
      this.#wasEarly = isEarly;
      const isOver = ending.kind === 'closed' ? isWhole && this.#succeeded(periodMs) : this.#failed(ending.error);
      if (isOver || this.#isBehind) {
        // From the storage: a cache of the server may be as old as its watches.
        this.#context.versions.unavailable = true;
        return 'relist';
      }
      // A round that ended early must not be followed at once by the next, and Retry-After is obeyed.
      if (ending.kind !== 'closed') this.#pauseAfter(ending.error);
      await this.#sleepUntil(startedAt + periodMs);
    }
    return 'relist';
  }

  /** Until `at`, or later if the server asks for a pause, which it may do in answer to a question meanwhile. */
  async #sleepUntil(at: number): Promise<void> {
    const { env } = this.#context.options;
    const leftMs = (): number => Math.max(at, this.#notBefore) - this.#now;
    do await env.sleep(Math.max(0, leftMs()), this.#signal);
    while (leftMs() > 0 && !this.#signal.aborted);
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
   * A round ended as it should. It counts unless it stayed below a version that the server is known to have. Returns
   * whether only a list can help.
   */
  #succeeded(periodMs: number): boolean {
    const { versions, server } = this.#context;
    const reached = compareVersions(versions.last, this.#target);
    if (reached === undefined || reached >= 0) {
      this.#target = '';
      this.#roundsBehind = 0;
    } else this.#roundsBehind += 1;
    // A server without bookmarks shows no version in a quiet round; that it answered and sent nothing must do.
    if (!server.sendsBookmarks || (this.#roundsBehind < MAX_ROUNDS_BEHIND && this.#isReached(periodMs))) {
      this.#context.pollEvery(periodMs);
      this.#context.polled();
      // What failed before works again: no need to wait before a watch is tried.
      if (!this.#isHeldBack) this.#schedule.tryAt(this.#now);
      return false;
    }
    // The next answer is due, and the last rounds still count.
    if (this.#roundsBehind < MAX_ROUNDS_BEHIND && this.#context.unreachedMs <= echoEveryMs(periodMs) + 2 * periodMs)
      return false;
    const message =
      this.#target === ''
        ? 'the server does not tell its current version, and its watches may end below it'
        : `the server had version ${this.#target}, and its watches end below it`;
    this.#context.contradicted(new KubeError('STALE_SERVER', message), 'event');
    return this.#isListDue;
  }

  /** Whether the rounds have shown all that the server had, at about the time of the last question. */
  #isReached(periodMs: number): boolean {
    return this.#context.unreachedMs <= echoEveryMs(periodMs) - periodMs;
  }

  get #listPauseMs(): number {
    return Math.max(MIN_LIST_PAUSE_MS, LIST_SHARE * this.#context.lastListMs);
  }

  get #isListDue(): boolean {
    return this.#context.sinceListMs >= this.#listPauseMs;
  }

  /** Whether only a list can help. */
  #failed(error: unknown): boolean {
    if (isRefusal(error) && !isExpired(error) && !isUnparsableVersion(error)) throw error;
    if (isExpired(error)) this.#context.noteProblem(error);
    else this.#context.failed(error);
    if (isExpired(error) || isUnparsableVersion(error) || isTooLargeResourceVersion(error)) return true;
    // Lists take over, at their own period.
    this.#context.pollEvery(this.#listPauseMs);
    return this.#isListDue;
  }

  /** Asks for the server's version, and when it answers at once, tries a watch beside the chain. */
  async #tryToWatch(): Promise<void> {
    const { versions } = this.#context;
    const now = this.#now;
    const isTrialDue = this.#trial === undefined && now >= this.#schedule.backAt;
    if ((now < this.#schedule.echoAt && !isTrialDue) || this.#signal.aborted) return;
    this.#schedule.echoAt = now + echoEveryMs(this.#context.path.pollPeriodMs);
    const openedWith = { resourceVersion: versions.last };
    const verdict = await askForVersion(this.#context, { signal: this.#questions.signal, openedWith });
    if (this.#questions.signal.aborted) return;
    if (verdict.kind === 'failed') this.#pauseAfter(verdict.error);
    // Its storage went back: what is watched from will not come.
    if (verdict.kind === 'guilty' && hasCode(verdict.error, 'STALE_SERVER')) this.#isBehind = true;
    if (verdict.kind === 'moved' || verdict.kind === 'guilty') this.#target = verdict.version ?? '';
    if (verdict.kind === 'current') this.#context.book.reached(versions.last);
    if (verdict.kind === 'failed')
      this.#context.log('debug', 'the echo failed', { error: errorMessageOf(verdict.error) });
    if (!isTrialDue) return;
    if (verdict.kind === 'current' || verdict.kind === 'moved') this.#startTrial();
    else this.#schedule.postpone(now);
  }

  /** A server that asks for a pause is given it by the rounds, too, whatever the request was. */
  #pauseAfter(error: unknown): void {
    this.#notBefore = Math.max(this.#notBefore, this.#now + (retryAfterOf(error) ?? 0));
  }

  #startTrial(): void {
    const trial = this.#context.openLongWatch(this.#signal);
    this.#trial = trial;
    const { env } = this.#context.options;
    const [eventsBefore, roundsBefore] = [this.#events, this.#wholeRounds];
    const end = (isProved: boolean): void => {
      if (this.#trial !== trial || this.#trialIsProved) return;
      this.#trialIsProved = isProved;
      if (isProved) return;
      trial.close();
      this.#trial = undefined;
      this.#schedule.postpone(this.#now);
    };
    void trial.first().then(({ delivers, error }) => {
      this.#pauseAfter(error);
      end(delivers);
    });
    // A source that cannot tell that a response began: the rounds beside it must show that watches get one.
    const isOpen = (): boolean => trial.progress?.opened ?? this.#wholeRounds > roundsBefore;
    const isQuiet = (): boolean => this.#events === eventsBefore && isOpen();
    const ms = this.#isPartial ? LONG_TRIAL_MS : TRIAL_MS;
    void env.sleep(ms, trial.signal).then(() => !trial.signal.aborted && end(isQuiet()));
  }
}

function echoEveryMs(periodMs: number): number {
  return Math.max(ECHO_EVERY_MS, 12 * periodMs);
}
