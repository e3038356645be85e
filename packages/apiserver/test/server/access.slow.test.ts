import { expect, test } from 'vitest';
import { startApiServer } from '../../src/index.ts';
import { type Answer, ask as askServer } from '../rig/http-client.ts';

test('S124: appliers cannot make an object grow without bound', async () => {
  await using server = await startApiServer({ tls: false });
  const data = Object.fromEntries(Array.from({ length: 1_500 }, (_, at) => [`${'k'.repeat(248)}${at}`, '']));
  const path = '/api/v1/namespaces/default/configmaps/a';
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data };
  let last: Answer | undefined;
  for (let at = 0; at < 100 && last?.status !== 500; at += 1) {
    last = await askServer(server, 'PATCH', `${path}?fieldManager=m${at}`, { body, headers: { 'content-type': 'application/apply-patch+yaml' } });
  }
  expect(last?.text).toContain('request is too large');
  // Refused as a whole: the object is as it was.
  expect((await askServer(server, 'GET', path)).text.length).toBeLessThan(4 * 1024 * 1024 + 1_000);
}); // prettier-ignore
