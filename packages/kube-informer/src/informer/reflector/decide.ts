import { hasCode } from '../../core/errors.ts';
import {
  isExpired,
  isInternalError,
  isRefusalStatus,
  isTooLargeResourceVersion,
  isTooManyRequests,
  isUnparsableVersion,
  statusOf,
} from '../../core/status.ts';
import { isOutsideWatchError, isWatchConnectionCut } from './watch-error.ts';

/** How a watch ended. `interrupted`: by a check of ours, or by a stop. */
export type Ending =
  | { readonly kind: 'closed' }
  | { readonly kind: 'failed' | 'bad-event' | 'interrupted'; readonly error: unknown };

export interface EndedWatch {
  readonly ending: Ending;
  readonly livedMs: number;
  /** Whether the response began. Undefined where the source cannot tell. */
  readonly opened: boolean | undefined;
  /** Whether the watch delivered an event, or a bookmark with a newer version. */
  readonly heard: boolean;
  /** Whether it delivered only the list that it began with, which shows that lists work. */
  readonly onlyListed?: boolean;
  /** Whether the server confirmed that it has reached the version from which the watch was opened. */
  readonly answered: boolean;
  /** Whether the server no longer has the changes since its last event. */
  readonly forgotten: boolean;
  /** The window in which internal errors are retried: not used, open, or over. */
  readonly internalRetry: 'none' | 'open' | 'over';
  /** Whether a small list succeeded while watches failed. Undefined when it was not tried. */
  readonly listsWork: boolean | undefined;
  /** Current time on the ElapsedClock. */
  readonly now: number;
}

/** Facts that the last watches have in common. Cleared by a watch that delivers, never by another request. */
export interface Streak {
  /** Number of consecutive watches that ended early, or with an error, and delivered nothing. */
  readonly barren: number;
  /** Number of consecutive watches that ended within a second. */
  readonly hasty: number;
  /** Number of consecutive servers that were behind the cache. */
  readonly behind: number;
  /** Number of consecutive quiet watches without a confirmation by the server: each may have withheld events. */
  readonly unseen: number;
  /** Number of consecutive watches that were closed because they were silent. */
  readonly silent: number;
  /** Time at which a watch was last found to withhold events. Not reset by watches that deliver. */
  readonly deafAt: number | undefined;
  /** Start of the time in which no watch could be opened. */
  readonly failingSince: number | undefined;
}

export const NO_STREAK: Streak = {
  barren: 0,
  hasty: 0,
  behind: 0,
  unseen: 0,
  silent: 0,
  deafAt: undefined,
  failingSince: undefined,
};

export type Next =
  | { readonly do: 'reopen'; readonly pauseMs: number }
  | { readonly do: 'wait' | 'relist' | 'poll' | 'throw' };

/** A clean end within this time, without an event, is followed by a pause. */
const SHORT_WATCH_MS = 1_000;
/** A connection that lasted this long worked: it is reopened at once, however it ended. Load balancers cut idle ones. */
const MIN_HEALTHY_MS = 5_000;
/** After this many watches that ended within a second, the next one starts when the second is over. */
const MAX_HASTY = 3;
const MAX_BARREN = 3;
const MAX_BEHIND = 2;
/** After this many consecutive silent watches, watches are taken not to work here. */
const MAX_SILENT = 3;
/** A second watch that withholds events within this time shows that the path does it, not the watch. */
const DEAF_AGAIN_MS = 10 * 60_000;
/** When no watch could be opened for this long although lists work, the server is polled. */
export const MAX_FAILING_MS = 30_000;

/**
 * Decides what follows the end of a watch. The first matching row counts:
 *
 * ```
 *  held back on the path (buffering)             poll
 *  withheld events: first time / again           reopen / poll
 *  silent: first, second / third time            reopen / poll
 *    the server lost its history: the same     relist / poll
 *  server behind: first time / again             wait, reopen / relist
 *  expired, unreadable, version not understood   relist
 *  interrupted for another reason                relist
 *  429                                           wait, reopen
 *  refused (other 4xx)                           throw
 *  closed, quiet and unanswered, third time      relist
 *  closed after a second, or with events         reopen
 *  closed at once: first, second / third time    wait, reopen / relist
 *  cut after 5 s, or with events                 reopen
 *  network, TLS, 5xx: for 30 s while lists work  poll
 *                     cut a third time           relist
 *                     otherwise                  wait, reopen
 *  internal error: retry window open / over      wait, reopen / relist
 *  anything else: first, second / third time     wait, reopen / relist
 * ```
 *
 * Pure. `wait` is the backoff, or Retry-After if that is longer.
 */
