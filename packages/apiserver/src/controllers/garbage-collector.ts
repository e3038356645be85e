import { defined } from 'kube-informer/core';
import type { Resource } from '../api/schema/resource.ts';
import type { ApiObject, OwnerReference } from '../core/kube-object.ts';
import {
  type ChangeType,
  type ControllerHost,
  type Stop,
  resourcesOfControllerHost,
} from './common/controller-host.ts';
import { FOREGROUND, type GraphNode, ORPHAN, OwnerGraph, isOwnerGraphBlocked } from './owner-graph.ts';
import { workLoop } from './common/work-loop.ts';

/** Resources with too many and too short-lived objects to own anything or to be owned. */
const IGNORED: ReadonlySet<string> = new Set(['/events', 'events.k8s.io/events']);
const DEFINITIONS = ['apiextensions.k8s.io', 'customresourcedefinitions'] as const;

/**
 * Deletes objects whose owners are gone, and does the work of the finalizers `foregroundDeletion` and
 * `orphan`.
 *
 *   owner gone                    dependents without another owner are deleted
 *   owner `foregroundDeletion`    dependents are deleted; when none that blocks is left, so is the owner
 *   owner `orphan`                dependents lose the reference, then the owner is removed
 *
 * An owner counts only if the server has it: same namespace and name, same uid.
 */
export function startGarbageCollector(host: ControllerHost): Stop {
  const graph = new OwnerGraph();
  /** Owners that were deleted while they had dependents: they are gone, even if their kind is not served now. */
  const seenToGo = new Set<string>();
  const watches = new Map<string, Stop>();

  const onChange = ({ group, resource }: Resource, type: ChangeType, object: ApiObject): void => {
    const uid = object.metadata?.uid ?? '';
    const before = graph.get(uid);
    if (type === 'DELETED') {
      const dependents = graph.dependentsOf(uid);
      if (dependents.length > 0)
        rememberGarbageCollectorOwner(seenToGo, garbageCollectorOwnerPlace(object.metadata?.namespace, uid));
      graph.remove(uid);
      for (const dependent of dependents) loop.add(dependent.uid);
    } else {
      const node = graph.put(group, resource, object);
      seenToGo.delete(garbageCollectorOwnerPlace(node.namespace, uid));
      if (node.owners.length > 0 || node.isDeleted) loop.add(uid);
    }
    // An owner may be waiting for this dependent to be removed.
    for (const owner of [...(before?.owners ?? []), ...(object.metadata?.ownerReferences ?? [])]) {
      const node = graph.get(owner.uid);
      if (node !== undefined && isOwnerGraphBlocked(node)) loop.add(owner.uid);
    }
  };

  const followResources = (): void => {
    const wanted = new Map(
      resourcesOfControllerHost(host, 'list', 'watch', 'delete').map((resource) => [
        `${resource.group}/${resource.resource}`,
        resource,
      ]),
    );
    for (const [name, stop] of watches) {
      if (wanted.has(name)) continue;
      stop();
      watches.delete(name);
      const [group = '', resource = ''] = name.split('/');
      for (const { uid } of graph.nodesOf(group, resource)) graph.remove(uid);
    }
    for (const [name, resource] of wanted) {
      if (watches.has(name) || IGNORED.has(name)) continue;
      watches.set(
        name,
        host.watch(resource.group, resource.resource, (type, object) => onChange(resource, type, object)),
      );
      for (const object of host.list(resource.group, resource.resource)) onChange(resource, 'ADDED', object);
    }
  };

  const loop = workLoop(host.env, 'garbage collector', (key) => {
    const node = graph.get(key);
    if (node !== undefined && !collectGarbage({ host, graph, seenToGo }, node, (uid) => loop.add(uid))) {
      // It was deleted without an event: its dependents must still be checked.
      const dependents = graph.dependentsOf(key);
      graph.remove(key);
      for (const dependent of dependents) loop.add(dependent.uid);
    }
    return undefined;
  });
  // At once: an object may be created and removed before the loop has its next turn.
  const stopDefinitions = host.watch(...DEFINITIONS, followResources);
  followResources();
  return () => {
    loop.stop();
    stopDefinitions();
    for (const stop of watches.values()) stop();
  };
}

const REMEMBERED = 1000;

function rememberGarbageCollectorOwner(places: Set<string>, place: string): void {
  places.add(place);
  const [oldest] = places;
  if (places.size > REMEMBERED && oldest !== undefined) places.delete(oldest);
}

/** Identifies an owner. It counts in its own namespace only, a cluster-scoped one everywhere. */
const garbageCollectorOwnerPlace = (namespace: string | undefined, uid: string): string => `${namespace ?? ''}/${uid}`;

/** The parts that checking one object needs. */
interface Sight {
  readonly host: ControllerHost;
  readonly graph: OwnerGraph;
  readonly seenToGo: ReadonlySet<string>;
}

