import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import type { ApiObject } from '../../../src/core/kube-object.ts';
import { startApiServer } from '../../../src/index.ts';
import type { ApiServer } from '../../../src/server.ts';
import { ask } from '../../rig/http-client.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';

const directories: string[] = [];
afterEach(() => {
  for (const dir of directories.splice(0)) rmSync(dir, { recursive: true, force: true });
});

function rig() {
  const data = mkdtempSync(join(tmpdir(), 'apiserver-data-'));
  directories.push(data);
  return { data, start: (options = {}) => startApiServer({ tls: false, data, ...options }) };
}

const widgets: ApiObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } }],
  },
}; // prettier-ignore

/** All objects, as bytes. */
const everything = ({ store }: ApiServer): string[] =>
  [...store.collections()]
    .flatMap((collection) => collection.current().map(({ key, tail }) => `${collection.id} ${key} ${tail.toString()}`))
    .toSorted();

test('a server that was closed comes back with the same objects, uids, versions and definitions', async () => {
  const { start } = rig();
  let before: string[];
  let revision: number;
  {
    await using server = await start();
    server.local.create('apiextensions.k8s.io', 'customresourcedefinitions', widgets);
    for (const name of ['a', 'b', 'c'])
      await ask(server, 'POST', CONFIG_MAPS, { body: { metadata: { name }, data: { größe: 'ß' } } });
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec: { size: 1 } };
    expect((await ask(server, 'POST', WIDGETS, { body: widget })).status).toBe(201);
    await ask(server, 'DELETE', `${CONFIG_MAPS}/b`);
    before = everything(server);
    revision = server.store.revision;
  }
  await using server = await start();
  expect(everything(server)).toEqual(before);
  expect(server.store.revision).toBe(revision);
  expect((await ask(server, 'GET', `${WIDGETS}/w`)).body.spec).toEqual({ size: 1 });
  const { body } = await ask(server, 'POST', CONFIG_MAPS, { body: { metadata: { name: 'd' } } });
  expect(Number(body.metadata.resourceVersion)).toBe(revision + 1);
});

test('a restart loses the history: older watches and lists get 410, newer ones continue', async () => {
  const { start } = rig();
  let old: string;
  {
    await using server = await start();
    old = (await ask(server, 'POST', CONFIG_MAPS, { body: { metadata: { name: 'a' } } })).body.metadata.resourceVersion;
    await ask(server, 'DELETE', `${CONFIG_MAPS}/a`);
  }
  await using server = await start();
  const watch = (version: string) =>
    ask(server, 'GET', `${CONFIG_MAPS}?watch=1&timeoutSeconds=1&resourceVersion=${version}`);
  expect(JSON.parse((await watch(old)).text)).toMatchObject({ type: 'ERROR', object: { code: 410 } });
  expect((await watch(String(server.store.revision))).text).toBe('');
  const exact = await ask(server, 'GET', `${CONFIG_MAPS}?resourceVersion=${old}&resourceVersionMatch=Exact`);
  expect(exact.body).toMatchObject({ code: 410, reason: 'Expired' });
});

test('tokens of users and service accounts are kept with their expiry; revoked ones stay revoked', async () => {
  const { start } = rig();
  const status = async (server: ApiServer, token: string) => (await ask(server, 'GET', CONFIG_MAPS, { token })).status;
  let tokens: { jane: string; revoked: string; expired: string; account: string; oldAdmin: string; admin: string };
  {
    await using server = await start({ auth: 'rbac' });
    const jane = server.users.add({ name: 'jane', groups: ['system:masters'] });
    const revoked = server.users.add({ name: 'joe', groups: ['system:masters'] });
    const expired = server.users.add({ name: 'jim', groups: [] }, { expiresAt: Date.now() - 1 });
    server.users.revoke(revoked);
    server.local.create('', 'serviceaccounts', { metadata: { name: 'robot', namespace: 'default' } });
    const path = '/api/v1/namespaces/default/serviceaccounts/robot/token';
    const { body } = await ask(server, 'POST', path, { body: { spec: { expirationSeconds: 3600 } } });
    const oldAdmin = server.token;
    const admin = server.faults.expireToken();
    tokens = { jane, revoked, expired, account: body.status.token, oldAdmin, admin };
  }
  await using server = await start({ auth: 'rbac' });
  expect(server.token).toBe(tokens.admin);
  expect(await status(server, tokens.jane)).toBe(200);
  // The user is authenticated and has no rights.
  expect(await status(server, tokens.account)).toBe(403);
  for (const token of [tokens.revoked, tokens.expired, tokens.oldAdmin]) expect(await status(server, token)).toBe(401);
});

