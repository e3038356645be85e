import { expect, test } from 'vitest';
import { expectFailure } from '../rig/failures.ts';
import { configMap, type Fixture, ok } from '../rig/fixture.ts';

/** The message about a body whose kind the server cannot tell. */
const UNKNOWN = "couldn't get version/kind; json parse error: json: cannot unmarshal";
const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** Bodies that are valid JSON with a value of the wrong type. */
export function typedBodyCases(fixture: () => Fixture): void {
  test('point (t): a DELETE whose options have a value of a wrong type deletes nothing', async () => {
    const f = fixture();
    const { configMaps, widgets } = await f.space();
    await f.create(configMaps, configMap('a'));
    await f.create(widgets, f.widget('a'));
    const mismatch = (value: string, field: string, type: string) =>
      `json: cannot unmarshal ${value} into Go struct field ${field} of type ${type}`;
    // Go may have a name for the type of a text: `types.UID`.
    const notText = (field: string) => new RegExp(`^${mismatch('number', field, '[\\w.]+')}$`);
    const wrong: readonly (readonly [unknown, string | RegExp])[] = [
      [{ dryRun: 'All' }, mismatch('string', 'DeleteOptions.dryRun', '[]string')],
      [{ dryRun: [1] }, mismatch('number', 'DeleteOptions.dryRun', 'string')],
      [{ gracePeriodSeconds: '0' }, mismatch('string', 'DeleteOptions.gracePeriodSeconds', 'int64')],
      [{ gracePeriodSeconds: 1.5 }, mismatch('number 1.5', 'DeleteOptions.gracePeriodSeconds', 'int64')],
      [{ orphanDependents: 'x' }, mismatch('string', 'DeleteOptions.orphanDependents', 'bool')],
      [{ preconditions: 'x' }, mismatch('string', 'DeleteOptions.preconditions', 'v1.Preconditions')],
      [{ preconditions: [] }, mismatch('array', 'DeleteOptions.preconditions', 'v1.Preconditions')],
      [{ preconditions: { uid: 5 } }, notText('Preconditions.preconditions.uid')],
      [{ propagationPolicy: 5 }, notText('DeleteOptions.propagationPolicy')],
      [{ apiVersion: 5 }, `${UNKNOWN} number into Go struct field .apiVersion of type string`],
      [{ kind: [] }, `${UNKNOWN} array into Go struct field .kind of type string`],
      [{ apiVersion: 'a/b/c' }, 'unexpected GroupVersion string: a/b/c'],
      [
        { kind: 'Foo' },
        'no kind "Foo" is registered for version "meta.k8s.io/v1" in scheme "pkg/runtime/scheme.go:111"',
      ],
      ['[]', `${UNKNOWN} array into Go value of type ${TYPE_META}`],
    ];
    for (const [body, message] of wrong)
      for (const path of [`${configMaps}/a`, configMaps, `${widgets}/a`, `${configMaps}/missing`])
        expectFailure(await f.http.ask('DELETE', path, { body }), 400, 'BadRequest', { message });
    const headers = { 'content-type': 'application/yaml' };
    expectFailure(await f.http.ask('DELETE', configMaps, { body: 'dryRun: All', headers }), 400, 'BadRequest', {
      message: mismatch('string', 'DeleteOptions.dryRun', '[]string'),
    });
    await f.get(`${configMaps}/a`);
    await f.get(`${widgets}/a`);
    // `null` counts as absent everywhere.
    const nothing = { kind: null, dryRun: null, preconditions: { uid: null, resourceVersion: null } };
    expect((await f.remove(`${configMaps}/a`, nothing)).status).toBe('Success');
  });

  test('point (t2): a body that is not stored is decoded as strictly as one that is', async () => {
    const f = fixture();
    const space = await f.space();
    const pod = `${space.pods}/p`;
    const accounts = `/api/v1/namespaces/${space.name}/serviceaccounts`;
    await f.createPod(space, 'p');
    await f.create(accounts, { metadata: { name: 's' } });
    const metadata = { name: 'p' };
    const refused = async (path: string, kind: string, body: object, why: string, query = {}) =>
      expectFailure(await f.http.ask('POST', path, { body, query }), 400, 'BadRequest', {
        message: `${kind} in version "v1" cannot be handled as a ${kind}: ${why}`,
      });
    for (const [deleteOptions, why] of [
      [{ dryRun: 'All' }, 'string into Go struct field DeleteOptions.deleteOptions.dryRun of type []string'],
      [
        { gracePeriodSeconds: 'x' },
        'string into Go struct field DeleteOptions.deleteOptions.gracePeriodSeconds of type int64',
      ],
      ['x', 'string into Go struct field Eviction.deleteOptions of type v1.DeleteOptions'],
    ] as const)
      await refused(`${pod}/eviction`, 'Eviction', { metadata, deleteOptions }, `json: cannot unmarshal ${why}`);
    for (const [spec, why] of [
      [{ expirationSeconds: 'x' }, 'string into Go struct field TokenRequestSpec.spec.expirationSeconds of type int64'],
      [{ audiences: 'x' }, 'string into Go struct field TokenRequestSpec.spec.audiences of type []string'],
      ['x', 'string into Go struct field TokenRequest.spec of type v1.TokenRequestSpec'],
    ] as const)
      await refused(`${accounts}/s/token`, 'TokenRequest', { spec }, `json: cannot unmarshal ${why}`);
    const target = { name: 5 };
    const name = 'json: cannot unmarshal number into Go struct field ObjectReference.target.name of type string';
    await refused(`${pod}/binding`, 'Binding', { metadata, target }, name);
    for (const path of [`${pod}/eviction`, `${accounts}/s/token`])
      expectFailure(await f.http.ask('POST', path, { body: { apiVersion: 'v1', kind: 'Pod' } }), 400, 'BadRequest', {
        message: /^Pod in version "v1" cannot be handled as a \w+: converting \(v1\.Pod\) to .*: unknown conversion$/,
      });
    const unknown = { metadata, foo: 1, deleteOptions: { dryRun: ['All'], bar: 2 } };
    const strict = { fieldValidation: 'Strict' };
    const fields = ['unknown field "foo"', 'unknown field "deleteOptions.bar"'];
    await refused(`${pod}/eviction`, 'Eviction', unknown, `strict decoding error: ${fields.join(', ')}`, strict);
    const warned = await f.http.ask('POST', `${pod}/eviction`, { body: unknown });
    expect(warned.status).toBe(201);
    expect(warned.headers['warning']).toBe(
      '299 - "unknown field \\"foo\\"", 299 - "unknown field \\"deleteOptions.bar\\""',
    );
    const stays = await f.get(pod);
    expect(stays.metadata.deletionTimestamp).toBe(undefined);
    expect(stays.spec['nodeName']).toBe(undefined);
    expect((await f.http.ask('POST', `${accounts}/s/token`, { body: 'null' })).status).toBe(201);
  });

  test('point (t3): kind and apiVersion of a body must be strings', async () => {
    const f = fixture();
    const { configMaps, widgets } = await f.space();
    await f.create(configMaps, configMap('a'));
    const yaml = { 'content-type': 'application/yaml' };
    for (const [path, kind] of [
      [configMaps, 'ConfigMap'],
      [widgets, 'Widget'],
    ] as const) {
      const refused = async (body: string, why: string, shown: string, headers = {}) =>
        expectFailure(await f.http.ask('POST', path, { body, headers }), 400, 'BadRequest', {
          message: `the object provided is unrecognized (must be of type ${kind}): ${why} (${shown})`,
        });
      const version = `${UNKNOWN} number into Go struct field .apiVersion of type string`;
      await refused('{"apiVersion":5}', version, '{"apiVersion":5}');
      await refused('apiVersion: 5', version, Buffer.from('apiVersion: 5').toString('hex'), yaml);
      await refused('{"kind":{}}', `${UNKNOWN} object into Go struct field .kind of type string`, '{"kind":{}}');
      await refused('{"apiVersion":"a/b/c"}', 'unexpected GroupVersion string: a/b/c', '{"apiVersion":"a/b/c"}');
      await refused(' 5', `${UNKNOWN} number into Go value of type ${TYPE_META}`, '2035');
    }
    const nothing = { apiVersion: null, kind: null, metadata: { name: 'b' } };
    expect((await f.create(configMaps, nothing)).kind).toBe('ConfigMap');
    const query = { fieldManager: 'm' };
    const applied = await f.patch('apply', `${configMaps}/a`, { apiVersion: 5, kind: 'ConfigMap' }, query);
    expectFailure(applied, 400, 'BadRequest', { message: 'invalid object type: /, Kind=ConfigMap' });
    expect(ok(await f.http.ask('GET', `${configMaps}/a`)).metadata.name).toBe('a');
  });
}
