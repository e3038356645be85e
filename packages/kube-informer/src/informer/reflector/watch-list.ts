import { linkedAbort } from '../../core/async/abort.ts';
import { hasCode, KubeError, errorMessageOf } from '../../core/errors.ts';
import type { Key, KeyFn } from '../../core/object/key.ts';
import {
  isConnectionRefused,
  isBadRequest,
  isExpired,
  isInvalid,
  isTooLargeResourceVersion,
  isTooManyRequests,
  isUnparsableVersion,
  retryAfterOf,
} from '../../core/status.ts';
import { Trace } from '../../core/trace.ts';
import { readEvent } from '../list-watch/event-reader.ts';
import { MarkerDeadline } from '../list-watch/marker-deadline.ts';
import type { ReflectorContext } from './reflector-context.ts';
import { watchListVersion } from './versions.ts';
import { isWatchConnectionCut } from './watch-error.ts';
import type { WatchSession } from './watch-session.ts';
import { askWitnessForVersion, currentVersionOfWitness } from './witness.ts';

/** Minimum duration of a list, with all its retries, for its trace to be logged. */
export const SLOW_LIST_MS = 10_000;
/** Interval between two warnings about a missing end marker. */
const WARN_EVERY_MS = 10_000;
/** A stream whose response has not begun by then may be held back on the path. */
const HELD_BACK_MS = 3_000;
/** Maximum number of streams without an end marker before a plain list is used. */
const MAX_TRIES = 3;

export interface WatchListOptions<T> {
  readonly key: KeyFn<T>;
  /** Maximum wait for the next new object or the end marker. */
  readonly markerTimeoutMs: number;
  /** Accepts the complete initial state. When it rejects, a plain list is tried. */
  readonly accept: (list: StreamedList<T>) => Promise<void>;
}

export interface StreamedList<T> {
  readonly items: T[];
  readonly resourceVersion: string;
  /** The minimum version requested; empty for the newest. */
  readonly askedFor: string;
  /** Time of the request, on the ElapsedClock. */
  readonly askedAt: number;
}

/** `session`: the initial state is accepted and the watch is open. `list`: use a plain list, this time or for good, or poll. */
export type WatchListOutcome<T> =
  | { readonly use: 'session'; readonly session: WatchSession<T> }
  | { readonly use: 'list'; readonly next: 'list' | 'list-for-good' | 'poll'; readonly error: unknown }
  | { readonly use: 'stopped' };

/**
 * Fetches the initial state as a streaming list: one watch that first sends all
 * objects, then a bookmark with the end marker, and then the changes.
 *
 * Objects before the marker are collected aside, so a stream that breaks changes
 * nothing. A deadline detects a server that never sends the marker.
 */
