// One program, two imports: `compat.mjs client-node-1|client-node-2 theirs|ours`, with KUBECONFIG. The KubeConfig and the
// typed API are client-node's in both; only `makeInformer` comes from elsewhere. One line of JSON per step.
const [name, whose] = process.argv.slice(2);
const k8s = await import(name);
const { makeInformer, ListWatch } = whose === 'ours' ? await import('kube-informer/compat') : k8s;

const config = new k8s.KubeConfig();
config.loadFromFile(process.env.KUBECONFIG);
const core = config.makeApiClient(k8s.CoreV1Api);
const namespace = 'default';
const path = `/api/v1/namespaces/${namespace}/configmaps`;
const say = (step, got) => console.log(JSON.stringify({ step, got }));
const nameOf = ({ metadata }) => metadata.name;
const sorted = (texts) => texts.toSorted((a, b) => (a < b ? -1 : 1));
const make = (of, data = {}, labels = { app: 'x' }) =>
  core.createNamespacedConfigMap({ namespace, body: { metadata: { name: of, labels }, data } });

async function until(holds, ms = 60_000) {
  const deadline = Date.now() + ms;
  while (!holds()) {
    if (Date.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return true;
}

/** Asks the test to break the server, and waits for its line. */
function ask(what) {
  console.log(JSON.stringify({ ask: what }));
  return new Promise((resolve) => process.stdin.once('data', resolve));
}

await make('one');
await make('two');
const seen = [];
const errors = [];
const listFn = () => core.listNamespacedConfigMap({ namespace });
const informer = makeInformer(config, path, listFn);
for (const verb of ['add', 'update', 'delete']) informer.on(verb, (object) => seen.push(`${verb} ${nameOf(object)}`));
informer.on('error', (error) => errors.push(error?.statusCode ?? error?.code ?? String(error)));
let changes = 0;
const count = () => (changes += 1);
informer.on('change', count);
await informer.start();
say('start', { seen: sorted(seen.splice(0)), names: sorted(informer.list(namespace).map(nameOf)) });

await make('three', { a: '1' });
const body = await core.readNamespacedConfigMap({ namespace, name: 'one' });
await core.replaceNamespacedConfigMap({ namespace, name: 'one', body: { ...body, data: { a: '2' } } });
await core.deleteNamespacedConfigMap({ namespace, name: 'two' });
await until(() => seen.length === 3);
informer.off('change', count);
say('follow', { seen: seen.splice(0), changes, gone: informer.get('two', namespace) === undefined });
say('get', informer.get('one', namespace).data);
say('others', [
  informer.get('one') === undefined,
  informer.list('elsewhere').length,
  typeof informer.latestResourceVersion(),
]);

await ask('fail the next watch with 500');
await make('four');
say('after a 500', {
  received: await until(() => errors.includes(500) || errors.includes(undefined)),
  // With client-node this never happens, so the wait is short.
  alive: await until(() => seen.includes('add four'), whose === 'ours' ? 60_000 : 5_000),
});
seen.length = 0;

await informer.stop();
await new Promise((resolve) => setTimeout(resolve, 100));
errors.length = 0;
await make('five');
await core.deleteNamespacedConfigMap({ namespace, name: 'three' });
await informer.start();
await until(() => informer.get('five', namespace) !== undefined && informer.get('three', namespace) === undefined);
say('stop and start', sorted(seen.splice(0).filter((line) => !line.endsWith('four'))));

const narrow = new ListWatch(
  path,
  new k8s.Watch(config),
  () => core.listNamespacedConfigMap({ namespace, labelSelector: 'app=y' }),
  false,
  'app=y',
);
await narrow.start();
await make('six', {}, { app: 'y' });
await make('seven', {}, { app: 'z' });
await make('eight', {}, { app: 'y' });
await until(() => narrow.list().length === 2);
say('ListWatch', sorted(narrow.list().map(nameOf)));
await Promise.all([informer.stop(), narrow.stop()]);
process.exit(0);
