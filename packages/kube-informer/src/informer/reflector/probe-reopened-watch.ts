import { untilAborted } from '../../core/async/abort.ts';
import { KubeError, errorMessageOf } from '../../core/errors.ts';
import type { ListOptions } from '../../core/object/list-options.ts';
import { isOlder, isPlaceInHistory } from '../../core/object/resource-version.ts';
import { isTooLargeResourceVersion } from '../../core/status.ts';
import type { ReflectorContext } from './reflector-context.ts';
import type { WatchSession } from './watch-session.ts';

/** Delay before probing a reopened watch. Most deliver an event, or fail, sooner. */
const PROBE_AFTER_MS = 1_000;
/** Maximum pause between two tries of a probe that failed. */
const MAX_PAUSE_MS = 60_000;

/**
 * Checks that the server behind a reopened watch has reached the version of the watch.
 *
 * kube-apiserver accepts a watch at a version it has not reached (a lagging
 * replica, a storage restored from an older backup) and sends nothing, possibly for
 * hours. The same server refuses a one-item list "not older than" that version
 * within seconds. So one small list tells a quiet watch from a blind one.
 */
export async function probeReopenedWatch<T>(context: ReflectorContext<T>, session: WatchSession<T>): Promise<void> {
  const { env } = context.options;
  let pauseMs = PROBE_AFTER_MS;
  for (;;) {
    await env.sleep(pauseMs, session.signal);
    if (session.signal.aborted) return;
    if (await context.isForeign(session.signal)) {
      return session.interrupt(new KubeError('CONTINUITY_LOST', 'the address now leads to another cluster'));
    }
    // An accepted event shows that the server has reached the version.
    if (session.accepted > 0 || session.signal.aborted || (await probeOnce(context, session))) return;
    pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
  }
}

/** Whether the probe has a result, good or bad. Any other error than "too large resource version" is no result. */
async function probeOnce<T>(context: ReflectorContext<T>, session: WatchSession<T>): Promise<boolean> {
  const { source } = context.options;
  const at = session.openedWith.resourceVersion ?? '';
  // Where versions cannot be compared, a response shows at least that the server is reachable.
  const comparable = context.versions.ordered && isPlaceInHistory(at);
  const options: ListOptions = comparable
    ? { limit: 1, resourceVersion: at, resourceVersionMatch: 'NotOlderThan' }
    : { limit: 1 };
  try {
    const response = await untilAborted((async () => source.list(options, session.signal))(), session.signal, 'probe');
    if (comparable && isOlder(response.metadata?.resourceVersion, at)) {
      session.interrupt(new KubeError('STALE_SERVER', `the server returned a state older than ${at}`));
      return true;
    }
    session.probed = true;
    context.contact();
    return true;
  } catch (error) {
    if (session.signal.aborted) return true;
    if (!isTooLargeResourceVersion(error)) {
      context.log('debug', 'the probe of the reopened watch failed; it is retried', {
        error: errorMessageOf(error),
      });
      return false;
    }
    const message = `the server has not reached version ${at}, from which the watch was opened`;
    session.interrupt(new KubeError('STALE_SERVER', message, { cause: error }));
    return true;
  }
}
