import process from 'node:process';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { ConnectOptions } from '../../../src/client/connect/connect-options.ts';
import { resolveConnection } from '../../../src/client/connect/resolve-connection.ts';
import type { Connection } from '../../../src/client/connect/connection.ts';
import type { Impersonation } from '../../../src/client/config/connection-plan.ts';
import { fakeEnv } from '../../../src/testing/fake-clock.ts';
import { everyPrint, failure, kubeconfig, type KubeconfigParts, never, TempDir } from '../rig/auth-rig.ts';

function rig(parts: KubeconfigParts = {}, options: ConnectOptions = {}) {
  const env = fakeEnv();
  const connect = (): Promise<Connection> =>
    resolveConnection({ kubeconfig: kubeconfig(parts), environment: {}, ...options }, env);
  return { env, connect, problem: async () => (await failure(connect)).message };
}
const EXEC = { apiVersion: 'client.authentication.k8s.io/v1', command: '/bin/true', interactiveMode: 'Never' };

describe('S8: nothing that becomes a header may end it', () => {
  const bad = ['a\r\nX-Evil: 1', 'a\nb', 'a\0', 'ä', ''];
  test.each(['user', 'uid', 'group', 'extra value', 'extra name'])('impersonation: %s', async (part) => {
    for (const value of bad) {
      const impersonate: Impersonation = {
        user: part === 'user' ? value : 'jane',
        ...(part === 'uid' ? { uid: value } : {}),
        groups: part === 'group' ? ['ok', value] : [],
        extra: part === 'extra value' ? { scope: [value] } : part === 'extra name' ? { [value]: ['x'] } : {},
      };
      const error = await failure(rig({}, { impersonate }).connect);
      expect(error, JSON.stringify(value)).toMatchObject({ code: 'INVALID_CONFIG' });
      expect(error.message).toContain('impersonation');
      expect(error.message).not.toContain('\n');
    }
  });

  test('impersonation in a kubeconfig', async () => {
    expect(await rig({ user: { as: 'a\r\nX-Evil: 1' } }).problem()).toContain('impersonation: user');
    const { impersonate } = await rig({
      user: { as: 'jane', 'as-uid': '7', 'as-groups': ['dev', 'ops'], 'as-user-extra': { scope: ['a', 'b'] } },
    }).connect();
    expect(impersonate).toEqual({ user: 'jane', uid: '7', groups: ['dev', 'ops'], extra: { scope: ['a', 'b'] } });
  });

  test('a token in a kubeconfig or in code', async () => {
    expect(await rig({ user: { token: 'a\r\nX-Evil: 1' } }).problem()).toContain(
      'users["dev"].user.token: expected a token',
    );
    expect(await rig({}, { token: 'a\r\nX-Evil: 1' }).problem()).toContain('option token: expected a token');
  });
});

