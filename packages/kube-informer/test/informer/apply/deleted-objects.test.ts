import { describe, expect, test } from 'vitest';
import { type KubeObject, plainAccess } from '../../../src/core/object/object.ts';
import { DeletedObjects } from '../../../src/informer/apply/deleted-objects.ts';

const object = (uid: string, resourceVersion: string): KubeObject => ({ metadata: { uid, resourceVersion } });

describe('the objects that were deleted last', () => {
  test('G3: the same object in a state from before its delete is one of them', () => {
    const deleted = new DeletedObjects<KubeObject>(plainAccess);
    deleted.add('web/a', object('uid-1', '5'), '9');
    expect(deleted.has('web/a', object('uid-1', '5'))).toBe(true);
    expect(deleted.has('web/b', object('uid-1', '5'))).toBe(false);
  });

  test.each([
    ['an object with another UID', 'uid-2', '5'],
    ['a state of the version of the delete', 'uid-1', '9'],
    ['a state after the delete', 'uid-1', '10'],
    ['a version without order', 'uid-1', 'x'],
  ])('G3: %s is none', (_, uid, version) => {
    const deleted = new DeletedObjects<KubeObject>(plainAccess);
    deleted.add('web/a', object('uid-1', '5'), '9');
    expect(deleted.has('web/a', object(uid, version))).toBe(false);
  });

  test('G3: a delete without a version, or of an object without a UID, is forgotten, with the one before it', () => {
    for (const [uid, version] of [
      ['uid-1', undefined],
      ['', '12'],
    ] as const) {
      const deleted = new DeletedObjects<KubeObject>(plainAccess);
      deleted.add('web/a', object('uid-1', '5'), '9');
      deleted.add('web/a', object(uid, '5'), version);
      expect(deleted.has('web/a', object('uid-1', '5'))).toBe(false);
    }
  });

  test('G14: only the last 128 are kept, and none of an earlier history', () => {
    const deleted = new DeletedObjects<KubeObject>(plainAccess);
    for (let i = 0; i < 129; i += 1) deleted.add(`web/${i}`, object(`uid-${i}`, '5'), '9');
    expect(deleted.has('web/0', object('uid-0', '5'))).toBe(false);
    expect(deleted.has('web/1', object('uid-1', '5'))).toBe(true);
    deleted.clear();
    expect(deleted.has('web/1', object('uid-1', '5'))).toBe(false);
  });
});
