import type { ApiObject, ApiServer } from '@kube-informer/apiserver';
import { type Applied, applyObject, type ApplyMark, ownedFields } from './objects.ts';
import type { KubeObject } from 'kube-informer';
import type { Deployment } from '@kube-informer/kubernetes';
import type { Partially } from 'kube-informer/client';
import { expect, test } from 'vitest';
import { type Backup, backup, rig } from './rig.ts';

const deployment = (cpu: string, more: object = {}): Partially<Deployment> => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default', labels: { app: 'web' }, ...more },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        containers: [
          { name: 'web', image: 'web:1', ports: [{ containerPort: 80 }], resources: { requests: { cpu } } },
          { name: 'side', image: 'side:1', args: ['a', 'b'] },
        ],
      },
    },
  },
});

/** Changes the deployment as another manager. */
function annotate({ local }: ApiServer, annotations: Record<string, string>): void {
  const now = local.get('apps', 'deployments', 'default', 'web') ?? {};
  local.update('apps', 'deployments', { ...now, metadata: { ...now.metadata, annotations } });
}

const live = <T>(applied: Applied<T>): { object: T; mark: ApplyMark; sent: boolean; outcome: string } => {
  if (applied.outcome === 'conflict') throw new Error(JSON.stringify(applied.conflicts));
  return applied;
};

const options = { fieldManager: 'ours' };

test('CTR-39, B07: an apply says whether it created, changed or left the object, or which manager owns its fields', async () => {
  const { client } = await rig();
  const deployments = client.resource('apps/v1/deployments');
  const created = live(await applyObject(deployments, deployment('1'), options));
  expect([created.outcome, created.sent]).toEqual(['created', true]);
  const { object: cached, mark } = created;
  const changed = live(await applyObject(deployments, deployment('2'), { ...options, cached, mark }));
  expect([changed.outcome, changed.sent]).toEqual(['changed', true]);
  // Sent, because the cache is behind and the mark is gone: the server finds nothing to do.
  const again = live(await applyObject(deployments, deployment('2'), { ...options, cached: changed.object, mark: { ...changed.mark, desired: '' } })); // prettier-ignore
  expect(again.outcome).toBe('unchanged');

  const other = { ...options, fieldManager: 'other', cached: changed.object };
  expect(await applyObject(deployments, deployment('3'), other)).toEqual({
    outcome: 'conflict',
    conflicts: [{ manager: 'ours', field: '.spec.template.spec.containers[name="web"].resources.requests.cpu' }],
  });
  const forced = live(await applyObject(deployments, deployment('3'), { ...other, force: true }));
  expect(forced.outcome).toBe('changed');
  await expect(applyObject(deployments, { ...deployment('3'), apiVersion: 'v9' }, options)).rejects.toThrow();
});

test('CTR-39, B07: an object that was there before the cache knew it is not called created', async () => {
  const { server, client } = await rig();
  const maps = client.resource('v1/configmaps');
  server.local.create('', 'configmaps', { metadata: { name: 'm', namespace: 'default' }, data: { a: '1' } });
  const desired = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'm', namespace: 'default' },
    data: { b: '2' },
  };
  expect((await applyObject(maps, desired, options)).outcome).toBe('changed');
});

test('CTR-39, B08: what a manager owns is the part of the object it asked for, without defaults and other managers', async () => {
  const { server, client } = await rig();
  const deployments = client.resource('apps/v1/deployments');
  const desired = deployment('1');
  live(await applyObject(deployments, desired, options));
  annotate(server, { by: 'others' });
  const now = await deployments.get('default/web');
  const { spec } = desired;
  expect(ownedFields(now as KubeObject, 'ours')).toEqual({ metadata: { labels: { app: 'web' } }, spec });
  expect(ownedFields(now as KubeObject, 'nobody')).toBeUndefined();
});

test('CTR-39, B08: what is applied already is not sent, also by a new process and after changes of others', async () => {
  const { server, client, sent } = await rig();
  const deployments = client.resource('apps/v1/deployments');
  const { object, mark } = live(await applyObject(deployments, deployment('1'), options));
  sent();
  const unsent = live(await applyObject(deployments, deployment('1'), { ...options, cached: object, mark }));
  expect(unsent).toMatchObject({ outcome: 'unchanged', sent: false, object, mark });
  // Without a mark: after a restart.
  expect(live(await applyObject(deployments, deployment('1'), { ...options, cached: object })).sent).toBe(false);
  annotate(server, { x: 'y' });
  const cached = await deployments.get('default/web');
  sent();
  expect(live(await applyObject(deployments, deployment('1'), { ...options, cached, mark })).sent).toBe(false);
  expect(sent()).toEqual([]);
  // A field that is no longer wanted, or that another manager changed, is sent.
  const less = deployment('1', { labels: undefined });
  expect(live(await applyObject(deployments, less, { ...options, cached, mark })).outcome).toBe('changed');
});