export async function watchList<T>(
  context: ReflectorContext<T>,
  options: WatchListOptions<T>,
  signal: AbortSignal,
): Promise<WatchListOutcome<T>> {
  const { env, name, metrics } = context.options;
  const trace = new Trace(env, 'Reflector WatchList', { reflector: name });
  for (let tries = 1; !signal.aborted; tries += 1) {
    const askedFor = watchListVersion(context.versions.high, context.versions.unavailable);
    context.state = { kind: 'listing', received: 0 };
    metrics.lists.inc();
    const askedAt = context.path.clock.read();
    const session = context.openWatch(
      {
        ...(askedFor === '' ? {} : { resourceVersion: askedFor }),
        resourceVersionMatch: 'NotOlderThan',
        sendInitialEvents: true,
        allowWatchBookmarks: true,
        timeoutSeconds: context.timeoutSeconds(),
      },
      signal,
    );
    const received = (): number => (context.state.kind === 'listing' ? context.state.received : 0);
    const end = context.timeline.begin('stream', { count: received });
    try {
      const { items, resourceVersion } = await collectWatchListState(context, session, options);
      end({ objects: items.length, resourceVersion });
      session.listed = { events: session.accepted, endedAt: env.now() };
      metrics.listDuration.observe((env.now() - session.startedAt) / 1_000);
      metrics.itemsPerList.observe(items.length);
      trace.step(`objects streamed (${items.length})`);
      context.log('debug', 'the end marker of the initial list arrived', {
        objects: items.length,
        ms: env.now() - session.startedAt,
      });
      await options.accept({ items, resourceVersion, askedFor, askedAt });
      // The end marker came on this stream, so it delivers. Its state is as old as the request, however long the list
      // took.
      if (context.heard(resourceVersion, env.now(), true)) session.heardAt = env.now();
      trace.step('sync done');
      trace.logIfLong(SLOW_LIST_MS);
      return { use: 'session', session };
    } catch (error) {
      session.close();
      end({ because: errorMessageOf(error), failed: true });
      trace.step(`failed (${errorMessageOf(error)})`);
      if (signal.aborted) break;
      const { isInterrupted: isOverdue, accepted } = session;
      const next = judgeFailedWatchList({ error, tries, isOverdue, accepted, askedFor });
      if (next === 'list' || next === 'list-for-good' || next === 'poll') {
        context.log('warn', 'the streaming list failed; using a plain list', {
          error: errorMessageOf(error),
          forGood: next === 'list-for-good',
        });
        // Retry-After applies to the plain list too.
        if (retryAfterOf(error) === undefined) context.noteProblem(error);
        else await context.wait(error, signal);
        trace.logIfLong(SLOW_LIST_MS);
        return { use: 'list', next, error };
      }
      context.log('debug', 'the streaming list failed; retrying', { error: errorMessageOf(error) });
      if (next === 'newest') context.versions.unavailable = true;
      else if (next === 'patient') tries -= 1;
      // A request for the newest state is a different one, which has not failed yet.
      if (next === 'newest' && retryAfterOf(error) === undefined) {
        context.failed(error);
        continue;
      }
      context.waits.watched(session.accepted > 0);
      await context.wait(error, signal);
    }
  }
  return { use: 'stopped' };
}

/** A streaming list that failed. */
export interface FailedWatchList {
  readonly error: unknown;
  /** Number of tries so far, including this one. */
  readonly tries: number;
  /** Whether the wait for the list was given up. */
  readonly isOverdue: boolean;
  /** Number of events that it delivered. */
  readonly accepted: number;
  /** The minimum version requested; empty for the newest. */
  readonly askedFor: string;
}

/**
 * Decides what follows a streaming list that failed. The first matching row counts:
 *
 * ```
 *  held back on the path (buffering)                     poll           and a plain list first
 *  refused connection, 429                               patient        wait, without counting the try: a list would fail, too
 *  expired, too large, not understood, server behind     newest         request the newest state
 *    although the newest was requested                   list           its cache does not reach the storage; a list does
 *  no end marker in time; 400 and 422                    list-for-good
 *  ended without its marker: first, second / third time  again / list-for-good
 *  cut after some events: first, second / third time     again / list
 *  anything else                                         list
 * ```
 *
 * Pure.
 */
export function judgeFailedWatchList(
  failed: FailedWatchList,
): 'patient' | 'newest' | 'again' | 'list' | 'list-for-good' | 'poll' {
  const { error, tries, isOverdue, accepted, askedFor } = failed;
  if (hasCode(error, 'WATCH_BUFFERED')) return 'poll';
  if (isConnectionRefused(error) || isTooManyRequests(error)) return 'patient';
  if (
    isExpired(error) ||
    isTooLargeResourceVersion(error) ||
    isUnparsableVersion(error) ||
    hasCode(error, 'STALE_SERVER')
  )
    return askedFor === '' ? 'list' : 'newest';
  if (isOverdue || isInvalid(error) || isBadRequest(error)) return 'list-for-good';
  if (hasCode(error, 'WATCH_LIST')) return tries < MAX_TRIES ? 'again' : 'list-for-good';
  // The stream worked until the connection was cut: a plain list would not work better.
  if (isWatchConnectionCut(error) && accepted > 0 && tries < MAX_TRIES) return 'again';
  return 'list';
}

interface Collected<T> {
  readonly items: T[];
  readonly resourceVersion: string;
}

