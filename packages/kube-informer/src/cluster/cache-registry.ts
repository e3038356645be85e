import { guardedAnswer, guardedCallback, type UserCode } from '../core/guarded.ts';
import { defined } from '../core/defined.ts';
import { type Env, guardedEnv, systemEnv } from '../core/env.ts';
import { KubeError, errorMessageOf, requireOption } from '../core/errors.ts';
import { type KnownOptions, requireKnown } from '../core/known-options.ts';
import { type InformerName, processNames } from '../informer/apply/informer-name.ts';
import { StreamingPath } from '../informer/freshness/streaming-path.ts';
import type { InformerHealth } from '../informer/informer-health.ts';
import type { InformerState } from '../informer/informer-state.ts';
import { INFORMER_OPTIONS } from '../informer/informer-options.ts';
import { type ListWatch, withOptions } from '../informer/list-watch/list-watch.ts';
import { SharedInformer } from '../informer/shared-informer.ts';
import { NAMESPACE_INDEX } from '../store/indexer.ts';
import { DecodedBudget } from '../store/packed/decoded-budget.ts';
import type { Indexers } from '../store/store.ts';
import type { InformerRequest, InformerSetOptions, SourceOptions } from './informer-set-options.ts';
import { requireResourceName } from './resource-name.ts';
import { describeScope, normalizeScope, type Scope } from './scope.ts';
import { describeSharedCachePaths, SharedCache } from './shared-cache.ts';

/** The health of one informer of a set. */
export interface InformerSetHealth {
  readonly resource: string;
  readonly scope: Scope;
  readonly health: InformerHealth;
}

/** A change of the state of one cache. */
export interface CacheStateChange {
  readonly resource: string;
  readonly scope: Scope;
  readonly now: InformerState;
  readonly before: InformerState;
}

export type CacheStateCallback = (change: CacheStateChange) => void;

/** A request after validation, with the defaults of the registry applied to its scope. */
interface CacheRequest {
  readonly resource: string;
  readonly scope: Scope;
  readonly description: string;
  readonly options: object;
  readonly indexers: Indexers<object>;
}

const {
  identifier: _,
  expected: __,
  typeDescription: ___,
  indexers: ____,
  select: _____,
  ...shared
} = INFORMER_OPTIONS;
const REGISTRY_OPTIONS: KnownOptions<InformerSetOptions> = {
  ...shared,
  source: true,
  namespace: true,
  resyncMsByResource: true,
  transformByResource: true,
  modify: true,
  names: true,
  wire: true,
};

/**
 * The owner of all caches from one source factory: creates one cache per resource and scope, and finds it again.
 *
 * Full objects and metadata-only objects come from different factories and have one registry each.
 *
 * Room rule: creates, names and finds caches; the users of a cache are counted in the cache itself.
 */
export class CacheRegistry {
  readonly env: Env;
  readonly #options: InformerSetOptions;
  readonly #defaults: Readonly<Record<string, unknown>>;
  readonly #name: InformerName | undefined;
  /** Caches by description. */
  readonly #caches = new Map<string, SharedCache>();
  readonly #followers = new Set<(cache: SharedCache) => void>();
  #isShutDown = false;

  /** `where` names the options in error messages. */
  constructor(where: string, options: InformerSetOptions) {
    requireKnown(where, options, REGISTRY_OPTIONS);
    const { source, name, names = processNames, env = systemEnv, metrics: _, modify: __, ...rest } = options;
    const { namespace = '', resyncMsByResource = {}, transformByResource = {}, ...defaults } = rest;
    requireOption(typeof source === 'function', 'source', 'a function that returns a ListWatch', source);
    for (const resource of Object.keys({ ...resyncMsByResource, ...transformByResource }))
      requireResourceName(resource);
    normalizeScope({ namespace });
    this.env = guardedEnv(env);
    this.#options = options;
    // One factory has one path to the server: the informers that poll share its rate.
    this.#defaults = { path: new StreamingPath(this.env), decoded: new DecodedBudget(), ...defaults };
    // Last: a constructor that throws must not keep the name.
    this.#name = name === undefined ? undefined : names.reserve(name);
  }

