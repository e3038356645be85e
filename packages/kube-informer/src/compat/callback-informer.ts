import { defined } from '../core/defined.ts';
import { type Env, safeEnv, systemEnv } from '../core/env.ts';
import { KubeError, messageOf, requireOption } from '../core/errors.ts';
import { type Key, joinKey } from '../core/object/key.ts';
import type { KubeObject } from '../core/object/object.ts';
import { statusOf } from '../core/status.ts';
import { guarded } from '../core/async/guarded.ts';
import type { InformerEvent } from '../informer/handlers/handlers.ts';
import type { InformerState } from '../informer/informer-state.ts';
import type { ListWatch as Source } from '../informer/list-watch/list-watch.ts';
import { SharedInformer } from '../informer/shared-informer.ts';
import { defaultWatchErrorHandler } from '../informer/reflector/watch-error.ts';
import type { ReadonlyStore } from '../store/store.ts';
import type {
  ADD, CHANGE, CONNECT, DELETE, ERROR, ErrorCallback, Informer, InformerError, ObjectCache, ObjectCallback, UPDATE,
} from './shapes.ts'; // prettier-ignore
import { watched } from './watched-source.ts';

/** A way to the server, for one run. */
export interface Opened<T> {
  readonly source: Source<T>;
  close(): Promise<void>;
}

export interface CallbackInformerOptions<T> {
  /** For messages. */
  readonly name: string;
  /** Asked at each start. `connected` is to be called whenever a watch was opened. */
  readonly open: (connected: () => void) => Promise<Opened<T>>;
  /** Starts in the next turn, when the callbacks are there; what `start` would reject with is told to those of `error`. @default false */
  readonly autoStart?: boolean;
  readonly env?: Env;
}

type Verb = 'add' | 'update' | 'delete' | 'connect' | 'error';

/** From one start to its stop. */
interface Run<T extends object> {
  readonly end: AbortController;
  /** Settles when everything has been told, or when it ended before. */
  readonly told: Promise<void>;
  informer?: SharedInformer<T>;
  ended?: Promise<void>;
}

/**
 * An informer with the manners of client-node's: callbacks by verb, start and stop as often as one likes.
 *
 * Kept from there: callbacks run at once, in the order of their registration, and nobody waits for the promise of one;
 * what is registered after the start hears only what follows; the cache stays readable after a stop, and the next start
 * tells only differences.
 *
 * Not kept: it does not end by itself. `error` says that a request failed and will be tried again; `start` on a running
 * informer does nothing, so programs that start again on every error go on working. `start` resolves when the cache is
 * complete, not before. A callback that fails is logged and touches nobody else. `stop` is no error.
 *
 * Room rule: manners only; what is true about a cluster is the SharedInformer's business.
 */
