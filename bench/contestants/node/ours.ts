/** kube-informer as a contestant: the built library. With the argument `forms` it prints the forms that the build knows. */
import { createRequire } from 'node:module';
import { Cluster, type ClusterInformer, hasCode, type KubeObject } from 'kube-informer';
import { FORMS } from './forms.ts';
import { type Caches, type Counters, play, type Read, type Start, WRITTEN_AT } from './protocol.ts';

interface Workload extends KubeObject {
  readonly spec?: { readonly nodeName?: string };
  readonly status?: { readonly phase?: string };
}

const RESOURCES = { pods: 'v1/pods', widgets: 'bench.example.com/v1/widgets' };

async function start(options: Start, counters: Counters): Promise<Caches> {
  const cluster = await Cluster.connect();
  const informers = options.namespaces.map((namespace) => open(cluster, options, namespace));
  const handlers = informers.flatMap((informer) =>
    Array.from({ length: options.handlers }, () =>
      informer.on(handler(options, counters), { policy: 'block', limit: 4_096 }),
    ),
  );
  // Not those of the informers, which may be synced while handlers still have thousands of objects to come.
  await Promise.all(handlers.map((registration) => registration.synced({ timeoutMs: 600_000 })));
  return {
    get objects() {
      return informers.flatMap((informer) => informer.health()).reduce((sum, { objects }) => sum + objects, 0);
    },
    read: (what, argument) => informers.reduce((sum, informer) => sum + readOne(informer, what, argument), 0),
  };
}

function open(
  cluster: Cluster,
  { resource, selector, form, initial }: Start,
  namespace: string,
): ClusterInformer<Workload, 'node'> {
  return cluster.informer<Workload, 'node'>(RESOURCES[resource], {
    ...FORMS[form],
    ...(namespace === '' ? {} : { namespace }),
    labels: selector,
    watchList: initial === 'watch-list',
    // By path: a function would decode what it reads of every object.
    indexers: { node: 'spec.nodeName' },
  });
}

/** Every event is delivered (`policy: 'block'`), as client-go does it. */
function handler({ read }: Start, counters: Counters): object {
  let seen = 0;
  const handle = (event: { readonly key: string; readonly object: Workload }): void => {
    seen += read === 'phase' ? (event.object.status?.phase?.length ?? 0) : event.key.length;
    counters.count(() => event.object.metadata?.annotations?.[WRITTEN_AT]);
  };
  return { add: handle, update: handle, delete: handle };
}

function readOne(informer: ClusterInformer<Workload, 'node'>, what: Read, argument: string): number {
  switch (what) {
    case 'get':
      return informer.get(argument) === undefined ? 0 : 1;
    case 'namespace':
      return informer.list({ namespace: argument }).length;
    case 'index':
      return informer.byIndex('node', argument).length;
    case 'labels':
      return informer.list({ labels: { app: argument } }).length;
    case 'scan':
      return informer.list().filter(({ status }) => status?.phase === 'Running').length;
  }
}

/** The forms whose options this build accepts. Nothing is requested: there is no such server. */
async function knownForms(): Promise<string[]> {
  const cluster = await Cluster.connect({ url: 'http://127.0.0.1:9' });
  const known = Object.entries(FORMS).filter(([, options], i) => {
    try {
      void cluster.informer('v1/pods', { ...options, namespace: `form-${i}` }).close();
      return true;
    } catch (error) {
      if (hasCode(error, 'INVALID_OPTION')) return false;
      throw error;
    }
  });
  await cluster.close();
  return known.map(([name]) => name);
}

if (process.argv[2] === 'forms') console.log(JSON.stringify(await knownForms()));
else {
  const { version } = createRequire(import.meta.url)('kube-informer/package.json') as { version: string };
  await play(`kube-informer ${version}, Node ${process.versions.node}`, start);
}
