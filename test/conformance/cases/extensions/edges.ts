import { createPublicKey, verify, type JsonWebKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { expectFailure } from '../../rig/failures.ts';
import { configMap, type Fixture, ok, widgetCrd } from '../../rig/fixture.ts';

const part = (text = ''): Record<string, unknown> =>
  JSON.parse(Buffer.from(text, 'base64url').toString()) as Record<string, unknown>;

/** Points (bb) to (bb4): requests at the edge of what clients send, and the published key of tokens. */
export function edgeCases(fixture: () => Fixture): void {
  test('point (bb): a token of a service account is verified by the published key', async () => {
    const f = fixture();
    const { name } = await f.space();
    const accounts = `/api/v1/namespaces/${name}/serviceaccounts`;
    await f.create(accounts, { metadata: { name: 'robot' } });
    const { status } = await f.create(`${accounts}/robot/token`, { spec: { expirationSeconds: 600 } });
    const [head = '', claims = '', signature = ''] = (status as { token: string }).token.split('.');

    const configuration = await f.http.ask('GET', '/.well-known/openid-configuration', { headers: { accept: '*/*' } });
    expect(configuration.headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'public, max-age=3600',
    });
    const { alg, kid } = part(head);
    const found = configuration.body as unknown as Record<string, unknown>;
    expect(found).toEqual({
      issuer: part(claims)['iss'],
      jwks_uri: expect.stringMatching(/^https?:\/\/[^/]+\/openid\/v1\/jwks$/) as string,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: [alg],
    });
    const keys = await f.http.ask('GET', '/openid/v1/jwks', { headers: { accept: '*/*' } });
    expect(keys.headers['content-type']).toBe('application/jwk-set+json');
    const set = keys.body as unknown as { keys: (JsonWebKey & { kid: string })[] };
    const jwk = set.keys.find((one) => one.kid === kid);
    expect(jwk).toMatchObject({ use: 'sig', alg });
    const key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
    const options = { key, dsaEncoding: 'ieee-p1363' } as const;
    const signed = Buffer.from(`${head}.${claims}`);
    expect(verify('sha256', signed, options, Buffer.from(signature, 'base64url'))).toBe(true);
    expectFailure(await f.http.ask('POST', '/openid/v1/jwks'), 405, 'MethodNotAllowed');
    expect((await f.http.ask('HEAD', '/apis')).status).toBe(200);
    expect((await f.http.ask('HEAD', '/api')).status).toBe(405);
  });

  test('point (bb2): a Binding must name the pod of its path', async () => {
    const f = fixture();
    const space = await f.space();
    await f.createPod(space, 'p');
    const bind = (path: string, metadata: object) =>
      f.http.ask('POST', path, { body: { metadata, target: { kind: 'Node', name: 'n' } }, query: { dryRun: 'All' } });
    const other = { message: 'name in URL does not match name in Binding object' };
    expectFailure(await bind(`${space.pods}/p/binding`, { name: 'q' }), 400, 'BadRequest', other);
    expectFailure(await bind(`${space.pods}/p/binding`, {}), 400, 'BadRequest', other);
    const all = `/api/v1/namespaces/${space.name}/bindings`;
    expectFailure(await bind(all, {}), 400, 'BadRequest', { message: 'Name parameter required.' });
    ok(await bind(all, { name: 'p' }), 201);
    ok(await bind(`${space.pods}/p/binding`, { name: 'p' }), 201);
  });

  test('point (bb3): a JSON patch may take the kind away, not the version, and put no other kind', async () => {
    const f = fixture();
    const { configMaps } = await f.space();
    await f.create(configMaps, configMap('a'));
    const patch = (operation: object) => f.patch('json', `${configMaps}/a`, [operation]);
    const unnamed = {
      message: 'the name of the object (a based on URL) was undeterminable: name must be provided',
    };
    expectFailure(await patch({ op: 'replace', path: '', value: {} }), 400, 'BadRequest', unnamed);
    expectFailure(await patch({ op: 'remove', path: '/apiVersion' }), 400, 'BadRequest', unnamed);
    expect(ok(await patch({ op: 'remove', path: '/kind' })).kind).toBe('ConfigMap');
    expectFailure(await patch({ op: 'replace', path: '/kind', value: 'ServiceAccount' }), 422, 'Invalid', {
      message: /: converting \(v1\.ServiceAccount\) to \(core\.ConfigMap\): unknown conversion$/,
    });
    expectFailure(await patch({ op: 'replace', path: '/kind', value: 'Nothing' }), 422, 'Invalid', {
      message: /: no kind "Nothing" is registered for version "v1" in scheme "[^"]+"$/,
    });
  });

  test('point (bb4): causes come in the order of the real server, and the first version has a second name', async () => {
    const f = fixture();
    const space = await f.space();
    const containers = [{ name: 'c', image: 'i' }, { name: 'c' }];
    await f.createPod(space, 'p');
    const pod = { metadata: { name: 'x' }, spec: { containers } };
    expectFailure(await f.http.ask('POST', space.pods, { body: pod }), 422, 'Invalid', {
      causes: [
        { field: 'spec.containers[1].image', reason: 'FieldValueRequired' },
        { field: 'spec.containers[1].name', reason: 'FieldValueDuplicate' },
      ],
    });
    const definition = widgetCrd(`edge.${f.group}`);
    const { versions } = definition.spec as unknown as { versions: readonly object[] };
    const body = { ...definition, spec: { ...definition.spec, versions: [{ ...versions[0], name: 'V_1' }] } };
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    expectFailure(await f.http.ask('POST', path, { body }), 422, 'Invalid', {
      causes: [{ field: 'spec.versions[0].name' }, { field: 'spec.version' }],
    });
  });
}
