import { expect, test } from 'vitest';
import { envelope, field, fieldsOf, itemsOf } from '../../bench/server/protobuf.ts';
import { ReplayData } from '../../bench/server/replay-data.ts';

const NAMES = ['a', 'b'];
/** Two pods in both encodings: metadata has name (1), version (6) and annotations (12). */
function recorded(): ReplayData {
  const items = NAMES.map((name, i) => ({
    metadata: {
      name,
      resourceVersion: i === 0 ? '7' : '1234',
      annotations: { 'bench.example.com/at': '1000000000000000' },
    },
  }));
  const pods = items.map(({ metadata }) => {
    const entry = Buffer.concat([field(1, 'bench.example.com/at'), field(2, '1000000000000000')]);
    return field(
      2,
      field(1, Buffer.concat([field(1, metadata.name), field(6, metadata.resourceVersion), field(12, entry)])),
    );
  });
  return new ReplayData(Buffer.from(JSON.stringify({ items })), envelope('v1', 'PodList', Buffer.concat(pods)));
}

const jsonList = (data: ReplayData): { items: { metadata: { name: string; resourceVersion: string } }[] } =>
  JSON.parse(Buffer.concat(data.list('json')).toString()) as never;

test('a change has the next version in both encodings', () => {
  const data = recorded();
  data.change(0);
  const event = JSON.parse(data.event('MODIFIED', 0, 'json').toString()) as { type: string; object: object };
  expect(event).toMatchObject({
    type: 'MODIFIED',
    object: { kind: 'Pod', metadata: { name: 'a', resourceVersion: '2000000002' } },
  });
  expect(data.event('MODIFIED', 0, 'protobuf').includes('2000000002')).toBe(true);
});

test('a list after changes is the state after them', () => {
  const data = recorded();
  data.change(1);
  expect(jsonList(data).items.map(({ metadata }) => metadata.resourceVersion)).toEqual(['2000000000', '2000000002']);
  const items = itemsOf(Buffer.concat(data.list('protobuf')));
  expect(items.map((item) => item.includes('2000000002'))).toEqual([false, true]);
  // A version that got longer: the lengths around it are right, and nothing else has changed.
  const metadata = [...fieldsOf(items[1] as Buffer)][0]?.bytes as Buffer;
  expect(
    [...fieldsOf(metadata)].map(({ number, bytes }) => [number, bytes.toString().slice(0, 10)]).slice(0, 2),
  ).toEqual([
    [1, 'b'],
    [6, '2000000002'],
  ]);
});

test('a frame is as long as it says, and carries the type and the object', () => {
  const bytes = recorded().event('ADDED', 0, 'protobuf');
  expect(bytes.readUInt32BE(0)).toBe(bytes.length - 4);
  const [type, object] = [...fieldsOf(bytes.subarray(4))];
  expect(type?.bytes.toString()).toBe('ADDED');
  expect([...fieldsOf(object?.bytes as Buffer)][0]?.bytes.subarray(0, 4).toString()).toBe('k8s\0');
});
