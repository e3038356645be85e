import type { KubeObject, Live } from 'kube-informer';
import type { DeleteOptions, Partially, PatchOptions } from 'kube-informer/client';
import { isNotFound, type Key, KubeError, LabelSelector, type Log, splitKey } from 'kube-informer/core';
import type { BoundClient } from '../freshness/bound-client.ts';
import { type DeclaredCache, newestInDeclaredCache, newestOfDeclaredCaches } from '../freshness/declared-cache.ts';
import type { Overlay } from '../freshness/overlay.ts';
import type { Applied, ApplyChildOptions, ListChildrenQuery, Reconcile, RunEvents } from '../front/reconcile.ts';
import { hasOwnerReferenceTo } from '../objects/owner-reference.ts';
import { allOpenCaches, openCacheIndexName, type OpenCaches, ownedInOpenCache } from './open-caches.ts';
import { RunStatusDraft } from './run-status.ts';

export interface RunContextOptions {
  readonly controller: string;
  readonly client: BoundClient;
  readonly signal: AbortSignal;
  readonly caches: OpenCaches;
  readonly key: Key;
  readonly object: KubeObject;
  readonly overlay: Overlay;
  readonly attempt: number;
  readonly reasons: readonly string[];
  readonly fresh: boolean;
  readonly fence: number | undefined;
  readonly log: Log;
  readonly event: RunEvents;
  /** The user's index functions, guarded. */
  readonly indexers: ReadonlyMap<string, (object: Live<KubeObject>) => readonly string[]>;
  readonly apply: (
    resource: string,
    object: Partially<KubeObject>,
    options: ApplyChildOptions,
  ) => Promise<Applied<KubeObject>>;
}

/** A run and what must be done after it. */
export interface RunContext {
  readonly run: Reconcile<KubeObject>;
  readonly status: RunStatusDraft;
  readonly client: BoundClient;
  /** The object, including what the run wrote to it. */
  readonly current: () => KubeObject;
}

/** Makes the argument of `reconcile`. Its methods are closures, so that they can be destructured. */
export function makeRunContext(options: RunContextOptions): RunContext {
  const { controller, client, signal, caches, key, object, overlay, attempt, reasons, fresh, fence, log, event } =
    options;
  const { primary, owned } = caches;
  const { namespace, name } = splitKey(key);
  const status = new RunStatusDraft();
  const own = client.resource<KubeObject>(primary.resource);

  const cachesOf = (resource: string): readonly DeclaredCache[] => {
    const found = allOpenCaches(caches).filter((cache) => cache.resource === resource);
    // Objects of two clusters are not mixed: those of the controller's own cluster count.
    const own = found.filter(({ isElsewhere }) => !isElsewhere);
    if (found.length > 0) return own.length > 0 ? own : found;
    const names = [...new Set(allOpenCaches(caches).map((cache) => cache.resource))];
    const message = `${resource} is not declared by controller ${controller}: expected one of ${names.join(', ')}, or add it to owns or watches`;
    throw new KubeError('INVALID_OPTION', message);
  };
  const get = (resource: string, of: Key): KubeObject | undefined => {
    const declared = cachesOf(resource);
    // A single cache throws with its namespaces if that of the key is not among them.
    const cached = declared.length === 1 ? declared[0]?.informer.get(of) : newestInDeclaredCache(declared, of);
    return declared[0]?.isElsewhere === true ? cached : overlay.get(resource, of, cached); // writes go to the controller's own cluster
  };
  const list = (resource: string, query: ListChildrenQuery = {}): KubeObject[] => {
    const { namespace: within, labels } = query;
    const selector = labels === undefined ? undefined : LabelSelector.of(labels);
    const matches = ({ metadata }: KubeObject): boolean =>
      (within === undefined || within === '' || metadata?.namespace === within) &&
      (selector === undefined || selector.matches(metadata?.labels ?? {}));
    const declared = cachesOf(resource);
    const cached = newestOfDeclaredCaches(declared, query);
    return declared[0]?.isElsewhere === true ? cached : overlay.list(resource, cached, matches);
  };
  const ownedOf = (resource: string): KubeObject[] => {
    const cache = owned.find((one) => one.resource === resource);
    if (cache === undefined)
      throw new KubeError('INVALID_OPTION', `${resource} is not in owns of controller ${controller}: add it there`);
    return overlay.list(resource, ownedInOpenCache(cache, object), (child) => hasOwnerReferenceTo(child, object));
  };
  const byIndex = (index: string, value: string): Live<KubeObject>[] => {
    const values = options.indexers.get(index);
    if (values === undefined) {
      const names = [...options.indexers.keys()].join(', ') || 'none';
      throw new KubeError(
        'INVALID_OPTION',
        `controller ${controller} has no index ${index}: its indexers are ${names}`,
      );
    }
    const cached = primary.informer.byIndex(openCacheIndexName(controller, index), value);
    return overlay.list(primary.resource, cached, (one) => values(one).includes(value));
  };
  const current = (): KubeObject => overlay.get(primary.resource, key, object) ?? object;

  const run: UntypedReconcile = {
    key,
    name,
    namespace,
    object: object as Live<KubeObject>,
    signal,
    attempt,
    reasons,
    log,
    fresh,
    fence,
    get,
    list,
    owned: ownedOf,
    byIndex,
    apply: (resource, child, how = {}) => options.apply(resource, child, how),
    patch: (change: object, how: PatchOptions = {}) => own.patch(key, change, { fieldManager: controller, ...how }),
    delete: async (resource: string, of: Key, how: DeleteOptions = {}) => {
      try {
        await client.resource<KubeObject>(resource).delete(of, how);
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    },
    client,
    status,
    event,
  };
  return { run: run as unknown as Reconcile<KubeObject>, status, client, current };
}

/** Reconcile without its overloads, which only the user's compiler needs. */
interface UntypedReconcile extends Omit<Reconcile<KubeObject>, 'get' | 'list' | 'owned' | 'apply'> {
  readonly get: (resource: string, key: Key) => KubeObject | undefined;
  readonly list: (resource: string, query?: ListChildrenQuery) => KubeObject[];
  readonly owned: (resource: string) => KubeObject[];
  readonly apply: (
    resource: string,
    object: Partially<KubeObject>,
    options?: ApplyChildOptions,
  ) => Promise<Applied<KubeObject>>;
}
