import { compareVersions, hasReachedVersion, isOlder } from '../../core/object/resource-version.ts';
import { type ReportedVersion, ReportedVersions } from './reported-versions.ts';
import { VersionPace } from './version-pace.ts';

/** All times are readings of the ElapsedClock. */
export interface Evidence {
  /** The cache holds everything the server had at this time, as far as the evidence tells. */
  readonly provenAt: number;
  /** The evidence counts until this time: 71 s after `provenAt`, or 5 s after the end of the stream it came from. */
  readonly validUntil: number;
  /** The stream has delivered part of an event and not the rest, since this time. */
  readonly unfinishedSince: number | undefined;
  /** Something contradicts the cache or its server, and nothing has refuted it yet. */
  readonly contradiction: Contradiction | undefined;
  /** The oldest change that was received and is not in the cache yet. */
  readonly backlogSince: number | undefined;
  readonly polling: Polling | undefined;
}

/** Evidence that refutes a contradiction: an event of the stream, a list, or the server's current version. */
export type RefutedBy = 'event' | 'list' | 'echo';

export interface Contradiction {
  readonly since: number;
  readonly error: unknown;
  readonly refutedBy: RefutedBy;
}

/** Watches are too unreliable here: the cache follows the server by short watches or lists, one every `periodMs`. */
export interface Polling {
  readonly since: number;
  readonly error: unknown;
  readonly periodMs: number;
}

/** How long evidence counts. The server sends a bookmark every 60 s, and may then be asked about it. */
const EVIDENCE_MS = 71_000;
/** How long evidence outlives the stream it came from: by then the next stream must have opened well. */
const OUTLIVES_STREAM_MS = 5_000;
/** Resolution of the ages of unapplied changes. */
const MARK_EVERY_MS = 1_000;
const MAX_MARKS = 128;

/** How far the cache is behind what was received. */
export interface Applied {
  /** Changes received and not yet applied. */
  readonly pending: number;
  /** The version of the cache. */
  readonly resourceVersion: string;
}

interface Unapplied {
  readonly version: string;
  /** The cache without it was current then. */
  readonly provenAt: number;
  /** When it was received, if it is a list. */
  readonly listedAt: number | undefined;
}

export interface EvidenceSources {
  readonly applied: () => Applied;
  /** The versions that the server reported to all informers of this resource; to this one alone where nothing is shared. */
  readonly reported?: () => ReportedVersions | undefined;
  /** The judgement may have changed. */
  readonly onChange: () => void;
}

/**
 * Collects the evidence that a cache is current. Three questions are kept apart: does this stream deliver, is the server
 * itself current, has the cache applied what it received?
 *
 *  - An event answers the first two: a server that is cut off from its storage sends none.
 *  - A bookmark answers the first: such a server continues to send them. It answers the second as of the time at which the
 *    server reported a version that the bookmark has reached, whichever replica it was, or as of the time that its version
 *    dates from (`VersionPace`).
 *  - A witness (nothing is newer than what the stream has delivered) and a list of the newest state answer the second.
 *
 * Room rule: records. `freshnessOf` judges, the reflector acts.
 */
export class EvidenceBook {
  /** An event, a witness or a list of the newest state: the cache was current then. */
  #shownAt = Number.NEGATIVE_INFINITY;
  /** The server had nothing newer then than the streams have delivered. */
  #reachedAt = Number.NEGATIVE_INFINITY;
  /** Anything the stream delivered in order: the stream worked then. */
  #frameAt = Number.NEGATIVE_INFINITY;
  /** The stream behind the evidence is over, or has not proved itself: nothing counts after this. */
  #endsAt = Number.POSITIVE_INFINITY;
  #unfinishedSince: number | undefined;
  #contradiction: Contradiction | undefined;
  #polling: Polling | undefined;
  #pausedSince: number | undefined;
  /** The stream begins with what happened since the last one: until it has caught up, its events are news of the past. */
  #isCatchingUp = false;
  /** When the stream began to catch up. */
  #resumedAt = Number.NEGATIVE_INFINITY;
  /** The newest version delivered while catching up. */
  #latest = '';
  /** News of the past, a list or what a stream delivered while it caught up, that is not in the cache yet, and what was known before it. */
  #unapplied: Unapplied | undefined;
  /** A version that the server is known to have reached. What the stream delivers below it does not count. */
  #target = '';
  /** When a version was received, at most one mark a second. */
  readonly #marks: { readonly at: number; readonly version: string }[] = [];
  readonly #own = new ReportedVersions();
  /** The answer that the pace was last measured with. */
  #measured: ReportedVersion | undefined;
  readonly #pace = new VersionPace();
  readonly #sources: EvidenceSources;

