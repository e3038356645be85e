import type { ApiObject } from '../../core/kube-object.ts';
import type { Registry } from '../../registry/registry.ts';
import type { Collection } from '../../storage/store/stored-collection.ts';
import type { StoredRecord } from '../../storage/store/stored-record.ts';

export const CONFIGURATION_GROUP = 'admissionregistration.k8s.io';

export type ConfigurationResource =
  | 'mutatingadmissionpolicies'
  | 'mutatingadmissionpolicybindings'
  | 'mutatingwebhookconfigurations'
  | 'validatingadmissionpolicies'
  | 'validatingadmissionpolicybindings'
  | 'validatingwebhookconfigurations';

export const configurationCollection = (registry: Registry, resource: ConfigurationResource): Collection | undefined =>
  registry.find(CONFIGURATION_GROUP, 'v1', resource)?.collection;

/** The configurations of one kind in the order of their names, each with the cached result of `make`. */
export class Configurations<T> {
  readonly #registry: Registry;
  readonly #resource: ConfigurationResource;
  readonly #make: (object: ApiObject) => T;
  readonly #made = new WeakMap<StoredRecord, T>();

  constructor(registry: Registry, resource: ConfigurationResource, make: (object: ApiObject) => T) {
    this.#registry = registry;
    this.#resource = resource;
    this.#make = make;
  }

  all(): T[] {
    const served = this.#registry.find(CONFIGURATION_GROUP, 'v1', this.#resource);
    if (served === undefined || served.collection.size === 0) return [];
    return served.collection.current().map((record) => {
      let made = this.#made.get(record);
      if (made === undefined) this.#made.set(record, (made = this.#make(served.object(record))));
      return made;
    });
  }
}
