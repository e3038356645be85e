import type { KubeObject } from 'kube-informer';
import type { Env } from 'kube-informer/core';
import type { CacheRecord } from './cache-book.ts';
import { diffLines } from './diff.ts';
import { ownedBy, ownersOf } from './family.ts';
import type { History, Seen } from './history.ts';
import type { Mask } from './mask.ts';
import { yamlOf } from './object-text.ts';
import type { ObjectDetail, Version } from './protocol.ts';
import { instantOf, statusOf } from './summary.ts';
import { brief } from './visible.ts';

export interface DetailParts {
  readonly record: CacheRecord;
  readonly records: readonly CacheRecord[];
  readonly history: History;
  readonly mask: Mask;
  readonly env: Env;
}

/** Everything there is to see of one object; undefined when it is not in the cache and was not seen to go. */
export async function detailOf(key: string, parts: DetailParts): Promise<ObjectDetail | undefined> {
  const { record, history, mask } = parts;
  const { id, cache } = record;
  const seen = history.of(id, key);
  const current = cache.informer.store.get(key);
  const object = current ?? seen.at(-1)?.object;
  if (object === undefined) return undefined;
  const { name = '', namespace = '', resourceVersion = '', creationTimestamp } = object.metadata ?? {};
  const { status, tone } = statusOf(object);
  const yaml = yamlOf(mask.object(cache.resource, object));
  return {
    cache: id,
    key,
    kind: brief(object.kind ?? ''),
    name: brief(name),
    namespace: brief(namespace),
    status: brief(mask.text(status)),
    tone,
    createdAt: instantOf(creationTimestamp),
    isDeleted: current === undefined,
    isMasked: yaml !== yamlOf(object),
    resourceVersion: brief(resourceVersion),
    yaml,
    versions: versionsOf(seen, (one) => yamlOf(mask.object(cache.resource, one))),
    owners: ownersOf(object, parts),
    owned: await ownedBy(object, parts),
  };
}

/** Differences are taken between masked texts: what is hidden stays hidden, and that it changed is seen. */
function versionsOf(seen: readonly Seen[], textOf: (object: KubeObject) => string): readonly Version[] {
  const versions: Version[] = [];
  let before: string | undefined;
  for (const { at, type, object } of seen) {
    const text = textOf(object);
    const changes = before === undefined || type === 'delete' ? [] : diffLines(before, text);
    versions.unshift({
      at,
      type,
      resourceVersion: brief(object.metadata?.resourceVersion ?? ''),
      changes,
      added: changes.filter(({ kind }) => kind === 'added').length,
      removed: changes.filter(({ kind }) => kind === 'removed').length,
    });
    before = text;
  }
  return versions;
}
