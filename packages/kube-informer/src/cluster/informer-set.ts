import { abortError, KubeError, errorMessageOf } from '../core/errors.ts';
import type { KubeObject, Live } from '../core/object/object.ts';
import type { ReadOptions } from '../informer/read-options.ts';
import type { SyncedOptions } from '../informer/until-synced.ts';
import type { SharedInformer } from '../informer/shared-informer.ts';
import { CacheRegistry, type InformerSetHealth } from './cache-registry.ts';
import type { InformerRequest, InformerSetOptions } from './informer-set-options.ts';
import { Lister } from './lister.ts';
import type { Scope } from './scope.ts';

/** One cache of a set. */
export interface CacheEntry {
  readonly resource: string;
  readonly scope: Scope;
  readonly informer: SharedInformer<object, string>;
}

/**
 * The informers of an application, one per resource and scope: client-go's SharedInformerFactory.
 *
 * Promises: `start` starts every informer that was requested, also through its lister; a second request returns the
 * same informer, or throws if it has other options; `shutdown` leaves nothing running and releases the name.
 *
 * Informers requested after `start` are not started until `start` is called again.
 *
 * @example
 * const informers = new InformerSet({ source });
 * const pods = informers.informer<Pod>('v1/pods', { namespace: 'web' });
 * const nodes = informers.lister<Node>('v1/nodes');
 * informers.start();
 * await informers.synced({ timeoutMs: 30_000 });
 */
export class InformerSet implements AsyncDisposable {
  readonly #registry: CacheRegistry;

  constructor(options: InformerSetOptions) {
    this.#registry = new CacheRegistry('InformerSet', options);
  }

  /**
   * Returns the informer of this resource and scope; the first request creates it. Later requests may add
   * indexes. They may omit other options, but not change them.
   */
  informer<T extends object = KubeObject, I extends string = string>(
    resource: string,
    request: InformerRequest<T, I> = {},
  ): SharedInformer<T, I> {
    return this.#registry.open(resource, request).informer as unknown as SharedInformer<T, I>;
  }

  /** Throws if `informer` would refuse the request because of an existing informer. Creates nothing. */
  check<T extends object = KubeObject, I extends string = string>(
    resource: string,
    request: InformerRequest<T, I> = {},
  ): void {
    this.#registry.check(resource, request);
  }

  /** Returns a lister of the same cache that `informer` returns for this request. */
  lister<T extends object = KubeObject>(resource: string, request: InformerRequest<T> = {}): Lister<Live<T>> {
    const { informer } = this.#registry.open(resource, request);
    const { store, access } = informer as unknown as SharedInformer<Live<T>, string>;
    const requireFresh = (read: ReadOptions): void => informer.requireFresh(read);
    return new Lister<Live<T>>(store, { resource, requireFresh, env: this.#registry.env, access });
  }

  /** Stops one informer and removes it; the next request creates a new one. Resolves when it has stopped. */
  async release(resource: string, scope: Scope = {}): Promise<void> {
    await this.#registry.find(resource, scope)?.close();
  }

  /**
   * Starts every requested informer that has not started yet. May be called again, also with another signal: each
   * informer stops with the signal it was started with, or with the set. Does nothing after `shutdown`.
   */
  start(signal?: AbortSignal): void {
    for (const cache of this.#registry.caches) cache.start(signal);
  }

  /**
   * Resolves when every *started* informer has synced, with their names. Rejects SYNC_FAILED with the names of those
   * that have not synced, and the reasons. Stops none of them.
   */
  async synced(options: SyncedOptions = {}): Promise<ReadonlyMap<string, boolean>> {
    const { caches, env } = this.#registry;
    const started = caches.filter(({ informer }) => informer.hasStarted);
    if (started.length < caches.length) {
      const counts = { started: started.length, all: caches.length };
      env.log('warn', 'synced() does not wait for informers that are not started; call start() first', counts);
    }
    const failures = new Map<string, unknown>();
    const waits = started.map(({ description, informer }) =>
      informer.synced(options).catch((error: unknown) => void failures.set(description, error)),
    );
    await Promise.all(waits);
    if (failures.size > 0) throw informerSetSyncError(failures, options.signal);
    return new Map(started.map(({ description }) => [description, true]));
  }

  /**
   * Stops every informer, waits until all have stopped, then releases the name. Nothing starts afterwards.
   * Idempotent. Do not await it inside a handler: it waits for running handlers.
   */
  shutdown(cause?: unknown): Promise<void> {
    return this.#registry.shutdown(cause);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.shutdown();
  }

  /** The health of every requested informer, started or not. */
  health(): InformerSetHealth[] {
    return this.#registry.health();
  }

  /** Every cache that was requested and not released. */
  caches(): CacheEntry[] {
    return this.#registry.caches.map(({ resource, scope, informer }) => ({ resource, scope, informer }));
  }
}

function informerSetSyncError(failures: ReadonlyMap<string, unknown>, signal: AbortSignal | undefined): KubeError {
  const names = [...failures.keys()].sort();
  let cause = failures.get(names[0] as string);
  let why = names.map((name) => errorMessageOf(failures.get(name))).join('; ');
  if (signal?.aborted === true) {
    cause = abortError(signal, 'the wait');
    why = `${errorMessageOf(cause)}: ${errorMessageOf(signal.reason)}`;
  }
  return new KubeError('SYNC_FAILED', `failed to sync all caches: ${names.join(', ')}: ${why}`, { cause });
}