  get caches(): readonly SharedCache[] {
    return [...this.#caches.values()];
  }

  /** Calls `callback` whenever the state of a cache has changed, also of caches that are created later. */
  onState(callback: UserCode<CacheStateCallback>): () => void {
    const tell = guardedCallback(this.env, 'onState', callback);
    const ends = new Set<() => void>();
    const follow = ({ resource, scope, informer }: SharedCache): void => {
      const end = informer.onState((now, before) => {
        // The state of a stopped cache does not change. Kept here, the cache would stay in memory with all its objects.
        if (now.kind === 'stopped') ends.delete(end);
        tell({ resource, scope, now, before });
      });
      ends.add(end);
    };
    for (const cache of this.caches) follow(cache);
    this.#followers.add(follow);
    return () => {
      this.#followers.delete(follow);
      for (const end of ends) end();
    };
  }

  health(): InformerSetHealth[] {
    return this.caches.map(({ resource, scope, informer }) => ({ resource, scope, health: informer.health() }));
  }

  /** Finds the cache of a request, or creates it, and adds the indexes of the request. */
  open<T extends object, I extends string>(resource: string, request: InformerRequest<T, I>): SharedCache {
    const parsed = this.#parse(resource, request);
    const cache = this.#caches.get(parsed.description) ?? this.#create(parsed);
    cache.requireCompatible(parsed.options, parsed.indexers);
    cache.addIndexers(parsed.indexers);
    this.#caches.set(parsed.description, cache);
    return cache;
  }

  /** Throws if a cache of the same resource and scope contradicts the request. Creates nothing. */
  check<T extends object, I extends string>(resource: string, request: InformerRequest<T, I>): void {
    const { description, options, indexers } = this.#parse(resource, request);
    this.#caches.get(description)?.requireCompatible(options, indexers);
  }

  find(resource: string, scope: Scope): SharedCache | undefined {
    const { namespace } = this.#options;
    return this.#caches.get(describeScope(resource, normalizeScope({ ...defined({ namespace }), ...scope })));
  }

  /** Stops all caches and then releases the name. Idempotent. */
  async shutdown(cause?: unknown): Promise<void> {
    this.#isShutDown = true;
    try {
      // Also those that were never started: calls of `synced` on them would never settle.
      await Promise.all(this.caches.map(({ informer }) => informer.stop(cause)));
    } finally {
      this.#name?.release();
    }
  }

  /** Validates everything before anything is created: a refused request leaves nothing behind, not even a name. */
  #parse<T extends object, I extends string>(resource: string, request: InformerRequest<T, I>): CacheRequest {
    requireResourceName(resource);
    const { namespace = this.#options.namespace, labelSelector, fieldSelector, indexers = {}, ...options } = request;
    const scope = normalizeScope(defined({ namespace, labelSelector, fieldSelector }));
    const description = `${describeScope(resource, scope)}${cacheRegistryReduction(options)}`;
    if (Object.hasOwn(indexers, NAMESPACE_INDEX))
      throw new KubeError(
        'INVALID_OPTION',
        `${description} is shared and has another index "${NAMESPACE_INDEX}": use another name`,
      );
    return { resource, scope, description, options, indexers: indexers as Indexers<object> };
  }

  #create({ resource, scope, description, options: requested }: CacheRequest): SharedCache {
    if (this.#isShutDown)
      throw new KubeError('ILLEGAL_STATE', `the informer set is shut down: ${description} would never start`);
    const { name, metrics, resyncMsByResource = {}, transformByResource = {} } = this.#options;
    const options: Record<string, unknown> = {
      typeDescription: description,
      ...this.#defaults,
      ...defined({
        resyncMs: cacheRegistryOption(resyncMsByResource, resource),
        transform: cacheRegistryOption(transformByResource, resource),
      }),
      ...defined(requested),
    };
    // `select` names everything that is kept.
    if (options['select'] !== undefined) delete options['omit'];
    const { wire, ...ofInformer } = options as Record<string, unknown> & SourceOptions;
    const source = this.#source(resource, scope, description, defined({ wire }));
    const identifier = this.#name?.withResource(description, this.env);
    const informer = new SharedInformer<object, string>(source, {
      ...ofInformer,
      ...defined({ metrics, identifier }),
      name: name === undefined ? description : `${name} ${description}`,
      env: this.env,
    });
    // The next cache of this resource reports again.
    const forget = (): void => {
      this.#caches.delete(description);
      identifier?.release?.();
    };
    const cache = new SharedCache({ resource, scope, informer, options, forget });
    for (const follow of this.#followers) follow(cache);
    return cache;
  }

  #source(resource: string, scope: Scope, description: string, options: SourceOptions): ListWatch<object> {
    const { source: factory, modify: modifier } = this.#options;
    const modify = modifier === undefined ? undefined : guardedAnswer('modify', modifier);
    let source: ListWatch<object>;
    try {
      source = guardedAnswer('source', factory)(resource, scope, options);
    } catch (cause) {
      throw new KubeError('INVALID_OPTION', `there is no source for ${description}: ${errorMessageOf(cause)}`, {
        cause,
      });
    }
    const isSource = typeof source?.list === 'function' && typeof source.watch === 'function';
    requireOption(isSource, 'source', `an object with list() and watch() for ${description}`, source);
    const { namespace: _, ...selectors } = scope;
    return withOptions(source, (asked, verb) => {
      const query = { ...asked, ...selectors };
      return modify === undefined ? query : modify(query, verb);
    });
  }
}

/** A text that distinguishes a cache of some paths from one of whole objects. */
function cacheRegistryReduction({ select, omit }: Pick<InformerRequest, 'select' | 'omit'>): string {
  const selected = Array.isArray(select) ? ` select ${describeSharedCachePaths(select)}` : '';
  return Array.isArray(omit) ? `${selected} omit ${describeSharedCachePaths(omit)}` : selected;
}

/**
 * An option for one resource. Only own properties count: a resource may have the name of one that every
 * object inherits.
 */
function cacheRegistryOption<V>(table: Readonly<Record<string, V>>, resource: string): V | undefined {
  return Object.hasOwn(table, resource) ? table[resource] : undefined;
}
