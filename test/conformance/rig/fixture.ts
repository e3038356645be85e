import { randomBytes } from 'node:crypto';
import { type Answer, type Body, type Query, Http, type Target, until } from './target.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** A namespace of one case, and the paths of its objects. */
export interface Space {
  readonly name: string;
  readonly configMaps: string;
  readonly leases: string;
  readonly pods: string;
  readonly widgets: string;
  readonly deployments: string;
}

/**
 * The base of all cases: an HTTP connection, the Widget kind in a group of its own, and fresh namespaces.
 *
 * Every case takes its own namespace, so that cases can run side by side and on a cluster that others use.
 * Cases that count objects count Leases: a full cluster puts a ConfigMap of its own into every namespace.
 */
export class Fixture implements AsyncDisposable {
  readonly target: Target;
  readonly http: Http;
  /** The API group of Widget. */
  readonly group: string;
  readonly #random: string;
  readonly #namespaces: string[] = [];
  readonly #crds: string[] = [];

  private constructor(target: Target) {
    this.target = target;
    this.http = new Http(target);
    this.#random = randomBytes(4).toString('hex');
    this.group = `cf-${this.#random}.example.com`;
  }

  static async start(target: Target): Promise<Fixture> {
    const fixture = new Fixture(target);
    await fixture.createCrd(widgetCrd(fixture.group));
    return fixture;
  }

  /** A new namespace. */
  async space(): Promise<Space> {
    const name = `cf-${this.#random}-${this.#namespaces.length}`;
    this.#namespaces.push(name);
    await this.create('/api/v1/namespaces', { metadata: { name } });
    return {
      name,
      configMaps: `/api/v1/namespaces/${name}/configmaps`,
      leases: `/apis/coordination.k8s.io/v1/namespaces/${name}/leases`,
      pods: `/api/v1/namespaces/${name}/pods`,
      widgets: `/apis/${this.group}/v1/namespaces/${name}/widgets`,
      deployments: `/apis/apps/v1/namespaces/${name}/deployments`,
    };
  }

  /** Creates a CustomResourceDefinition and waits until its objects are served. */
  async createCrd(crd: Crd): Promise<Body> {
    this.#crds.push(crd.metadata.name);
    const created = await this.create(CRDS, crd);
    const path = `/apis/${crd.spec.group}/v1/${crd.spec.names.plural}`;
    await until(`${path} is served`, async () => (await this.http.ask('GET', path)).status === 200);
    return created;
  }

  /** The body of a Widget, with the kind and apiVersion that a custom resource must have. */
  widget(name: string, spec: object = {}, metadata: object = {}): object {
    return {
      apiVersion: `${this.group}/v1`,
      kind: 'Widget',
      metadata: { name, ...metadata },
      spec: { size: 1, ...spec },
    };
  }

  async create(path: string, body: object, query: Query = {}): Promise<Body> {
    return ok(await this.http.ask('POST', path, { body, query }), 201);
  }

  /** Creates a Pod; on a full cluster the namespace's ServiceAccount may have to come first. */
  async createPod(space: Space, name: string, metadata: object = {}): Promise<Body> {
    // No scheduler of this name runs, so the Pod stays without a node.
    const spec = { schedulerName: 'nobody', containers: [{ name: 'c', image: 'none' }] };
    const body = { metadata: { name, ...metadata }, spec };
    let answer = await this.http.ask('POST', space.pods, { body });
    await until('Pods are admitted', async () => {
      if (answer.status !== 403) return true;
      answer = await this.http.ask('POST', space.pods, { body });
      return answer.status !== 403;
    });
    return ok(answer, 201);
  }

  async get(path: string, query: Query = {}): Promise<Body> {
    return ok(await this.http.ask('GET', path, { query }));
  }

  /** Waits until every cache has the current state: a request without a version then gets it, or a newer one. */
  async cached(path: string): Promise<void> {
    const { resourceVersion } = (await this.get(path)).metadata;
    await this.get(path, { resourceVersion, resourceVersionMatch: 'NotOlderThan' });
  }

  async put(path: string, body: object, query: Query = {}): Promise<Body> {
    return ok(await this.http.ask('PUT', path, { body, query }));
  }

  async merge(path: string, body: object, query: Query = {}): Promise<Body> {
    return ok(await this.patch('merge', path, body, query));
  }

  patch(type: PatchType, path: string, body: unknown, query: Query = {}): Promise<Answer> {
    return this.http.ask('PATCH', path, { body, query, headers: { 'content-type': PATCH_TYPES[type] } });
  }

  async remove(path: string, body?: object): Promise<Body> {
    return ok(await this.http.ask('DELETE', path, body === undefined ? {} : { body }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const name of this.#crds) await this.http.ask('DELETE', `${CRDS}/${name}`);
    await Promise.all(this.#namespaces.map((name) => this.http.ask('DELETE', `/api/v1/namespaces/${name}`)));
    this.http[Symbol.dispose]();
  }
}

const PATCH_TYPES = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;
export type PatchType = keyof typeof PATCH_TYPES;

/** The body of a response that must have this status; the failure shows the actual response. */
export function ok(answer: Answer, status = 200): Body {
  if (answer.status !== status) throw new Error(`answered ${answer.status}, not ${status}: ${answer.text}`);
  return answer.body;
}

export const configMap = (name: string, data: Record<string, string> = { k: '1' }, metadata: object = {}): object => ({
  metadata: { name, ...metadata },
  data,
});

export const lease = (name: string, metadata: object = {}, holderIdentity = 'nobody'): object => ({
  metadata: { name, ...metadata },
  spec: { holderIdentity },
});

/** Creates enough Leases that they are never in order by chance; returns their names in order. */
export async function scattered(f: Fixture, leases: string): Promise<string[]> {
  const created = Array.from({ length: 20 }, (_, i) => String.fromCharCode(97 + ((i * 7) % 20)));
  for (const name of created) await f.create(leases, lease(name));
  return created.sort();
}

export const names = (list: Body): string[] => list.items.map((item) => item.metadata.name);

/** The part of a CustomResourceDefinition that the fixture itself reads. */
export interface Crd {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly group: string; readonly names: { readonly plural: string } };
}

/** Widget, or another kind of the same shape: two served versions, status and scale, one printer column. */
export function widgetCrd(group: string, plural = 'widgets', kind = 'Widget'): Crd {
  const integer = { type: 'integer' };
  const string = { type: 'string' };
  const schema = {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        required: ['size'],
        properties: {
          size: integer,
          color: { ...string, enum: ['red', 'green', 'blue'], default: 'red' },
          other: string,
          replicas: integer,
        },
      },
      status: { type: 'object', properties: { phase: string, replicas: integer, selector: string } },
    },
  };
  const version = (name: string, storage: boolean): object => ({
    name,
    served: true,
    storage,
    schema: { openAPIV3Schema: schema },
    subresources: {
      status: {},
      scale: {
        specReplicasPath: '.spec.replicas',
        statusReplicasPath: '.status.replicas',
        labelSelectorPath: '.status.selector',
      },
    },
    selectableFields: [{ jsonPath: '.spec.color' }],
    additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
  });
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind },
      versions: [version('v1', true), version('v2', false)],
    },
  } as Crd;
}
