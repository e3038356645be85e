import { KubeError, errorMessageOf } from '../../core/errors.ts';
import { compareVersions, isOlder, isOrdered, isPlaceInHistory } from '../../core/object/resource-version.ts';
import { isExpired, isRefusal, isTooLargeResourceVersion } from '../../core/status.ts';
import { askEcho, type Echo, isEchoUnsupported, withinSeconds } from '../freshness/echo.ts';
import { readEvent } from '../list-watch/event-reader.ts';
import type { ReflectorContext } from './reflector-context.ts';
import { WatchSession } from './watch-session.ts';

/** Lifetime of the short watch beside a stream in doubt. Servers send a bookmark one to three seconds before the end. */
const WITNESS_SECONDS = 4;
/** How long a short watch may take longer than its lifetime. */
const GRACE_MS = 2_000;
/** An event that the short watch brought may be on its way on the stream, too. */
const MIN_HEAD_START_MS = 1_000;

/** What the server says about a stream. */
export type Verdict =
  /** The server has nothing newer than the stream has delivered. */
  | { readonly kind: 'current' }
  /** The server has moved on to `version`; the stream may have nothing to deliver all the same. */
  | { readonly kind: 'moved'; readonly version: string; readonly isFromList?: boolean }
  | { readonly kind: 'undecided' }
  /** The stream cannot be trusted: it withholds events, the way buffers, or the server is behind. */
  | { readonly kind: 'guilty'; readonly error: KubeError; readonly version?: string }
  | { readonly kind: 'failed'; readonly error: unknown };

/** Asks for the server's current version and compares it with what the stream has delivered. */
export async function askForVersion<T>(
  context: ReflectorContext<T>,
  session: Pick<WatchSession<T>, 'signal' | 'openedWith'>,
): Promise<Verdict> {
  const { versions, path, options } = context;
  let askedAt = options.env.now();
  let echo: Echo;
  try {
    echo = await echoOf(context, session.signal);
    // Once more: an event loop that was blocked reads an answer and its end together.
    if (echo.delivery === 'buffers') {
      askedAt = options.env.now();
      echo = await echoOf(context, session.signal);
    }
  } catch (error) {
    return session.signal.aborted ? { kind: 'undecided' } : whyUnanswered(context, error, session.signal);
  }
  context.answered(echo.version, askedAt);
  if (echo.delivery !== undefined) {
    path.found(echo.delivery);
    // A server that can answer so sends bookmarks.
    context.server.allowedEcho();
    context.server.sentBookmark();
  }
  if (echo.delivery === 'buffers') return { kind: 'guilty', error: bufferedError(), version: echo.version };
  const order = versions.ordered ? compareVersions(echo.version, versions.last) : undefined;
  if (order === undefined) return { kind: 'moved', version: '' };
  context.server.told(echo.version);
  if (order > 0) return { kind: 'moved', version: echo.version, isFromList: echo.delivery === undefined };
  const openedAt = session.openedWith.resourceVersion ?? '';
  if (!isOlder(echo.version, openedAt)) return { kind: 'current' };
  const message = `the server is at version ${echo.version}, older than ${openedAt}, from which the watch was opened`;
  return { kind: 'guilty', error: new KubeError('STALE_SERVER', message) };
}

/**
 * Finds out whether the server has anything that the stream withholds. The current version tells it if nothing has moved;
 * otherwise a short watch from the same place does: it must show that version itself, or nothing can be concluded from
 * its being empty.
 */
export async function findWitness<T>(context: ReflectorContext<T>, session: WatchSession<T>): Promise<Verdict> {
  const asked = await askForVersion(context, session);
  if (asked.kind !== 'moved') return asked;
  const { env } = context.options;
  const from = context.versions.last;
  if (!isPlaceInHistory(from)) return { kind: 'current' };
  const before = session.accepted;
  const found = await shortWatch(context, from, asked.version, session.signal);
  if (session.signal.aborted) return { kind: 'undecided' };
  // Too old to ask for: the stream may be right, but only a list can tell.
  if (isExpired(found.error)) return { kind: 'guilty', error: found.error as KubeError };
  if (found.error !== undefined) return { kind: 'failed', error: found.error };
  if (found.events > 0) {
    await env.sleep(MIN_HEAD_START_MS, session.signal);
    // Only events count: a bookmark of the short watch is none that the stream owes.
    const delivered = isOrdered(found.newestEvent)
      ? !isOlder(context.versions.last, found.newestEvent)
      : session.accepted > before;
    return delivered ? { kind: 'current' } : { kind: 'guilty', error: deafError(found.events) };
  }
  // A server without bookmarks shows no version. It was asked just now, so its cache has reached the version, and it ended
  // the watch itself.
  if (!found.isClosed) return { kind: 'failed', error: unendedError() };
  // Unlike an echo, a list does not move the cache of the server on, so its watch may end below the version of the list.
  if (asked.version === '' || asked.isFromList === true || context.server.isBookmarkless) return { kind: 'current' };
  if (!isOlder(found.reached, asked.version)) return { kind: 'current' };
  // Another replica than the one that answered: it may show what the server had some time ago.
  context.book.reached(found.reached);
  return { kind: 'undecided' };
}

