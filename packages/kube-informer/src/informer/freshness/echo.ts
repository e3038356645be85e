import { linkedAbort, untilAborted } from '../../core/async/abort.ts';
import type { Env } from '../../core/env.ts';
import { KubeError } from '../../core/errors.ts';
import type { KubeObject } from '../../core/object/object.ts';
import { INITIAL_EVENTS_END, type WatchEvent } from '../../core/object/watch-event.ts';
import { isBadRequest, isForbidden, isInvalid, isNotFound, statusError } from '../../core/status.ts';
import type { ListWatch } from '../list-watch/list-watch.ts';
import type { Delivery } from './streaming-path.ts';

/** The server's current version, and how the path to the server delivered the response. */
export interface Echo {
  /** The server's version when the request was sent, or a later one. Empty if the server has none. */
  readonly version: string;
  /** Undefined when the request was a list, which tells nothing about streams. */
  readonly delivery: Delivery | undefined;
}

/** Lifetime requested for an echo. The server responds at once and ends the stream after this time. */
export const ECHO_SECONDS = 1;
/** A response that arrives this close to the end of its stream was held back until the end. */
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
export async function askEcho(source: ListWatch<unknown>, env: Env, signal: AbortSignal): Promise<Echo> {
  const ask = source.echo === undefined ? echoByList : echoByStream;
  return echoWithinSeconds(env, signal, 'report its current version', (until) => ask(source, env, until));
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
  return isInvalid(error) || isBadRequest(error) || isForbidden(error) || isNotFound(error) || lacksEchoMarker(error);
}

async function echoByStream(source: ListWatch<unknown>, env: Env, signal: AbortSignal): Promise<Echo> {
  const events = (source.echo as NonNullable<typeof source.echo>)({ timeoutSeconds: ECHO_SECONDS }, signal);
  const startedAt = env.now();
  let version: string | undefined;
  let answeredAt = startedAt;
  for await (const event of events) {
    if (version !== undefined) continue;
    version = versionOfEcho(event);
    answeredAt = env.now();
    // So long before the end of the stream that it cannot have waited for it.
    if (answeredAt - startedAt < ECHO_SECONDS * 1_000 - MIN_BEFORE_END_MS) return { version, delivery: 'streams' };
  }
  if (version === undefined) throw new KubeError('WATCH_LIST', 'the echo ended without a response');
  return { version, delivery: env.now() - answeredAt >= MIN_BEFORE_END_MS ? 'streams' : 'buffers' };
}

async function echoByList(source: ListWatch<unknown>, _env: Env, signal: AbortSignal): Promise<Echo> {
  const list = await source.list({ limit: 1 }, signal);
  return { version: list.metadata?.resourceVersion ?? '', delivery: undefined };
}

const NO_MARKER = 'the response to the echo is not the end marker of a streaming list';

function versionOfEcho({ type, object }: WatchEvent<unknown>): string {
  if (type === 'ERROR') throw statusError(object, 'the echo failed');
  const { metadata } = object as KubeObject;
  if (type !== 'BOOKMARK' || metadata?.annotations?.[INITIAL_EVENTS_END] !== 'true')
    throw new KubeError('WATCH_LIST', NO_MARKER);
  return metadata.resourceVersion ?? '';
}

function lacksEchoMarker(error: unknown): boolean {
  return error instanceof KubeError && error.message === NO_MARKER;
}
