import type { Env } from '../../core/env.ts';
import { findCause, hasCode, type KubeError, messageOf } from '../../core/errors.ts';
import {
  isExpired, isForbidden, isNotFound, isServerFailure, isTooLargeResourceVersion, isTooManyRequests, isUnauthorized, statusOf,
} from '../../core/status.ts'; // prettier-ignore

/** Why a cache is behind, in one word a dashboard can group by. */
export type ProblemReason =
  | 'forbidden'
  | 'unauthorized'
  | 'not-found'
  | 'throttled'
  | 'expired'
  | 'server-error'
  | 'unreachable'
  | 'tls'
  | 'dns'
  | 'undecodable'
  | 'watch-list'
  | 'stale-server'
  | 'silent'
  | 'inconsistent'
  | 'backlog'
  | 'other';

/** Told of every failed cycle of list and watch. Must be quick; it cannot change what happens next. */
export type WatchErrorHandler = (
  error: unknown,
  about: { readonly name: string; readonly type: string; readonly env: Env },
) => void;

export function reasonOf(error: unknown): ProblemReason {
  if (isForbidden(error)) return 'forbidden';
  if (isUnauthorized(error)) return 'unauthorized';
  if (isNotFound(error)) return 'not-found';
  if (isTooManyRequests(error)) return 'throttled';
  if (isExpired(error)) return 'expired';
  if (hasCode(error, 'STALE_SERVER') || isTooLargeResourceVersion(error)) return 'stale-server';
  if (isServerFailure(error)) return 'server-error';
  if (hasCode(error, 'WATCH_DECODE') || hasCode(error, 'LIST_INVALID') || hasCode(error, 'INVALID_KEY'))
    return 'undecodable';
  if (hasCode(error, 'WATCH_LIST')) return 'watch-list';
  if (hasCode(error, 'WATCH_ENDED')) return 'silent';
  if (hasCode(error, 'STALE_CACHE')) return 'backlog';
  if (hasCode(error, 'CONTINUITY_LOST')) return 'inconsistent';
  // Our own TRANSPORT says least: what the platform says underneath goes first.
  if (hasPlatformCode(error, /CERT|TLS|SSL|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO/)) return 'tls';
  if (hasPlatformCode(error, /^(ENOTFOUND|EAI_AGAIN)$/)) return 'dns';
  if (hasCode(error, 'TRANSPORT') || hasPlatformCode(error, /^E[A-Z]+$|^UND_|^ERR_HTTP2/)) return 'unreachable';
  return 'other';
}

/** The connection ended as connections do: nothing to report. */
export function isCleanEnd(error: unknown): boolean {
  return findCause(error, (candidate) => (candidate as { message?: unknown }).message === 'EOF') !== undefined;
}

/** Logs by class: what heals by itself quietly, what a person should know as an error. */
export const defaultWatchErrorHandler: WatchErrorHandler = (error, { name, type, env }) => {
  const fields = { reflector: name, type, error: messageOf(error), reason: reasonOf(error) };
  if (isExpired(error)) env.log('debug', 'the watch expired; listing again', fields);
  else if (isCleanEnd(error)) return;
  else if (
    findCause(error, (candidate) => (candidate as { message?: unknown }).message === 'unexpected EOF') !== undefined
  ) {
    env.log('info', 'the watch ended unexpectedly', fields);
  } else {
    env.log('error', 'list or watch failed; it will be tried again', fields);
  }
};

function hasPlatformCode(error: unknown, pattern: RegExp): boolean {
  const matches = ({ code }: { code?: unknown }): boolean => typeof code === 'string' && pattern.test(code);
  return findCause(error, matches) !== undefined;
}

/** The network's word: the server itself said nothing. */
export function isConnectionCut(error: unknown): boolean {
  if (statusOf(error) !== undefined) return false;
  return hasCode(error, 'TRANSPORT') || hasPlatformCode(error, /^(E[A-Z0-9_]+|UND_ERR_.*|ERR_HTTP2.*|ERR_STREAM.*)$/);
}

/** Not our server's word about this stream, but the network's or a gateway's: trying for ever is right. */
export function isOutsideFailure(error: unknown): boolean {
  return isConnectionCut(error) || isServerFailure(error);
}

/** Keeps our own code visible on a wrapped error, also when another copy of this package threw it. */
export function kubeErrorCode(error: unknown, otherwise: KubeError['code'] = 'TRANSPORT'): KubeError['code'] {
  const { name, code } = (error ?? {}) as Partial<KubeError>;
  return name === 'KubeError' && code !== undefined ? code : otherwise;
}
