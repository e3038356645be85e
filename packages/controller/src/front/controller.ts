import type { Resources } from '@kube-informer/kubernetes';
import type { Cluster, KubeObject } from 'kube-informer';
import type { BuiltInResource, ObjectNamed, ResourceNameFor } from 'kube-informer/client';
import { requireOption } from 'kube-informer/core';
import { mappingFaultIndexers, MappingFaults } from '../sources/mapping-faults.ts';
import { checkControllerOptions, type ControllerOptions } from './controller-options.ts';

/** A defined controller. `run()` starts it. */
export interface Controller {
  readonly name: string;
  readonly resource: string;
  readonly cluster: Cluster;
}

/** A controller with its options, which only the operator reads. */
export interface ControllerDefinition extends Controller {
  readonly options: ControllerOptions<KubeObject>;
  /** The index functions, which do not throw: their failures are recorded as faults. */
  readonly indexers: ReturnType<typeof mappingFaultIndexers>;
  readonly faults: MappingFaults;
}

/** The definition behind each `controller()`. Keeps options out of the public type. */
const definitions = new WeakMap<Controller, ControllerDefinition>();

export const controllerDefinitionOf = (one: Controller): ControllerDefinition | undefined => definitions.get(one);

/**
 * Defines a controller: for each object of `resource`, `reconcile` makes the actual state match it. Sends no
 * request; `run()` starts it.
 *
 * The name of a built-in resource implies the type of its objects; for a custom resource pass the type:
 * `controller<Backup>(cluster, 'example.com/v1/backups', …)`.
 */
export function controller<K extends BuiltInResource>(
  cluster: Cluster,
  resource: K,
  options: ControllerOptions<Resources[K]>,
): Controller;
export function controller<T extends KubeObject = never, N extends string = string>(
  cluster: Cluster,
  resource: ResourceNameFor<T, N>,
  options: ControllerOptions<ObjectNamed<T, N>>,
): Controller;
export function controller(cluster: Cluster, resource: string, options: ControllerOptions<KubeObject>): Controller {
  const isCluster = typeof (cluster as Partial<Cluster> | undefined)?.informer === 'function';
  requireOption(isCluster, 'cluster', 'a Cluster, as Cluster.connect() returns', cluster);
  checkControllerOptions(resource, options);
  const defined: Controller = Object.freeze({ name: options.name, resource, cluster });
  const faults = new MappingFaults();
  definitions.set(defined, {
    ...defined,
    options: { ...options },
    faults,
    indexers: mappingFaultIndexers(options.indexers ?? {}, faults),
  });
  return defined;
}
