import { defined } from '../core/defined.ts';
import { guardedAnswer, type UserCode } from '../core/guarded.ts';
import { type Env, guardedEnv, systemEnv } from '../core/env.ts';
import { KubeError, requireOption } from '../core/errors.ts';
import { type Key, joinKey } from '../core/object/key.ts';
import { type KnownOptions, requireKnown } from '../core/known-options.ts';
import { type KubeObject, type ObjectAccess, plainAccess } from '../core/object/object.ts';
import { type Labels, LabelSelector, type LabelSelectorLike } from '../core/selector/selector.ts';
import { READ_OPTIONS, type ReadOptions } from '../informer/read-options.ts';
import { NAMESPACE_INDEX } from '../store/indexer.ts';
import type { ReadonlyStore } from '../store/store.ts';
import { splitResourceName } from './resource-name.ts';

export interface ListerOptions<T> {
  /** The resource in the store, for messages: `v1/pods`, `apps/v1/deployments`. */
  readonly resource: string;
  /** Restricts the lister to this namespace; "" means all. @default "" */
  readonly namespace?: string;
  /** Reads the metadata of an object. @default decoded JSON */
  readonly access?: ObjectAccess<T>;
  /** Throws STALE_CACHE when the store is not as fresh as a read requires: `requireFresh` of its informer. @default reads cannot require it */
  readonly requireFresh?: UserCode<(options: ReadOptions) => void>;
  /** @default the platform */
  readonly env?: UserCode<Env>;
}

export interface ListQuery {
  /** A string, a map of labels or a LabelSelector. @default everything */
  readonly labels?: LabelSelectorLike;
  /** "" means all. @default "" */
  readonly namespace?: string;
}

export const LIST_QUERY: KnownOptions<ListQuery & ReadOptions> = { ...READ_OPTIONS, labels: true, namespace: true };

/**
 * Reads a cache by label selector, namespace and name.
 *
 * Promises: works with any representation of objects that `access` can read; a selector that matches nothing does not
 * read the store, one that matches everything reads no labels; each call returns a new array.
 *
 * The order is not defined. Objects are not copied: they are shared and must not be changed.
 *
 * Room rule: reads a store, never a server.
 */
export class Lister<T extends object = KubeObject> {
  readonly #store: ReadonlyStore<T>;
  readonly #options: ListerOptions<T>;
  readonly #namespace: string;
  readonly #access: ObjectAccess<T>;
  readonly #env: Env;
  readonly #type: { readonly group: string; readonly plural: string };
  /** Shared with the listers made by `namespace`, so that all of them together warn once. */
  #notice = { given: false };

  constructor(store: ReadonlyStore<T>, options: ListerOptions<T>) {
    const { resource, namespace = '', access = plainAccess } = options;
    this.#store = store;
    this.#options = options;
    this.#type = splitResourceName(resource);
    this.#namespace = namespace;
    this.#access = access;
    this.#env = guardedEnv(options.env ?? systemEnv);
  }

  list(query: ListQuery & ReadOptions = {}): T[] {
    requireKnown('list', query, LIST_QUERY);
    const { labels: wanted = LabelSelector.everything, namespace = '', ...freshness } = query;
    this.#requireFresh(freshness);
    const selector = LabelSelector.of(wanted);
    const within = this.#requireWithin(namespace);
    if (selector.isNothing) return [];
    if (!selector.isEverything && this.#store.byLabels !== undefined) return this.#store.byLabels(selector, within);
    const objects = within === '' ? this.#store.list() : this.#inNamespace(within);
    if (selector.isEverything) return objects;
    return objects.filter((object) => selector.matches(this.#labels(object)));
  }

  /** Returns a lister of one namespace; "" means all. */
  namespace(namespace: string): Lister<T> {
    const lister = new Lister(this.#store, { ...this.#options, namespace: this.#requireWithin(namespace) });
    lister.#notice = this.#notice;
    return lister;
  }

  /** Returns the object, or throws NOT_FOUND with the Status a server would send. For the key see `find`. */
  get(key: Key, options: ReadOptions = {}): T {
    const object = this.find(key, options);
    if (object !== undefined) return object;
    throw this.#notFound(this.#fullKey(key));
  }

  /** Takes `name` for a cluster-scoped object, else `namespace/name`; a lister of one namespace also takes `name`. */
  find(key: Key, options: ReadOptions = {}): T | undefined {
    this.#requireFresh(options);
    const full = this.#fullKey(key);
    const isOutside = this.#namespace !== '' && !full.startsWith(`${this.#namespace}/`);
    return isOutside ? undefined : this.#store.get(full);
  }

  #requireFresh(options: ReadOptions): void {
    if (Object.keys(options).length === 0) return;
    const { requireFresh, resource } = this.#options;
    if (requireFresh === undefined)
      throw new KubeError(
        'INVALID_OPTION',
        `this lister of ${resource} reads a store without an informer: it cannot tell how fresh it is`,
      );
    guardedAnswer('requireFresh', requireFresh)(options);
  }

  #fullKey(key: Key): Key {
    return key.includes('/') ? key : joinKey({ namespace: this.#namespace, name: key });
  }

  /** Throws for another namespace than that of this lister: an empty result would hide the mistake. */
  #requireWithin(namespace: string): string {
    if (namespace === '' || namespace === this.#namespace) return this.#namespace;
    requireOption(this.#namespace === '', 'namespace', `"${this.#namespace}", the namespace of this lister`, namespace);
    return namespace;
  }

  #inNamespace(namespace: string): T[] {
    if (this.#store.hasIndex(NAMESPACE_INDEX)) return this.#store.byIndex(NAMESPACE_INDEX, namespace);
    if (!this.#notice.given) {
      this.#notice.given = true;
      this.#env.log('warn', 'the store has no index "namespace": listing one namespace reads every object', {
        resource: this.#options.resource,
      });
    }
    return this.#store.list().filter((object) => {
      this.#requireMetadata(object);
      return this.#access.namespace(object) === namespace;
    });
  }

  #labels(object: T): Labels {
    this.#requireMetadata(object);
    return this.#access.labels(object);
  }

  /** Throws INVALID_KEY: an object without metadata would count as one without labels, and `env!=prod` would match it. */
  #requireMetadata(object: T): void {
    let name: unknown;
    let cause: unknown;
    try {
      name = this.#access.name(object);
    } catch (error) {
      cause = error;
    }
    if (typeof name === 'string') return;
    throw new KubeError(
      'INVALID_KEY',
      `an object in the store of ${this.#options.resource} has no metadata.name: its labels and namespace cannot be trusted`,
      defined({ cause }),
    );
  }

  #notFound(key: Key): KubeError {
    const { group, plural } = this.#type;
    const message = `${group === '' ? plural : `${plural}.${group}`} ${JSON.stringify(key)} not found`;
    const name = key.slice(key.lastIndexOf('/') + 1);
    return new KubeError('NOT_FOUND', message, {
      status: {
        apiVersion: 'v1',
        kind: 'Status',
        code: 404,
        reason: 'NotFound',
        message,
        details: { group, kind: plural, name },
      },
    });
  }
}
