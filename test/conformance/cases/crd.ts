import { expect, test } from 'vitest';
import { expectFailure } from '../rig/failures.ts';
import { type Fixture, names, ok, widgetCrd } from '../rig/fixture.ts';
import { type Body, until } from '../rig/target.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const AGGREGATED = { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' };

interface GroupDiscovery {
  readonly metadata: { readonly name: string };
  readonly versions: readonly {
    readonly version: string;
    readonly resources: readonly { readonly resource: string }[];
  }[];
}

/** Cases 93 to 96: custom resources. */
export function crdCases(fixture: () => Fixture): void {
  test('case 93: a new kind is accepted, established, and listed in every discovery document', async () => {
    const f = fixture();
    await f.createCrd(widgetCrd(f.group, 'gadgets', 'Gadget'));
    const path = `${CRDS}/gadgets.${f.group}`;
    const conditions = async () => {
      const { status } = await f.get(path);
      return (status as { conditions: { type: string; status: string }[] }).conditions;
    };
    await until('the kind is established', async () =>
      (await conditions()).some(({ type, status }) => type === 'Established' && status === 'True'),
    );
    const held = (await conditions()).map(({ type, status }) => `${type} ${status}`);
    expect(held.sort()).toEqual(['Established True', 'NamesAccepted True']);
    const { spec, status } = await f.get(path);
    expect(spec['names']).toEqual({ plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' });
    expect(status).toMatchObject({ acceptedNames: { plural: 'gadgets', kind: 'Gadget' }, storedVersions: ['v1'] });
    // The real server updates discovery in the background.
    await until('the kind is discovered', async () => {
      const list = (await f.get(`/apis/${f.group}/v1`)) as unknown as { resources: { name: string }[] };
      return list.resources.some(({ name }) => name === 'gadgets');
    });
    await until('the kind is in aggregated discovery', async () => {
      const list = ok(await f.http.ask('GET', '/apis', { headers: AGGREGATED }));
      const group = (list.items as unknown as GroupDiscovery[]).find(({ metadata }) => metadata.name === f.group);
      const found = group?.versions.filter(({ resources }) => resources.some(({ resource }) => resource === 'gadgets'));
      return found?.map(({ version }) => version).join() === 'v2,v1';
    });
    await until('the kind is in OpenAPI', async () => {
      const answer = await f.http.ask('GET', `/openapi/v3/apis/${f.group}/v1`);
      return answer.status === 200 && answer.text.includes(`/apis/${f.group}/v1/namespaces/{namespace}/gadgets/{name}`);
    });
  });

  test('case 93b: versions of a custom group have an APIService as long as a definition serves them', async () => {
    const f = fixture();
    const group = `services.${f.group}`;
    const service = `/apis/apiregistration.k8s.io/v1/apiservices/v1.${group}`;
    const answers = async (status: number): Promise<boolean> => (await f.http.ask('GET', service)).status === status;
    for (const plural of ['as', 'bs']) await f.createCrd(widgetCrd(group, plural, plural.toUpperCase()));
    await until('the service is there', () => answers(200));
    const { metadata, spec, status } = await f.get(service);
    expect(metadata).toMatchObject({ labels: { 'kube-aggregator.kubernetes.io/automanaged': 'true' } });
    expect(spec).toEqual({ group, version: 'v1', groupPriorityMinimum: 1000, versionPriority: 100 });
    expect(status).toMatchObject({ conditions: [{ type: 'Available', status: 'True', reason: 'Local' }] });
    ok(await f.http.ask('DELETE', `${CRDS}/as.${group}`));
    ok(await f.http.ask('DELETE', service));
    await until('a deleted service is there again', async () => {
      const answer = await f.http.ask('GET', service);
      return answer.status === 200 && (JSON.parse(answer.text) as Body).metadata.uid !== metadata.uid;
    });
    ok(await f.http.ask('DELETE', `${CRDS}/bs.${group}`));
    await until('the last definition takes the service along', () => answers(404));
  });

  test('case 94: a custom resource is validated, pruned and defaulted by its schema', async () => {
    const f = fixture();
    const { widgets } = await f.space();
    const refused = async (spec: object, cause: object) => {
      const body = { ...f.widget('a'), spec };
      const answer = expectFailure(await f.http.ask('POST', widgets, { body }), 422, 'Invalid', { causes: [cause] });
      expect(answer.details).toMatchObject({ name: 'a', group: f.group, kind: 'Widget' });
      return answer.message;
    };
    const start = `Widget.${f.group} "a" is invalid: `;
    expect(await refused({ size: 'big' }, { reason: 'FieldValueTypeInvalid', field: 'spec.size' })).toMatch(
      `${start}spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"`,
    );
    expect(await refused({}, { reason: 'FieldValueRequired', field: 'spec.size' })).toBe(
      `${start}spec.size: Required value`,
    );
    expect(await refused({ size: 1, color: 'pink' }, { reason: 'FieldValueNotSupported', field: 'spec.color' })).toBe(
      `${start}spec.color: Unsupported value: "pink": supported values: "red", "green", "blue"`,
    );
    const { resourceVersion } = (await f.get(widgets)).metadata;
    using watch = await f.http.watch(widgets, { resourceVersion });
    const answer = await f.http.ask('POST', widgets, { body: f.widget('a', { bogus: 1 }) });
    expect(ok(answer, 201).spec).toEqual({ size: 1, color: 'red' });
    expect(answer.headers['warning']).toBe('299 - "unknown field \\"spec.bogus\\""');
    const frame = await watch.next();
    expect(frame.type).toBe('ADDED');
    expect(frame.object).toEqual(answer.body);
    const strict = { query: { fieldValidation: 'Strict' }, body: f.widget('b', { bogus: 1 }) };
    expectFailure(await f.http.ask('POST', widgets, strict), 400, 'BadRequest', {
      message:
        'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "spec.bogus"',
    });
  });

  test('case 95: a create ignores the status, and every version shows the same object', async () => {
    const f = fixture();
    const { widgets } = await f.space();
    const created = await f.create(widgets, { ...f.widget('a'), status: { phase: 'Ready' } });
    expect(created).not.toHaveProperty('status');
    const v2 = widgets.replace('/v1/', '/v2/');
    const other = await f.get(`${v2}/a`);
    const { managedFields: _, ...metadata } = created.metadata;
    expect(other).toMatchObject({ apiVersion: `${f.group}/v2`, kind: 'Widget', metadata, spec: created.spec });
    expect((await f.get(v2)).items).toMatchObject([{ apiVersion: `${f.group}/v2`, metadata: { name: 'a' } }]);
    using watch = await f.http.watch(v2, { resourceVersion: created.metadata.resourceVersion });
    await f.merge(`${widgets}/a`, { spec: { size: 2 } });
    expect((await watch.next()).object).toMatchObject({ apiVersion: `${f.group}/v2`, spec: { size: 2 } });
  });

  test('case 96: a Table has the columns of the kind', async () => {
    const f = fixture();
    const { widgets } = await f.space();
    await f.create(widgets, f.widget('a', { size: 7 }));
    const headers = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };
    const table = ok(await f.http.ask('GET', widgets, { headers }));
    const columns = table.columnDefinitions?.map(({ name, type, format }) => ({ name, type, format }));
    expect(columns).toEqual([
      { name: 'Name', type: 'string', format: 'name' },
      { name: 'Size', type: 'integer', format: '' },
    ]);
    expect(table.rows.map(({ cells }) => cells)).toEqual([['a', 7]]);
  });

  test('case 96b: deleting a definition removes its objects and its path', async () => {
    const f = fixture();
    const { name: namespace } = await f.space();
    await f.createCrd(widgetCrd(f.group, 'gizmos', 'Gizmo'));
    const gizmos = `/apis/${f.group}/v1/namespaces/${namespace}/gizmos`;
    const body = { ...f.widget('a'), kind: 'Gizmo' };
    // The first write may come too early: the real server delays a new kind.
    const created = await f.create(gizmos, body);
    expect(names(await f.get(gizmos))).toEqual(['a']);
    using watch = await f.http.watch(gizmos, { resourceVersion: created.metadata.resourceVersion });
    const ending: Body = await f.remove(`${CRDS}/gizmos.${f.group}`);
    expect(ending.metadata.finalizers).toEqual(['customresourcecleanup.apiextensions.k8s.io']);
    const frame = await watch.next();
    expect(`${frame.type} ${frame.object.metadata.name}`).toBe('DELETED a');
    await until('the path is gone', async () => (await f.http.ask('GET', gizmos)).status === 404);
    const gone = await f.http.ask('GET', gizmos);
    expect(gone.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(gone.text).toBe('404 page not found\n');
  });

  test('case 96c: all errors of a schema are reported, at the root and below', async () => {
    const f = fixture();
    expect(await causes(f, { properties: { a: {} } })).toEqual([
      'schema.properties[a].type: Required value: must not be empty for specified object fields',
      'schema.type: Required value: must not be empty at the root',
    ]);
    const types = '"array", "boolean", "integer", "number", "object", "string"';
    expect(await causes(f, { type: 'foo' })).toEqual([
      'schema.type: Invalid value: "foo": must be object at the root',
      `schema.type: Unsupported value: "foo": supported values: ${types}`,
    ]);
    expect(await causes(f, { type: 'string', properties: { a: {}, b: { type: 'foo', default: 1 } } })).toEqual([
      'schema.properties[a].type: Required value: must not be empty for specified object fields',
      'schema.type: Invalid value: "string": must be object at the root',
      `schema.properties[b].type: Unsupported value: "foo": supported values: ${types}`,
    ]);
    expect(await causes(f, { 'x-kubernetes-preserve-unknown-fields': true })).toEqual([]);
  });

  test('case 96d: a selectable field must be in the schema and of a scalar type', async () => {
    const f = fixture();
    const spec = {
      type: 'object',
      properties: { s: { type: 'string' }, l: { type: 'array', items: { type: 'string' } } },
    };
    const labels = { type: 'object', additionalProperties: { type: 'integer' } };
    const schema = {
      type: 'object',
      properties: { spec, labels, metadata: { type: 'object', properties: { name: { type: 'string' } } } },
    };
    const of = (...paths: string[]) => causes(f, schema, { selectableFields: paths.map((jsonPath) => ({ jsonPath })) });
    const at = 'spec.selectableFields[0].jsonPath';
    const unfit =
      'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
    expect(await of('.spec.s', '.labels.x')).toEqual([]);
    expect(await of('')).toEqual([`${at}: Required value`]);
    expect(await of('.spec.l')).toEqual([`${at}: Invalid value: ".spec.l": ${unfit}`]);
    expect(await of('.metadata.name')).toEqual([
      `${at}: Invalid value: ".metadata.name": must not point to fields in metadata`,
    ]);
    expect(await of('.spec.s', '.spec.s')).toEqual(['spec.selectableFields[1].jsonPath: Duplicate value: ".spec.s"']);
    const faults = {
      '.spec.nope': 'does not refer to a valid field',
      '.spec.s.x': 'does not refer to a valid field',
      '..s': 'does not refer to a valid field',
      '.spec.l[0]': 'array notation is not allowed',
      'spec.s': 'expected [ or . but got: spec',
      '.spec.': 'unexpected end of JSON path',
    };
    for (const [path, fault] of Object.entries(faults))
      expect(await of(path)).toEqual([`${at}: Invalid value: "${path}": is an invalid path: ${fault}`]);
    const many = Array.from({ length: 9 }, (_, index) => `.labels.${index}`);
    expect(await of(...many)).toEqual(['spec.selectableFields: Too many: 9: must have at most 8 items']);
  });

  test('case 96e: versions that are an empty list are shown as one', async () => {
    const f = fixture();
    const names = { plural: 'sprockets', kind: 'Sprocket' };
    const fault = async (versions: object) => {
      const spec = { group: f.group, scope: 'Namespaced', names, ...versions };
      const body = { metadata: { name: `sprockets.${f.group}` }, spec };
      return expectFailure(await f.http.ask('POST', CRDS, { body }), 422, 'Invalid').details.causes[0];
    };
    const why = 'must have exactly one version marked as storage version';
    expect(await fault({ versions: [] })).toMatchObject({
      field: 'spec.versions',
      message: `Invalid value: []: ${why}`,
    });
    expect(await fault({})).toMatchObject({ field: 'spec.versions', message: `Invalid value: null: ${why}` });
  });
}

/** The errors of a definition with this schema, and these fields in its version; empty if it is accepted. */
async function causes(f: Fixture, openAPIV3Schema: object, version: object = {}): Promise<string[]> {
  const names = { plural: 'sprockets', singular: 'sprocket', kind: 'Sprocket', listKind: 'SprocketList' };
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema }, ...version }];
  const body = {
    metadata: { name: `sprockets.${f.group}` },
    spec: { group: f.group, scope: 'Namespaced', names, versions },
  };
  const answer = await f.http.ask('POST', CRDS, { query: { dryRun: 'All' }, body });
  if (answer.status === 201) return [];
  const { details } = expectFailure(answer, 422, 'Invalid');
  return details.causes.map(({ field, message }) =>
    `${field}: ${message}`.replace('spec.validation.openAPIV3Schema', 'schema'),
  );
}