test('CTR-39, B08: a value that the server writes in another form is applied once', async () => {
  const { server, client } = await rig();
  const deployments = client.resource('apps/v1/deployments');
  const first = live(await applyObject(deployments, deployment('1000m'), options));
  const { object, mark } = first;
  annotate(server, { x: 'y' });
  const cached = await deployments.get('default/web');
  expect(cached.metadata?.resourceVersion).not.toBe(object.metadata?.resourceVersion);
  expect(live(await applyObject(deployments, deployment('1000m'), { ...options, cached, mark })).sent).toBe(false);
  // Another manager takes a field: it is taken back.
  const taken = { ...cached, spec: { ...cached.spec, replicas: 7 } };
  server.local.update('apps', 'deployments', taken as unknown as ApiObject);
  const drifted = await deployments.get('default/web');
  const back = live(
    await applyObject(deployments, deployment('1000m'), { ...options, cached: drifted, mark, force: true }),
  );
  expect([back.outcome, back.object.spec?.replicas]).toEqual(['changed', 2]);
});

test('CTR-39, B08: an apply that moves only the version and a time counts as unchanged, and is not repeated', async () => {
  const object = (version: string, time: string): Backup => ({
    ...backup('a', {
      uid: 'u',
      resourceVersion: version,
      managedFields: [{ manager: 'ours', operation: 'Apply', time, fieldsV1: { 'f:spec': { 'f:schedule': {} } } }],
    }),
    spec: { schedule: '@daily' },
  });
  let requests = 0;
  const client = {
    get: () => Promise.reject(new Error('unused')),
    patch: () => Promise.reject(new Error('unused')),
    delete: () => Promise.reject(new Error('unused')),
    apply: () => Promise.resolve(object(String(10 + (requests += 1)), `2026-01-01T00:00:0${requests}Z`)),
  };
  const desired = { ...backup('a'), spec: { schedule: ' @daily ' } };
  const first = live(await applyObject(client, desired, { ...options, cached: object('10', 'then') }));
  expect(first.outcome).toBe('unchanged');
  const second = live(await applyObject(client, desired, { ...options, cached: first.object, mark: first.mark }));
  expect([second.outcome, second.sent, requests]).toEqual(['unchanged', false, 1]);
});

test('CTR-37, CTR-39: an owned object gets its reference, and force only once it is ours', async () => {
  const { server, client, backups, sent } = await rig();
  const maps = client.resource('v1/configmaps');
  const owner = server.local.create('example.com', 'backups', backup('a') as unknown as ApiObject) as Backup;
  const desired = (value: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm', namespace: 'default' }, data: { value } }); // prettier-ignore
  const owned = { ...options, owner, owners: backups };
  const { object: cached } = live(await applyObject(maps, desired('1'), owned));
  expect(cached.metadata?.ownerReferences).toMatchObject([{ uid: owner.metadata?.uid, controller: true }]);
  const theirs = { ...cached, data: { value: 'theirs' } };
  server.local.update('', 'configmaps', theirs as unknown as ApiObject);
  const changed = await maps.get('default/m');
  expect((await applyObject(maps, desired('1'), { ...owned, cached: changed })).outcome).toBe('changed');

  server.local.create('', 'configmaps', { metadata: { name: 'n', namespace: 'default' }, data: { value: 'theirs' } });
  const foreign = await maps.get('default/n');
  sent();
  const wanted = { ...desired('2'), metadata: { name: 'n', namespace: 'default' } };
  expect((await applyObject(maps, wanted, { ...owned, cached: foreign })).outcome).toBe('conflict');
  expect(sent()).toEqual(['get', 'patch']); // adoption: the owner is read first
  const elsewhere = { ...wanted, metadata: { name: 'n', namespace: 'other' } };
  await expect(applyObject(maps, elsewhere, owned)).rejects.toMatchObject({ code: 'OWNER_INVALID' });
  expect(sent()).toEqual([]);
});
