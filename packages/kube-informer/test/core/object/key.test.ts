import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KubeError } from '../../../src/core/errors.ts';
import { joinKey, keyFn, keyOf, splitKey } from '../../../src/core/object/key.ts';
import { type KubeObject, type ObjectAccess, plainAccess } from '../../../src/core/object/object.ts';

/** What a call threw, which must be a KubeError with INVALID_KEY. */
function invalidKey(call: () => unknown): KubeError {
  try {
    call();
  } catch (error) {
    expect(error).toBeInstanceOf(KubeError);
    expect((error as KubeError).code).toBe('INVALID_KEY');
    return error as KubeError;
  }
  throw new Error('expected INVALID_KEY, but there was no error');
}

// Names of the API have no slash; everything else is fair, and some are traps for plain objects.
const part = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'toString', 'a', 'web', '.', '..', ' ', '%2F', 'ü'),
  fc.string({ minLength: 1 }).filter((text) => !text.includes('/')),
);

describe('keyOf', () => {
  test('STO-02: the key is namespace/name, or name where there is no namespace', () => {
    expect(keyOf({ metadata: { namespace: 'web', name: 'shop-0' } })).toBe('web/shop-0');
    expect(keyOf({ metadata: { name: 'node-1' } })).toBe('node-1');
    expect(keyOf({ metadata: { namespace: '', name: 'node-1' } })).toBe('node-1');
    expect(keyOf({ metadata: { namespace: null, name: 'node-1' } } as unknown as KubeObject)).toBe('node-1');
  });

  test('STO-02: the UID, the version and the type are not part of the key', () => {
    const before = { kind: 'Pod', metadata: { namespace: 'web', name: 'a', uid: '1', resourceVersion: '1' } };
    const after = { kind: 'Job', metadata: { namespace: 'web', name: 'a', uid: '2', resourceVersion: '9' } };
    expect(keyOf(after)).toBe(keyOf(before));
  });

  test('STO-02: names from the prototype are names like any other', () => {
    const metadata = JSON.parse('{"namespace": "constructor", "name": "__proto__"}') as KubeObject['metadata'];
    expect(keyOf({ ...(metadata && { metadata }) })).toBe('constructor/__proto__');
    expect(splitKey('__proto__')).toEqual({ namespace: '', name: '__proto__' });
  });

  test.each<[string, unknown]>([
    ['no object', undefined],
    ['null', null],
    ['no metadata', {}],
    ['metadata null', { metadata: null }],
    ['no name', { metadata: { namespace: 'web' } }],
    ['an empty name', { metadata: { namespace: 'web', name: '' } }],
    ['only a prefix for a name', { metadata: { generateName: 'shop-' } }],
    ['a number as name', { metadata: { name: 5 } }],
    ['an object as name', { metadata: { name: { toString: () => 'a' } } }],
    ['a number as namespace', { metadata: { namespace: 5, name: 'a' } }],
  ])('STO-02: an object with %s has no key: INVALID_KEY', (_, object) => {
    expect(invalidKey(() => keyOf(object as KubeObject)).message).toContain('metadata');
  });

  test('STO-02: what went wrong underneath is the cause, and stays so when the error is wrapped', () => {
    const inner = new TypeError('bytes end early');
    const broken: ObjectAccess<KubeObject> = {
      ...plainAccess,
      name: () => {
        throw inner;
      },
    };
    const error = invalidKey(() => keyFn(broken)({ metadata: { name: 'a' } }));
    expect(error.cause).toBe(inner);
    const wrapped = new KubeError('LIST_INVALID', 'failed to list', { cause: error });
    expect((wrapped.cause as KubeError).code).toBe('INVALID_KEY');
  });

  test('STO-02: keyFn reads through the access it was given', () => {
    const row: ObjectAccess<readonly string[]> = {
      name: (object) => object[1],
      namespace: (object) => object[0],
      uid: () => undefined,
      resourceVersion: () => undefined,
      labels: () => ({}),
      annotations: () => ({}),
      type: () => ({}),
    };
    expect(keyFn(row)(['web', 'a'])).toBe('web/a');
    invalidKey(() => keyFn(row)(['web']));
  });
});

describe('splitKey and joinKey', () => {
  test('STO-02: no slash is a name, one slash a namespace and a name', () => {
    expect(splitKey('node-1')).toEqual({ namespace: '', name: 'node-1' });
    expect(splitKey('web/shop-0')).toEqual({ namespace: 'web', name: 'shop-0' });
    expect(splitKey('')).toEqual({ namespace: '', name: '' });
  });

  test.each(['a/b/c', 'a//b', '//', 'a/b/'])('STO-02: a key with more than one slash is INVALID_KEY: %j', (key) => {
    const { message } = invalidKey(() => splitKey(key));
    expect(message).toContain(JSON.stringify(key));
    expect(message).toContain('"namespace/name" or "name"');
  });

  test('STO-02: property: splitting undoes joining, and joining undoes splitting', () => {
    fc.assert(
      fc.property(fc.option(part, { nil: '' }), part, (namespace, name) => {
        const key = joinKey({ namespace, name });
        expect(splitKey(key)).toEqual({ namespace, name });
        expect(joinKey(splitKey(key))).toBe(key);
        expect(keyOf({ metadata: { namespace, name } })).toBe(key);
      }),
    );
  });

  test('STO-02: property: different names never share a key', () => {
    const objectName = fc.record({ namespace: fc.option(part, { nil: '' }), name: part });
    fc.assert(
      fc.property(objectName, objectName, (a, b) => {
        expect(joinKey(a) === joinKey(b)).toBe(a.namespace === b.namespace && a.name === b.name);
      }),
    );
  });
});

test('STO-02: a slash in name or namespace is refused, because two objects would share a key', () => {
  expect(() => keyOf({ metadata: { name: 'web/a' } })).toThrow(expect.objectContaining({ code: 'INVALID_KEY' }));
  expect(() => keyOf({ metadata: { name: 'a', namespace: 'w/eb' } })).toThrow(
    expect.objectContaining({ code: 'INVALID_KEY' }),
  );
});
