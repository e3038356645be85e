import { expect, test } from 'vitest';
import { rig } from '../rigs/simulation-rig.ts';

test('deployments become ready, with the right pods on the right nodes', async () => {
  const { local, live, refused } = await rig(1);
  // The state before any change from outside.
  await live(1);
  expect(local.list('apps', 'replicasets')).toHaveLength(6);
  expect(local.list('', 'pods')).toHaveLength(11);
  expect(new Set(local.list('', 'pods').map((pod) => (pod['spec'] as { nodeName: string }).nodeName)).size).toBe(3);
  expect(refused).toEqual([]);
});

test('scaling from outside is reconciled', async () => {
  const { local, live } = await rig(1);
  await live(1);
  const web = structuredClone(local.get('apps', 'deployments', 'shop', 'web')) as { spec: { replicas: number } };
  web.spec.replicas = 5;
  local.update('apps', 'deployments', web);
  await live(1);
  const pods = local.list('', 'pods', 'shop').filter(({ metadata }) => metadata?.name?.startsWith('web-'));
  expect(pods).toHaveLength(5);
});
