import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { builtin, Life, refusal, widgets } from '../../rig/apply.ts';

const maps = (): Life => new Life(builtin('/configmaps'));

const text = { type: 'string' };

describe('fields of a map', () => {
  test('the manager that applies a field owns it', () => {
    const life = maps();
    expect(life.apply('m1', { data: { a: '1' } })).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'a',
        managedFields: [
          {
            manager: 'm1',
            operation: 'Apply',
            apiVersion: 'v1',
            time: '2026-01-01T00:00:01Z',
            fieldsType: 'FieldsV1',
            fieldsV1: { 'f:data': { 'f:a': {} } },
          },
        ],
      },
      data: { a: '1' },
    });
  });

  test('another value is a conflict, and nothing changes', () => {
    const life = maps();
    const before = structuredClone(life.apply('m1', { data: { a: '1' } }));
    expect(refusal(() => life.apply('m2', { data: { a: '2' } }))).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'Apply failed with 1 conflict: conflict with "m1": .data.a',
      reason: 'Conflict',
      details: { causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "m1"', field: '.data.a' }] },
      code: 409,
    });
    expect(life.object).toEqual(before);
  });

  test('a conflict names every owner, with the version that an update used', () => {
    const life = maps();
    life.apply('m1', { data: { a: '1', b: '1' } });
    life.update('m2', { data: { a: '1', b: '1', c: '1' } });
    life.apply('m4', { data: { b: '1' } });
    const { message, details } = refusal(() => life.apply('m3', { data: { a: '2', b: '2', c: '2' } }));
    expect(message).toBe(
      'Apply failed with 4 conflicts: conflicts with "m1":\n- .data.a\n- .data.b\nconflicts with "m2" using v1:\n- .data.c\nconflicts with "m4":\n- .data.b',
    );
    expect(details?.causes).toHaveLength(4);
  });

  test('force takes the field from the others', () => {
    const life = maps();
    life.apply('m1', { data: { a: '1', b: '1' } });
    expect(life.apply('m2', { data: { a: '2' } }, { force: true })['data']).toEqual({ a: '2', b: '1' });
    expect(life.owners).toEqual({
      'm1 Apply': { 'f:data': { 'f:b': {} } },
      'm2 Apply': { 'f:data': { 'f:a': {} } },
    });
  });

  test('managers that apply the same value share it; it is removed with its last owner', () => {
    const life = maps();
    life.apply('m1', { data: { a: '1', mine: '1' } });
    life.apply('m2', { data: { a: '1' } });
    expect(life.owners['m2 Apply']).toEqual({ 'f:data': { 'f:a': {} } });
    expect(life.apply('m1', { data: { mine: '1' } })['data']).toEqual({ a: '1', mine: '1' });
    expect(life.apply('m2', {})['data']).toEqual({ mine: '1' });
    expect(life.owners).toEqual({ 'm1 Apply': { 'f:data': { 'f:mine': {} } } });
  });

  test('fields that no manager applied stay', () => {
    const life = maps();
    life.update('m1', { data: { a: '1', b: '1' } });
    life.apply('m2', { data: { a: '1' } });
    expect(life.apply('m2', {})['data']).toEqual({ a: '1', b: '1' });
  });

  test('removing the last field removes its map', () => {
    const life = maps();
    life.apply('m1', { data: { a: '1' }, metadata: { labels: { x: '1' } } });
    expect(life.apply('m1', { data: { a: '1' } }).metadata).not.toHaveProperty('labels');
  });

  test('applying the same again changes nothing, not even a time', () => {
    const life = maps();
    // The empty map is not kept, so that the second apply seems to bring it again.
    const body = { metadata: { labels: {} }, data: { a: '1' } };
    const first = life.apply('m1', body);
    expect(life.apply('m1', body)).toEqual(first);
  });

  test('a manager that becomes an owner without a change has no time', () => {
    const life = maps();
    life.apply('m1', { data: { a: '1' } });
    life.apply('m2', { data: { a: '1' } });
    expect(life.times).toEqual({ m1: '2026-01-01T00:00:01Z', m2: undefined });
    expect(Object.keys(life.owners)).toEqual(['m2 Apply', 'm1 Apply']);
  });

  test('on an object without owners, existing fields belong to before-first-apply', () => {
    const life = maps();
    life.object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', uid: 'u' }, data: { a: '1' } };
    expect(refusal(() => life.apply('m1', { data: { a: '2' } })).message).toBe(
      'Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.a',
    );
    life.apply('m1', { data: { b: '1' } });
    expect(life.owners).toEqual({
      'm1 Apply': { 'f:data': { 'f:b': {} } },
      'before-first-apply Update': { 'f:data': { '.': {}, 'f:a': {} } },
    });
  });

  test('a null in a map of strings is an empty string', () => {
    expect(maps().apply('m1', { data: { a: null } })['data']).toEqual({ a: '' });
  });

  test('property: a sole manager that applies and then applies nothing leaves no fields', () => {
    const data = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('1', '2'));
    fc.assert(
      fc.property(data, data, (theirs, mine) => {
        const life = maps();
        life.apply('m1', { data: { own: '1', ...theirs } });
        const before = life.apply('m1', { data: { own: '1', ...theirs } })['data'];
        const fresh = Object.fromEntries(Object.entries(mine).filter(([name]) => !(name in theirs)));
        expect(life.apply('m2', { data: fresh })['data']).toEqual({ ...(before as object), ...fresh });
        expect(life.apply('m2', {})['data']).toEqual(before);
        expect(Object.keys(life.owners)).toEqual(['m1 Apply']);
      }),
    );
  });
});

