import type { KubeObject } from 'kube-informer';
import type { Env } from 'kube-informer/core';
import type { CacheRecord } from '../caches/cache-tracker.ts';
import { ownedRelatives, ownerRelatives } from './relatives.ts';
import type { History } from '../history/inspector-history.ts';
import { type Mask, withMaskedKind } from '../mask/mask.ts';
import { objectEvents } from './object-events.ts';
import { objectVersions } from './object-versions.ts';
import { objectYaml } from './object-yaml.ts';
import type { ObjectDetail } from '../protocol/messages.ts';
import { objectAgeInstant } from '../objects/object-age.ts';
import { objectStatus } from '../objects/object-status.ts';
import { visibleBrief } from '../mask/visible.ts';

export interface DetailParts {
  readonly record: CacheRecord;
  readonly records: readonly CacheRecord[];
  readonly history: History;
  readonly mask: Mask;
  readonly env: Env;
}

/** Everything the page shows about one object; undefined if it is neither in the cache nor in the history. */
export async function objectDetail(key: string, parts: DetailParts): Promise<ObjectDetail | undefined> {
  const { record, history, mask, env } = parts;
  const { id, cache } = record;
  const seen = history.of(id, key);
  const current = cache.informer.store.get(key);
  const last = seen.at(-1);
  const object = current ?? last?.object;
  if (object === undefined) return undefined;
  const isDeleted = current === undefined;
  const { name = '', namespace = '', resourceVersion = '', creationTimestamp } = object.metadata ?? {};
  // The status of the last version, usually "Terminating", is outdated.
  const { status, tone } = isDeleted
    ? ({ status: 'deleted', tone: 'bad' } as const)
    : objectStatus(withMaskedKind(cache.resource, object));
  const masked = mask.object(cache.resource, object);
  const yaml = objectYaml(masked);
  return {
    cache: id,
    key,
    kind: visibleBrief(object.kind ?? ''),
    name: visibleBrief(name),
    namespace: visibleBrief(namespace),
    status: visibleBrief(mask.text(status)),
    tone,
    createdAt: objectAgeInstant(creationTimestamp),
    isDeleted,
    deletedAt: isDeleted && last?.type === 'delete' ? last.at : undefined,
    isMasked: isObjectDetailMasked(object, masked),
    resourceVersion: visibleBrief(resourceVersion),
    yaml,
    versions: await objectVersions(seen, (one) => mask.object(cache.resource, one), env),
    owners: ownerRelatives(object, parts),
    owned: await ownedRelatives(object, parts),
    events: objectEvents(object, parts.records, mask),
  };
}

/** Whether something in the YAML is masked. */
function isObjectDetailMasked(object: KubeObject, masked: KubeObject): boolean {
  const shown = (one: KubeObject): string =>
    JSON.stringify({ ...one, kind: undefined, metadata: { ...one.metadata, managedFields: undefined } });
  try {
    return shown(object) !== shown(masked);
  } catch {
    return true; // nested deeper than the stack allows: the copy ends before it
  }
}
