import { expect, test } from 'vitest';
import { expectFailure } from '../rig/failures.ts';
import { configMap, type Fixture, ok } from '../rig/fixture.ts';
import { until } from '../rig/target.ts';

const NOT_ALLOWED = { message: 'the server does not allow this method on the requested resource', details: {} };

/** A token of a user who may only use discovery. */
async function powerlessToken(f: Fixture): Promise<string> {
  if (f.target.powerlessToken !== undefined) return f.target.powerlessToken;
  const { name } = await f.space();
  const accounts = `/api/v1/namespaces/${name}/serviceaccounts`;
  await f.create(accounts, { metadata: { name: 'nobody' } });
  const request = await f.create(`${accounts}/nobody/token`, { spec: { expirationSeconds: 600 } });
  return (request.status as { token: string }).token;
}

/** Cases 100 and 101: authorization. */
export function accessCases(fixture: () => Fixture): void {
  test('case 100: a request without a token, or with an unknown one, is refused', async () => {
    const f = fixture();
    const { name, configMaps } = await f.space();
    const stranger = await f.http.ask('GET', configMaps, { token: null });
    // Servers that accept anonymous users respond 403, others 401.
    if (stranger.status === 403) {
      expectFailure(stranger, 403, 'Forbidden', {
        message: `configmaps is forbidden: User "system:anonymous" cannot list resource "configmaps" in API group "" in the namespace "${name}"`,
        details: { kind: 'configmaps' },
      });
    } else {
      expectFailure(stranger, 401, 'Unauthorized', { message: 'Unauthorized' });
    }
    const wrong = await f.http.ask('GET', configMaps, { token: 'no-such-token' });
    expectFailure(wrong, 401, 'Unauthorized', { message: 'Unauthorized' });
  });

  test('point (o): impersonation without the right is refused, and the message names the right', async () => {
    const f = fixture();
    const { configMaps } = await f.space();
    const token = await powerlessToken(f);
    const ask = (headers: Record<string, string>) => f.http.ask('GET', configMaps, { token, headers });
    const said = async (headers: Record<string, string>): Promise<string> =>
      expectFailure(await ask(headers), 403, 'Forbidden').message.replace(/User "[^"]+"/, 'User');
    const refused = (mode: string): RegExp =>
      new RegExp(
        `^configmaps is forbidden: User cannot impersonate-on:${mode}:list resource "configmaps" in API group ""`,
      );
    expect(await said({ 'impersonate-user': 'jane' })).toMatch(refused('user-info'));
    expect(await said({ 'impersonate-user': 'jane', 'impersonate-group': 'g' })).toMatch(refused('user-info'));
    expect(await said({ 'impersonate-user': 'system:serviceaccount:x:y' })).toMatch(refused('serviceaccount'));
    expect(await said({ 'impersonate-user': 'system:node:n' })).toMatch(refused('arbitrary-node'));
  });

  test('case 100b: the 403 of a user without rights names the verb and the resource', async () => {
    const f = fixture();
    const { name, configMaps, deployments } = await f.space();
    const token = await powerlessToken(f);
    const forbidden = async (method: string, path: string, message: string, details: object) => {
      const answer = await f.http.ask(method, path, { token, ...(method === 'GET' ? {} : { body: configMap('a') }) });
      const { message: said } = expectFailure(answer, 403, 'Forbidden', { details });
      expect(said.replace(/User "[^"]+"/, 'User')).toMatch(message);
      expect(answer.headers['x-content-type-options']).toBe('nosniff');
    };
    const there = `in the namespace "${name}"`;
    const inCore = (verb: string) => `User cannot ${verb} resource "configmaps" in API group "" ${there}`;
    await forbidden('GET', configMaps, `configmaps is forbidden: ${inCore('list')}`, { kind: 'configmaps' });
    await forbidden('POST', configMaps, `configmaps is forbidden: ${inCore('create')}`, { kind: 'configmaps' });
    const ofA = { name: 'a', kind: 'configmaps' };
    await forbidden('GET', `${configMaps}/a`, `configmaps "a" is forbidden: ${inCore('get')}`, ofA);
    await forbidden('PUT', `${configMaps}/a`, `configmaps "a" is forbidden: ${inCore('update')}`, ofA);
    await forbidden('DELETE', `${configMaps}/a`, `configmaps "a" is forbidden: ${inCore('delete')}`, ofA);
    await forbidden(
      'GET',
      `${deployments}/d/scale`,
      `deployments.apps "d" is forbidden: User cannot get resource "deployments/scale" in API group "apps" ${there}`,
      { name: 'd', group: 'apps', kind: 'deployments' },
    );
    const nodes = 'nodes is forbidden: User cannot list resource "nodes" in API group "" at the cluster scope';
    await forbidden('GET', '/api/v1/nodes', nodes, { kind: 'nodes' });
    await forbidden('GET', '/metrics', 'forbidden: User cannot get path "/metrics"', {});
  });

  test('case 100c: a PUT or an apply that would create an object needs the right to create', async () => {
    const f = fixture();
    const { name, configMaps, leases } = await f.space();
    const roles = `/apis/rbac.authorization.k8s.io/v1/namespaces/${name}`;
    const rules = [
      { apiGroups: ['', 'coordination.k8s.io'], resources: ['configmaps', 'leases'], verbs: ['update', 'patch'] },
    ];
    await f.create(`${roles}/roles`, { metadata: { name: 'change' }, rules });
    const apiGroup = 'rbac.authorization.k8s.io';
    await f.create(`${roles}/rolebindings`, {
      metadata: { name: 'change' },
      roleRef: { apiGroup, kind: 'Role', name: 'change' },
      subjects: [{ apiGroup, kind: 'User', name: 'jane' }],
    });
    const headers = { 'impersonate-user': 'jane' };
    const apply = (object: object) =>
      f.http.ask('PATCH', `${configMaps}/new`, {
        query: { fieldManager: 'm' },
        headers: { ...headers, 'content-type': 'application/apply-patch+yaml' },
        body: { apiVersion: 'v1', kind: 'ConfigMap', ...object },
      });
    const lease = (spec: object) =>
      f.http.ask('PUT', `${leases}/new`, { headers, body: { metadata: { name: 'new' }, spec } });
    const cannot = (resource: string, group: string): string =>
      `User "jane" cannot create resource "${resource}" in API group "${group}" in the namespace "${name}"`;
    // A binding takes effect after a moment.
    await until('jane may change things', async () => (await lease({ leaseDurationSeconds: -1 })).status === 422);
    const applied = expectFailure(await apply({ metadata: { name: 'new' } }), 403, 'Forbidden', {
      details: { name: 'new', kind: 'configmaps' },
    });
    const put = expectFailure(await lease({}), 403, 'Forbidden', {
      details: { name: 'new', group: 'coordination.k8s.io', kind: 'leases' },
    });
    await f.create(configMaps, { metadata: { name: 'new' } });
    ok(await apply({ metadata: { name: 'new' }, data: { a: '1' } }), 200);
    expect([applied.message, put.message]).toEqual([
      `configmaps "new" is forbidden: ${cannot('configmaps', '')}`,
      `leases.coordination.k8s.io "new" is forbidden: ${cannot('leases', 'coordination.k8s.io')}`,
    ]);
  });

  test('case 101: every user may review their own access', async () => {
    const f = fixture();
    const { name } = await f.space();
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    const resourceAttributes = { namespace: name, verb: 'get', resource: 'configmaps' };
    const review = await f.create(path, { spec: { resourceAttributes } });
    expect(review).toMatchObject({ kind: 'SelfSubjectAccessReview', status: { allowed: true } });
    // No metadata is the same as null.
    const bare = await f.http.ask('POST', path, { body: { metadata: null, spec: { resourceAttributes } } });
    expect(ok(bare, 201).status).toMatchObject({ allowed: true });
    const token = await powerlessToken(f);
    const denied = ok(await f.http.ask('POST', path, { token, body: { spec: { resourceAttributes } } }), 201);
    expect(denied.status).toMatchObject({ allowed: false });
  });

  test('case 101b: a method that a path does not support is refused', async () => {
    const f = fixture();
    const { configMaps } = await f.space();
    expectFailure(await f.patch('merge', configMaps, {}), 405, 'MethodNotAllowed', NOT_ALLOWED);
    expectFailure(await f.http.ask('PUT', configMaps, { body: configMap('a') }), 405, 'MethodNotAllowed', NOT_ALLOWED);
    const onObject = await f.http.ask('POST', `${configMaps}/a`, { body: configMap('a') });
    expectFailure(onObject, 405, 'MethodNotAllowed', NOT_ALLOWED);
    expectFailure(await f.http.ask('DELETE', '/api/v1/configmaps'), 405, 'MethodNotAllowed', NOT_ALLOWED);
  });
}
