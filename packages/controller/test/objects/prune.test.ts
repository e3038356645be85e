import { ownerReferenceTo, pruneOwned } from './objects.ts';
import type { ConfigMap } from '@kube-informer/kubernetes';
import { expect, test } from 'vitest';
import { backup, rig } from './rig.ts';

const owner = backup('a', { uid: 'u1' });
const options = { owner, applied: new Set(['default/kept']), succeeded: true, fresh: true };
const child = (name: string, more: object = {}) => ({
  metadata: { name, namespace: 'default', ownerReferences: [ownerReferenceTo(owner)], ...more },
});

async function scene() {
  const { server, client, sent } = await rig();
  const maps = client.resource('v1/configmaps');
  const other = [ownerReferenceTo(backup('b', { uid: 'u2' }))];
  const made = [
    child('kept'), child('old'), child('older'), child('changed'), child('remade'), child('gone'), child('going', { finalizers: ['x.io/y'] }),
    child('foreign', { ownerReferences: other }), child('free', { ownerReferences: [] }),
  ]; // prettier-ignore
  for (const object of made) server.local.create('', 'configmaps', object);
  server.local.remove('', 'configmaps', 'default', 'going');
  const cached = (await maps.list({ namespace: 'default' })).items;
  sent();
  const names = (): string[] =>
    server.local.list('', 'configmaps', 'default').flatMap(({ metadata }) => metadata?.name ?? []);
  return { server, maps, cached, sent, names };
}

test('CTR-40, B09: a successful, fresh run deletes what it owns and did not apply, and nothing that moved since', async () => {
  const { server, maps, cached, names } = await scene();
  const now = server.local.get('', 'configmaps', 'default', 'changed') ?? {};
  server.local.update('', 'configmaps', { ...now, data: { a: 'b' } });
  for (const name of ['remade', 'gone']) server.local.remove('', 'configmaps', 'default', name);
  server.local.create('', 'configmaps', child('remade'));
  expect(await pruneOwned(maps, cached, options)).toEqual({
    deleted: ['default/old', 'default/older'],
    isComplete: false,
  });
  expect(names().toSorted()).toEqual(['changed', 'foreign', 'free', 'going', 'kept', 'remade']);
});

test('CTR-40, B09: a run that failed or was not fresh deletes nothing', async () => {
  const { maps, cached, sent } = await scene();
  expect(await pruneOwned(maps, cached, { ...options, succeeded: false })).toEqual({ deleted: [], isComplete: false });
  expect(await pruneOwned(maps, cached, { ...options, fresh: false })).toEqual({ deleted: [], isComplete: false });
  expect(sent()).toEqual([]);
});

test('CTR-40: one run deletes 100 objects at most', async () => {
  let deletes = 0;
  const client = { delete: (): Promise<ConfigMap> => Promise.resolve({ metadata: { name: `${(deletes += 1)}` } }) };
  const many = Array.from({ length: 250 }, (_, at) => child(`c${at}`, { uid: `${at}`, resourceVersion: '1' }));
  const { deleted, isComplete } = await pruneOwned(client, many, options);
  expect([deleted.length, deletes, isComplete]).toEqual([100, 100, false]);
  expect(await pruneOwned(client, many.slice(0, 100), options)).toMatchObject({ isComplete: true });
});
