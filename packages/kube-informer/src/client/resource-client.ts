import { guardedAnswer, type UserCode } from '../core/guarded.ts';
import type { Scale } from '@kube-informer/kubernetes';
import type { Env } from '../core/env.ts';
import { KubeError, requireOption, type Status } from '../core/errors.ts';
import { joinKey } from '../core/object/key.ts';
import { requireKnown } from '../core/known-options.ts';
import type { GetOptions, ListOptions, WatchOptions } from '../core/object/list-options.ts';
import type { KubeList, KubeObject, TypeRef } from '../core/object/object.ts';
import { isNotFound, statusError, statusOf } from '../core/status.ts';
import type { WatchEvent } from '../core/object/watch-event.ts';
import { discardResponseBody, readResponseObject, responseFormat } from './request/response.ts';
import { keepMetadataOnly, METADATA_TYPE } from './codec/metadata-only.ts';
import { jsonObjects } from '../core/object/json-object.ts';
import type { BuildObject } from '../core/object/object-codec.ts';
import { defined } from '../core/defined.ts';
import type { LookupOptions } from './discovery/discovery.ts';
import { KNOWN } from './known-call-options.ts';
import { lazyStream } from '../core/async/lazy-stream.ts';
import { listQuery, type Narrowed, type Selection, listSelectorQuery } from './request/list-query.ts';
import { decodeListOf, type InnerStreamOptions } from './codec/list-stream.ts';
import type { ApiRequest, CallOptions, Requester } from './request/request.ts';
import type { ResourceLocator } from './discovery/resource-locator.ts';
import {
  type ApplyOptions, callOptionsOf, checkAppliedResource, checkResourceObject, type Content, type DeleteCollectionOptions, type DeleteOptions, resourceDeleteContent, resourceJsonContent, type ListCallOptions,
  type Partially, resourcePatchContent, type PatchOptions, type ReplaceOptions, type SubresourceOptions, resourceWithBuiltInType, type WatchCallOptions, type WriteOptions,
  writeOptionsQuery,
} from './resource-options.ts'; // prettier-ignore
import type { TransportResponse } from './transport/transport.ts';
import { checkUrlTarget, isSecretPath, type Query, urlWithQuery } from './request/url.ts';
import { decodeWatchStreamOf, type WatchEvents, type WatchStreamOptions } from './codec/watch-stream.ts';
import type { ObjectBuilder } from './codec/wire-format.ts';
import { acceptJson, type Representation, requireWire, type Wire, type WireChoice } from './wire-choice.ts';

/** A streaming list of an object that does not exist. The server answers with its end marker only. */
const ECHO: WatchOptions = {
  sendInitialEvents: true,
  resourceVersionMatch: 'NotOlderThan',
  allowWatchBookmarks: true,
  fieldSelector: 'metadata.name=kube-informer-echo-no-such-object',
};
const ECHO_NAMESPACE = 'kube-informer-echo-no-such-namespace';

/** What becomes of an object that cannot be decoded: see the decoders. */
type Unreadable = Pick<WatchStreamOptions, 'unreadable'>;

/** A list or a watch, and what is made of its objects. */
interface ReadCall<S> extends CallOptions, Unreadable {
  readonly wire?: Wire | undefined;
  readonly builder?: ObjectBuilder<S> | undefined;
}

interface WatchCall<S> extends ReadCall<S>, Pick<ApiRequest, 'mayBeSilent'> {
  readonly isEcho?: boolean;
}

/** Options of `listWatch()`. */
export interface ListWatchOptions extends Selection, Pick<CallOptions, 'onWarning' | 'limiter'> {
  /** How the server writes the objects. @default 'auto': protobuf for built-in kinds, JSON for the rest */
  readonly wire?: Wire;
  /** Changes the query of every list and watch. Gets a copy that includes the selectors. */
  readonly modify?: UserCode<(options: WatchOptions, verb: 'list' | 'watch') => WatchOptions>;
}

/** Satisfies the informer's ListWatch. */
export interface ResourceSource<T> {
  list(options: ListOptions, signal: AbortSignal): Promise<KubeList<T>>;
  watch(options: WatchOptions, signal: AbortSignal): ResourceWatch<T>;
  /** The type of the objects. Complete, as far as it can be known, before the first answer. */
  readonly expected: TypeRef;
  /** One bookmark at the server's current version. */
  echo(options: { readonly timeoutSeconds: number }, signal: AbortSignal): ResourceWatch<T>;
  /** The same source, which gives what `build` makes of the bytes of each object. */
  building?<S>(build: BuildObject<S>): ResourceSource<S>;
}

