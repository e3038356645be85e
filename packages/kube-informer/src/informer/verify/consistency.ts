import { untilAborted } from '../../core/async/abort.ts';
import type { Env } from '../../core/env.ts';
import { KubeError, errorMessageOf } from '../../core/errors.ts';
import type { Key, KeyFn } from '../../core/object/key.ts';
import type { ObjectAccess } from '../../core/object/object.ts';
import { isPlaceInHistory } from '../../core/object/resource-version.ts';
import { isExpired, isTooLargeResourceVersion } from '../../core/status.ts';
import { type ExpectedType, isExpectedEventType } from '../list-watch/event-reader.ts';
import { fingerprint, UNKNOWN_STATE } from './fingerprint.ts';
import type { ListWatch } from '../list-watch/list-watch.ts';
import { DEFAULT_PAGE_SIZE, listPages } from '../list-watch/pager.ts';

/** The differences between a cache and the server at one version. All lists are sorted. */
export interface Differences {
  readonly resourceVersion: string;
  readonly checked: number;
  /** On the server, not in the cache. */
  readonly missing: readonly Key[];
  /** In the cache, not on the server. */
  readonly extra: readonly Key[];
  /** In both, with another version or another UID. */
  readonly different: readonly Key[];
  readonly consistent: boolean;
}

interface ServerSide<T> {
  readonly source: ListWatch<T>;
  readonly access: ObjectAccess<T>;
  readonly env: Env;
  readonly expected?: ExpectedType | undefined;
}

/** A state on which the transform or an index function threw, and the error. */
export interface PoisonedState {
  readonly error: unknown;
  /** The fingerprint of the state. */
  readonly state: string;
}

const RETRY_MS = 1_000;

/**
 * Compares a cache, as it is now, with what the server had at the version of the cache. A poisoned key is not a
 * difference while the server still has the state that poisoned it: a relist would not repair it.
 */
export async function verifyStoreConsistency<T>(
  side: ServerSide<T>,
  keyOf: KeyFn<T>,
  store: { readonly resourceVersion: string; entries(): Iterable<[Key, T]> },
  poisoned: ReadonlyMap<Key, PoisonedState>,
  signal: AbortSignal,
): Promise<Differences> {
  const cached = new Map<Key, string>();
  for (const [key, object] of store.entries()) cached.set(key, fingerprint(side.access, object));
  const poisonedStates = new Map([...poisoned].map(([key, { state }]) => [key, state]));
  return compareForConsistency(side, keyOf, cached, poisonedStates, store.resourceVersion, signal);
}

/** Lists exactly `resourceVersion` and compares it with the fingerprints in `cached`. */
async function compareForConsistency<T>(
  { source, access, expected }: ServerSide<T>,
  keyOf: KeyFn<T>,
  cached: ReadonlyMap<Key, string>,
  poisonedStates: ReadonlyMap<Key, string>,
  resourceVersion: string,
  signal: AbortSignal,
): Promise<Differences> {
  const { items } = await listPages(
    source,
    { resourceVersion, resourceVersionMatch: 'Exact' },
    { pageSize: DEFAULT_PAGE_SIZE, signal },
  );
  const missing: Key[] = [];
  const different: Key[] = [];
  const seen = new Set<Key>();
  for (const item of items) {
    if (!isExpectedEventType(expected, access.type(item))) continue; // never cached, so never missing
    const key = keyOf(item);
    seen.add(key);
    const state = fingerprint(access, item);
    const held = cached.get(key);
    // Without a version, for example after a transform, only presence can be compared.
    if (held === UNKNOWN_STATE || held === state) continue;
    const refused = poisonedStates.get(key);
    if (refused === UNKNOWN_STATE || refused === state) continue;
    (held === undefined ? missing : different).push(key);
  }
  const extra = [...cached.keys()].filter((key) => !seen.has(key));
  const consistent = missing.length + different.length + extra.length === 0;
  return {
    resourceVersion,
    checked: items.length,
    missing: missing.sort(),
    extra: extra.sort(),
    different: different.sort(),
    consistent,
  };
}

/**
 * Compares a streaming list with a plain list of the same version. Retries the plain
 * list every second until it succeeds. Throws WATCH_LIST on a difference, so that the
 * plain list is used instead, and STALE_SERVER when the server has not reached the version.
 */
export async function checkStreamedConsistency<T>(
  side: ServerSide<T>,
  keyOf: KeyFn<T>,
  items: readonly T[],
  resourceVersion: string,
  signal: AbortSignal,
): Promise<void> {
  if (!isPlaceInHistory(resourceVersion)) return;
  const streamed = new Map(items.map((item) => [keyOf(item), fingerprint(side.access, item)]));
  while (!signal.aborted) {
    let found: Differences;
    try {
      found = await untilAborted(
        compareForConsistency(side, keyOf, streamed, new Map(), resourceVersion, signal),
        signal,
        'consistency check',
      );
    } catch (error) {
      if (isExpired(error)) return; // too old to be listed: nothing to compare with
      // Another replica that is behind, or a storage that went back: it may never reach the version.
      if (isTooLargeResourceVersion(error))
        throw new KubeError(
          'STALE_SERVER',
          `the server cannot list version ${resourceVersion}, which it has streamed`,
          {
            cause: error,
          },
        );
      side.env.log('debug', 'the list of the consistency check failed; retrying', { error: errorMessageOf(error) });
      await side.env.sleep(RETRY_MS, signal);
      continue;
    }
    if (found.consistent) return;
    const { missing, extra, different } = found;
    side.env.log('error', 'a streaming list differs from the plain list of the same version', {
      resourceVersion,
      missing,
      extra,
      different,
    });
    throw new KubeError(
      'WATCH_LIST',
      `the streaming list at ${resourceVersion} differs from the plain list: ${missing.length} missing, ${extra.length} extra, ${different.length} different`,
    );
  }
}