async function echoOf<T>(context: ReflectorContext<T>, signal: AbortSignal): Promise<Echo> {
  const { source, env } = context.options;
  if (!context.server.allowsEcho) return askEcho({ list: source.list, watch: source.watch }, env, signal);
  try {
    return await askEcho(source, env, signal);
  } catch (error) {
    if (source.echo === undefined || signal.aborted || !isEchoUnsupported(error)) throw error;
    context.log('debug', 'the server allows no echo; a list of one object is used', { error: errorMessageOf(error) });
    context.server.refusedEcho();
    return askEcho({ list: source.list, watch: source.watch }, env, signal);
  }
}

/** The server did not tell its version. If it still lists from its cache, it is cut off from its storage. */
async function whyUnanswered<T>(context: ReflectorContext<T>, error: unknown, signal: AbortSignal): Promise<Verdict> {
  if (isTooLargeResourceVersion(error)) {
    return { kind: 'guilty', error: new KubeError('STALE_SERVER', errorMessageOf(error), { cause: error }) };
  }
  if (isRefusal(error) || context.server.didNotAnswer() < 2 || !(await answersFromCache(context, signal)))
    return { kind: 'failed', error };
  const message = `the server answers from its cache, but cannot tell its current version: ${errorMessageOf(error)}`;
  return { kind: 'failed', error: new KubeError('STALE_SERVER', message, { cause: error }) };
}

/** Whether a list that any cached state can answer works. */
export async function answersFromCache<T>({ options }: ReflectorContext<T>, signal: AbortSignal): Promise<boolean> {
  try {
    const { source, env } = options;
    await withinSeconds(env, signal, 'answer a list', async (until) =>
      source.list({ limit: 1, resourceVersion: '0' }, until),
    );
    return true;
  } catch {
    return false;
  }
}

interface Found {
  readonly events: number;
  /** The version of the last event. */
  readonly newestEvent: string;
  /** It is complete: the server ended it, or nothing more was needed. */
  readonly isClosed: boolean;
  /** The newest version it showed. */
  readonly reached: string;
  readonly error?: unknown;
}

/** Watches from `from` for a few seconds, or until it is clear that there is nothing up to `target`. */
async function shortWatch<T>(
  context: ReflectorContext<T>,
  from: string,
  target: string,
  signal: AbortSignal,
): Promise<Found> {
  const { source, env, access, expected } = context.options;
  const query = { resourceVersion: from, timeoutSeconds: WITNESS_SECONDS, allowWatchBookmarks: true };
  const session = new WatchSession(source, query, signal, env);
  void env
    .sleep(WITNESS_SECONDS * 1_000 + GRACE_MS, session.signal)
    .then(() => session.interrupt(new KubeError('WATCH_ENDED', 'the short watch is over')));
  let events = 0;
  let newestEvent = '';
  let reached = from;
  try {
    for (;;) {
      const next = await session.next();
      if (next.done === true) return { events, newestEvent, reached, isClosed: next.value === undefined };
      const event = readEvent(next.value, access, expected, () => {});
      if (event === undefined || isOlder(event.resourceVersion, from)) continue;
      if (event.type === 'BOOKMARK') context.server.sentBookmark();
      else {
        events += 1;
        newestEvent = event.resourceVersion;
      }
      reached = event.resourceVersion;
      const order = compareVersions(reached, target);
      if (events === 0 && order !== undefined && order >= 0) return { events, newestEvent, reached, isClosed: true };
    }
  } catch (error) {
    return { events, newestEvent, reached, error, isClosed: false };
  } finally {
    session.close();
  }
}

function unendedError(): KubeError {
  return new KubeError('TRANSPORT', 'a short watch beside the stream was not ended by the server');
}

export function bufferedError(): KubeError {
  return new KubeError(
    'WATCH_BUFFERED',
    'watches are held back on the way to the server until they end, probably by a proxy; changes are polled. Switch ' +
      'buffering off for this path (nginx: proxy_buffering off)',
  );
}

function deafError(events: number): KubeError {
  return new KubeError('WATCH_DEAF', `the watch withheld ${events} events that the server sent to another watch`);
}
