import type { ApiObject, OwnerReference } from '../../core/kube-object.ts';
import { StatusError } from '../../core/status-error.ts';
import type { ControllerHost, RemoveOptions } from './controller-host.ts';

/** The metadata that controllers read. */
export interface Meta {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string | null;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly Readonly<OwnerReference>[];
}

/** An object with generated types: they fit `ApiObject` in all but their `readonly`. */
export interface Typed {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: Meta;
}

/** One resource with the types of its objects. Objects are shared: they are never changed in place. */
export interface TypedResource<T extends Typed> {
  list(namespace?: string): readonly T[];
  get(namespace: string, name: string): T | undefined;
  create(object: T): T;
  update(object: T): T;
  /** Replaces the status. Writes nothing if it has not changed. */
  updateStatus(object: T, status: object): T;
  /** Removes the object. True if it existed. */
  remove(object: Typed, options?: RemoveOptions): boolean;
}

export function typedResource<T extends Typed>(
  host: ControllerHost,
  group: string,
  resource: string,
): TypedResource<T> {
  const asTyped = (object: ApiObject): T => object as unknown as T;
  const asObject = (object: T): ApiObject => object as unknown as ApiObject;
  return {
    list: (namespace) => host.list(group, resource, namespace).map(asTyped),
    get: (namespace, name) => {
      const found = host.get(group, resource, namespace, name);
      return found === undefined ? undefined : asTyped(found);
    },
    create: (object) => asTyped(host.create(group, resource, asObject(object))),
    update: (object) => asTyped(host.update(group, resource, asObject(object))),
    updateStatus: (object, status) => asTyped(host.update(group, resource, { ...asObject(object), status }, 'status')),
    remove: ({ metadata }, options = {}) => {
      const { namespace = '', name = '', uid = '' } = metadata ?? {};
      try {
        host.remove(group, resource, namespace, name, { ...options, preconditions: { uid } });
        return true;
      } catch (error) {
        // Gone, or another object of the same name.
        if (error instanceof StatusError && [404, 409].includes(error.status.code ?? 0)) return false;
        throw error;
      }
    },
  };
}
