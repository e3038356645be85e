import { KubeError, requireOption } from '../core/errors.ts';
import { type Key, splitKey } from '../core/object/key.ts';
import type { Env } from '../core/env.ts';
import { type KnownOptions, requireKnown } from '../core/known-options.ts';
import type { KubeObject } from '../core/object/object.ts';
import { Latch } from '../core/async/latch.ts';
import type { Differences } from '../informer/verify/consistency.ts';
import type { Handler, InformerEvent } from '../informer/handlers/handlers.ts';
import type { InformerHealth } from '../informer/informer-health.ts';
import { READ_OPTIONS, type ReadOptions } from '../informer/freshness.ts';
import type { InformerState } from '../informer/informer-state.ts';
import type { HandlerOptions } from '../informer/handlers/handler-options.ts';
import { type SyncedOptions, untilSynced } from '../informer/until-synced.ts';
import type { Registration } from '../informer/registration.ts';
import type { SharedInformer } from '../informer/shared-informer.ts';
import { type ChangesOptions, ChangeStream, type Overflow } from './change-stream.ts';
import { LIST_QUERY, Lister, type ListQuery } from './lister.ts';
import { joinRegistrations } from './joined-registration.ts';
import { serialHandler } from './serial-handler.ts';

/** The informer of one namespace, or of all namespaces if `namespace` is empty. */
export interface NamespaceInformer<T extends object, I extends string> {
  readonly namespace: string;
  readonly informer: SharedInformer<T, I>;
}

export interface ClusterInformerInit<T extends object, I extends string> {
  readonly resource: string;
  readonly env: Env;
  /** At least one. */
  readonly parts: readonly NamespaceInformer<T, I>[];
  /** Releases the caches behind the parts. */
  readonly release: () => Promise<void>;
}

const LIST_OPTIONS: KnownOptions<ListQuery & ReadOptions> = { ...LIST_QUERY, ...READ_OPTIONS };

/**
 * One user's handle on a cache that is shared by all requests for the same resource and scope.
 *
 * The cache runs from the first request on. `close` removes the handlers added through this handle; the cache stops when
 * its last handle is closed. With several namespaces, the handle combines one cache per namespace.
 *
 * Handlers, reads and states behave as in SharedInformer.
 */
export class ClusterInformer<T extends object = KubeObject, I extends string = never> implements AsyncDisposable {
  readonly resource: string;
  readonly #env: Env;
  readonly #parts: readonly NamespaceInformer<T, I>[];
  readonly #listers: readonly Lister<T>[];
  readonly #release: () => Promise<void>;
  readonly #registrations = new Set<Registration>();
  readonly #streams = new Set<ChangeStream<T>>();
  readonly #closed = new Latch();
  #closing: Promise<void> | undefined;

  constructor({ resource, env, parts, release }: ClusterInformerInit<T, I>) {
    this.resource = resource;
    this.#env = env;
    this.#parts = parts;
    this.#release = release;
    this.#listers = parts.map(({ informer }) => new Lister<T>(informer.store, { resource, env }));
  }

