import type { ApiObject } from '@kube-informer/apiserver';
import { checkOwner, confirmOwner, controllerOf, isControlledBy, ownerReferenceTo } from './objects.ts';
import type { KubeObject } from 'kube-informer';
import { hasCode } from 'kube-informer/core';
import { expect, test } from 'vitest';
import { backup, rig } from './rig.ts';

const place = (namespace: string | undefined) => (namespace === undefined ? {} : { namespace });

test('CTR-37, B04: an owner is refused exactly if the garbage collector would not keep its child', async () => {
  const { server } = await rig({ controllers: ['garbageCollector'] });
  const { local } = server;
  local.create('', 'namespaces', { metadata: { name: 'other' } });
  const owners = {
    namespaced: local.create('', 'configmaps', { metadata: { name: 'owner', namespace: 'default' } }),
    'cluster-scoped': local.create('rbac.authorization.k8s.io', 'clusterroles', { metadata: { name: 'owner' } }),
  };
  const children = [
    { child: 'in the same namespace', group: '', resource: 'secrets', namespace: 'default' },
    { child: 'in another namespace', group: '', resource: 'secrets', namespace: 'other' },
    { child: 'cluster-scoped', group: 'storage.k8s.io', resource: 'storageclasses', namespace: undefined },
  ];
  const verdicts: string[] = [];
  for (const [scope, owner] of Object.entries(owners))
    for (const { child, group, resource, namespace } of children) {
      const metadata = {
        name: `of-${scope}`,
        ...place(namespace),
        ownerReferences: [ownerReferenceTo(owner as KubeObject)],
      };
      const made = { metadata, ...(resource === 'storageclasses' ? { provisioner: 'x.io/x' } : {}) };
      const created = local.create(group, resource, made as ApiObject);
      let isAllowed = true;
      try {
        checkOwner(owner as KubeObject, { metadata: { name: 'x', ...place(namespace) } });
      } catch (error) {
        if (!hasCode(error, 'OWNER_INVALID')) throw error;
        isAllowed = false;
      }
      // While the owner exists its child must stay; when the owner goes, so must the child.
      verdicts.push(`${scope} owner, child ${child}: ${isAllowed ? 'allowed' : 'refused'} ${created.metadata?.uid}`);
    }
  await server.idle();
  const isThere = (uid: string | undefined): boolean =>
    [...local.list('', 'secrets'), ...local.list('storage.k8s.io', 'storageclasses')].some(
      ({ metadata }) => metadata?.uid === uid,
    );
  // The collector works in turns; nothing more happens once the refused ones in a namespace are gone.
  const gone = verdicts.filter((line) => line.includes('child in another namespace: refused'));
  await server.waitFor(() => gone.every((line) => !isThere(line.split(' ').at(-1))));
  const kept = verdicts.map((line) => `${line.slice(0, line.lastIndexOf(' '))}, ${isThere(line.split(' ').at(-1)) ? 'kept' : 'deleted'}`); // prettier-ignore
  expect(kept).toEqual([
    'namespaced owner, child in the same namespace: allowed, kept',
    'namespaced owner, child in another namespace: refused, deleted',
    // The real collector never resolves this one: it reports an invalid reference and never deletes the child.
    'namespaced owner, child cluster-scoped: refused, kept',
    'cluster-scoped owner, child in the same namespace: allowed, kept',
    'cluster-scoped owner, child in another namespace: allowed, kept',
    'cluster-scoped owner, child cluster-scoped: allowed, kept',
  ]);
});

test('CTR-37: a reference names the uid of this object, controls and blocks; an incomplete owner is refused', () => {
  const owner = backup('a', { uid: 'u1' });
  expect(ownerReferenceTo(owner)).toEqual({
    apiVersion: 'example.com/v1', kind: 'Backup', name: 'a', uid: 'u1', controller: true, blockOwnerDeletion: true,
  }); // prettier-ignore
  expect(() => ownerReferenceTo(backup('a'))).toThrow(expect.objectContaining({ code: 'OWNER_INVALID' }));
  const child = backup('c', { ownerReferences: [{ ...ownerReferenceTo(owner), uid: 'u0', controller: false }, ownerReferenceTo(owner)] }); // prettier-ignore
  expect(controllerOf(child)?.uid).toBe('u1');
  expect(isControlledBy(child, owner)).toBe(true);
  expect(isControlledBy(child, backup('a', { uid: 'u2' }))).toBe(false);
});

test('CTR-37: the child of another controller is refused before any request', () => {
  const owner = backup('a', { uid: 'u1' });
  const other = ownerReferenceTo(backup('b', { uid: 'u2' }));
  expect(() => checkOwner(owner, backup('c'), backup('c', { ownerReferences: [other] }))).toThrow(
    'Backup default/a cannot own Backup default/c: Backup b (uid u2) controls it already',
  );
  expect(() => checkOwner(owner, backup('c'), backup('c', { ownerReferences: [{ ...other, controller: false }] }))).not.toThrow(); // prettier-ignore
  expect(() => checkOwner(owner, backup('c'), backup('c', { ownerReferences: [ownerReferenceTo(owner)] }))).not.toThrow(); // prettier-ignore
});

test('CTR-37: before an adoption the owner is read: one that is gone, made again or going adopts nothing', async () => {
  const { server, backups } = await rig();
  const create = (finalizers: string[] = []) =>
    server.local.create('example.com', 'backups', backup('a', { finalizers }) as ApiObject) as KubeObject;
  const first = create();
  await confirmOwner(backups, first);
  server.local.remove('example.com', 'backups', 'default', 'a');
  await expect(confirmOwner(backups, first)).rejects.toThrow('it no longer exists');
  const second = create(['x.io/y']);
  await expect(confirmOwner(backups, first)).rejects.toThrow('deleted and created again');
  server.local.remove('example.com', 'backups', 'default', 'a');
  await expect(confirmOwner(backups, second)).rejects.toThrow('it is being deleted');
});
