import { describe, expect, test } from 'vitest';
import { keyOf } from '../../../src/core/object/key.ts';
import type { KubeObject } from '../../../src/core/object/object.ts';
import { applyTransform, guardedTransform, type TransformFn } from '../../../src/informer/queue/transform.ts';
import { coded, obj } from '../rig/delta-lines.ts';

/** The transform applied to `web/a`. */
function rig(transform: (object: KubeObject) => unknown): KubeObject {
  const guarded = guardedTransform(transform as TransformFn<KubeObject>) as TransformFn<KubeObject>;
  return applyTransform(guarded, keyOf, 'web/a', obj('web/a@1'));
}

test('TRF-01: the result is what counts: another object, or the same one changed in place', () => {
  expect(rig(({ metadata }) => ({ metadata, kind: 'Slim' }))).toEqual({ ...obj('web/a@1'), kind: 'Slim' });
  const same = rig((object) => Object.assign(object, { kind: 'Changed' }));
  expect(same.kind).toBe('Changed');
});

test('TRF-06: an object that lost its metadata keeps the key it came with', () => {
  expect(rig(() => ({ data: 1 }))).toEqual({ data: 1 });
});

describe('F86, G9: a transform that breaks its rules fails for that object alone', () => {
  test.each<[string, (object: KubeObject) => unknown]>([
    [
      'throws',
      () => {
        throw new Error('boom');
      },
    ],
    ['returns nothing', () => undefined],
    ['returns null', () => null],
    ['returns text', () => 'web/a'],
    ['returns a promise', (object) => Promise.resolve(object)],
    ['renames', () => obj('web/b@1')],
    ['moves to another namespace', () => obj('db/a@1')],
  ])('F86, TRF-06: one that %s', (_, transform) => {
    expect(() => rig(transform)).toThrow(coded('TRANSFORM_FAILED'));
  });

  test('F86: the message names the object and keeps the cause', () => {
    const cause = new Error('boom');
    const failing = (): unknown =>
      rig(() => {
        throw cause;
      });
    expect(failing).toThrow(expect.objectContaining({ message: 'transform failed for web/a: boom', cause }));
  });
});
