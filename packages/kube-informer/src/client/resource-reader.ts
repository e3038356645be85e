import type { Env } from '../core/env.ts';
import { errorMessageOf, KubeError } from '../core/errors.ts';
import { guardedAnswer, type UserCode } from '../core/guarded.ts';
import { requireKnown } from '../core/known-options.ts';
import type { ListOptions, WatchOptions } from '../core/object/list-options.ts';
import type { KubeList, TypeRef } from '../core/object/object.ts';
import { isNotFound, statusError, statusOf } from '../core/status.ts';
import type { WatchEvent } from '../core/object/watch-event.ts';
import { formOfResponse } from './request/response.ts';
import { METADATA_TYPE } from './codec/metadata-only.ts';
import type { BuildObject } from '../core/object/object-codec.ts';
import { defined } from '../core/defined.ts';
import { KNOWN } from './known-call-options.ts';
import { lazyStream } from '../core/async/lazy-stream.ts';
import { listQuery, type Narrowed, type Selection, listSelectorQuery } from './request/list-query.ts';
import { decodeListOf, type InnerStreamOptions } from './codec/list-stream.ts';
import type { ApiRequest, CallOptions, Requester } from './request/request.ts';
import type { ResourceLocator } from './discovery/resource-locator.ts';
import { callOptionsOf } from './resource-options.ts';
import { checkUrl, isSecretUrl, type Query, urlWithQuery } from './request/url.ts';
import { decodeWatchStreamOf, type WatchEvents, type WatchStreamOptions } from './codec/watch-stream.ts';
import type { ObjectBuilder } from './codec/wire-format.ts';
import { type Representation, requireWireChoice, type Wire, type WireChoice } from './wire-choice.ts';

/** A streaming list of an object that does not exist. The server sends only its end marker. */
const ECHO: WatchOptions = {
  sendInitialEvents: true,
  resourceVersionMatch: 'NotOlderThan',
  allowWatchBookmarks: true,
  fieldSelector: 'metadata.name=kube-informer-echo-no-such-object',
};
const ECHO_NAMESPACE = 'kube-informer-echo-no-such-namespace';

/** Handling of an object that cannot be decoded: see the decoders. */
type Unreadable = Pick<WatchStreamOptions, 'unreadable'>;

/** A list or a watch, and the form of its objects. */
interface ReadCall<S> extends CallOptions, Unreadable {
  readonly wire?: Wire | undefined;
  readonly builder?: ObjectBuilder<S> | undefined;
}

interface WatchCall<S> extends ReadCall<S>, Pick<ApiRequest, 'mayBeSilent'> {
  readonly isEcho?: boolean;
}

/** Options of `listWatch()`. */
export interface ListWatchOptions extends Selection, Pick<CallOptions, 'onWarning' | 'limiter'> {
  /** Encoding of the objects in responses. @default 'auto': protobuf for built-in kinds, JSON for the rest */
  readonly wire?: Wire;
  /** Changes the query of every list and watch. Gets a copy that includes the selectors. */
  readonly modify?: UserCode<(options: WatchOptions, verb: 'list' | 'watch') => WatchOptions>;
}

/** A source of objects. Satisfies the informer's ListWatch. */
export interface ResourceSource<T> {
  list(options: ListOptions, signal: AbortSignal): Promise<KubeList<T>>;
  watch(options: WatchOptions, signal: AbortSignal): ResourceWatch<T>;
  /** The type of the objects. As complete as it can be before the first response. */
  readonly expected: TypeRef;
  /** One bookmark at the server's current version. */
  echo(options: { readonly timeoutSeconds: number }, signal: AbortSignal): ResourceWatch<T>;
  /** The same source, with objects that `build` makes from their bytes. */
  building?<S>(build: BuildObject<S>): ResourceSource<S>;
}

/** The events of a watch; `progress` tells what has arrived besides whole events. */
export interface ResourceWatch<T> extends AsyncIterableIterator<WatchEvent<T>, undefined> {
  readonly progress: { readonly opened: boolean; readonly unfinished: boolean };
}

export interface ResourceParts {
  readonly requester: Requester;
  readonly locator: ResourceLocator;
  readonly env: Env;
  readonly wires: WireChoice;
  readonly representation?: Representation;
  readonly maxObjectBytes?: number;
}

/**
 * Lists and watches of one resource, in the wire format that fits it.
 *
 * Room rule: knows collections. Verbs on single objects belong to the client.
 */
