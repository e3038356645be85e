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
import { joinRegistrations, oneAtATime } from './union.ts';

/** One namespace's part of an informer; the namespace is empty where there is only one part. */
export interface Part<T extends object, I extends string> {
  readonly namespace: string;
  readonly informer: SharedInformer<T, I>;
}

export interface ClusterInformerParts<T extends object, I extends string> {
  readonly resource: string;
  readonly env: Env;
  readonly parts: readonly Part<T, I>[];
  /** Gives the parts back. */
  readonly release: () => Promise<void>;
}

const QUERY: KnownOptions<ListQuery & ReadOptions> = { ...LIST_QUERY, ...READ_OPTIONS };

/**
 * One user's hold on the cache of a resource, shared with everybody in the process who asks for the same.
 *
 * It runs from the moment it is asked for. `close` removes what was added through this hold, and when the last one is
 * closed the cache stops. With several namespaces it is one view over one cache for each.
 *
 * Promises of handlers, reads and states: see SharedInformer.
 */
export class ClusterInformer<T extends object = KubeObject, I extends string = never> implements AsyncDisposable {
  readonly resource: string;
  readonly #env: Env;
  readonly #parts: readonly Part<T, I>[];
  readonly #listers: readonly Lister<T>[];
  readonly #release: () => Promise<void>;
  readonly #registrations = new Set<Registration>();
  readonly #streams = new Set<ChangeStream<T>>();
  readonly #closed = new Latch();
  #closing: Promise<void> | undefined;

  constructor({ resource, env, parts, release }: ClusterInformerParts<T, I>) {
    this.resource = resource;
    this.#env = env;
    this.#parts = parts;
    this.#release = release;
    this.#listers = parts.map(({ informer }) => new Lister<T>(informer.store, { resource, env }));
  }

