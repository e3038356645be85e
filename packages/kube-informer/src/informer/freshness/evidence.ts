import { compareVersions, hasReachedVersion, isOlder } from '../../core/object/resource-version.ts';
import { type ReportedVersion, ReportedVersions } from './reported-versions.ts';
import { VersionPace } from './version-pace.ts';

/** The facts that freshness is judged by. All times are readings of the ElapsedClock. */
export interface Evidence {
  /** Time at which the cache held everything the server had, as far as the evidence shows. */
  readonly provenAt: number;
  /** Time until which the evidence counts: 71 s after `provenAt`, or 5 s after the end of the stream it came from. */
  readonly validUntil: number;
  /** Time since which the stream has delivered a part of an event without the rest. */
  readonly unfinishedSince: number | undefined;
  /** A contradiction of the cache or its server that has not been refuted yet. */
  readonly contradiction: Contradiction | undefined;
  /** Time of the oldest change that was received and is not in the cache yet. */
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

/**
 * Set where watches are too unreliable: the cache follows the server by short watches or lists, one every
 * `periodMs`.
 */
export interface Polling {
  readonly since: number;
  readonly error: unknown;
  readonly periodMs: number;
}

/** Time for which evidence counts. The server sends a bookmark every 60 s; the rest is time to ask about it. */
const EVIDENCE_MS = 71_000;
/** Time for which evidence outlives its stream: by then the next stream must have proved itself. */
const OUTLIVES_STREAM_MS = 5_000;
/** Resolution of the ages of unapplied changes. */
const MARK_EVERY_MS = 1_000;
const MAX_MARKS = 128;

/** How far the cache is behind what was received. */
export interface Applied {
  /** Number of changes received and not yet applied. */
  readonly pending: number;
  /** The version of the cache. */
  readonly resourceVersion: string;
}

interface Unapplied {
  readonly version: string;
  /** Time at which the cache without these changes was current. */
  readonly provenAt: number;
  /** When it was received, if it is a list. */
  readonly listedAt: number | undefined;
}

export interface EvidenceSources {
  readonly applied: () => Applied;
  /** The versions that the server reported to all informers of this resource; to this one alone where nothing is shared. */
  readonly reported?: () => ReportedVersions | undefined;
  /** Called when the judgement may have changed. */
  readonly onChange: () => void;
}

/**
 * Collects the evidence that a cache is current. Three questions are kept apart: does this stream deliver, is
 * the server itself current, and has the cache applied everything it received?
 *
 *  - An event answers the first two: a server that is cut off from its storage sends none.
 *  - A bookmark answers the first: such a server continues to send them. It answers the second as of the time at which any
 *    replica of the server reported a version that the bookmark has reached, or as of the time that its version dates
 *    from (`VersionPace`).
 *  - A witness (nothing is newer than what the stream has delivered) and a list of the newest state answer the second.
 *
 * Room rule: records. `freshnessOf` judges, the reflector acts.
 */
export class EvidenceBook {
  /** Time at which an event, a witness or a list of the newest state showed that the cache was current. */
  #shownAt = Number.NEGATIVE_INFINITY;
  /** Time at which the server had nothing newer than the streams have delivered. */
  #reachedAt = Number.NEGATIVE_INFINITY;
  /** Time of the last delivery in order: the stream worked then. */
  #frameAt = Number.NEGATIVE_INFINITY;
  /** Time at which the evidence ends, because its stream has ended or has not proved itself. */
  #endsAt = Number.POSITIVE_INFINITY;
  #unfinishedSince: number | undefined;
  #contradiction: Contradiction | undefined;
  #polling: Polling | undefined;
  #pausedSince: number | undefined;
  /** Whether the stream is still delivering what it missed: until it has caught up, its events are old. */
  #isCatchingUp = false;
  /** When the stream began to catch up. */
  #resumedAt = Number.NEGATIVE_INFINITY;
  /** The newest version delivered while catching up. */
  #latest = '';
  /** Old changes (a list, or those of a stream that was catching up) that are not in the cache yet, and what was known before them. */
  #unapplied: Unapplied | undefined;
  /** A version that the server is known to have reached. Deliveries of the stream below it do not count. */
  #target = '';
  /** Times at which versions were received, at most one mark a second. */
  readonly #marks: { readonly at: number; readonly version: string }[] = [];
  readonly #own = new ReportedVersions();
  /** The reported version that the pace was last measured with. */
  #measured: ReportedVersion | undefined;
  readonly #pace = new VersionPace();
  readonly #sources: EvidenceSources;

  constructor(sources: EvidenceSources) {
    this.#sources = sources;
  }

  // — the stream —

