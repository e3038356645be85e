import { linkedAbort } from '../../core/async/abort.ts';
import { hasCode, KubeError, messageOf } from '../../core/errors.ts';
import type { Key, KeyFn } from '../../core/object/key.ts';
import {
  isConnectionRefused,
  isBadRequest,
  isExpired,
  isInvalid,
  isTooLargeResourceVersion,
  isTooManyRequests,
  retryAfterOf,
} from '../../core/status.ts';
import { Trace } from '../../core/trace.ts';
import { readEvent } from '../list-watch/event-reader.ts';
import type { ReflectorContext } from './reflector-context.ts';
import { watchListVersion } from './versions.ts';
import { isConnectionCut } from './watch-error.ts';
import type { WatchSession } from './watch-session.ts';

/** A list that takes longer, all its tries together, is traced. */
export const SLOW_LIST_MS = 10_000;
/** How often a wait for the end marker is mentioned. */
const WARN_EVERY_MS = 10_000;
/** New objects may keep the wait alive, but not for ever: a busy resource always has new objects. */
const MOST_WAITS = 10;
/** Streams that end without the marker before a plain list is tried. */
const MOST_TRIES = 3;

export interface WatchListOptions<T> {
  readonly key: KeyFn<T>;
  /** Longest wait for the next new object or the end marker. */
  readonly markerTimeoutMs: number;
  /** Takes the complete initial state; a failure means: try a plain list. */
  readonly accept: (items: T[], resourceVersion: string, askedFor: string) => Promise<void>;
}

/** `session`: the initial state is in place and the stream goes on. `list`: use a plain list, this once or for good. */
export type WatchListOutcome<T> =
  | { readonly use: 'session'; readonly session: WatchSession<T> }
  | { readonly use: 'list'; readonly forGood: boolean }
  | { readonly use: 'stopped' };

/**
 * The initial state as a stream: one watch that first sends everything, then a
 * bookmark that says so, and then goes on as the watch.
 *
 * Everything before the marker is collected aside; a stream that breaks leaves
 * no trace. A server that never sends the marker is found out by a deadline.
 */
export async function watchList<T>(
  context: ReflectorContext<T>,
  options: WatchListOptions<T>,
  signal: AbortSignal,
): Promise<WatchListOutcome<T>> {
  const { env, name } = context.options;
  const trace = new Trace(env, 'Reflector WatchList', { reflector: name });
  for (let tries = 1; !signal.aborted; tries += 1) {
    const askedFor = watchListVersion(context.versions.high, context.versions.unavailable);
    context.state = { kind: 'listing', received: 0 };
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
      const { items, resourceVersion } = await collectInitialState(context, session, options);
      end({ objects: items.length, resourceVersion });
      trace.step(`objects streamed (${items.length})`);
      context.log('debug', 'the end marker of the initial list arrived', {
        objects: items.length,
        ms: env.now() - session.startedAt,
      });
      await options.accept(items, resourceVersion, askedFor);
      trace.step('sync done');
      trace.logIfLong(SLOW_LIST_MS);
      return { use: 'session', session };
    } catch (error) {
      session.close();
      end({ because: messageOf(error), failed: true });
      trace.step(`failed (${messageOf(error)})`);
      if (signal.aborted) break;
      const next = judgeFailedStream(error, tries, session);
      if (next === 'list' || next === 'list-for-good') {
        context.log('warn', 'the streaming list did not work; using a plain list', {
          error: messageOf(error),
          forGood: next === 'list-for-good',
        });
        // A server that names a time means it, whatever it is asked next.
        if (retryAfterOf(error) === undefined) context.noteProblem(error);
        else await context.wait(error, signal);
        trace.logIfLong(SLOW_LIST_MS);
        return { use: 'list', forGood: next === 'list-for-good' };
      }
      if (next === 'newest') context.versions.unavailable = true;
      else if (next === 'patient') tries -= 1;
      context.log('debug', 'the streaming list is tried again', { error: messageOf(error) });
      await context.wait(error, signal);
    }
  }
  return { use: 'stopped' };
}

