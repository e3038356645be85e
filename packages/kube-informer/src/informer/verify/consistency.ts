import { untilAborted } from '../../core/async/abort.ts';
import type { Env } from '../../core/env.ts';
import { KubeError, messageOf } from '../../core/errors.ts';
import type { Key, KeyFn } from '../../core/object/key.ts';
import type { ObjectAccess } from '../../core/object/object.ts';
import { isPlaceInHistory } from '../../core/object/resource-version.ts';
import { isExpired, isTooLargeResourceVersion } from '../../core/status.ts';
import { type ExpectedType, isExpectedType } from '../list-watch/event-reader.ts';
import { fingerprint, UNKNOWN_STATE } from './fingerprint.ts';
import type { ListWatch } from '../list-watch/list-watch.ts';
import { DEFAULT_PAGE_SIZE, listPages } from '../list-watch/pager.ts';

/** How a cache differs from the server at one version. All lists are sorted. */
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

/** A state that user code could not digest: which one, and why. */
export interface PoisonedState {
  readonly error: unknown;
  /** Its fingerprint. */
  readonly state: string;
}

const RETRY_MS = 1_000;

/**
 * Compares a cache, as it is right now, with what the server had at the version the cache has reached. A poisoned key is
 * left out while the server has the very state that could not be digested: another list would not heal it.
 */
export async function verifyStore<T>(
  side: ServerSide<T>,
  keyOf: KeyFn<T>,
  store: { readonly resourceVersion: string; entries(): Iterable<[Key, T]> },
  poisoned: ReadonlyMap<Key, PoisonedState>,
  signal: AbortSignal,
): Promise<Differences> {
  const cached = new Map<Key, string>();
  for (const [key, object] of store.entries()) cached.set(key, fingerprint(side.access, object));
  const poisonedStates = new Map([...poisoned].map(([key, { state }]) => [key, state]));
  return compareWithServer(side, keyOf, cached, poisonedStates, store.resourceVersion, signal);
}

/** Lists the server exactly as it was at `resourceVersion` and compares. */
async function compareWithServer<T>(
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
    if (!isExpectedType(expected, access.type(item))) continue; // never cached, so never missing
    const key = keyOf(item);
    seen.add(key);
    const state = fingerprint(access, item);
    const held = cached.get(key);
    // A transform may have taken the version away; then only presence can be compared.
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
 * Compares a streamed initial state with a list of the same moment. Tries the list
 * every second until it answers. Throws WATCH_LIST on a difference, so that the
 * plain list is used instead, and STALE_SERVER when the server has not reached that moment.
 */
export async function checkStreamedList<T>(
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
        compareWithServer(side, keyOf, streamed, new Map(), resourceVersion, signal),
        signal,
        'consistency check',
      );
    } catch (error) {
      if (isExpired(error)) return; // too old to be listed by now: nothing to compare with
      // Behind what was streamed, or gone back since: waiting for it might never end.
      if (isTooLargeResourceVersion(error))
        throw new KubeError('STALE_SERVER', `the streamed version ${resourceVersion} cannot be listed`, {
          cause: error,
        });
      side.env.log('debug', 'the consistency check could not list; trying again', { error: messageOf(error) });
      await side.env.sleep(RETRY_MS, signal);
      continue;
    }
    if (found.consistent) return;
    const { missing, extra, different } = found;
    side.env.log('error', 'a streamed list differs from the list of the same version', {
      resourceVersion,
      missing,
      extra,
      different,
    });
    throw new KubeError(
      'WATCH_LIST',
      `the streamed list at ${resourceVersion} differs from the list: ${missing.length} missing, ${extra.length} extra, ${different.length} different`,
    );
  }
}
