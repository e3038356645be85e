import type { Env } from 'kube-informer/core';
import type { Resource } from '../../api/schema/resource.ts';
import type { ApiObject } from '../../core/kube-object.ts';

export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';

export interface RemoveOptions {
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  readonly gracePeriodSeconds?: number;
  /**
   * Conditions under which the delete is refused: another object of the same name, or one that has changed
   * meanwhile.
   */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** The object that has a scale. */
export interface ScaleTarget {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly name: string;
}

/** The `scale` of an object: its desired replicas, and the selector of its pods. */
export interface Scale {
  readonly replicas: number;
  readonly selector: string;
}

/**
 * The server as controllers see it: the verbs of a client, in the process and synchronous.
 *
 * Resources are named by group and plural; the server chooses the version. Returned objects are shared: do
 * not change them. A request that the server would refuse to a client throws a `StatusError`.
 */
export interface ControllerHost {
  readonly env: Env;
  /** Every resource that is served now; custom ones may be added and removed. */
  resources(): readonly Resource[];
  list(group: string, resource: string, namespace?: string): readonly ApiObject[];
  /** Reads an object. `namespace` is empty for cluster-scoped objects. */
  get(group: string, resource: string, namespace: string, name: string): ApiObject | undefined;
  /** Calls back for changes from now on. Returns a function that ends it. */
  watch(group: string, resource: string, onChange: (type: ChangeType, object: ApiObject) => void): () => void;
  create(group: string, resource: string, object: ApiObject): ApiObject;
  /** A PUT: replaces the version named by the object's resourceVersion. */
  update(group: string, resource: string, object: ApiObject, subresource?: 'status' | 'finalize'): ApiObject;
  scale(namespace: string, target: ScaleTarget): Scale;
  setScale(namespace: string, target: ScaleTarget, replicas: number): void;
  /** Binds a pod to a node, like a scheduler. */
  bind(namespace: string, pod: string, node: string): void;
  remove(group: string, resource: string, namespace: string, name: string, options?: RemoveOptions): ApiObject;
}

/** Stops a controller at once, including pending work. */
export type Stop = () => void;

/** The resources that controllers can work on, each once, in one of its versions. */
export function resourcesOfControllerHost(host: ControllerHost, ...verbs: readonly string[]): Resource[] {
  const byName = new Map<string, Resource>();
  for (const resource of host.resources()) {
    const name = `${resource.group}/${resource.resource}`;
    if (!byName.has(name) && verbs.every((verb) => resource.verbs.includes(verb))) byName.set(name, resource);
  }
  return [...byName.values()];
}
