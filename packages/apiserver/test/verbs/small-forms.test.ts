import { expect, test } from 'vitest';
import { startApiServer } from '../../src/index.ts';
import { ask } from '../rig/http-client.ts';

/** Responses of a real kube-apiserver 1.36 to the same requests. */

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

const rig = () => startApiServer({ tls: false });
const text = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n`;

test('the first of several YAML documents is used', async () => {
  await using server = await rig();
  const post = (body: string) =>
    ask(server, 'POST', CONFIG_MAPS, { body, headers: { 'content-type': 'application/yaml' } });
  expect((await post(`${text('a')}---\n${text('b')}`)).body.metadata.name).toBe('a');
  expect((await post(`---\n${text('c')}---\n`)).body.metadata.name).toBe('c');
  expect((await post(`# empty\n---\n---\n${text('d')}`)).body).toMatchObject({
    code: 422,
    message: 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
  });
  const headers = { 'content-type': 'application/apply-patch+yaml' };
  const body = `${text('e')}---\n${text('f')}`;
  expect((await ask(server, 'PATCH', `${CONFIG_MAPS}/e?fieldManager=m`, { body, headers })).status).toBe(201);
  expect((await ask(server, 'GET', `${CONFIG_MAPS}/f`)).status).toBe(404);
});

test('a Scale has a table of its own', async () => {
  await using server = await rig();
  const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const spec = { replicas: 2, selector: { matchLabels: { app: 'a' } }, template };
  await ask(server, 'POST', DEPLOYMENTS, { body: { metadata: { name: 'd' }, spec } });
  const headers = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };
  const { body } = await ask(server, 'GET', `${DEPLOYMENTS}/d/scale`, { headers });
  expect(body.columnDefinitions.map(({ name, type }: { name: string; type: string }) => `${name} ${type}`)).toEqual([
    'Name string',
    'Desired integer',
    'Available integer',
    'Age string',
  ]);
  expect(body.rows[0].cells).toEqual(['d', 2, 0, expect.stringMatching(/^\d+s$/)]);
});
