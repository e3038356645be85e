import { type Env, safeEnv, systemEnv } from '../core/env.ts';
import { abortError, KubeError, messageOf, requireOption } from '../core/errors.ts';
import { type KnownOptions, requireKnown } from '../core/known-options.ts';
import type { KubeObject, ObjectAccess } from '../core/object/object.ts';
import { type InformerName, processNames } from '../informer/apply/informer-name.ts';
import type { InformerHealth } from '../informer/informer-health.ts';
import { INFORMER_OPTIONS } from '../informer/informer-options.ts';
import type { SyncedOptions } from '../informer/until-synced.ts';
import { type ListWatch, withOptions } from '../informer/list-watch/list-watch.ts';
import { SharedInformer } from '../informer/shared-informer.ts';
import { NAMESPACE_INDEX } from '../store/indexer.ts';
import type { Indexers, IndexFn } from '../store/store.ts';
import { defined } from '../core/defined.ts';
import { type InformerRequest, type InformerSetOptions, requireSame } from './informer-set-options.ts';
import { Lister } from './lister.ts';
import { describeScope, normalScope, requireResource, type Scope } from './scope.ts';

/** How one informer of a set is doing. */
export interface InformerSetHealth {
  readonly resource: string;
  readonly scope: Scope;
  readonly health: InformerHealth;
}

/** One cache of a set, whoever asked for it. */
export interface CacheEntry {
  readonly resource: string;
  readonly scope: Scope;
  readonly informer: SharedInformer<object, string>;
}

interface Entry extends CacheEntry {
  /** As the informer was made: the defaults of the set, and what the first request said. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly indexers: Map<string, IndexFn<object>>;
}

/** What a request says, in full. */
interface Asked {
  readonly what: string;
  readonly scope: Scope;
  readonly options: object;
  readonly indexers: Indexers<object>;
  readonly entry: Entry | undefined;
}

const { identifier: _, expected: __, typeDescription: ___, indexers: ____, ...forAll } = INFORMER_OPTIONS;
const SET_OPTIONS: KnownOptions<InformerSetOptions> = {
  ...forAll,
  source: true,
  namespace: true,
  resyncMsByResource: true,
  transformByResource: true,
  modify: true,
  names: true,
};

/**
 * The informers of an application: one per resource and scope, however often it is asked for.
 *
 * Promises: asking for an informer, or for its lister, is what makes `start` start it;
 * whoever asks again gets the same one, or an error if it was made with other options;
 * `shutdown` leaves nothing running and gives the name back.
 *
 * Does not start by itself what is asked for after `start`: call `start` again.
 *
 * Room rule: makes, names and holds informers; what an informer does is its own business.
 *
 * @example
 * const informers = new InformerSet({ source });
 * const pods = informers.informer<Pod>('v1/pods', { namespace: 'web' });
 * const nodes = informers.lister<Node>('v1/nodes');
 * informers.start();
 * await informers.synced({ timeoutMs: 30_000 });
 */
export class InformerSet implements AsyncDisposable {
  readonly #options: InformerSetOptions;
  readonly #defaults: Readonly<Record<string, unknown>>;
  readonly #env: Env;
  readonly #name: InformerName | undefined;
  /** By what `describeScope` calls them. */
  readonly #entries = new Map<string, Entry>();
  #isShutDown = false;

  constructor(options: InformerSetOptions) {
    requireKnown('InformerSet', options, SET_OPTIONS);
    const { source, name, names = processNames, env: given = systemEnv, metrics: _, modify: __, ...rest } = options;
    const env = safeEnv(given);
    const { namespace = '', resyncMsByResource = {}, transformByResource = {}, ...defaults } = rest;
    requireOption(typeof source === 'function', 'source', 'a function that gives a ListWatch', source);
    for (const resource of Object.keys({ ...resyncMsByResource, ...transformByResource })) requireResource(resource);
    normalScope({ namespace });
    this.#options = options;
    this.#defaults = defaults;
    this.#env = env;
    // Last: a set that could not be made must not keep the name.
    this.#name = name === undefined ? undefined : names.reserve(name);
  }

