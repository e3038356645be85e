import { KubeError, errorMessageOf } from '../../core/errors.ts';
import {
  compareVersions,
  isOlder,
  isOrderedVersion,
  isVersionPlaceInHistory,
  newerVersion,
} from '../../core/object/resource-version.ts';
import { isExpired, isRefusalStatus, isTooLargeResourceVersion } from '../../core/status.ts';
import { askEcho, type Echo, isEchoUnsupported, echoWithinSeconds, SECOND_ECHO_SECONDS } from '../freshness/echo.ts';
import { readEvent } from '../list-watch/event-reader.ts';
import type { ReflectorContext } from './reflector-context.ts';
import { WatchSession } from './watch-session.ts';

/** Lifetime of the short watch beside a stream in doubt. Servers send a bookmark one to three seconds before the end. */
const WITNESS_SECONDS = 4;
/** Maximum time that a short watch may take beyond its lifetime. */
const GRACE_MS = 2_000;
/** Minimum lead of an event of the short watch that counts as withheld: it may still be on its way on the stream. */
const MIN_HEAD_START_MS = 1_000;

/** Minimum interval between lists that check a version below the cache's, where versions have no order. */
const MAX_UNORDERED_MS = 5 * 60_000;

/** The server's judgement about a stream. */
export type Verdict =
  /** The server had nothing newer at `askedAt` than the stream has delivered. */
  | { readonly kind: 'current'; readonly askedAt: number }
  /** The server has reached `version`, although the stream may still have nothing to deliver. */
  | { readonly kind: 'moved'; readonly version: string; readonly askedAt: number; readonly isFromList?: boolean }
  | { readonly kind: 'undecided' }
  /** The stream cannot be trusted: it withholds events, the path buffers, or the server is behind. */
  | { readonly kind: 'guilty'; readonly error: KubeError; readonly version?: string }
  | { readonly kind: 'failed'; readonly error: unknown };

/** The server's current version, and what was known when it was requested. */
interface Answer {
  readonly echo: Echo;
  /**
   * Time of the request, on the ElapsedClock. A response counts as of this time: the process may have been
   * suspended before reading it.
   */
  readonly askedAt: number;
  /** The versions that the streams had delivered before the request: later events may be newer than the response. */
  readonly before: string;
  /** Whether the version came from a list, because a watch gave no response. */
  readonly isDetour?: boolean;
}

/** Requests the server's current version and compares it with what the stream has delivered. */
export async function askWitnessForVersion<T>(
  context: ReflectorContext<T>,
  session: Pick<WatchSession<T>, 'signal' | 'openedWith'>,
): Promise<Verdict> {
  const { versions, path } = context;
  const answer = await askWitnessTwice(context, session.signal);
  if ('kind' in answer) return answer;
  const { echo, askedAt, before, isDetour } = answer;
  context.answered(echo.version, askedAt);
  if (echo.delivery !== undefined) {
    path.found(echo.delivery);
    // A server that responds to this sends bookmarks.
    context.server.allowedEcho();
    context.server.sentBookmark();
  }
  if (echo.delivery === 'buffers') return { kind: 'guilty', error: bufferedWitnessError(), version: echo.version };
  const order = compareVersions(echo.version, versions.last);
  const mustHave = newerVersion(session.openedWith.resourceVersion ?? '', before);
  const isBehind = isOlder(echo.version, mustHave);
  if (order === undefined || !versions.ordered) {
    // A watch from a version that the server has not reached is silent. Here that is a guess, which is checked with a
    // list.
    if (isBehind && context.sinceListMs >= MAX_UNORDERED_MS) return witnessBehindVerdict(echo.version, mustHave);
    return { kind: 'moved', version: '', askedAt };
  }
  context.server.reported(echo.version);
  if (echo.delivery !== undefined) context.server.echoed(echo.version, askedAt);
  const isFromList = echo.delivery === undefined && isDetour !== true;
  if (order > 0) return { kind: 'moved', version: echo.version, askedAt, isFromList };
  return isBehind ? witnessBehindVerdict(echo.version, mustHave) : { kind: 'current', askedAt };
}