export class CallbackInformer<T extends object> implements Informer<T>, ObjectCache<T> {
  readonly #options: CallbackInformerOptions<T>;
  readonly #env: Env;
  readonly #callbacks: Readonly<Record<Verb, ((told?: unknown) => void)[]>> = {
    add: [],
    update: [],
    delete: [],
    connect: [],
    error: [],
  };
  #run: Run<T> | undefined;
  /** The cache of the last run that had one. It may be a moment ahead of the callbacks. */
  #store: ReadonlyStore<T> | undefined;
  /** What the callbacks know, so that a stop in the middle loses nothing. */
  readonly #told = new Map<Key, T>();

  constructor(options: CallbackInformerOptions<T>) {
    this.#options = options;
    this.#env = safeEnv(options.env ?? systemEnv);
    if (options.autoStart === true)
      void Promise.resolve()
        .then(() => this.start())
        .catch((error: unknown) => this.#tell('error', informerError(error)));
  }

  on(verb: ADD | UPDATE | DELETE | CHANGE, callback: ObjectCallback<T>): void;
  on(verb: ERROR | CONNECT, callback: ErrorCallback): void;
  on(verb: Verb | CHANGE, callback: ErrorCallback): void {
    for (const one of this.#lists(verb)) one.push(callback);
  }

  off(verb: ADD | UPDATE | DELETE | CHANGE, callback: ObjectCallback<T>): void;
  off(verb: ERROR | CONNECT, callback: ErrorCallback): void;
  off(verb: Verb | CHANGE, callback: ErrorCallback): void {
    for (const one of this.#lists(verb)) {
      const at = one.indexOf(callback);
      if (at >= 0) one.splice(at, 1);
    }
  }

  /** Resolves when the cache is complete and told, or when it is stopped before. Rejects when there is nothing to connect to. */
  start(): Promise<void> {
    this.#run ??= this.#begin();
    return this.#run.told;
  }

  /** No callback is called afterwards. Resolves when all connections are closed. */
  async stop(): Promise<void> {
    const run = this.#run;
    this.#run = undefined;
    run?.end.abort();
    await run?.ended;
  }

  get(name: string, namespace = ''): T | undefined {
    return this.#store?.get(joinKey({ namespace, name }));
  }

  /** An empty namespace means all of them. The array is the caller's own. */
  list(namespace = ''): readonly T[] {
    if (namespace === '') return this.#store?.list() ?? [];
    return this.#store?.byIndex('namespace', namespace) ?? [];
  }

  latestResourceVersion(): string {
    return this.#store?.resourceVersion ?? '';
  }

  /** More than client-node says: whether the cache is complete, and since when and why it is behind. */
  get state(): InformerState {
    if (this.#run === undefined) return { kind: 'idle' };
    return this.#run.informer?.state ?? { kind: 'starting' };
  }

  #lists(verb: Verb | CHANGE): ((told?: unknown) => void)[][] {
    if (verb === 'change') return [this.#callbacks.add, this.#callbacks.update, this.#callbacks.delete];
    requireOption(Object.hasOwn(this.#callbacks, verb), 'verb', Object.keys(this.#callbacks).join(', '), verb);
    return [this.#callbacks[verb]];
  }

  #begin(): Run<T> {
    const end = new AbortController();
    let settle: { readonly told: () => void; readonly failed: (error: unknown) => void };
    const told = new Promise<void>((resolve, reject) => {
      settle = { told: resolve, failed: reject };
    });
    const run: Run<T> = { end, told };
    run.ended = this.#live(run, () => settle.told()).catch((error: unknown) => {
      // Nothing was started: the next start may try again.
      if (this.#run === run) this.#run = undefined;
      settle.failed(error);
    });
    return run;
  }

  async #live(run: Run<T>, told: () => void): Promise<void> {
    const { signal } = run.end;
    const opened = await this.#options.open(() => this.#say(run, 'connect'));
    try {
      if (signal.aborted) return;
      const source = watched(opened.source, (error) => this.#say(run, 'error', informerError(error)));
      run.informer = this.#informer(source);
      this.#follow(run, run.informer, told);
      await run.informer.run(signal);
    } finally {
      await opened.close();
      told();
    }
  }

  #informer(source: Source<T>): SharedInformer<T> {
    return new SharedInformer<T>(source, {
      name: this.#options.name,
      env: this.#env,
      // Programs written for client-node may change what they get.
      freeze: false,
      // There is no old object to compare with: another object under the same name has to be a delete and an add.
      uidChange: 'split',
      onWatchError: (error, about) => {
        if (this.#callbacks.error.length === 0) defaultWatchErrorHandler(error, about);
      },
    });
  }

  /** Tells what is different from what was told before, then what changes. */
  #follow(run: Run<T>, informer: SharedInformer<T>, told: () => void): void {
    const unseen = new Set(this.#told.keys());
    const tell = ({ type, key, object }: InformerEvent<T>): void => {
      if (this.#run !== run) return;
      this.#store = informer.store;
      const last = this.#told.get(key);
      // Part of what a former run told, and seen for the first time in this one.
      const isKnown = unseen.delete(key) && last !== undefined && type === 'add';
      if (type === 'delete') this.#told.delete(key);
      else this.#told.set(key, object);
      if (!isKnown) return this.#say(run, type, object);
      if (metadata(last).uid !== metadata(object).uid) {
        this.#say(run, 'delete', last);
        this.#say(run, 'add', object);
      } else if (metadata(last).resourceVersion !== metadata(object).resourceVersion) this.#say(run, 'update', object);
    };
    // Nobody waits for callbacks, so holding the reader back costs nothing, and no state is merged away.
    const registration = informer.on({ add: tell, update: tell, delete: tell }, { policy: 'block', name: 'callbacks' });
    registration.onSynced(() => {
      if (this.#run !== run) return;
      this.#store = informer.store;
      for (const key of unseen) {
        const last = this.#told.get(key);
        this.#told.delete(key);
        this.#say(run, 'delete', last);
      }
      unseen.clear();
      told();
    });
  }

  /** Nothing is heard of a run that was stopped. */
  #say(run: Run<T>, verb: Verb, what?: unknown): void {
    if (this.#run === run) this.#tell(verb, what);
  }

  #tell(verb: Verb, what: unknown): void {
    // A copy: a callback may remove itself.
    for (const callback of this.#callbacks[verb].slice()) guarded(this.#env, `on('${verb}')`, callback)(what);
  }
}

function metadata(object: object): NonNullable<KubeObject['metadata']> {
  return (object as KubeObject).metadata ?? {};
}

/** Where programs look: the message, and `statusCode`. Everything else is in `cause`. */
function informerError(error: unknown): InformerError {
  const status = statusOf(error);
  const { code = 'TRANSPORT' } = error as Partial<KubeError>;
  const told = new KubeError(code, messageOf(error), { cause: error, ...defined({ status }) });
  return status?.code === undefined ? told : Object.assign(told, { statusCode: status.code });
}
