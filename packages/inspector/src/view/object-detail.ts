import type { KubeObject } from 'kube-informer';
import type { Env } from 'kube-informer/core';
import type { CacheRecord } from '../caches/cache-tracker.ts';
import { changedPaths } from '../history/changed-paths.ts';
import { diffLines } from '../history/diff-lines.ts';
import { ownedRelatives, ownerRelatives } from './relatives.ts';
import type { History, Seen } from '../history/history.ts';
import type { Mask } from '../mask/mask.ts';
import { objectYaml } from './object-yaml.ts';
import type { ObjectDetail, Version } from '../protocol/messages.ts';
import { objectAgeInstant } from '../objects/age.ts';
import { objectStatus } from '../objects/status.ts';
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
  const { record, history, mask } = parts;
  const { id, cache } = record;
  const seen = history.of(id, key);
  const current = cache.informer.store.get(key);
  const last = seen.at(-1);
  const object = current ?? last?.object;
  if (object === undefined) return undefined;
  const isDeleted = current === undefined;
  const { name = '', namespace = '', resourceVersion = '', creationTimestamp } = object.metadata ?? {};
  // The status of the last version, usually "Terminating", is outdated.
  const { status, tone } = isDeleted ? ({ status: 'deleted', tone: 'bad' } as const) : objectStatus(object);
  const yaml = objectYaml(mask.object(cache.resource, object));
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
    isMasked: yaml !== objectYaml(object),
    resourceVersion: visibleBrief(resourceVersion),
    yaml,
    versions: objectDetailVersions(seen, (one) => mask.object(cache.resource, one)),
    owners: ownerRelatives(object, parts),
    owned: await ownedRelatives(object, parts),
  };
}

/** Compares masked objects: masked values stay masked, and their changes are visible. */
function objectDetailVersions(seen: readonly Seen[], masked: (object: KubeObject) => KubeObject): readonly Version[] {
  const versions: Version[] = [];
  let before: KubeObject | undefined;
  for (const { at, type, object } of seen) {
    const shown = objectDetailWithoutVersion(masked(object));
    const isChange = before !== undefined && type !== 'delete';
    const changes = isChange ? diffLines(objectYaml(before as KubeObject), objectYaml(shown)) : [];
    versions.unshift({
      at,
      type,
      resourceVersion: visibleBrief(object.metadata?.resourceVersion ?? ''),
      changes,
      paths: isChange ? changedPaths(before, shown).map((path) => visibleBrief(path)) : [],
      added: changes.filter(({ kind }) => kind === 'added').length,
      removed: changes.filter(({ kind }) => kind === 'removed').length,
    });
    before = shown;
  }
  return versions;
}

/** The resourceVersion differs in every version. */
function objectDetailWithoutVersion(object: KubeObject): KubeObject {
  const { resourceVersion: _, ...metadata } = { ...object.metadata };
  return { ...object, metadata };
}
