import { expect, test } from 'vitest';
import { startApiServer } from '../../src/index.ts';
import { ask } from '../rig/http-client.ts';

/** Responses of a real kube-apiserver 1.36 to the same requests. */

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const TYPES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

async function rig() {
  const server = await startApiServer({ tls: false });
  const patch = async (type: keyof typeof TYPES, body: unknown, name = 'c') => {
    const query = type === 'apply' ? '?fieldManager=m' : '';
    const headers = { 'content-type': TYPES[type] };
    return (await ask(server, 'PATCH', `${CONFIG_MAPS}/${name}${query}`, { body, headers })).body;
  };
  const put = async (body: unknown) => (await ask(server, 'PUT', `${CONFIG_MAPS}/c`, { body })).body;
  await ask(server, 'POST', CONFIG_MAPS, { body: { metadata: { name: 'c' }, data: { a: 'b' } } });
  return { patch, put, [Symbol.asyncDispose]: () => server.close() };
}

const managers = ({ metadata }: { metadata: { managedFields?: { manager: string; operation: string }[] } }) =>
  metadata.managedFields?.map(({ manager, operation }) => `${manager} ${operation}`);

const applied = (data: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data });

test('an empty list of managedFields removes all owners, and tracking begins again with an apply', async () => {
  for (const [type, body] of [
    ['merge', { metadata: { managedFields: [] } }],
    ['strategic', { metadata: { managedFields: [] } }],
    ['json', [{ op: 'replace', path: '/metadata/managedFields', value: [] }]],
    ['merge', { metadata: { managedFields: [] }, data: { more: '1' } }],
    ['merge', { metadata: { managedFields: [{}] } }],
  ] as const) {
    await using one = await rig();
    expect(managers(await one.patch(type, body)), type).toBe(undefined);
    expect(managers(await one.patch('merge', { data: { a: 'c' } })), type).toBe(undefined);
    expect(managers(await one.patch('apply', applied({ z: '1' }))), type).toEqual([
      'm Apply',
      'before-first-apply Update',
    ]);
  }
});

test('a PUT removes them with an empty list, not by omitting the list', async () => {
  await using one = await rig();
  expect(managers(await one.put({ metadata: { name: 'c' }, data: { a: 'c' } }))).toEqual(['unknown Update']);
  expect(managers(await one.put({ metadata: { name: 'c', managedFields: [] }, data: { a: 'd' } }))).toBe(undefined);
});

test('an apply with a UID needs an existing object', async () => {
  await using one = await rig();
  const { metadata, ...rest } = applied({});
  const absent = await one.patch('apply', { ...rest, metadata: { ...metadata, name: 'x', uid: 'abc' } }, 'x');
  expect(absent).toMatchObject({
    code: 409,
    reason: 'Conflict',
    message:
      'Operation cannot be fulfilled on configmaps "x": uid mismatch: ' +
      'the provided object specified uid abc, and no existing object was found',
    details: { name: 'x', kind: 'configmaps' },
  });
});
