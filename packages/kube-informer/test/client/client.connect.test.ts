import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Client, type ClientConnectOptions } from '../../src/client/client.ts';
import { resolveConnection } from '../../src/client/connect/resolve-connection.ts';
import { createTransport } from '../../src/client/connect/create-transport.ts';
import type { FetchInit, FetchLike } from '../../src/client/transport/fetch/fetch-transport.ts';
import { platformFetch, platformOfFetch } from '../../src/client/transport/fetch/platform-fetch.ts';
import { TempDir } from './rig/auth-rig.ts';
import { certificates, echo, failure, QUIET, serve } from './rig/transport-rig.ts';

const certs = certificates();

/** A client of a real TLS server, told where it is as a user would tell it. */
async function rig(options: ClientConnectOptions = {}) {
  const { authority, pair } = certs();
  const server = await serve({ pair, protocol: 'h2', handler: echo });
  const client = await Client.connect({ url: server.url, ca: authority.ca, token: 'abc', env: QUIET, ...options });
  onTestFinished(() => client.close());
  return { server, client };
}

/** Stands in for a platform; undone when the test ends. */
function pretend(globals: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
  onTestFinished(() => void vi.unstubAllGlobals());
}

const answer = { status: 200, type: 'basic', headers: { forEach: () => {} }, body: null };

describe('one call makes a client', () => {
  test('with options: address, trust, token, user agent', async () => {
    const { client, server } = await rig({ userAgent: 'mine/1' });
    expect(await client.request({ path: '/version' })).toBe('/version');
    expect(server.seen).toMatchObject([{ headers: { authorization: 'Bearer abc', 'user-agent': 'mine/1' } }]);
  });

  test('with a kubeconfig, in the namespace of its context', async () => {
    const { server } = await rig();
    const { authority } = certs();
    await using dir = await TempDir.create();
    const kubeconfigFile = await dir.write('config', JSON.stringify({
      clusters: [{ name: 'c', cluster: { server: server.url.href, 'certificate-authority-data': btoa(authority.ca) } }],
      users: [{ name: 'u', user: { token: 'of-the-file' } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'shop' } }],
      'current-context': 'x',
    })); // prettier-ignore
    await using client = await Client.connect({ kubeconfigFile, env: QUIET });
    expect(client.connection.namespace).toBe('shop');
    await client.request({ path: '/' });
    expect(server.seen[0]?.headers['authorization']).toBe('Bearer of-the-file');
  });

  test('http2: false and limits reach the transport', async () => {
    const { client } = await rig({ http2: false, limits: { maxResponseBytes: 3 } });
    expect(await failure(client.request({ path: '/longer', attempts: 'once' }))).toMatchObject({ code: 'TRANSPORT' });
  });

  test('a transport of the caller is used as it is, and closed with the client', async () => {
    const sent: string[] = [];
    let closed = 0;
    const transport = {
      send: ({ path }: { path: string }) => {
        sent.push(path);
        return Promise.resolve({ status: 200, headers: new Map(), body: (async function* () {})() });
      },
      close: () => Promise.resolve(void (closed += 1)),
    };
    const client = await Client.connect({ url: 'https://api.test', transport, environment: {} });
    await client.request({ path: '/a' });
    await client.close();
    expect([sent, closed]).toEqual([['/a'], 1]);
  });

  test('nothing configured is a clear error', async () => {
    const error = await failure(Client.connect({ order: [], environment: {} }));
    expect(error).toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining('no cluster is configured'),
    });
  });
});

describe('the transport fits the platform', () => {
  const connection = (more: ClientConnectOptions = {}) =>
    resolveConnection({ url: 'https://api.test', ca: certs().authority.ca, environment: {}, ...more }, QUIET);

  /** What the platform's fetch is called with. */
  async function calls(more: ClientConnectOptions, globals: Readonly<Record<string, unknown>>) {
    const resolved = await connection(more);
    const seen: (FetchInit & Record<string, unknown>)[] = [];
    const fetch: FetchLike = (_, init) => {
      seen.push(init as FetchInit & Record<string, unknown>);
      return Promise.resolve(answer);
    };
    pretend({ fetch, ...globals });
    const transport = await createTransport(resolved, { env: QUIET });
    const { signal } = new AbortController();
    await transport.send({ method: 'GET', path: '/', headers: {}, signal });
    await transport.send({ method: 'GET', path: '/', headers: {}, signal });
    return seen;
  }

  test('Bun gets the TLS settings with every request', async () => {
    const certificate = certs().authority.client('me');
    const seen = await calls(certificate, { Bun: {} });
    expect(seen[0]?.['tls']).toMatchObject({ ca: certs().authority.ca, ...certificate, rejectUnauthorized: true });
  });

  test('Deno gets one client object, and another when the settings change', async () => {
    const made: object[] = [];
    const createHttpClient = (options: object): object => {
      made.push(options);
      return { close: () => {} };
    };
    const seen = await calls({}, { Deno: { createHttpClient } });
    expect(made).toEqual([{ caCerts: [certs().authority.ca] }]);
    expect(seen[1]?.['client']).toBe(seen[0]?.['client']);

    const resolved = await connection();
    let settings = { ca: 'one' };
    const fetch = platformFetch({
      ...resolved,
      tls: { current: () => settings, refresh: () => Promise.resolve(false) },
    });
    await fetch('https://api.test', {} as FetchInit);
    settings = { ca: 'two' };
    await fetch('https://api.test', {} as FetchInit);
    expect(made.slice(1)).toEqual([{ caCerts: ['one'] }, { caCerts: ['two'] }]);
  });

  test('settings that fetch does not support are refused', async () => {
    const resolved = await connection(certs().authority.client('me'));
    pretend({ process: undefined });
    expect(platformOfFetch()).toBe('browser');
    expect(await failure(createTransport(resolved))).toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining('kubectl proxy'),
    });
  });

  test('S19: an untrusted kubeconfig is not used where addresses cannot be checked', async () => {
    const resolved = { ...(await connection()), publicAddressesOnly: true };
    const fetch: FetchLike = () => Promise.resolve(answer);
    expect(await failure(createTransport(resolved, { fetch }))).toMatchObject({ code: 'INVALID_CONFIG' });
  });
});