/** Checks one object. False if it no longer exists. */
function collectGarbage(sight: Sight, node: GraphNode, look: (uid: string) => void): boolean {
  const { host, graph } = sight;
  const latest = host.get(node.group, node.resource, node.namespace, node.name);
  if (latest === undefined || latest.metadata?.uid !== node.uid) return false;
  const { finalizers = [], deletionTimestamp, ownerReferences = [] } = latest.metadata;
  if (deletionTimestamp !== undefined) {
    if (finalizers.includes(ORPHAN)) orphanByGarbageCollector(host, graph, node, latest);
    else if (finalizers.includes(FOREGROUND)) {
      const blockers = graph.blockersOf(node.uid);
      if (blockers.length === 0) dropGarbageCollectorFinalizer(host, node, latest, FOREGROUND);
      for (const blocker of blockers) if (!isOwnerGraphBlocked(blocker)) look(blocker.uid);
      // Non-blocking dependents are updated too: the owner will not return.
      for (const dependent of graph.dependentsOf(node.uid)) if (!dependent.isDeleted) look(dependent.uid);
    }
    return true;
  }
  if (ownerReferences.length > 0) collectGarbageIfUnowned(sight, node, latest, ownerReferences);
  return true;
}

function collectGarbageIfUnowned(
  sight: Sight,
  node: GraphNode,
  latest: ApiObject,
  owners: readonly OwnerReference[],
): void {
  const { host, graph } = sight;
  const isGone = ({ uid }: OwnerReference): boolean =>
    sight.seenToGo.has(garbageCollectorOwnerPlace(node.namespace, uid)) ||
    sight.seenToGo.has(garbageCollectorOwnerPlace('', uid));
  const states = owners.map((owner) => (isGone(owner) ? 'gone' : garbageCollectorOwnerState(host, node, owner)));
  // A kind that is not served may be served again soon.
  if (states.includes('unknown')) return;
  const alive = owners.filter((_, index) => states[index] === 'alive');
  if (alive.length === owners.length) return;
  if (alive.length > 0) {
    host.update(node.group, node.resource, withGarbageCollectorMetadata(latest, { ownerReferences: alive }));
    return;
  }
  const dependents = graph.dependentsOf(node.uid);
  const isForeground = states.includes('waiting') && dependents.length > 0;
  let current = latest;
  if (isForeground && dependents.some(isOwnerGraphBlocked)) {
    // Owners in a cycle would wait for each other and never be deleted.
    const unblocked = owners.map((owner) => ({ ...owner, blockOwnerDeletion: false }));
    current = host.update(
      node.group,
      node.resource,
      withGarbageCollectorMetadata(latest, { ownerReferences: unblocked }),
    );
  }
  const { finalizers = [], uid, resourceVersion } = current.metadata ?? {};
  const policy =
    isForeground || finalizers.includes(FOREGROUND)
      ? 'Foreground'
      : finalizers.includes(ORPHAN)
        ? 'Orphan'
        : 'Background';
  host.remove(node.group, node.resource, node.namespace, node.name, {
    propagationPolicy: policy,
    preconditions: {
      ...defined({ uid, resourceVersion }),
    },
  });
}

type OwnerState = 'alive' | 'gone' | 'waiting' | 'unknown';

function garbageCollectorOwnerState(host: ControllerHost, node: GraphNode, owner: OwnerReference): OwnerState {
  const [version = '', group = ''] = owner.apiVersion.split('/').toReversed();
  const resource = host
    .resources()
    .find((one) => one.group === group && one.version === version && one.kind === owner.kind);
  // A cluster-scoped object cannot have a namespaced owner: its reference names no namespace.
  if (resource === undefined || (resource.namespaced && node.namespace === '')) return 'unknown';
  const found = host.get(group, resource.resource, resource.namespaced ? node.namespace : '', owner.name);
  if (found === undefined || found.metadata?.uid !== owner.uid) return 'gone';
  const { deletionTimestamp, finalizers = [] } = found.metadata;
  return deletionTimestamp !== undefined && finalizers.includes(FOREGROUND) ? 'waiting' : 'alive';
}

function orphanByGarbageCollector(host: ControllerHost, graph: OwnerGraph, node: GraphNode, latest: ApiObject): void {
  for (const dependent of graph.dependentsOf(node.uid)) {
    const object = host.get(dependent.group, dependent.resource, dependent.namespace, dependent.name);
    const owners = object?.metadata?.ownerReferences ?? [];
    const others = owners.filter(({ uid }) => uid !== node.uid);
    if (object?.metadata?.uid !== dependent.uid || others.length === owners.length) continue;
    host.update(dependent.group, dependent.resource, withGarbageCollectorMetadata(object, { ownerReferences: others }));
  }
  dropGarbageCollectorFinalizer(host, node, latest, ORPHAN);
}

function dropGarbageCollectorFinalizer(
  host: ControllerHost,
  { group, resource }: GraphNode,
  object: ApiObject,
  finalizer: string,
): void {
  const finalizers = (object.metadata?.finalizers ?? []).filter((one) => one !== finalizer);
  host.update(group, resource, withGarbageCollectorMetadata(object, { finalizers }));
}

/** A copy with other lists in its metadata; an empty list is left out. */
function withGarbageCollectorMetadata(
  object: ApiObject,
  lists: Pick<NonNullable<ApiObject['metadata']>, 'finalizers' | 'ownerReferences'>,
): ApiObject {
  const metadata = { ...object.metadata, ...lists };
  for (const name of ['finalizers', 'ownerReferences'] as const)
    if (metadata[name]?.length === 0) delete metadata[name];
  return { ...object, metadata };
}
