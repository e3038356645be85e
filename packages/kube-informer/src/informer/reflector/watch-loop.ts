import { RetryWithDeadline } from '../../core/async/backoff.ts';
import { hasCode, KubeError, errorMessageOf } from '../../core/errors.ts';
import { isPlaceInHistory } from '../../core/object/resource-version.ts';
import {
  isExpired,
  isInternalError,
  isRefusal,
  isTooLargeResourceVersion,
  isTooManyRequests,
  statusOf,
} from '../../core/status.ts';
import { probeReopenedWatch } from './probe-reopened-watch.ts';
import { readEvent } from '../list-watch/event-reader.ts';
import type { ReflectorContext } from './reflector-context.ts';
import { probeVersionlessWatch } from './versionless.ts';
import { isWatchConnectionCut, isOutsideWatchError } from './watch-error.ts';
import type { WatchSession } from './watch-session.ts';

/** A watch that ends sooner than this without an event is followed by a pause. */
const SHORT_WATCH_MS = 1_000;
/** Maximum number of consecutive watches that may end within a second before the next one waits out the second. */
const MAX_HASTY = 3;
/** Maximum number of consecutive watches without an event before continuity counts as lost. */
const MAX_BARREN = 3;
/** Maximum time without an event on a server that sends a bookmark every minute; its watch cache keeps 75 s of history. */
const MAX_SILENCE_MS = 75_000;

type Ending =
  | { readonly kind: 'closed' }
  | { readonly kind: 'failed' | 'bad-event' | 'interrupted'; readonly error: unknown };

/**
 * Watches, and reopens the watch, for as long as it can be resumed.
 *
 *   closed normally, or cut ─────► reopen at once, same version
 *   network, 5xx, 429, too short ─► wait, reopen, same version
 *   no event, 3 × in a row        ┐
 *   expired, behind, interrupted  ┴► return: the caller relists
 *   refused (4xx) ────────────────► throw
 */
export async function followWatchLoop<T>(
  context: ReflectorContext<T>,
  handedOver: WatchSession<T> | undefined,
  maxInternalErrorRetryMs: number,
  signal: AbortSignal,
): Promise<void> {
  const { env, metrics } = context.options;
  const internal = new RetryWithDeadline(env, isInternalError, maxInternalErrorRetryMs);
  let session = handedOver;
  let barren = 0;
  let behind = 0;
  let unseen = 0;
  let hasty = 0;
  for (let reopened = false; ; reopened = true) {
    if (signal.aborted) return session?.close();
    const current = session ?? openWatchForLoop(context, signal);
    session = undefined;
    const ending = await attendWatchLoop(context, current, reopened);
    metrics.watchDuration.observe((env.now() - current.startedAt) / 1_000);
    metrics.itemsPerWatch.observe(current.accepted);
    if (signal.aborted) return;
    const sees = current.accepted > 0 || current.probed;
    if (sees) {
      behind = 0;
      unseen = 0;
    }
    // A probe shows that the server works, not that the watch does: one that fails later has still delivered nothing.
    if (current.accepted > 0) barren = 0;
    const livedMs = env.now() - current.startedAt;
    // With or without events: a server that ends every watch at once gets at most one request per second.
    const takeTime = async (): Promise<void> => {
      hasty = livedMs < SHORT_WATCH_MS ? hasty + 1 : 0;
      if (hasty >= MAX_HASTY) await env.sleep(SHORT_WATCH_MS - livedMs, signal);
    };
    if (ending.kind === 'closed') {
      context.log('debug', 'the watch closed', { events: current.accepted });
      if (current.accepted > 0 || livedMs >= SHORT_WATCH_MS) {
        barren = 0;
        await takeTime();
        // No event, and closed before the result of its probe: a blind watch looks the same.
        if (reopened && !sees) unseen += 1;
        if (unseen < MAX_BARREN) continue;
        return reportWatchLoopGap(
          context,
          new KubeError(
            'STALE_SERVER',
            'neither an event nor a probe showed that the server has reached the version of the reopened watches',
          ),
        );
      }
      metrics.shortWatches.inc();
      barren += 1;
      const short = new KubeError('WATCH_ENDED', 'very short watch: it closed within a second and without events');
      if (barren >= MAX_BARREN) return reportWatchLoopGap(context, short);
      await context.wait(short, signal);
      continue;
    }
    const { error } = ending;
    // Opening a watch is retried without a limit; only errors of an open watch use up the retry window.
    if (ending.kind === 'bad-event') internal.after(error);
    if (ending.kind === 'interrupted' && hasCode(error, 'WATCH_ENDED')) {
      // Silent or overdue: the connection may be dead, the version to resume from is not.
      context.log('info', 'the watch is reopened', { because: errorMessageOf(error) });
      context.noteProblem(error);
      continue;
    }
    if (hasCode(error, 'STALE_SERVER')) {
      behind += 1;
      // A new connection may lead to a replica that is not behind.
      if (behind >= 2) return reportWatchLoopGap(context, error);
      await context.wait(error, signal);
      continue;
    }
    if (
      ending.kind === 'interrupted' ||
      isExpired(error) ||
      isTooLargeResourceVersion(error) ||
      isLoopStorageUnreadable(error)
    ) {
      return reportWatchLoopGap(context, error);
    }
    if (isRefusal(error)) throw error;
    if (ending.kind === 'failed' && current.accepted > 0 && isWatchConnectionCut(error)) {
      // It worked until the connection was cut; reopening shows at once whether the server is reachable.
      context.log('debug', 'the watch was cut and is resumed', { error: errorMessageOf(error) });
      context.noteProblem(error);
      await takeTime();
      continue;
    }
    const unlimited =
      isTooManyRequests(error) ||
      (ending.kind === 'failed' ? isOutsideWatchError(error) : isInternalError(error) && internal.shouldRetry());
    if (!unlimited) {
      barren += 1;
      if (barren >= MAX_BARREN) return reportWatchLoopGap(context, error);
    }
    context.log('debug', 'the watch failed and is resumed', { error: errorMessageOf(error) });
    await context.wait(error, signal);
  }
}