  /** Adds a handler. It first receives every object in the cache, as initial adds. */
  on(handler: Handler<T>, options: HandlerOptions = {}): Registration {
    this.#requireOpen();
    // Each part has its own queue; the handler still receives one event at a time.
    const serial = this.#parts.length === 1 ? handler : serialHandler(handler);
    const added = this.#parts.map(({ informer }) => informer.on(serial, options));
    const registration = joinRegistrations(added, () => this.#registrations.delete(registration));
    this.#registrations.add(registration);
    return registration;
  }

  /**
   * Iterates over the changes; first come all objects in the cache, as initial adds. A change counts as handled when the next
   * one is requested; `policy` decides what a slow reader misses. Ends when `signal` aborts or this handle is closed.
   */
  changes(options: ChangesOptions & { readonly policy: 'detach' }): AsyncIterableIterator<InformerEvent<T> | Overflow>;
  changes(options?: ChangesOptions): AsyncIterableIterator<InformerEvent<T>>;
  changes({ signal, ...options }: ChangesOptions = {}): AsyncIterableIterator<InformerEvent<T> | Overflow> {
    this.#requireOpen();
    const added: Registration[] = [];
    const stream = new ChangeStream<T>(signal, () => {
      this.#streams.delete(stream);
      for (const registration of added) registration.remove();
    });
    if (signal?.aborted === true) return stream;
    this.#streams.add(stream);
    const named = { name: 'changes()', ...options };
    added.push(...this.#parts.map(({ informer }) => informer.on(stream.handler, named)));
    return stream;
  }

  /** Resolves when the cache has synced. Rejects SYNC_FAILED with the reason (forbidden, not found, unreachable …), or ABORTED. */
  async synced(options: SyncedOptions = {}): Promise<void> {
    this.#requireOpen();
    await Promise.all(this.#parts.map(({ informer }) => informer.synced(options)));
  }

  get hasSynced(): boolean {
    return this.#parts.every(({ informer }) => informer.hasSynced);
  }

  get(key: Key, options?: ReadOptions): T | undefined {
    this.#requireOpen();
    return this.#partFor(splitKey(key).namespace).informer.get(key, options);
  }

  /** Returns the objects that match the label selector and the namespace, all by default, in no particular order. */
  list(query: ListQuery & ReadOptions = {}): T[] {
    this.#requireOpen();
    requireKnown('list', query, LIST_OPTIONS);
    const { namespace = '', labels = '', ...freshness } = query;
    if (namespace !== '') this.#partFor(namespace);
    for (const { informer } of this.#parts) informer.requireFresh(freshness);
    return this.#listers.flatMap((lister) => lister.list({ namespace, labels }));
  }

  byIndex(name: I | 'namespace', value: string, options?: ReadOptions): T[] {
    this.#requireOpen();
    return this.#parts.flatMap(({ informer }) => informer.byIndex(name, value, options));
  }

  /**
   * Resolves with the object once `condition` returns true for it. The condition is checked now and at every change, with
   * undefined if the object does not exist. Rejects SYNC_FAILED after `timeoutMs`, or ABORTED.
   */
  async waitFor(
    key: Key,
    condition: (object: T | undefined) => boolean,
    options: SyncedOptions = {},
  ): Promise<T | undefined> {
    requireOption(typeof condition === 'function', 'condition', 'a function of the object', condition);
    this.#partFor(splitKey(key).namespace);
    const startedAt = this.#env.now();
    await this.synced(options);
    const { timeoutMs } = options;
    const left = timeoutMs === undefined ? {} : { timeoutMs: Math.max(0, timeoutMs - (this.#env.now() - startedAt)) };
    const found = new Latch();
    let object = this.get(key);
    let failure: unknown;
    const check = (event: InformerEvent<T>): void => {
      if (event.key !== key || found.isOpen) return;
      try {
        object = event.type === 'delete' ? undefined : event.object;
        if (condition(object)) found.open();
      } catch (error) {
        failure = error;
        found.open();
      }
    };
    const registration = this.on({ add: check, update: check, delete: check }, { initial: false, name: 'waitFor()' });
    try {
      if (!condition(object)) {
        await untilSynced(
          found,
          `${this.resource} ${key}`,
          { ...options, ...left },
          {
            env: this.#env,
            ended: [this.#closed],
            problem: () => undefined,
            missing: () => `the object ${object === undefined ? 'does not exist' : 'exists'}`,
            failure: 'did not meet the condition',
            askedMs: timeoutMs,
          },
        );
      }
    } finally {
      registration.remove();
    }
    if (failure !== undefined) throw failure;
    return object;
  }

  /** The state of the cache; with several namespaces, the worst of them. */
  get state(): InformerState {
    const states = this.#parts.map(({ informer }) => informer.state);
    return states.reduce((worst, state) => (STATE_SEVERITY[state.kind] > STATE_SEVERITY[worst.kind] ? state : worst));
  }

  /** The health of each requested namespace. */
  health(): readonly InformerHealth[] {
    return this.#parts.map(({ informer }) => informer.health());
  }

  /** Compares the cache with the server. Reads the whole collection from the server: for audits and tests. */
  verify(signal?: AbortSignal): Promise<readonly Differences[]> {
    this.#requireOpen();
    return Promise.all(this.#parts.map(({ informer }) => informer.verify(signal)));
  }

  /**
   * Closes this handle: its handlers receive nothing more and its reads throw. Resolves when its running callbacks have
   * ended, so do not await it inside one of them. Idempotent.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#closed.open();
    for (const stream of this.#streams) stream.end();
    const handlers = [...this.#registrations].map((registration) => registration.shutdown());
    await Promise.all(handlers);
    await this.#release();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Throws for a namespace that was not requested: an empty result would hide the mistake. */
  #partFor(namespace: string): NamespaceInformer<T, I> {
    const part = this.#parts.find((one) => one.namespace === namespace || one.namespace === '');
    if (part !== undefined) return part;
    const held = this.#parts.map((one) => one.namespace).join(', ');
    const problem = namespace === '' ? 'the key has no namespace' : `namespace ${namespace} is not cached`;
    throw new KubeError('INVALID_OPTION', `${problem}: this informer of ${this.resource} holds ${held} only`);
  }

  #requireOpen(): void {
    if (this.#closed.isOpen)
      throw new KubeError(
        'ILLEGAL_STATE',
        `this informer of ${this.resource} is closed: call cluster.informer() again`,
      );
  }
}

const STATE_SEVERITY: Readonly<Record<InformerState['kind'], number>> = {
  synced: 0,
  stale: 1,
  starting: 2,
  idle: 3,
  stopped: 4,
};