  /**
   * The informer of this resource and scope, made on the first request. Later requests may add
   * indexes; other options they may leave out, but not change.
   */
  informer<T extends object = KubeObject, I extends string = string>(
    resource: string,
    request: InformerRequest<T, I> = {},
  ): SharedInformer<T, I> {
    return this.#entry(resource, request).informer as unknown as SharedInformer<T, I>;
  }

  /** Throws what `informer` would throw, and makes nothing. */
  check<T extends object = KubeObject, I extends string = string>(
    resource: string,
    request: InformerRequest<T, I> = {},
  ): void {
    const { what, entry, options, indexers } = this.#asked(resource, request);
    if (entry === undefined) return;
    requireSame(what, entry.options, options);
    newIndexers(what, entry, indexers);
  }

  /** Questions to the cache of that informer, in the words of the API. */
  lister<T extends object = KubeObject>(resource: string, request: InformerRequest<T> = {}): Lister<T> {
    const { informer, options } = this.#entry(resource, request);
    const { store } = informer as unknown as SharedInformer<T, string>;
    const access = options['access'] as ObjectAccess<T> | undefined;
    return new Lister<T>(store, { resource, env: this.#env, ...defined({ access }) });
  }

  /** Stops one informer and forgets it; the next request makes a new one. Resolves when it has ended. */
  async release(resource: string, scope: Scope = {}): Promise<void> {
    const what = describeScope(resource, normalScope({ ...defined({ namespace: this.#options.namespace }), ...scope }));
    const entry = this.#entries.get(what);
    if (entry === undefined) return;
    this.#entries.delete(what);
    await entry.informer.stop();
  }

  /**
   * Starts what was asked for and is not started yet. May be called again, also with another signal: each
   * informer ends with the signal it was started with, or with the set. Does nothing after `shutdown`.
   */
  start(signal?: AbortSignal): void {
    for (const { informer } of this.#entries.values()) {
      // `shutdown` stops those that never ran as well, and lets no new ones in.
      if (informer.hasStarted || informer.isStopped) continue;
      if (signal === undefined) informer.start();
      else void informer.run(signal);
    }
  }

  /**
   * Resolves when every *started* informer is complete, with the names of those it waited for. Rejects
   * SYNC_FAILED with the names of those that are not complete, and why; it stops none of them.
   */
  async synced(options: SyncedOptions = {}): Promise<ReadonlyMap<string, boolean>> {
    const started = [...this.#entries].filter(([, { informer }]) => informer.hasStarted);
    if (started.length < this.#entries.size) {
      const counts = { started: started.length, all: this.#entries.size };
      this.#env.log('warn', 'informers that are not started are not waited for', counts);
    }
    const failures = new Map<string, unknown>();
    const waits = started.map(([what, { informer }]) =>
      informer.synced(options).catch((error: unknown) => void failures.set(what, error)),
    );
    await Promise.all(waits);
    if (failures.size > 0) throw syncFailed(failures, options.signal);
    return new Map(started.map(([what]) => [what, true]));
  }

  /**
   * Stops every informer, waits until all have ended, then releases the name. Nothing starts afterwards.
   * May be called many times; not to be awaited inside a handler, which it would wait for.
   */
  async shutdown(cause?: unknown): Promise<void> {
    this.#isShutDown = true;
    try {
      // Those never started as well: whoever waits for one of them would wait for ever.
      await Promise.all([...this.#entries.values()].map(({ informer }) => informer.stop(cause)));
    } finally {
      this.#name?.release();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.shutdown();
  }

  /** How every informer asked for so far is doing, started or not. */
  health(): InformerSetHealth[] {
    const entries = [...this.#entries.values()];
    return entries.map(({ resource, scope, informer }) => ({ resource, scope, health: informer.health() }));
  }

  /** Every cache asked for and not released. */
  caches(): CacheEntry[] {
    return [...this.#entries.values()].map(({ resource, scope, informer }) => ({ resource, scope, informer }));
  }

  #entry<T extends object, I extends string>(resource: string, request: InformerRequest<T, I>): Entry {
    const { what, scope, options, indexers, entry: known } = this.#asked(resource, request);
    const entry = known ?? this.#create(what, resource, scope, options);
    requireSame(what, entry.options, options);
    const added = newIndexers(what, entry, indexers);
    if (added.length > 0) entry.informer.addIndexers(Object.fromEntries(added));
    for (const [name, index] of added) entry.indexers.set(name, index);
    this.#entries.set(what, entry);
    return entry;
  }

  #asked<T extends object, I extends string>(resource: string, request: InformerRequest<T, I>): Asked {
    requireResource(resource);
    const { namespace = this.#options.namespace, labelSelector, fieldSelector, indexers = {}, ...options } = request;
    const scope = normalScope(defined({ namespace, labelSelector, fieldSelector }));
    const what = describeScope(resource, scope);
    // Checked before anything is made: a request that is refused leaves nothing behind, not even a name.
    if (Object.hasOwn(indexers, NAMESPACE_INDEX))
      throw new KubeError(
        'INVALID_OPTION',
        `${what} is shared and has another index "${NAMESPACE_INDEX}": use another name`,
      );
    return { what, scope, options, indexers: indexers as Indexers<object>, entry: this.#entries.get(what) };
  }

  #create(what: string, resource: string, scope: Scope, asked: object): Entry {
    if (this.#isShutDown)
      throw new KubeError('ILLEGAL_STATE', `the informer set is shut down: ${what} would never start`);
    const { name, metrics, resyncMsByResource = {}, transformByResource = {} } = this.#options;
    const options: Record<string, unknown> = {
      typeDescription: what,
      ...this.#defaults,
      ...defined({ resyncMs: resyncMsByResource[resource], transform: transformByResource[resource] }),
      ...defined(asked),
    };
    const informer = new SharedInformer<object, string>(this.#source(what, resource, scope), {
      ...options,
      ...defined({ metrics, identifier: this.#name?.withResource(what, this.#env) }),
      name: name === undefined ? what : `${name} ${what}`,
      env: this.#env,
    });
    return { resource, scope, options, indexers: new Map(), informer };
  }

  #source(what: string, resource: string, scope: Scope): ListWatch<object> {
    const { source: factory, modify = (options) => options } = this.#options;
    let source: ListWatch<object>;
    try {
      source = factory(resource, scope);
    } catch (cause) {
      throw new KubeError('INVALID_OPTION', `there is no source for ${what}: ${messageOf(cause)}`, { cause });
    }
    const fits = typeof source?.list === 'function' && typeof source.watch === 'function';
    requireOption(fits, 'source', `a list and a watch for ${what}`, source);
    const { namespace: _, ...selectors } = scope;
    return withOptions(source, (options, verb) => modify({ ...options, ...selectors }, verb));
  }
}

/** Those the informer does not have yet. Throws when a name is taken by another function. */
function newIndexers(what: string, entry: Entry, asked: Indexers<object>): [string, IndexFn<object>][] {
  const added = Object.entries(asked).filter(([name, index]) => entry.indexers.get(name) !== index);
  const taken = added.find(([name]) => entry.informer.store.hasIndex(name));
  if (taken !== undefined) {
    const message = `${what} is shared and has another index "${taken[0]}": use the same function, or another name`;
    throw new KubeError('INVALID_OPTION', message);
  }
  return added;
}

function syncFailed(failures: ReadonlyMap<string, unknown>, signal: AbortSignal | undefined): KubeError {
  const names = [...failures.keys()].sort();
  let cause = failures.get(names[0] as string);
  let why = names.map((name) => messageOf(failures.get(name))).join('; ');
  if (signal?.aborted === true) {
    cause = abortError(signal, 'the wait');
    why = `${messageOf(cause)}: ${messageOf(signal.reason)}`;
  }
  return new KubeError('SYNC_FAILED', `failed to sync all caches: ${names.join(', ')}: ${why}`, { cause });
}