  /**
   * Records that the stream delivered an event or a bookmark at `version`. Returns whether it counts: below a
   * version that the server is known to have, it does not. On the path of every event.
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
    // A round of polling counts only when it has ended.
    if (this.#polling === undefined) this.#shownAt = Math.max(this.#shownAt, this.#reachedAt);
    if (wasLimited || this.#contradiction !== undefined) this.#refute('event');
    return true;
  }

  /** Records the end of a stream. Its evidence counts a little longer, until the next stream has proved itself. */
  streamEnded(now: number): void {
    this.#unfinishedSince = undefined;
    // Rounds of polling are supposed to end.
    if (this.#polling === undefined) this.#endAt(now + OUTLIVES_STREAM_MS);
  }

  /** Records that a stream is opened that resumes where another one ended. */
  streamResumes(now: number): void {
    this.#isCatchingUp = true;
    this.#resumedAt = now;
  }

  /**
   * Records that the new stream was opened well: earlier evidence stays valid. The stream has caught up when
   * it has delivered `version`, which the server had after the opening.
   */
  streamOpened(version: string): void {
    this.#caughtUp(this.#latest);
    this.#isCatchingUp = false;
    this.#target = version;
    this.#endsAt = Number.POSITIVE_INFINITY;
    this.#refute('echo');
  }

  /** Records that the rest of an event is missing since `since`, or has arrived. */
  unfinished(since: number | undefined): void {
    if (this.#unfinishedSince === since) return;
    this.#unfinishedSince = since;
    this.#sources.onChange();
  }

  /** Records that reading is paused: data that waits in the connection counts as not applied. */
  paused(since: number | undefined): void {
    this.#pausedSince = since;
  }

  /** Whether a bookmark at `version` has reached what the server had after the stream began. Rounds of polling count at their end. */
  #hasCaughtUp(version: string): boolean {
    return this.#polling === undefined && this.#reportedAt(version) > this.#resumedAt;
  }

  /** Time at which, according to a bookmark, the server had nothing newer. */
  #dateOf(version: string, now: number): number {
    this.#measure();
    return Math.max(this.#reportedAt(version), this.#pace.dateOf(version, now) ?? Number.NEGATIVE_INFINITY);
  }

  /** Time at which the server was last known to have nothing beyond `version`. */
  #reportedAt(version: string): number {
    return this.#reported.atOf(version);
  }

  /** The versions that the server reported, also to other informers of the same resource. */
  get #reported(): ReportedVersions {
    return this.#sources.reported?.() ?? this.#own;
  }

  /** The last time at which the streams had delivered everything that the server had. */
  get reachedAt(): number {
    return this.#reachedAt;
  }

  /** Whether the version of a bookmark tells its age here, so that no request is needed before the next one is due. */
  get isSteady(): boolean {
    return this.#pace.isSteady;
  }

  // — the server —

  /** Whether this informer should request the server's version now; false if another one has just done so. */
  takeQuestion(now: number): boolean {
    return this.#reported.takeQuestion(now);
  }

  /** Records the version that the server reported as its current one; it had it at `askedAt` or later. */
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

  /** Whether the server failed to report its current version. Only a reported version resets this. */
  get needsAnswer(): boolean {
    return this.#contradiction?.refutedBy === 'echo';
  }

  /** Records that at `askedAt` the server had nothing newer than the cache has received. */
  witnessed(askedAt: number): void {
    if (this.#isCatchingUp) this.#caughtUp(this.#latest);
    this.#reachedAt = Math.max(this.#reachedAt, askedAt);
    this.#target = '';
    this.#isCatchingUp = false;
    this.#shownAt = Math.max(this.#shownAt, askedAt);
    this.#endsAt = Number.POSITIVE_INFINITY;
    // If nothing is newer, nothing is withheld.
    if (this.#contradiction?.refutedBy === 'event') this.#contradiction = undefined;
    this.#refute('echo');
  }

  /** Records that everything up to `version` was received, as of the time when the server reported that or less. */
  reached(version: string): void {
    const at = this.#reportedAt(version);
    if (at <= this.#reachedAt) return;
    this.#reachedAt = at;
    if (this.#polling === undefined) this.#shownAt = Math.max(this.#shownAt, at);
    this.#sources.onChange();
  }

  /** Records a complete list. Only one that had to be the newest state (`consistent`) shows that the cache is current. */
  listed(version: string, askedAt: number, consistent: boolean, now: number): void {
    // Until it is applied, the cache is as old as before.
    this.#unapplied = { version, provenAt: this.provenAt, listedAt: now };
    this.#latest = '';
    this.#mark(version, now);
    this.#target = '';
    this.#isCatchingUp = false;
    // A list of the newest state also shows the server's current version.
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

  /** Records that the process did not run: earlier evidence does not count until something confirms it. */
  slept(now: number): void {
    // Events that waited in the connection meanwhile are old, too.
    this.streamResumes(now);
    this.#endAt(now - 1);
  }

  // — polling —

  poll(polling: Polling | undefined): void {
    // The first round begins with changes that earlier watches did not deliver.
    if (this.#polling === undefined && polling !== undefined) this.#isCatchingUp = true;
    this.#polling = polling;
    this.#sources.onChange();
  }

  /** Records the end of a round of polling: all changes up to its end were delivered. */
  polled(now: number): void {
    if (this.#isCatchingUp) this.#caughtUp(this.#latest);
    this.#isCatchingUp = false;
    this.#shownAt = Math.max(this.#shownAt, now);
    this.#endsAt = Number.POSITIVE_INFINITY;
    this.#refute('event');
  }

  // — reading —

  /** Time at which the server had nothing newer than was received. */
  get shownAt(): number {
    return this.#shownAt;
  }

  /** Time at which the cache was current, as far as the evidence shows. */
  get provenAt(): number {
    return this.#stillUnapplied()?.provenAt ?? this.#shownAt;
  }

  #stillUnapplied(): Unapplied | undefined {
    if (this.#unapplied === undefined) return undefined;
    const { pending, resourceVersion } = this.#sources.applied();
    // A list is applied in slices, when nothing else is queued; only its version shows that it is applied.
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

  /** Records that the stream has caught up: until the cache has its changes up to `version`, it is as old as before. */
  #caughtUp(version: string): void {
    this.#latest = '';
    if (version === '' || this.#sources.applied().pending === 0) return;
    this.#unapplied = { version, provenAt: this.provenAt, listedAt: this.#unapplied?.listedAt };
  }

  #refute(by: RefutedBy): void {
    // A list or an event also refutes weaker contradictions, but only a reported version refutes that the server cannot
    // report one.
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
    // If it is still full, the oldest marks stay, because they are needed.
    if (this.#marks.length < MAX_MARKS) this.#marks.push({ at, version });
  }

  /** Time of the oldest unapplied change, at most a second too early. */
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