/** The events of a watch; `progress` is what has arrived besides whole events. */
export interface ResourceWatch<T> extends AsyncIterableIterator<WatchEvent<T>, undefined> {
  readonly progress: { readonly opened: boolean; readonly unfinished: boolean };
}

/** A client for metadata only: reads, and the verbs that take a name. */
export type MetadataClient = Pick<
  ResourceClient,
  'name' | 'get' | 'list' | 'watch' | 'listWatch' | 'patch' | 'delete' | 'deleteCollection'
>;

export interface ResourceParts {
  readonly requester: Requester;
  readonly locator: ResourceLocator;
  readonly env: Env;
  readonly wires: WireChoice;
  readonly representation?: Representation;
  readonly maxObjectBytes?: number;
}

/**
 * All verbs on one resource. Objects are named by key: `namespace/name`, or `name` for cluster-scoped ones and in the
 * connection's own namespace.
 *
 * Promises: invalid arguments are refused (INVALID_OPTION, INVALID_KEY) before any request; a refusal of the server is
 * API_STATUS, for the predicates; objects are returned as the server sent them.
 *
 * `listWatch()` is for informers: one attempt per call, because the reflector owns the retries.
 *
 * Room rule: knows verbs and their options. The locator decides paths, the requester retries.
 */
export class ResourceClient<T extends KubeObject = KubeObject> {
  readonly #parts: ResourceParts;
  readonly #representation: Representation;
  /** The type of whole objects of this resource, filled before the first list or watch. */
  readonly #type: { -readonly [K in keyof TypeRef]: TypeRef[K] } = {};

  constructor(parts: ResourceParts) {
    this.#parts = parts;
    this.#representation = parts.representation ?? 'full';
  }

  /** The name this client was created with: `apps/v1/deployments`. */
  get name(): string {
    return this.#parts.locator.name;
  }

