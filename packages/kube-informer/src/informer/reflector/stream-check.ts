import { linkedAbort } from '../../core/async/abort.ts';
import { KubeError, errorMessageOf, hasCode } from '../../core/errors.ts';
import {
  BEFORE_BOOKMARK_MS,
  BEFORE_END_MS,
  BUSY_EVENTS,
  doubtAboutStream,
  judgeStreamAnswer,
  type Leave,
  MAX_SILENCE_MS,
  OPENING_MS,
  type SeenStream,
  type StreamDoubt,
  streamSilentInMs,
} from '../freshness/stream-doubt.ts';
import type { ReflectorContext } from './reflector-context.ts';
import type { WatchSession } from './watch-session.ts';
import { askWitnessForVersion, findWitness, type Verdict } from './witness.ts';

/** Interval between two looks at a stream that reports its progress, and at one that does not. */
const LOOK_MS = 1_000;
const SELDOM_LOOK_MS = 5_000;
/** A timer that fires this late means that the process was stopped or its event loop blocked. */
const STALL_MS = 1_000;
/** Maximum stall of the process; after a longer one, nothing known before counts. */
const MAX_STALL_MS = 5_000;
/** Pause before a failed check is repeated. */
const MIN_RETRY_MS = 2_000;
const MAX_RETRY_MS = 30_000;

/** Code and message of the error that ends a stream. */
const LEFT: Record<Exclude<Leave, 'leave-guilty'>, readonly ['WATCH_ENDED' | 'TRANSPORT', string]> = {
  'leave-unopened': ['TRANSPORT', 'the response to the watch did not begin'],
  'leave-silent': [
    'WATCH_ENDED',
    'the watch delivered nothing, and the server could not show that there was nothing to deliver',
  ],
  'leave-unanswered': ['WATCH_ENDED', 'the watch delivered nothing, and the server does not respond'],
};

/**
 * Observes one open stream, and sends a request to the server when the stream itself gives no evidence: once
 * after the opening, and whenever it has been silent, or has withheld something, for longer than a healthy
 * one would. The tables of `stream-doubt.ts` decide when that is and what follows. Ends with the session.
 *
 * Promises: one question at a time; a quiet and healthy stream costs one question a minute at most, which is one
 * request, or two where the server has moved on and a short watch must tell; a stream that
 * withholds what the server has is interrupted within 75 s, a way that buffers within 5 s.
 */
export class StreamCheck<T> {
  readonly #context: ReflectorContext<T>;
  readonly #session: WatchSession<T>;
  #lastHeardAt: number | undefined;
  #openingIsDue: boolean;
  readonly #followsList: boolean;
  #headersAreDue = true;
  #slept = false;
  /** Time of the next look at the stream, on the ElapsedClock. */
  #lookDueAt = Number.POSITIVE_INFINITY;
  /** Times of the last events, newest first: one for each look at the stream, however many events there were. */
  #eventsAt: readonly number[] = [];
  /** Time of the last request that was sent because a bookmark was due. */
  #askedAt = Number.NEGATIVE_INFINITY;
  #unfinished: { readonly since: number; readonly accepted: number } | undefined;
  #undecided = 0;
  #failures = 0;
  #retryAt = 0;

