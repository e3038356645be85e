import { fakeEnv } from 'kube-informer/testing';
import { expect, test } from 'vitest';
import type { ApiObject } from '../../../src/core/kube-object.ts';
import type { Accepted } from '../../../src/http/message/negotiate.ts';
import { protobufListForm, protobufObjectForm, protobufWatchForm } from '../../../src/http/message/protobuf-forms.ts';
import type { Served } from '../../../src/registry/served.ts';
import { encodeRecord } from '../../../src/storage/store/stored-record.ts';

const WHOLE: Accepted = { type: 'application/vnd.kubernetes.protobuf', as: 'object', version: '', pretty: false };

test('PBS-07: a record is encoded once, for lists, gets and watches together', async () => {
  const object: ApiObject = { metadata: { name: 'a', namespace: 'default', resourceVersion: '7' } };
  let reads = 0;
  const served = {
    apiVersion: 'v1',
    resource: { kind: 'ConfigMap', listKind: 'ConfigMapList' },
    object: () => {
      reads += 1;
      return object;
    },
  } as unknown as Served;
  const record = encodeRecord(object, 7, 'struct');
  const [one, two] = [1, 2].map(() => protobufWatchForm(served, WHOLE, () => object));
  const frame = one?.event('ADDED', record, 7);
  expect(two?.key).toBe(one?.key);
  expect(two?.event('ADDED', record, 7)).toEqual(frame);
  const message = protobufObjectForm(served, record);
  const page = { records: [record], revision: 7, continue: '', remaining: undefined };
  const { pieces } = await protobufListForm(fakeEnv(), served, page, WHOLE);
  expect(Buffer.concat([...pieces]).includes('default')).toBe(true);
  expect(frame?.includes(message)).toBe(true);
  expect(reads).toBe(1);
  // A delete shows the last state under another version.
  expect(one?.event('DELETED', record, 8)).not.toEqual(one?.event('DELETED', record, 7));
  expect(reads).toBe(2);
});
