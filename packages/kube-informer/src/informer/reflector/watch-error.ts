import type { Env } from '../../core/env.ts';
import { errorCauseOf, hasCode, type KubeError, errorMessageOf } from '../../core/errors.ts';
import {
  isExpired, isForbidden, isNotFound, isServerFailure, isTooLargeResourceVersion, isTooManyRequests, isUnauthorized, statusOf,
} from '../../core/status.ts'; // prettier-ignore
import type { Reflector } from './reflector.ts';

/** Why a cache is stale, in one word that a dashboard can group by. */
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
  | 'credentials'
  | 'undecodable'
  | 'watch-list'
  | 'stale-server'
  | 'silent'
  | 'buffered'
  | 'withheld'
  | 'inconsistent'
  | 'backlog'
  | 'other';

/** The failed reflector, for an error handler: its position and its last steps. */
export type FailedReflector = Pick<
  Reflector,
  'name' | 'typeDescription' | 'state' | 'problem' | 'timeline' | 'lastSyncResourceVersion' | 'usesWatchList'
>;

/** The request of a failed list or watch. */
export interface FailedCycle {
  /** Name of the reflector. */
  readonly name: string;
  readonly type: string;
  readonly env: Env;
  readonly reason: ProblemReason;
  /** Number of failures for the same reason that were not reported since the last call. */
  readonly leftOut: number;
  readonly reflector: FailedReflector;
  /** The signal of the run. A report that waits for something should end with it. */
  readonly signal: AbortSignal;
}

/**
 * Called for the first failed list or watch of each reason, then after 1, 5 and 30 minutes and every hour while it
 * lasts. Must be quick; it cannot change what happens next.
 */
export type WatchErrorHandler = (error: unknown, about: FailedCycle) => void;

/** Node's codes of certificates and handshakes. */
const TLS_CODE = /CERT|TLS|SSL|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO/;

/** The reason of an error. Never throws: an error that cannot be read is `other`. */
export function reasonOf(error: unknown): ProblemReason {
  // Before all others: like an unreachable server, a plugin that cannot be run has the system's code in its cause.
  if (hasCode(error, 'CREDENTIALS')) return 'credentials';
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
  if (hasCode(error, 'WATCH_BUFFERED')) return 'buffered';
  if (hasCode(error, 'WATCH_DEAF')) return 'withheld';
  if (hasCode(error, 'WATCH_ENDED')) return 'silent';
  if (hasCode(error, 'STALE_CACHE')) return 'backlog';
  if (hasCode(error, 'CONTINUITY_LOST')) return 'inconsistent';
  // The platform's code in the cause is more precise than TRANSPORT.
  if (hasWatchErrorCode(error, TLS_CODE)) return 'tls';
  if (hasWatchErrorCode(error, /^(ENOTFOUND|EAI_AGAIN)$/)) return 'dns';
  if (hasCode(error, 'TRANSPORT') || hasWatchErrorCode(error, /^E[A-Z]+$|^UND_|^ERR_HTTP2/)) return 'unreachable';
  return 'other';
}

/** Whether the connection ended normally, which is not logged. */
export function isCleanWatchEnd(error: unknown): boolean {
  return errorCauseOf(error, (candidate) => (candidate as { message?: unknown }).message === 'EOF') !== undefined;
}

/** Logs expected endings at a low level and everything else as a warning. */
export const defaultWatchErrorHandler = (
  error: unknown,
  { name, type, env, leftOut = 0 }: Pick<FailedCycle, 'name' | 'type' | 'env'> & Partial<FailedCycle>,
): void => {
  const about = { reflector: name, type, error: errorMessageOf(error), reason: reasonOf(error) };
  const fields = leftOut > 0 ? { ...about, leftOut } : about;
  if (isExpired(error)) env.log('debug', 'the watch expired; relisting', fields);
  else if (isCleanWatchEnd(error)) return;
  else if (
    errorCauseOf(error, (candidate) => (candidate as { message?: unknown }).message === 'unexpected EOF') !== undefined
  ) {
    env.log('info', 'the watch ended unexpectedly', fields);
  } else {
    env.log('warn', 'list or watch failed; retrying', fields);
  }
};

function hasWatchErrorCode(error: unknown, pattern: RegExp): boolean {
  const matches = ({ code }: { code?: unknown }): boolean => typeof code === 'string' && pattern.test(code);
  return errorCauseOf(error, matches) !== undefined;
}

/** Whether the connection failed, as opposed to an error response of the server. */
export function isWatchConnectionCut(error: unknown): boolean {
  if (statusOf(error) !== undefined) return false;
  return (
    hasCode(error, 'TRANSPORT') ||
    hasWatchErrorCode(error, /^(E[A-Z0-9_]+|UND_ERR_.*|ERR_HTTP2.*|ERR_STREAM.*)$/) ||
    hasWatchErrorCode(error, TLS_CODE)
  );
}

/** Whether the network, a gateway or the server itself (5xx) failed, which is retried without a limit. */
export function isOutsideWatchError(error: unknown): boolean {
  return isWatchConnectionCut(error) || isServerFailure(error);
}

/** The code of a KubeError, also of one thrown by another copy of this package. */
export function watchErrorCode(error: unknown, otherwise: KubeError['code'] = 'TRANSPORT'): KubeError['code'] {
  try {
    const { name, code } = (error ?? {}) as Partial<KubeError>;
    return name === 'KubeError' && code !== undefined ? code : otherwise;
  } catch {
    return otherwise; // unreadable
  }
}
