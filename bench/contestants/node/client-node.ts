/** @kubernetes/client-node as a contestant. Its folder is in CLIENT_NODE. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Caches, type Counters, play, type Read, type Start, WRITTEN_AT } from './protocol.ts';

interface Workload {
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly labels?: Record<string, string>;
    readonly annotations?: Record<string, string>;
  };
  readonly spec?: { readonly nodeName?: string };
  readonly status?: { readonly phase?: string };
}

interface Informer {
  on(event: string, callback: (object: Workload) => void): void;
  start(): Promise<void>;
  get(name: string, namespace?: string): Workload | undefined;
  list(namespace?: string): readonly Workload[];
}

interface ListRequest {
  readonly [name: string]: string;
}

type List = (request: ListRequest) => Promise<unknown>;

/** The part of client-node that is used here. */
interface ClientNode {
  readonly KubeConfig: new () => { loadFromDefault(): void; makeApiClient<T>(api: unknown): T };
  readonly CoreV1Api: unknown;
  readonly CustomObjectsApi: unknown;
  makeInformer(config: unknown, path: string, list: () => Promise<unknown>, selector: string): Informer;
}

const WIDGETS = { group: 'bench.example.com', version: 'v1', plural: 'widgets' };
const folder = process.env['CLIENT_NODE'] as string;
const { version, main } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
  version: string;
  main: string;
};
const library = (await import(pathToFileURL(join(folder, main)).href)) as ClientNode;

async function start({ resource, selector, namespaces, handlers, read }: Start, counters: Counters): Promise<Caches> {
  const config = new library.KubeConfig();
  config.loadFromDefault();
  const informers = namespaces.map((namespace) => {
    const scope = namespace === '' ? '' : `/namespaces/${namespace}`;
    const request = { labelSelector: selector, ...(namespace === '' ? {} : { namespace }) };
    if (resource === 'pods') {
      const api = config.makeApiClient<{ listPodForAllNamespaces: List; listNamespacedPod: List }>(library.CoreV1Api);
      const list = () => (namespace === '' ? api.listPodForAllNamespaces(request) : api.listNamespacedPod(request));
      return library.makeInformer(config, `/api/v1${scope}/pods`, list, selector);
    }
    const api = config.makeApiClient<{ listCustomObjectForAllNamespaces: List; listNamespacedCustomObject: List }>(
      library.CustomObjectsApi,
    );
    const list = () =>
      namespace === ''
        ? api.listCustomObjectForAllNamespaces({ ...WIDGETS, resourcePlural: WIDGETS.plural, ...request })
        : api.listNamespacedCustomObject({ ...WIDGETS, ...request });
    return library.makeInformer(config, `/apis/${WIDGETS.group}/v1${scope}/widgets`, list, selector);
  });
  let seen = 0;
  for (const informer of informers) {
    for (let i = 0; i < handlers; i += 1) {
      const handle = (object: Workload): void => {
        seen += (read === 'phase' ? object.status?.phase : object.metadata?.name)?.length ?? 0;
        counters.count(() => object.metadata?.annotations?.[WRITTEN_AT]);
      };
      for (const event of ['add', 'update', 'delete']) informer.on(event, handle);
    }
    informer.on('error', (error) => console.error(error));
  }
  await Promise.all(informers.map((informer) => informer.start()));
  return {
    get objects() {
      return informers.reduce((sum, informer) => sum + informer.list().length, 0);
    },
    read: (what, argument) => informers.reduce((sum, informer) => sum + readOne(informer, what, argument), 0),
  };
}

function readOne(informer: Informer, what: Read, argument: string): number {
  switch (what) {
    case 'get': {
      const [namespace, name] = argument.split('/') as [string, string];
      return informer.get(name, namespace) === undefined ? 0 : 1;
    }
    case 'namespace':
      return informer.list(argument).length;
    case 'index':
      return informer.list().filter(({ spec }) => spec?.nodeName === argument).length;
    case 'labels':
      return informer.list().filter(({ metadata }) => metadata?.labels?.['app'] === argument).length;
    case 'scan':
      return informer.list().filter(({ status }) => status?.phase === 'Running').length;
  }
}

await play(`client-node ${version}, Node ${process.versions.node}`, start);
