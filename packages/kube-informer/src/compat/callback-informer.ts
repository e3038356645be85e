import { defined } from '../core/defined.ts';
import { type Env, guardedEnv, systemEnv } from '../core/env.ts';
import { KubeError, errorMessageOf, requireOption } from '../core/errors.ts';
import { type Key, joinKey } from '../core/object/key.ts';
import type { KubeObject } from '../core/object/object.ts';
import { statusOf } from '../core/status.ts';
import { untilAborted } from '../core/async/abort.ts';
import { guardedCallback, guardedPromise, type UserCode } from '../core/guarded.ts';
import type { InformerEvent } from '../informer/handlers/handlers.ts';
import type { InformerState } from '../informer/informer-state.ts';
import type { ListWatch as Source } from '../informer/list-watch/list-watch.ts';
import { SharedInformer } from '../informer/shared-informer.ts';
import { defaultWatchErrorHandler, watchErrorCode } from '../informer/reflector/watch-error.ts';
import type { ReadonlyStore } from '../store/store.ts';
import type {
  ADD, CHANGE, CONNECT, DELETE, ERROR, ErrorCallback, Informer, InformerError, ObjectCache, ObjectCallback, UPDATE,
} from './shapes.ts'; // prettier-ignore
import { errorReportingSource } from './error-reporting-source.ts';

/** A connected source for one run. */
export interface OpenedSource<T> {
  readonly source: Source<T>;
  /** Applied to each object before it is kept. May change it. */
  readonly transform?: UserCode<(object: T) => T>;
  close(): Promise<void>;
}

export interface CallbackInformerOptions<T> {
  /** Name for messages. */
  readonly name: string;
  /** Called at each start. Must call `connected` whenever a watch is opened. */
  readonly open: UserCode<(connected: () => void) => Promise<OpenedSource<T>>>;
  /** Starts in the next turn, after callbacks are registered. Errors of `start` go to the `error` callbacks. @default false */
  readonly autoStart?: boolean;
  readonly env?: UserCode<Env>;
}

/** A callback as it was registered, and the guard that calls it. */
interface RegisteredCallback {
  readonly callback: unknown;
  readonly call: (argument?: unknown) => void;
}

type Verb = 'add' | 'update' | 'delete' | 'connect' | 'error';

/** The state between one start and its stop. */
interface Run<T extends object> {
  readonly end: AbortController;
  /** Settles when the callbacks have the complete cache, or when the run ends. */
  readonly synced: Promise<void>;
  informer?: SharedInformer<T>;
  ended?: Promise<void>;
}

/**
 * client-node's informer interface, implemented on SharedInformer: callbacks by verb, can be started and stopped repeatedly.
 *
 * As in client-node, callbacks run immediately, in order of registration, and their promises are not awaited; a callback
 * registered after the start gets later events only; the cache is readable after a stop, and the next start reports only
 * differences.
 *
 * Unlike client-node, it does not end by itself. `error` reports a request that failed and will be retried; `start` on a
 * running informer does nothing, so programs that start again on every error still work. `start` resolves when the cache
 * is complete, not earlier. A callback that fails is logged and does not affect others. `stop` is not reported as an
 * error.
 *
 * Room rule: translates the interface only; SharedInformer does the work.
 */
