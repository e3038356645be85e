import { memoryUsage } from 'node:process';
import type { InformerHealth, InformerState } from 'kube-informer';
import type { Env } from 'kube-informer/core';
import type { CacheRecord } from './cache-book.ts';
import { isSecretResource, type Mask } from './mask.ts';
import type { CacheSummary, HandlerSummary, Lane, Overview, Timeline, Trouble } from './protocol.ts';
import { brief } from './visible.ts';
import type { Weights } from './weights.ts';

export interface OverviewParts {
  readonly records: readonly CacheRecord[];
  readonly env: Env;
  readonly mask: Mask;
  readonly weights: Weights;
  readonly server: string;
  readonly canFault: boolean;
  readonly canReveal: boolean;
}

export function overviewOf({ records, env, mask, weights, server, canFault, canReveal }: OverviewParts): Overview {
  const { rss, heapUsed } = memoryUsage();
  const say = (text: string): string => brief(mask.text(text));
  return {
    at: env.wallNow(),
    server: say(server),
    rssBytes: rss,
    heapBytes: heapUsed,
    caches: records.map((record) => summaryOf(record, env, say, weights)),
    canFault,
    canReveal,
  };
}

export function timelineOf(records: readonly CacheRecord[], env: Env, mask: Mask): Timeline {
  const lanes = records.map(({ id, cache: { informer } }): Lane => ({
    cache: id,
    state: informer.state.kind,
    steps: informer.timeline.map(({ resourceVersion = '', because = '', ...step }) => ({
      ...step,
      resourceVersion: brief(resourceVersion),
      because: brief(mask.text(because)),
    })),
  }));
  return { at: env.wallNow(), lanes };
}

export function handlersOf(records: readonly CacheRecord[]): readonly HandlerSummary[] {
  return records.flatMap(({ id, cache: { informer } }) =>
    informer.health().handlers.map(({ name, slowest, ...rest }) => ({
      ...rest,
      cache: id,
      name: brief(name),
      slowest: slowest.map(({ key, ms, at }) => ({ key: brief(key), ms, at })),
    })),
  );
}

function summaryOf(record: CacheRecord, env: Env, say: (text: string) => string, weights: Weights): CacheSummary {
  const { id, cache, samples, restarts, lastRestart } = record;
  const { informer, resource, namespace = '', metadataOnly } = cache;
  const health = informer.health();
  const { state, objects, resourceVersion, lastContactAt, pending, handlers, poisoned } = health;
  return {
    id,
    resource,
    namespace,
    metadataOnly,
    state: state.kind,
    trouble: troubleOf(state, say),
    doing: say(doingOf(health)),
    objects,
    resourceVersion: brief(resourceVersion),
    lagMs: lastContactAt === undefined ? undefined : Math.max(0, env.wallNow() - lastContactAt),
    perSecond: samples.perSecond(env.now()),
    samples: samples.list(env.now()),
    queued: handlers.reduce((sum, handler) => sum + handler.pending, pending),
    restarts,
    lastRestart: lastRestart === undefined ? undefined : { at: lastRestart.at, because: say(lastRestart.because) },
    bytes: weights.of(record),
    poisoned: poisoned.length,
    // A value of an index may be a value of a Secret.
    indexes: isSecretResource(resource) ? ['namespace'] : informer.store.indexNames(),
  };
}

function troubleOf(state: InformerState, say: (text: string) => string): Trouble | undefined {
  const found = state.kind === 'stale' ? state : state.kind === 'starting' ? state.problem : undefined;
  if (found === undefined) return undefined;
  const { reason, error, since } = found;
  return { reason, since, detail: say(error instanceof Error ? error.message : String(error)) };
}

function doingOf({ reflector }: InformerHealth): string {
  switch (reflector.kind) {
    case 'idle':
      return 'not started';
    case 'stopped':
      return 'stopped';
    case 'listing':
      return reflector.received === 0 ? 'listing' : `listing, ${reflector.received} so far`;
    case 'watching':
      return 'watching';
    case 'waiting':
      return `waiting ${(reflector.ms / 1_000).toFixed(1)} s before the next try`;
  }
}
