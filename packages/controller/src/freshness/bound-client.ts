import type { BuiltInResource, NotBuiltIn, ResourceClient } from 'kube-informer/client';
import type {
  ApplyOptions,
  CallOptions,
  Client,
  DeleteOptions,
  ListCallOptions,
  Partially,
  PatchOptions,
  ReplaceOptions,
  WriteOptions,
} from 'kube-informer/client';
import {
  type GetOptions,
  hasCode,
  isServerFailure,
  joinKey,
  type Key,
  KubeError,
  type KubeList,
  type KubeObject,
  type Live,
  type Status,
  statusOf,
} from 'kube-informer/core';
import type { Resources } from '@kube-informer/kubernetes';
import type { Overlay } from './overlay.ts';
import type { SentWrite } from './write-ledger.ts';

export type WriteVerb = 'create' | 'replace' | 'patch' | 'apply' | 'delete';

/** Hooks of a run around every write. */
export interface WriteHost {
  readonly signal: AbortSignal;
  readonly overlay: Overlay;
  /** Throws if the run may not write: it was aborted, or the lease is lost. Called right before each attempt at a write. */
  readonly requireMayWrite: (what: string) => void;
  /** Maximum time of a write; undefined: no limit. */
  readonly writeTimeoutMs: () => number | undefined;
  readonly sending: (resource: string, key: Key | undefined) => SentWrite;
  /** Called when a write begins. Returns a function that is called with the response of the server. */
  readonly writing: (
    verb: WriteVerb,
    resource: string,
    key: Key | undefined,
  ) => (key: Key, answer: KubeObject | undefined) => void;
  /** Called when a request begins; for messages about hung runs. */
  readonly requesting: (what: string) => void;
  readonly cachedUid: (resource: string, key: Key) => string | undefined;
}

/** A resource client whose writes belong to a run: refused after its abort, remembered, and visible to its reads. */
export type BoundResource<T extends KubeObject> = Pick<
  ResourceClient<T>,
  'name' | 'get' | 'list' | 'create' | 'replace' | 'patch' | 'apply' | 'delete' | 'deleteCollection'
>;

/** Reads from the server and writes to it, on behalf of one run. */
export class BoundClient {
  readonly #client: Client;
  readonly #host: WriteHost;

  constructor(client: Client, host: WriteHost) {
    this.#client = client;
    this.#host = host;
  }

  resource<K extends BuiltInResource>(name: K): BoundResource<Resources[K]>;
  resource<T extends KubeObject = never>(name: [T] extends [never] ? NotBuiltIn : string): BoundResource<T>;
  resource(name: string): BoundResource<KubeObject> {
    return new BoundResourceClient(this.#client.resource<KubeObject>(name), this.#client.limiter, this.#host);
  }
}

class BoundResourceClient implements BoundResource<KubeObject> {
  readonly #client: ResourceClient;
  readonly #limiter: Client['limiter'];
  readonly #host: WriteHost;

  constructor(client: ResourceClient, limiter: Client['limiter'], host: WriteHost) {
    this.#client = client;
    this.#limiter = limiter;
    this.#host = host;
  }

  get name(): string {
    return this.#client.name;
  }

  get(key: string, options: GetOptions & CallOptions = {}): Promise<Live<KubeObject>> {
    this.#host.requesting(`get ${this.name} ${key}`);
    return this.#client.get(key, { signal: this.#host.signal, ...options });
  }

  list(options: ListCallOptions = {}): Promise<KubeList<Live<KubeObject>>> {
    this.#host.requesting(`list ${this.name}`);
    return this.#client.list({ signal: this.#host.signal, ...options });
  }

  create(object: KubeObject, options: WriteOptions = {}): Promise<Live<KubeObject>> {
    const { name, namespace = '' } = object.metadata ?? {};
    const key = name === undefined ? undefined : joinKey({ namespace, name });
    return this.#write('create', key, options, (call) => this.#client.create(object, call));
  }

  replace(object: KubeObject, options: ReplaceOptions = {}): Promise<Live<KubeObject>> {
    return this.#write('replace', keyOfBoundWrite(object), options, (call) => this.#client.replace(object, call));
  }

  patch(key: string, patch: Partially<KubeObject> | object, options: PatchOptions = {}): Promise<Live<KubeObject>> {
    return this.#write('patch', key, options, (call) => this.#client.patch(key, patch, call));
  }

  apply(object: Partially<KubeObject>, options: ApplyOptions): Promise<Live<KubeObject>> {
    const key = keyOfBoundWrite(object as KubeObject);
    return this.#write('apply', key, options, (call) => this.#client.apply(object, call));
  }

