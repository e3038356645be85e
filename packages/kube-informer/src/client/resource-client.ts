import type { Scale } from '@kube-informer/kubernetes';
import type { Env } from '../core/env.ts';
import { KubeError, type Status } from '../core/errors.ts';
import { joinKey } from '../core/object/key.ts';
import { requireKnown } from '../core/known-options.ts';
import type { GetOptions, ListOptions, WatchOptions } from '../core/object/list-options.ts';
import type { KubeList, KubeObject } from '../core/object/object.ts';
import { isNotFound, statusError, statusOf } from '../core/status.ts';
import type { WatchEvent } from '../core/object/watch-event.ts';
import { discard, readObject, requireJson } from './request/response.ts';
import { bare, bareEvents } from './codec/metadata-only.ts';
import { defined } from '../core/defined.ts';
import type { LookupOptions } from './discovery/discovery.ts';
import { KNOWN } from './known-call-options.ts';
import { lazyStream } from '../core/async/lazy-stream.ts';
import { listQuery, type Narrowed, type Selection, selectors } from './request/list-query.ts';
import { decodeList } from './codec/list-stream.ts';
import type { ApiRequest, CallOptions, Requester } from './request/request.ts';
import type { ResourceLocator } from './discovery/resource-locator.ts';
import {
  type ApplyOptions, callOf, checkApplied, checkObject, type Content, type DeleteCollectionOptions, type DeleteOptions, deletion, json, type ListCallOptions,
  type Partially, patchContent, type PatchOptions, type ReplaceOptions, type SubresourceOptions, typed, type WatchCallOptions, type WriteOptions,
  writeQuery,
} from './resource-options.ts'; // prettier-ignore
import type { TransportResponse } from './transport/transport.ts';
import { checkTarget, type Query, withQuery } from './request/url.ts';
import { decodeWatchStream } from './codec/watch-stream.ts';

/** Objects as they are, or only their metadata: a fraction of the bytes for who needs names and labels. */
type Representation = 'full' | 'metadata';

const ACCEPT: Readonly<Record<Representation, { readonly list: string; readonly one: string }>> = {
  full: { list: 'application/json', one: 'application/json' },
  metadata: {
    list: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json',
    one: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
  },
};

/** Of a source for informers. */
export interface ListWatchOptions extends Selection, Pick<CallOptions, 'onWarning' | 'limiter'> {
  /** Changes the query of every list and watch; sees a copy, with the selectors in it. */
  readonly modify?: (options: WatchOptions, verb: 'list' | 'watch') => WatchOptions;
}

/** Fits the informer's ListWatch. */
export interface ResourceSource<T> {
  list(options: ListOptions, signal: AbortSignal): Promise<KubeList<T>>;
  watch(options: WatchOptions, signal: AbortSignal): AsyncIterable<WatchEvent<T>>;
}

/** A client for objects without bodies: reads, and what can be done by name. */
export type MetadataClient = Pick<
  ResourceClient,
  'name' | 'get' | 'list' | 'watch' | 'listWatch' | 'patch' | 'delete' | 'deleteCollection'
>;

export interface ResourceParts {
  readonly requester: Requester;
  readonly locator: ResourceLocator;
  readonly env: Env;
  readonly representation?: Representation;
  readonly maxObjectBytes?: number;
}

function limitsOf({ maxObjectBytes }: ResourceParts): { readonly maxItemBytes?: number } {
  return maxObjectBytes === undefined ? {} : { maxItemBytes: maxObjectBytes };
}

/**
 * All verbs on one resource. Objects are named by key: `namespace/name`, or `name` for cluster-scoped ones and in the
 * connection's own namespace.
 *
 * Promises: what cannot be sent as it was meant is refused (INVALID_OPTION, INVALID_KEY) before any request; what the
 * server refuses is API_STATUS, for the predicates; objects come as the server sent them.
 *
 * `listWatch()` gives the informer what it needs: one attempt per call, because the reflector owns the retries.
 *
 * Room rule: knows verbs and their options. Paths are the locator's business, retries the requester's.
 */
export class ResourceClient<T extends KubeObject = KubeObject> {
  readonly #parts: ResourceParts;
  readonly #accept: { readonly list: string; readonly one: string };

  constructor(parts: ResourceParts) {
    this.#parts = parts;
    this.#accept = ACCEPT[parts.representation ?? 'full'];
  }

  /** As it was asked for: `apps/v1/deployments`. */
  get name(): string {
    return this.#parts.locator.name;
  }