  constructor(context: ReflectorContext<T>, session: WatchSession<T>) {
    this.#context = context;
    this.#session = session;
    this.#lastHeardAt = session.heardAt;
    // A streaming list has delivered its end marker on this stream; any other begins with old changes.
    this.#openingIsDue = session.listed === undefined;
    this.#followsList = context.takeFreshList();
    if (this.#openingIsDue) context.book.streamResumes(context.path.clock.read());
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

  /** Sleeps until the next look. If it wakes much too late, the process did not run. */
  async #sleep(): Promise<void> {
    const { env } = this.#context.options;
    const { startedAt, deadlineAt, signal } = this.#session;
    const dueIn = [startedAt + OPENING_MS, deadlineAt, this.#retryAt].map((at) => at - env.now());
    const seen = this.#seen();
    dueIn.push(BEFORE_BOOKMARK_MS - seen.sinceBookmarkMs, seen.endsInMs - BEFORE_END_MS, streamSilentInMs(seen));
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

  /**
   * Keeps checking the clock while a request is open: only that distinguishes a suspended process from a slow
   * server.
   */
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

  #doubt(): StreamDoubt | undefined {
    const { heardAt, bookmarkAt, isPaused } = this.#session;
    if (isPaused) return undefined;
    if (heardAt !== undefined && heardAt !== this.#lastHeardAt) {
      this.#lastHeardAt = heardAt;
      if (heardAt !== bookmarkAt) this.#eventsAt = [heardAt, ...this.#eventsAt].slice(0, BUSY_EVENTS);
      this.#slept = false;
      this.#undecided = 0;
    }
    this.#unfinished = this.#stillUnfinished(this.#now);
    this.#context.book.unfinished(this.#unfinished && this.#context.path.clock.at(this.#unfinished.since));
    return doubtAboutStream(this.#seen());
  }

  #seen(): SeenStream {
    const { progress, startedAt, endsAt, bookmarkAt, isPaused } = this.#session;
    const { book, server, unprovenMs } = this.#context;
    const now = this.#now;
    return {
      isPaused,
      hasSlept: this.#slept,
      openForMs: now - startedAt,
      isUnconfirmed: this.#openingIsDue,
      lacksResponse: this.#headersAreDue && progress?.opened === false,
      unfinishedMs: this.#unfinished && now - this.#unfinished.since,
      unprovenMs,
      sinceBookmarkMs: now - (bookmarkAt ?? startedAt),
      endsInMs: endsAt - now,
      sinceAskedMs: now - this.#askedAt,
      sinceEventsMs: this.#eventsAt.map((at) => now - at),
      isSteady: book.isSteady,
      sendsBookmarks: server.sendsBookmarks,
      isBookmarkBehind: server.isBookmarkBehind,
      needsAnswer: book.needsAnswer,
    };
  }

  #stillUnfinished(now: number): { readonly since: number; readonly accepted: number } | undefined {
    const { progress, accepted } = this.#session;
    if (progress?.unfinished !== true) return undefined;
    return this.#unfinished?.accepted === accepted ? this.#unfinished : { since: now, accepted };
  }

  async #ask(doubt: StreamDoubt): Promise<void> {
    const { signal, accepted: before } = this.#session;
    if (doubt === 'silent') this.#context.server.askAboutBookmark();
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
      // A response to another informer serves this one: its next bookmark must reach that version, too.
      if (!this.#context.book.takeQuestion(this.#context.path.clock.read())) return;
    }
    const verdict = await this.#withLooks(
      isPresumed || doubt === 'quiet'
        ? askWitnessForVersion(this.#context, this.#session)
        : // For silence, a response of some seconds ago is enough. Other doubts are about the path, or a pause.
          findWitness(this.#context, this.#session, doubt === 'silent' && !this.#context.book.needsAnswer),
    );
    // A response from before a pause of the process says nothing about the pause: the request is repeated.
    if (signal.aborted || this.#session.isInterrupted || verdict === 'slept') return;
    // A stream that delivered meanwhile works, whatever the result of the check.
    const isTrusted = isPresumed || doubt === 'quiet' || this.#session.accepted > before;
    this.#follow(verdict, doubt, isTrusted);
  }

  #follow(verdict: Verdict, doubt: StreamDoubt, isTrusted: boolean): void {
    const { server } = this.#context;
    const tries = this.#countTries(verdict, doubt);
    const after = judgeStreamAnswer({
      doubt,
      kind: verdict.kind,
      isCutOff: verdict.kind === 'failed' && hasCode(verdict.error, 'STALE_SERVER'),
      tries,
      openForMs: this.#now - this.#session.startedAt,
      isOpened: this.#session.progress?.opened,
      isTrusted,
      sendsBookmarks: server.sendsBookmarks,
    });
    if (verdict.kind === 'failed')
      this.#context.log('debug', 'a check of the watch failed; it is repeated', {
        error: errorMessageOf(verdict.error),
      });
    else if (verdict.kind !== 'guilty') this.#session.isAnswered = true;
    switch (after) {
      case 'go-on':
      case 'ask-again':
        return;
      case 'proved':
        this.#slept = false;
        if ('askedAt' in verdict) this.#context.witnessed(verdict.askedAt);
        return;
      case 'opened':
        if (verdict.kind === 'moved') this.#context.opened(verdict.version);
        return;
      case 'missed-bookmark':
        // Whether it sends none is known when two of them should have come.
        return server.sentNoBookmark();
      case 'cut-off':
        if (verdict.kind === 'failed') this.#context.contradicted(verdict.error, 'echo');
        return;
      case 'leave-guilty':
        if (verdict.kind === 'guilty') this.#session.interrupt(verdict.error);
        return;
      case 'leave-unopened':
      case 'leave-silent':
      case 'leave-unanswered':
        return this.#session.interrupt(new KubeError(...LEFT[after]));
    }
  }

  /** Counts consecutive results that repeat the same check, and sets the time of the next one. */
  #countTries({ kind }: Verdict, doubt: StreamDoubt): number {
    if (kind === 'failed') this.#failures += 1;
    else {
      this.#failures = 0;
      if (doubt === 'opening') this.#openingIsDue = false;
      if (doubt === 'headers') this.#headersAreDue = false;
    }
    if (kind === 'current') this.#undecided = 0;
    if (kind === 'undecided') this.#undecided += 1;
    const tries = kind === 'failed' ? this.#failures : kind === 'undecided' ? this.#undecided : 0;
    if (tries > 0) this.#retryAt = this.#now + streamCheckRetryMs(tries);
    return tries;
  }
}

function streamCheckRetryMs(tries: number): number {
  return Math.min(MIN_RETRY_MS * 2 ** (tries - 1), MAX_RETRY_MS);
}
