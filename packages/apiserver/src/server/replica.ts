import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Env } from 'kube-informer/core';
import { definitionCondition } from '../api/kinds/definition/definition-conditions.ts';
import type { CustomVersion } from '../api/kinds/definition/custom-version.ts';
import {
  type Check,
  flagCheck,
  integerShapeCheck,
  notNegativeCheck,
  oneOfShapeCheck,
  shapeCheck,
  checkShape,
} from '../core/shape-check.ts';
import { guardedListener } from '../core/guarded-listener.ts';
import type { ApiObject } from '../core/kube-object.ts';
import type { Backend } from '../http/backend.ts';
import type { Handler, Listener } from '../http/listener/listen.ts';
import { kindContext } from '../registry/kind-context.ts';
import { Registry } from '../registry/registry.ts';
import { serveBuiltinResource, serveCustomResource } from '../registry/serve-resource.ts';
import type { Served } from '../registry/served.ts';
import type { Collection } from '../storage/store/stored-collection.ts';
import type { Change } from '../storage/store/stored-history.ts';
import { Store } from '../storage/store/stored-objects.ts';
import { Bookmarks } from '../storage/watch/bookmarks.ts';
import { watchHubs } from '../storage/watch/watch-hub.ts';
import { isQueryTrue } from '../verbs/request/query.ts';

export interface ReplicaOptions {
  /** Delay of its reads behind the storage. @default 0 */
  readonly lagMs?: number;
  /** Number of the newest changes that it does not have yet, however old they are. @default 0 */
  readonly lagEvents?: number;
  /**
   * Result of a read without a version. `fresh`: the newest state, from the storage, as from a real server.
   * `wait`: the same, once the replica has it. `stale`: the replica's state, which no real server returns. A
   * streamed list comes from the replica once it has the newest state, and fails after 3 s.
   * @default 'fresh'
   */
  readonly consistentReads?: 'fresh' | 'wait' | 'stale';
  /** Distributes reads at the server's own address randomly over both, like a load balancer. @default false */
  readonly spread?: boolean;
}

const OPTIONS = shapeCheck({
  lagMs: notNegativeCheck,
  lagEvents: integerShapeCheck(0),
  consistentReads: oneOfShapeCheck('fresh', 'wait', 'stale'),
  spread: flagCheck,
} satisfies Record<keyof ReplicaOptions, Check>);

export interface ReplicaParts {
  readonly backend: Backend;
  /** Returns the versions of a definition as the main server serves them. */
  readonly versionsOf: (definition: ApiObject) => readonly CustomVersion[];
  readonly mainHandler: Handler;
  readonly makeHandler: (backend: Backend) => Handler;
}

/** Opens the replica's address. */
export interface ReplicaFront {
  listen(handler: Handler): Promise<Listener>;
  urlOf(port: number): string;
}

/**
 * A second API server on the same storage, with a cache that lags behind.
 *
 * Lists and watches from the cache see the past; writes go to the storage at once, as on every API server.
 */
export class Replica {
  readonly #env: Env;
  readonly #main: Store;
  readonly #store = new Store();
  readonly #registry = new Registry();
  readonly #consistent: NonNullable<ReplicaOptions['consistentReads']>;
  readonly #lagEvents: number;
  readonly #versionsOf: ReplicaParts['versionsOf'];
  readonly #queue: { readonly due: number; readonly collection: Collection; readonly change: Change }[] = [];
  readonly #stopped = new AbortController();
  readonly #stopFollowing: () => void;
  readonly handler: Handler;
  /** Delay of its reads behind the storage; changes that are already delayed keep their time. */
  lagMs: number;
  #listener: Listener | undefined;
  #isPumping = false;
  #url = '';

