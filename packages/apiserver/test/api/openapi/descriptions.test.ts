import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApiServer } from '../../../src/index.ts';
import { ask } from '../../rig/http-client.ts';

const POD = 'io.k8s.api.core.v1.Pod';
const DOCUMENT = {
  swagger: '2.0',
  definitions: {
    [POD]: {
      description: 'A pod.',
      properties: { spec: { description: 'What it wants.' }, gone: { description: 'x' } },
    },
  },
};

interface Schema {
  readonly description?: string;
  readonly allOf?: object[];
  readonly properties: Record<string, Schema>;
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'texts-'));
  await writeFile(join(folder, 'v2.json'), JSON.stringify(DOCUMENT));
  await writeFile(join(folder, 'other.json'), '{"paths":{}}');
});
afterAll(() => rm(folder, { recursive: true }));

const schemaOf = (body: unknown, ...path: readonly string[]): Schema =>
  path.reduce((value, key) => (value as Record<string, object>)[key] as object, body as object) as Schema;

test('texts of another server describe kinds and fields in both versions, and other servers stay without', async () => {
  await using server = await startApiServer({ tls: false, descriptions: join(folder, 'v2.json') });
  await using plain = await startApiServer({ tls: false });
  const v3 = schemaOf((await ask(server, 'GET', '/openapi/v3/api/v1')).body, 'components', 'schemas', POD);
  expect([v3.description, v3.properties['spec']?.description]).toEqual(['A pod.', 'What it wants.']);
  expect(v3.properties['spec']?.allOf).toHaveLength(1);
  expect(v3.properties).not.toHaveProperty('gone');
  const v2 = schemaOf((await ask(server, 'GET', '/openapi/v2')).body, 'definitions', POD);
  expect([v2.description, v2.properties['spec']?.description]).toEqual(['A pod.', 'What it wants.']);
  const other = await ask(plain, 'GET', '/openapi/v3/api/v1');
  expect(schemaOf(other.body, 'components', 'schemas', POD).description).toBeUndefined();
  const tags = await Promise.all([server, plain].map(async (one) => (await ask(one, 'GET', '/openapi/v3/api/v1')).headers['etag'])); // prettier-ignore
  expect(tags[0]).not.toBe(tags[1]);
});

test('a file that has no such texts is refused at the start, with the command that makes one', async () => {
  const command = /kubectl get --raw \/openapi\/v2 > file/;
  await expect(startApiServer({ descriptions: join(folder, 'other.json') })).rejects.toThrow(command);
  await expect(startApiServer({ descriptions: join(folder, 'missing.json') })).rejects.toThrow(command);
});
