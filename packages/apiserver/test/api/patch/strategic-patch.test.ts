import { describe, expect, test } from 'vitest';
import { strategicPatch } from '../../../src/api/patch/strategic-patch.ts';
import { builtinSchema } from '../../../src/api/schema/builtin-schema.ts';
import type { Schema } from '../../../src/api/schema/schema.ts';
import type { Json, JsonObject } from '../../../src/core/json.ts';
import { StatusError } from '../../../src/core/status-error.ts';
import { fixtures } from '../../rig/fixtures.ts';

interface Recorded {
  readonly live: JsonObject;
  readonly cases: readonly { readonly patch: Json; readonly changed: JsonObject }[];
}

const recorded = fixtures<Recorded>('strategic.fixtures.json', import.meta);
const deployment = builtinSchema('apps', 'v1', 'Deployment') as Schema;
const pod = builtinSchema('', 'v1', 'Pod') as Schema;

interface Workload {
  readonly metadata: JsonObject;
  readonly spec: { readonly strategy: Json; readonly template: { readonly metadata: JsonObject; readonly spec: Json } };
}

const cases = recorded.cases.map((one, index) => ({ ...one, number: index + 1 }));

test.each(cases)('recorded patch $number does to a deployment what it did on the real server', ({ patch, changed }) => {
  const { metadata, spec } = strategicPatch(recorded.live, patch, deployment) as unknown as Workload;
  const { template, strategy } = spec;
  expect({ metadata, strategy, podLabels: template.metadata['labels'], podSpec: template.spec }).toEqual(changed);
});

function patched(spec: JsonObject, patch: Json): Json {
  return strategicPatch({ spec }, { spec: patch }, pod)['spec'] as Json;
}

function refusal(spec: JsonObject, patch: Json): StatusError['status'] {
  try {
    patched(spec, patch);
  } catch (error) {
    if (error instanceof StatusError) return error.status;
    throw error;
  }
  throw new Error('expected a failure, but the patch was applied');
}

const CONTAINERS: JsonObject = {
  containers: [
    { name: 'x', image: 'x' },
    { name: 'y', image: 'y' },
  ],
};

describe('lists', () => {
  test('of objects with a merge key merge item by item, and new items come first', () => {
    expect(patched(CONTAINERS, { containers: [{ name: 'z' }, { name: 'y', image: 'new' }] })).toEqual({
      containers: [{ name: 'z' }, { name: 'x', image: 'x' }, { name: 'y', image: 'new' }],
    });
  });

  test('of objects without one are replaced', () => {
    expect(patched({ tolerations: [{ key: 'a' }] }, { tolerations: [{ key: 'b' }] })).toEqual({
      tolerations: [{ key: 'b' }],
    });
  });

  test('of scalars are merged if the type says so, replaced otherwise', () => {
    const meta = (finalizers: Json, patch: JsonObject): Json =>
      (strategicPatch({ metadata: { finalizers } }, { metadata: patch }, pod)['metadata'] as JsonObject)[
        'finalizers'
      ] as Json;
    expect(meta(['a', 'b'], { finalizers: ['c', 'b'] })).toEqual(['c', 'a', 'b']);
    expect(meta(['a', 'b', 'c'], { '$deleteFromPrimitiveList/finalizers': ['b', 'z'] })).toEqual(['a', 'c']);
    expect(meta(['a', 'b'], { finalizers: ['c'], '$setElementOrder/finalizers': ['c', 'a'] })).toEqual(['c', 'a', 'b']);
    expect(patched({ containers: [{ name: 'x', args: ['1'] }] }, { containers: [{ name: 'x', args: ['2'] }] })).toEqual(
      {
        containers: [{ name: 'x', args: ['2'] }],
      },
    );
  });

  test('are replaced if their type is unknown', () => {
    expect(strategicPatch({ spec: CONTAINERS }, { spec: { containers: [{ name: 'y' }] } }, undefined)).toEqual({
      spec: { containers: [{ name: 'y' }] },
    });
  });

  test('follow setElementOrder, with the server’s own items at their positions', () => {
    const current = { containers: ['a', 'b', 'c', 'd'].map((name) => ({ name })) };
    const patch = {
      '$setElementOrder/containers': [{ name: 'd' }, { name: 'n' }, { name: 'b' }],
      containers: [{ name: 'n' }],
    };
    const { containers } = patched(current, patch) as { containers: { name: string }[] };
    expect(containers.map(({ name }) => name)).toEqual(['a', 'c', 'd', 'n', 'b']);
  });
});

// Recorded orders of a real server, where the directive does not name all items.
test.each([
  [['m', 'n'], [], [], 'a,b,c,n,m'],
  [['m', 'b', 'n'], [], [], 'n,a,b,c,m'],
  [['m', 'n'], ['a'], [], 'b,c,n,m'],
  [['m'], ['a'], ['m'], 'b,c,m'],
])('adding %j to a,b,c without %j in the order %j gives %s', (added, deleted, order, result) => {
  const patch = {
    containers: [...deleted.map((name) => ({ name, $patch: 'delete' })), ...added.map((name) => ({ name }))],
    '$setElementOrder/containers': order.map((name) => ({ name })),
  };
  const current = { containers: ['a', 'b', 'c'].map((name) => ({ name })) };
  const { containers } = patched(current, patch) as { containers: { name: string }[] };
  expect(containers.map(({ name }) => name).join(',')).toBe(result);
});

