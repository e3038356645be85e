import type { Env } from 'kube-informer/core';
import type { Resource } from '../api/schema/resource.ts';
import type {
  ChangeType,
  ControllerHost,
  RemoveOptions,
  Scale,
  ScaleTarget,
} from '../controllers/common/controller-host.ts';
import { copyJson } from '../core/json.ts';
import type { ApiObject } from '../core/kube-object.ts';
import { noSuchResourceStatusError, statusError } from '../core/status-error.ts';
import type { User } from '../core/user.ts';
import { loadIntoRegistry } from '../registry/load-registry.ts';
import type { Served } from '../registry/served.ts';
import { type Api, type Target } from '../verbs/api-context.ts';
import { create } from '../verbs/create.ts';
import { deleteNow } from '../verbs/delete.ts';
import { getScale, putScale } from '../verbs/scale.ts';
import { doVerbStepsNow } from '../verbs/steps.ts';
import { bindingSubresource, finalizeSubresource } from '../verbs/subresources.ts';
import { update } from '../verbs/update.ts';

/** Manager of the fields that the server itself writes. */
export const SERVER_MANAGER = 'kube-informer-apiserver';

const OPTIONS = { dryRun: false, fieldManager: SERVER_MANAGER, fieldValidation: 'Ignore' } as const;

/**
 * The verbs without HTTP: for controllers, seeds and bulk loads in the same process.
 *
 * They follow the rules of requests, on behalf of the server itself; failures are StatusErrors. Objects read are shared
 * and must not be changed; objects passed in are copied.
 */
export class LocalClient implements ControllerHost {
  readonly env: Env;
  readonly #api: Api;
  readonly #user: User;

  constructor(api: Api, user: User) {
    this.env = api.env;
    this.#api = api;
    this.#user = user;
  }

  resources(): readonly Resource[] {
    return this.#api.registry.resources();
  }

  list(group: string, resource: string, namespace = ''): readonly ApiObject[] {
    const served = this.#served(group, resource);
    return served.collection.current({ namespace }).map((record) => served.object(record));
  }

  get(group: string, resource: string, namespace: string, name: string): ApiObject | undefined {
    const served = this.#served(group, resource);
    const record = served.collection.get(namespace, name);
    return record === undefined ? undefined : served.object(record);
  }

  create(group: string, resource: string, object: ApiObject): ApiObject {
    const target = this.#target(this.#served(group, resource), object.metadata?.namespace ?? '', '');
    return doVerbStepsNow(create(this.#api, target, copyJson(object), OPTIONS)).object;
  }

  update(group: string, resource: string, object: ApiObject, subresource?: 'status' | 'finalize'): ApiObject {
    const { namespace = '', name = '' } = object.metadata ?? {};
    const target = this.#target(this.#served(group, resource), namespace, name, subresource);
    const write = subresource === 'finalize' ? finalizeSubresource : update;
    return doVerbStepsNow(write(this.#api, target, copyJson(object), OPTIONS)).object;
  }

  /** Creates an object of any served kind, or replaces the one of its name. */
  put(object: ApiObject): ApiObject {
    const served = this.#servedKind(object);
    const { name = '' } = object.metadata ?? {};
    const namespace = served.resource.namespaced ? (object.metadata?.namespace ?? 'default') : '';
    const record = served.collection.get(namespace, name);
    const copy = copyJson(object);
    if (served.resource.namespaced) (copy.metadata ??= {}).namespace = namespace;
    if (record === undefined)
      return doVerbStepsNow(create(this.#api, this.#target(served, namespace, ''), copy, OPTIONS)).object;
    (copy.metadata ??= {}).resourceVersion = String(record.revision);
    return doVerbStepsNow(update(this.#api, this.#target(served, namespace, name), copy, OPTIONS)).object;
  }

  scale(namespace: string, { name, ...kind }: ScaleTarget): Scale {
    const { spec, status } = doVerbStepsNow(
      getScale(this.#target(this.#servedKind(kind), namespace, name, 'scale')),
    ) as unknown as { spec: { replicas?: number }; status: { selector?: string } };
    return { replicas: spec.replicas ?? 0, selector: status.selector ?? '' };
  }

  setScale(namespace: string, { name, ...kind }: ScaleTarget, replicas: number): void {
    const target = this.#target(this.#servedKind(kind), namespace, name, 'scale');
    doVerbStepsNow(putScale(this.#api, target, { metadata: { name, namespace }, spec: { replicas } }, OPTIONS));
  }

  bind(namespace: string, pod: string, node: string): void {
    const target = this.#target(this.#served('', 'pods'), namespace, pod, 'binding');
    doVerbStepsNow(
      bindingSubresource(this.#api, target, { metadata: { name: pod }, target: { kind: 'Node', name: node } }, OPTIONS),
    );
  }

  /** Deletes an object. Returns it as it is now, or as it was last. */
  remove(group: string, resource: string, namespace: string, name: string, options: RemoveOptions = {}): ApiObject {
    return this.removeFrom(this.#served(group, resource), namespace, name, options);
  }

  removeFrom(served: Served, namespace: string, name: string, options: RemoveOptions = {}): ApiObject {
    const record = served.collection.get(namespace, name);
    const before = record === undefined ? {} : served.object(record);
    const target = this.#target(served, namespace, name);
    const deleted = doVerbStepsNow(deleteNow(this.#api, target, { ...options, dryRun: false }));
    return 'object' in deleted ? deleted.object : before;
  }

  watch(group: string, resource: string, onChange: (type: ChangeType, object: ApiObject) => void): () => void {
    const served = this.#served(group, resource);
    return served.collection.listen(({ type, record, previous }) => {
      const shown = record ?? previous;
      if (shown !== undefined) onChange(type, served.object(shown));
    });
  }

  /** Stores objects of any kind without the rules of their kinds: see `load`. */
  load(objects: Iterable<ApiObject>): number {
    return loadIntoRegistry(this.env, this.#api.registry, objects);
  }

  #served(group: string, resource: string): Served {
    const served = this.#api.registry.findAnyVersion(group, resource);
    if (served === undefined) throw noSuchResourceStatusError();
    return served;
  }

  #servedKind({ apiVersion = '', kind = '' }: ApiObject): Served {
    const [version = '', group = ''] = apiVersion.split('/').toReversed();
    const served = this.#api.registry.findKind(group, version, kind);
    if (served === undefined) throw noKindForLocalClient(apiVersion, kind);
    return served;
  }

  #target(served: Served, namespace: string, name: string, subresource = ''): Target {
    return { served, namespace, name, subresource, user: this.#user, warn: () => {}, admits: 'at once' };
  }
}

const noKindForLocalClient = (apiVersion: string, kind: string): Error =>
  statusError(404, 'NotFound', `no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`);
