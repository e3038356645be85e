import { describe, expect, test } from 'vitest';
import { builtinResources } from '../../../src/api/kinds/builtin-resources.ts';
import { generateName } from '../../../src/api/meta/name-errors.ts';
import { metaErrors, metaUpdateErrors, wipeServerMeta } from '../../../src/api/meta/meta-errors.ts';
import { distinctOwnerReferences } from '../../../src/api/meta/owner-reference-errors.ts';
import type { Resource } from '../../../src/api/schema/resource.ts';
import type { FieldError } from '../../../src/core/field-error.ts';
import type { ObjectMeta } from '../../../src/core/kube-object.ts';
import { invalidStatusError } from '../../../src/core/status-error.ts';
import { fixtures } from '../../rig/fixtures.ts';

interface Recorded {
  readonly kind: string;
  readonly meta?: ObjectMeta;
  readonly old?: ObjectMeta;
  readonly next?: ObjectMeta;
  readonly message: string;
  readonly causes: readonly [reason: string, field: string][];
}

const recorded = fixtures<Recorded[]>('object-meta.fixtures.json', import.meta);
const creates = recorded.filter(({ meta }) => meta !== undefined);
const updates = recorded.filter(({ next }) => next !== undefined);

type Kind = Pick<Resource, 'group' | 'resource' | 'kind' | 'namespaced' | 'custom'>;

function kindOf(path: string): Kind {
  if (path === 'x.io/widgets')
    return { group: 'x.io', resource: 'widgets', kind: 'Widget', namespaced: true, custom: true };
  return builtinResources().find(({ group, resource }) => `${group}/${resource}` === path) as Kind;
}

/** Go iterates over maps in random order, so several errors of one map are in any order. */
function shown(kind: Kind, name: string, errors: readonly FieldError[]): { message: string[]; causes: string[] } {
  const { message = '', details } = invalidStatusError(kind, name, errors).status;
  return {
    message: message.split(', metadata').sort(),
    causes: (details?.causes ?? []).map(({ reason, field }) => `${reason} ${field}`).sort(),
  };
}

describe('metadata of a new object', () => {
  test.each(creates)('$kind: the errors of $meta are those of a real server', ({ kind: path, meta, ...real }) => {
    const kind = kindOf(path);
    const created: ObjectMeta = { ...meta, ...(kind.namespaced ? { namespace: 'default' } : {}) };
    if (path === '/namespaces') created.labels = { ...meta?.labels, 'kubernetes.io/metadata.name': meta?.name ?? '' };
    expect(shown(kind, meta?.name ?? '', metaErrors(kind, created))).toEqual({
      message: real.message.split(', metadata').sort(),
      causes: real.causes.map((cause) => cause.join(' ')).sort(),
    });
  });

  test('valid metadata has no errors', () => {
    const meta: ObjectMeta = {
      name: 'a.b-c',
      generateName: 'a.b-',
      namespace: 'default',
      labels: { 'x.io/A_b.c': '', a: 'x'.repeat(63) },
      annotations: { 'X.IO/a': 'any text at all' },
      finalizers: ['x/y', 'orphan'],
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'd', uid: 'u', controller: true }],
    };
    expect(metaErrors(kindOf('/configmaps'), meta)).toEqual([]);
  });

  test('annotations may hold 256 KiB, keys included, and not a byte more', () => {
    const errors = (length: number): FieldError[] =>
      metaErrors(kindOf('/configmaps'), { name: 'a', namespace: 'n', annotations: { k: 'x'.repeat(length) } });
    expect(errors(262_143)).toEqual([]);
    expect(errors(262_144)).toEqual([
      {
        reason: 'FieldValueTooLong',
        field: 'metadata.annotations',
        message: 'Too long: may not be more than 262144 bytes',
      },
    ]);
  });

  test('only namespaced kinds have a namespace', () => {
    expect(metaErrors(kindOf('/nodes'), { name: 'a', namespace: 'n' })).toMatchObject([
      { reason: 'FieldValueForbidden', field: 'metadata.namespace', message: 'Forbidden: not allowed on this type' },
    ]);
    expect(metaErrors(kindOf('/configmaps'), { name: 'a' })).toMatchObject([
      { reason: 'FieldValueRequired', field: 'metadata.namespace' },
    ]);
  });

  test('custom resources accept finalizers without a prefix, built-in kinds only standard ones', () => {
    const meta: ObjectMeta = { name: 'a', namespace: 'n', finalizers: ['mine'] };
    expect(metaErrors(kindOf('x.io/widgets'), meta)).toEqual([]);
    expect(metaErrors(kindOf('/configmaps'), meta)).toHaveLength(1);
  });
});

describe('metadata of a changed object', () => {
  test.each(updates)('$kind: the errors of the change are those of a real server', ({ kind: path, ...real }) => {
    const kind = kindOf(path);
    const errors = metaUpdateErrors(kind, real.next as ObjectMeta, real.old as ObjectMeta);
    expect(shown(kind, 'upd', errors)).toEqual({
      message: real.message.split(', metadata').sort(),
      causes: real.causes.map((cause) => cause.join(' ')).sort(),
    });
  });

  test('the name of an existing object is not validated again', () => {
    const meta: ObjectMeta = { name: 'Old_Name', namespace: 'n' };
    expect(metaUpdateErrors(kindOf('/configmaps'), meta, meta)).toEqual([]);
  });

  test('name, namespace and uid cannot change', () => {
    const old: ObjectMeta = { name: 'a', namespace: 'n', uid: '1' };
    const fields = metaUpdateErrors(kindOf('/configmaps'), { name: 'b', namespace: 'm', uid: '2' }, old).map(
      ({ field, message }) => `${field}: ${message}`,
    );
    expect(new Set(fields)).toEqual(
      new Set([
        'metadata.name: Invalid value: "b": field is immutable',
        'metadata.namespace: Invalid value: "m": field is immutable',
        'metadata.uid: Invalid value: "2": field is immutable',
      ]),
    );
  });
});

describe('generated names', () => {
  test('are the prefix and five characters without vowels', () => {
    let turn = 0;
    expect(generateName('web-', () => (turn++ % 5) / 5)).toBe('web-bhnv4');
    expect(generateName('web-', () => 0.999_999)).toBe('web-99999');
  });

  test('fit into a label, whatever the prefix', () => {
    expect(generateName('x'.repeat(80), () => 0)).toBe(`${'x'.repeat(58)}bbbbb`);
  });
});

test('fields that only the server sets are removed from a new object, and no others', () => {
  const meta: ObjectMeta = {
    name: 'a',
    uid: 'u',
    selfLink: '/x',
    creationTimestamp: '2020-01-01T00:00:00Z',
    deletionTimestamp: '2020-01-01T00:00:00Z',
    deletionGracePeriodSeconds: 3,
    resourceVersion: '7',
    generation: 4,
    labels: { a: 'b' },
  };
  expect(wipeServerMeta(meta)).toEqual({ name: 'a', resourceVersion: '7', generation: 4, labels: { a: 'b' } });
});

test('equal owner references are merged', () => {
  const owner = { apiVersion: 'v1', kind: 'A', name: 'a', uid: 'u' };
  const again = { uid: 'u', name: 'a', kind: 'A', apiVersion: 'v1' };
  expect(distinctOwnerReferences([owner, again, { ...owner, controller: true }])).toEqual([
    owner,
    { ...owner, controller: true },
  ]);
});
