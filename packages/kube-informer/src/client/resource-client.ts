import type { Scale } from '@kube-informer/kubernetes';
import { KubeError, requireOption, type Status } from '../core/errors.ts';
import { joinKey } from '../core/object/key.ts';
import { requireKnown } from '../core/known-options.ts';
import type { GetOptions } from '../core/object/list-options.ts';
import type { KubeList, KubeObject, Live } from '../core/object/object.ts';
import { isNotFound } from '../core/status.ts';
import type { WatchEvent } from '../core/object/watch-event.ts';
import { discardResponseBody, objectOfResponse } from './request/response.ts';
import { keepMetadataOnly } from './codec/metadata-only.ts';
import { plainJsonCodec } from '../core/object/json-codec.ts';
import type { LookupOptions } from './discovery/discovery.ts';
import { KNOWN } from './known-call-options.ts';
import { listQuery } from './request/list-query.ts';
import type { ApiRequest, CallOptions } from './request/request.ts';
import {
  type ApplyOptions, callOptionsOf, checkAppliedByResourceOptions, checkObjectBesideResourceOptions, type Content, type DeleteCollectionOptions, type DeleteOptions, resourceDeleteContent, jsonOfResourceOptions, type ListCallOptions,
  type Partially, patchOfResourceOptions, type PatchOptions, type ReplaceOptions, type SubresourceOptions, typeForResourceOptions, type WatchCallOptions, type WriteOptions,
  resourceOptionsQuery,
} from './resource-options.ts'; // prettier-ignore
import { type ListWatchOptions, type ResourceParts, ResourceReader, type ResourceSource } from './resource-reader.ts';
import type { TransportResponse } from './transport/transport.ts';
import { type Query, urlWithQuery } from './request/url.ts';
import { acceptJsonByWireChoice, type Representation, requireWireChoice } from './wire-choice.ts';

/** A client for metadata only: reads, and the verbs that take a name. */
export type MetadataClient = Pick<
  ResourceClient,
  'name' | 'get' | 'list' | 'watch' | 'listWatch' | 'patch' | 'delete' | 'deleteCollection'
>;

/**
 * All verbs on one resource. Objects are named by key: `namespace/name`, or `name` if it is cluster-scoped or
 * in the connection's namespace.
 *
 * Promises: invalid arguments are refused (INVALID_OPTION, INVALID_KEY) before any request; a refusal by the
 * server is API_STATUS, which the predicates such as `isNotFound` tell apart; objects are returned as the
 * server sent them.
 *
 * `listWatch()` is for informers: one attempt per call, because the reflector owns the retries.
 *
 * Room rule: knows verbs and their options. The locator decides paths, the requester retries.
 */
export class ResourceClient<T extends KubeObject = KubeObject> {
  readonly #parts: ResourceParts;
  readonly #representation: Representation;
  readonly #reader: ResourceReader;

  constructor(parts: ResourceParts) {
    this.#parts = parts;
    this.#representation = parts.representation ?? 'full';
    this.#reader = new ResourceReader(parts);
  }

  /** The name this client was created with: `apps/v1/deployments`. */
  get name(): string {
    return this.#parts.locator.name;
  }

  /** The same resource, as `PartialObjectMetadata`: metadata and nothing else. */
  metadataOnly(): MetadataClient {
    return new ResourceClient<KubeObject>({ ...this.#parts, representation: 'metadata' });
  }

  async get(key: string, options: GetOptions & CallOptions = {}): Promise<Live<T>> {
    requireKnown('get', options, KNOWN.get);
    const { resourceVersion } = options;
    return this.#call('GET', this.#at(key), options, { resourceVersion: resourceVersion || undefined });
  }

  /** One page, or everything when no `limit` is given. */
  async list(options: ListCallOptions = {}): Promise<KubeList<Live<T>>> {
    requireKnown('list', options, KNOWN.list);
    const { wire, ...query } = options;
    requireWireChoice(wire);
    return this.#reader.list<Live<T>>(options.namespace, query, { ...callOptionsOf(options), wire });
  }

  /** Events after `resourceVersion`; ends when the server ends the watch. Leaving the loop closes the stream. */
  watch(options: WatchCallOptions = {}): AsyncIterableIterator<WatchEvent<Live<T>>, undefined> {
    requireKnown('watch', options, KNOWN.watch);
    // Only bookmarks guarantee that bytes arrive from time to time.
    const mayBeSilent = options.allowWatchBookmarks !== true;
    const { wire, ...query } = options;
    requireWireChoice(wire);
    return this.#reader.watch<Live<T>>(options.namespace, () => query, {
      ...callOptionsOf(options),
      wire,
      mayBeSilent,
    });
  }