  delete(key: string, options: DeleteOptions = {}): Promise<Live<KubeObject> | Status> {
    return this.#write('delete', key, options, (call) => this.#client.delete(key, call));
  }

  /** Throws: which objects it deletes is unknown, so the next run could not wait for them. */
  deleteCollection(): Promise<void> {
    return Promise.reject(
      new KubeError(
        'INVALID_OPTION',
        `deleteCollection of ${this.name}: a run cannot remember what it deletes; list the objects and delete each`,
      ),
    );
  }

  /**
   * The options of a call, bounded by what the run may do: its abort ends the call, the call ends with the
   * lease, and `check` is called right before each attempt. A rate limit or a Retry-After may delay an
   * attempt, and in a process that was suspended meanwhile their timers may run before the lease is known to
   * be lost.
   */
  #bounded<O extends CallOptions>(options: O, check: () => void): O {
    const { signal: own, writeTimeoutMs } = this.#host;
    const { signal, timeoutMs: wanted = Number.POSITIVE_INFINITY, limiter = this.#limiter } = options;
    const timeoutMs = Math.min(wanted, writeTimeoutMs() ?? Number.POSITIVE_INFINITY);
    const take = async (until: AbortSignal): Promise<void> => {
      if (limiter !== undefined && limiter !== 'none') await limiter.take(until);
      check();
    };
    return {
      ...options,
      signal: signal === undefined ? own : AbortSignal.any([own, signal]),
      ...(Number.isFinite(timeoutMs) ? { timeoutMs } : {}),
      limiter: { take },
    };
  }

  async #write<O extends CallOptions & { readonly dryRun?: boolean }, R extends KubeObject | Status>(
    verb: WriteVerb,
    key: Key | undefined,
    options: O,
    send: (options: O) => Promise<R>,
  ): Promise<R> {
    const { requireMayWrite, sending, requesting, writing } = this.#host;
    const what = `${verb} ${this.name} ${key ?? ''}`;
    requireMayWrite(what);
    requesting(what);
    let isRefusedHere = false;
    const call = this.#bounded(options, () => {
      isRefusedHere = true;
      requireMayWrite(what);
      isRefusedHere = false;
    });
    if (options.dryRun === true) return send(call);
    const uid = key === undefined ? undefined : this.#host.cachedUid(this.name, key);
    const sent = sending(this.name, key);
    const wrote = writing(verb, this.name, key);
    let answer: R;
    try {
      answer = await send(call);
    } catch (error) {
      if (isRefusedHere || isBoundWriteRefused(error)) sent.refused();
      throw error;
    }
    const { overlay } = this.#host;
    if (verb === 'delete' && key !== undefined && !('metadata' in answer && answer.metadata?.uid !== undefined)) {
      const deleted = (answer as { details?: { uid?: string } }).details?.uid ?? uid;
      sent.gone(deleted);
      if (deleted !== undefined) overlay.remove(this.name, key, deleted);
      wrote(key, undefined);
      return answer;
    }
    const object = answer as KubeObject;
    if (isDeletedByBoundWrite(object)) {
      sent.gone(object.metadata?.uid);
      overlay.remove(this.name, keyOfBoundWrite(object), object.metadata?.uid ?? '');
    } else {
      sent.answered(object);
      overlay.put(this.name, object);
    }
    wrote(keyOfBoundWrite(object), object);
    return answer;
  }
}

/** Whether the response proves that nothing was written. After a 5xx, or without a response, that is unknown. */
function isBoundWriteRefused(error: unknown): boolean {
  if (hasCode(error, 'INVALID_OPTION') || hasCode(error, 'INVALID_KEY') || hasCode(error, 'NOT_FOUND')) return true;
  return statusOf(error) !== undefined && !isServerFailure(error);
}

/**
 * Whether a write ended an object, because its last finalizer was removed. The version in such a response
 * proves nothing: servers differ in whether it is that of the deletion.
 */
function isDeletedByBoundWrite({ metadata = {} }: KubeObject): boolean {
  const { deletionGracePeriodSeconds = 0 } = metadata as { readonly deletionGracePeriodSeconds?: number };
  const { deletionTimestamp, finalizers = [] } = metadata;
  return deletionTimestamp !== undefined && finalizers.length === 0 && deletionGracePeriodSeconds === 0;
}

function keyOfBoundWrite({ metadata }: KubeObject): Key {
  const { name = '', namespace = '' } = metadata ?? {};
  return joinKey({ namespace, name });
}
