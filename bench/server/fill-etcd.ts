import { randomUUID } from 'node:crypto';
import type { Cluster, KubeObject } from 'kube-informer';
import type { ControlPlane } from '../../test/real/harness/control-plane.ts';
import { makePod, makeWidget } from '../data/workload.ts';
import { type Load, loadObjects } from './load.ts';

const WRITERS = 16;
const PLACES = { pods: 'pods', widgets: 'bench.example.com/widgets' };

/** One object as a server has stored it, with its defaults and managedFields. */
export type Template = Load & { readonly object: KubeObject };

/** Writes the first object of a load through the API and reads it back: the others are stored alike. */
export async function makeTemplate(cluster: Cluster, load: Load): Promise<Template> {
  await loadObjects(cluster, { ...load, size: 1 }, () => {});
  const resource = load.resource === 'pods' ? 'v1/pods' : 'bench.example.com/v1/widgets';
  const { namespace, name } = makePod(load.data, 0).metadata;
  return { ...load, object: await cluster.resource<KubeObject>(resource).get(`${namespace}/${name}`) };
}

/**
 * Writes the other objects of a load into etcd itself, with the server down: through the API each costs two writes and some
 * milliseconds. kube-apiserver reads JSON from etcd as well as protobuf.
 */
export async function fillEtcd(plane: ControlPlane, { resource, data, size, object }: Template): Promise<void> {
  const make = resource === 'pods' ? makePod : makeWidget;
  const first = make(data, 0);
  const firstOwner = JSON.stringify(first).match(/00000000-0000-4000-8000-\d{12}/)?.[0] as string;
  let next = 1;
  const writers = Array.from({ length: WRITERS }, async () => {
    for (let i = next++; i < size; i = next++) {
      const own = make(data, i);
      const { resourceVersion: _, ...metadata } = { ...object.metadata, uid: randomUUID() };
      const stored = withDefaults({ ...object, metadata }, own);
      // managedFields name the owner by its uid.
      const owner = JSON.stringify(own).match(/00000000-0000-4000-8000-\d{12}/)?.[0] as string;
      const { namespace, name } = own.metadata;
      const text = JSON.stringify(stored).replaceAll(firstOwner, owner);
      await plane.putIntoEtcd(`/registry/${PLACES[resource]}/${namespace}/${name}`, text);
    }
  });
  await Promise.all(writers);
}

/** The template with the values of an object of the same shape. */
export function withDefaults(template: unknown, own: unknown): unknown {
  if (Array.isArray(own) && Array.isArray(template))
    return own.map((item, i) => (template[i] === undefined ? item : withDefaults(template[i], item)));
  if (!isObject(own) || !isObject(template)) return own;
  const merged: Record<string, unknown> = { ...template };
  for (const [name, value] of Object.entries(own)) {
    // Labels belong to one object alone: the sizes it is in are among them.
    merged[name] = name in template && name !== 'labels' ? withDefaults(template[name], value) : value;
  }
  return merged;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
