import { guardedAnswer, guardedCallback, type UserCode } from '../core/guarded.ts';
import { KubeError, requireOption } from '../core/errors.ts';
import { type Key, joinKey, splitKey } from '../core/object/key.ts';
import type { Env } from '../core/env.ts';
import { requireKnown } from '../core/known-options.ts';
import type { KubeObject, Live } from '../core/object/object.ts';
import { linkedAbort } from '../core/async/abort.ts';
import { Latch } from '../core/async/latch.ts';
import type { Differences } from '../informer/verify/consistency.ts';
import type { Handler, InformerEvent } from '../informer/handlers/handlers.ts';
import type { InformerHealth } from '../informer/informer-health.ts';
import { readOptionsNameVersion, type ReadOptions } from '../informer/read-options.ts';
import type { InformerState } from '../informer/informer-state.ts';
import { isNewsForStateListener, type StateCallback } from '../informer/state-listeners.ts';
import { filteredForRegistration } from '../informer/handlers/filtered.ts';
import { handlerName } from '../informer/handlers/handler-name.ts';
import { checkHandlerOptions, type HandlerOptions } from '../informer/handlers/handler-options.ts';
import { type SyncedOptions, untilSynced } from '../informer/until-synced.ts';
import type { Problem } from '../informer/reflector/reflector-context.ts';
import type { Registration } from '../informer/registration.ts';
import type { SharedInformer } from '../informer/shared-informer.ts';
import { type ChangeFor, type ChangesOptions, ChangeStream } from './change-stream.ts';
import { LIST_QUERY, Lister, type ListQuery } from './lister.ts';
import { joinRegistrations } from './joined-registration.ts';
import { serialHandler } from './serial-handler.ts';

/** The informer of one namespace, or of all namespaces if `namespace` is empty. */
export interface NamespaceInformer<T extends object, I extends string> {
  readonly namespace: string;
  readonly informer: SharedInformer<Live<T>, I>;
}

export interface ClusterInformerInit<T extends object, I extends string> {
  readonly resource: string;
  readonly env: Env;
  /** The namespace of names without one, as for requests. */
  readonly namespace: () => string;
  /** The informers of the namespaces, at least one. */
  readonly parts: readonly NamespaceInformer<T, I>[];
  /** Releases the caches behind the parts. */
  readonly release: () => Promise<void>;
}

export interface WaitForVersionOptions extends SyncedOptions {
  /** Waits for the cache of this namespace only. @default all namespaces of the handle */
  readonly namespace?: string;
}

/**
 * One user's handle on a cache that is shared by all requests for the same resource and scope.
 *
 * The cache runs from the first request on. `close` removes the handlers added through this handle; the cache stops when
 * its last handle is closed. With several namespaces, the handle combines one cache per namespace.
 *
 * Handlers, reads and states behave as in SharedInformer. Objects are `Live<T>`: they have a name, a uid and a version.
 */
export class ClusterInformer<T extends object = KubeObject, I extends string = never> implements AsyncDisposable {
  readonly resource: string;
  readonly #env: Env;
  readonly #namespace: () => string;
  readonly #parts: readonly NamespaceInformer<T, I>[];
  readonly #listers: readonly Lister<Live<T>>[];
  readonly #release: () => Promise<void>;
  readonly #registrations = new Set<Registration>();
  readonly #streams = new Set<ChangeStream<Live<T>>>();
  /** Functions that end the state and epoch callbacks of this handle. */
  readonly #stateEnds = new Set<() => void>();
  readonly #closed = new Latch();
  #closing: Promise<void> | undefined;

