import type { WatchOptions } from 'kube-informer/core';
import type { Frame, Stream } from './stream.ts';

/**
 * The purpose of a request. A `witness` is a short watch beside a long one; a `poll` is a short watch instead of one.
 */
export type Purpose = 'list' | 'page' | 'probe' | 'audit' | 'watch-list' | 'watch' | 'poll' | 'witness' | 'echo';

/** Callbacks about the traffic. */
export interface Traffic {
  requested(purpose: Purpose, options: WatchOptions): void;
  /** A 429 requested a pause. */
  askedToWait(ms: number): void;
  /** A watch ended in a way that must not be followed by the next one at once. */
  needsPause(ms: number): void;
  delivered(frame: Frame, stream: Stream): void;
  /** The server ended a stream. */
  ended(stream: Stream): void;
  /** A list or a page was answered, at `version`. */
  answered(purpose: Purpose, version: number): void;
  /** A list failed, or a fault of the seed made any request fail or come late. */
  failed(): void;
  /** A request for the newest state got an older one than the client had seen. */
  wentBack(): void;
}
