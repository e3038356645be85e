import { expect, test } from 'vitest';
import { type ObjectAccess, plainAccess, type TypeRef } from '../../../src/core/object/object.ts';
import {
  isEventReaderType,
  type ReadEvent,
  readEvent,
  isUndecodableToEventReader,
} from '../../../src/informer/list-watch/event-reader.ts';
import { isExpired, statusOf } from '../../../src/core/status.ts';
import { added, bookmark, failure, marker, pod } from '../rig/scripted-source.ts';

interface Read {
  readonly event?: ReadEvent<object> | undefined;
  readonly thrown?: unknown;
  readonly reports: string[];
}

function rig(
  frame: unknown,
  expected?: TypeRef,
  access: ObjectAccess<object> = plainAccess as ObjectAccess<object>,
): Read {
  const reports: string[] = [];
  try {
    return { event: readEvent(frame as never, access, expected, (message) => void reports.push(message)), reports };
  } catch (thrown) {
    return { thrown, reports };
  }
}

test('WCH-06, WLS-05: an event is read as its type, object and version; only a bookmark with the right value is the marker', () => {
  expect(rig(added('a', 3)).event).toEqual({ type: 'ADDED', object: pod('a', 3), resourceVersion: '3', marker: false });
  expect(rig(bookmark(9)).event).toMatchObject({ type: 'BOOKMARK', resourceVersion: '9', marker: false });
  expect(rig(marker(9)).event).toMatchObject({ marker: true });
  expect(rig(marker(9, 'yes')).event).toMatchObject({ marker: false });
  expect(rig({ type: 'ADDED', object: marker(9).object }).event).toMatchObject({ marker: false });
});

test('WCH-06: an ERROR is thrown with the status of the server', () => {
  const { thrown } = rig(failure(410, 'Expired', 'too old'));
  expect(isExpired(thrown)).toBe(true);
  expect(statusOf(thrown)).toMatchObject({ code: 410, message: 'too old' });
  expect(isUndecodableToEventReader(thrown)).toBe(false);
});

test.each([
  ['no object', null],
  ['a text', 'ADDED'],
  ['an unknown type', { type: 'RENAMED', object: pod('a', 1) }],
  ['a type in small letters', { type: 'added', object: pod('a', 1) }],
  ['an object that is an array', { type: 'ADDED', object: [pod('a', 1)] }],
  ['an object that is a text', { type: 'ADDED', object: 'a' }],
  ['no metadata', { type: 'ADDED', object: { kind: 'Pod' } }],
  ['metadata that is null', { type: 'ADDED', object: { metadata: null } }],
  ['an empty version', { type: 'ADDED', object: { metadata: { name: 'a', resourceVersion: '' } } }],
  ['a version that is a number', { type: 'ADDED', object: { metadata: { name: 'a', resourceVersion: 3 } } }],
])('F56, G8: an event with %s is invalid', (_, frame) => {
  const { thrown, event } = rig(frame);
  expect(event).toBeUndefined();
  expect(thrown).toMatchObject({ code: 'WATCH_DECODE' });
  expect(isUndecodableToEventReader(thrown)).toBe(true);
});

test('F56, G8: an access that throws makes an event invalid, with the cause kept', () => {
  const cause = new RangeError('bytes end early');
  const access = {
    ...plainAccess,
    resourceVersion: () => {
      throw cause;
    },
  } as unknown as ObjectAccess<object>;
  expect(rig(added('a', 1), undefined, access).thrown).toMatchObject({ code: 'WATCH_DECODE', cause });
});

test('WLS-05: a bookmark is read as a plain object, whatever the representation of the objects is', () => {
  const packed = new Proxy({}, { get: () => () => 'packed' }) as ObjectAccess<object>;
  expect(rig(marker(9), undefined, packed).event).toMatchObject({ resourceVersion: '9', marker: true });
});

test.each([
  ['v1', 'Pod', true],
  ['v1', 'Secret', false],
  ['example.com/v1', 'Pod', false],
  [undefined, 'Pod', true],
  ['v1', undefined, true],
  [undefined, undefined, true],
])('REF-03, WCH-06: expecting v1 Pod, an object of %s %s is taken: %s', (apiVersion, kind, isTaken) => {
  const object = {
    ...pod('a', 1),
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(kind === undefined ? {} : { kind }),
  };
  const { event, reports } = rig({ type: 'ADDED', object }, { apiVersion: 'v1', kind: 'Pod' });
  expect(event !== undefined).toBe(isTaken);
  expect(reports).toHaveLength(isTaken ? 0 : 1);
});

test.each([
  ['meta.k8s.io/v1', 'Table', true],
  ['meta.k8s.io/v1beta1', 'Table', true],
  ['meta.k8s.io/v1', 'Status', false],
  ['furniture.io/v1', 'Table', false],
])('REF-09, WCH-06: a %s %s is a table of rows: %s', (apiVersion, kind, isTable) => {
  const { event, reports } = rig({ type: 'ADDED', object: { ...pod('a', 1), apiVersion, kind } });
  expect(event === undefined).toBe(isTable);
  expect(reports).toHaveLength(isTable ? 1 : 0);
});

test('REF-03: without an expected type everything is taken', () => {
  expect(isEventReaderType(undefined, { kind: 'Anything' })).toBe(true);
});