/**
 * Finds out whether the server has anything that the stream withholds. If the current version has not
 * changed, it has nothing; otherwise a short watch from the same version shows it. That watch must reach the
 * current version itself, or its being empty proves nothing.
 *
 * With `recent`, a version that the server reported some seconds ago is used: the result is then as old as
 * that response.
 */
export async function findWitness<T>(
  context: ReflectorContext<T>,
  session: WatchSession<T>,
  recent = false,
): Promise<Verdict> {
  const asked = (recent ? movedRecently(context) : undefined) ?? (await askWitnessForVersion(context, session));
  if (asked.kind !== 'moved') return asked;
  const { env } = context.options;
  const current = { kind: 'current', askedAt: asked.askedAt } as const;
  const from = context.versions.last;
  if (!isVersionPlaceInHistory(from)) return current;
  const before = session.accepted;
  const found = await shortWitnessWatch(context, from, asked.version, session.signal);
  if (session.signal.aborted) return { kind: 'undecided' };
  // Too old to watch from: the stream may be correct, but only a list can show that. If the server sends bookmarks, one
  // should have advanced it.
  if (isExpired(found.error)) {
    session.isForgotten = true;
    const error = context.server.sendsBookmarks ? forgottenWitnessError() : (found.error as KubeError);
    return { kind: 'guilty', error };
  }
  if (found.error !== undefined) return { kind: 'failed', error: found.error };
  if (found.events > 0) {
    await env.sleep(MIN_HEAD_START_MS, session.signal);
    // Not `reached`: a short watch ends with a bookmark, for which the stream may have to wait a minute.
    const delivered = isOrderedVersion(found.lastEvent)
      ? !isOlder(context.versions.last, found.lastEvent)
      : session.accepted > before;
    return delivered ? current : { kind: 'guilty', error: deafWitnessError(found.events) };
  }
  // A server without bookmarks shows no version. It has just responded, so its cache has reached the version, and it
  // ended the watch itself.
  if (!found.isClosed) return { kind: 'failed', error: unendedWitnessError() };
  // Unlike an echo, a list does not make the server's cache catch up, so its watch may end below the version of the
  // list.
  if (asked.version === '' || asked.isFromList === true || context.server.isBookmarkless) return current;
  if (!isOlder(found.reached, asked.version)) return current;
  // Another replica than the one that responded: it may show an older state of the server.
  context.book.reached(found.reached);
  return { kind: 'undecided' };
}

/** The last echo, if it is recent and ahead of the stream. */
function movedRecently<T>({ server, path, versions }: ReflectorContext<T>): Verdict | undefined {
  const echo = server.recentEcho(path.clock.read());
  if (echo === undefined || !versions.ordered || !isOlder(versions.last, echo.version)) return undefined;
  return { kind: 'moved', version: echo.version, askedAt: echo.at };
}

/** The server's current version; empty when it reports none. */
export async function currentVersionOfWitness<T>(context: ReflectorContext<T>, signal: AbortSignal): Promise<string> {
  try {
    return (await witnessEcho(context, signal)).version;
  } catch {
    return '';
  }
}

async function askWitnessTwice<T>(context: ReflectorContext<T>, signal: AbortSignal): Promise<Answer | Verdict> {
  const ask = async (timeoutSeconds?: number): Promise<Answer> => {
    const [askedAt, before] = [context.path.clock.read(), context.versions.last];
    return { echo: await witnessEcho(context, signal, timeoutSeconds), askedAt, before };
  };
  try {
    const answer = await ask();
    // Once more: an event loop that was blocked reads an answer and its end together, and a busy server may answer late.
    return answer.echo.delivery === 'buffers' ? await ask(SECOND_ECHO_SECONDS) : answer;
  } catch (error) {
    return signal.aborted ? { kind: 'undecided' } : whyWitnessUnanswered(context, error, signal);
  }
}

async function witnessEcho<T>(
  context: ReflectorContext<T>,
  signal: AbortSignal,
  timeoutSeconds?: number,
): Promise<Echo> {
  const { source, env } = context.options;
  if (!context.server.allowsEcho) return askEcho({ list: source.list, watch: source.watch }, env, signal);
  try {
    return await askEcho(source, env, signal, timeoutSeconds);
  } catch (error) {
    if (source.echo === undefined || signal.aborted || !isEchoUnsupported(error)) throw error;
    context.log('debug', 'the server allows no echo; a list of one object is used', { error: errorMessageOf(error) });
    context.server.refusedEcho();
    return askEcho({ list: source.list, watch: source.watch }, env, signal);
  }
}

