// One informer of @kubernetes/client-node 2, for the differential test: `host.mjs <where the library is>`. The first line
// of input says what to watch; `dump` and `stop` follow; the events of the informer are printed as JSON lines.
import { createInterface } from 'node:readline';

const k8s = await import(process.argv[2]);
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
say({ type: 'ready' });
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { value: first } = await lines.next();
const { url, ca, token, tokenFile, group, version, resource, namespace, labelSelector, failOn } = JSON.parse(first);

const config = new k8s.KubeConfig();
config.loadFromOptions({
  clusters: [{ name: 'c', server: url, caData: Buffer.from(ca).toString('base64') }],
  users: [
    tokenFile === undefined
      ? { name: 'u', token }
      : // As it reads the token of a pod's service account.
        { name: 'u', authProvider: { name: 'tokenFile', config: { tokenFile } } },
  ],
  contexts: [{ name: 'x', cluster: 'c', user: 'u' }],
  currentContext: 'x',
});

const base = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
const path = `${base}/${namespace === undefined ? '' : `namespaces/${namespace}/`}${resource}`;
const informer = k8s.makeInformer(config, path, lister(), labelSelector);

/** Uses the API of the kind, as a program that knows its kind does. */
function lister() {
  const selector = labelSelector === undefined ? {} : { labelSelector };
  if (group !== '') {
    const custom = config.makeApiClient(k8s.CustomObjectsApi);
    const what = { group, version, plural: resource, ...selector };
    return () =>
      namespace === undefined
        ? custom.listClusterCustomObject(what)
        : custom.listNamespacedCustomObject({ ...what, namespace });
  }
  const core = config.makeApiClient(k8s.CoreV1Api);
  const kind = { configmaps: 'ConfigMap', pods: 'Pod', secrets: 'Secret' }[resource];
  return () =>
    namespace === undefined
      ? core[`list${kind}ForAllNamespaces`](selector)
      : core[`listNamespaced${kind}`]({ ...selector, namespace });
}

/** client-node has no `old`: the last state of the key stands for it. */
const received = new Map();
const tell = (type) => (object) => {
  const { name = '', namespace: where = '', resourceVersion: rv = '', uid = '' } = object.metadata ?? {};
  const key = where === '' ? name : `${where}/${name}`;
  say({ type, key, rv, uid, ...(type === 'update' ? { oldRv: received.get(key) } : {}) });
  if (type === 'delete') received.delete(key);
  else received.set(key, rv);
  if (key === failOn) throw new Error(`a handler fails on ${key}`);
};
for (const type of ['add', 'update', 'delete']) informer.on(type, tell(type));

// Starts the informer again five seconds after an error, as client-node's own example does; otherwise it would end.
const AGAIN_MS = 5_000;
let isStopping = false;
const start = () =>
  informer.start().then(
    () => say({ type: 'started' }),
    (error) => again(error),
  );
function again(error) {
  say({ type: 'error', text: String(error?.message ?? error) });
  if (!isStopping) setTimeout(start, AGAIN_MS);
}
informer.on('error', again);
void start();

for await (const line of lines) {
  if (line === 'dump') say({ type: 'dump', objects: informer.list().map(plain) });
  if (line !== 'stop') continue;
  isStopping = true;
  await informer.stop();
  say({ type: 'stopped' });
  process.exit(0);
}

/** Removes the milliseconds: client-node turns times into dates, and the server's times have none. */
function plain(object) {
  return JSON.parse(JSON.stringify(object), (_, value) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/.test(value)
      ? value.replace('.000Z', 'Z')
      : value,
  );
}