describe('lists', () => {
  const pod = (...containers: object[]): object => ({ spec: { containers } });

  test('items with keys are owned one by one', () => {
    const life = new Life(builtin('/pods'));
    life.apply('m1', pod({ name: 'a', image: '1' }, { name: 'b', image: '1' }));
    life.apply('m2', pod({ name: 'c', image: '1' }));
    expect(life.apply('m1', pod({ name: 'b', image: '2' }))['spec']).toEqual({
      containers: [
        { name: 'b', image: '2' },
        { name: 'c', image: '1' },
      ],
    });
    expect(life.owners['m1 Apply']).toEqual({
      'f:spec': { 'f:containers': { 'k:{"name":"b"}': { '.': {}, 'f:image': {}, 'f:name': {} } } },
    });
  });

  test('a key that is left out is its default', () => {
    const life = new Life(builtin('/pods'));
    life.apply('m1', pod({ name: 'a', ports: [{ containerPort: 80 }] }));
    life.apply(
      'm2',
      pod({
        name: 'a',
        ports: [
          { containerPort: 80, protocol: 'TCP', name: 'web' },
          { containerPort: 80, protocol: 'UDP' },
        ],
      }),
    );
    expect(life.object?.['spec']).toEqual({
      containers: [
        {
          name: 'a',
          ports: [
            { containerPort: 80, protocol: 'TCP', name: 'web' },
            { containerPort: 80, protocol: 'UDP' },
          ],
        },
      ],
    });
  });

  test('an item stays as long as other managers own parts of it', () => {
    const life = new Life(builtin('/pods'));
    life.apply('m1', pod({ name: 'a', image: '1', tty: true }));
    life.apply('m2', pod({ name: 'a', workingDir: '/' }));
    expect(life.apply('m1', { spec: { hostname: 'h' } })['spec']).toEqual({
      containers: [{ name: 'a', workingDir: '/' }],
      hostname: 'h',
    });
  });

  test('members of a set are owned one by one and keep their positions', () => {
    const life = maps();
    life.apply('m1', { metadata: { finalizers: ['e/a', 'e/b', 'e/c'] } });
    life.apply('m2', { metadata: { finalizers: ['e/x', 'e/c'] } });
    expect(life.object?.metadata?.finalizers).toEqual(['e/a', 'e/b', 'e/x', 'e/c']);
    expect(life.apply('m1', { metadata: { finalizers: ['e/b'] } }).metadata?.finalizers).toEqual(['e/b', 'e/x', 'e/c']);
    expect(life.owners['m2 Apply']).toEqual({ 'f:metadata': { 'f:finalizers': { 'v:"e/c"': {}, 'v:"e/x"': {} } } });
  });

  test('items of both managers follow the order of the applied list', () => {
    const life = new Life(builtin('/pods'));
    const names = (...of: string[]): object => pod(...of.map((name) => ({ name })));
    life.update('m1', names('a', 'b', 'c', 'd'));
    life.apply('m2', names('d', 'new', 'b'));
    expect(life.object?.['spec']).toEqual({ containers: ['a', 'c', 'd', 'new', 'b'].map((name) => ({ name })) });
  });

  test('lists without a list type are owned as a whole', () => {
    const life = new Life(widgets({ type: 'object', properties: { words: { type: 'array', items: text } } }));
    life.apply('m1', { spec: { words: ['a', 'b'] } });
    expect(refusal(() => life.apply('m2', { spec: { words: ['a'] } })).details?.causes).toMatchObject([
      { field: '.spec.words' },
    ]);
    expect(life.apply('m2', { spec: { words: ['a'] } }, { force: true })['spec']).toEqual({ words: ['a'] });
    expect(Object.keys(life.owners)).toEqual(['m2 Apply']);
  });
});

