import { RetryWithDeadline } from '../../core/async/backoff.ts';
import { KubeError, errorMessageOf, hasCode } from '../../core/errors.ts';
import { isExpired, isInternalError } from '../../core/status.ts';
import { decide, type Ending, MAX_FAILING_MS } from './decide.ts';
import { pollServer } from './polling.ts';
import { readWatch } from './read-watch.ts';
import type { ReflectorContext } from './reflector-context.ts';
import { StreamCheck } from './stream-check.ts';
import { probeVersionlessWatch } from './versionless.ts';
import type { WatchSession } from './watch-session.ts';
import { witnessAnswersFromCache } from './witness.ts';

/**
 * Watches, and reopens the watch or polls, for as long as the history can be continued; `decide` chooses what
 * follows the end of a watch. Returns when a relist is needed, throws when the server refuses.
 */
export async function followWatchLoop<T>(
  context: ReflectorContext<T>,
  handedOver: WatchSession<T> | undefined,
  maxInternalErrorRetryMs: number,
  signal: AbortSignal,
): Promise<void> {
  const { env } = context.options;
  const internal = new RetryWithDeadline(env, isInternalError, maxInternalErrorRetryMs);
  let session = handedOver;
  while (!signal.aborted) {
    if (context.polling !== undefined) {
      session?.close();
      const proved = await pollServer(context, context.polling, signal);
      if (proved === 'relist') return;
      context.stopPolling();
      session = proved;
    }
    const current = session ?? context.openLongWatch(signal);
    session = undefined;
    const ending = await attendWatch(context, current);
    if (signal.aborted) return;
    if (ending.kind === 'closed') context.log('debug', 'the watch closed', { events: current.accepted });
    const error = ending.kind === 'closed' ? quietWatchError(env.now() - current.startedAt) : ending.error;
    const isInternal = ending.kind === 'bad-event' && isInternalError(error) && maxInternalErrorRetryMs > 0;
    if (isInternal) internal.after(error);
    const now = context.path.clock.read();
    const opened = current.accepted > 0 || current.progress?.opened;
    context.waits.watched(opened === true);
    if (current.accepted > 0 || current.isAnswered) context.waits.current();
    const { next, streak } = decide(
      {
        ending,
        livedMs: env.now() - current.startedAt,
        heard: current.accepted > 0,
        onlyListed: current.accepted === current.listed?.events,
        opened,
        answered: current.isAnswered,
        forgotten: current.isForgotten,
        internalRetry: !isInternal ? 'none' : internal.shouldRetry() ? 'open' : 'over',
        listsWork: await listsWorkWithoutWatch(context, now, signal),
        now,
      },
      context.streak,
    );
    context.streak = streak;
    switch (next.do) {
      case 'throw':
        throw error;
      case 'relist':
        // A server that is behind would respond from its cache, which is in doubt: the request must go to its storage.
        if (hasCode(error, 'STALE_SERVER')) context.versions.unavailable = true;
        return reportWatchGap(context, error);
      case 'poll':
        context.startPolling(error);
        break;
      case 'wait':
        if (ending.kind === 'closed') context.options.metrics.shortWatches.inc();
        context.log('debug', 'the watch failed and is resumed', { error: errorMessageOf(error) });
        await context.wait(error, signal);
        break;
      case 'reopen':
        if (ending.kind !== 'closed') {
          const level = hasCode(error, 'WATCH_ENDED') || hasCode(error, 'WATCH_DEAF') ? 'info' : 'debug';
          context.log(level, 'the watch is reopened', { because: errorMessageOf(error) });
          // The events it withheld exist: until one arrives, the cache is known to be behind.
          if (hasCode(error, 'WATCH_DEAF')) context.contradicted(error, 'event');
          else if (level === 'info') context.failed(error);
          else context.noteProblem(error);
        }
        if (next.pauseMs > 0) await env.sleep(next.pauseMs, signal);
    }
  }
  session?.close();
}

/** Whether lists work although no watch could be opened for some time. Checked only in that case. */
async function listsWorkWithoutWatch<T>(
  context: ReflectorContext<T>,
  now: number,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const { failingSince } = context.streak;
  if (failingSince === undefined || now - failingSince < MAX_FAILING_MS) return undefined;
  return witnessAnswersFromCache(context, signal);
}

/** Why a watch that was closed normally is not simply reopened. */
function quietWatchError(livedMs: number): KubeError {
  return livedMs < 1_000
    ? new KubeError('WATCH_ENDED', 'very short watch: it closed within a second and without events')
    : new KubeError(
        'STALE_SERVER',
        'neither an event nor an answer showed that the server has reached the version of the watches',
      );
}

function reportWatchGap<T>(context: ReflectorContext<T>, error: unknown): void {
  // An expired history is part of normal operation.
  if (isExpired(error)) context.noteProblem(error);
  else context.failed(error);
  const level = isExpired(error) ? 'debug' : 'warn';
  context.log(level, 'the watch cannot be resumed; relisting', { because: errorMessageOf(error) });
}

/** Reads one watch to its end, with its checks, and closes it on every way out. */
async function attendWatch<T>(context: ReflectorContext<T>, session: WatchSession<T>): Promise<Ending> {
  const { env, metrics } = context.options;
  context.state = { kind: 'watching', resourceVersion: context.versions.last };
  context.attend(session);
  // Events of a streaming list were counted in its own step.
  const before = session.accepted;
  const count = (): number => session.accepted - before;
  const end = context.timeline.begin('watch', { resourceVersion: context.versions.last, count });
  // A check that fails for a reason that nobody foresaw ends the watch, never the process.
  const failed = (error: unknown): void => session.interrupt(error);
  const check = new StreamCheck(context, session).run().catch(failed);
  const { versionless } = context;
  const second =
    versionless === undefined ? undefined : probeVersionlessWatch(context, session, versionless).catch(failed);
  try {
    const ending = await readWatch(context, session);
    const because = ending.kind === 'closed' ? 'the server ended it' : errorMessageOf(ending.error);
    end({ because, failed: ending.kind !== 'closed' });
    return ending;
  } finally {
    context.attend(undefined);
    session.close();
    await Promise.all([check, second]);
    const { events: listed, endedAt: watchedFrom } = session.listed ?? { events: 0, endedAt: session.startedAt };
    metrics.watchDuration.observe((env.now() - watchedFrom) / 1_000);
    metrics.itemsPerWatch.observe(session.accepted - listed);
  }
}