async function collectWatchListState<T>(
  context: ReflectorContext<T>,
  session: WatchSession<T>,
  options: WatchListOptions<T>,
): Promise<Collected<T>> {
  // The watch stays open after the marker; the deadline must not.
  const waiting = linkedAbort(session.signal);
  try {
    return await collectWatchListUntilMarker(context, session, options, waiting.signal);
  } finally {
    waiting.abort();
  }
}

async function collectWatchListUntilMarker<T>(
  context: ReflectorContext<T>,
  session: WatchSession<T>,
  options: WatchListOptions<T>,
  waiting: AbortSignal,
): Promise<Collected<T>> {
  const { env, access, expected, sink } = context.options;
  const { key: keyOf, markerTimeoutMs } = options;
  const collected = new Map<Key, T>();
  const deadline = new MarkerDeadline(session.startedAt, markerTimeoutMs);
  let any = false;
  let lastEventAt = session.startedAt;
  let warnedAt = session.startedAt;
  const watchdog = session.watchdog(
    () => Math.min(deadline.at, warnedAt + WARN_EVERY_MS) - env.now(),
    () => {
      const now = env.now();
      if (now - warnedAt >= WARN_EVERY_MS) {
        warnedAt = now;
        const quietMs = now - lastEventAt;
        if (!any)
          context.log('warn', 'still waiting for the first event of the initial list', {
            waitedMs: now - session.startedAt,
          });
        else if (quietMs >= WARN_EVERY_MS)
          context.log('warn', 'still waiting for the end marker of the initial list', { lastEventAgoMs: quietMs });
      }
      if (now < deadline.at) return undefined;
      const seconds = Math.round((now - session.startedAt) / 1_000);
      return new KubeError(
        'WATCH_LIST',
        `no end marker within ${seconds} s: the server does not support streaming lists`,
      );
    },
    waiting,
  );
  watchdog.catch(() => {}); // the watchdog never rejects
  const nothingYet = (): boolean => !any;
  void interruptHeldWatchList(context, session, nothingYet, waiting).then(async () => {
    // A list that takes so long may be large, or one without a marker that is followed by changes.
    await env.sleep(Math.max(0, session.startedAt + markerTimeoutMs - env.now()), waiting);
    if (any && !waiting.aborted) deadline.serverHas(await currentVersionOfWitness(context, waiting));
  });
  const report = (message: string, fields: Record<string, unknown>): void => context.log('error', message, fields);
  for (;;) {
    const next = session.take() ?? (await session.next());
    if (next.done === true) {
      if (next.value !== undefined) throw next.value.reason;
      throw new KubeError('WATCH_LIST', 'the streaming list ended without its end marker');
    }
    const event = readEvent(next.value, access, expected, report);
    if (event === undefined) continue;
    any = true;
    session.accepted += 1;
    lastEventAt = env.now();
    if (event.type === 'BOOKMARK') {
      // Only an ordinary bookmark shows that this server sends them.
      if (!event.marker) {
        context.server.sentBookmark();
        continue;
      }
      // Only the marker has a version to resume from: the initial objects arrive in no order.
      return { items: [...collected.values()], resourceVersion: event.resourceVersion };
    }
    const key = keyOf(event.object);
    deadline.received(event.type, event.resourceVersion, collected.has(key), lastEventAt);
    if (event.type === 'DELETED') collected.delete(key);
    else collected.set(key, sink.recall?.(event.object) ?? event.object);
    context.state = { kind: 'listing', received: collected.size };
  }
}

/**
 * A streaming list that has sent nothing for some seconds may be held back on the path forever. An echo shows
 * that at once; for other reasons there is the deadline of the end marker.
 */
async function interruptHeldWatchList<T>(
  context: ReflectorContext<T>,
  session: WatchSession<T>,
  nothingYet: () => boolean,
  waiting: AbortSignal,
): Promise<void> {
  await context.options.env.sleep(HELD_BACK_MS, waiting);
  if (waiting.aborted || !nothingYet() || session.progress?.opened === true) return;
  const verdict = await askWitnessForVersion(context, { signal: waiting, openedWith: session.openedWith });
  if (waiting.aborted || !nothingYet() || verdict.kind !== 'guilty') return;
  if (hasCode(verdict.error, 'WATCH_BUFFERED')) session.interrupt(verdict.error);
}
