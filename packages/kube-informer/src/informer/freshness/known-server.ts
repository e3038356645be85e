import type { Env } from '../../core/env.ts';
import { isOlder } from '../../core/object/resource-version.ts';
import type { ReportedVersion } from './reported-versions.ts';

/** Time after which a server without a bookmark seems to send none: two should have come. */
const BOOKMARKLESS_MS = 125_000;
const MAX_REFUSALS = 2;
/** Time after which a refused request is sent again: the server may have been updated. */
const ASK_AGAIN_MS = 10 * 60_000;
/** Maximum age of an echo that need not be repeated. */
const RECENT_ECHO_MS = 8_000;

/**
 * Facts that a reflector has learned about its server: about how to send requests, never about the state of the cache.
 */
export class KnownServer {
  #bookmarks = false;
  #isBookmarkless = false;
  #missedSince: number | undefined;
  #reported = '';
  #echoed: ReportedVersion | undefined;
  #isBookmarkBehind = false;
  #refusals = 0;
  #refusedAt = 0;
  #unanswered = 0;
  readonly #env: Env;

  constructor(env: Env) {
    this.#env = env;
  }

  /** Whether the server has sent a bookmark other than the end marker of a list. */
  get sendsBookmarks(): boolean {
    return this.#bookmarks;
  }

  sentBookmark(): void {
    this.#bookmarks = true;
    this.#isBookmarkless = false;
    this.#missedSince = undefined;
  }

  /** Records that the server reported `version` as its current one. */
  reported(version: string): void {
    this.#reported = version;
  }

  /**
   * Records the response to an echo that was sent at `at`. Unlike a list, an echo makes the server's cache
   * catch up.
   */
  echoed(version: string, at: number): void {
    this.#echoed = { version, at };
  }

  /** The last echo, if it is recent enough for a check of a stream to use it instead of sending another one. */
  recentEcho(now: number): ReportedVersion | undefined {
    return this.#echoed !== undefined && now - this.#echoed.at <= RECENT_ECHO_MS ? this.#echoed : undefined;
  }

  /** Records a bookmark of a watch at `version`. Returns false if the server has reported a higher version before. */
  bookmarkReached(version: string): boolean {
    this.#isBookmarkBehind = isOlder(version, this.#reported);
    return !this.#isBookmarkBehind;
  }

  /**
   * Whether the last bookmark was below a version that the server had reported before: the server of the watch is behind, or
   * its storage sends no progress notifications.
   */
  get isBookmarkBehind(): boolean {
    return this.#isBookmarkBehind;
  }

  /** Records that the server is asked about the bookmark, which happens once for each. */
  askAboutBookmark(): void {
    this.#isBookmarkBehind = false;
  }

  /** Whether the server has sent no bookmark for so long that it seems to send none. */
  get isBookmarkless(): boolean {
    return this.#isBookmarkless;
  }

  /** Records that a watch ended without a bookmark that it should have sent. */
  sentNoBookmark(): void {
    const now = this.#env.now();
    this.#missedSince ??= now;
    this.#isBookmarkless = now - this.#missedSince >= BOOKMARKLESS_MS;
  }

  get allowsEcho(): boolean {
    return this.#refusals < MAX_REFUSALS || this.#env.now() - this.#refusedAt >= ASK_AGAIN_MS;
  }

  /**
   * Records a refused echo: no streaming lists, or no right to select objects by name. One refusal may be a fault, two
   * are not.
   */
  refusedEcho(): void {
    this.#refusals += 1;
    this.#refusedAt = this.#env.now();
  }

  allowedEcho(): void {
    this.#refusals = 0;
  }

  /** Records that the server did not report its current version. Returns how often in a row. */
  didNotAnswer(): number {
    this.#unanswered += 1;
    return this.#unanswered;
  }

  answered(): void {
    this.#unanswered = 0;
  }
}