  constructor({ backend, versionsOf, mainHandler, makeHandler }: ReplicaParts, options: ReplicaOptions) {
    checkShape(OPTIONS, options, '', 'addReplica');
    const { lagMs = 0, lagEvents = 0, consistentReads = 'fresh' } = options;
    this.lagMs = lagMs;
    this.#lagEvents = lagEvents;
    this.#consistent = consistentReads;
    this.#versionsOf = versionsOf;
    this.#env = backend.api.env;
    this.#main = backend.api.store;
    for (const served of serveBuiltinResource(this.#store)) this.#registry.add(served);
    this.copy();
    this.#followDefinitions();
    this.#stopFollowing = this.#main.listen((collection, change) => this.#follow(collection, change));
    const own = makeHandler(this.#backend(backend));
    this.handler = guardedListener(
      this.#env,
      (request, response) => this.#handle(request, response, own, mainHandler),
      (_, response) => response.destroy(),
    );
  }

  async start(front: ReplicaFront): Promise<void> {
    this.#listener = await front.listen(this.handler);
    this.#url = front.urlOf(this.#listener.port);
  }

  get url(): string {
    return this.#url;
  }

  /** The newest revision it has. */
  get revision(): number {
    return this.#store.revision;
  }

  /** Copies the current state without a history, after a start or a restore. */
  copy(): void {
    this.#queue.length = 0;
    this.#store.restore(this.#main.snapshot(), this.#main.revision);
    for (const { name } of this.#definitions().collection.current()) this.#serve(name);
  }

  /** Applies all delayed changes, so that it has the newest state. */
  catchUp(): void {
    for (const { collection, change } of this.#queue.splice(0)) this.#adopt(collection, change);
    this.#store.skip(this.#main.revision - this.#store.revision);
  }

  async close(): Promise<void> {
    this.#stopFollowing();
    this.#stopped.abort();
    this.#queue.length = 0;
    await this.#listener?.close();
  }

  #handle(request: IncomingMessage, response: ServerResponse, own: Handler, main: Handler): void | Promise<void> {
    if (request.method !== 'GET' && request.method !== 'HEAD') return main(request, response);
    const query = new URLSearchParams((request.url ?? '').split('?')[1] ?? '');
    const isWatch = isQueryTrue(query, 'watch');
    const wantsNewest = (query.get('resourceVersion') ?? '') === '' && !query.has('continue');
    // A watch waits by itself if it must be consistent.
    if (this.#consistent === 'stale' || isWatch || !wantsNewest) return own(request, response);
    if (this.#consistent === 'fresh') return main(request, response);
    return this.#store.reached(this.#newest(), this.#stopped.signal).then(() => own(request, response));
  }

  #newest(): number {
    // Revisions without a change need not be waited for.
    if (this.#queue.length === 0) this.catchUp();
    return this.#main.revision;
  }

  #follow(collection: Collection, change: Change): void {
    this.#queue.push({ due: this.#env.now() + this.lagMs, collection, change });
    if (!this.#isPumping) void this.#pump();
  }

  async #pump(): Promise<void> {
    this.#isPumping = true;
    while (this.#queue.length > this.#lagEvents) {
      const wait = (this.#queue[0]?.due ?? 0) - this.#env.now();
      if (wait > 0) await this.#env.sleep(wait, this.#stopped.signal);
      if (this.#stopped.signal.aborted) return;
      const next = this.#queue.length > this.#lagEvents ? this.#queue.shift() : undefined;
      if (next !== undefined) this.#adopt(next.collection, next.change);
    }
    this.#isPumping = false;
  }

  #adopt({ id, layout }: Collection, change: Change): void {
    // A copy may already include it.
    if (change.revision > this.#store.revision) this.#store.collection({ id, layout }).adopt(change);
  }

  #definitions(): Served {
    return this.#registry.find('apiextensions.k8s.io', 'v1', 'customresourcedefinitions') as Served;
  }

  #followDefinitions(): void {
    this.#definitions().collection.listen(({ key }) => this.#serve(key));
  }

  /** Serves the definitions in the storage; the main server writes their conditions. */
  #serve(name: string): void {
    const definitions = this.#definitions();
    const record = definitions.collection.get('', name);
    const definition = record === undefined ? undefined : definitions.object(record);
    const isServed = definition !== undefined && definitionCondition(definition, 'Established')?.status === 'True';
    this.#registry.setCustom(
      name,
      isServed ? this.#versionsOf(definition).map((version) => serveCustomResource(this.#store, version)) : [],
    );
  }

  #backend(main: Backend): Backend {
    const env = this.#env;
    const { api } = main;
    const own = { store: this.#store, registry: this.#registry, kindContext: kindContext(env, this.#registry) };
    return {
      ...main,
      api: { ...api, ...own, ...(this.#consistent === 'stale' ? {} : { newest: () => this.#newest() }) },
      bookmarks: new Bookmarks(env, () => this.#store.revision),
      hub: watchHubs(env),
    };
  }
}