  /** Adds a handler. It is first told of everything already in the cache, as initial adds. */
  on(handler: Handler<T>, options: HandlerOptions = {}): Registration {
    this.#open();
    // Each part has a queue of its own; the handler must not notice.
    const shared = this.#parts.length === 1 ? handler : oneAtATime(handler);
    const added = this.#parts.map(({ informer }) => informer.on(shared, options));
    const registration = joinRegistrations(added, () => this.#registrations.delete(registration));
    this.#registrations.add(registration);
    return registration;
  }

  /**
   * Changes as they come, first everything that is there as initial adds. A change counts as handled when the next one is
   * asked for; a reader that is too slow is treated as the policy says. Ends when `signal` aborts or this hold is closed.
   */
  changes(options: ChangesOptions & { readonly policy: 'detach' }): AsyncIterableIterator<InformerEvent<T> | Overflow>;
  changes(options?: ChangesOptions): AsyncIterableIterator<InformerEvent<T>>;
  changes({ signal, ...options }: ChangesOptions = {}): AsyncIterableIterator<InformerEvent<T> | Overflow> {
    this.#open();
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

  /** Resolves when the cache is complete. Rejects SYNC_FAILED with the reason (forbidden, not found, unreachable …), or ABORTED. */
  async synced(options: SyncedOptions = {}): Promise<void> {
    this.#open();
    await Promise.all(this.#parts.map(({ informer }) => informer.synced(options)));
  }

  get hasSynced(): boolean {
    return this.#parts.every(({ informer }) => informer.hasSynced);
  }

  get(key: Key, options?: ReadOptions): T | undefined {
    this.#open();
    return this.#partOf(splitKey(key).namespace).informer.get(key, options);
  }

  /** Everything, or what a label selector or a namespace picks. In no order. */
  list(query: ListQuery & ReadOptions = {}): T[] {
    this.#open();
    requireKnown('list', query, QUERY);
    const { namespace = '', labels = '', ...freshness } = query;
    if (namespace !== '') this.#partOf(namespace);
    for (const { informer } of this.#parts) informer.requireFresh(freshness);
    return this.#listers.flatMap((lister) => lister.list({ namespace, labels }));
  }

  byIndex(name: I | 'namespace', value: string, options?: ReadOptions): T[] {
    this.#open();
    return this.#parts.flatMap(({ informer }) => informer.byIndex(name, value, options));
  }

  /**
   * Resolves with the object as soon as `holds` says so, which is asked now and at every change; undefined stands for an
   * object that is not there. Rejects SYNC_FAILED when `timeoutMs` is over, or ABORTED.
   */
  async waitFor(
    key: Key,
    holds: (object: T | undefined) => boolean,
    options: SyncedOptions = {},
  ): Promise<T | undefined> {
    requireOption(typeof holds === 'function', 'holds', 'a condition', holds);
    this.#partOf(splitKey(key).namespace);
    const startedAt = this.#env.now();
    await this.synced(options);
    const { timeoutMs } = options;
    const left = timeoutMs === undefined ? {} : { timeoutMs: Math.max(0, timeoutMs - (this.#env.now() - startedAt)) };
    const found = new Latch();
    let object = this.get(key);
    let failure: unknown;
    const look = (event: InformerEvent<T>): void => {
      if (event.key !== key || found.isOpen) return;
      try {
        object = event.type === 'delete' ? undefined : event.object;
        if (holds(object)) found.open();
      } catch (error) {
        failure = error;
        found.open();
      }
    };
    const registration = this.on({ add: look, update: look, delete: look }, { initial: false, name: 'waitFor()' });
    try {
      if (!holds(object)) {
        const missing = (): string => (object === undefined ? 'it is not there' : 'it is there, as something else');
        const failure = 'did not become what was waited for';
        const around = {
          env: this.#env,
          ended: [this.#closed],
          problem: () => undefined,
          missing,
          failure,
          askedMs: timeoutMs,
        };
        await untilSynced(found, `${this.resource} ${key}`, { ...options, ...left }, around);
      }
    } finally {
      registration.remove();
    }
    if (failure !== undefined) throw failure;
    return object;
  }

  /** Of several namespaces: the worst of them. */
  get state(): InformerState {
    const states = this.#parts.map(({ informer }) => informer.state);
    return states.reduce((worst, state) => (badness(state) > badness(worst) ? state : worst));
  }

  /** One for each namespace that was asked for. */
  health(): readonly InformerHealth[] {
    return this.#parts.map(({ informer }) => informer.health());
  }

  /** Compares the cache with the server. Reads the whole collection: for audits and tests. */
  verify(signal?: AbortSignal): Promise<readonly Differences[]> {
    this.#open();
    return Promise.all(this.#parts.map(({ informer }) => informer.verify(signal)));
  }

  /**
   * Ends this hold: its handlers hear nothing more and its reads throw. Resolves when its running callbacks have ended, so
   * it is not to be awaited inside one of them. Idempotent.
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

  /** The cache of a namespace. Throws for one that was not asked for: an empty answer would hide the mistake. */
  #partOf(namespace: string): Part<T, I> {
    const part = this.#parts.find((one) => one.namespace === namespace || one.namespace === '');
    if (part !== undefined) return part;
    const held = this.#parts.map((one) => one.namespace).join(', ');
    const what = namespace === '' ? 'a key without a namespace' : `namespace ${namespace}`;
    throw new KubeError('INVALID_OPTION', `${what}: this informer of ${this.resource} holds ${held} only`);
  }

  /** Throws unless open. */
  #open(): void {
    if (this.#closed.isOpen)
      throw new KubeError('ILLEGAL_STATE', `this hold on ${this.resource} is closed: ask the cluster for another`);
  }
}

const BADNESS: Readonly<Record<InformerState['kind'], number>> = {
  synced: 0,
  stale: 1,
  starting: 2,
  idle: 3,
  stopped: 4,
};

function badness({ kind }: InformerState): number {
  return BADNESS[kind];
}