/**
 * Why the server did not report its version. If it still lists from its cache, it is cut off from its
 * storage, or only the path of watches is dead: a list of the newest state shows which.
 */
async function whyWitnessUnanswered<T>(
  context: ReflectorContext<T>,
  error: unknown,
  signal: AbortSignal,
): Promise<Answer | Verdict> {
  if (isTooLargeResourceVersion(error)) {
    return { kind: 'guilty', error: new KubeError('STALE_SERVER', errorMessageOf(error), { cause: error }) };
  }
  if (isRefusalStatus(error) || context.server.didNotAnswer() < 2 || !(await witnessAnswersFromCache(context, signal)))
    return { kind: 'failed', error };
  const { source, env } = context.options;
  const [askedAt, before] = [context.path.clock.read(), context.versions.last];
  try {
    // If the request was already a list, another one shows nothing more.
    if (source.echo !== undefined && context.server.allowsEcho) {
      const echo = await askEcho({ list: source.list, watch: source.watch }, env, signal);
      return { echo, askedAt, before, isDetour: true };
    }
  } catch {
    // The server is cut off.
  }
  const message = `the server responds from its cache, but cannot report its current version: ${errorMessageOf(error)}`;
  return { kind: 'failed', error: new KubeError('STALE_SERVER', message, { cause: error }) };
}

/** Whether a list from any cache of the server works. */
export async function witnessAnswersFromCache<T>(
  { options }: ReflectorContext<T>,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const { source, env } = options;
    await echoWithinSeconds(env, signal, 'answer a list', async (until) =>
      source.list({ limit: 1, resourceVersion: '0' }, until),
    );
    return true;
  } catch {
    return false;
  }
}

interface Found {
  readonly events: number;
  /** Whether the watch is complete: the server ended it, or nothing more was needed. */
  readonly isClosed: boolean;
  /** The newest version it delivered, in an event or a bookmark. */
  readonly reached: string;
  /** The version of its newest event. */
  readonly lastEvent: string;
  readonly error?: unknown;
}

/** Watches from `from` for a few seconds, or until it is clear that there is nothing up to `target`. */
async function shortWitnessWatch<T>(
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
  let reached = from;
  let lastEvent = '';
  try {
    for (;;) {
      const next = await session.next();
      if (next.done === true) return { events, reached, lastEvent, isClosed: next.value === undefined };
      const event = readEvent(next.value, access, expected, () => {});
      if (event === undefined || isOlder(event.resourceVersion, from)) continue;
      reached = event.resourceVersion;
      if (event.type === 'BOOKMARK') context.server.sentBookmark();
      else {
        events += 1;
        lastEvent = reached;
      }
      const order = compareVersions(reached, target);
      if (events === 0 && order !== undefined && order >= 0) return { events, reached, lastEvent, isClosed: true };
    }
  } catch (error) {
    return { events, reached, lastEvent, error, isClosed: false };
  } finally {
    session.close();
  }
}

function witnessBehindVerdict(version: string, mustHave: string): Verdict {
  const message = `the server is at version ${version}, older than ${mustHave}, which it has delivered before`;
  return { kind: 'guilty', error: new KubeError('STALE_SERVER', message) };
}

function unendedWitnessError(): KubeError {
  return new KubeError('TRANSPORT', 'the server did not end a short watch that checks the stream');
}

export function bufferedWitnessError(): KubeError {
  return new KubeError(
    'WATCH_BUFFERED',
    'watches are held back on the path to the server until they end, probably by a proxy; changes are polled. Switch ' +
      'buffering off for this path (nginx: proxy_buffering off)',
  );
}

/** The error of a watch that did not follow the history. Has no cause: an expired history alone is not a failure. */
function forgottenWitnessError(): KubeError {
  const message = 'the watch delivered nothing for so long that the server no longer has the changes since then';
  return new KubeError('WATCH_ENDED', message);
}

function deafWitnessError(events: number): KubeError {
  return new KubeError('WATCH_DEAF', `the watch withheld ${events} events that the server sent to another watch`);
}
