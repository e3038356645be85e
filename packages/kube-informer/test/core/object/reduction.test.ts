import * as table from '@kube-informer/kubernetes/protobuf';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MessagePrograms } from '../../../src/client/codec/protobuf/message-program.ts';
import { ProtobufObjectCodec } from '../../../src/client/codec/protobuf/protobuf-object-codec.ts';
import { plainJsonCodec } from '../../../src/core/object/json-codec.ts';
import type { ObjectCodec } from '../../../src/core/object/object-codec.ts';
import { reductionOf } from '../../../src/core/object/reduction.ts';
import { POD, testPod } from '../../client/codec/protobuf/objects.ts';
import { encodeMessage } from '../../client/rig/protobuf-encoder.ts';

type Options = Parameters<typeof reductionOf>[0];
type Fields = Record<string, unknown>;

const IDENTITY = [
  'apiVersion',
  'kind',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'metadata.resourceVersion',
];

/** Keeps the paths, by looking at each of them from the top: slow and obvious. */
function kept(value: unknown, paths: readonly string[][], isNamed: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => kept(item, paths, isNamed));
  if (typeof value !== 'object' || value === null) return value;
  const fields: [string, unknown][] = [];
  for (const [name, field] of Object.entries(value as Fields)) {
    const below = paths.filter(([first]) => first === name).map(([, ...rest]) => rest);
    const isEnd = below.some(({ length }) => length === 0);
    const isPlain = typeof field !== 'object' && below.length > 0 && !isEnd;
    if (isEnd ? !isNamed : isNamed && (below.length === 0 || isPlain)) continue;
    fields.push([name, isEnd || below.length === 0 ? field : kept(field, below, isNamed)]);
  }
  return Object.fromEntries(fields);
}

function expectedOf(object: unknown, { select, omit }: Options): unknown {
  const paths = select === undefined ? (omit ?? []) : [...select, ...IDENTITY];
  return kept(object, paths.map((path) => path.split('.')), select !== undefined);
} // prettier-ignore

function reduced(codec: ObjectCodec, bytes: Uint8Array, options: Options): object {
  const reduction = reductionOf(options);
  if (reduction === undefined) throw new Error('nothing is left out');
  const inside = Uint8Array.from([0, 0, ...bytes, 0]);
  const reducer = codec.reduced(reduction);
  const { codec: reader } = reducer;
  const part = reducer.cut(inside, 2, inside.length - 1);
  // Views show the names of the outline, and decode field by field.
  const { names } = reader.outline(part, 0, part.length);
  const sections = names.map((name) => [name, reader.decodeField(name, part, 0, part.length)] as const);
  const whole = reader.decode(part, 0, part.length);
  expect(structuredClone(Object.fromEntries(sections))).toEqual(structuredClone(whole));
  return structuredClone(whole);
}

const text = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const pods = new MessagePrograms(table).ofKind('v1', 'Pod');

const CASES: readonly Options[] = [
  { select: [] },
  { select: ['spec.nodeName', 'status.phase', 'metadata.labels'] },
  { select: ['metadata'] },
  { select: ['spec', 'spec.nodeName'] },
  { select: ['metadata.labels.app', 'spec.containers.name', 'spec.containers.resources.limits'] },
  { select: ['spec.nodeName.nothing', 'status.conditions.type', 'status.containerStatuses.state.running'] },
  { select: ['metadata.managedFields', 'spec.tolerations'] },
  { select: ['spec.initContainers', 'spec.containers.ports.containerPort'] },
  { omit: ['metadata.managedFields'] },
  { omit: ['spec', 'status.conditions.lastTransitionTime', 'metadata.labels.app', 'spec.nowhere'] },
  { omit: ['status', 'spec.containers.env', 'spec.containers.livenessProbe.httpGet'] },
];

describe('what is kept of an object', () => {
  test.each(CASES)('PKD-19, PKD-17: both wires keep the same: %o', (options) => {
    const object = testPod('a');
    if (pods === undefined) throw new Error('no pods in the table');
    const message = 'io.k8s.api.core.v1.Pod';
    const bytes = Uint8Array.from(encodeMessage(message, object));
    const whole = new ProtobufObjectCodec(POD, pods, 512);
    // Protobuf shows some empty fields that this JSON does not have: it is read back first.
    const shown = structuredClone(whole.decode(bytes, 0, bytes.length));
    const expected = expectedOf(shown, options);
    expect(reduced(plainJsonCodec(), text(shown), options)).toStrictEqual(expected);
    expect(reduced(whole, bytes, options)).toStrictEqual(expected);
  });

  test('PKD-19: any JSON is cut as its parsed value is', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'ä"', 'metadata', 'name');
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof({ maxDepth: 3 }, fc.jsonValue({ maxDepth: 1 }), fc.dictionary(name, tie('tree'), { maxKeys: 4 }), fc.array(tie('tree'), { maxLength: 3 })),
    })); // prettier-ignore
    const path = fc
      .array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 })
      .map((steps) => steps.join('.'));
    const object = fc.dictionary(name, tree, { maxKeys: 5 });
    fc.assert(
      fc.property(object, fc.array(path, { maxLength: 4 }), fc.boolean(), (value, paths, isNamed) => {
        const options = isNamed ? { select: paths } : { omit: paths };
        const plain = JSON.parse(JSON.stringify(value)) as object;
        expect(reduced(plainJsonCodec(), text(plain), options)).toEqual(expectedOf(plain, options));
      }),
      { numRuns: 200 },
    );
  });

  test('PKD-19: an invalid path is refused, and the identity cannot be left out', () => {
    const refused = expect.objectContaining({ code: 'INVALID_OPTION' });
    expect(() => reductionOf({ select: ['spec..x'] })).toThrow(refused);
    expect(() => reductionOf({ select: ['a'], omit: ['b'] })).toThrow(refused);
    expect(() => reductionOf({ select: 'spec' as unknown as string[] })).toThrow(refused);
    for (const path of [...IDENTITY, 'metadata']) expect(() => reductionOf({ omit: [path] })).toThrow(refused);
    expect(reductionOf({})).toBeUndefined();
  });
});
