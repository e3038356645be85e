import { MAX_UNFINISHED_MS } from './freshness.ts';

/** Time after which a new watch that has delivered nothing is checked. Most deliver an event, or fail, sooner. */
export const OPENING_MS = 1_000;
/** Maximum wait for the response to begin. A server responds at once; a later response is held back on the path. */
const MAX_HEADERS_MS = 3_000;
/** Time after which a stream that has proved nothing is checked. The server sends a bookmark every 60 s. */
export const MAX_SILENCE_MS = 64_000;
/**
 * The same time where bookmarks prove themselves, so that the next one is awaited. The last bookmark of a
 * stream may come 3 s before its end, and the first of the next stream a minute later, each dated some
 * seconds back.
 */
const MAX_STEADY_SILENCE_MS = 68_500;
/** Maximum time between a bookmark that has proved itself and the time it proves. */
const MAX_PROOF_AGE_MS = 10_000;
/**
 * Time after a bookmark at which the server's version is requested, shortly before the next one, if that
 * would not prove itself: a server that is cut off from its storage still sends bookmarks, and this one must
 * reach the version.
 */
export const BEFORE_BOOKMARK_MS = 57_000;
/**
 * Time before the end of a watch at which the same request is sent: its last bookmark comes one to three
 * seconds before the requested end.
 */
export const BEFORE_END_MS = 4_500;
const LAST_BOOKMARK_MS = 3_000;
/** Time for which a response counts for the bookmark that is due. */
const ASKED_MS = MAX_SILENCE_MS - BEFORE_BOOKMARK_MS;
/**
 * Maximum age of the last event of a busy stream. No request is sent then: the next event will probably come
 * in time.
 */
const BUSY_MS = 30_000;
/** A stream with this many events in this time is busy; a single event does not predict the next one. */
export const BUSY_EVENTS = 3;
const BUSY_EVENTS_MS = 120_000;
/**
 * Tolerance for rounding: a check may come this much before its time, because sums of fractions of milliseconds differ.
 */
const EARLY_MS = 1;
/** Consecutive undecided checks after which the stream counts as silent. */
const MAX_UNDECIDED = 2;

/** Why a stream is in doubt. Silence proves nothing: a healthy server is silent, too, while nothing changes. */
export type StreamDoubt = 'opening' | 'headers' | 'unfinished' | 'silent' | 'slept' | 'quiet';

/** The observed state of an open stream at one moment. */
export interface SeenStream {
  /** Whether reading is paused because the sink is full. */
  readonly isPaused: boolean;
  /** Whether the process did not run for some time, and the stream has delivered nothing since. */
  readonly hasSlept: boolean;
  readonly openForMs: number;
  /** Whether the stream resumes another one, and nothing has shown yet that its server is current. */
  readonly isUnconfirmed: boolean;
  /** Whether the response has not begun, as far as the source can tell, and no witness has confirmed the stream. */
  readonly lacksResponse: boolean;
  /** Time since the stream delivered a part of an event. Undefined if no event is unfinished. */
  readonly unfinishedMs: number | undefined;
  /** Time since the cache was last known to be current. */
  readonly unprovenMs: number;
  /** Time since the last bookmark, or since the stream was opened. */
  readonly sinceBookmarkMs: number;
  /** Time until the requested end of the watch. */
  readonly endsInMs: number;
  /** Time since the last request that was sent because a bookmark was due. */
  readonly sinceAskedMs: number;
  /** Time since each of the last three arrivals of events, newest first. */
  readonly sinceEventsMs: readonly number[];
  /** Whether versions grow evenly, so that the version of a bookmark tells its age. */
  readonly isSteady: boolean;
  readonly sendsBookmarks: boolean;
  /** Whether the last bookmark was below a version that the server had reported. */
  readonly isBookmarkBehind: boolean;
  /** Whether the server failed to report its version: the cache counts as stale until the server does. */
  readonly needsAnswer: boolean;
}

/**
 * Returns why an open stream is in doubt. The first matching row counts:
 *
 * ```
 *  reading is paused                                    –           waiting data is a backlog, not silence
 *  the process did not run                              slept
 *  unconfirmed for a second                             opening
 *  no response for 3 s                                  headers     held back on the path
 *  an event unfinished for 3 s                          unfinished  its rest is held back
 *  nothing proved for 64 s                              silent
 *    68.5 s where the next bookmark will prove itself, or was asked about
 *  the server could not report its version              silent      until it does
 *  a bookmark below a version that it reported          silent
 *  bookmarks date themselves                            –           no request before the next one
 *  a bookmark is due in 3 s, nothing proved for 7 s     quiet       it must reach the version that is requested now
 *    or the last one: the watch ends in 4.5 s
 *    not again for the same bookmark
 *    not if an event came in the last 30 s, and at two other times in the last two minutes
 *  otherwise                                            –
 * ```
 *
 * Pure.
 */
