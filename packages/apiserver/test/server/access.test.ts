import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect, promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { startApiServer } from '../../src/index.ts';
import { checkOptions } from '../../src/options.ts';
import { type Answer, ask as askServer } from '../rig/http-client.ts';

const run = promisify(execFile);

/** The status a plain request gets. */
function ask(url: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    request(url, { headers, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

describe('access to the server', () => {
  test('S49: it listens on loopback, and requests need its token', async () => {
    await using server = await startApiServer({ tls: false });
    expect(new URL(server.url).hostname).toBe('127.0.0.1');
    expect(await ask(`${server.url}/api/v1/secrets`)).toBe(401);
    // What a foreign web page can send: no custom header, only Origin.
    expect(await ask(`${server.url}/api/v1/secrets`, { origin: 'https://evil.example' })).toBe(401);
    expect(await ask(`${server.url}/api/v1/secrets`, { authorization: 'Bearer wrong' })).toBe(401);
    expect(await ask(`${server.url}/api/v1/secrets`, { authorization: `Bearer ${server.token}` })).toBe(200);
  });

  test('S49: two servers have different tokens', async () => {
    await using one = await startApiServer({ tls: false });
    await using other = await startApiServer({ tls: false });
    expect(one.token).not.toBe(other.token);
    expect(one.token.length).toBeGreaterThanOrEqual(20);
  });

  test('S49: it does not start in production unless forced, nor open to other machines', () => {
    const refused = expect.objectContaining({ code: 'INVALID_OPTION' });
    expect(() => checkOptions({}, 'production')).toThrow(refused);
    expect(() => checkOptions({ force: true }, 'production')).not.toThrow();
    expect(() => checkOptions({ host: '0.0.0.0', auth: 'open' }, undefined)).toThrow(refused);
    expect(() => checkOptions({ host: '0.0.0.0' }, undefined)).not.toThrow();
  });
});

describe('an open server', () => {
  const SECRETS = '/api/v1/namespaces/default/secrets';
  const body = { metadata: { name: 'a' } };

  test.each([
    'evil.example',
    'evil.example:80',
    '127.0.0.1.evil.example',
    'localhost.evil.example:1',
    '[::2]:1',
    '10.0.0.1',
  ])('S64: a request for the host %s gets 403 and nothing else', async (host) => {
    await using server = await startApiServer({ tls: false, auth: 'open' });
    const { status, text } = await askServer(server, 'GET', '/api/v1/secrets', { token: '', headers: { host } });
    expect([status, text]).toEqual([403, expect.stringContaining('Host header')]);
    expect((await askServer(server, 'POST', SECRETS, { token: '', headers: { host }, body })).status).toBe(403);
  });

  test.each(['https://evil.example', 'null', 'http://127.0.0.1', 'http://localhost:1', ''])(
    'S64: a page of %j writes nothing',
    async (origin) => {
      await using server = await startApiServer({ tls: false, auth: 'open' });
      const headers = { origin, 'content-type': 'text/plain' };
      expect((await askServer(server, 'POST', SECRETS, { token: '', headers, body })).status).toBe(403);
      expect((await askServer(server, 'GET', SECRETS, { token: '' })).body.items).toEqual([]);
    },
  );

  test('S64: its own address, under each of its names, is served; impersonation changes nothing', async () => {
    await using server = await startApiServer({ tls: false, auth: 'open' });
    const { port } = new URL(server.url);
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST`, `[::1]:${port}`])
      expect((await askServer(server, 'GET', SECRETS, { token: '', headers: { host } })).status).toBe(200);
    expect((await askServer(server, 'GET', SECRETS, { token: '', headers: { origin: server.url } })).status).toBe(200);
    const headers = { origin: 'https://evil.example', 'impersonate-user': 'admin' };
    expect((await askServer(server, 'GET', SECRETS, { token: '', headers })).status).toBe(403);
  });
});

describe('tokens of service accounts', () => {
  const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';
  const PODS = '/api/v1/namespaces/default/pods';
  const pod = {
    metadata: { name: 'p' },
    spec: { serviceAccountName: 'robot', containers: [{ name: 'c', image: 'i' }] },
  };

  async function rig() {
    const server = await startApiServer({ tls: false });
    await askServer(server, 'POST', ACCOUNTS, { body: { metadata: { name: 'robot' } } });
    await askServer(server, 'POST', PODS, { body: pod });
    const issue = async (boundObjectRef?: object): Promise<string> => {
      const body = { spec: { boundObjectRef } };
      return (await askServer(server, 'POST', `${ACCOUNTS}/robot/token`, { body })).body.status.token as string;
    };
    const works = async (token: string): Promise<boolean> =>
      (await askServer(server, 'GET', PODS, { token })).status === 200;
    const review = async (token: string): Promise<{ authenticated?: boolean; error?: string }> => {
      const body = { spec: { token } };
      return (await askServer(server, 'POST', '/apis/authentication.k8s.io/v1/tokenreviews', { body })).body.status;
    };
    return { server, issue, works, review };
  }

  test('S65: a token ends with its account, and an account of the same name does not bring it back', async () => {
    const { server, issue, works, review } = await rig();
    await using _ = server;
    const token = await issue();
    expect([await works(token), (await review(token)).authenticated]).toEqual([true, true]);
    await askServer(server, 'DELETE', `${ACCOUNTS}/robot`);
    expect([await works(token), (await review(token)).error]).toEqual([
      false,
      expect.stringContaining('service account token has been invalidated'),
    ]);
    await askServer(server, 'POST', ACCOUNTS, { body: { metadata: { name: 'robot' } } });
    expect(await works(token)).toBe(false);
    expect(await works(await issue())).toBe(true);
  });

  test('S65: a token that is bound to a pod ends with the pod, others do not', async () => {
    const { server, issue, works } = await rig();
    await using _ = server;
    const [bound, free] = [await issue({ apiVersion: 'v1', kind: 'Pod', name: 'p' }), await issue()];
    expect([await works(bound), await works(free)]).toEqual([true, true]);
    await askServer(server, 'DELETE', `${PODS}/p?gracePeriodSeconds=0`);
    expect([await works(bound), await works(free)]).toEqual([false, true]);
    await askServer(server, 'POST', PODS, { body: pod });
    expect(await works(bound)).toBe(false);
  });

  test('S65: a token that is kept on file is bound after a restart too', async () => {
    const data = await mkdtemp(join(tmpdir(), 'bound-'));
    let token: string;
    {
      await using server = await startApiServer({ tls: false, data });
      await askServer(server, 'POST', ACCOUNTS, { body: { metadata: { name: 'robot' } } });
      token = (await askServer(server, 'POST', `${ACCOUNTS}/robot/token`, { body: {} })).body.status.token;
    }
    await using server = await startApiServer({ tls: false, data });
    expect((await askServer(server, 'GET', PODS, { token })).status).toBe(200);
    await askServer(server, 'DELETE', `${ACCOUNTS}/robot`);
    expect((await askServer(server, 'GET', PODS, { token })).status).toBe(401);
  });
});

test('S124: an apply with thousands of conflicts is answered in a bounded text', async () => {
  await using server = await startApiServer({ tls: false });
  const path = '/api/v1/namespaces/default/configmaps/a';
  const apply = (manager: string, value: string): Promise<Answer> => {
    const data = Object.fromEntries(Array.from({ length: 1_500 }, (_, at) => [`k${at}`, value]));
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data };
    const headers = { 'content-type': 'application/apply-patch+yaml' };
    return askServer(server, 'PATCH', `${path}?fieldManager=${manager}`, { body, headers });
  };
  for (const manager of ['a', 'b', 'c']) await apply(manager, '1');
  const { status, body } = await apply('d', '2');
  expect([status, body.details.causes.length]).toEqual([409, 1_000]);
  expect(body.message).toContain('Apply failed with 4500 conflicts');
  expect(body.message.endsWith('and 3500 more')).toBe(true);
}); // prettier-ignore

describe.skipIf(process.platform === 'win32')('the data directory', () => {
  const refused = (what: string) =>
    expect.objectContaining({ code: 'INVALID_OPTION', message: expect.stringContaining(what) });
  const IDENTITY = JSON.stringify({ token: 'planted', tokens: [] });

  test.each([
    ['the group', 0o620],
    ['everybody', 0o602],
  ])('S66: an identity that %s can write is not believed', async (_, mode) => {
    const data = await mkdtemp(join(tmpdir(), 'planted-'));
    await writeFile(join(data, 'identity.json'), IDENTITY);
    await chmod(join(data, 'identity.json'), mode);
    await expect(startApiServer({ tls: false, data })).rejects.toEqual(refused('can be written by other users'));
    await chmod(join(data, 'identity.json'), 0o600);
    await using server = await startApiServer({ tls: false, data });
    expect(server.token).toBe('planted');
  });

  test('S66: a symbolic link to an identity, a directory in its place, and a directory open to others are refused', async () => {
    const data = await mkdtemp(join(tmpdir(), 'planted-'));
    await writeFile(join(data, 'elsewhere'), IDENTITY, { mode: 0o600 });
    await symlink(join(data, 'elsewhere'), join(data, 'identity.json'));
    await expect(startApiServer({ tls: false, data })).rejects.toEqual(refused('symbolic link'));
    await rename(join(data, 'identity.json'), join(data, 'link'));
    await mkdir(join(data, 'identity.json'));
    await expect(startApiServer({ tls: false, data })).rejects.toEqual(refused('not a regular file'));
    await chmod(data, 0o777);
    await expect(startApiServer({ tls: false, data })).rejects.toEqual(refused('data directory'));
  });

  test.each([
    ['cut off', '{"token": "quoted-secret'],
    ['without quotes', '{token: "quoted-secret"}'],
    ['null', 'null'],
    ['a list', '[]'],
    ['a token that is a number', '{"token": 5}'],
    ['an empty token', '{"token": ""}'],
    ['a user that is none', '{"token": "quoted-secret", "tokens": [{"token": "x", "user": null}]}'],
    ['a token of nobody', '{"token": "quoted-secret", "tokens": [null]}'],
    ['an authority without a key', '{"token": "quoted-secret", "authority": {"certificate": "x"}}'],
  ])('S123: a damaged identity is refused by its name, and not quoted: %s', async (_, text) => {
    const data = await mkdtemp(join(tmpdir(), 'damaged-'));
    await writeFile(join(data, 'identity.json'), text, { mode: 0o600 });
    const error: unknown = await startApiServer({ tls: false, data }).catch((thrown: unknown) => thrown);
    expect(error).toEqual(refused('identity.json is damaged'));
    expect(inspect(error, { depth: 9 })).not.toContain('quoted-secret');
    // The directory is free again.
    await rm(join(data, 'identity.json'));
    await (await startApiServer({ tls: false, data })).close();
  });

  test.each(['identity.json', 'log-00000001', 'lock'])('S123: a pipe or a link in the place of %s is refused, and not read', async (name) => {
    const data = await mkdtemp(join(tmpdir(), 'piped-'));
    await run('mkfifo', ['-m', '600', join(data, name)]);
    await expect(startApiServer({ tls: false, data })).rejects.toEqual(refused('not a regular file'));
    await rm(join(data, name));
    await writeFile(join(data, 'elsewhere'), 'of others', { mode: 0o600 });
    await symlink(join(data, 'elsewhere'), join(data, name));
    await expect(startApiServer({ tls: false, data })).rejects.toEqual(refused('symbolic link'));
    expect(await readFile(join(data, 'elsewhere'), 'utf8')).toBe('of others');
  }); // prettier-ignore

  test.skipIf(process.getuid?.() === 0)('S66: a directory of another user is refused', async () => {
    await expect(startApiServer({ tls: false, data: '/' })).rejects.toEqual(refused('belongs to user 0'));
  });
});
