import process from 'node:process';
import * as table from '@kube-informer/kubernetes/protobuf';
import { beforeAll, expect, test } from 'vitest';
import { decodeListOf } from '../../../../src/client/codec/list-stream.ts';
import {
  type FieldProgram,
  type MessageProgram,
  MessagePrograms,
} from '../../../../src/client/codec/protobuf/message-program.ts';
import { protobufFormatOf } from '../../../../src/client/codec/protobuf/protobuf-format.ts';
import { ProtobufObjectCodec } from '../../../../src/client/codec/protobuf/protobuf-object-codec.ts';
import { decodeWatchStreamOf } from '../../../../src/client/codec/watch-stream.ts';
import { isKubeError } from '../../../../src/core/errors.ts';
import { DecodedBudget } from '../../../../src/store/packed/decoded-budget.ts';
import { PackedObjects } from '../../../../src/store/packed/packed-objects.ts';
import { fakeEnv, seededRandom } from '../../../../src/testing/fake-clock.ts';
import { body, collect } from '../../rig/bodies.ts';
import { envelope, lengthField, numberField, varint } from '../../rig/protobuf-encoder.ts';

/** Objects of a run. */
const BUDGET = 400;
/** Set FUZZ_SEED to decode the objects of an earlier run again. */
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 32);
beforeAll(() => console.info(`fuzz: seed ${SEED}, ${BUDGET} protobuf objects; again with FUZZ_SEED=${SEED}`));

const CANARY = 'canary-of-the-content';
const KINDS = [
  ['v1', 'Pod'],
  ['v1', 'Secret'],
  ['apps/v1', 'ControllerRevision'],
  ['apps/v1', 'StatefulSet'],
  ['coordination.k8s.io/v1', 'Lease'],
  ['apiextensions.k8s.io/v1', 'CustomResourceDefinition'],
] as const;
const programs = new MessagePrograms(table);
const format = protobufFormatOf(table);
const random = seededRandom(SEED);
const below = (limit: number): number => Math.floor(random() * limit);
const pick = <T>(choices: readonly T[]): T => choices[below(choices.length)] as T;
const bytesOf = (text: string): number[] => [...Buffer.from(text)];

const TEXTS = ['', 'a', CANARY, '__proto__', 'constructor', '\u{1b}[2J', '{"a":1}', '{"a":', '[[[[', 'x'.repeat(300)];
const NUMBERS = [0, 1, 127, 128, 2 ** 31, 2 ** 50, 253_402_300_799, 253_402_300_800];

/** A message that is mostly right: fields of the table, in any order and number, with a few lies. */
function message(program: MessageProgram, depth: number): readonly number[] {
  const fields = program.fields.filter((field) => field !== undefined);
  const count = fields.length === 0 || depth > 12 ? 0 : below(depth === 0 ? 12 : 5);
  return Array.from({ length: count }, () => {
    const lie = below(60);
    if (lie === 0) return [...varint(below(2_000) * 8 + below(8)), ...varint(below(300))];
    const field = pick(fields);
    const bytes = fieldOf(field, depth);
    return lie === 1 ? bytes.slice(0, below(bytes.length + 1)) : bytes;
  }).flat();
}

function fieldOf(field: FieldProgram, depth: number): readonly number[] {
  const { number, type, entry, message: nested } = field;
  const inner = entry ?? nested;
  if (inner !== undefined) return lengthField(number, message(inner, depth + 1));
  if (type === 'text' || type === 'bytes') return lengthField(number, bytesOf(pick(TEXTS)));
  if (type === 'double') return [...varint(number * 8 + 1), ...Array.from({ length: 8 }, () => below(256))];
  return below(12) === 0
    ? [...varint(number * 8), ...Array.from({ length: below(12) }, () => 0x80 + below(128)), below(128)]
    : numberField(number, pick(NUMBERS));
}

/** The result, or undefined for a failure, which must be a KubeError without the content. */
function attempt<R>(read: () => R): R | undefined {
  try {
    return read();
  } catch (error) {
    expect(isKubeError(error), `${String(error)} with FUZZ_SEED=${SEED}`).toBe(true);
    expect((error as Error).message).not.toContain(CANARY);
    return undefined;
  }
}

test('S109: an object that passes the check is decoded by every reader, and no other reaches one', async () => {
  let accepted = 0;
  let refused = 0;
  for (let round = 0; round < BUDGET; round += 1) {
    const [apiVersion, kind] = pick(KINDS);
    const program = programs.ofKind(apiVersion, kind) as MessageProgram;
    const raw = message(program, 0);
    const bytes = Uint8Array.from([1, 2, 3, ...raw, 4]);
    const range = [bytes, 3, 3 + raw.length] as const;
    const codec = new ProtobufObjectCodec({ apiVersion, kind }, program, 512);
    const isGood = attempt(() => ({ unknown: codec.check(...range) }));
    if (isGood !== undefined && isGood.unknown === undefined) {
      accepted += 1;
      const decoded = codec.decode(...range);
      const whole = attempt(() => JSON.stringify(decoded)); // managed fields are checked when they are read
      const packed = new PackedObjects({ env: fakeEnv(), budget: new DecodedBudget(), freeze: false });
      const state = packed.build(codec, ...range);
      const seen = packed.see(state);
      for (const name of Object.keys(seen)) if (name !== 'metadata') JSON.stringify(Reflect.get(seen, name));
      if (whole !== undefined) expect(JSON.parse(JSON.stringify(seen))).toEqual(JSON.parse(whole));
      for (const path of ['metadata/name', 'metadata/labels/a', 'spec/containers/name', 'data/a']) codec.read(...range, path.split('/'));
      codec.readMap(...range, ['metadata', 'labels']);
      codec.identity(...range);
    } else refused += 1;
    await readFromServer(apiVersion, kind, raw);
  }
  // Both must happen, or the test shows nothing.
  expect(Math.min(accepted, refused)).toBeGreaterThan(BUDGET / 20);
  expect({}).not.toHaveProperty('a');
}); // prettier-ignore

/** The same object in a list and in a watch, in chunks of any size. */
async function readFromServer(apiVersion: string, kind: string, raw: readonly number[]): Promise<void> {
  const unreadable = pick(['mark', 'throw'] as const);
  const list = Uint8Array.from(envelope({ apiVersion, kind: `${kind}List` }, lengthField(2, raw)));
  const size = 1 + below(list.length);
  const chunks = [list.slice(0, size), list.slice(size)];
  const failure = await decodeListOf<object>(format, body(chunks), { unreadable }).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (failure !== undefined) attempt(() => raise(failure));
  const frame = [
    ...lengthField(1, bytesOf(pick(['ADDED', 'BOOKMARK', 'ERROR', 'X']))),
    ...lengthField(2, lengthField(1, envelope({ apiVersion, kind }, raw))),
  ];
  const length = new DataView(new ArrayBuffer(4));
  length.setUint32(0, frame.length + pick([0, 0, 0, 1]));
  const watched = [Uint8Array.from([...new Uint8Array(length.buffer), ...frame])];
  const { error } = await collect(decodeWatchStreamOf<object>(format, body(watched), { unreadable }));
  if (error !== undefined) attempt(() => raise(error));
}

function raise(error: unknown): never {
  throw error;
}
