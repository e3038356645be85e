import type { ControlPlane } from './control-plane.ts';
import { until } from './until.ts';

export const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** A kind of object that tests create and change on a real server, without our client. */
export interface Kind {
  /** The name for `cluster.informer`. */
  readonly resource: string;
  path(namespace: string): string;
  object(name: string, value: string): object;
}

const labels = (value: string): object => ({ value, app: 'scenario' });

export const CONFIG_MAPS: Kind = {
  resource: 'v1/configmaps',
  path: (namespace) => `/api/v1/namespaces/${namespace}/configmaps`,
  object: (name, value) => ({ metadata: { name, labels: labels(value) }, data: { value } }),
};

export const PODS: Kind = {
  resource: 'v1/pods',
  path: (namespace) => `/api/v1/namespaces/${namespace}/pods`,
  object: (name, value) => ({
    metadata: { name, labels: labels(value) },
    spec: { schedulerName: 'nobody', containers: [{ name: 'main', image: 'example.com/main:1' }] },
  }),
};

export const DEPLOYMENTS: Kind = {
  resource: 'apps/v1/deployments',
  path: (namespace) => `/apis/apps/v1/namespaces/${namespace}/deployments`,
  object: (name, value) => ({
    metadata: { name, labels: labels(value) },
    spec: {
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'main', image: 'example.com/main:1' }] },
      },
    },
  }),
};

export const WIDGETS: Kind = {
  resource: 'example.com/v1/widgets',
  path: (namespace) => `/apis/example.com/v1/namespaces/${namespace}/widgets`,
  object: (name, value) => ({
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name, labels: labels(value) },
    spec: { value },
  }),
};

/** Creates the kind of WIDGETS and waits until its objects are served. */
export async function defineWidgets(
  plane: ControlPlane,
  properties: object = { value: { type: 'string' } },
): Promise<void> {
  const schema = { type: 'object', properties: { spec: { type: 'object', properties } } };
  await asked(plane, 'POST', CRDS, {
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  });
  const isServed = async (): Promise<boolean> =>
    (await plane.ask('GET', '/apis/example.com/v1/widgets')).status === 200;
  await until('widgets are served', isServed);
}

/** One request that must succeed. */
export async function asked(plane: ControlPlane, method: string, path: string, body?: object): Promise<string> {
  const { status, text } = await plane.ask(method, path, body);
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
  return text;
}

/** Changes the objects of one kind in one namespace. */
export class Hands {
  readonly path: string;
  readonly #plane: ControlPlane;
  readonly #kind: Kind;

  constructor(plane: ControlPlane, kind: Kind, namespace: string) {
    this.#plane = plane;
    this.#kind = kind;
    this.path = kind.path(namespace);
  }

  async create(name: string, value = '0'): Promise<void> {
    await asked(this.#plane, 'POST', this.path, this.#kind.object(name, value));
  }

  /** Changes a label and nothing else. */
  async change(name: string, value: string): Promise<void> {
    const held = JSON.parse(await asked(this.#plane, 'GET', `${this.path}/${name}`)) as { metadata: object };
    const metadata = { ...held.metadata, labels: labels(value) };
    await asked(this.#plane, 'PUT', `${this.path}/${name}`, { ...held, metadata });
  }

  async remove(name: string): Promise<void> {
    await asked(this.#plane, 'DELETE', `${this.path}/${name}`);
  }

  /** One create, update and delete, and a new object with the name of a deleted one. Needs `o0` to `o3`. */
  async changes(round: string): Promise<void> {
    await this.create(`new-${round}`, round);
    await this.change('o0', round);
    await this.remove('o1');
    await this.create('o1', `again-${round}`);
    await this.change('o1', round);
    await this.remove('o2');
    await this.change('o3', round);
    await this.create('o2', `again-${round}`);
    await this.create(`gone-${round}`);
    await this.remove(`gone-${round}`);
  }
}