test('an object whose type says so is replaced, not merged', () => {
  const budget = builtinSchema('policy', 'v1', 'PodDisruptionBudget');
  const selector = (matchLabels: JsonObject): JsonObject => ({ spec: { selector: { matchLabels } } });
  expect(strategicPatch(selector({ a: '1' }), selector({ b: '2' }), budget)).toEqual(selector({ b: '2' }));
});

describe('directives', () => {
  test('delete an item, replace a list', () => {
    expect(patched(CONTAINERS, { containers: [{ name: 'x', $patch: 'delete' }] })).toEqual({
      containers: [{ name: 'y', image: 'y' }],
    });
    expect(patched(CONTAINERS, { containers: [{ name: 'z' }, { $patch: 'replace' }] })).toEqual({
      containers: [{ name: 'z' }],
    });
  });

  test('replace or empty an object', () => {
    const spec = { nodeSelector: { a: '1', b: '2' } };
    expect(patched(spec, { nodeSelector: { $patch: 'replace', c: '3' } })).toEqual({ nodeSelector: { c: '3' } });
    expect(patched(spec, { nodeSelector: { $patch: 'delete' } })).toEqual({ nodeSelector: {} });
  });

  test('keep only the keys that are named', () => {
    const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } };
    const patch = { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } };
    expect(strategicPatch({ spec: { strategy } }, patch, deployment)).toEqual({
      spec: { strategy: { type: 'Recreate' } },
    });
  });

  test('in a new value are dropped with the object that contains them', () => {
    expect(
      patched({}, { nodeSelector: { $patch: 'delete' }, hostAliases: [{ ip: '1', $patch: 'delete' }, { ip: '2' }] }),
    ).toEqual({
      hostAliases: [{ ip: '2' }],
    });
  });
});

test('null removes a field, and is dropped from new values', () => {
  expect(patched({ a: 1, nodeName: 'n' }, { nodeName: null, nodeSelector: { a: null, b: '1' } })).toEqual({
    a: 1,
    nodeSelector: { b: '1' },
  });
});

// The recorded responses of a real server.
test.each<[Json, number, string]>([
  [{ containers: [{ image: 'x' }] }, 500, 'map: map[image:x] does not contain declared merge key: name'],
  [{ containers: [{ $patch: 'delete' }] }, 500, 'map: map[$patch:delete] does not contain declared merge key: name'],
  [{ containers: [{ name: 'x', $patch: 'merge' }] }, 500, 'merging lists cannot yet be specified in the patch'],
  [{ containers: [{ name: 'x', $patch: 'foo' }] }, 500, 'unknown patch type: foo in map: map[$patch:foo name:x]'],
  [
    { nodeSelector: { $patch: 'foo', b: '2', a: ['x', { c: true, d: null }] } },
    500,
    'unknown patch type: foo in map: map[$patch:foo a:[x map[c:true d:<nil>]] b:2]',
  ],
  [{ nodeSelector: { $patch: 'merge' } }, 500, 'unknown patch type: merge in map: map[$patch:merge]'],
  [{ nodeSelector: { $retainKeys: 'x' } }, 400, 'invalid patch format of retainKeys'],
  [{ nodeSelector: { $retainKeys: ['x'], y: '1' } }, 400, 'invalid patch format of retainKeys'],
  [{ '$setElementOrder/containers': 'x' }, 500, 'expected a []interface {}, but received a string'],
  [{ '$setElementOrder/containers': ['x'] }, 500, 'value for key 0 is not a map'],
  [{ $setElementOrder: [] }, 400, 'invalid patch format of setElementOrder list'],
  [{ $deleteFromPrimitiveList: ['a'] }, 400, 'invalid patch format of primitive list'],
  [{ '$setElementOrder/volumes': [], volumes: [] }, 500, 'no elements in any of the given slices'],
  [
    { '$setElementOrder/containers': [{ name: 'y' }], containers: [{ name: 'x', image: 'z' }] },
    500,
    "The order in patch list:\n[map[image:z name:x]]\n doesn't match $setElementOrder list:\n[map[name:y]]\n",
  ],
  [
    { '$setElementOrder/containers': [{ foo: 'y' }], containers: [{ name: 'x', image: 'z' }] },
    500,
    'map: map[foo:y] does not contain declared merge key: name',
  ],
  [{ containers: ['x'] }, 500, 'list element types are not identical: [[map[image:x name:x] map[image:y name:y]] [x]]'],
])('%j is refused as the real server refuses it', (patch, code, message) => {
  const { code: given, message: said } = refusal({ ...CONTAINERS, nodeSelector: { q: '1' } }, patch);
  expect([given, said]).toEqual([code, message]);
});

test.each<[Json, string]>([
  [[], 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
  ['x', 'json: cannot unmarshal string into Go value of type map[string]interface {}'],
])('%j is not a patch', (patch, message) => {
  expect(() => strategicPatch({}, patch, pod)).toThrow(message);
});

test('does not change its arguments', () => {
  const patch: JsonObject = {
    spec: {
      containers: [{ name: 'x', image: 'n' }, { name: 'q' }],
      '$setElementOrder/containers': [{ name: 'x' }, { name: 'q' }],
    },
  };
  const object: JsonObject = { spec: CONTAINERS };
  const before = JSON.stringify([object, patch]);
  const result = strategicPatch(object, patch, pod) as { spec: { containers: JsonObject[] } };
  for (const container of result.spec.containers) container['scribbled'] = true;
  expect(JSON.stringify([object, patch])).toBe(before);
});