test('a requested token is stored before the response', async () => {
  const { data, start } = rig();
  await using server = await start();
  server.local.create('', 'serviceaccounts', { metadata: { name: 'robot', namespace: 'default' } });
  const path = '/api/v1/namespaces/default/serviceaccounts/robot/token';
  const { body } = await ask(server, 'POST', path, { body: { spec: { expirationSeconds: 3600 } } });
  expect(readFileSync(join(data, 'identity.json'), 'utf8')).toContain(body.status.token);
});

test('token and certificate authority are kept, so an old kubeconfig still works', async () => {
  const { data, start } = rig();
  let first: { token: string; ca: string | undefined };
  {
    await using server = await start({ tls: true });
    first = { token: server.token, ca: server.ca };
  }
  // A start without TLS in between must keep the authority.
  await (await start()).close();
  await using server = await start({ tls: true });
  expect({ token: server.token, ca: server.ca }).toEqual(first);
  expect((await ask(server, 'GET', CONFIG_MAPS, { token: first.token })).status).toBe(200);
  expect(statSync(join(data, 'identity.json')).mode & 0o777).toBe(0o600);
});

test('a revision that went up without a write is not used again', async () => {
  const { start } = rig();
  let revision: number;
  {
    await using server = await start();
    server.store.skip(1000);
    revision = server.store.revision;
  }
  await using server = await start();
  expect(server.store.revision).toBe(revision);
});

test('a rollback is kept too', async () => {
  const { start } = rig();
  {
    await using server = await start();
    const snapshot = server.snapshot();
    await ask(server, 'POST', CONFIG_MAPS, { body: { metadata: { name: 'later' } } });
    server.restore(snapshot);
    await ask(server, 'POST', CONFIG_MAPS, { body: { metadata: { name: 'after' } } });
  }
  await using server = await start();
  expect((await ask(server, 'GET', `${CONFIG_MAPS}/later`)).status).toBe(404);
  expect((await ask(server, 'GET', `${CONFIG_MAPS}/after`)).status).toBe(200);
});

test('a definition that was being deleted is still being deleted', async () => {
  const { start } = rig();
  {
    await using server = await start();
    server.local.create('apiextensions.k8s.io', 'customresourcedefinitions', widgets);
    const metadata = { name: 'w', namespace: 'default', finalizers: ['example.com/hold'] };
    server.local.create('example.com', 'widgets', { apiVersion: 'example.com/v1', kind: 'Widget', metadata });
    server.local.remove('apiextensions.k8s.io', 'customresourcedefinitions', '', 'widgets.example.com');
  }
  await using server = await start();
  const body = { metadata: { finalizers: null } };
  const headers = { 'content-type': 'application/merge-patch+json' };
  expect((await ask(server, 'PATCH', `${WIDGETS}/w`, { body, headers })).status).toBe(200);
  expect((await ask(server, 'GET', `${WIDGETS}/w`)).status).toBe(404);
  expect(server.local.get('apiextensions.k8s.io', 'customresourcedefinitions', '', 'widgets.example.com')).toBe(
    undefined,
  );
});

test('a directory has one server at a time', async () => {
  const { start } = rig();
  await using first = await start();
  await expect(start()).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  expect(first.url).toMatch(/^http:/);
});

test('a port that is taken leaves the directory free', async () => {
  const { start } = rig();
  const { start: startOther } = rig();
  await using other = await startOther();
  await expect(start({ port: Number(new URL(other.url).port) })).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  await using server = await start();
  expect(server.store.revision).toBeGreaterThan(0);
});

test('kill -9 at any moment loses no acknowledged write', { timeout: 240_000 }, async () => {
  const { data, start } = rig();
  const program = fileURLToPath(new URL('../../rig/programs/write-through-server.ts', import.meta.url));
  const acknowledged = new Map<string, number>();
  for (const turns of [1, 2, 7, 30, 90]) {
    const args = ['--conditions=@kube-informer/source', '--import', 'tsx', program, data, String(turns)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const [, signal] = (await once(child, 'close')) as [number | null, string | null];
    expect(signal).toBe('SIGKILL');
    const lines = text.split('\n').slice(0, -1);
    expect(lines).toHaveLength(turns);
    for (const line of lines) acknowledged.set(line.split(' ')[0] as string, Number(line.split(' ')[1]));

    await using server = await start();
    for (const [name, revision] of acknowledged) {
      const found = server.local.get('', 'configmaps', 'default', name);
      // Writes without an acknowledgement may be there; acknowledged writes must be.
      expect(Number(found?.metadata?.resourceVersion)).toBeGreaterThanOrEqual(revision);
    }
    expect(server.store.revision).toBeGreaterThanOrEqual(Math.max(...acknowledged.values()));
  }
});
