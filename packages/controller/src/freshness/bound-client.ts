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
  defined,
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

/** What a run adds to every write. */
export interface WriteHost {
  readonly signal: AbortSignal;
  readonly overlay: Overlay;
  /** Throws if the run may not write: it was aborted, or the lease is lost. Called right before a write is sent. */
  readonly requireMayWrite: (what: string) => void;
  /** Time that a write may take; undefined: no limit. */
  readonly writeTimeoutMs: () => number | undefined;
  readonly sending: (resource: string, key: Key | undefined) => SentWrite;
  /** A write begins. Returns a function that is called with the answer of the server. */
  readonly writing: (verb: WriteVerb, resource: string) => (key: Key, version: string | undefined) => void;
  /** A request begins; for messages about hung runs. */
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
    return new BoundResourceClient(this.#client.resource<KubeObject>(name), this.#host);
  }
}

class BoundResourceClient implements BoundResource<KubeObject> {
  readonly #client: ResourceClient;
  readonly #host: WriteHost;

  constructor(client: ResourceClient, host: WriteHost) {
    this.#client = client;
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
    return this.#write('replace', keyOfWritten(object), options, (call) => this.#client.replace(object, call));
  }

  patch(key: string, patch: Partially<KubeObject> | object, options: PatchOptions = {}): Promise<Live<KubeObject>> {
    return this.#write('patch', key, options, (call) => this.#client.patch(key, patch, call));
  }

  apply(object: Partially<KubeObject>, options: ApplyOptions): Promise<Live<KubeObject>> {
    const key = keyOfWritten(object as KubeObject);
    return this.#write('apply', key, options, (call) => this.#client.apply(object, call));
  }

  delete(key: string, options: DeleteOptions = {}): Promise<Live<KubeObject> | Status> {
    return this.#write('delete', key, options, (call) => this.#client.delete(key, call));
  }

  /** Refused: which objects it deletes is not known, so the next run could not wait for them. */
  deleteCollection(): Promise<void> {
    return Promise.reject(
      new KubeError(
        'INVALID_OPTION',
        `deleteCollection of ${this.name}: a run cannot remember what it deletes; list the objects and delete each`,
      ),
    );
  }

  async #write<O extends CallOptions & { readonly dryRun?: boolean }, R extends KubeObject | Status>(
    verb: WriteVerb,
    key: Key | undefined,
    options: O,
    send: (options: O) => Promise<R>,
  ): Promise<R> {
    const { signal, requireMayWrite, writeTimeoutMs, sending, requesting, writing } = this.#host;
    const what = `${verb} ${this.name} ${key ?? ''}`;
    requireMayWrite(what);
    requesting(what);
    const timeoutMs = writeTimeoutMs();
    const call = { signal, ...defined({ timeoutMs }), ...options };
    if (options.dryRun === true) return send(call);
    const uid = key === undefined ? undefined : this.#host.cachedUid(this.name, key);
    const sent = sending(this.name, key);
    const wrote = writing(verb, this.name);
    let answer: R;
    try {
      answer = await send(call);
    } catch (error) {
      if (isRefused(error)) sent.refused();
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
    if (isDeletedBy(object)) {
      sent.gone(object.metadata?.uid);
      overlay.remove(this.name, keyOfWritten(object), object.metadata?.uid ?? '');
    } else {
      sent.answered(object);
      overlay.put(this.name, object);
    }
    wrote(keyOfWritten(object), object.metadata?.resourceVersion);
    return answer;
  }
}

/** Whether the server answered that it did not write. After a 5xx, or no response, it is unknown. */
function isRefused(error: unknown): boolean {
  if (hasCode(error, 'INVALID_OPTION') || hasCode(error, 'INVALID_KEY') || hasCode(error, 'NOT_FOUND')) return true;
  return statusOf(error) !== undefined && !isServerFailure(error);
}

/**
 * Whether a write was the end of an object: its last finalizer was removed. The version of such an answer proves nothing: servers
 * differ in whether it is that of the deletion.
 */
function isDeletedBy({ metadata = {} }: KubeObject): boolean {
  const { deletionGracePeriodSeconds = 0 } = metadata as { readonly deletionGracePeriodSeconds?: number };
  const { deletionTimestamp, finalizers = [] } = metadata;
  return deletionTimestamp !== undefined && finalizers.length === 0 && deletionGracePeriodSeconds === 0;
}

function keyOfWritten({ metadata }: KubeObject): Key {
  const { name = '', namespace = '' } = metadata ?? {};
  return joinKey({ namespace, name });
}
