import type { Env } from '../../core/env.ts';
import { isOlder } from '../../core/object/resource-version.ts';
import type { ReportedVersion } from './reported-versions.ts';

/** Two bookmarks should have come in this time. */
const BOOKMARKLESS_MS = 125_000;
const MAX_REFUSALS = 2;
/** After this time a server that refused is asked again: it may have been updated. */
const ASK_AGAIN_MS = 10 * 60_000;
/** An echo this young need not be repeated. */
const RECENT_ECHO_MS = 8_000;

/** What a reflector has learned about its server. Each is a fact about how to ask, never about the state of the cache. */
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

  /** It has sent a bookmark other than the end marker of a list. */
  get sendsBookmarks(): boolean {
    return this.#bookmarks;
  }

  sentBookmark(): void {
    this.#bookmarks = true;
    this.#isBookmarkless = false;
    this.#missedSince = undefined;
  }

  /** It reported `version` as its current one. */
  reported(version: string): void {
    this.#reported = version;
  }

  /** It answered an echo that was asked at the time `at`. Unlike a list, that moves its cache on. */
  echoed(version: string, at: number): void {
    this.#echoed = { version, at };
  }

  /** The last echo, if it is so young that the next question about a stream need not begin with another one. */
  recentEcho(now: number): ReportedVersion | undefined {
    return this.#echoed !== undefined && now - this.#echoed.at <= RECENT_ECHO_MS ? this.#echoed : undefined;
  }

  /** A watch brought a bookmark at `version`. Returns whether that is not below the version that the server has reported. */
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

  /** The server is asked about it, once for each bookmark. */
  askAboutBookmark(): void {
    this.#isBookmarkBehind = false;
  }

  /** It has sent none for so long that it seems to have none. */
  get isBookmarkless(): boolean {
    return this.#isBookmarkless;
  }

  /** A watch ended without a bookmark that it should have brought. */
  sentNoBookmark(): void {
    const now = this.#env.now();
    this.#missedSince ??= now;
    this.#isBookmarkless = now - this.#missedSince >= BOOKMARKLESS_MS;
  }

  get allowsEcho(): boolean {
    return this.#refusals < MAX_REFUSALS || this.#env.now() - this.#refusedAt >= ASK_AGAIN_MS;
  }

  /** It does not support streaming lists, or the user may not select objects by name. One refusal may be a fault, two are not. */
  refusedEcho(): void {
    this.#refusals += 1;
    this.#refusedAt = this.#env.now();
  }

  allowedEcho(): void {
    this.#refusals = 0;
  }

  /** It did not report its current version. Returns how often in a row. */
  didNotAnswer(): number {
    this.#unanswered += 1;
    return this.#unanswered;
  }

  answered(): void {
    this.#unanswered = 0;
  }
}