  constructor(sources: EvidenceSources) {
    this.#sources = sources;
  }

  // — the stream —

  /**
   * This stream delivered an event or a bookmark at `version`. Returns whether it counts: below a version that the server
   * is known to have, it does not. On the path of every event.
   */
  heard(version: string, now: number, isBookmark: boolean): boolean {
    const last = this.#marks.at(-1);
    if (last === undefined || now - last.at >= MARK_EVERY_MS) this.#mark(version, now);
    this.#unfinishedSince = undefined;
    if (!isBookmark) this.#pace.counted(version);
    if (this.#target !== '') {
      if (isOlder(version, this.#target)) return false;
      this.#target = '';
      this.#caughtUp(version);
    }
    if (this.#isCatchingUp) {
      if (!isBookmark || !this.#hasCaughtUp(version)) {
        this.#latest = version;
        return false;
      }
      this.#caughtUp(version);
      this.#isCatchingUp = false;
    }
    const wasLimited = this.#endsAt !== Number.POSITIVE_INFINITY || now - this.#frameAt > EVIDENCE_MS;
    this.#frameAt = now;
    this.#endsAt = Number.POSITIVE_INFINITY;
    if (!isBookmark) this.#pace.arrived(version, now);
    this.#reachedAt = Math.max(this.#reachedAt, isBookmark ? this.#dateOf(version, now) : now);
    // A round of polling shows it at its end.
    if (this.#polling === undefined) this.#shownAt = Math.max(this.#shownAt, this.#reachedAt);
    if (wasLimited || this.#contradiction !== undefined) this.#refute('event');
    return true;
  }

  /** The stream is over. What it has shown counts a little longer, until the next stream has opened well. */
  streamEnded(now: number): void {
    this.#unfinishedSince = undefined;
    // The rounds of polling are meant to end.
    if (this.#polling === undefined) this.#endAt(now + OUTLIVES_STREAM_MS);
  }

  /** A stream is opened that resumes where another one ended. */
  streamResumes(now: number): void {
    this.#isCatchingUp = true;
    this.#resumedAt = now;
  }

  /**
   * The new stream opened well: what was shown before counts on, for as long as it would have. The stream has caught up
   * when it has shown `version`, which the server had after the opening.
   */
  streamOpened(version: string): void {
    this.#caughtUp(this.#latest);
    this.#isCatchingUp = false;
    this.#target = version;
    this.#endsAt = Number.POSITIVE_INFINITY;
    this.#refute('echo');
  }

  /** The server holds back the rest of an event, or has delivered it. */
  unfinished(since: number | undefined): void {
    if (this.#unfinishedSince === since) return;
    this.#unfinishedSince = since;
    this.#sources.onChange();
  }

  /** Reading is paused because handlers or the queue are full: what waits in the connection counts as not applied. */
  paused(since: number | undefined): void {
    this.#pausedSince = since;
  }

  /** Whether a bookmark at `version` has reached what the server had after the stream began. Rounds of polling count at their end. */
  #hasCaughtUp(version: string): boolean {
    return this.#polling === undefined && this.#reportedAt(version) > this.#resumedAt;
  }

  /** When a bookmark shows that the server had nothing newer. */
  #dateOf(version: string, now: number): number {
    this.#measure();
    return Math.max(this.#reportedAt(version), this.#pace.dateOf(version, now) ?? Number.NEGATIVE_INFINITY);
  }

  /** When the server was last known to have nothing beyond `version`. */
  #reportedAt(version: string): number {
    return this.#reported.atOf(version);
  }

  /** The versions that the server reported, also to other informers of the same resource. */
  get #reported(): ReportedVersions {
    return this.#sources.reported?.() ?? this.#own;
  }

  /** The last time when the streams had delivered all that the server had. */
  get reachedAt(): number {
    return this.#reachedAt;
  }

  /** Bookmarks date themselves here: the server need not be asked before the next one is due. */
  get isSteady(): boolean {
    return this.#pace.isSteady;
  }

  // — the server —

  /** Whether this informer should ask for the server's version now, or another one has just done so. */
  takeQuestion(now: number): boolean {
    return this.#reported.takeQuestion(now);
  }

  /** The server reported its current version, which it had at `askedAt` or later. */
  answered(version: string, askedAt: number): void {
    this.#tell(version, askedAt);
    if (this.needsAnswer) this.#refute('echo');
  }

  #tell(version: string, at: number): void {
    this.#reported.add(version, at);
    this.#measure();
  }

  /** Measures the pace with the last reported version, whichever informer requested it. */
  #measure(): void {
    const { last } = this.#reported;
    if (last === undefined || last === this.#measured) return;
    this.#measured = last;
    this.#pace.reported(last.version, last.at);
  }

  /** Whether the server failed to report its current version. Only a reported version ends that. */
  get needsAnswer(): boolean {
    return this.#contradiction?.refutedBy === 'echo';
  }

  /** The server had nothing newer, when it was asked at `askedAt`, than the cache has received. */
  witnessed(askedAt: number): void {
    if (this.#isCatchingUp) this.#caughtUp(this.#latest);
    this.#reachedAt = Math.max(this.#reachedAt, askedAt);
    this.#target = '';
    this.#isCatchingUp = false;
    this.#shownAt = Math.max(this.#shownAt, askedAt);
    this.#endsAt = Number.POSITIVE_INFINITY;
    // Where nothing is newer, nothing is withheld.
    if (this.#contradiction?.refutedBy === 'event') this.#contradiction = undefined;
    this.#refute('echo');
  }

  /** Nothing is newer than what was received, up to `version`, as of the time when the server reported that or less. */
  reached(version: string): void {
    const at = this.#reportedAt(version);
    if (at <= this.#reachedAt) return;
    this.#reachedAt = at;
    if (this.#polling === undefined) this.#shownAt = Math.max(this.#shownAt, at);
    this.#sources.onChange();
  }

  /** A complete list is in the sink. Only one that had to be the newest state (`consistent`) shows that the cache is current. */
  listed(version: string, askedAt: number, consistent: boolean, now: number): void {
    // Until the cache has it, the cache is as old as before.
    this.#unapplied = { version, provenAt: this.provenAt, listedAt: now };
    this.#latest = '';
    this.#mark(version, now);
    this.#target = '';
    this.#isCatchingUp = false;
    // A list of the newest state is an answer about the server's current version, too.
    if (consistent || this.#contradiction?.refutedBy !== 'echo') this.#contradiction = undefined;
    if (consistent) {
      this.#shownAt = Math.max(this.#shownAt, askedAt);
      this.#reachedAt = Math.max(this.#reachedAt, askedAt);
      this.#tell(version, askedAt);
    }
    this.#endsAt = now + OUTLIVES_STREAM_MS;
    this.#refute('list');
  }

  contradicted(error: unknown, refutedBy: RefutedBy, now: number): void {
    this.#contradiction = { since: this.#contradiction?.since ?? now, error, refutedBy };
    this.#sources.onChange();
  }

  /** The process was suspended or blocked: nothing known before counts until the stream or the server confirms it. */
  slept(now: number): void {
    // Events that waited in the connection meanwhile are news of the past, too.
    this.streamResumes(now);
    this.#endAt(now - 1);
  }

  // — polling —

  poll(polling: Polling | undefined): void {
    // The first round begins with what the watches before it did not deliver.
    if (this.#polling === undefined && polling !== undefined) this.#isCatchingUp = true;
    this.#polling = polling;
    this.#sources.onChange();
  }

  /** A whole round of polling has ended: all changes up to its end were delivered. */
  polled(now: number): void {
    if (this.#isCatchingUp) this.#caughtUp(this.#latest);
    this.#isCatchingUp = false;
    this.#shownAt = Math.max(this.#shownAt, now);
    this.#endsAt = Number.POSITIVE_INFINITY;
    this.#refute('event');
  }

  // — reading —

  /** The server had nothing newer then than was received. */
  get shownAt(): number {
    return this.#shownAt;
  }

  /** The cache was current then, as far as the evidence tells. */
  get provenAt(): number {
    return this.#stillUnapplied()?.provenAt ?? this.#shownAt;
  }

  #stillUnapplied(): Unapplied | undefined {
    if (this.#unapplied === undefined) return undefined;
    const { pending, resourceVersion } = this.#sources.applied();
    // A list is applied in slices, when nothing is queued any more; only its version shows that it is there.
    const order = compareVersions(resourceVersion, this.#unapplied.version);
    const isThere = order === undefined ? pending === 0 : order >= 0;
    if (isThere || (pending === 0 && this.#unapplied.listedAt === undefined)) this.#unapplied = undefined;
    return this.#unapplied;
  }

  read(): Evidence {
    const { provenAt } = this;
    const countsMs = this.#polling === undefined ? EVIDENCE_MS : 2 * this.#polling.periodMs + OUTLIVES_STREAM_MS;
    return {
      provenAt,
      validUntil: Math.min(provenAt + countsMs, this.#endsAt),
      unfinishedSince: this.#unfinishedSince,
      contradiction: this.#contradiction,
      backlogSince: this.#backlogSince(),
      polling: this.#polling,
    };
  }

  /** The changes up to `version` are as old as the pause before the stream: until the cache has them, it is as old as before. */
  #caughtUp(version: string): void {
    this.#latest = '';
    if (version === '' || this.#sources.applied().pending === 0) return;
    this.#unapplied = { version, provenAt: this.provenAt, listedAt: this.#unapplied?.listedAt };
  }

  #refute(by: RefutedBy): void {
    // A list or an event also answers what a weaker question left open, but only an answer about the server's current
    // version refutes that the server cannot tell it.
    const left = this.#contradiction?.refutedBy;
    if (left === by || (left === 'event' && by === 'list')) this.#contradiction = undefined;
    this.#sources.onChange();
  }

  #endAt(at: number): void {
    if (this.#endsAt <= at) return;
    this.#endsAt = at;
    this.#sources.onChange();
  }

  #mark(version: string, at: number): void {
    if (this.#marks.length >= MAX_MARKS) this.#backlogSince();
    // Still full: the oldest marks stay, they are what is asked for.
    if (this.#marks.length < MAX_MARKS) this.#marks.push({ at, version });
  }

  /** The age of the oldest unapplied change, at most a second too old. */
  #backlogSince(): number | undefined {
    const { pending, resourceVersion } = this.#sources.applied();
    if (pending === 0) this.#marks.length = 0;
    // A mark stands for all changes up to the next one.
    while (this.#marks.length > 1 && hasReachedVersion(resourceVersion, this.#marks[1]?.version)) this.#marks.shift();
    const oldest = this.#marks[0]?.at;
    const since = [oldest, this.#pausedSince, this.#stillUnapplied()?.listedAt].filter((at) => at !== undefined);
    return since.length === 0 ? undefined : Math.min(...since);
  }
}
