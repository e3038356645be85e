import { untilAborted } from '../../core/async/abort.ts';
import { KubeError, messageOf } from '../../core/errors.ts';
import type { ListOptions } from '../../core/object/list-options.ts';
import { isOlder, isPlaceInHistory } from '../../core/object/resource-version.ts';
import { isTooLargeResourceVersion } from '../../core/status.ts';
import type { ReflectorContext } from './reflector-context.ts';
import type { WatchSession } from './watch-session.ts';

/** Most reopened watches show life, or fail, within this time and need no probe. */
const PROBE_AFTER_MS = 1_000;
/** Between two tries of a probe that got no answer. */
const MOST_PAUSE_MS = 60_000;

/**
 * Makes sure that a reopened watch can see.
 *
 * kube-apiserver accepts a watch at a version it has not reached (a lagging
 * replica, a storage restored from an older backup) and stays silent, for hours
 * if need be. The same server refuses a one-item list "not older than" that
 * version within seconds. So one small list tells a quiet watch from a blind one.
 */
export async function probeReopenedWatch<T>(context: ReflectorContext<T>, session: WatchSession<T>): Promise<void> {
  const { env } = context.options;
  let pauseMs = PROBE_AFTER_MS;
  for (;;) {
    await env.sleep(pauseMs, session.signal);
    if (session.signal.aborted) return;
    if (await context.isForeign(session.signal)) {
      return session.interrupt(new KubeError('CONTINUITY_LOST', 'another cluster answers under this address'));
    }
    // An event newer than where we started is proof enough.
    if (session.accepted > 0 || session.signal.aborted || (await probeOnce(context, session))) return;
    pauseMs = Math.min(pauseMs * 2, MOST_PAUSE_MS);
  }
}

/** Whether the question was settled, one way or the other. An error settles nothing: it is no word about the watch. */
async function probeOnce<T>(context: ReflectorContext<T>, session: WatchSession<T>): Promise<boolean> {
  const { source } = context.options;
  const at = session.openedWith.resourceVersion ?? '';
  // Where versions cannot be compared, an answer is at least a sign of life.
  const comparable = context.versions.ordered && isPlaceInHistory(at);
  const options: ListOptions = comparable
    ? { limit: 1, resourceVersion: at, resourceVersionMatch: 'NotOlderThan' }
    : { limit: 1 };
  try {
    const answer = await untilAborted((async () => source.list(options, session.signal))(), session.signal, 'probe');
    if (comparable && isOlder(answer.metadata?.resourceVersion, at)) {
      session.interrupt(new KubeError('STALE_SERVER', `the server answered with a state older than ${at}`));
      return true;
    }
    session.probed = true;
    context.contact();
    return true;
  } catch (error) {
    if (session.signal.aborted) return true;
    if (!isTooLargeResourceVersion(error)) {
      context.log('debug', 'the reopened watch could not be probed; it will be tried again', {
        error: messageOf(error),
      });
      return false;
    }
    const message = `the server has not reached version ${at}, at which the watch stands`;
    session.interrupt(new KubeError('STALE_SERVER', message, { cause: error }));
    return true;
  }
}
