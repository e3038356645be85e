import { KubeError } from '../core/errors.ts';
import { type KnownOptions, requireKnown } from '../core/known-options.ts';
import { compareVersions } from '../core/object/resource-version.ts';
import { requireSyncedMs } from './until-synced.ts';

/** How fresh the cache must be for a read. A read of an older cache throws STALE_CACHE. */
export interface ReadOptions {
  /**
   * Maximum time since the cache was last known to be current, as `staleFor()` returns it. While nothing
   * changes, a healthy server confirms that about once a minute, so a value below 75_000 refuses reads of
   * healthy caches.
   */
  readonly maxStalenessMs?: number;
  /** A version up to which the cache must contain all changes. */
  readonly notOlderThan?: string;
}

export const READ_OPTIONS: KnownOptions<ReadOptions> = { maxStalenessMs: true, notOlderThan: true };

/** Throws STALE_CACHE when the cache is not as fresh as `options` require. */
export function checkReadOptions(
  name: string,
  cache: { readonly staleForMs: number; readonly resourceVersion: string },
  options: ReadOptions,
): void {
  requireKnown('read', options, READ_OPTIONS);
  const { maxStalenessMs, notOlderThan } = options;
  requireSyncedMs('maxStalenessMs', maxStalenessMs);
  if (maxStalenessMs !== undefined && cache.staleForMs > maxStalenessMs) {
    const { staleForMs } = cache;
    const known =
      staleForMs === Number.POSITIVE_INFINITY
        ? 'has not synced yet'
        : `was last known to be current ${staleForMs} ms ago, maxStalenessMs is ${maxStalenessMs}`;
    throw new KubeError('STALE_CACHE', `${name} ${known}`);
  }
  if (notOlderThan !== undefined && !readOptionsNameVersion(cache.resourceVersion, notOlderThan)) {
    throw new KubeError(
      'STALE_CACHE',
      `${name} is at version ${cache.resourceVersion || '(none)'}, notOlderThan is ${notOlderThan}; wait with waitForVersion()`,
    );
  }
}

/** Whether a cache at `current` contains everything up to `wanted`. Versions that cannot be ordered must be equal. */
export function readOptionsNameVersion(current: string, wanted: string): boolean {
  const order = compareVersions(current, wanted);
  return order !== undefined && order >= 0;
}