  /** The same resource, without bodies: `PartialObjectMetadata` with metadata and nothing else. */
  metadataOnly(): MetadataClient {
    return new ResourceClient<KubeObject>({ ...this.#parts, representation: 'metadata' });
  }

  async get(key: string, options: GetOptions & CallOptions = {}): Promise<T> {
    requireKnown('get', options, KNOWN.get);
    const { resourceVersion } = options;
    return this.#call('GET', this.#at(key), options, { resourceVersion: resourceVersion || undefined });
  }

  /** One page, or everything when no `limit` is given. */
  async list(options: ListCallOptions = {}): Promise<KubeList<T>> {
    requireKnown('list', options, KNOWN.list);
    return this.#list(options.namespace, options, callOf(options));
  }

  /** Events from `resourceVersion` on; ends when the server ends it. Leaving the loop closes the stream. */
  watch(options: WatchCallOptions = {}): AsyncIterableIterator<WatchEvent<T>, undefined> {
    requireKnown('watch', options, KNOWN.watch);
    // Only bookmarks promise that something comes now and then.
    const mayBeSilent = options.allowWatchBookmarks !== true;
    return this.#watch(options.namespace, () => options, { ...callOf(options), mayBeSilent });
  }

  /** Without a namespace in its metadata the object is made in the connection's. */
  async create(object: T, options: WriteOptions = {}): Promise<T> {
    requireKnown('create', options, KNOWN.write);
    const content = json(object);
    const { namespace } = object.metadata ?? {};
    const locate = (lookup: LookupOptions): Promise<string> => this.#parts.locator.home(namespace, lookup);
    return this.#call('POST', locate, options, writeQuery(options), content);
  }

  /** Puts the object in place of the one with its name; fails with a conflict when its resourceVersion is not the newest. */
  async replace(object: T, options: ReplaceOptions = {}): Promise<T> {
    requireKnown('replace', options, KNOWN.replace);
    const content = json(object);
    return this.#call('PUT', this.#at(keyIn(object), options.subresource), options, writeQuery(options), content);
  }

  /** The type of the patch helps to write it; nothing is checked, as a patch also removes fields (null) and lists changes. */
  async patch(key: string, patch: Partially<T> | object, options: PatchOptions = {}): Promise<T> {
    requireKnown('patch', options, KNOWN.patch);
    const query = { ...writeQuery(options), force: options.force };
    return this.#call('PATCH', this.#at(key, options.subresource), options, query, patchContent(patch, options));
  }

  /**
   * Server-side apply: makes the given fields so, and leaves all others alone. See `applyConflictsOf` about failures.
   * apiVersion and kind may be left out for what is built in and asked for by its full name.
   */
  async apply(object: Partially<T>, options: ApplyOptions): Promise<T> {
    requireKnown('apply', options, KNOWN.apply);
    checkObject(object, 'object');
    const applied = await typed(object as KubeObject, options, () => this.#parts.locator.builtIn());
    checkApplied(applied);
    return this.patch(keyIn(applied), applied, { ...options, type: 'apply' });
  }

  /** The object, when it is still there (finalizers, grace period), or the Status of its deletion. */
  async delete(key: string, options: DeleteOptions = {}): Promise<T | Status> {
    requireKnown('delete', options, KNOWN.delete);
    return this.#call('DELETE', this.#at(key), options, {}, deletion(options));
  }

  /** Deletes everything that is selected, in one namespace, which has to be named. */
  async deleteCollection(options: DeleteCollectionOptions = {}): Promise<void> {
    requireKnown('deleteCollection', options, KNOWN.deleteCollection);
    const locate = (lookup: LookupOptions): Promise<string> =>
      this.#parts.locator.chosenHome(options.namespace, lookup);
    // The answer lists what was deleted, whatever its size.
    const unread = (answer: TransportResponse): Promise<void> => discard(answer.body);
    await this.#send('DELETE', locate, options, listQuery(options), deletion(options), unread);
  }

  /** Another face of one object: `status`, `scale`, `eviction`, `token` … */
  async subresource<R = unknown>(key: string, subresource: string, options: SubresourceOptions = {}): Promise<R> {
    requireKnown('subresource', options, KNOWN.subresource);
    const { body, method = body === undefined ? 'GET' : 'POST' } = options;
    const query = method === 'GET' ? {} : writeQuery(options);
    const content = body === undefined ? undefined : method === 'PATCH' ? patchContent(body, options) : json(body);
    return this.#call(method, this.#at(key, subresource), options, query, content);
  }

  async getScale(key: string, options: CallOptions = {}): Promise<Scale> {
    requireKnown('getScale', options, KNOWN.call);
    return this.subresource(key, 'scale', options);
  }

  /** Asks for so many replicas, whatever kind of object makes them. */
  async scale(key: string, replicas: number, options: WriteOptions = {}): Promise<Scale> {
    requireKnown('scale', options, KNOWN.write);
    return this.subresource(key, 'scale', { ...options, method: 'PATCH', body: { spec: { replicas } } });
  }

  /** What a reflector needs. Namespace and selectors are fixed; everything else comes with each call. */
  listWatch(options: ListWatchOptions = {}): ResourceSource<T> {
    requireKnown('listWatch', options, KNOWN.listWatch);
    const { namespace = '', modify = (query: WatchOptions) => query } = options;
    // Checked now, so that a mistake is told to the one who made it.
    checkTarget({ namespace });
    const fixed = selectors(options);
    const call: CallOptions = { ...callOf(options), attempts: 'once' };
    return {
      list: async (query, signal) => this.#list(namespace, modify({ ...query, ...fixed }, 'list'), { ...call, signal }),
      watch: (query, signal) =>
        this.#watch(namespace, () => modify({ ...query, ...fixed }, 'watch'), { ...call, signal }),
    };
  }

  async #list(namespace: string | undefined, options: Narrowed<WatchOptions>, call: CallOptions): Promise<KubeList<T>> {
    const { requester, env } = this.#parts;
    const { path, what } = await this.#collection(namespace, listQuery(options), call);
    const request: ApiRequest = { method: 'GET', path, accept: this.#accept.list, ...call };
    try {
      return await requester.call(request, async (answer) => {
        await requireJson(answer, what);
        const list = await decodeList<T>(answer.body, {
          env,
          ...limitsOf(this.#parts),
          ...(this.#isBare ? { onItem: bare } : {}),
        });
        if (list.kind === 'Status') throw statusError(list, what);
        return list;
      });
    } catch (error) {
      throw this.#noted(error);
    }
  }

  #watch(
    namespace: string | undefined,
    options: () => Narrowed<WatchOptions>,
    call: CallOptions & Pick<ApiRequest, 'mayBeSilent'>,
  ): AsyncIterableIterator<WatchEvent<T>, undefined> {
    const { requester, env } = this.#parts;
    return lazyStream(call.signal, async (signal) => {
      const lasting = { ...call, signal };
      const { path, what } = await this.#collection(namespace, { ...listQuery(options()), watch: true }, lasting);
      const request: ApiRequest = { method: 'GET', path, accept: this.#accept.one, longLived: true, ...lasting };
      try {
        const answer = await requester.open(request);
        await requireJson(answer, what);
        const { maxObjectBytes } = this.#parts;
        const events = decodeWatchStream<T>(answer.body, { env, ...defined({ maxFrameBytes: maxObjectBytes }) });
        return this.#isBare ? bareEvents(events) : events;
      } catch (error) {
        throw this.#noted(error);
      }
    });
  }

  async #collection(namespace = '', query: Query, call: CallOptions): Promise<{ path: string; what: string }> {
    const path = await this.#parts.locator.collection(namespace, call);
    return { path: withQuery(path, query), what: `GET ${path}` };
  }

  get #isBare(): boolean {
    return this.#parts.representation === 'metadata';
  }

  /** A path that leads nowhere, as against an object that is not there: perhaps its kind has moved to another version. */
  #noted(error: unknown): unknown {
    if (isNotFound(error) && statusOf(error)?.details?.name === undefined) this.#parts.locator.forget();
    return error;
  }

  #at(key: string, subresource?: string): (lookup: LookupOptions) => Promise<string> {
    return (lookup) => this.#parts.locator.object(key, lookup, subresource);
  }

  #call<R>(
    method: ApiRequest['method'],
    locate: (lookup: LookupOptions) => Promise<string>,
    options: CallOptions,
    query: Query,
    content?: Content,
  ): Promise<R> {
    return this.#send(method, locate, options, query, content, async (answer, what) => {
      const object = await readObject<R>(answer, what, this.#parts.maxObjectBytes);
      if (this.#isBare && (object as KubeObject).kind !== 'Status') bare(object as object);
      return object;
    });
  }

  async #send<R>(
    method: ApiRequest['method'],
    locate: (lookup: LookupOptions) => Promise<string>,
    options: CallOptions,
    query: Query,
    content: Content | undefined,
    read: (answer: TransportResponse, what: string) => Promise<R>,
  ): Promise<R> {
    const call = callOf(options);
    const sendTo = (path: string): Promise<R> => {
      const request: ApiRequest = {
        method,
        path: withQuery(path, query),
        accept: this.#accept.one,
        ...content,
        ...call,
      };
      return this.#parts.requester.call(request, (answer) => read(answer, `${method} ${path}`));
    };
    const path = await locate(call);
    try {
      return await sendTo(path);
    } catch (error) {
      this.#noted(error);
      if (!isNotFound(error) || !this.#parts.locator.isLookedUp) throw error;
      // What was known of the name may be out of date: a custom resource can come back in another version or scope.
      const now = await locate(call).catch(() => path);
      if (now === path) throw error;
      return sendTo(now);
    }
  }
}

function keyIn({ metadata }: KubeObject): string {
  const { name, namespace = '' } = metadata ?? {};
  if (!name) throw new KubeError('INVALID_KEY', 'the object has no metadata.name');
  return joinKey({ namespace, name });
}
