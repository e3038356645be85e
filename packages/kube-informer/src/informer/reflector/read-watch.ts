import { hasCode, KubeError, errorMessageOf } from '../../core/errors.ts';
import { isOlder, isVersionPlaceInHistory } from '../../core/object/resource-version.ts';
import { unreadableCause } from '../../core/object/unreadable.ts';
import { readEvent } from '../list-watch/event-reader.ts';
import type { Ending } from './decide.ts';
import type { ReflectorContext } from './reflector-context.ts';
import type { WatchSession } from './watch-session.ts';

/**
 * Reads one watch to its end and gives its events to the sink. The version to resume from advances after the
 * sink has the change.
 *
 * An event shows that the stream delivers and that the server is current. A bookmark shows only the first for
 * certain: a server that is cut off from its storage sends bookmarks too, so its version decides about the
 * second.
 */
export async function readWatch<T>(context: ReflectorContext<T>, session: WatchSession<T>): Promise<Ending> {
  const { sink, access, expected, env, metrics } = context.options;
  const { versions, book, path } = context;
  const report = (message: string, fields: Record<string, unknown>): void => context.log('error', message, fields);
  const { resourceVersion: openedAt = '', sendInitialEvents } = session.openedWith;
  // Synthetic adds of a watch from "any state" arrive in no order; none has a version to resume from.
  let ordered = sendInitialEvents === true || isVersionPlaceInHistory(openedAt);
  for (;;) {
    const full = sink.room?.();
    if (full !== undefined) {
      book.paused(path.clock.read());
      await session.orInterrupted(full);
      book.paused(undefined);
    }
    let next;
    try {
      // Most events come with others, in one chunk: they need no promise.
      next = session.take() ?? (await session.next());
    } catch (error) {
      return { kind: 'failed', error };
    }
    if (next.done === true) {
      return next.value === undefined ? { kind: 'closed' } : { kind: 'interrupted', error: next.value.reason };
    }
    try {
      const event = readEvent(next.value, access, expected, report);
      if (event === undefined) continue;
      const now = env.now();
      if (ordered && versions.isStale(event.resourceVersion)) {
        metrics.staleEvents.inc();
        if (event.type === 'BOOKMARK') {
          // The server itself reports that it is behind the version from which the watch was opened.
          if (isOlder(event.resourceVersion, openedAt)) throw watchBehindError(event, openedAt);
        } else if (versions.disproves(event.resourceVersion)) {
          versions.disproved();
          const message = `a new event at version ${event.resourceVersion} followed one at ${versions.high}`;
          return { kind: 'interrupted', error: new KubeError('CONTINUITY_LOST', message) };
        }
        if (event.type === 'DELETED') sink.deleteIfHeld?.(event.object);
        continue;
      }
      if (event.type !== 'ADDED') ordered = true;
      giveWatchToSink(context, event);
      if (ordered) {
        versions.advance(event.resourceVersion);
        sink.updateResourceVersion?.(event.resourceVersion);
        context.advanced();
      }
      session.accepted += 1;
      if (event.type === 'BOOKMARK') session.bookmarkAt = now;
      if (context.heard(event.resourceVersion, now, event.type === 'BOOKMARK')) session.heardAt = now;
    } catch (error) {
      return { kind: 'bad-event', error };
    }
  }
}

/** Gives one event to the sink. An error of the sink is logged; an object without a key ends the watch. */
function giveWatchToSink<T>(
  context: ReflectorContext<T>,
  { type, object, resourceVersion }: { type: string; object: T; resourceVersion: string },
): void {
  const { sink } = context.options;
  try {
    const unreadable = type === 'DELETED' || sink.keepsUnreadable === true ? undefined : unreadableCause(object);
    if (unreadable !== undefined) throw unreadable;
    if (type === 'ADDED') sink.add(object);
    else if (type === 'MODIFIED') sink.update(object);
    else if (type === 'DELETED') sink.delete(object);
    else {
      context.server.sentBookmark();
      sink.bookmark?.(resourceVersion);
    }
    context.versionless?.eventReceived(type, object);
  } catch (error) {
    if (hasCode(error, 'INVALID_KEY')) throw error;
    context.log('error', 'an event could not be stored', {
      event: type,
      resourceVersion,
      error: errorMessageOf(error),
    });
  }
}

function watchBehindError({ resourceVersion }: { resourceVersion: string }, openedAt: string): KubeError {
  const message = `the server sent a bookmark at version ${resourceVersion}, older than ${openedAt}, from which the watch was opened`;
  return new KubeError('STALE_SERVER', message);
}
