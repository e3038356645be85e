import { memoryUsage } from 'node:process';
import type { InformerHealth, InformerState } from 'kube-informer';
import type { Env } from 'kube-informer/core';
import type { CacheRecord } from '../caches/cache-tracker.ts';
import { isMaskedResource, type Mask } from '../mask/mask.ts';
import type {
  CacheSummary,
  HandlerSummary,
  InformerTimeline,
  Overview,
  Timeline,
  Problem,
} from '../protocol/messages.ts';
import { visibleBrief } from '../mask/visible.ts';
import type { CacheSizes } from '../caches/cache-sizes.ts';

export interface OverviewParts {
  readonly records: readonly CacheRecord[];
  readonly env: Env;
  readonly mask: Mask;
  readonly sizes: CacheSizes;
  readonly server: string;
  readonly canFault: boolean;
  readonly canReveal: boolean;
  readonly hasOperators: boolean;
}

export function overviewSummary({ records, env, mask, sizes, server, ...can }: OverviewParts): Overview {
  const { rss, heapUsed } = memoryUsage();
  const masked = (text: string): string => visibleBrief(mask.text(text));
  return {
    at: env.wallNow(),
    server: masked(server),
    rssBytes: rss,
    heapBytes: heapUsed,
    caches: records.map((record) => overviewCacheSummary(record, env, masked, sizes)),
    ...can,
  };
}

export function overviewSummaryOfTimeline(records: readonly CacheRecord[], env: Env, mask: Mask): Timeline {
  const informers = records.map(({ id, cache: { informer } }): InformerTimeline => ({
    cache: id,
    state: informer.state.kind,
    steps: informer.timeline.map(({ resourceVersion = '', because = '', ...step }) => ({
      ...step,
      resourceVersion: visibleBrief(resourceVersion),
      because: visibleBrief(mask.text(because)),
    })),
  }));
  return { at: env.wallNow(), informers };
}

export function overviewSummaryOfHandlers(records: readonly CacheRecord[]): readonly HandlerSummary[] {
  return records.flatMap(({ id, cache: { informer } }) =>
    informer.health().handlers.map(({ name, slowest, ...rest }) => ({
      ...rest,
      cache: id,
      name: visibleBrief(name),
      slowest: slowest.map(({ key, ms, at }) => ({ key: visibleBrief(key), ms, at })),
    })),
  );
}

function overviewCacheSummary(
  record: CacheRecord,
  env: Env,
  masked: (text: string) => string,
  sizes: CacheSizes,
): CacheSummary {
  const { id, cache, rate, restarts } = record;
  const { informer, resource, namespace = '', metadataOnly } = cache;
  const health = informer.health();
  const { state, objects, resourceVersion, lastContactAt, pending, handlers, poisoned } = health;
  return {
    id,
    resource,
    namespace,
    metadataOnly,
    state: state.kind,
    problem: problemInOverviewSummary(state, masked),
    doing: masked(activityInOverviewSummary(health)),
    objects,
    resourceVersion: visibleBrief(resourceVersion),
    lagMs: lastContactAt === undefined ? undefined : Math.max(0, env.wallNow() - lastContactAt),
    perSecond: rate.perSecond(env.now()),
    samples: rate.samples(env.now()),
    queued: handlers.reduce((sum, handler) => sum + handler.pending, pending),
    restarts: restarts.count,
    lastRestart: restarts.last && { at: restarts.last.at, because: masked(restarts.last.because) },
    bytes: sizes.of(informer),
    poisoned: poisoned.length,
    // An index value could be the value of a Secret.
    indexes: isMaskedResource(resource) ? ['namespace'] : informer.store.indexNames(),
  };
}

function problemInOverviewSummary(state: InformerState, masked: (text: string) => string): Problem | undefined {
  const found =
    state.kind === 'stale' || state.kind === 'polling' ? state : state.kind === 'starting' ? state.problem : undefined;
  if (found === undefined) return undefined;
  const { reason, error, since } = found;
  return { reason, since, detail: masked(error instanceof Error ? error.message : String(error)) };
}

function activityInOverviewSummary({ reflector }: InformerHealth): string {
  switch (reflector.kind) {
    case 'idle':
      return 'not started';
    case 'stopped':
      return 'stopped';
    case 'listing':
      return reflector.received === 0 ? 'listing' : `listing, ${reflector.received} so far`;
    case 'watching':
    case 'polling':
      return reflector.kind;
    case 'waiting':
      return `retrying in ${(reflector.ms / 1_000).toFixed(1)}s`;
  }
}
