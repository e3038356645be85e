import type { Partially } from 'kube-informer/client';
import {
  defined,
  joinKey,
  type Key,
  type KnownOptions,
  type KubeObject,
  type Live,
  requireKnown,
  requireOption,
} from 'kube-informer/core';
import type { BoundClient } from '../freshness/bound-client.ts';
import { newestInDeclaredCache, wholeDeclaredCaches } from '../freshness/declared-cache.ts';
import type { Overlay } from '../freshness/overlay.ts';
import type { Applied, ApplyChildOptions } from '../front/reconcile.ts';
import { type ApplyMark, applyObject } from '../objects/apply-object.ts';
import { type OpenCaches, openOwnCachesOf } from './open-caches.ts';

const APPLY_OPTIONS: KnownOptions<ApplyChildOptions> = { force: true, owner: true };
/** Maximum number of applies that are remembered to recognise repetitions. */
const MAX_MARKS = 10_000;

export interface ApplyChildHost {
  readonly fieldManager: string;
  /** Resource of the run's object. */
  readonly ownerResource: string;
  readonly caches: OpenCaches;
  readonly overlay: Overlay;
  readonly client: BoundClient;
  readonly object: KubeObject;
  /** The last applies of this controller, oldest first. */
  readonly marks: Map<string, ApplyMark>;
  readonly unsent: () => void;
  /** Records a child that the run wants, before it is sent. */
  readonly wanted: (resource: string, key: Key) => void;
}

/** Server-side apply of a child, with the run's object as its controller. Not sent if it would change nothing. */
export async function applyChild(
  host: ApplyChildHost,
  resource: string,
  child: Partially<KubeObject>,
  options: ApplyChildOptions,
): Promise<Applied<KubeObject>> {
  requireKnown(`apply ${resource}`, options, APPLY_OPTIONS);
  const { owner, force } = options;
  const { fieldManager, caches, overlay, client, object, marks } = host;
  requireOption(typeof child === 'object' && child !== null, `apply ${resource}`, 'an object', child);
  const { namespace = '', name = '' } = child.metadata ?? {};
  const key = joinKey({ namespace, name });
  const id = `${resource} ${key}`;
  host.wanted(resource, key);
  const declared = openOwnCachesOf(caches, resource);
  const cached = newestInDeclaredCache(declared, key);
  const seen = overlay.get(resource, key, cached);
  const isPartial = seen === cached && newestInDeclaredCache(wholeDeclaredCaches(declared), key) === undefined;
  const applied = await applyObject(client.resource<KubeObject>(resource), child, {
    fieldManager,
    cached: seen,
    isPartial,
    mark: marks.get(id),
    ...defined({ force }),
    ...(owner === false ? {} : { owner: object, owners: client.resource<KubeObject>(host.ownerResource) }),
  });
  if (applied.outcome === 'conflict') return applied;
  marks.delete(id);
  marks.set(id, applied.mark);
  const [oldest] = marks.keys();
  if (marks.size > MAX_MARKS && oldest !== undefined) marks.delete(oldest);
  if (!applied.sent) host.unsent();
  return { outcome: applied.outcome, object: applied.object as Live<KubeObject> };
}
