import type { KubeObject } from 'kube-informer';
import type { Env } from 'kube-informer/core';
import type { CacheRecord } from '../caches/cache-tracker.ts';
import { changedPaths } from '../history/changed-paths.ts';
import { diffLines } from '../history/diff-lines.ts';
import { ownedBy, ownersOf } from './relatives.ts';
import type { History, Seen } from '../history/history.ts';
import type { Mask } from '../mask/mask.ts';
import { yamlOf } from './object-yaml.ts';
import type { ObjectDetail, Version } from '../protocol/messages.ts';
import { instant } from '../objects/age.ts';
import { statusOf } from '../objects/status.ts';
import { brief } from '../mask/visible.ts';

export interface DetailParts {
  readonly record: CacheRecord;
  readonly records: readonly CacheRecord[];
  readonly history: History;
  readonly mask: Mask;
  readonly env: Env;
}

/** Everything the page shows about one object; undefined if it is neither in the cache nor in the history. */
export async function detailOf(key: string, parts: DetailParts): Promise<ObjectDetail | undefined> {
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
  const { status, tone } = isDeleted ? ({ status: 'deleted', tone: 'bad' } as const) : statusOf(object);
  const yaml = yamlOf(mask.object(cache.resource, object));
  return {
    cache: id,
    key,
    kind: brief(object.kind ?? ''),
    name: brief(name),
    namespace: brief(namespace),
    status: brief(mask.text(status)),
    tone,
    createdAt: instant(creationTimestamp),
    isDeleted,
    deletedAt: isDeleted && last?.type === 'delete' ? last.at : undefined,
    isMasked: yaml !== yamlOf(object),
    resourceVersion: brief(resourceVersion),
    yaml,
    versions: versionsOf(seen, (one) => mask.object(cache.resource, one)),
    owners: ownersOf(object, parts),
    owned: await ownedBy(object, parts),
  };
}

/** Compares masked objects: masked values stay masked, and their changes are visible. */
function versionsOf(seen: readonly Seen[], masked: (object: KubeObject) => KubeObject): readonly Version[] {
  const versions: Version[] = [];
  let before: KubeObject | undefined;
  for (const { at, type, object } of seen) {
    const shown = withoutVersion(masked(object));
    const isChange = before !== undefined && type !== 'delete';
    const changes = isChange ? diffLines(yamlOf(before as KubeObject), yamlOf(shown)) : [];
    versions.unshift({
      at,
      type,
      resourceVersion: brief(object.metadata?.resourceVersion ?? ''),
      changes,
      paths: isChange ? changedPaths(before, shown).map((path) => brief(path)) : [],
      added: changes.filter(({ kind }) => kind === 'added').length,
      removed: changes.filter(({ kind }) => kind === 'removed').length,
    });
    before = shown;
  }
  return versions;
}

/** The resourceVersion differs in every version. */
function withoutVersion(object: KubeObject): KubeObject {
  const { resourceVersion: _, ...metadata } = { ...object.metadata };
  return { ...object, metadata };
}