export class ResourceReader {
  readonly #parts: ResourceParts;
  readonly #representation: Representation;
  /** The type of whole objects of this resource, filled before the first list or watch. */
  readonly #type: { -readonly [K in keyof TypeRef]: TypeRef[K] } = {};

  constructor(parts: ResourceParts) {
    this.#parts = parts;
    this.#representation = parts.representation ?? 'full';
  }

  /**
   * The list and watch calls of a reflector, with objects that `builder` makes from their bytes, or plain
   * ones without it.
   */
  listWatch<S>(options: ListWatchOptions, builder: ObjectBuilder<S> | undefined): ResourceSource<S> {
    requireKnown('listWatch', options, KNOWN.listWatch);
    const { namespace = '', wire } = options;
    requireWireChoice(wire);
    const modify = guardedAnswer('modify', options.modify ?? ((query: WatchOptions) => query));
    // Checked now, so that a mistake throws here and not in the reflector.
    checkUrl({ namespace });
    const fixed = listSelectorQuery(options);
    // One object that cannot be decoded must not stop the others: the engine reports it and keeps its old state.
    const call = { ...callOptionsOf(options), attempts: 'once', unreadable: 'mark', wire, builder } as const;
    return {
      expected: this.#isBare ? METADATA_TYPE : this.#type,
      list: async (query, signal) =>
        this.list<S>(namespace, modify({ ...query, ...fixed }, 'list'), { ...call, signal }),
      watch: (query, signal) =>
        this.watch<S>(namespace, () => modify({ ...query, ...fixed }, 'watch'), { ...call, signal }),
      echo: ({ timeoutSeconds }, signal) =>
        this.watch<S>(namespace, () => ({ ...ECHO, timeoutSeconds }), { ...call, signal, isEcho: true }),
    };
  }

  async list<S>(
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
        const format = await formOfResponse(response, what, env);
        const limits = defined({ maxItemBytes: maxObjectBytes, unreadable });
        const list = await decodeListOf<S>(format, response.body, { env, ...limits, ...inner });
        if (list.kind === 'Status') throw statusError(list, what, { isSecret: isSecretUrl(path) });
        return list;
      });
    } catch (error) {
      // Nothing of the list was used yet: the same page is requested in JSON.
      if (isProtobuf && fellBack())
        return this.list<S>(namespace, options, { ...defined({ unreadable }), ...call, wire: 'json', builder });
      throw await this.#explained(this.forgetIfGone(error));
    }
  }

  watch<S>(
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
      // In a namespace that does not exist, the server scans no objects.
      const where = isEcho && (await this.#parts.locator.isKnownNamespaced()) ? namespace || ECHO_NAMESPACE : namespace;
      const { path, what } = await this.#collection(where, { ...listQuery(options()), watch: true }, lasting);
      // A watch that meets something unknown fails, and the next one requests JSON from the same version on.
      const { accept, inner } = await this.#wire(wire, builder);
      const request: ApiRequest = { method: 'GET', path, accept: accept.one, longLived: true, ...lasting };
      try {
        const response = await requester.open(request);
        const format = await formOfResponse(response, what, env);
        const { maxObjectBytes } = this.#parts;
        const limits = { isSecret: isSecretUrl(path), ...defined({ maxFrameBytes: maxObjectBytes, unreadable }) };
        decoded = decodeWatchStreamOf<S>(format, response.body, { env, ...limits, ...inner });
        return decoded;
      } catch (error) {
        throw await this.#explained(this.forgetIfGone(error));
      }
    });
    return Object.assign(stream, { progress });
  }

  /** How the next list or watch is requested and decoded. */
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

  /** Adds to a 404 the built-in resource that its name looks like. */
  async #explained(error: unknown): Promise<unknown> {
    const status = statusOf(error);
    if (status === undefined || !isNotFound(error)) return error;
    const similar = await this.#parts.locator.similar().catch(() => []);
    if (similar.length === 0) return error;
    const message = `${errorMessageOf(error)}; did you mean ${similar.join(' or ')}?`;
    return new KubeError('API_STATUS', message, { status, cause: error });
  }

  /** Drops the discovery cache after a 404 for the path, not for an object: the kind may be served in another version now. */
  forgetIfGone(error: unknown): unknown {
    if (isNotFound(error) && statusOf(error)?.details?.name === undefined) this.#parts.locator.forget();
    return error;
  }
}