describe('types', () => {
  test('an atomic map is owned as a whole', () => {
    const life = new Life(builtin('/services'));
    life.apply('m1', { spec: { selector: { a: '1' } } });
    expect(life.owners['m1 Apply']).toEqual({ 'f:spec': { 'f:selector': {} } });
    expect(refusal(() => life.apply('m2', { spec: { selector: { b: '1' } } })).code).toBe(409);
  });

  test('the owner of parts of a map that has become atomic owns all of it', () => {
    const words = (listType: string): Life =>
      new Life(
        widgets({
          type: 'object',
          properties: { words: { type: 'array', 'x-kubernetes-list-type': listType, items: text } },
        }),
      );
    const before = words('set');
    before.apply('m1', { spec: { words: ['a'] } });
    before.apply('m2', { spec: { words: ['b'] } });
    const after = words('atomic');
    after.object = before.object;
    after.apply('m3', { metadata: { labels: { x: '1' } } });
    expect(after.owners).toEqual({
      'm1 Apply': { 'f:spec': { 'f:words': {} } },
      'm2 Apply': { 'f:spec': { 'f:words': {} } },
      'm3 Apply': { 'f:metadata': { 'f:labels': { 'f:x': {} } } },
    });
  });

  test('an object of an unknown type is owned as a whole', () => {
    const life = new Life(builtin('apps/controllerrevisions'));
    life.apply('m1', { revision: 1, data: { a: { b: 1 } } });
    expect(life.owners['m1 Apply']).toEqual({ 'f:data': {}, 'f:revision': {} });
  });

  test('fields that a schema preserves are owned one by one, their lists as a whole', () => {
    const life = new Life(widgets({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }));
    life.apply('m1', { spec: { a: { b: 1, c: [1, { d: 1 }] } } });
    expect(life.owners['m1 Apply']).toEqual({ 'f:spec': { 'f:a': { '.': {}, 'f:b': {}, 'f:c': {} } } });
  });

  test('without a schema maps are owned in parts and lists as a whole, also in metadata', () => {
    const resource = { ...widgets({}), schema: undefined };
    const life = new Life(resource);
    life.apply('m1', { metadata: { finalizers: ['e/a'] }, spec: { list: [{ name: 'a' }] } });
    expect(life.owners['m1 Apply']).toEqual({
      'f:metadata': { 'f:finalizers': {} },
      'f:spec': { '.': {}, 'f:list': {} },
    });
  });

  test.each([
    [{ foo: 1 }, '.foo: field not declared in schema'],
    [{ data: 'x' }, '.data: expected map, got &{x}'],
    [{ data: { a: 1 } }, '.data.a: expected string, got &value.valueUnstructured{Value:1}'],
    [{ metadata: { finalizers: ['a', 'a'] } }, '.metadata.finalizers: duplicate entries for key [="a"]'],
  ])('%j is refused', (body, message) => {
    const status = refusal(() => maps().apply('m1', body));
    expect(status).toMatchObject({
      code: 500,
      message: `failed to create typed patch object (/a; /v1, Kind=ConfigMap): ${message}`,
    });
  });

  test('another kind, no kind, or managedFields in the body are refused', () => {
    expect(refusal(() => maps().apply('m1', { kind: 'Secret' }))).toMatchObject({
      code: 400,
      message: 'invalid object type: /v1, Kind=Secret',
    });
    expect(refusal(() => maps().apply('m1', { apiVersion: '', kind: '' })).message).toBe(
      'invalid object type: /, Kind=',
    );
    expect(refusal(() => maps().apply('m1', { metadata: { managedFields: [] } }))).toMatchObject({
      code: 400,
      message: 'metadata.managedFields must be nil',
    });
  });
});

describe('what cannot be owned', () => {
  test('names, versions and fields that the server sets have no owner', () => {
    const life = maps();
    life.apply('m1', {
      metadata: { namespace: 'n', uid: 'u', resourceVersion: '1', generation: 1, labels: { a: '1' } },
    });
    expect(life.owners).toEqual({ 'm1 Apply': { 'f:metadata': { 'f:labels': { 'f:a': {} } } } });
  });

  test('status is owned through status only, and nothing else is', () => {
    const life = new Life(widgets({ type: 'object', properties: { a: text } }));
    life.apply('m1', { spec: { a: '1' }, status: { phase: 'up' } });
    expect(life.owners).toEqual({ 'm1 Apply': { 'f:spec': { 'f:a': {} } } });
    life.apply(
      'm1',
      { metadata: { labels: { x: '1' } }, spec: { a: '2' }, status: { phase: 'up' } },
      { subresource: 'status' },
    );
    expect(life.owners).toEqual({
      'm1 Apply': { 'f:spec': { 'f:a': {} } },
      'm1 Apply status': { 'f:status': { 'f:phase': {} } },
    });
  });
});

describe('kubectl', () => {
  const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
  const applied = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: '1' } };
  const moved = (): Life => {
    const life = maps();
    life.update('kubectl-client-side-apply', {
      metadata: { annotations: { [annotation]: JSON.stringify(applied) } },
      data: { a: '1', other: '1' },
    });
    return life;
  };

  test('takes over the fields of its client-side apply and updates last-applied-configuration', () => {
    const life = moved();
    life.apply('kubectl', { data: { a: '2' } });
    expect(life.object?.['data']).toEqual({ a: '2', other: '1' });
    expect(JSON.parse(life.object?.metadata?.annotations?.[annotation] ?? '')).toEqual({
      ...applied,
      data: { a: '2' },
    });
  });

  test('conflicts over other fields, like any manager', () => {
    const { message } = refusal(() => moved().apply('kubectl', { data: { a: '2', other: '2' } }));
    expect(message).toBe(
      'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using v1: .data.other',
    );
    expect(refusal(() => moved().apply('somebody', { data: { a: '2' } })).code).toBe(409);
  });
});
