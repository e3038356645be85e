import { describe, expect, test } from 'vitest';
import { type ApiServer, startApiServer } from '../../src/index.ts';
import { type Answer, ask } from '../rig/http-client.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

const rig = () => startApiServer({ tls: false });

const deployment = (replicas: number) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd' },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'x' } },
    template: { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'main', image: 'main:1' }] } },
  },
});

function apply(server: ApiServer, manager: string, data: object, force = false): Promise<Answer> {
  return ask(server, 'PATCH', `${MAPS}/c?fieldManager=${manager}&force=${force}`, {
    body: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data }),
    headers: { 'content-type': 'application/apply-patch+yaml' },
  });
}

/** `manager operation: fields` of what each manager owns in `data`. */
const ownersOf = ({ body }: Answer): string[] =>
  (body.metadata.managedFields as { manager: string; operation: string; fieldsV1: { 'f:data'?: object } }[]).map(
    ({ manager, operation, fieldsV1 }) => `${manager} ${operation}: ${Object.keys(fieldsV1['f:data'] ?? {}).join(' ')}`,
  );

describe('F95: the rules of writing', () => {
  test('F95: of two writers that read the same version, the second gets a conflict', async () => {
    await using server = await rig();
    const { body: read } = await ask(server, 'POST', MAPS, { body: { metadata: { name: 'c' } } });
    const write = (data: object) => ask(server, 'PUT', `${MAPS}/c`, { body: { ...read, data } });
    const first = await write({ a: '1' });
    expect(first.status).toBe(200);
    const second = await write({ a: '2' });
    expect(second).toMatchObject({
      status: 409,
      body: { reason: 'Conflict', details: { name: 'c', kind: 'configmaps' } },
    });
    expect((await ask(server, 'GET', `${MAPS}/c`)).body).toEqual(first.body);
  });

  test('F95: a deleted object with a finalizer is marked, accepts no new one, and is removed with its last', async () => {
    await using server = await rig();
    const hold = (finalizers: string[]) => ({ metadata: { name: 'c', finalizers } });
    const made = await ask(server, 'POST', MAPS, { body: hold(['example.com/a', 'example.com/b']) });
    const deleted = await ask(server, 'DELETE', `${MAPS}/c`);
    expect(deleted.body.metadata).toMatchObject({ deletionGracePeriodSeconds: 0, uid: made.body.metadata.uid });
    expect(Date.parse(deleted.body.metadata.deletionTimestamp)).not.toBeNaN();
    const more = await ask(server, 'PUT', `${MAPS}/c`, { body: hold(['example.com/a', 'example.com/new']) });
    expect(more.status).toBe(422);
    const fewer = await ask(server, 'PUT', `${MAPS}/c`, { body: hold(['example.com/a']) });
    expect(fewer.body.metadata.deletionTimestamp).toBe(deleted.body.metadata.deletionTimestamp);
    expect((await ask(server, 'PUT', `${MAPS}/c`, { body: hold([]) })).status).toBe(200);
    expect((await ask(server, 'GET', `${MAPS}/c`)).status).toBe(404);
  });

  test('F95: the generation counts changes of the spec and nothing else', async () => {
    await using server = await rig();
    const generationAfter = async (method: string, path: string, body: object, headers = {}): Promise<number> =>
      (await ask(server, method, path, { body, headers })).body.metadata.generation;
    const merge = { 'content-type': 'application/merge-patch+json' };
    expect(await generationAfter('POST', DEPLOYMENTS, deployment(1))).toBe(1);
    expect(await generationAfter('PUT', `${DEPLOYMENTS}/d`, deployment(1))).toBe(1);
    expect(await generationAfter('PATCH', `${DEPLOYMENTS}/d`, { metadata: { labels: { a: 'b' } } }, merge)).toBe(1);
    expect(await generationAfter('PATCH', `${DEPLOYMENTS}/d/status`, { status: { replicas: 1 } }, merge)).toBe(1);
    expect(await generationAfter('PUT', `${DEPLOYMENTS}/d`, deployment(2))).toBe(2);
    expect(await generationAfter('PATCH', `${DEPLOYMENTS}/d`, { metadata: { generation: 9 } }, merge)).toBe(2);
  });

  test('F95: the status is written through its subresource, which writes nothing else', async () => {
    await using server = await rig();
    await ask(server, 'POST', DEPLOYMENTS, { body: { ...deployment(1), status: { replicas: 5 } } });
    const plain = await ask(server, 'PUT', `${DEPLOYMENTS}/d`, { body: { ...deployment(1), status: { replicas: 6 } } });
    expect(plain.body.status).toEqual({});
    const status = await ask(server, 'PUT', `${DEPLOYMENTS}/d/status`, {
      body: { ...deployment(7), status: { replicas: 8 } },
    });
    expect(status.body).toMatchObject({ spec: { replicas: 1 }, status: { replicas: 8 } });
    const kept = await ask(server, 'PUT', `${DEPLOYMENTS}/d`, { body: deployment(2) });
    expect(kept.body).toMatchObject({ spec: { replicas: 2 }, status: { replicas: 8 } });
  });

  test('F95: a manager owns what it applied, others get a conflict, and force takes the fields over', async () => {
    await using server = await rig();
    expect(ownersOf(await apply(server, 'one', { a: '1', b: '1' }))).toEqual(['one Apply: f:a f:b']);
    const refused = await apply(server, 'two', { a: '2' });
    expect(refused).toMatchObject({
      status: 409,
      body: {
        reason: 'Conflict',
        message: 'Apply failed with 1 conflict: conflict with "one": .data.a',
        details: { causes: [{ reason: 'FieldManagerConflict', field: '.data.a' }] },
      },
    });
    expect(ownersOf(await apply(server, 'two', { a: '2' }, true))).toEqual(['one Apply: f:b', 'two Apply: f:a']);
    // A field that its manager no longer applies, and no other manager owns, is removed.
    const dropped = await apply(server, 'one', {});
    expect(dropped.body.data).toEqual({ a: '2' });
    const updated = await ask(server, 'PATCH', `${MAPS}/c?fieldManager=three`, {
      body: { data: { c: '3' } },
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    expect(ownersOf(updated)).toContain('three Update: f:c');
  });
});
