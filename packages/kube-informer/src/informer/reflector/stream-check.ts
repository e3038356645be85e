import { linkedAbort } from '../../core/async/abort.ts';
import { KubeError, errorMessageOf, hasCode } from '../../core/errors.ts';
import { MAX_UNFINISHED_MS } from '../freshness/freshness.ts';
import type { ReflectorContext } from './reflector-context.ts';
import type { WatchSession } from './watch-session.ts';
import { askWitnessForVersion, findWitness, type Verdict } from './witness.ts';

/** A watch that has shown nothing by then is checked. Most deliver an event, or fail, sooner. */
const OPENING_MS = 1_000;
/** A server answers at once; a response that has not begun by then is held back on the way. */
const MAX_HEADERS_MS = 3_000;
/** The server sends a bookmark every 60 s; a stream that has proved nothing for longer is checked. */
const MAX_SILENCE_MS = 64_000;
/**
 * The same where bookmarks prove themselves: the next one is waited for. The last of a stream may come 3 s before its end,
 * and the first of the next stream a minute after it, each as of some seconds before.
 */
const MAX_STEADY_SILENCE_MS = 68_500;
/** A bookmark that has proved itself is at most this much younger than the proof. */
const MAX_PROOF_AGE_MS = 10_000;
/**
 * Shortly before a bookmark that would not prove itself, the server is asked for its version: cut off from its storage it
 * sends bookmarks all the same, and this one must reach that version.
 */
const BEFORE_BOOKMARK_MS = 57_000;
/** Not where an event came so recently: the next one will probably come in time, too. */
const BUSY_MS = 30_000;
/** How often the stream is looked at, if it tells more than events, and if not. */
const LOOK_MS = 1_000;
const SELDOM_LOOK_MS = 5_000;
/** A timer that fires this late means that the process was stopped or its event loop blocked. */
const STALL_MS = 1_000;
/** After a longer one, nothing known before counts. */
const MAX_STALL_MS = 5_000;
/** Pause between two tries of a question that failed. */
const MIN_RETRY_MS = 2_000;
const MAX_RETRY_MS = 30_000;
/** Answers that decide nothing, in a row, before the stream counts as silent. */
const MAX_UNDECIDED = 2;

/** Why a stream is in doubt. Silence is doubt and no proof: a healthy server is silent, too, while nothing changes. */
type Doubt = 'opening' | 'headers' | 'unfinished' | 'silent' | 'slept' | 'quiet';

/**
 * Watches one open stream, and asks the server when the stream itself gives no evidence: once after the opening, and
 * whenever it has been silent, or withholds something, for longer than a healthy one. Ends with the session.
 *
 * Promises: one question at a time; a quiet and healthy stream costs one question a minute at most, which is one
 * request, or two where the server has moved on and a short watch must tell; a stream that
 * withholds what the server has is interrupted within 75 s, a way that buffers within 4 s.
 */
export class StreamCheck<T> {
  readonly #context: ReflectorContext<T>;
  readonly #session: WatchSession<T>;
  #lastHeardAt: number | undefined;
  #openingIsDue: boolean;
  readonly #followsList: boolean;
  #headersAreDue = true;
  #slept = false;
  /** When the process should run again to look at the stream, on the ElapsedClock. */
  #lookDueAt = Number.POSITIVE_INFINITY;
  /** When the server was last asked before a bookmark. */
  #askedAt = Number.NEGATIVE_INFINITY;
  #unfinished: { readonly since: number; readonly accepted: number } | undefined;
  #undecided = 0;
  #failures = 0;
  #retryAt = 0;