describe('S10: credentials are not sent over plain http', () => {
  const users: Record<string, object> = {
    token: { token: 't' },
    basic: { username: 'u', password: 'p' },
    exec: { exec: EXEC },
    oidc: { 'auth-provider': { name: 'oidc', config: { 'idp-issuer-url': 'https://x', 'refresh-token': 'r' } } },
  };
  test.each(Object.keys(users))(
    'S10: %s: refused, also on loopback unless allowed, and never elsewhere',
    async (kind) => {
      const user = users[kind] as object;
      for (const server of [
        'http://dev.example.com',
        'http://10.0.0.1:8080',
        'http://127.0.0.1:8001',
        'http://localhost:8001',
      ])
        expect(await rig({ cluster: { server }, user }).problem(), server).toContain(
          'credentials are not sent over plain http',
        );
      const allowed = { allowCredentialsOverHttp: true };
      expect(await rig({ cluster: { server: 'http://dev.example.com' }, user }, allowed).problem()).toContain(
        'use https',
      );
      expect(await rig({ cluster: { server: 'http://127.0.0.1.example.com' }, user }, allowed).problem()).toContain(
        'use https',
      );
      for (const server of ['http://127.0.0.1:8001', 'http://[::1]:8001', 'http://localhost:8001'])
        expect((await rig({ cluster: { server }, user }, allowed).connect()).server.protocol).toBe('http:');
      const proxied = { ...allowed, proxy: 'http://proxy:1' };
      expect(await rig({ cluster: { server: 'http://127.0.0.1:8001' }, user }, proxied).problem()).toContain(
        'use https',
      );
    },
  );

  test('S10: kubectl proxy needs none: loopback is quiet, anything else is warned about', async () => {
    const local = rig({ cluster: { server: 'http://127.0.0.1:8001' } });
    expect((await local.connect()).credentials.kind).toBe('none');
    expect(local.env.lines).toEqual([]);
    const remote = rig({ cluster: { server: 'http://dev.example.com' } });
    await remote.connect();
    expect(remote.env.lines).toMatchObject([{ level: 'warn', fields: { server: 'dev.example.com' } }]);
  });

  test('a client certificate counts as credentials, and the token of a plain url too', async () => {
    expect(await rig({}, { url: 'http://10.0.0.1', token: 't' }).problem()).toContain('plain http');
    const pem = btoa('-----BEGIN CERTIFICATE-----\n');
    expect(
      await rig({
        cluster: { server: 'http://x' },
        user: { 'client-certificate-data': pem, 'client-key-data': pem },
      }).problem(),
    ).toContain('plain http');
  });
});

describe('S19: an untrusted kubeconfig may name a public https server, and nothing else', () => {
  const pem = btoa('-----BEGIN CERTIFICATE-----\n');
  test.each<[string, KubeconfigParts, RegExp]>([
    ['a program', { user: { exec: EXEC } }, /users\["dev"\]\.user\.exec: .* may not run a program/],
    [
      'an identity provider',
      { user: { 'auth-provider': { name: 'oidc', config: {} } } },
      /may not name an identity provider/,
    ],
    ['a token file', { user: { tokenFile: '/etc/shadow' } }, /tokenFile: .* may not name a file/],
    ['a certificate authority file', { cluster: { 'certificate-authority': '/etc/shadow' } }, /may not name a file/],
    ['a certificate file', { user: { 'client-certificate': '/x', 'client-key-data': pem } }, /may not name a file/],
    ['a key file', { user: { 'client-certificate-data': pem, 'client-key': '/x' } }, /may not name a file/],
    ['a proxy', { cluster: { 'proxy-url': 'http://proxy' } }, /proxy-url: .* may not name a proxy/],
    ['plain http', { cluster: { server: 'http://dev.example.com' } }, /may not use anything but https/],
    ['a host alone', { cluster: { server: 'dev.example.com' } }, /may not use anything but https/],
    ['the metadata service', { cluster: { server: 'https://169.254.169.254' } }, /private address/],
    ['the metadata service in octal', { cluster: { server: 'https://0251.0376.0251.0376' } }, /private address/],
    ['the metadata service as a number', { cluster: { server: 'https://2852039166' } }, /private address/],
    ['the metadata service in IPv6', { cluster: { server: 'https://[::ffff:169.254.169.254]' } }, /private address/],
    ['localhost', { cluster: { server: 'https://localhost:6443' } }, /private address/],
    ['a name below localhost', { cluster: { server: 'https://x.localhost.' } }, /private address/],
    ['a private address', { cluster: { server: 'https://10.0.0.1' } }, /private address/],
    ['a socket', { cluster: { server: 'unix:///var/run/docker.sock' } }, /expected a URL/],
  ])('%s', async (_, parts, expected) => {
    expect(await rig(parts, { untrusted: true }).problem()).toMatch(expected);
  });

  test("S19: what is left works, without the environment's proxy, and tells the transport to check addresses", async () => {
    const environment = { HTTPS_PROXY: 'http://proxy:1' };
    const connection = await rig({ user: { token: 't' } }, { untrusted: true, environment }).connect();
    expect(connection.proxy).toBeUndefined();
    expect(connection.publicAddressesOnly).toBe(true);
    expect((await connection.credentials.current(never)).authorization).toBe('Bearer t');
    expect((await rig({ user: { token: 't' } }, { environment }).connect()).publicAddressesOnly).toBeUndefined();
  });

  test('untrusted requires a kubeconfig, and allows no proxy', async () => {
    expect(
      await failure(() => resolveConnection({ untrusted: true, url: 'https://x', environment: {} })),
    ).toMatchObject({ code: 'INVALID_OPTION' });
    expect(await failure(rig({}, { untrusted: true, proxy: 'http://p' }).connect)).toMatchObject({
      code: 'INVALID_OPTION',
    });
  });

  test('what code adds is trusted', async () => {
    await using dir = await TempDir.create();
    const tokenFile = await dir.write('token', 'ours');
    const connection = await rig({}, { untrusted: true, tokenFile }).connect();
    expect((await connection.credentials.current(never)).authorization).toBe('Bearer ours');
  });
});