  /** The same resource, as `PartialObjectMetadata`: metadata and nothing else. */
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
    const { wire, ...query } = options;
    requireWire(wire);
    return this.#list<T>(options.namespace, query, { ...callOptionsOf(options), wire });
  }

  /** Events after `resourceVersion`; ends when the server ends the watch. Leaving the loop closes the stream. */
  watch(options: WatchCallOptions = {}): AsyncIterableIterator<WatchEvent<T>, undefined> {
    requireKnown('watch', options, KNOWN.watch);
    // Only bookmarks guarantee that bytes arrive from time to time.
    const mayBeSilent = options.allowWatchBookmarks !== true;
    const { wire, ...query } = options;
    requireWire(wire);
    return this.#watch<T>(options.namespace, () => query, { ...callOptionsOf(options), wire, mayBeSilent });
  }

  /** Creates the object in `metadata.namespace`, or in the connection's namespace when it has none. */
  async create(object: T, options: WriteOptions = {}): Promise<T> {
    requireKnown('create', options, KNOWN.write);
    const content = resourceJsonContent(object);
    const { namespace } = object.metadata ?? {};
    const locate = (lookup: LookupOptions): Promise<string> => this.#parts.locator.creation(namespace, lookup);
    return this.#call('POST', locate, options, writeOptionsQuery(options), content);
  }

  /** Replaces the object of the same name; fails with a conflict when its resourceVersion is not the newest. */
  async replace(object: T, options: ReplaceOptions = {}): Promise<T> {
    requireKnown('replace', options, KNOWN.replace);
    const content = resourceJsonContent(object);
    return this.#call(
      'PUT',
      this.#at(keyOfObject(object), options.subresource),
      options,
      writeOptionsQuery(options),
      content,
    );
  }

  /** The patch type is a help for writing only: a patch may also remove fields (null) or be a list of operations. */
  async patch(key: string, patch: Partially<T> | object, options: PatchOptions = {}): Promise<T> {
    requireKnown('patch', options, KNOWN.patch);
    const query = { ...writeOptionsQuery(options), force: options.force };
    return this.#call(
      'PATCH',
      this.#at(key, options.subresource),
      options,
      query,
      resourcePatchContent(patch, options),
    );
  }

  /**
   * Server-side apply: sets the given fields and leaves all others alone. `applyConflictsOf` explains a conflict.
   * apiVersion and kind may be left out for a built-in resource named in full.
   */
  async apply(object: Partially<T>, options: ApplyOptions): Promise<T> {
    requireOption(
      options !== undefined,
      'fieldManager',
      'apply(object, { fieldManager: "name-of-your-program" })',
      options,
    );
    requireKnown('apply', options, KNOWN.apply);
    checkResourceObject(object, 'object');
    const applied = await resourceWithBuiltInType(object as KubeObject, options, () => this.#parts.locator.builtIn());
    checkAppliedResource(applied);
    return this.patch(keyOfObject(applied), applied, { ...options, type: 'apply' });
  }

  /** Resolves with the object if it still exists (finalizers, grace period), otherwise with a Status. */
  async delete(key: string, options: DeleteOptions = {}): Promise<T | Status> {
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
    const query = method === 'GET' ? {} : writeOptionsQuery(options);
    const content =
      body === undefined
        ? undefined
        : method === 'PATCH'
          ? resourcePatchContent(body, options)
          : resourceJsonContent(body);
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
  listWatch(options: ListWatchOptions = {}): ResourceSource<T> {
    return {
      ...this.listWatchWith<T>(options, undefined),
      building: (build) => this.listWatchWith(options, { build, jsonCodec: jsonObjects }),
    };
  }

  /**
   * The same, with objects that `builder` makes of their bytes; plain ones without it.
   * @internal
   */
  listWatchWith<S>(options: ListWatchOptions, builder: ObjectBuilder<S> | undefined): ResourceSource<S> {
    requireKnown('listWatch', options, KNOWN.listWatch);
    const { namespace = '', wire } = options;
    requireWire(wire);
    const modify = guardedAnswer('modify', options.modify ?? ((query: WatchOptions) => query));
    // Checked now, so that a mistake throws here and not in the reflector.
    checkUrlTarget({ namespace });
    const fixed = listSelectorQuery(options);
    // One object that cannot be decoded must not stop the others: the engine names it and keeps its old state.
    const call = { ...callOptionsOf(options), attempts: 'once', unreadable: 'mark', wire, builder } as const;
    return {
      expected: this.#isBare ? METADATA_TYPE : this.#type,
      list: async (query, signal) =>
        this.#list<S>(namespace, modify({ ...query, ...fixed }, 'list'), { ...call, signal }),
      watch: (query, signal) =>
        this.#watch<S>(namespace, () => modify({ ...query, ...fixed }, 'watch'), { ...call, signal }),
      echo: ({ timeoutSeconds }, signal) =>
        this.#watch<S>(namespace, () => ({ ...ECHO, timeoutSeconds }), { ...call, signal, isEcho: true }),
    };
  }

  async #list<S>(
    namespace: string | undefined,
    options: Narrowed<WatchOptions>,
    { unreadable, wire, builder, ...call }: ReadCall<S>,
  ): Promise<KubeList<S>> {
    const { requester, env, maxObjectBytes } = this.#parts;
    const { path, what } = await this.#collection(namespace, listQuery(options), call);
    const { accept, isProtobuf, inner, fellBack } = await this.#wire(wire, builder);
    const request: ApiRequest = { method: 'GET', path, accept: accept.list, ...call };
    try {
      return await requester.call(request, async (response) => {
        const format = await responseFormat(response, what);
        const limits = defined({ maxItemBytes: maxObjectBytes, unreadable });
        const list = await decodeListOf<S>(format, response.body, { env, ...limits, ...inner });
        if (list.kind === 'Status') throw statusError(list, what, { isSecret: isSecretPath(path) });
        return list;
      });
    } catch (error) {
      // Nothing of the list was used yet: the same page in JSON has everything.
      if (isProtobuf && fellBack())
        return this.#list<S>(namespace, options, { ...defined({ unreadable }), ...call, wire: 'json', builder });
      throw this.#forgetIfGone(error);
    }
  }

  #watch<S>(
    namespace: string | undefined,
    options: () => Narrowed<WatchOptions>,
    { isEcho = false, unreadable, wire, builder, ...call }: WatchCall<S>,
  ): ResourceWatch<S> {
    const { requester, env } = this.#parts;
    let decoded: WatchEvents<S> | undefined;
    const progress = {
      get opened() {
        return decoded !== undefined;
      },
      get unfinished() {
        return decoded?.isUnfinished ?? false;
      },
    };
    const stream = lazyStream(call.signal, async (signal) => {
      const lasting = { ...call, signal };
      // In a namespace that does not exist, the server looks through none of the objects.
      const where = isEcho && (await this.#parts.locator.isKnownNamespaced()) ? namespace || ECHO_NAMESPACE : namespace;
      const { path, what } = await this.#collection(where, { ...listQuery(options()), watch: true }, lasting);
      // A watch that meets something unknown fails, and the next one asks for JSON from the same version on.
      const { accept, inner } = await this.#wire(wire, builder);
      const request: ApiRequest = { method: 'GET', path, accept: accept.one, longLived: true, ...lasting };
      try {
        const response = await requester.open(request);
        const format = await responseFormat(response, what);
        const { maxObjectBytes } = this.#parts;
        const limits = { isSecret: isSecretPath(path), ...defined({ maxFrameBytes: maxObjectBytes, unreadable }) };
        decoded = decodeWatchStreamOf<S>(format, response.body, { env, ...limits, ...inner });
        return decoded;
      } catch (error) {
        throw this.#forgetIfGone(error);
      }
    });
    return Object.assign(stream, { progress });
  }

  /** How the next list or watch is asked for and decoded. */
  async #wire<S>(wire: Wire = 'auto', builder: ObjectBuilder<S> | undefined) {
    const { wires, locator } = this.#parts;
    const { name } = locator;
    // Metadata of custom resources is protobuf too.
    const isKnown = this.#isBare || (await locator.isStableBuiltIn());
    const isProtobuf = isKnown && wires.usesProtobuf(name, wire);
    let hasFallenBack = false;
    const onUnknown: InnerStreamOptions<S>['onUnknown'] = (type, field) => {
      hasFallenBack = true;
      wires.fallBack(name, type, field);
    };
    const inner: InnerStreamOptions<S> = { builder, metadataOnly: this.#isBare ? this.#type : undefined, onUnknown };
    const accept = wires.accept(this.#representation, isProtobuf);
    return { accept, isProtobuf, inner, fellBack: () => hasFallenBack };
  }

  async #collection(namespace = '', query: Query, call: CallOptions): Promise<{ path: string; what: string }> {
    const path = await this.#parts.locator.collection(namespace, call);
    Object.assign(this.#type, await this.#parts.locator.type());
    return { path: urlWithQuery(path, query), what: `GET ${path}` };
  }

  get #isBare(): boolean {
    return this.#representation === 'metadata';
  }

  /** Drops the discovery cache after a 404 for the path, not for an object: the kind may be served in another version now. */
  #forgetIfGone(error: unknown): unknown {
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
    return this.#send(method, locate, options, query, content, async (response, what) => {
      const object = await readResponseObject<R>(response, what, this.#parts.maxObjectBytes);
      if (this.#isBare && (object as KubeObject).kind !== 'Status')
        keepMetadataOnly(object as object, await this.#parts.locator.type());
      return object;
    });
  }

  async #send<R>(
    method: ApiRequest['method'],
    locate: (lookup: LookupOptions) => Promise<string>,
    options: CallOptions,
    query: Query,
    content: Content | undefined,
    read: (response: TransportResponse, what: string) => Promise<R>,
  ): Promise<R> {
    const call = callOptionsOf(options);
    const sendTo = (path: string): Promise<R> => {
      const request: ApiRequest = {
        method,
        path: urlWithQuery(path, query),
        accept: acceptJson(this.#representation).one,
        ...content,
        ...call,
      };
      return this.#parts.requester.call(request, (response) => read(response, `${method} ${path}`));
    };
    const path = await locate(call);
    try {
      return await sendTo(path);
    } catch (error) {
      this.#forgetIfGone(error);
      if (!isNotFound(error) || !this.#parts.locator.isLookedUp) throw error;
      // The discovery cache may be out of date: a custom resource can be installed again with another version or scope.
      const now = await locate(call).catch(() => path);
      if (now === path) throw error;
      return sendTo(now);
    }
  }
}

function keyOfObject({ metadata }: KubeObject): string {
  const { name, namespace = '' } = metadata ?? {};
  if (!name) throw new KubeError('INVALID_KEY', 'the object has no metadata.name');
  return joinKey({ namespace, name });
}