  constructor(context: ReflectorContext<T>, session: WatchSession<T>) {
    this.#context = context;
    this.#session = session;
    this.#lastHeardAt = session.heardAt;
    // A streaming list has shown its end marker on this very stream; any other begins with news of the past.
    this.#openingIsDue = session.listed === undefined;
    this.#followsList = context.takeFreshList();
    if (this.#openingIsDue) context.book.streamResumes();
  }

  async run(): Promise<void> {
    const { signal } = this.#session;
    while (!signal.aborted && !this.#session.isInterrupted) {
      await this.#sleep();
      if (signal.aborted || this.#session.isInterrupted) return;
      if (this.#isOverdue()) {
        // Events that are already here are read first.
        await this.#context.options.env.yield();
        if (this.#isOverdue())
          this.#session.interrupt(new KubeError('WATCH_ENDED', 'the watch stayed open past its deadline'));
        continue;
      }
      const doubt = this.#doubt();
      if (doubt !== undefined && this.#now >= this.#retryAt) await this.#ask(doubt);
    }
  }

  get #now(): number {
    return this.#context.options.env.now();
  }

  #isOverdue(): boolean {
    return this.#now >= this.#session.deadlineAt;
  }

  /** Sleeps until the next look. A look that comes much too late means that the process did not run. */
  async #sleep(): Promise<void> {
    const { env } = this.#context.options;
    const { startedAt, deadlineAt, signal } = this.#session;
    const dueIn = [startedAt + OPENING_MS, deadlineAt, this.#retryAt].map((at) => at - env.now());
    dueIn.push(BEFORE_BOOKMARK_MS - this.#sinceBookmarkMs, this.#silentInMs);
    await this.#sleepFor(Math.min(this.#lookMs, ...dueIn.filter((left) => left > 0)), signal);
    // Events that arrived meanwhile are read first.
    if (this.#noticeStall()) await env.yield();
  }

  get #lookMs(): number {
    return this.#session.progress === undefined ? SELDOM_LOOK_MS : LOOK_MS;
  }

  async #sleepFor(ms: number, signal: AbortSignal): Promise<void> {
    const from = this.#context.path.clock.read();
    this.#context.attended(from);
    this.#lookDueAt = from + ms;
    await this.#context.options.env.sleep(ms, signal);
  }

  /** Whether the process did not run for some time, since the last look. */
  #noticeStall(): boolean {
    const now = this.#context.path.clock.read();
    const lateMs = now - this.#lookDueAt;
    if (this.#session.signal.aborted) return false;
    this.#lookDueAt = now;
    this.#context.attended(now);
    if (lateMs < STALL_MS) return false;
    this.#context.options.metrics.stalls.observe(lateMs / 1_000);
    this.#context.log('warn', 'the event loop was blocked, or the process was suspended', {
      lateMs: Math.round(lateMs),
    });
    if (lateMs > MAX_STALL_MS) this.#slept = true;
    return true;
  }

  /** Looks while a question is open, too: only so a process that did not run is told from a server that is slow. */
  async #withLooks(question: Promise<Verdict>): Promise<Verdict | 'slept'> {
    const wasAsleep = this.#slept;
    this.#slept = false;
    const over = linkedAbort(this.#session.signal);
    const looks = (async () => {
      while (!over.signal.aborted) {
        await this.#sleepFor(this.#lookMs, over.signal);
        if (!over.signal.aborted) this.#noticeStall();
      }
    })();
    try {
      const verdict = await question;
      this.#noticeStall();
      const sleptMeanwhile = this.#slept;
      this.#slept ||= wasAsleep;
      return sleptMeanwhile ? 'slept' : verdict;
    } finally {
      over.abort();
      await looks;
    }
  }

