import { type Env, systemEnv } from '../core/env.ts';
import { KubeError, requireOption } from '../core/errors.ts';
import { type Key, joinKey } from '../core/object/key.ts';
import { type KnownOptions, requireKnown } from '../core/known-options.ts';
import { type KubeObject, type ObjectAccess, plainAccess } from '../core/object/object.ts';
import { type Labels, LabelSelector, type LabelSelectorLike } from '../core/selector/selector.ts';
import { NAMESPACE_INDEX } from '../store/indexer.ts';
import type { ReadonlyStore } from '../store/store.ts';

export interface ListerOptions<T> {
  /** What the store holds, for messages: `v1/pods`, `apps/v1/deployments`. */
  readonly resource: string;
  /** Answers for this namespace only; "" means all. @default "" */
  readonly namespace?: string;
  /** How metadata is read. @default plain decoded JSON */
  readonly access?: ObjectAccess<T>;
  /** @default the platform */
  readonly env?: Env;
}

export interface ListQuery {
  /** A text, a map of labels or a LabelSelector. @default everything */
  readonly labels?: LabelSelectorLike;
  /** "" means all. @default "" */
  readonly namespace?: string;
}

export const LIST_QUERY: KnownOptions<ListQuery> = { labels: true, namespace: true };

/**
 * Questions to a cache in the words of the API: list by labels and namespace, get by name.
 *
 * Promises: one class serves typed objects, untyped ones and any other
 * representation; a selector that matches nothing costs nothing, one that matches
 * everything reads no labels; arrays are the caller's own, without gaps.
 *
 * Does not promise an order, and does not copy: objects are shared and must not be changed.
 *
 * Room rule: reads a store, never a server; what is not in the cache does not exist.
 */
export class Lister<T extends object = KubeObject> {
  readonly #store: ReadonlyStore<T>;
  readonly #options: ListerOptions<T>;
  readonly #namespace: string;
  readonly #access: ObjectAccess<T>;
  readonly #env: Env;
  readonly #type: { readonly group: string; readonly plural: string };
  /** Shared with the listers of single namespaces, so that all of them together warn once. */
  #notice = { given: false };

  constructor(store: ReadonlyStore<T>, options: ListerOptions<T>) {
    const { resource, namespace = '', access = plainAccess as unknown as ObjectAccess<T>, env = systemEnv } = options;
    this.#store = store;
    this.#options = options;
    this.#type = splitResource(resource);
    this.#namespace = namespace;
    this.#access = access;
    this.#env = env;
  }

  list(query: ListQuery = {}): T[] {
    requireKnown('list', query, LIST_QUERY);
    const { labels: wanted = LabelSelector.everything, namespace = '' } = query;
    const selector = LabelSelector.of(wanted);
    const within = this.#within(namespace);
    if (selector.isNothing) return [];
    const objects = within === '' ? this.#store.list() : this.#inNamespace(within);
    if (selector.isEverything) return objects;
    return objects.filter((object) => selector.matches(this.#labels(object)));
  }

  /** The same questions about one namespace; "" means all. */
  namespace(namespace: string): Lister<T> {
    const lister = new Lister(this.#store, { ...this.#options, namespace: this.#within(namespace) });
    lister.#notice = this.#notice;
    return lister;
  }

  /** The object, or NOT_FOUND with the Status a server would answer. See `find` for the key. */
  get(key: Key): T {
    const object = this.find(key);
    if (object !== undefined) return object;
    throw this.#notFound(this.#fullKey(key));
  }

  /** By `name` if cluster-scoped, by `namespace/name` otherwise; in the lister of one namespace, by `name` too. */
  find(key: Key): T | undefined {
    const full = this.#fullKey(key);
    const isOutside = this.#namespace !== '' && !full.startsWith(`${this.#namespace}/`);
    return isOutside ? undefined : this.#store.get(full);
  }

  #fullKey(key: Key): Key {
    return key.includes('/') ? key : joinKey({ namespace: this.#namespace, name: key });
  }

  /** Asking one namespace's lister about another is a mistake that an empty answer would hide. */
  #within(namespace: string): string {
    if (namespace === '' || namespace === this.#namespace) return this.#namespace;
    requireOption(this.#namespace === '', 'namespace', `"${this.#namespace}", the only one of this lister`, namespace);
    return namespace;
  }

  #inNamespace(namespace: string): T[] {
    if (this.#store.hasIndex(NAMESPACE_INDEX)) return this.#store.byIndex(NAMESPACE_INDEX, namespace);
    if (!this.#notice.given) {
      this.#notice.given = true;
      this.#env.log('warn', 'no index "namespace": listing a namespace looks at every object', {
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

  /** Without metadata an object would count as one without labels, and `env!=prod` would pick it. */
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
      `an object among the ${this.#options.resource} has no metadata.name: its labels and namespace cannot be trusted`,
      cause === undefined ? {} : { cause },
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

/** `v1/pods` → group "", `apps/v1/deployments` → group "apps". */
function splitResource(resource: string): { group: string; plural: string } {
  const parts = resource.split('/');
  const [plural = ''] = parts.slice(-1);
  const isComplete = (parts.length === 2 || parts.length === 3) && !parts.includes('');
  requireOption(isComplete, 'resource', 'the full name of a resource, as "v1/pods" or "apps/v1/deployments"', resource);
  return { group: parts.length === 3 ? (parts[0] ?? '') : '', plural };
}