export function decide(watch: EndedWatch, before: Streak): { readonly next: Next; readonly streak: Streak } {
  const { ending, livedMs, heard, now } = watch;
  const { hasty, deafAt } = before;
  // A list at the beginning of a watch shows that lists work. A response to an echo shows that the server works, not
  // that the watch does.
  const { failingSince: failedBefore, silent } = watch.onlyListed === true ? before : NO_STREAK;
  const streak = heard
    ? { ...NO_STREAK, hasty, deafAt, silent, failingSince: failedBefore }
    : watch.answered
      ? { ...before, behind: 0, unseen: 0 }
      : before;
  const is = (next: 'wait' | 'relist' | 'poll' | 'throw', after: Streak = streak): ReturnType<typeof decide> => ({
    next: { do: next },
    streak: after,
  });
  const reopen = (after: Streak = streak): ReturnType<typeof decide> => {
    const hasty = livedMs < SHORT_WATCH_MS ? after.hasty + 1 : 0;
    const pauseMs = hasty >= MAX_HASTY ? SHORT_WATCH_MS - livedMs : 0;
    return { next: { do: 'reopen', pauseMs }, streak: { ...after, hasty } };
  };
  const barren = ({ failingSince } = streak): ReturnType<typeof decide> => {
    const after = { ...streak, failingSince, barren: streak.barren + 1 };
    return after.barren >= MAX_BARREN ? is('relist', { ...NO_STREAK, failingSince }) : is('wait', after);
  };

  if (ending.kind === 'closed') {
    if (!heard && livedMs < SHORT_WATCH_MS) return barren();
    const unseen = heard || watch.answered ? 0 : streak.unseen + 1;
    const after = { ...streak, barren: 0, unseen, failingSince: undefined };
    return unseen >= MAX_BARREN ? is('relist', NO_STREAK) : reopen(after);
  }
  const { error } = ending;
  if (hasCode(error, 'WATCH_BUFFERED')) return is('poll');
  if (hasCode(error, 'WATCH_DEAF')) {
    const again = streak.deafAt !== undefined && now - streak.deafAt <= DEAF_AGAIN_MS;
    const after = { ...streak, deafAt: now };
    return again ? is('poll', after) : reopen(after);
  }
  if (ending.kind === 'interrupted' && hasCode(error, 'WATCH_ENDED')) {
    const silent = streak.silent + 1;
    if (silent >= MAX_SILENT) return is('poll', { ...streak, silent: 0 });
    return watch.forgotten ? is('relist', { ...NO_STREAK, silent }) : reopen({ ...streak, silent });
  }
  if (hasCode(error, 'STALE_SERVER')) {
    const behind = streak.behind + 1;
    return behind >= MAX_BEHIND ? is('relist', { ...streak, behind: 0 }) : is('wait', { ...streak, behind });
  }
  // A watch that was never opened is a failure to open it, whichever side gave up waiting.
  const isFailed = ending.kind === 'failed' || (ending.kind === 'interrupted' && hasCode(error, 'TRANSPORT'));
  if ((ending.kind === 'interrupted' && !isFailed) || isLostToReflector(error)) return is('relist', NO_STREAK);
  if (isTooManyRequests(error)) return is('wait');
  if (isRefusalStatus(error)) return is('throw');
  if (isFailed && isWatchConnectionCut(error) && watch.opened !== false && (heard || livedMs >= MIN_HEALTHY_MS)) {
    return reopen({ ...streak, failingSince: failedBefore });
  }
  if (isFailed && isOutsideWatchError(error)) {
    const failingSince = streak.failingSince ?? (watch.opened === false ? now - livedMs : now);
    const after = { ...streak, failingSince };
    if (watch.listsWork === true && now - failingSince >= MAX_FAILING_MS) return is('poll', after);
    // The server responds: a list can return what its watches cannot deliver.
    return isWatchConnectionCut(error) && watch.opened === true ? barren(after) : is('wait', after);
  }
  if (isInternalError(error) && watch.internalRetry !== 'none') {
    return watch.internalRetry === 'open' ? is('wait') : is('relist', NO_STREAK);
  }
  return barren();
}

/** Whether the history cannot be continued from the requested version. */
function isLostToReflector(error: unknown): boolean {
  return (
    isExpired(error) || isTooLargeResourceVersion(error) || isUnparsableVersion(error) || isUnreadableToReflector(error)
  );
}

/** Whether the server could not read an object of the watch from its storage. Only a relist shows the remaining objects. */
function isUnreadableToReflector(error: unknown): boolean {
  const { reason, message = '' } = statusOf(error) ?? {};
  // PrevKv=nil: a delete whose last state was compacted away; this error has no reason.
  return reason === 'StorageReadError' || reason === 'StoreReadError' || message.includes('PrevKv=nil');
}
