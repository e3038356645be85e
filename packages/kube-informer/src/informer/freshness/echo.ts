import { linkedAbort, untilAborted } from '../../core/async/abort.ts';
import type { Env } from '../../core/env.ts';
import { hasCode, KubeError } from '../../core/errors.ts';
import type { KubeObject } from '../../core/object/object.ts';
import { INITIAL_EVENTS_END, type WatchEvent } from '../../core/object/watch-event.ts';
import { isBadRequest, isForbidden, isInvalid, isNotFound, statusError } from '../../core/status.ts';
import { eventReaderVersion } from '../list-watch/event-reader.ts';
import type { ListWatch } from '../list-watch/list-watch.ts';
import type { Delivery } from './streaming-path.ts';

/** The server's current version, and how the path to the server delivered the response. */
export interface Echo {
  /** The server's version when the request was sent, or a later one. Empty if the server has none. */
  readonly version: string;
  /** Undefined when the request was a list, which tells nothing about streams. */
  readonly delivery: Delivery | undefined;
}

/** Lifetime requested for an echo. The server answers at once and ends the stream after this time. */
const ECHO_SECONDS = 1;
/**
 * The same for the second question, after an answer that came with its end. A server that is only slow answers it well before
 * its end; a way that buffers does not.
 */
export const SECOND_ECHO_SECONDS = 2;
/** An answer that comes this close to the end of its stream was held back until the end. */
const MIN_BEFORE_END_MS = 400;
/**
 * Maximum wait for a response. A server cut off from its storage responds with an error after its timeout, or
 * never.
 */
const ANSWER_TIMEOUT_MS = 5_000;

/**
 * Asks the server for its current version, by a streaming list of an object that does not exist: one bookmark
 * of 200 bytes. It takes the same path as a watch, so it also shows whether that path delivers streams.
 *
 * Sources and servers that cannot do that get a request for a list of one object instead. Rejects when there
 * is no response.
 */
export async function askEcho(
  source: ListWatch<unknown>,
  env: Env,
  signal: AbortSignal,
  timeoutSeconds: number = ECHO_SECONDS,
): Promise<Echo> {
  return echoWithinSeconds(env, signal, 'tell its current version', (until) =>
    source.echo === undefined ? echoByList(source, until) : echoByStream(source, env, until, timeoutSeconds),
  );
}

/** Rejects TRANSPORT when the server does not respond to a small request in time. */
export async function echoWithinSeconds<R>(
  env: Env,
  signal: AbortSignal,
  what: string,
  ask: (signal: AbortSignal) => Promise<R>,
): Promise<R> {
  const deadline = linkedAbort(signal);
  void env.sleep(ANSWER_TIMEOUT_MS, deadline.signal).then(() => deadline.abort());
  try {
    return await untilAborted(ask(deadline.signal), deadline.signal, what);
  } catch (error) {
    if (signal.aborted || !deadline.signal.aborted) throw error;
    throw new KubeError('TRANSPORT', `the server did not ${what} within ${ANSWER_TIMEOUT_MS / 1_000} s`);
  } finally {
    deadline.abort();
  }
}

/** Whether the server, or the user's permissions, do not allow an echo, as opposed to an echo that failed. */
export function isEchoUnsupported(error: unknown): boolean {
  return (
    isInvalid(error) || isBadRequest(error) || isForbidden(error) || isNotFound(error) || hasCode(error, 'WATCH_LIST')
  );
}

async function echoByStream(
  source: ListWatch<unknown>,
  env: Env,
  signal: AbortSignal,
  timeoutSeconds: number,
): Promise<Echo> {
  const events = (source.echo as NonNullable<typeof source.echo>)({ timeoutSeconds }, signal);
  const startedAt = env.now();
  let version: string | undefined;
  let answeredAt = startedAt;
  for await (const event of events) {
    if (version !== undefined) continue;
    version = versionOfEcho(event);
    answeredAt = env.now();
    // So long before the end of the stream that it cannot have waited for it.
    if (answeredAt - startedAt < timeoutSeconds * 1_000 - MIN_BEFORE_END_MS) return { version, delivery: 'streams' };
  }
  if (version === undefined) throw new KubeError('WATCH_ENDED', 'the echo ended without an answer');
  return { version, delivery: env.now() - answeredAt >= MIN_BEFORE_END_MS ? 'streams' : 'buffers' };
}

async function echoByList(source: ListWatch<unknown>, signal: AbortSignal): Promise<Echo> {
  const { metadata } = await source.list({ limit: 1 }, signal);
  return { version: usableEchoVersion(metadata?.resourceVersion, 'LIST_INVALID'), delivery: undefined };
}

/** The version of an answer. Throws WATCH_LIST for an answer from which no version can be read: this server knows no echo. */
function versionOfEcho({ type, object }: WatchEvent<unknown>): string {
  if (type === 'ERROR') throw statusError(object, 'the echo failed');
  const { metadata } = object as KubeObject;
  if (type !== 'BOOKMARK' || metadata?.annotations?.[INITIAL_EVENTS_END] !== 'true')
    throw new KubeError(
      'WATCH_LIST',
      'the echo was answered by something else than the end marker of a streaming list',
    );
  return usableEchoVersion(metadata.resourceVersion, 'WATCH_LIST');
}

/** The version of an answer; empty where it has none. Whatever the types say, a server may send a number. */
function usableEchoVersion(version: unknown, code: 'WATCH_LIST' | 'LIST_INVALID'): string {
  if (typeof (version ?? '') === 'string') return (version ?? '') as string;
  throw new KubeError(code, `the version of the answer to an echo is ${eventReaderVersion(version)}`);
}
