import { type Env, KubeError } from 'kube-informer/core';
import { withNamespaceFinalizer } from '../api/kinds/cluster/namespace-finalizer.ts';
import { nameErrors } from '../api/meta/name-errors.ts';
import type { Resource } from '../api/schema/resource.ts';
import { isShapeCheckObject } from '../core/shape-check.ts';
import type { ApiObject, ObjectMeta } from '../core/kube-object.ts';
import { serverTimestamp } from '../core/server-timestamp.ts';
import { uuid } from '../core/uuid.ts';
import { recordBirth } from '../storage/store/stored-record.ts';
import type { Registry } from './registry.ts';
import type { Served } from './served.ts';

/**
 * Stores objects of any kind in order, without the rules of their kinds, as fast as they can be encoded.
 * Fills in missing metadata that every object has, and the finalizer without which a deleted namespace would
 * leave its content behind.
 *
 * An existing object is changed and keeps its uid; one with another uid is another object, so the old one is
 * deleted first. If nothing changes, there is no event. Throws at the first object that cannot be stored:
 * before anything is stored if they are in an array, otherwise after those before it.
 */
export function loadIntoRegistry(env: Env, registry: Registry, objects: Iterable<ApiObject>): number {
  if (Array.isArray(objects)) checkRegistryLoad(registry, objects as readonly ApiObject[]);
  const creationTimestamp = serverTimestamp(env.wallNow());
  let count = 0;
  let last: { readonly type: string; readonly served: Served } | undefined;
  for (const given of objects) {
    const at = `load: object ${count}`;
    if (!isShapeCheckObject(given)) throw registryLoadRefusal(at, 'expected an object', given);
    const type = `${given.apiVersion} ${given.kind}`;
    if (last?.type !== type) last = { type, served: servedForRegistryLoad(registry, given, at) };
    const { served } = last;
    const object = type === 'v1 Namespace' ? withNamespaceFinalizer(given) : given;
    const place = registryLoadPlace(served.resource, object, at);
    const known = served.collection.get(place.namespace ?? '', place.name);
    const birth = known === undefined ? undefined : recordBirth(known, served.collection.layout);
    const { uid, ...metadata } = { ...object.metadata, ...place };
    if (known !== undefined && birth !== undefined && (uid === undefined || uid === birth.uid)) {
      served.change({
        ...object,
        metadata: { ...birth, ...registryLoadGeneration(served, object, served.object(known)), ...metadata },
      });
    } else {
      if (birth !== undefined) served.collection.remove(place.namespace ?? '', place.name);
      const born = { uid: uid ?? uuid(() => env.random()), creationTimestamp, ...registryLoadGeneration(served) };
      served.put({ ...object, metadata: { ...born, ...metadata } });
    }
    count += 1;
  }
  return count;
}

/** The generation of an object that does not set its own: 1 for a new one, one more after a change that counts. */
function registryLoadGeneration({ strategy }: Served, next: ApiObject = {}, old?: ApiObject): { generation?: number } {
  if (strategy.generation === 'none') return {};
  const before = old?.metadata?.generation ?? 0;
  return { generation: old === undefined || strategy.isNewGeneration(next, old) ? before + 1 : before };
}

/**
 * Checks the objects before they are stored. Those of a kind that one of them defines are checked later, when
 * they are stored.
 */
function checkRegistryLoad(registry: Registry, objects: readonly ApiObject[]): void {
  const definesKinds = objects.some(
    (object) => isShapeCheckObject(object) && object.kind === 'CustomResourceDefinition',
  );
  let last: { readonly type: string; readonly served: Served } | undefined;
  for (const [count, object] of objects.entries()) {
    const at = `load: object ${count}`;
    if (!isShapeCheckObject(object)) throw registryLoadRefusal(at, 'expected an object', object);
    const type = `${object.apiVersion} ${object.kind}`;
    if (last?.type !== type) {
      const served = findServedForRegistryLoad(registry, object);
      if (served === undefined && definesKinds) continue;
      last = { type, served: served ?? servedForRegistryLoad(registry, object, at) };
    }
    registryLoadPlace(last.served.resource, object, at);
  }
}

function findServedForRegistryLoad(registry: Registry, { apiVersion, kind }: ApiObject): Served | undefined {
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return undefined;
  const slash = apiVersion.indexOf('/');
  const group = slash === -1 ? '' : apiVersion.slice(0, slash);
  const served = registry.findKind(group, apiVersion.slice(slash + 1), kind);
  return served?.resource.verbs.includes('list') === true ? served : undefined;
}

function servedForRegistryLoad(registry: Registry, object: ApiObject, at: string): Served {
  const served = findServedForRegistryLoad(registry, object);
  if (served !== undefined) return served;
  const { apiVersion, kind } = object;
  const isNamed = typeof apiVersion === 'string' && typeof kind === 'string';
  throw registryLoadRefusal(at, isNamed ? 'expected objects of a served kind' : 'expected apiVersion and kind', {
    apiVersion,
    kind,
  });
}

const NAMESPACES = { group: '', resource: 'namespaces' };

/** The name and namespace under which an object is stored. Its name must be valid in requests. */
function registryLoadPlace(
  resource: Resource,
  { metadata }: ApiObject,
  at: string,
): { name: string; namespace?: string } {
  if (!isShapeCheckObject(metadata)) throw registryLoadRefusal(at, 'metadata: expected an object', metadata);
  const { name, namespace } = metadata as ObjectMeta;
  if (typeof name !== 'string' || name === '') throw registryLoadRefusal(at, 'metadata.name: expected a name', name);
  const [error] = nameErrors(resource, name);
  if (error !== undefined) throw new KubeError('INVALID_OPTION', `${at}: ${error.field}: ${error.message}`);
  if (!resource.namespaced) {
    if (namespace === undefined || namespace === '') return { name };
    throw registryLoadRefusal(
      at,
      `metadata.namespace: expected none, as ${resource.resource} are not in namespaces`,
      namespace,
    );
  }
  if (namespace === undefined || namespace === '') return { name, namespace: 'default' };
  if (typeof namespace !== 'string') throw registryLoadRefusal(at, 'metadata.namespace: expected a name', namespace);
  const [wrong] = nameErrors(NAMESPACES, namespace, 'metadata.namespace');
  if (wrong !== undefined) throw new KubeError('INVALID_OPTION', `${at}: ${wrong.field}: ${wrong.message}`);
  return { name, namespace };
}

const registryLoadRefusal = (at: string, expected: string, got: unknown): KubeError =>
  new KubeError('INVALID_OPTION', `${at}: ${expected}, got ${JSON.stringify(got)}`);