/** What a failed try means. `patient`: nobody is at home or all are busy; a plain list would fare no better. */
function judgeFailedStream(
  error: unknown,
  tries: number,
  { isInterrupted: overdue, accepted }: Pick<WatchSession<unknown>, 'isInterrupted' | 'accepted'>,
): 'patient' | 'newest' | 'again' | 'list' | 'list-for-good' {
  if (isConnectionRefused(error) || isTooManyRequests(error)) return 'patient';
  if (isExpired(error) || isTooLargeResourceVersion(error) || hasCode(error, 'STALE_SERVER'))
    return tries < MOST_TRIES ? 'newest' : 'list';
  if (overdue || isInvalid(error) || isBadRequest(error)) return 'list-for-good';
  if (hasCode(error, 'WATCH_LIST')) return tries < MOST_TRIES ? 'again' : 'list-for-good';
  // The stream worked until the network cut it: there is nothing a plain list could do better.
  if (isConnectionCut(error) && accepted > 0 && tries < MOST_TRIES) return 'again';
  return 'list';
}

interface Collected<T> {
  readonly items: T[];
  readonly resourceVersion: string;
}

async function collectInitialState<T>(
  context: ReflectorContext<T>,
  session: WatchSession<T>,
  options: WatchListOptions<T>,
): Promise<Collected<T>> {
  // The stream lives on after the marker; its deadline must not.
  const waiting = linkedAbort(session.signal);
  try {
    return await collectUntilMarker(context, session, options, waiting.signal);
  } finally {
    waiting.abort();
  }
}

async function collectUntilMarker<T>(
  context: ReflectorContext<T>,
  session: WatchSession<T>,
  options: WatchListOptions<T>,
  waiting: AbortSignal,
): Promise<Collected<T>> {
  const { env, access, expected, sink } = context.options;
  const { key: keyOf, markerTimeoutMs } = options;
  const collected = new Map<Key, T>();
  let newestAt = session.startedAt;
  let any = false;
  let warnedAt = session.startedAt;
  const deadline = (): number => Math.min(newestAt + markerTimeoutMs, session.startedAt + MOST_WAITS * markerTimeoutMs);
  const watchdog = session.watchdog(
    () => Math.min(deadline(), warnedAt + WARN_EVERY_MS) - env.now(),
    () => {
      const now = env.now();
      if (now - warnedAt >= WARN_EVERY_MS) {
        warnedAt = now;
        const quietMs = now - session.lastEventAt;
        if (!any)
          context.log('warn', 'still waiting for the first event of the initial list', {
            waitedMs: now - session.startedAt,
          });
        else if (quietMs >= WARN_EVERY_MS)
          context.log('warn', 'still waiting for the end marker of the initial list', { lastEventAgoMs: quietMs });
      }
      if (now < deadline()) return undefined;
      const seconds = Math.round((now - session.startedAt) / 1_000);
      return new KubeError(
        'WATCH_LIST',
        `no end marker within ${seconds} s: the server does not support streaming lists`,
      );
    },
    waiting,
  );
  watchdog.catch(() => {}); // it only sleeps and looks; there is nothing to fail
  const report = (message: string, fields: Record<string, unknown>): void => context.log('error', message, fields);
  for (;;) {
    const next = await session.next();
    if (next.kind === 'interrupted') throw next.reason;
    if (next.kind === 'end') throw new KubeError('WATCH_LIST', 'the streaming list ended without its end marker');
    const event = readEvent(next.event, access, expected, report);
    if (event === undefined) continue;
    any = true;
    session.accepted += 1;
    session.lastEventAt = env.now();
    if (event.type === 'BOOKMARK') {
      // The marker says nothing about bookmarks to come; an ordinary one does.
      context.bookmarksSeen ||= !event.marker;
      if (!event.marker) continue;
      // Only the marker has a version to go on from: the initial objects come in no order.
      return { items: [...collected.values()], resourceVersion: event.resourceVersion };
    }
    const key = keyOf(event.object);
    if (event.type === 'DELETED') collected.delete(key);
    else {
      if (!collected.has(key)) newestAt = env.now();
      collected.set(key, sink.recall?.(event.object) ?? event.object);
    }
    context.state = { kind: 'listing', received: collected.size };
  }
}
