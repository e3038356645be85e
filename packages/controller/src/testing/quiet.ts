/* oxlint-disable no-restricted-globals -- sockets are real, also where time is not */
import type { ApiServer } from '@kube-informer/apiserver';
import type { Cluster, ClusterCache } from 'kube-informer';
import { joinKey, type Key, KubeError } from 'kube-informer/core';
import type { Operator } from '../operator/operator.ts';
import type { Traffic } from './lab-traffic.ts';

/** Number of consecutive turns of the event loop without work after which all is quiet. */
const QUIET_TURNS = 10;
/** Real time after which a test fails with the parts that have not come to rest. */
const MAX_REAL_MS = 60_000;
/**
 * Turns in a row, each at least a millisecond long, in which an open watch delivers nothing though it should: a fault holds its
 * events back. Both ends are in this process, so on a busy machine turns take longer, but an event does not need more of them.
 */
const MAX_HELD_TURNS = 300;

export interface QuietOptions {
  readonly server: ApiServer;
  readonly clusters: readonly Cluster[];
  readonly operators: readonly Operator[];
  readonly traffic: Traffic;
}

/** Resolves when no request is pending, every cache has what the server has, and no operator has work. */
export async function untilQuiet(options: QuietOptions): Promise<void> {
  const startedAt = performance.now();
  let late: string | undefined;
  for (let quiet = 0, held = 0; quiet < QUIET_TURNS;) {
    // A timer takes a millisecond. Most turns only let sockets and promises continue; the last one gives other threads
    // time.
    await new Promise((resolve) => {
      if (quiet === 0 || quiet === QUIET_TURNS - 1) setTimeout(resolve, 0);
      else setImmediate(resolve);
    });
    let busy = busyBeforeQuiet(options);
    if (busy === undefined) {
      const before = late;
      late = behindBeforeQuiet(options);
      held = late === before ? held + 1 : 0;
      if (held < MAX_HELD_TURNS) busy = late;
    }
    quiet = busy === undefined ? quiet + 1 : 0;
    if (busy !== undefined && performance.now() - startedAt > MAX_REAL_MS)
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

/** A cache whose watch is open and that does not have what the server has. */
function behindBeforeQuiet({ server, clusters }: QuietOptions): string | undefined {
  const watched = new Set(server.watchers().map(({ group, resource }) => `${group}/${resource}`));
  for (const cluster of clusters)
    for (const cache of cluster.caches()) {
      const { group, plural } = splitQuietResource(cache.resource);
      const isWatched = watched.has(`${group}/${plural}`) && cache.informer.hasSynced;
      const missing = isWatched ? missingBeforeQuiet(server, cache, group, plural) : 0;
      if (missing > 0) return `${missing} events of ${cache.resource} have not arrived`;
    }
  return undefined;
}

/** Number of objects whose state in the cache differs from that on the server. */
function missingBeforeQuiet(
  server: ApiServer,
  { informer, ...cache }: ClusterCache,
  group: string,
  plural: string,
): number {
  // An object that a selector leaves out looks the same as one that is late.
  if (cache.labelSelector !== undefined || cache.fieldSelector !== undefined) return 0;
  // Objects that the cache could not store have arrived.
  const unreadable = new Set(informer.health().poisoned.map(({ key }) => key));
  const versions = (objects: readonly Named[]): Map<Key, string | undefined> =>
    new Map(
      objects
        .map((one) => [quietKey(one), one.metadata?.resourceVersion] as const)
        .filter(([key]) => !unreadable.has(key)),
    );
  const stored = versions(server.local.list(group, plural, cache.namespace ?? ''));
  const cached = versions(informer.list());
  const keys = new Set([...stored.keys(), ...cached.keys()]);
  return [...keys].filter((key) => stored.get(key) !== cached.get(key)).length;
}

interface Named {
  readonly metadata?: { readonly namespace?: string; readonly name?: string; readonly resourceVersion?: string };
}

const quietKey = ({ metadata: { namespace = '', name = '' } = {} }: Named): Key => joinKey({ namespace, name });

function splitQuietResource(resource: string): { readonly group: string; readonly plural: string } {
  const parts = resource.split('/');
  return { group: parts.length === 3 ? (parts[0] ?? '') : '', plural: parts.at(-1) ?? '' };
}
