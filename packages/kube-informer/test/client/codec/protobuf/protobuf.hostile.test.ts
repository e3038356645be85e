import * as table from '@kube-informer/kubernetes/protobuf';
import { expect, test } from 'vitest';
import { decodeListOf } from '../../../../src/client/codec/list-stream.ts';
import { decodeMessage } from '../../../../src/client/codec/protobuf/decode-message.ts';
import { type MessageProgram, MessagePrograms } from '../../../../src/client/codec/protobuf/message-program.ts';
import { protobufFormatOf } from '../../../../src/client/codec/protobuf/protobuf-format.ts';
import { ProtobufObjectCodec } from '../../../../src/client/codec/protobuf/protobuf-object-codec.ts';
import { WireCursor } from '../../../../src/client/codec/protobuf/wire-cursor.ts';
import { unreadableCause } from '../../../../src/core/object/unreadable.ts';
import { body } from '../../rig/bodies.ts';
import { envelope, lengthField, numberField } from '../../rig/protobuf-encoder.ts';
import { POD } from './objects.ts';

const format = protobufFormatOf(table);
const programs = new MessagePrograms(table);
const text = (value: string): number[] => [...Buffer.from(value)];

/** Counts the fields that are passed over. */
class CountingCursor extends WireCursor {
  skipped = 0;

  override skip(wireType: number, end: number): void {
    this.skipped += 1;
    super.skip(wireType, end);
  }
}

test('S101: a list of many empty texts is counted once, not before each of them', () => {
  const program = programs.ofMessage('io.k8s.api.core.v1.Container');
  const args = Array.from({ length: 4_000 }, () => lengthField(4, [])).flat();
  const cursor = new CountingCursor(Uint8Array.from(args), 0);
  const { args: decoded } = decodeMessage(program, cursor, args.length, { maxDepth: 512, copiesLazy: true }) as {
    args: string[];
  };
  expect(decoded).toHaveLength(4_000);
  expect(cursor.skipped).toBeLessThan(4_000);
});

/** A list of one pod with more fields in its metadata. */
const listOfPod = (...more: readonly (readonly number[])[]): Uint8Array => {
  const metadata = [...lengthField(1, text('a')), ...lengthField(6, text('7')), ...more.flat()];
  return Uint8Array.from(
    envelope({ apiVersion: 'v1', kind: 'PodList' }, lengthField(2, [...lengthField(1, metadata)])),
  );
};
const managed = (entry: readonly number[]): readonly number[] => lengthField(17, entry);
const FAR = numberField(1, 2 ** 50);

test.each([
  ['a time of managed fields', managed(lengthField(4, FAR))],
  ['a time of creation', lengthField(8, FAR)],
  ['nanoseconds beyond a second', lengthField(8, [...numberField(1, 1), ...numberField(2, 2_000_000_000)])],
])('S102: %s that cannot be written is found on arrival, not by a reader', async (_, field) => {
  await expect(decodeListOf<object>(format, body([listOfPod(field)]), {})).rejects.toThrow('a time ');
  const { items } = await decodeListOf<object>(format, body([listOfPod(field)]), { unreadable: 'mark' });
  expect(unreadableCause(items[0])?.code).toBe('LIST_INVALID');
  expect(() => JSON.stringify(items[0])).not.toThrow();
});

test('S102: broken JSON inside a message is found by the check that a cache of bytes relies on', () => {
  const type = { apiVersion: 'apps/v1', kind: 'ControllerRevision' };
  const program = programs.ofKind(type.apiVersion, type.kind) as MessageProgram;
  const codec = new ProtobufObjectCodec(type, program, 512);
  const bytes = (json: string): Uint8Array =>
    Uint8Array.from([...lengthField(1, lengthField(1, text('a'))), ...lengthField(2, lengthField(1, text(json)))]);
  const check = (json: string): unknown => codec.check(bytes(json), 0, bytes(json).length);
  expect(check('{"a":1}')).toBeUndefined();
  expect(() => check('{"canary')).toThrow(expect.objectContaining({ code: 'LIST_INVALID' }));
  expect(() => check('{"canary')).not.toThrow(/canary/);
  expect(() => check(`${'['.repeat(600)}${']'.repeat(600)}`)).toThrow('nested too deep');
});

test('S102: managed fields that are no JSON are a KubeError for their reader', async () => {
  const { items } = await decodeListOf<{ metadata: { managedFields: unknown } }>(
    format,
    body([listOfPod(managed(lengthField(7, lengthField(1, text('{"canary')))))]),
    {},
  );
  expect(items[0]).toMatchObject({ ...POD, metadata: { name: 'a' } });
  expect(() => items[0]?.metadata.managedFields).toThrow(expect.objectContaining({ code: 'LIST_INVALID' }));
  expect(() => items[0]?.metadata.managedFields).not.toThrow(/canary/);
});
