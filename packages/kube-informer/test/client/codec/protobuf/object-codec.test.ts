import { isDeepStrictEqual } from 'node:util';
import * as table from '@kube-informer/kubernetes/protobuf';
import { expect, test } from 'vitest';
import { MessagePrograms, type MessageProgram } from '../../../../src/client/codec/protobuf/message-program.ts';
import { ProtobufObjectCodec } from '../../../../src/client/codec/protobuf/protobuf-object-codec.ts';
import type { ObjectCodec } from '../../../../src/core/object/object-codec.ts';
import { encodeObject, lengthField } from '../../rig/protobuf-encoder.ts';
import { POD, testPod } from './objects.ts';

const programs = new MessagePrograms(table);

interface Rig {
  readonly codec: ObjectCodec;
  readonly range: readonly [Uint8Array, number, number];
}

/** The bytes of an object in the middle of others. */
function rig(object: { readonly apiVersion: string; readonly kind: string }): Rig {
  const program = programs.ofKind(object.apiVersion, object.kind) as MessageProgram;
  const codec = new ProtobufObjectCodec({ apiVersion: object.apiVersion, kind: object.kind }, program, 512);
  const raw = encodeObject(object);
  return { codec, range: [Uint8Array.from([1, 2, 3, ...raw, 4, 5]), 3, 3 + raw.length] };
}

test('PKD-01: decode, fieldNames and decodeField agree', () => {
  const pod = testPod('a');
  const { codec, range } = rig(pod);
  expect(codec.check(...range)).toBeUndefined();
  expect(isDeepStrictEqual(codec.decode(...range), pod)).toBe(true);
  expect(codec.outline(...range).names).toEqual(['apiVersion', 'kind', 'metadata', 'spec', 'status']);
  const sections = codec.outline(...range).names.map((name) => [name, codec.decodeField(name, ...range)]);
  expect(isDeepStrictEqual(Object.fromEntries(sections), pod)).toBe(true);
  expect(codec.decodeField('nothing', ...range)).toBeUndefined();
});

test('PKD-13: managedFields inside of a template do not refer to bytes that are lent', () => {
  const managedFields = [{ manager: 'somebody' }];
  const containers = null;
  const template = { metadata: { managedFields }, spec: { containers } };
  const spec = { selector: null, template, strategy: {} };
  const { codec, range } = rig({ apiVersion: 'apps/v1', kind: 'Deployment', spec } as {
    apiVersion: string;
    kind: string;
  });
  const decoded = codec.decodeField('spec', ...range) as typeof spec;
  range[0].fill(0);
  expect(decoded.template.metadata.managedFields).toEqual(managedFields);
});

test('PKD-06: the names of fields include nulls and leave out zeros', () => {
  const type = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' };
  const role = rig(type);
  expect(role.codec.outline(...role.range).names).toEqual(['apiVersion', 'kind', 'metadata', 'rules']);
  expect(role.codec.decodeField('rules', ...role.range)).toBeNull();
  const secret = rig({ apiVersion: 'v1', kind: 'Secret' });
  expect(secret.codec.outline(...secret.range).names).toEqual(['apiVersion', 'kind', 'metadata']);
});

test('identity is read without the rest', () => {
  const { codec, range } = rig(testPod('a'));
  expect(codec.identity(...range)).toEqual({ name: 'a', namespace: 'web', uid: 'uid-a', resourceVersion: '7' });
  expect(codec.identity(Uint8Array.from(lengthField(1, [])), 0, 2)).toEqual({
    name: undefined,
    namespace: undefined,
    uid: undefined,
    resourceVersion: undefined,
  });
});

test('PKD-21: paths give the scalars of the JSON, item by item', () => {
  const { codec, range } = rig(testPod('a'));
  const read = (path: string): readonly unknown[] => codec.read(...range, path.split('/'));
  expect(read('metadata/labels/app')).toEqual(['shöp']);
  expect(read('metadata/labels/none')).toEqual([]);
  expect(read('metadata/labels')).toEqual([]);
  expect(read('spec/nodeName')).toEqual(['node-1']);
  expect(read('spec/containers/name')).toEqual(['main', 'side']);
  expect(read('spec/containers/livenessProbe/httpGet/port')).toEqual(['web']);
  expect(read('spec/containers/readinessProbe/tcpSocket/port')).toEqual([8080]);
  expect(read('spec/containers/resources/limits/cpu')).toEqual(['500m']);
  expect(read('spec/terminationGracePeriodSeconds')).toEqual([0]);
  expect(read('spec/restartPolicy')).toEqual([]);
  expect(read('status/conditions/lastProbeTime')).toEqual([]);
  expect(read('status/conditions/lastTransitionTime')).toEqual(['1969-12-31T23:59:59Z']);
  expect(read('metadata/managedFields/manager')).toEqual(['kubelet']);
  expect(read('kind')).toEqual([POD.kind]);
});

test('maps of texts are read without the rest', () => {
  const { codec, range } = rig(testPod('a'));
  expect(codec.readMap(...range, ['metadata', 'labels'])).toStrictEqual({ app: 'shöp', __proto__x: 'own', empty: '' });
  expect(codec.readMap(...range, ['metadata', 'annotations'])).toBeUndefined();
  expect(codec.readMap(...range, ['spec', 'nodeSelector'])).toBeUndefined();
});

test('malformed bytes are a KubeError', () => {
  const { codec } = rig(testPod('a'));
  expect(() => codec.check(Uint8Array.of(10, 5, 1), 0, 3)).toThrow('longer than the message around it');
  expect(() => codec.decode(Uint8Array.of(0xff), 0, 1)).toThrow('a protobuf object cannot be read');
});