export class CallbackInformer<T extends object> implements Informer<T>, ObjectCache<T> {
  readonly #options: CallbackInformerOptions<T>;
  readonly #env: Env;
  readonly #callbacks: Readonly<Record<Verb, RegisteredCallback[]>> = {
    add: [],
    update: [],
    delete: [],
    connect: [],
    error: [],
  };
  #run: Run<T> | undefined;
  /** The cache of the last run that had one. It may be slightly ahead of the callbacks. */
  #store: ReadonlyStore<T> | undefined;
  /** The objects reported to the callbacks, so that the next run reports only differences. */
  readonly #reported = new Map<Key, T>();

  constructor(options: CallbackInformerOptions<T>) {
    this.#options = options;
    this.#env = guardedEnv(options.env ?? systemEnv);
    if (options.autoStart === true)
      void Promise.resolve()
        .then(() => this.start())
        .catch((error: unknown) => this.#call('error', callbackInformerError(error)));
  }

  on(verb: ADD | UPDATE | DELETE | CHANGE, callback: UserCode<ObjectCallback<T>>): void;
  on(verb: ERROR | CONNECT, callback: UserCode<ErrorCallback>): void;
  on(verb: Verb | CHANGE, callback: UserCode<ErrorCallback>): void {
    const call = guardedCallback(this.#env, `on('${verb}')`, callback);
    for (const one of this.#lists(verb)) one.push({ callback, call });
  }

  off(verb: ADD | UPDATE | DELETE | CHANGE, callback: UserCode<ObjectCallback<T>>): void;
  off(verb: ERROR | CONNECT, callback: UserCode<ErrorCallback>): void;
  off(verb: Verb | CHANGE, callback: UserCode<ErrorCallback>): void {
    for (const one of this.#lists(verb)) {
      const at = one.findIndex((registered) => registered.callback === callback);
      if (at >= 0) one.splice(at, 1);
    }
  }

  /** Resolves when the callbacks have the complete cache, or after a stop. Rejects when there is no cluster to connect to. */
  start(): Promise<void> {
    this.#run ??= this.#begin();
    return this.#run.synced;
  }

  /** Stops calling callbacks. Resolves when all connections are closed. */
  async stop(): Promise<void> {
    const run = this.#run;
    this.#run = undefined;
    run?.end.abort();
    await run?.ended;
  }

  get(name: string, namespace = ''): T | undefined {
    return this.#store?.get(joinKey({ namespace, name }));
  }

  /** An empty namespace means all namespaces. Returns a new array. */
  list(namespace = ''): readonly T[] {
    if (namespace === '') return this.#store?.list() ?? [];
    return this.#store?.byIndex('namespace', namespace) ?? [];
  }

  latestResourceVersion(): string {
    return this.#store?.resourceVersion ?? '';
  }

  /** Not in client-node: whether the cache is complete, and since when and why it is stale. */
  get state(): InformerState {
    if (this.#run === undefined) return { kind: 'idle' };
    return this.#run.informer?.state ?? { kind: 'starting' };
  }

  #lists(verb: Verb | CHANGE): RegisteredCallback[][] {
    if (verb === 'change') return [this.#callbacks.add, this.#callbacks.update, this.#callbacks.delete];
    requireOption(Object.hasOwn(this.#callbacks, verb), 'verb', Object.keys(this.#callbacks).join(', '), verb);
    return [this.#callbacks[verb]];
  }

  #begin(): Run<T> {
    const end = new AbortController();
    let settle: { readonly synced: () => void; readonly failed: (error: unknown) => void };
    const synced = new Promise<void>((resolve, reject) => {
      settle = { synced: resolve, failed: reject };
    });
    const run: Run<T> = { end, synced };
    run.ended = this.#live(run, () => settle.synced()).catch((error: unknown) => {
      // Nothing was started: the next start tries again.
      if (this.#run === run) this.#run = undefined;
      settle.failed(error);
    });
    return run;
  }

  async #live(run: Run<T>, synced: () => void): Promise<void> {
    const { signal } = run.end;
    const opened = await this.#open(run);
    if (opened === undefined) return synced();
    try {
      const source = errorReportingSource(opened.source, (error) =>
        this.#report(run, 'error', callbackInformerError(error)),
      );
      run.informer = this.#informer(source, opened.transform);
      this.#follow(run, run.informer, synced);
      await run.informer.run(signal);
    } finally {
      await opened.close();
      synced();
    }
  }

  /**
   * Opens the source of a run. Undefined after a stop, which does not wait for a connection that never opens;
   * one that opens later is closed.
   */
  async #open(run: Run<T>): Promise<OpenedSource<T> | undefined> {
    const { signal } = run.end;
    const opening = guardedPromise(this.#options.open)(() => this.#report(run, 'connect'));
    try {
      return await untilAborted(opening, signal, 'connecting');
    } catch (error) {
      if (!signal.aborted) throw error;
      void opening.then(
        (late) => late.close(),
        () => {},
      );
      return undefined;
    }
  }

  #informer(source: Source<T>, transform: OpenedSource<T>['transform']): SharedInformer<T> {
    return new SharedInformer<T>(source, {
      ...defined({ transform }),
      name: this.#options.name,
      env: this.#env,
      // Programs written for client-node may change the objects.
      freeze: false,
      // Callbacks get no old object, so an object with another UID is reported as delete and add.
      uidChange: 'split',
      onWatchError: (error, about) => {
        if (this.#callbacks.error.length === 0) defaultWatchErrorHandler(error, about);
      },
    });
  }

  /** Reports the differences to the last run, then changes. */
  #follow(run: Run<T>, informer: SharedInformer<T>, synced: () => void): void {
    const unseen = new Set(this.#reported.keys());
    const report = ({ type, key, object }: InformerEvent<T>): void => {
      if (this.#run !== run) return;
      this.#store = informer.store;
      const last = this.#reported.get(key);
      // Reported by an earlier run, and seen for the first time in this one.
      const isKnown = unseen.delete(key) && last !== undefined && type === 'add';
      if (type === 'delete') this.#reported.delete(key);
      else this.#reported.set(key, object);
      if (!isKnown) return this.#report(run, type, object);
      if (callbackMetadata(last).uid !== callbackMetadata(object).uid) {
        this.#report(run, 'delete', last);
        this.#report(run, 'add', object);
      } else if (informer.access.hasSameContent?.(last, object) !== true) {
        // Not only the version: a storage that was restored in between has assigned its versions again.
        this.#report(run, 'update', object);
      }
    };
    // Callbacks are not awaited, so the policy block costs nothing, and no state is merged away.
    const registration = informer.on(
      { add: report, update: report, delete: report },
      { policy: 'block', name: 'callbacks' },
    );
    registration.onSynced(() => {
      if (this.#run !== run) return;
      this.#store = informer.store;
      for (const key of unseen) {
        const last = this.#reported.get(key);
        this.#reported.delete(key);
        this.#report(run, 'delete', last);
      }
      unseen.clear();
      synced();
    });
  }

  /** Calls the callbacks of a verb, unless the run was stopped. */
  #report(run: Run<T>, verb: Verb, argument?: unknown): void {
    if (this.#run === run) this.#call(verb, argument);
  }

  #call(verb: Verb, argument: unknown): void {
    // A copy: a callback may remove itself.
    for (const { call } of this.#callbacks[verb].slice()) call(argument);
  }
}

function callbackMetadata(object: object): NonNullable<KubeObject['metadata']> {
  return (object as KubeObject).metadata ?? {};
}

/**
 * The argument of `error` callbacks: `message` and `statusCode`, which programs for client-node read.
 * Everything else is in `cause`.
 */
function callbackInformerError(error: unknown): InformerError {
  const status = statusOf(error);
  const reported = new KubeError(watchErrorCode(error), errorMessageOf(error), {
    cause: error,
    ...defined({ status }),
  });
  return status?.code === undefined ? reported : Object.assign(reported, { statusCode: status.code });
}