  /** Creates the object in `metadata.namespace`, or in the connection's namespace when it has none. apiVersion and kind may be left out. */
  async create(object: T, options: WriteOptions = {}): Promise<Live<T>> {
    requireKnown('create', options, KNOWN.write);
    const content = this.#content(object, options);
    const { namespace } = object.metadata ?? {};
    const locate = (lookup: LookupOptions): Promise<string> => this.#parts.locator.creation(namespace, lookup);
    return this.#call('POST', locate, options, resourceOptionsQuery(options), content);
  }

  /** Replaces the object of the same name; fails with a conflict when its resourceVersion is not the newest. */
  async replace(object: T, options: ReplaceOptions = {}): Promise<Live<T>> {
    requireKnown('replace', options, KNOWN.replace);
    const content = this.#content(object, options);
    const locate = this.#at(keyInResourceClient(object), options.subresource);
    return this.#call('PUT', locate, options, resourceOptionsQuery(options), content);
  }

  /**
   * Changes parts of an object. The type of `patch` only helps with writing it: a patch may also remove
   * fields (null) or be a list of operations.
   */
  async patch(key: string, patch: Partially<T> | object, options: PatchOptions = {}): Promise<Live<T>> {
    requireKnown('patch', options, KNOWN.patch);
    const query = { ...resourceOptionsQuery(options), force: options.force };
    return this.#call(
      'PATCH',
      this.#at(key, options.subresource),
      options,
      query,
      patchOfResourceOptions(patch, options),
    );
  }

  /**
   * Server-side apply: sets the given fields and leaves all others alone. `applyConflictsOf` explains a conflict.
   * apiVersion and kind may be left out.
   */
  async apply(object: Partially<T>, options: ApplyOptions): Promise<Live<T>> {
    requireOption(
      options !== undefined,
      'fieldManager',
      'apply(object, { fieldManager: "name-of-your-program" })',
      options,
    );
    requireKnown('apply', options, KNOWN.apply);
    checkObjectBesideResourceOptions(object, 'object');
    const applied = await this.#typed(object as KubeObject, options);
    checkAppliedByResourceOptions(applied);
    return this.patch(keyInResourceClient(applied), applied, { ...options, type: 'apply' });
  }

  /** Resolves with the object if it still exists (finalizers, grace period), otherwise with a Status. */
  async delete(key: string, options: DeleteOptions = {}): Promise<Live<T> | Status> {
    requireKnown('delete', options, KNOWN.delete);
    return this.#call('DELETE', this.#at(key), options, {}, resourceDeleteContent(options));
  }

  /** Deletes all selected objects. A namespaced resource needs `namespace`. */
  async deleteCollection(options: DeleteCollectionOptions = {}): Promise<void> {
    requireKnown('deleteCollection', options, KNOWN.deleteCollection);
    const locate = (lookup: LookupOptions): Promise<string> =>
      this.#parts.locator.oneCollection(options.namespace, lookup);
    // The response lists all deleted objects and can be large.
    const unread = (response: TransportResponse): Promise<void> => discardResponseBody(response.body);
    await this.#send('DELETE', locate, options, listQuery(options), resourceDeleteContent(options), unread);
  }

  /** Reads or writes a subresource: `status`, `scale`, `eviction`, `token` … */
  async subresource<R = unknown>(key: string, subresource: string, options: SubresourceOptions = {}): Promise<R> {
    requireKnown('subresource', options, KNOWN.subresource);
    const { body, method = body === undefined ? 'GET' : 'POST' } = options;
    const query = method === 'GET' ? {} : resourceOptionsQuery(options);
    const content =
      body === undefined
        ? undefined
        : method === 'PATCH'
          ? patchOfResourceOptions(body, options)
          : jsonOfResourceOptions(body);
    return this.#call(method, this.#at(key, subresource), options, query, content);
  }

  async getScale(key: string, options: CallOptions = {}): Promise<Scale> {
    requireKnown('getScale', options, KNOWN.call);
    return this.subresource(key, 'scale', options);
  }

  /** Sets the number of replicas through the `scale` subresource. */
  async scale(key: string, replicas: number, options: WriteOptions = {}): Promise<Scale> {
    requireKnown('scale', options, KNOWN.write);
    return this.subresource(key, 'scale', { ...options, method: 'PATCH', body: { spec: { replicas } } });
  }

  /** The list and watch calls of a reflector. Namespace and selectors are fixed; all other options come with each call. */
  listWatch(options: ListWatchOptions = {}): ResourceSource<Live<T>> {
    return {
      ...this.#reader.listWatch<Live<T>>(options, undefined),
      building: (build) => this.#reader.listWatch(options, { build, jsonCodec: plainJsonCodec }),
    };
  }

  /**
   * The body of a write, with the type of the resource where the object has none. Throws at once for a value
   * that JSON cannot express.
   */
  #content(object: T, options: ReplaceOptions): () => Promise<Content> {
    const content = jsonOfResourceOptions(object);
    return async () => {
      const typed = await this.#typed(object, options);
      return typed === object ? content : jsonOfResourceOptions(typed);
    };
  }

  #typed<O extends KubeObject>(object: O, options: ReplaceOptions): Promise<O> {
    return typeForResourceOptions(object, options, () => this.#parts.locator.fullType(callOptionsOf(options)));
  }

  #at(key: string, subresource?: string): (lookup: LookupOptions) => Promise<string> {
    return (lookup) => this.#parts.locator.object(key, lookup, subresource);
  }

  #call<R>(
    method: ApiRequest['method'],
    locate: (lookup: LookupOptions) => Promise<string>,
    options: CallOptions,
    query: Query,
    content?: Content | (() => Promise<Content>),
  ): Promise<R> {
    return this.#send(method, locate, options, query, content, async (response, what) => {
      const object = await objectOfResponse<R>(response, what, this.#parts.maxObjectBytes);
      if (this.#representation === 'metadata' && (object as KubeObject).kind !== 'Status')
        keepMetadataOnly(object as object, await this.#parts.locator.type());
      return object;
    });
  }

  async #send<R>(
    method: ApiRequest['method'],
    locate: (lookup: LookupOptions) => Promise<string>,
    options: CallOptions,
    query: Query,
    content: Content | (() => Promise<Content>) | undefined,
    read: (response: TransportResponse, what: string) => Promise<R>,
  ): Promise<R> {
    const call = callOptionsOf(options);
    const path = await locate(call);
    // After the path is known: invalid arguments must not cost a request.
    const body = typeof content === 'function' ? await content() : content;
    const sendTo = (to: string): Promise<R> => {
      const request: ApiRequest = {
        method,
        path: urlWithQuery(to, query),
        accept: acceptJsonByWireChoice(this.#representation).one,
        ...body,
        ...call,
      };
      return this.#parts.requester.call(request, (response) => read(response, `${method} ${to}`));
    };
    try {
      return await sendTo(path);
    } catch (error) {
      this.#reader.forgetIfGone(error);
      if (!isNotFound(error) || !this.#parts.locator.isLookedUp) throw error;
      // The discovery cache may be out of date: a custom resource can be installed again with another version or scope.
      const now = await locate(call).catch(() => path);
      if (now === path) throw error;
      return sendTo(now);
    }
  }
}

function keyInResourceClient({ metadata }: KubeObject): string {
  const { name, namespace = '' } = metadata ?? {};
  if (!name) throw new KubeError('INVALID_KEY', 'the object has no metadata.name');
  return joinKey({ namespace, name });
}