describe('S20: switching off the check of certificates', () => {
  const cluster = { 'insecure-skip-tls-verify': true };
  test('S20: disabling the verification of certificates is honoured, and a warning is logged', async () => {
    const { connect, env } = rig({ cluster });
    const connection = await connect();
    expect(connection.tls.current().insecureSkipVerify).toBe(true);
    expect(env.lines).toMatchObject([{ level: 'warn', fields: { server: 'dev.example.com:6443' } }]);
    expect(everyPrint(connection)).toContain('insecureSkipVerify: true');
  });

  test('is refused with strictTls, from wherever it comes', async () => {
    expect(await rig({ cluster }, { strictTls: true }).problem()).toContain('strictTls forbids');
    expect(await rig({}, { strictTls: true, insecureSkipTlsVerify: true }).problem()).toContain('strictTls forbids');
  });

  test('is never inherited from the environment', async () => {
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      const environment = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
      for (const options of [{}, { environment }])
        expect((await rig({}, options).connect()).tls.current().insecureSkipVerify).toBeUndefined();
    } finally {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
    }
  });
});

test('S15: execPolicy deny refuses the kubeconfig before anything runs', async () => {
  expect(await rig({ user: { exec: EXEC } }, { execPolicy: 'deny' }).problem()).toContain(
    'option execPolicy denies all credential plugins',
  );
  expect(await failure(rig({ user: { exec: EXEC } }, { execPolicy: { allow: ['./x'] } }).connect)).toMatchObject({
    code: 'INVALID_OPTION',
  });
});

test('S18: files a kubeconfig names are read only if they are small and regular, and never shown', async () => {
  await using dir = await TempDir.create();
  const secret = await dir.write('shadow', 'root:CANARY:1\nme:CANARY:2');
  for (const parts of [
    { cluster: { 'certificate-authority': secret } },
    { user: { tokenFile: secret } },
    { user: { 'client-certificate': secret, 'client-key': secret } },
    { user: { 'auth-provider': { name: 'oidc', config: { 'idp-certificate-authority': '/dev/zero' } } } },
    { user: { tokenFile: '/dev/zero' } },
    { user: { tokenFile: await dir.write('large', 'x'.repeat(70_000)) } },
  ]) {
    const error = await failure(rig(parts).connect);
    expect(['INVALID_CONFIG', 'CREDENTIALS']).toContain(error.code);
    expect(everyPrint(error)).not.toContain('CANARY');
  }
});

test('S25: printing a connection shows server, origin and kinds, nothing secret', async () => {
  const connection = await rig({
    cluster: { 'proxy-url': 'http://me:CANARY@proxy:3128' },
    user: { token: 'CANARY', as: 'jane' },
  }).connect();
  const shown = everyPrint(connection);
  expect(shown).not.toContain('CANARY');
  for (const part of ['https://dev.example.com:6443/', 'context "dev"', "credentials: 'token'", 'jane', 'proxy:3128'])
    expect(shown).toContain(part);
  const copy = { ...connection };
  expect(inspect(copy, { depth: 9 }) + JSON.stringify(copy)).not.toContain('CANARY');
  expect(connection.proxy?.password).toBe('CANARY');
});
