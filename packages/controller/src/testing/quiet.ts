/* oxlint-disable no-restricted-globals -- sockets are real, also where time is not */
import type { ApiServer } from '@kube-informer/apiserver';
import type { Cluster, ClusterCache } from 'kube-informer';
import { joinKey, type Key, KubeError } from 'kube-informer/core';
import type { Operator } from '../operator/operator.ts';
import type { Traffic } from './lab-traffic.ts';

/** Turns of the event loop in a row without anything to do. */
const QUIET_TURNS = 10;
/** Real time after which a test fails with what does not come to rest. */
const MAX_REAL_MS = 60_000;
/** Real time that an open watch has to deliver. Longer means that a fault holds its events back. */
const MAX_BEHIND_MS = 5_000;

export interface QuietOptions {
  readonly server: ApiServer;
  readonly clusters: readonly Cluster[];
  readonly operators: readonly Operator[];
  readonly traffic: Traffic;
}

/** Resolves when no request is under way, every cache has what the server has, and no operator has work. */
export async function untilQuiet(options: QuietOptions): Promise<void> {
  const startedAt = performance.now();
  for (let quiet = 0; quiet < QUIET_TURNS;) {
    await new Promise((resolve) => void setTimeout(resolve, 0));
    const elapsed = performance.now() - startedAt;
    const busy = busyBeforeQuiet(options) ?? (elapsed < MAX_BEHIND_MS ? behindBeforeQuiet(options) : undefined);
    quiet = busy === undefined ? quiet + 1 : 0;
    if (busy !== undefined && elapsed > MAX_REAL_MS)
      throw new KubeError('ILLEGAL_STATE', `the lab does not come to rest: ${busy}`);
  }
}

function busyBeforeQuiet({ clusters, operators, traffic }: QuietOptions): string | undefined {
  if (traffic.count > 0) return 'a request is under way';
  if (operators.some(({ isBusy }) => isBusy)) return 'an operator has keys that are ready or at work, or starts';
  for (const cluster of clusters)
    for (const { resource, informer } of cluster.caches())
      if (informer.health().handlers.some(({ pending }) => pending > 0)) return `handlers of ${resource} have events`;
  return undefined;
}

/** A cache whose watch is open and that has not what the server has. */
function behindBeforeQuiet({ server, clusters }: QuietOptions): string | undefined {
  const watched = new Set(server.watchers().map(({ group, resource }) => `${group}/${resource}`));
  for (const cluster of clusters)
    for (const cache of cluster.caches()) {
      const { group, plural } = splitQuietResource(cache.resource);
      const isWatched = watched.has(`${group}/${plural}`) && cache.informer.hasSynced;
      if (isWatched && isCacheBehindQuiet(server, cache, group, plural))
        return `events of ${cache.resource} are on their way`;
    }
  return undefined;
}

function isCacheBehindQuiet(
  server: ApiServer,
  { informer, ...cache }: ClusterCache,
  group: string,
  plural: string,
): boolean {
  // An object that a selector leaves out looks the same as one that is late.
  if (cache.labelSelector !== undefined || cache.fieldSelector !== undefined) return false;
  // What the cache could not hold has arrived.
  const unreadable = new Set(informer.health().poisoned.map(({ key }) => key));
  const versions = (objects: readonly Named[]): Map<Key, string | undefined> =>
    new Map(
      objects
        .map((one) => [quietKey(one), one.metadata?.resourceVersion] as const)
        .filter(([key]) => !unreadable.has(key)),
    );
  const stored = versions(server.local.list(group, plural, cache.namespace ?? ''));
  const cached = versions(informer.list());
  return cached.size !== stored.size || [...cached].some(([key, version]) => stored.get(key) !== version);
}

interface Named {
  readonly metadata?: { readonly namespace?: string; readonly name?: string; readonly resourceVersion?: string };
}

const quietKey = ({ metadata: { namespace = '', name = '' } = {} }: Named): Key => joinKey({ namespace, name });

function splitQuietResource(resource: string): { readonly group: string; readonly plural: string } {
  const parts = resource.split('/');
  return { group: parts.length === 3 ? (parts[0] ?? '') : '', plural: parts.at(-1) ?? '' };
}
