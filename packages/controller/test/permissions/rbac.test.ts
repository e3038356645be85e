import { Cluster } from 'kube-informer';
import { expect, onTestFinished, test } from 'vitest';
import { controller, rbacManifests, run, watch } from '../../src/index.ts';
import { isClusterScoped } from '../../src/permissions/cluster-scoped.ts';
import { rig, type Widget, WIDGETS } from '../operator/rig.ts';

const reconcile = (): void => {};

async function offline(): Promise<Cluster> {
  const cluster = await Cluster.connect({ url: 'http://127.0.0.1:9', proxy: false });
  onTestFinished(() => cluster.close());
  return cluster;
}

test('CTR-54: rules follow from what is declared, each where it is needed; nothing is asked', async () => {
  const cluster = await offline();
  const widgets = controller<Widget>(cluster, WIDGETS, {
    name: 'widgets',
    namespace: 'web',
    owns: ['v1/configmaps'],
    watches: [watch('storage.k8s.io/v1/storageclasses', { keys: () => [] })],
    reconcile,
  });
  const made = rbacManifests([widgets], { name: 'widgets', namespace: 'ops', election: 'ops/widgets' });
  expect(made.map(({ kind, metadata }) => `${kind} ${metadata?.namespace ?? '-'}/${metadata?.name}`)).toEqual([
    'ClusterRole -/widgets',
    'ClusterRoleBinding -/widgets',
    'Role ops/widgets',
    'RoleBinding ops/widgets',
    'Role web/widgets',
    'RoleBinding web/widgets',
  ]);
  const rules = (kind: string, namespace?: string): unknown =>
    made
      .find((one) => one.kind === kind && one.metadata?.namespace === namespace)
      ?.rules?.map(({ apiGroups, resources, verbs }) => `${apiGroups[0]}/${resources[0]}: ${verbs.join(' ')}`);
  expect(rules('ClusterRole')).toEqual(['storage.k8s.io/storageclasses: get list watch']);
  expect(rules('Role', 'ops')).toEqual(['coordination.k8s.io/leases: create get update']);
  expect(rules('Role', 'web')).toEqual([
    '/configmaps: create delete get list patch watch',
    'events.k8s.io/events: create patch',
    'example.com/widgets: get list patch watch',
    'example.com/widgets/finalizers: update',
    'example.com/widgets/status: get patch',
  ]);
  expect(made[1]).toMatchObject({
    roleRef: { kind: 'ClusterRole', name: 'widgets' },
    subjects: [{ kind: 'ServiceAccount', name: 'widgets', namespace: 'ops' }],
  });
});

test('CTR-54: a Role grants nothing that is cluster-scoped: these are all built-in resources that can be watched', async () => {
  const { kinds } = await import('@kube-informer/kubernetes/kinds');
  for (const { group, version, resource, namespaced, verbs } of kinds)
    if (verbs.includes('watch') || namespaced)
      expect([resource, isClusterScoped(group === '' ? `${version}/${resource}` : `${group}/${version}/${resource}`)]).toEqual([resource, !namespaced]);
  expect(isClusterScoped('example.com/v1/nodes')).toBe(false);
}); // prettier-ignore

test('CTR-54: at the start the server is asked for every verb', async () => {
  const { lab, operator } = await rig({ reconcile, namespace: 'web' }, { run: { election: 'ops/widgets' } });
  const asked = (): number => lab.server.requests.filter(({ path }) => path.endsWith('accessreviews')).length;
  // Each verb of leases, events, widgets and their status.
  await expect.poll(asked).toBe(3 + 2 + 4 + 2);
  expect(operator.health().missingPermissions).toEqual([]);
});

test('CTR-54: mistakes in the options of manifests are named', async () => {
  const cluster = await offline();
  const one = controller(cluster, 'v1/pods', { name: 'pods', reconcile });
  expect(() => rbacManifests([], { name: 'x', namespace: 'y' })).toThrow('expected at least one');
  expect(() => rbacManifests([{ ...one }], { name: 'x', namespace: 'y' })).toThrow('results of controller()');
  expect(() => rbacManifests([one], { name: 'x', namespace: 'y', lease: 'z' } as never)).toThrow(
    /unknown option "lease": expected one of election, name, namespace/,
  );
});

test('CTR-02: a name is used once for each cluster and each set of metrics; replicas in one process have their own', async () => {
  const [first, second] = [await offline(), await offline()];
  const define = (cluster: Cluster) => controller(cluster, 'v1/pods', { name: 'pods', reconcile });
  const metrics = { counter: () => sink, gauge: () => sink, histogram: () => sink };
  const sink = { inc() {}, set() {}, observe() {} };
  const operator = run([define(first)], { metrics });
  onTestFinished(() => operator.stop());
  expect(() => run([define(first)])).toThrow('a controller "pods" is running already');
  expect(() => run([define(second)], { metrics })).toThrow('a controller "pods" is running already');
  const replica = run([define(second)]);
  await replica.stop();
});
