import { untilAborted } from '../../core/async/abort.ts';
import type { Env } from '../../core/env.ts';
import { KubeError, errorMessageOf } from '../../core/errors.ts';
import type { Key, KeyFn } from '../../core/object/key.ts';
import type { ObjectAccess } from '../../core/object/object.ts';
import { isVersionPlaceInHistory } from '../../core/object/resource-version.ts';
import { keyOfMaybeUnreadable } from '../../core/object/unreadable.ts';
import { isExpired, isTooLargeResourceVersion } from '../../core/status.ts';
import { type ExpectedType, isEventReaderType } from '../list-watch/event-reader.ts';
import { fingerprint, UNKNOWN_STATE } from './fingerprint.ts';
import { Slices } from '../../core/async/slices.ts';
import type { ListWatch } from '../list-watch/list-watch.ts';
import { DEFAULT_PAGE_SIZE, listPages } from '../list-watch/pager.ts';

/** The differences between a cache and the server at one version. All lists are sorted. */
export interface Differences {
  readonly resourceVersion: string;
  readonly checked: number;
  /** Keys that are on the server and not in the cache. */
  readonly missing: readonly Key[];
  /** Keys that are in the cache and not on the server. */
  readonly extra: readonly Key[];
  /** Keys that are in both, with another version, UID or content. */
  readonly different: readonly Key[];
  readonly consistent: boolean;
}

interface ServerSide<T> {
  readonly source: ListWatch<T>;
  readonly access: ObjectAccess<T>;
  readonly env: Env;
  readonly expected?: ExpectedType | undefined;
  /** The transform of the objects in the cache. */
  readonly transform?: ((object: T) => T) | undefined;
}

/** A state that could not be decoded, transformed or indexed, and the error. */
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
  const cached = new Map(store.entries());
  const poisonedStates = new Map([...poisoned].map(([key, { state }]) => [key, state]));
  return compareForConsistency(side, keyOf, cached, poisonedStates, store.resourceVersion, signal);
}

/** Lists exactly `resourceVersion` and compares it with the objects in `cached`. */
async function compareForConsistency<T>(
  side: ServerSide<T>,
  keyOf: KeyFn<T>,
  cached: ReadonlyMap<Key, T>,
  poisonedStates: ReadonlyMap<Key, string>,
  resourceVersion: string,
  signal: AbortSignal,
): Promise<Differences> {
  const { source, access, expected, env } = side;
  const { items } = await listPages(
    source,
    { resourceVersion, resourceVersionMatch: 'Exact' },
    { pageSize: DEFAULT_PAGE_SIZE, signal },
  );
  const missing: Key[] = [];
  const different: Key[] = [];
  const seen = new Set<Key>();
  const slices = new Slices(env);
  const isSame = consistencyComparison(side, items);
  let hasUnnamed = false;
  for (const item of items) {
    if (slices.due()) await slices.pause();
    if (!isEventReaderType(expected, access.type(item))) continue; // never cached, so never missing
    const listed = keyOfMaybeUnreadable(keyOf, item);
    if ('unnamed' in listed) {
      hasUnnamed = true;
      continue;
    }
    const { key } = listed;
    seen.add(key);
    const state = fingerprint(access, item);
    const held = cached.get(key);
    if (held !== undefined && isSame(held, item, state)) continue;
    const refused = poisonedStates.get(key);
    if (refused === UNKNOWN_STATE || refused === state) continue;
    (held === undefined ? missing : different).push(key);
  }
  // A poisoned key may be the object whose name cannot be read.
  const mayBeListed = (key: Key): boolean => hasUnnamed && poisonedStates.has(key);
  const extra = [...cached.keys()].filter((key) => !seen.has(key) && !mayBeListed(key));
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

/** Whether a cached object is the listed one, whose fingerprint is `state`. `item` is transformed and may be changed by that. */
type StateComparison<T> = (held: T, item: T, state: string) => boolean;

/**
 * Compares versions and contents. Contents are not compared if the transform returns different results for
 * the same object, which is tested with the first item. Objects without a version are compared by content
 * only.
 */
function consistencyComparison<T>({ access, transform }: ServerSide<T>, items: readonly T[]): StateComparison<T> {
  const hasSameContent = access.hasSameContent?.bind(access);
  const transformed = (item: T): T | undefined => {
    try {
      return transform === undefined ? item : transform(item);
    } catch {
      return undefined; // such a key is poisoned, or the cache has the result of an earlier call
    }
  };
  const isComparable = (item: T): boolean => {
    if (transform === undefined) return true;
    const [one, other] = [transformed(structuredClone(item)), transformed(structuredClone(item))];
    return one === undefined || other === undefined || hasSameContent?.(one, other) === true;
  };
  const compareContent = items.length > 0 && hasSameContent !== undefined && isComparable(items[0] as T);
  return (held, item, state) => {
    const heldState = fingerprint(access, held);
    if (heldState !== UNKNOWN_STATE && heldState !== state) return false;
    if (!compareContent) return true;
    const expected = transformed(item);
    return expected === undefined || hasSameContent(held, expected);
  };
}

/**
 * Compares a streaming list with a plain list of the same version. Retries the plain
 * list every second until it succeeds. Throws WATCH_LIST on a difference, so that the
 * plain list is used instead, and STALE_SERVER when the server has not reached the version.
 */
export async function streamedConsistency<T>(
  side: ServerSide<T>,
  keyOf: KeyFn<T>,
  items: readonly T[],
  resourceVersion: string,
  signal: AbortSignal,
): Promise<void> {
  if (!isVersionPlaceInHistory(resourceVersion)) return;
  const streamed = new Map(items.map((item) => [keyOf(item), item]));
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
      // Another replica that is behind, or a storage that went back, may never reach the version.
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
