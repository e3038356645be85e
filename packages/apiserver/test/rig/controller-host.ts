import { type FakeEnv, fakeEnv } from 'kube-informer/testing';
import { builtinResources } from '../../src/api/kinds/builtin-resources.ts';
import type { Resource } from '../../src/api/schema/resource.ts';
import type { ChangeType, ControllerHost, RemoveOptions } from '../../src/controllers/common/controller-host.ts';
import type { ApiObject } from '../../src/core/kube-object.ts';
import { alreadyExistsStatusError, notFoundStatusError, staleUpdateStatusError } from '../../src/core/status-error.ts';
import { serverTimestamp } from '../../src/core/server-timestamp.ts';

type Listener = (type: ChangeType, object: ApiObject) => void;

/** A minimal server: objects in a map, with only the rules that controllers depend on. */
export class FakeHost implements ControllerHost {
  readonly env: FakeEnv = fakeEnv();
  /** Every change, as `DELETED pods/a`. */
  readonly changes: string[] = [];
  readonly extraResources: Resource[] = [];
  readonly #objects = new Map<string, ApiObject>();
  readonly #listeners = new Map<string, Set<Listener>>();
  #revision = 0;

  resources(): readonly Resource[] {
    return [...builtinResources(), ...this.extraResources];
  }

  list(group: string, resource: string, namespace?: string): ApiObject[] {
    const prefix = `${group}/${resource}/${namespace === undefined ? '' : `${namespace}/`}`;
    return [...this.#objects].filter(([key]) => key.startsWith(prefix)).map(([, object]) => object);
  }

  get(group: string, resource: string, namespace: string, name: string): ApiObject | undefined {
    return this.#objects.get(`${group}/${resource}/${namespace}/${name}`);
  }

  watch(group: string, resource: string, onChange: Listener): () => void {
    const listeners = this.#listeners.get(`${group}/${resource}`) ?? new Set();
    this.#listeners.set(`${group}/${resource}`, listeners.add(onChange));
    return () => void listeners.delete(onChange);
  }

  get watchers(): number {
    return [...this.#listeners.values()].reduce((sum, listeners) => sum + listeners.size, 0);
  }

  create(group: string, resource: string, object: ApiObject): ApiObject {
    const { namespace = '', name = '' } = object.metadata ?? {};
    if (this.get(group, resource, namespace, name) !== undefined)
      throw alreadyExistsStatusError({ group, resource, kind: '' }, name);
    return this.#put('ADDED', group, resource, { ...object, metadata: { uid: `uid-${name}`, ...object.metadata } });
  }

  update(group: string, resource: string, object: ApiObject): ApiObject {
    const { namespace = '', name = '', resourceVersion } = object.metadata ?? {};
    const old = this.get(group, resource, namespace, name);
    if (old === undefined) throw notFoundStatusError({ group, resource, kind: '' }, name);
    if (resourceVersion !== old.metadata?.resourceVersion)
      throw staleUpdateStatusError({ group, resource, kind: '' }, name);
    const { finalizers = [] } = (object['spec'] ?? {}) as { finalizers?: string[] };
    const isHeld =
      (object.metadata?.finalizers ?? []).length > 0 || (resource === 'namespaces' && finalizers.length > 0);
    if (old.metadata?.deletionTimestamp !== undefined && !isHeld) return this.#delete(group, resource, object);
    return this.#put('MODIFIED', group, resource, object);
  }

  scale(): never {
    throw new Error('these controllers scale nothing');
  }

  setScale(): never {
    throw new Error('these controllers scale nothing');
  }

  bind(): void {
    throw new Error('no controller of these tests schedules pods');
  }

  remove(group: string, resource: string, namespace: string, name: string, options: RemoveOptions = {}): ApiObject {
    const object = this.get(group, resource, namespace, name);
    const { uid, resourceVersion } = options.preconditions ?? {};
    const { metadata = {} } = object ?? {};
    if (object === undefined) throw notFoundStatusError({ group, resource, kind: '' }, name);
    if (
      (uid ?? metadata.uid) !== metadata.uid ||
      (resourceVersion ?? metadata.resourceVersion) !== metadata.resourceVersion
    )
      throw staleUpdateStatusError({ group, resource, kind: '' }, name);
    const policy = { Foreground: ['foregroundDeletion'], Orphan: ['orphan'], Background: [] }[
      options.propagationPolicy ?? 'Background'
    ];
    const finalizers = [
      ...(metadata.finalizers ?? []).filter((one) => !/^(orphan|foregroundDeletion)$/.test(one)),
      ...policy,
    ];
    const { nodeName, terminationGracePeriodSeconds = 30 } = (object['spec'] ?? {}) as {
      nodeName?: string;
      terminationGracePeriodSeconds?: number;
    };
    const grace =
      resource === 'pods' && nodeName !== undefined ? (options.gracePeriodSeconds ?? terminationGracePeriodSeconds) : 0;
    const isNamespace = resource === 'namespaces';
    if (finalizers.length === 0 && grace === 0 && !isNamespace) return this.#delete(group, resource, object);
    if (metadata.deletionTimestamp !== undefined) return object;
    return this.#put('MODIFIED', group, resource, {
      ...object,
      ...(isNamespace ? { status: { phase: 'Terminating' } } : {}),
      metadata: {
        ...metadata,
        ...(finalizers.length === 0 ? {} : { finalizers }),
        deletionTimestamp: serverTimestamp(this.env.wallNow() + grace * 1000),
        deletionGracePeriodSeconds: grace,
      },
    });
  }

  /** Lets controllers work until they have nothing more to do. */
  settle(): Promise<void> {
    return this.env.clock.advance(0);
  }

  #put(type: ChangeType, group: string, resource: string, object: ApiObject): ApiObject {
    const { namespace = '', name = '' } = object.metadata ?? {};
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String((this.#revision += 1)) } };
    this.#objects.set(`${group}/${resource}/${namespace}/${name}`, stored);
    return this.#tell(type, group, resource, stored);
  }

  #delete(group: string, resource: string, object: ApiObject): ApiObject {
    const { namespace = '', name = '' } = object.metadata ?? {};
    this.#objects.delete(`${group}/${resource}/${namespace}/${name}`);
    return this.#tell('DELETED', group, resource, object);
  }

  #tell(type: ChangeType, group: string, resource: string, object: ApiObject): ApiObject {
    this.changes.push(`${type} ${resource}/${object.metadata?.name}`);
    for (const listener of this.#listeners.get(`${group}/${resource}`) ?? []) listener(type, object);
    return object;
  }
}