export function doubtAboutStream(stream: SeenStream): StreamDoubt | undefined {
  const { openForMs, unfinishedMs, unprovenMs } = stream;
  if (stream.isPaused) return undefined;
  if (stream.hasSlept) return 'slept';
  if (stream.isUnconfirmed && openForMs + EARLY_MS >= OPENING_MS) return 'opening';
  if (stream.lacksResponse && openForMs >= MAX_HEADERS_MS) return 'headers';
  if (unfinishedMs !== undefined && unfinishedMs >= MAX_UNFINISHED_MS) return 'unfinished';
  if (streamSilentInMs(stream) <= EARLY_MS || stream.needsAnswer || stream.isBookmarkBehind) return 'silent';
  if (stream.isSteady || !isBookmarkNear(stream) || stream.sinceAskedMs < ASKED_MS) return undefined;
  return unprovenMs >= ASKED_MS && !isBusy(stream) ? 'quiet' : undefined;
}

function isBusy({ sinceEventsMs }: SeenStream): boolean {
  const { 0: last = Number.POSITIVE_INFINITY, [BUSY_EVENTS - 1]: before = Number.POSITIVE_INFINITY } = sinceEventsMs;
  return last < BUSY_MS && before < BUSY_EVENTS_MS;
}

function isBookmarkNear({ sinceBookmarkMs, endsInMs }: SeenStream): boolean {
  const isLast = endsInMs <= BEFORE_END_MS + EARLY_MS && endsInMs > LAST_BOOKMARK_MS;
  return isLast || (sinceBookmarkMs + EARLY_MS >= BEFORE_BOOKMARK_MS && sinceBookmarkMs < MAX_SILENCE_MS);
}

/**
 * Time after which a quiet stream counts as silent. A bookmark that will prove itself, or that the server was
 * asked about, is awaited.
 */
export function streamSilentInMs(
  stream: Pick<SeenStream, 'unprovenMs' | 'sinceBookmarkMs' | 'sinceAskedMs' | 'isSteady' | 'sendsBookmarks'>,
): number {
  const { unprovenMs, sinceBookmarkMs } = stream;
  const isOutstanding = unprovenMs - sinceBookmarkMs <= MAX_PROOF_AGE_MS;
  const provesItself = stream.isSteady || stream.sinceAskedMs < ASKED_MS;
  const isAwaited = provesItself && stream.sendsBookmarks && isOutstanding;
  return (isAwaited ? MAX_STEADY_SILENCE_MS : MAX_SILENCE_MS) - unprovenMs;
}

/** The result of checking a stream in doubt. */
export interface StreamAnswer {
  readonly doubt: StreamDoubt;
  /** The verdict of the witness. */
  readonly kind: 'current' | 'moved' | 'undecided' | 'guilty' | 'failed';
  /** Whether the check failed because the server cannot report its version, although it responds from its cache. */
  readonly isCutOff: boolean;
  /** Consecutive results of this kind (`undecided` or `failed`), this one included. */
  readonly tries: number;
  readonly openForMs: number;
  /** Whether the response to the watch has begun. Undefined where the source cannot tell. */
  readonly isOpened: boolean | undefined;
  /** Whether the stream is presumed to deliver, or has delivered meanwhile. */
  readonly isTrusted: boolean;
  readonly sendsBookmarks: boolean;
}

/**
 *  proved     the server had nothing newer
 *  opened     the stream was opened well: what was known before it counts on
 *  go-on      nothing follows
 *  ask-again  after a pause
 *  cut-off    the server is cut off from its storage: the cache is stale until it answers; ask again
 *  leave      end the stream
 */
export type AfterAnswer = 'proved' | 'opened' | 'go-on' | 'ask-again' | 'missed-bookmark' | 'cut-off' | Leave;

/** End the stream: for what the witness found, without a response, silent, or silent and the server does not respond. */
export type Leave = 'leave-guilty' | 'leave-unopened' | 'leave-silent' | 'leave-unanswered';

/**
 * Returns what follows the result of a check. The first matching row counts:
 *
 * ```
 *  guilty                                               leave-guilty
 *  current                                              proved
 *  moved: after the opening, and the response began     opened
 *         otherwise                                     go-on             its next bookmark must reach that version
 *  undecided: the server has sent no bookmark yet       missed-bookmark   it may have none; ask again
 *             twice, and the stream is older than 64 s  leave-silent      a younger one had no time for a bookmark
 *             otherwise                                 ask-again
 *  failed: twice, and the response has not begun        leave-unopened
 *          the server is cut off from its storage       cut-off
 *          twice, and the stream is not trusted         leave-unanswered  the version to resume from is not lost
 *          otherwise                                    ask-again
 * ```
 *
 * Pure.
 */
export function judgeStreamAnswer(answer: StreamAnswer): AfterAnswer {
  const { doubt, kind, isOpened, tries } = answer;
  if (kind === 'guilty') return 'leave-guilty';
  if (kind === 'current') return 'proved';
  if (kind === 'moved') return doubt === 'opening' && isOpened !== false ? 'opened' : 'go-on';
  const isSecond = tries >= MAX_UNDECIDED;
  if (kind === 'undecided') {
    if (!answer.sendsBookmarks) return 'missed-bookmark';
    return isSecond && answer.openForMs >= MAX_SILENCE_MS ? 'leave-silent' : 'ask-again';
  }
  if (isSecond && isOpened === false) return 'leave-unopened';
  if (answer.isCutOff) return 'cut-off';
  return isSecond && !answer.isTrusted ? 'leave-unanswered' : 'ask-again';
}