function openWatchForLoop<T>(context: ReflectorContext<T>, signal: AbortSignal): WatchSession<T> {
  return context.openWatch(
    { resourceVersion: context.versions.last, timeoutSeconds: context.timeoutSeconds(), allowWatchBookmarks: true },
    signal,
  );
}

/** Whether the server could not read an object of the watch from its storage. Only a relist shows the remaining objects. */
function isLoopStorageUnreadable(error: unknown): boolean {
  const { reason, message = '' } = statusOf(error) ?? {};
  // PrevKv=nil: a delete whose last state was compacted away; this error has no reason.
  return reason === 'StorageReadError' || reason === 'StoreReadError' || message.includes('PrevKv=nil');
}

function reportWatchLoopGap<T>(context: ReflectorContext<T>, error: unknown): void {
  context.noteProblem(error);
  const level = isExpired(error) ? 'debug' : 'warn';
  context.log(level, 'the watch cannot be resumed; relisting', { because: errorMessageOf(error) });
}

/** Reads one watch to its end, with watchdog and probes, and closes it on every way out. */
async function attendWatchLoop<T>(
  context: ReflectorContext<T>,
  session: WatchSession<T>,
  reopened: boolean,
): Promise<Ending> {
  const { env } = context.options;
  context.state = { kind: 'watching', resourceVersion: context.versions.last };
  context.attend(session);
  // Events of a streaming list were counted in its own step.
  const before = session.accepted;
  const count = (): number => session.accepted - before;
  const end = context.timeline.begin('watch', { resourceVersion: context.versions.last, count });
  const silence = (): number =>
    context.bookmarksSeen ? session.lastEventAt + MAX_SILENCE_MS : Number.POSITIVE_INFINITY;
  const watchdog = session.watchdog(
    // Also before the first bookmark, which may arrive while the watchdog sleeps.
    () => Math.min(session.deadlineAt - env.now(), silence() - env.now(), MAX_SILENCE_MS),
    () => {
      const now = env.now();
      if (now >= session.deadlineAt) return new KubeError('WATCH_ENDED', 'the watch stayed open past its deadline');
      if (now >= silence())
        return new KubeError('WATCH_ENDED', 'the watch received nothing, although this server sends bookmarks');
      return undefined;
    },
  );
  const probe = reopened ? probeReopenedWatch(context, session) : Promise.resolve();
  const { versionless } = context;
  const check = versionless === undefined ? undefined : probeVersionlessWatch(context, session, versionless);
  try {
    const ending = await readWatchLoopToEnd(context, session);
    const failed = ending.kind !== 'closed';
    end({ because: failed ? errorMessageOf(ending.error) : 'the server ended it', failed });
    return ending;
  } finally {
    context.attend(undefined);
    session.close();
    await Promise.all([watchdog, probe, check]);
  }
}

async function readWatchLoopToEnd<T>(context: ReflectorContext<T>, session: WatchSession<T>): Promise<Ending> {
  const { sink, access, expected, env, metrics } = context.options;
  const { versions } = context;
  const report = (message: string, fields: Record<string, unknown>): void => context.log('error', message, fields);
  const { resourceVersion: openedAt = '', sendInitialEvents } = session.openedWith;
  // Synthetic adds of a watch from "any state" arrive in no order; none has a version to resume from.
  let ordered = sendInitialEvents === true || isPlaceInHistory(openedAt);
  for (;;) {
    const full = sink.room?.();
    if (full !== undefined) {
      context.noteProblem(
        new KubeError('STALE_CACHE', 'too many changes wait to be applied; the watch is paused until there is room'),
      );
      await session.orInterrupted(full);
      // Nothing was read meanwhile, so the pause is not silence of the server.
      session.lastEventAt = env.now();
    }
    let next;
    try {
      next = await session.next();
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
      session.lastEventAt = now;
      if (ordered && versions.isStale(event.resourceVersion)) {
        metrics.staleEvents.inc();
        continue;
      }
      if (event.type !== 'ADDED') ordered = true;
      handWatchLoopToSink(context, event);
      if (ordered) {
        versions.advance(event.resourceVersion);
        sink.updateResourceVersion?.(event.resourceVersion);
        context.advanced();
      }
      session.accepted += 1;
      context.contact(now);
    } catch (error) {
      return { kind: 'bad-event', error };
    }
  }
}

/** Gives one event to the sink. An error of the sink is logged; an object without a key ends the watch. */
function handWatchLoopToSink<T>(
  context: ReflectorContext<T>,
  { type, object, resourceVersion }: { type: string; object: T; resourceVersion: string },
): void {
  const { sink } = context.options;
  try {
    if (type === 'ADDED') sink.add(object);
    else if (type === 'MODIFIED') sink.update(object);
    else if (type === 'DELETED') sink.delete(object);
    else {
      context.bookmarksSeen = true;
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
