import { expect, test } from 'vitest';
import { expectFailure } from '../rig/failures.ts';
import { configMap, type Fixture, lease, names, ok } from '../rig/fixture.ts';

const FINALIZER = 'example.com/keep';

/** Cases 62 to 69: responses to DELETE, and what keeps an object from being removed. */
export function deleteCases(fixture: () => Fixture): void {
  test('case 62: a deleted ConfigMap is gone, and the Status of the response has its name and UID', async () => {
    const f = fixture();
    const { configMaps } = await f.space();
    const { metadata } = await f.create(configMaps, configMap('a'));
    expect(await f.remove(`${configMaps}/a`)).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'a', kind: 'configmaps', uid: metadata.uid },
    });
    const gone = { message: 'configmaps "a" not found', details: { name: 'a', kind: 'configmaps' } };
    expectFailure(await f.http.ask('GET', `${configMaps}/a`), 404, 'NotFound', gone);
    expectFailure(await f.http.ask('DELETE', `${configMaps}/a`), 404, 'NotFound', gone);
  });

  test('case 63: the response to the deletion of a Pod is the Pod', async () => {
    const f = fixture();
    const space = await f.space();
    const { metadata } = await f.createPod(space, 'p');
    const answer = await f.remove(`${space.pods}/p`);
    expect(answer).toMatchObject({ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'p', uid: metadata.uid } });
    expect(answer.metadata.deletionTimestamp).toMatch(/Z$/);
    expectFailure(await f.http.ask('GET', `${space.pods}/p`), 404, 'NotFound');
  });

  test('case 64: a deletion may have preconditions on the UID and the version', async () => {
    const f = fixture();
    const { configMaps, widgets } = await f.space();
    const { uid, resourceVersion } = (await f.create(configMaps, configMap('a'))).metadata;
    const ask = (path: string, preconditions: object) => f.http.ask('DELETE', path, { body: { preconditions } });
    expectFailure(await ask(`${configMaps}/a`, { uid: 'x' }), 409, 'Conflict', {
      message: `Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (x) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
      details: { name: 'a', kind: 'ConfigMap' },
    });
    expectFailure(await ask(`${configMaps}/a`, { resourceVersion: '1' }), 409, 'Conflict', {
      message: `Operation cannot be fulfilled on ConfigMap "a": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
    });
    expect(ok(await ask(`${configMaps}/a`, { uid, resourceVersion })).status).toBe('Success');
    await f.create(widgets, f.widget('a'));
    expectFailure(await ask(`${widgets}/a`, { uid: 'x' }), 409, 'Conflict', {
      details: { name: 'a', group: f.group, kind: 'Widget' },
    });
  });

  test('case 65: a finalizer keeps an object until it is removed', async () => {
    const f = fixture();
    const { widgets } = await f.space();
    const path = `${widgets}/a`;
    await f.create(widgets, f.widget('a', {}, { finalizers: [FINALIZER] }));
    const deleting = await f.remove(path);
    expect(deleting).toMatchObject({ kind: 'Widget', metadata: { deletionGracePeriodSeconds: 0, generation: 2 } });
    expect(deleting.metadata.deletionTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(await f.remove(path)).toEqual(deleting);
    expect(await f.get(path)).toEqual(deleting);
    const body = { ...deleting, metadata: { ...deleting.metadata, finalizers: [FINALIZER, 'example.com/more'] } };
    const refused = expectFailure(await f.http.ask('PUT', path, { body }), 422, 'Invalid', {
      message: /metadata\.finalizers: Forbidden: no new finalizers can be added if the object is being deleted/,
    });
    // The real server checks the metadata of a custom resource twice, and reports the error twice.
    expect(refused.details.causes[0]).toMatchObject({ reason: 'FieldValueForbidden', field: 'metadata.finalizers' });
    expectFailure(await f.http.ask('POST', widgets, { body: f.widget('a') }), 409, 'AlreadyExists', {
      message: `object is being deleted: widgets.${f.group} "a" already exists`,
    });
    const last = await f.merge(path, { metadata: { finalizers: null } });
    expect(last.metadata).not.toHaveProperty('finalizers');
    expectFailure(await f.http.ask('GET', path), 404, 'NotFound');
  });

  test('case 66: a propagation policy becomes a finalizer', async () => {
    const f = fixture();
    const { leases } = await f.space();
    for (const name of ['orphan', 'foreground', 'background', 'query', 'both']) await f.create(leases, lease(name));
    const remove = (name: string, body: object) => f.http.ask('DELETE', `${leases}/${name}`, { body });
    const orphaned = ok(await remove('orphan', { propagationPolicy: 'Orphan' }));
    expect(orphaned.metadata).toMatchObject({ finalizers: ['orphan'], deletionGracePeriodSeconds: 0 });
    const foreground = ok(await remove('foreground', { propagationPolicy: 'Foreground' }));
    expect(foreground.metadata.finalizers).toEqual(['foregroundDeletion']);
    const query = { propagationPolicy: 'Foreground' };
    const queried = ok(await f.http.ask('DELETE', `${leases}/query`, { query }));
    expect(queried.metadata.finalizers).toEqual(['foregroundDeletion']);
    expect(ok(await remove('background', { propagationPolicy: 'Background' })).status).toBe('Success');
    const both = { propagationPolicy: 'Orphan', orphanDependents: true };
    expectFailure(await remove('both', both), 422, 'Invalid', {
      causes: [{ reason: 'FieldValueInvalid', field: 'propagationPolicy' }],
    });
    expectFailure(await remove('both', { propagationPolicy: 'x' }), 422, 'Invalid', {
      message:
        /^DeleteOptions\.meta\.k8s\.io "" is invalid: propagationPolicy: Unsupported value: "x": supported values: /,
      causes: [{ reason: 'FieldValueNotSupported', field: 'propagationPolicy' }],
    });
    expectFailure(await f.http.ask('DELETE', `${leases}/both`, { body: '{' }), 400, 'BadRequest');
  });

  test('case 67: deletecollection deletes the objects that the selector matches', async () => {
    const f = fixture();
    const { leases, widgets } = await f.space();
    for (const name of ['a', 'b']) await f.create(leases, lease(name, { labels: { go: 'yes' } }));
    await f.create(leases, lease('c'));
    const ask = (query: Record<string, string>) => f.http.ask('DELETE', leases, { query });
    const dry = ok(await ask({ labelSelector: 'go=yes', dryRun: 'All' }));
    expect(names(dry)).toEqual(['a', 'b']);
    expect(names(await f.get(leases))).toEqual(['a', 'b', 'c']);
    const removed = ok(await ask({ labelSelector: 'go=yes' }));
    expect(removed.kind).toBe('LeaseList');
    expect(names(removed)).toEqual(['a', 'b']);
    expect(names(await f.get(leases))).toEqual(['c']);
    expect(ok(await ask({ labelSelector: 'go=yes' })).items).toEqual([]);
    expectFailure(await ask({ labelSelector: 'a in' }), 400, 'BadRequest');
    await f.create(widgets, f.widget('a'));
    const ofWidgets = ok(await f.http.ask('DELETE', widgets));
    expect(ofWidgets).toMatchObject({ kind: 'WidgetList', items: [{ kind: 'Widget', metadata: { name: 'a' } }] });
    expect((await f.get(widgets)).items).toEqual([]);
  });

  test('case 68: a dry-run deletion deletes nothing', async () => {
    const f = fixture();
    const { configMaps } = await f.space();
    const created = await f.create(configMaps, configMap('a'));
    expect(ok(await f.http.ask('DELETE', `${configMaps}/a`, { query: { dryRun: 'All' } })).status).toBe('Success');
    expect((await f.remove(`${configMaps}/a`, { dryRun: ['All'] })).status).toBe('Success');
    expect(await f.get(`${configMaps}/a`)).toEqual(created);
  });

  test('case 69: a namespace is terminating first, and accepts no new objects meanwhile', async () => {
    const f = fixture();
    const { name, configMaps, widgets } = await f.space();
    const path = `/api/v1/namespaces/${name}`;
    expect(await f.get(path)).toMatchObject({
      metadata: { labels: { 'kubernetes.io/metadata.name': name } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
    // A finalizer keeps the namespace terminating.
    await f.create(widgets, f.widget('kept', {}, { finalizers: [FINALIZER] }));
    const ending = await f.remove(path);
    expect(ending).toMatchObject({ kind: 'Namespace', status: { phase: 'Terminating' } });
    expect(ending.metadata.deletionTimestamp).toMatch(/Z$/);
    expectFailure(await f.http.ask('POST', configMaps, { body: configMap('x') }), 403, 'Forbidden', {
      message: `configmaps "x" is forbidden: unable to create new content in namespace ${name} because it is being terminated`,
      details: {
        name: 'x',
        kind: 'configmaps',
        causes: [
          {
            reason: 'NamespaceTerminating',
            message: `namespace ${name} is being terminated`,
            field: 'metadata.namespace',
          },
        ],
      },
    });
    await f.merge(`${widgets}/kept`, { metadata: { finalizers: null } });
    expectFailure(await f.http.ask('DELETE', '/api/v1/namespaces/default'), 403, 'Forbidden', {
      message: 'namespaces "default" is forbidden: this namespace may not be deleted',
      details: { name: 'default', kind: 'namespaces' },
    });
  });
}
