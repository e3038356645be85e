// A typical program with @kubernetes/client-node: `client-node.mjs client-node-1|client-node-2`, with KUBECONFIG. Prints one
// line of JSON per step.
const [name] = process.argv.slice(2);
const k8s = await import(name);

const config = new k8s.KubeConfig();
config.loadFromFile(process.env.KUBECONFIG);
const core = config.makeApiClient(k8s.CoreV1Api);
const apps = config.makeApiClient(k8s.AppsV1Api);
const objects = k8s.KubernetesObjectApi.makeApiClient(config);
const custom = config.makeApiClient(k8s.CustomObjectsApi);
const namespace = 'client-node';

async function step(title, work) {
  let said;
  try {
    said = { got: await work() };
  } catch (error) {
    const body = typeof error.body === 'string' ? JSON.parse(error.body) : error.body;
    said = { failed: error.code ?? String(error), reason: body?.reason, message: body?.message };
  }
  console.log(JSON.stringify({ step: title, ...said }));
}

async function until(holds) {
  const deadline = Date.now() + 60_000;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error('not in time');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const configMap = (of, data) => ({ metadata: { name: of, labels: { app: 'x' } }, data });
const patched = (type, body) =>
  core.patchNamespacedConfigMap(
    { namespace, name: 'one', body },
    k8s.setHeaderOptions('Content-Type', k8s.PatchStrategy[type]),
  );

await step(
  'create a namespace',
  async () => (await core.createNamespace({ body: { metadata: { name: namespace } } })).status,
);
await step(
  'create',
  async () => (await core.createNamespacedConfigMap({ namespace, body: configMap('one', { a: '1' }) })).data,
);
await step('create again', () => core.createNamespacedConfigMap({ namespace, body: configMap('one', {}) }));
await step('create an invalid one', () =>
  core.createNamespacedConfigMap({ namespace, body: configMap('Bad_Name', {}) }),
);
await step('read', async () => {
  const { metadata } = await core.readNamespacedConfigMap({ namespace, name: 'one' });
  return [metadata.name, metadata.creationTimestamp instanceof Date, typeof metadata.resourceVersion];
});
await step('read nothing', () => core.readNamespacedConfigMap({ namespace, name: 'nothing' }));
await step('list', async () => {
  await core.createNamespacedConfigMap({ namespace, body: configMap('two', { b: '2' }) });
  const all = await core.listNamespacedConfigMap({ namespace, labelSelector: 'app=x' });
  const page = await core.listNamespacedConfigMap({ namespace, limit: 1 });
  const rest = await core.listNamespacedConfigMap({ namespace, limit: 1, _continue: page.metadata._continue });
  return [all, page, rest].map(({ items }) => items.map(({ metadata }) => metadata.name));
});
await step('replace', async () => {
  const body = await core.readNamespacedConfigMap({ namespace, name: 'one' });
  return (await core.replaceNamespacedConfigMap({ namespace, name: 'one', body: { ...body, data: { a: '2' } } })).data;
});
await step('replace a stale one', async () => {
  const body = await core.readNamespacedConfigMap({ namespace, name: 'one' });
  await core.replaceNamespacedConfigMap({ namespace, name: 'one', body: { ...body, data: { a: '3' } } });
  await core.replaceNamespacedConfigMap({ namespace, name: 'one', body: { ...body, data: { a: '4' } } });
});
await step(
  'patch as JSON',
  async () => (await patched('JsonPatch', [{ op: 'add', path: '/data/b', value: '1' }])).data,
);
await step('patch by merge', async () => (await patched('MergePatch', { data: { b: null, c: '1' } })).data);
await step('patch strategically', async () => (await patched('StrategicMergePatch', { data: { d: '1' } })).data);
await step('apply', async () => {
  const spec = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'applied', namespace }, data: { a: '1' } };
  const made = await objects.patch(spec, undefined, undefined, 'tester', true, k8s.PatchStrategy.ServerSideApply);
  return made.metadata.managedFields.map(({ manager, operation }) => `${manager} ${operation}`);
});
await step('apply with a conflict', () => {
  const spec = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'applied', namespace }, data: { a: '2' } };
  return objects.patch(spec, undefined, undefined, 'another', false, k8s.PatchStrategy.ServerSideApply);
});
await step('a deployment and its scale', async () => {
  const labels = { app: 'x' };
  const spec = {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'main:1' }] } },
  };
  const made = await apps.createNamespacedDeployment({ namespace, body: { metadata: { name: 'd' }, spec } });
  const scale = await apps.readNamespacedDeploymentScale({ namespace, name: 'd' });
  scale.spec.replicas = 3;
  const scaled = await apps.replaceNamespacedDeploymentScale({ namespace, name: 'd', body: scale });
  return [made.spec.replicas, made.spec.strategy.rollingUpdate.maxSurge, scaled.spec.replicas];
});
await step('a custom resource', async () => {
  const schema = { openAPIV3Schema: { type: 'object', properties: { size: { type: 'integer' } } } };
  await config.makeApiClient(k8s.ApiextensionsV1Api).createCustomResourceDefinition({
    body: {
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', kind: 'Widget' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    },
  });
  const widgets = { group: 'example.com', version: 'v1', namespace, plural: 'widgets' };
  const body = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, size: 3 };
  await custom.createNamespacedCustomObject({ ...widgets, body });
  const { items } = await custom.listNamespacedCustomObject(widgets);
  return items.map(({ kind, size }) => [kind, size]);
});
await step('who am I', async () => {
  const review = await config.makeApiClient(k8s.AuthenticationV1Api).createSelfSubjectReview({ body: {} });
  return review.status.userInfo.username;
});
const path = `/api/v1/namespaces/${namespace}/configmaps`;
await step('watch', async () => {
  const seen = [];
  let end;
  const ended = new Promise((resolve) => (end = resolve));
  const { metadata } = await core.listNamespacedConfigMap({ namespace });
  const query = { resourceVersion: metadata.resourceVersion };
  const aborter = await new k8s.Watch(config).watch(
    path,
    query,
    (type, object) => seen.push(`${type} ${object.metadata.name}`),
    end,
  );
  await core.createNamespacedConfigMap({ namespace, body: configMap('watched', {}) });
  await core.deleteNamespacedConfigMap({ namespace, name: 'watched' });
  await until(() => seen.length === 2);
  aborter.abort();
  await ended;
  return seen;
});
await step('an informer', async () => {
  const seen = [];
  const informer = k8s.makeInformer(config, path, () => core.listNamespacedConfigMap({ namespace }));
  for (const verb of ['add', 'update', 'delete'])
    informer.on(verb, ({ metadata }) => seen.push(`${verb} ${metadata.name}`));
  await informer.start();
  await until(() => informer.list().length === 3);
  await core.createNamespacedConfigMap({ namespace, body: configMap('three', {}) });
  await patched('MergePatch', { data: { e: '1' } });
  await core.deleteNamespacedConfigMap({ namespace, name: 'two' });
  await until(() => informer.get('two', namespace) === undefined);
  const names = informer.list().map(({ metadata }) => metadata.name);
  await informer.stop();
  return { seen: seen.slice(3), names: names.toSorted() };
});
await step('delete', async () => (await core.deleteNamespacedConfigMap({ namespace, name: 'one' })).status);
await step('delete again', () => core.deleteNamespacedConfigMap({ namespace, name: 'one' }));
await step('delete all', async () => {
  await core.deleteCollectionNamespacedConfigMap({ namespace });
  return (await core.listNamespacedConfigMap({ namespace })).items.length;
});
