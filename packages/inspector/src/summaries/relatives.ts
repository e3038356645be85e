import type { KubeObject } from 'kube-informer';
import type { Env } from 'kube-informer/core';
import type { CacheRecord } from '../caches/cache-tracker.ts';
import { type Mask, withMaskedKind } from '../mask/mask.ts';
import type { Relative } from '../protocol/messages.ts';
import { objectFieldObjects, objectFieldText } from '../objects/object-fields.ts';
import { objectStatus } from '../objects/object-status.ts';
import { visibleBrief } from '../mask/visible.ts';
import { WorkSlices } from './work-slices.ts';

interface OwnerReference {
  readonly kind: string;
  readonly name: string;
  /** The uid; empty if unknown. */
  readonly uid: string;
  readonly controller: boolean;
}

interface Member {
  readonly record: CacheRecord;
  readonly key: string;
  readonly object: KubeObject;
}

export interface RelativesParts {
  readonly records: readonly CacheRecord[];
  readonly mask: Mask;
  readonly env: Pick<Env, 'now' | 'yield'>;
}

/** Maximum depth. Kubernetes has no deeper ownership; it also ends cycles. */
const MAX_DEPTH = 6;
const MAX_OWNED = 200;

/** Returns the owners, outermost first. Uses lookups by name, no search. */
export function ownerRelatives(object: KubeObject, { records, mask }: RelativesParts): readonly Relative[] {
  const owners: Relative[] = [];
  let at: KubeObject | undefined = object;
  for (let depth = 1; depth <= MAX_DEPTH && at !== undefined; depth += 1) {
    const references = relativeReferences(at);
    const reference = references.find(({ controller }) => controller) ?? references[0];
    if (reference === undefined) break;
    const { kind, name } = reference;
    const found = findOwnerRelative(records, reference, at.metadata?.namespace);
    owners.unshift(
      found === undefined
        ? { kind: visibleBrief(kind), name: visibleBrief(name), namespace: '', cache: undefined, key: name, status: '', tone: 'plain', depth: -depth }
        : relative(found, mask, -depth),
    ); // prettier-ignore
    at = found?.object;
  }
  return owners;
}

/** Returns everything the object owns, directly and indirectly, if it is in a cache. */
export async function ownedRelatives(
  object: KubeObject,
  { records, mask, env }: RelativesParts,
): Promise<readonly Relative[]> {
  const children = await relativesByOwner(records, env);
  const owned: Relative[] = [];
  const seen = new Set<string>();
  const visit = ({ metadata: { uid = '', namespace = '' } = {} }: KubeObject, depth: number): void => {
    if (depth > MAX_DEPTH || seen.has(uid)) return;
    seen.add(uid);
    const below = (children.get(uid) ?? [])
      // An object of another namespace cannot be owned, even if it has such a reference.
      .filter((member) => namespace === '' || member.object.metadata?.namespace === namespace)
      .toSorted((a, b) => (a.key < b.key ? -1 : 1));
    for (const member of below) {
      if (owned.length >= MAX_OWNED) return;
      owned.push(relative(member, mask, depth));
      visit(member.object, depth + 1);
    }
  };
  visit(object, 1);
  return owned;
}

async function relativesByOwner(
  records: readonly CacheRecord[],
  env: Pick<Env, 'now' | 'yield'>,
): Promise<ReadonlyMap<string, readonly Member[]>> {
  const children = new Map<string, Member[]>();
  const known = new Set<string>();
  const slices = new WorkSlices(env);
  for (const record of records) {
    const { store } = record.cache.informer;
    for (const key of store.keys()) {
      if (slices.due()) await slices.pause();
      const object = store.get(key);
      if (object === undefined) continue;
      for (const { uid } of relativeReferences(object)) {
        // Two caches may hold the same object, in full and as metadata.
        const once = `${uid} ${object.metadata?.uid}`;
        if (uid === '' || known.has(once)) continue;
        known.add(once);
        const siblings = children.get(uid);
        if (siblings === undefined) children.set(uid, [{ record, key, object }]);
        else siblings.push({ record, key, object });
      }
    }
  }
  return children;
}

function findOwnerRelative(
  records: readonly CacheRecord[],
  { name, uid }: OwnerReference,
  namespace: string | undefined,
): Member | undefined {
  for (const record of records) {
    for (const key of namespace === undefined ? [name] : [`${namespace}/${name}`, name]) {
      const object = record.cache.informer.store.get(key);
      if (object !== undefined && uid !== '' && object.metadata?.uid === uid) return { record, key, object };
    }
  }
  return undefined;
}

function relative({ record, key, object }: Member, mask: Mask, depth: number): Relative {
  const { name = '', namespace = '' } = object.metadata ?? {};
  const { status, tone } = objectStatus(withMaskedKind(record.cache.resource, object));
  return {
    kind: visibleBrief(object.kind ?? record.cache.resource),
    name: visibleBrief(name),
    namespace: visibleBrief(namespace),
    cache: record.id,
    key,
    status: visibleBrief(mask.text(status)),
    tone,
    depth,
  };
}

function relativeReferences({ metadata }: KubeObject): readonly OwnerReference[] {
  const { ownerReferences } = (metadata ?? {}) as { readonly ownerReferences?: unknown };
  return objectFieldObjects({ ownerReferences }, 'ownerReferences').map((one) => ({
    kind: objectFieldText(one, 'kind'),
    name: objectFieldText(one, 'name'),
    uid: objectFieldText(one, 'uid'),
    controller: one['controller'] === true,
  }));
}