  constructor({ resource, env, namespace, parts, release }: ClusterInformerInit<T, I>) {
    this.resource = resource;
    this.#env = env;
    this.#namespace = namespace;
    this.#parts = parts;
    this.#release = release;
    this.#listers = parts.map(
      ({ informer }) => new Lister<Live<T>>(informer.store, { resource, env, access: informer.access }),
    );
  }

  /** Adds a handler. It first receives every object in the cache, as initial adds. */
  on(handler: Handler<Live<T>>, options: HandlerOptions = {}): Registration {
    this.#requireOpen();
    checkHandlerOptions(handler, options);
    // Each part has its own queue; the handler still receives one event at a time, and none after its removal.
    const serial =
      this.#parts.length === 1 ? { handler, stop: () => {} } : serialHandler(filteredForRegistration(handler));
    const named = { name: handlerName(handler), ...options };
    const added: Registration[] = [];
    try {
      for (const { informer } of this.#parts) added.push(informer.on(serial.handler, named));
    } catch (error) {
      for (const one of added) one.remove();
      throw error;
    }
    const registration = joinRegistrations(added, () => {
      serial.stop();
      this.#registrations.delete(registration);
    });
    this.#registrations.add(registration);
    return registration;
  }

  /**
   * Iterates over the changes; first come all objects in the cache, as initial adds. A change counts as
   * handled when the next one is requested; `policy` decides what a slow reader misses. With `synced: true`,
   * one `{ type: 'synced' }` separates the initial adds from what follows. Ends when `signal` aborts or this
   * handle is closed.
   */
  changes<const O extends ChangesOptions>(options?: O): AsyncIterableIterator<ChangeFor<Live<T>, O>, undefined>;
  changes({ signal, synced: marksSynced = false, ...options }: ChangesOptions = {}): ChangeStream<Live<T>> {
    this.#requireOpen();
    requireOption(typeof marksSynced === 'boolean', 'synced', 'true or false', marksSynced);
    const stream: ChangeStream<Live<T>> = new ChangeStream<Live<T>>(signal, (handler, synced) => {
      const registration = this.on(handler, { name: 'changes()', ...options });
      if (marksSynced) registration.onSynced(synced);
      return () => {
        this.#streams.delete(stream);
        registration.remove();
      };
    });
    if (!stream.hasEnded) this.#streams.add(stream);
    return stream;
  }

  /** Resolves when the cache has synced. Rejects SYNC_FAILED with the reason (forbidden, not found, unreachable …), or ABORTED. */
  async synced(options: SyncedOptions = {}): Promise<void> {
    await this.#whileOpen('sync', options, (informer, wait) => informer.synced(wait));
  }

  get hasSynced(): boolean {
    return this.#parts.every(({ informer }) => informer.hasSynced);
  }

  /**
   * The object, if it is in the cache. A name without a namespace is looked up in the one that this informer holds, or in that of
   * the connection, as `client.resource().get()` does.
   */
  get(key: Key, options?: ReadOptions): Live<T> | undefined {
    this.#requireOpen();
    const { informer, keys } = this.#find(key);
    informer.requireFresh(options);
    return keys.map((each) => informer.store.get(each)).find((object) => object !== undefined);
  }

  /** Returns the objects that match the label selector and the namespace, all by default, in no particular order. */
  list(query: ListQuery & ReadOptions = {}): Live<T>[] {
    this.#requireOpen();
    requireKnown('list', query, LIST_QUERY);
    const { namespace = '', labels = '', ...freshness } = query;
    // As in `get`: another namespace that is behind does not make this one unreadable.
    for (const { informer } of this.#partsFor(namespace)) informer.requireFresh(freshness);
    const [first, ...others] = this.#listers.map((lister) => lister.list({ namespace, labels }));
    return first === undefined || others.length === 0 ? (first ?? []) : first.concat(...others);
  }

  byIndex(name: I | 'namespace', value: string, options?: ReadOptions): Live<T>[] {
    this.#requireOpen();
    return this.#parts.flatMap(({ informer }) => informer.byIndex(name, value, options));
  }

  /**
   * Resolves with the object once `condition` returns true for it. The condition is checked now and at every change, with
   * undefined if the object does not exist. Rejects SYNC_FAILED after `timeoutMs`, or ABORTED, or INVALID_OPTION for a
   * condition that returns a promise: the object could change while it is pending.
   */
  async waitFor(
    key: Key,
    condition: UserCode<(object: Live<T> | undefined) => boolean>,
    options: SyncedOptions = {},
  ): Promise<Live<T> | undefined> {
    requireOption(typeof condition === 'function', 'condition', 'a function of the object', condition);
    const isMet = guardedAnswer('the condition', condition);
    const { informer, keys } = this.#find(key);
    const startedAt = this.#env.now();
    await this.synced(options);
    const { timeoutMs } = options;
    const left = timeoutMs === undefined ? {} : { timeoutMs: Math.max(0, timeoutMs - (this.#env.now() - startedAt)) };
    const found = new Latch();
    let object = this.get(key);
    let failure: { readonly error: unknown } | undefined;
    const check = (event: InformerEvent<Live<T>>): void => {
      if (!keys.includes(event.key) || found.isOpen) return;
      try {
        object = event.type === 'delete' ? undefined : event.object;
        if (isMet(object)) found.open();
      } catch (error) {
        failure = { error };
        found.open();
      }
    };
    const registration = this.on({ add: check, update: check, delete: check }, { initial: false, name: 'waitFor()' });
    try {
      if (!isMet(object)) {
        await untilSynced(
          found,
          `${this.resource} ${key}`,
          { ...options, ...left },
          {
            env: this.#env,
            ended: [this.#closed],
            problem: () => problemOfClusterInformer(informer.state),
            missing: () => `the object ${object === undefined ? 'does not exist' : 'exists'}`,
            failure: 'did not meet the condition',
            askedMs: timeoutMs,
          },
        );
      }
    } finally {
      registration.remove();
    }
    if (failure !== undefined) throw failure.error;
    return object;
  }

  /**
   * Resolves when the cache contains all changes up to `resourceVersion`, for example your own write. With several namespaces:
   * in all of them, or in `options.namespace`.
   */
  async waitForVersion(resourceVersion: string, options: WaitForVersionOptions = {}): Promise<void> {
    const { namespace, ...wait } = options;
    await this.#whileOpen(
      `reach version ${resourceVersion}`,
      wait,
      (informer, open) => informer.waitForVersion(resourceVersion, open),
      this.#partsFor(namespace),
    );
  }

  /** Whether the cache contains all changes up to `resourceVersion`; with several namespaces, in all of them or in `namespace`. */
  hasReached(resourceVersion: string, namespace?: string): boolean {
    return this.#partsFor(namespace).every(({ informer }) =>
      readOptionsNameVersion(informer.store.resourceVersion, resourceVersion),
    );
  }

  /** The time for which the cache has been stale, as in SharedInformer; with several namespaces, the longest. */
  staleFor(): number {
    return Math.max(...this.#parts.map(({ informer }) => informer.staleFor()));
  }

  /** The state of the cache; with several namespaces, the worst of them. */
  get state(): InformerState {
    const states = this.#parts.map(({ informer }) => informer.state);
    return states.reduce((worst, state) => (STATE_SEVERITY[state.kind] > STATE_SEVERITY[worst.kind] ? state : worst));
  }

  /** Calls `callback` whenever the state has changed, until this handle is closed. Returns a function that ends it. */
  onState(callback: UserCode<StateCallback>): () => void {
    this.#requireOpen();
    const tell = guardedCallback(this.#env, 'onState', callback);
    let before = this.state;
    const changed = (): void => {
      const now = this.state;
      // A closed handle still reports the stop of its cache, but nothing else about a cache that others keep.
      if (!isNewsForStateListener(now, before) || (this.#closed.isOpen && now.kind !== 'stopped')) return;
      const last = before;
      before = now;
      tell(now, last);
    };
    const ends = this.#parts.map(({ informer }) => informer.onState(changed));
    const end = (): void => {
      this.#stateEnds.delete(end);
      for (const one of ends) one();
    };
    this.#stateEnds.add(end);
    return end;
  }

  /**
   * Calls `callback` at each epoch reset, as in SharedInformer, until this handle is closed; with several
   * namespaces, for each of them.
   */
  onEpochReset(callback: UserCode<() => void>): () => void {
    this.#requireOpen();
    const ends = this.#parts.map(({ informer }) => informer.onEpochReset(callback));
    const end = (): void => {
      this.#stateEnds.delete(end);
      for (const one of ends) one();
    };
    this.#stateEnds.add(end);
    return end;
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
   * ended, at the latest after `stopGraceMs`, so do not await it inside one of them. Idempotent.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#closed.open();
    for (const stream of this.#streams) stream.end();
    const handlers = [...this.#registrations].map((registration) => registration.shutdown());
    // Together, so that there is only one wait for a hung callback.
    await Promise.all([...handlers, this.#release()]);
    // Not earlier: after the last handle is closed, they are called with the stop of the cache.
    for (const end of this.#stateEnds) end();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Waits for all parts. Closing this handle ends the wait, also if others keep the caches running. */
  async #whileOpen(
    what: string,
    options: SyncedOptions,
    wait: (informer: SharedInformer<Live<T>, I>, options: SyncedOptions) => Promise<void>,
    parts: readonly NamespaceInformer<T, I>[] = this.#parts,
  ): Promise<void> {
    this.#requireOpen();
    const end = linkedAbort(options.signal ?? new AbortController().signal);
    const forget = this.#closed.onOpen(() => end.abort());
    try {
      await Promise.all(parts.map(({ informer }) => wait(informer, { ...options, signal: end.signal })));
    } catch (error) {
      if (!this.#closed.isOpen) throw error;
      throw new KubeError('SYNC_FAILED', `${this.resource} did not ${what} before its informer was closed`, {
        cause: error,
      });
    } finally {
      forget();
      end[Symbol.dispose]();
    }
  }

  /**
   * The cache that holds an object, and its keys there. A name alone is the key of a cluster-scoped object;
   * in a cache of namespaced objects it means an object of the default namespace. No cache holds both.
   */
  #find(key: Key): { readonly informer: SharedInformer<Live<T>, I>; readonly keys: readonly Key[] } {
    const { namespace, name } = splitKey(key);
    const [first, ...others] = this.#parts;
    if (namespace !== '' || first === undefined) return { informer: this.#partFor(namespace).informer, keys: [key] };
    const own = first.namespace !== '' && others.length === 0 ? first.namespace : this.#namespace();
    return { informer: this.#partFor(own).informer, keys: [key, joinKey({ namespace: own, name })] };
  }

  #partsFor(namespace: string | undefined): readonly NamespaceInformer<T, I>[] {
    return namespace === undefined || namespace === '' ? this.#parts : [this.#partFor(namespace)];
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

/** Why a cache that has synced is behind the server; undefined while it is not. */
function problemOfClusterInformer(state: InformerState): Problem | undefined {
  return 'reason' in state ? state : undefined;
}

const STATE_SEVERITY: Readonly<Record<InformerState['kind'], number>> = {
  synced: 0,
  polling: 0.5,
  stale: 1,
  starting: 2,
  idle: 3,
  stopped: 4,
};