  #doubt(): Doubt | undefined {
    const { progress, startedAt, heardAt, isPaused } = this.#session;
    const { book } = this.#context;
    if (isPaused) return undefined;
    if (heardAt !== undefined && heardAt !== this.#lastHeardAt) {
      this.#lastHeardAt = heardAt;
      this.#slept = false;
      this.#undecided = 0;
    }
    const now = this.#now;
    this.#unfinished = this.#stillUnfinished(now);
    book.unfinished(this.#unfinished && this.#context.path.clock.at(this.#unfinished.since));
    if (this.#slept) return 'slept';
    // Sums of fractions of milliseconds do not always agree: the look was meant for this moment.
    if (this.#openingIsDue && now - startedAt >= OPENING_MS - 1) return 'opening';
    if (this.#headersAreDue && progress?.opened === false && now - startedAt >= MAX_HEADERS_MS) return 'headers';
    if (this.#unfinished !== undefined && now - this.#unfinished.since >= MAX_UNFINISHED_MS) return 'unfinished';
    const { server } = this.#context;
    if (this.#silentInMs <= 1 || book.needsAnswer || server.takeBookmarkBehind()) return 'silent';
    return this.#isBookmarkNear ? 'quiet' : undefined;
  }

  /** How soon the stream counts as silent. Where bookmarks prove themselves, the next one is waited for. */
  get #silentInMs(): number {
    const { book, server, unprovenMs } = this.#context;
    const isOutstanding = unprovenMs - this.#sinceBookmarkMs <= MAX_PROOF_AGE_MS;
    const isAwaited = book.isSteady && server.sendsBookmarks && isOutstanding;
    return (isAwaited ? MAX_STEADY_SILENCE_MS : MAX_SILENCE_MS) - unprovenMs;
  }

  get #sinceBookmarkMs(): number {
    return this.#now - (this.#session.bookmarkAt ?? this.#session.startedAt);
  }

  /** A bookmark is near that would not prove itself, and what is known will not last until the next one. */
  get #isBookmarkNear(): boolean {
    const { book, unprovenMs } = this.#context;
    const { heardAt, bookmarkAt } = this.#session;
    const sinceMs = this.#sinceBookmarkMs;
    if (book.isSteady || sinceMs + 1 < BEFORE_BOOKMARK_MS || sinceMs >= MAX_SILENCE_MS) return false;
    if (this.#now - this.#askedAt < MAX_SILENCE_MS - BEFORE_BOOKMARK_MS) return false;
    const isBusy = heardAt !== undefined && heardAt !== bookmarkAt && unprovenMs < BUSY_MS;
    return !isBusy && unprovenMs >= MAX_SILENCE_MS - BEFORE_BOOKMARK_MS;
  }

  #stillUnfinished(now: number): { readonly since: number; readonly accepted: number } | undefined {
    const { progress, accepted } = this.#session;
    if (progress?.unfinished !== true) return undefined;
    return this.#unfinished?.accepted === accepted ? this.#unfinished : { since: now, accepted };
  }

  async #ask(doubt: Doubt): Promise<void> {
    const { signal, accepted: before } = this.#session;
    if (doubt === 'opening' && (await this.#context.isForeign(signal))) {
      return this.#session.interrupt(new KubeError('CONTINUITY_LOST', 'the address now leads to another cluster'));
    }
    if (signal.aborted) return;
    if (doubt === 'opening' && this.#followsList) {
      this.#openingIsDue = false;
      this.#session.isAnswered = true;
      return this.#context.opened('');
    }
    // A stream that was opened in time is presumed to deliver, until it is silent itself.
    const isPresumed = doubt === 'opening' && this.#context.unprovenMs < MAX_SILENCE_MS;
    if (doubt === 'quiet') {
      this.#askedAt = this.#now;
      // The answer to another informer serves this one: its next bookmark must reach it, too.
      if (!this.#context.book.takeQuestion(this.#context.path.clock.read())) return;
    }
    const verdict = await this.#withLooks(
      isPresumed || doubt === 'quiet'
        ? askWitnessForVersion(this.#context, this.#session)
        : findWitness(this.#context, this.#session),
    );
    // An answer from before a pause of the process says nothing about what happened in it: the question is asked again.
    if (signal.aborted || this.#session.isInterrupted || verdict === 'slept') return;
    // A stream that delivered meanwhile is alive, whatever became of the question.
    const isTrusted = isPresumed || doubt === 'quiet' || this.#session.accepted > before;
    if (verdict.kind === 'failed') return this.#failed(verdict.error, isTrusted);
    this.#failures = 0;
    this.#follow(verdict, doubt);
  }

  #follow(verdict: Exclude<Verdict, { kind: 'failed' }>, doubt: Doubt): void {
    if (doubt === 'opening') this.#openingIsDue = false;
    if (doubt === 'headers') this.#headersAreDue = false;
    if (verdict.kind === 'guilty') return this.#session.interrupt(verdict.error);
    this.#session.isAnswered = true;
    if (verdict.kind === 'current') {
      this.#slept = false;
      this.#undecided = 0;
      return this.#context.witnessed(verdict.askedAt);
    }
    if (verdict.kind === 'moved') {
      if (doubt === 'opening' && this.#session.progress?.opened !== false) this.#context.opened(verdict.version);
      return;
    }
    this.#undecided += 1;
    this.#retryAt = this.#now + streamCheckRetryMs(this.#undecided);
    const { server } = this.#context;
    // It may have no bookmarks. That is known when two of them should have come.
    if (!server.sendsBookmarks) return server.sentNoBookmark();
    // A young stream has had no time for a bookmark of its own.
    if (this.#undecided < MAX_UNDECIDED || this.#now - this.#session.startedAt < MAX_SILENCE_MS) return;
    const message = 'the watch delivered nothing, and the server could not show that there was nothing to deliver';
    this.#session.interrupt(new KubeError('WATCH_ENDED', message));
  }

  /** The question failed. A server that still answers from its cache, but not about its storage, is cut off from it. */
  #failed(error: unknown, isTrusted: boolean): void {
    this.#failures += 1;
    this.#retryAt = this.#now + streamCheckRetryMs(this.#failures);
    this.#context.log('debug', 'a check of the watch failed; it is repeated', { error: errorMessageOf(error) });
    if (this.#failures >= MAX_UNDECIDED && this.#session.progress?.opened === false) {
      return this.#session.interrupt(new KubeError('TRANSPORT', 'the response to the watch did not begin'));
    }
    if (hasCode(error, 'STALE_SERVER')) this.#context.contradicted(error, 'echo');
    else if (!isTrusted && this.#failures >= MAX_UNDECIDED) {
      // The connection may be dead; the version to resume from is not.
      this.#session.interrupt(
        new KubeError('WATCH_ENDED', 'the watch delivered nothing, and the server does not answer'),
      );
    }
  }
}

function streamCheckRetryMs(tries: number): number {
  return Math.min(MIN_RETRY_MS * 2 ** (tries - 1), MAX_RETRY_MS);
}
