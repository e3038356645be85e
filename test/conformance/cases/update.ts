import { expect, test } from 'vitest';
import { expectFailure } from '../rig/failures.ts';
import { configMap, type Crd, type Fixture, lease, widgetCrd } from '../rig/fixture.ts';

const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';
const version = (object: { metadata: { resourceVersion: string } }): number => Number(object.metadata.resourceVersion);

/** Cases 44 to 51: PUT, and the status and scale of an object. */
export function updateCases(fixture: () => Fixture): void {
  test('case 44: a PUT with an older version is a conflict', async () => {
    const f = fixture();
    const { configMaps } = await f.space();
    const first = await f.create(configMaps, configMap('a'));
    const second = await f.put(`${configMaps}/a`, { ...first, data: { k: '2' } });
    expect(second.data).toEqual({ k: '2' });
    expect(version(second)).toBeGreaterThan(version(first));
    const stale = await f.http.ask('PUT', `${configMaps}/a`, { body: { ...first, data: { k: '3' } } });
    expectFailure(stale, 409, 'Conflict', {
      message: `Operation cannot be fulfilled on configmaps "a": ${MODIFIED}`,
      details: { name: 'a', kind: 'configmaps' },
    });
    expect(await f.get(`${configMaps}/a`)).toEqual(second);
  });

  test('case 45: a ConfigMap may be replaced without a version, a custom resource may not', async () => {
    const f = fixture();
    const { configMaps, leases, widgets } = await f.space();
    await f.create(configMaps, configMap('a'));
    expect((await f.put(`${configMaps}/a`, configMap('a', { k: '2' }))).data).toEqual({ k: '2' });
    await f.create(widgets, f.widget('a'));
    expectFailure(await f.http.ask('PUT', `${widgets}/a`, { body: f.widget('a') }), 422, 'Invalid', {
      message: `widgets.${f.group} "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`,
      causes: [{ reason: 'FieldValueInvalid', field: 'metadata.resourceVersion' }],
    });
    await f.create(leases, lease('a'));
    expectFailure(await f.http.ask('PUT', `${leases}/a`, { body: lease('a') }), 422, 'Invalid', {
      causes: [{ reason: 'FieldValueInvalid', field: 'metadata.resourceVersion' }],
    });
  });

  test('case 46: a PUT that changes nothing writes nothing', async () => {
    const f = fixture();
    const { configMaps, widgets } = await f.space();
    const created = await f.create(configMaps, configMap('a'));
    using watch = await f.http.watch(configMaps, { resourceVersion: created.metadata.resourceVersion });
    expect(await f.put(`${configMaps}/a`, created)).toEqual(created);
    expect((await f.put(`${configMaps}/a`, configMap('a'))).metadata.resourceVersion).toBe(
      created.metadata.resourceVersion,
    );
    const changed = await f.put(`${configMaps}/a`, configMap('a', { k: '2' }));
    const frames = await watch.until(({ object }) => object.metadata.name === 'a');
    expect(frames.at(-1)?.object.metadata.resourceVersion).toBe(changed.metadata.resourceVersion);
    const widget = await f.create(widgets, f.widget('a'));
    expect(await f.put(`${widgets}/a`, widget)).toEqual(widget);
  });

  test('case 47: a PUT creates a Lease, but not a ConfigMap', async () => {
    const f = fixture();
    const { configMaps, leases } = await f.space();
    expectFailure(await f.http.ask('PUT', `${configMaps}/nope`, { body: configMap('nope') }), 404, 'NotFound', {
      details: { name: 'nope', kind: 'configmaps' },
    });
    const answer = await f.http.ask('PUT', `${leases}/nope`, { body: lease('nope') });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ kind: 'Lease', metadata: { name: 'nope' } });
    expect(await f.get(`${leases}/nope`)).toEqual(answer.body);
  });

  test('case 48: name and UID in the body of a PUT must be those of the object', async () => {
    const f = fixture();
    const { configMaps, widgets } = await f.space();
    await f.create(configMaps, configMap('a'));
    expectFailure(await f.http.ask('PUT', `${configMaps}/a`, { body: configMap('b') }), 400, 'BadRequest', {
      message: 'the name of the object (b) does not match the name on the URL (a)',
    });
    const foreign = configMap('a', {}, { uid: 'x' });
    expectFailure(await f.http.ask('PUT', `${configMaps}/a`, { body: foreign }), 409, 'Conflict', {
      message: /Precondition failed: UID in precondition: x, UID in object meta: /,
      details: { name: 'a', kind: 'configmaps' },
    });
    const { metadata } = await f.create(widgets, f.widget('a'));
    const body = f.widget('a', {}, { uid: 'x', resourceVersion: metadata.resourceVersion });
    expectFailure(await f.http.ask('PUT', `${widgets}/a`, { body }), 409, 'Conflict');
  });

  test('case 49: only changes of the spec increase the generation', async () => {
    const f = fixture();
    const { widgets } = await f.space();
    const created = await f.create(widgets, f.widget('a'));
    expect(created.metadata.generation).toBe(1);
    const resized = await f.put(`${widgets}/a`, { ...created, spec: { size: 2 } });
    expect(resized.metadata.generation).toBe(2);
    const labelled = await f.put(`${widgets}/a`, {
      ...resized,
      metadata: { ...resized.metadata, labels: { x: 'y' } },
      status: { phase: 'Never' },
    });
    expect(labelled.metadata).toMatchObject({ generation: 2, labels: { x: 'y' } });
    expect(labelled).not.toHaveProperty('status');
    expect(version(labelled)).toBeGreaterThan(version(resized));
  });

  test('case 50: the status endpoint takes the status and nothing else', async () => {
    const f = fixture();
    const { widgets } = await f.space();
    const created = await f.create(widgets, f.widget('a', {}, { labels: { x: 'y' } }));
    const { metadata, status, spec } = await f.put(`${widgets}/a/status`, {
      ...created,
      metadata: { ...created.metadata, labels: { z: 'z' }, finalizers: ['example.com/f'] },
      spec: { size: 9 },
      status: { phase: 'Ready' },
    });
    expect(status).toEqual({ phase: 'Ready' });
    expect(spec).toEqual(created.spec);
    expect(metadata.labels).toEqual({ x: 'y' });
    expect(metadata.finalizers).toBeUndefined();
    expect(metadata.generation).toBe(1);
    expect(Number(metadata.resourceVersion)).toBeGreaterThan(version(created));
    expect((await f.get(`${widgets}/a/status`)).status).toEqual({ phase: 'Ready' });
    expect((await f.get(`${widgets}/a`)).status).toEqual({ phase: 'Ready' });
  });

  test('case 51: a scale reads and writes the replicas of the spec', async () => {
    const f = fixture();
    const { name: namespace, widgets } = await f.space();
    const { metadata } = await f.create(widgets, f.widget('a', { replicas: 1 }));
    await f.merge(`${widgets}/a/status`, { status: { replicas: 3, selector: 'a=b' } });
    const scale = await f.get(`${widgets}/a/scale`);
    const current = await f.get(`${widgets}/a`);
    expect(scale).toEqual({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: {
        name: 'a',
        namespace,
        uid: metadata.uid,
        resourceVersion: current.metadata.resourceVersion,
        creationTimestamp: metadata.creationTimestamp,
      },
      spec: { replicas: 1 },
      status: { replicas: 3, selector: 'a=b' },
    });
    const put = await f.put(`${widgets}/a/scale`, { ...scale, spec: { replicas: 5 } });
    expect(put).toMatchObject({ kind: 'Scale', spec: { replicas: 5 } });
    const afterPut = await f.get(`${widgets}/a`);
    expect(afterPut).toMatchObject({ metadata: { generation: 2 }, spec: { replicas: 5, size: 1 } });
    expect((await f.merge(`${widgets}/a/scale`, { spec: { replicas: 6 } })).spec).toEqual({ replicas: 6 });
    expect((await f.get(`${widgets}/a`)).spec).toMatchObject({ replicas: 6 });
    expectFailure(await f.http.ask('PUT', `${widgets}/a/scale`, { body: scale }), 409, 'Conflict', {
      details: { name: 'a', group: f.group, kind: 'widgets' },
    });
    expectFailure(await f.http.ask('GET', `${widgets}/nope/scale`), 404, 'NotFound');
  });

  test('case 51b: what a Scale shows is checked in the object, whatever the schema says', async () => {
    const f = fixture();
    const any = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const crd = widgetCrd(f.group, 'scalers', 'Scaler') as unknown as {
      spec: { versions: { schema: object; selectableFields?: object }[] };
    };
    for (const version of crd.spec.versions) {
      delete version.selectableFields;
      version.schema = { openAPIV3Schema: { type: 'object', properties: { spec: any, status: any } } };
    }
    await f.createCrd(crd as unknown as Crd);
    const path = `/apis/${f.group}/v1/namespaces/${(await f.space()).name}/scalers`;
    const scaler = (replicas: unknown): object => ({ ...f.widget('a', { replicas }), kind: 'Scaler' });
    const is = `Scaler.${f.group} "a" is invalid: `;
    const accessor = (field: string, value: string, type: string, wanted = 'int64', zero = '0'): string =>
      `.${field}: Invalid value: ${zero}: .${field} accessor error: ${value} is of the type ${type}, expected ${wanted}`;
    for (const [replicas, why] of [
      ['x', accessor('spec.replicas', 'x', 'string')],
      [1.5, accessor('spec.replicas', '1.5', 'float64')],
      [{ b: 1, a: [true] }, accessor('spec.replicas', 'map[a:[true] b:1]', 'map[string]interface {}')],
      [-1, '.spec.replicas: Invalid value: -1: should be a non-negative integer'],
      [2 ** 31, '.spec.replicas: Invalid value: 2147483648: should be less than or equal to 2147483647'],
    ] as const)
      expectFailure(await f.http.ask('POST', path, { body: scaler(replicas) }), 422, 'Invalid', { message: is + why });
    await f.create(path, scaler(1));
    const status = { replicas: -1, selector: 5 };
    expectFailure(await f.patch('merge', `${path}/a/status`, { status }), 422, 'Invalid', {
      message: `${is}[.status.replicas: Invalid value: -1: should be a non-negative integer, ${accessor('status.selector', '5', 'int64', 'string', '""')}]`,
    });
    // In the schema and in the Scale.
    const { widgets } = await f.space();
    expectFailure(await f.http.ask('POST', widgets, { body: f.widget('a', { replicas: 'x' }) }), 422, 'Invalid', {
      causes: [
        { reason: 'FieldValueTypeInvalid', field: 'spec.replicas' },
        { reason: 'FieldValueInvalid', field: '.spec.replicas' },
      ],
    });
    for (const kind of [{ kind: 'Other' }, { apiVersion: 'autoscaling/v2' }, { apiVersion: 'v1', kind: 'Pod' }])
      expectFailure(
        await f.http.ask('PUT', `${path}/a/scale`, { body: { ...(await f.get(`${path}/a/scale`)), ...kind } }),
        400,
        'BadRequest',
        { message: /^no kind is registered for the type v1\.Scale in scheme "pkg\/runtime\/scheme\.go:\d+"$/ },
      );
  });
}
