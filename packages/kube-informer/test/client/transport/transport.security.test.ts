import type { LookupFunction } from 'node:net';
import tls from 'node:tls';
import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isPublicAddress } from '../../../src/client/transport/addresses.ts';
import { guardedDialLookup } from '../../../src/client/transport/node/dial.ts';
import { createNodeTransport } from '../../../src/client/transport/node/node-transport.ts';
import { isTransportTrustFailure } from '../../../src/client/transport/transport-failure.ts';
import { fakeEnv } from '../../../src/testing/fake-clock.ts';
import { TestAuthority } from '../rig/certificates.ts';
import { type Handler, ScriptedServer } from '../rig/scripted-server.ts';
import {
  certificates,
  ChangingTls,
  echo,
  failure,
  get,
  nextText,
  QUIET,
  reader,
  serve,
  stopLater,
  textOf,
  transportTo,
  until,
  watch,
} from '../rig/transport-rig.ts';

const certs = certificates();

/** Answers with the name in the client's certificate. */
const whoami: Handler = (request, answer) => {
  const { CN = 'nobody' } = ((request.socket as tls.TLSSocket).getPeerCertificate().subject ?? {}) as { CN?: string };
  answer.writeHead(200);
  if (request.url === '/watch') answer.write(CN);
  else answer.end(CN);
};

describe.each(['h1', 'h2'] as const)('redirects, on %s', (protocol) => {
  test('S6, S7: no redirect is followed, and nothing is sent anywhere else', async () => {
    const { authority, pair } = certs();
    const other = await serve({ pair, protocol, handler: echo });
    const server = await serve({
      pair,
      protocol,
      handler: (request, answer) => {
        const [, status, where] = /^\/(\d+)\/(\w+)/.exec(request.url ?? '') ?? [];
        answer.writeHead(Number(status), { location: where === 'same' ? '/200' : `${other.url.origin}/stolen` });
        answer.end('moved');
      },
    });
    const transport = transportTo(server, authority.ca);
    for (const status of [301, 302, 303, 307, 308]) {
      for (const where of ['same', 'other']) {
        const headers = { authorization: 'Bearer secret', cookie: 'a=b', 'impersonate-user': 'admin' };
        const answer = await transport.send(get(`/${status}/${where}`, { method: 'POST', headers, body: 'secret' }));
        expect(answer.status).toBe(status);
        expect(answer.headers.get('location')).toBe(where === 'same' ? '/200' : `${other.url.origin}/stolen`);
        expect(await textOf(answer)).toBe('moved');
      }
    }
    expect(server.seen).toHaveLength(10);
    expect(other.accepted).toBe(0);
  });
});

describe('what is put on the wire', () => {
  test('S8: a header or a path that would change the request is refused, without printing its value', async () => {
    const { authority, pair } = certs();
    const server = await serve({ pair, protocol: 'h1', handler: echo });
    const transport = transportTo(server, authority.ca);
    const bad = ['secret\r\nx-evil: 1', 'secret\nx', 'secret\0x', 'secret\u{1F511}'];
    for (const value of bad) {
      for (const headers of [{ authorization: value }, { authorization: ['fine', value] }]) {
        const error = await failure(transport.send(get('/', { headers })));
        expect(error).toMatchObject({ code: 'INVALID_OPTION' });
        expect(inspect(error)).not.toContain('secret');
        expect(error.message).toContain('authorization');
      }
    }
    for (const name of ['x y', 'X-Upper', 'a:b', '', 'a\r\n']) {
      expect(await failure(transport.send(get('/', { headers: { [name]: 'v' } })))).toMatchObject({
        code: 'INVALID_OPTION',
      });
    }
    for (const path of ['', 'api', '/a b', '/a\r\nx', '/ü', '/a#b', 'https://evil.test/']) {
      expect(await failure(transport.send(get(path)))).toMatchObject({ code: 'INVALID_OPTION' });
    }
    expect(server.accepted).toBe(0);
  });

  test('S25: printing a transport shows no credentials', async () => {
    const { authority, pair } = certs();
    const client = authority.client('me');
    const transport = createNodeTransport({
      server: new URL('https://user:topsecret@127.0.0.1:1'),
      tls: new ChangingTls({ ca: authority.ca, certificate: client }),
      proxy: new URL('http://proxyuser:proxysecret@127.0.0.1:1'),
      env: QUIET,
    });
    const error = await failure(transport.send(get('/')));
    for (const text of [
      inspect(transport, { depth: 9, showHidden: true }),
      JSON.stringify(transport),
      inspect(error, { depth: 9 }),
    ]) {
      expect(text).not.toMatch(/topsecret|proxysecret|PRIVATE KEY/);
    }
    expect(pair).toBeDefined();
  });

  test('an impossible option is refused by name', () => {
    const options = { server: new URL('https://127.0.0.1'), tls: new ChangingTls({}), env: QUIET };
    const refused = (more: object, name: string): void =>
      expect(() => createNodeTransport({ ...options, ...more })).toThrow(
        expect.objectContaining({ code: 'INVALID_OPTION', message: expect.stringContaining(name) as string }),
      );
    refused({ server: new URL('ftp://127.0.0.1') }, 'server');
    refused({ limits: { silenceMs: 0 } }, 'limits.silenceMs');
    refused({ limits: { connectTimeoutMs: Number.NaN } }, 'limits.connectTimeoutMs');
    refused({ proxy: new URL('socks4://user:pw@127.0.0.1') }, 'proxy');
  });
});

describe('trust', () => {
  const handshake = async (settings: object, names?: readonly string[], days?: number, host = '127.0.0.1') => {
    const { authority } = certs();
    const pair = authority.server(names, days);
    const server = await serve({ pair, protocol: 'h2', handler: echo });
    const url = new URL(`https://${host}:${server.port}`);
    const transport = transportTo(url, new ChangingTls({ ca: authority.ca, ...settings }));
    return textOf(await transport.send(get('/ok')));
  };

  test('S21: the certificate must be for the address, or for the given server name', async () => {
    expect(await handshake({}, ['127.0.0.1'])).toBe('/ok');
    expect(await handshake({}, ['localhost'], 2, 'localhost')).toBe('/ok');
    expect(await handshake({ serverName: 'api.test' }, ['api.test'])).toBe('/ok');
    expect(await handshake({ serverName: '10.0.0.1' }, ['10.0.0.1'])).toBe('/ok');
    for (const [settings, names] of [
      [{}, ['localhost']],
      [{ serverName: 'other.test' }, ['api.test', '127.0.0.1']],
    ] as const) {
      const error = await failure(handshake(settings, names));
      expect(error).toMatchObject({ code: 'TRANSPORT', cause: { code: 'ERR_TLS_CERT_ALTNAME_INVALID' } });
      expect(isTransportTrustFailure(error)).toBe(true);
    }
  });

  test('S21: an expired certificate and one of another authority are refused', async () => {
    const { authority } = certs();
    const server = await serve({ pair: authority.server(undefined, -1), protocol: 'h2', handler: echo });
    const error = await failure(transportTo(server, authority.ca).send(get('/')));
    expect(error.cause.code).toBe('CERT_HAS_EXPIRED');
    const stranger = new TestAuthority('stranger');
    const other = await failure(handshake({ ca: stranger.ca }));
    expect(isTransportTrustFailure(other)).toBe(true);
    // Without an authority of its own the platform's roots count, and they do not know ours.
    expect(isTransportTrustFailure(await failure(handshake({ ca: undefined })))).toBe(true);
  });

  test('S21: a server that offers TLS 1.1 at most is refused, whatever the defaults of the process', async () => {
    const { authority, pair } = certs();
    const { DEFAULT_MIN_VERSION, DEFAULT_CIPHERS } = tls;
    onTestFinished(() => void Object.assign(tls, { DEFAULT_MIN_VERSION, DEFAULT_CIPHERS }));
    Object.assign(tls, { DEFAULT_MIN_VERSION: 'TLSv1', DEFAULT_CIPHERS: 'DEFAULT@SECLEVEL=0' });
    const server = tls.createServer({ ...pair, minVersion: 'TLSv1', maxVersion: 'TLSv1.1' }, (socket) => socket.end());
    const listening = await stopLater(new ScriptedServer(server).listen());
    const error = await failure(transportTo(listening, authority.ca).send(get('/')));
    expect(error.message).toMatch(/protocol version|unsupported protocol/i);
  });

  test('S20: NODE_TLS_REJECT_UNAUTHORIZED does not turn verification off', async () => {
    const stranger = new TestAuthority('stranger');
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      const error = await failure(handshake({ ca: stranger.ca }));
      expect(isTransportTrustFailure(error)).toBe(true);
    } finally {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    }
  });

  test('S20: insecureSkipVerify is honoured', async () => {
    const { pair } = certs();
    const server = await serve({ pair, protocol: 'h2', handler: echo });
    const transport = transportTo(server, new ChangingTls({ insecureSkipVerify: true }));
    expect(await textOf(await transport.send(get('/ok')))).toBe('/ok');
  });

  describe('S19: with publicAddressesOnly', () => {
    const answering = (...addresses: string[]): LookupFunction =>
      ((_: string, { all }: { all?: boolean }, done: (error: null, found: unknown, family?: number) => void) => {
        const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
        if (all === true) done(null, found);
        else done(null, found[0]?.address, found[0]?.family);
      }) as unknown as LookupFunction;

    test.each<[string, string, LookupFunction | undefined]>([
      ['an address', 'https://127.0.0.1', undefined],
      ['an IPv6 address', 'https://[::1]', undefined],
      ['a name that leads to one', 'https://api.test', answering('127.0.0.1')],
      ['a name that leads to private ones only', 'https://api.test', answering('10.0.0.1', '::1', '169.254.169.254')],
      ['a name the platform resolves', 'https://localhost', undefined],
    ])('%s that is private is not connected to', async (_, url, lookup) => {
      const { pair, authority } = certs();
      const server = await serve({ pair, protocol: 'h1', handler: echo });
      const transport = transportTo(new URL(`${url}:${server.port}`), authority.ca, {
        publicAddressesOnly: true,
        ...(lookup === undefined ? {} : { lookup }),
      });
      const error = await failure(transport.send(get('/')));
      expect(error).toMatchObject({ code: 'TRANSPORT', cause: { code: 'ERR_ADDRESS_REFUSED' } });
      expect(server.sockets.size + server.handshakes).toBe(0);
    });

    test.each([true, false])(
      'private addresses are taken out of an answer that has public ones, all: %s',
      async (all) => {
        const lookup = guardedDialLookup(answering('127.0.0.1', '1.1.1.1', 'fd00::1', '2606:4700::1'), isPublicAddress);
        const found = await new Promise((resolve) => {
          lookup('api.test', { all }, (_, address, family) => resolve(all ? address : [address, family]));
        });
        const first = { address: '1.1.1.1', family: 4 };
        expect(found).toEqual(all ? [first, { address: '2606:4700::1', family: 6 }] : ['1.1.1.1', 4]);
      },
    );

    test('a proxy, which hides the address, is refused', () => {
      const { authority } = certs();
      const proxy = new URL('http://127.0.0.1:1');
      expect(() =>
        transportTo(new URL('https://api.test'), authority.ca, { publicAddressesOnly: true, proxy }),
      ).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
    });
  });
});

describe.each(['h1', 'h2'] as const)('certificates that change, on %s', (protocol) => {
  async function rig() {
    const { authority, pair } = certs();
    const server = await serve({ pair, protocol, handler: whoami, clientCa: authority.ca });
    const source = new ChangingTls({ ca: authority.ca, certificate: authority.client('first') });
    return { authority, server, source, transport: transportTo(server, source) };
  }

  test('F10, G23: a new client certificate ends all connections, and the next request shows it', async () => {
    const { authority, source, transport } = await rig();
    const chunks = reader(await transport.send(watch()));
    expect(await nextText(chunks)).toBe('first');
    expect(await transport.refreshTls()).toBe(false);
    source.files = { ...source.settings, certificate: authority.client('second') };
    const broken = failure(chunks.next());
    expect(await transport.refreshTls()).toBe(true);
    expect(await broken).toMatchObject({ code: 'TRANSPORT', cause: { code: 'ERR_CERTIFICATE_CHANGED' } });
    expect(await textOf(await transport.send(get('/')))).toBe('second');
    expect(transport.stats().connections).toBe(1);
  });

  test('F10, G23: a certificate that came with the credentials of a request is shown by that request', async () => {
    const { authority, source, transport } = await rig();
    expect(await textOf(await transport.send(get('/')))).toBe('first');
    // A plugin printed it a moment ago; no file changed and refreshTls was not called.
    source.settings = { ...source.settings, certificate: authority.client('second') };
    source.files = source.settings;
    expect(await textOf(await transport.send(get('/')))).toBe('second');
  });

  test('F10, G23: a new authority lets running watches finish, and new requests use a new connection', async () => {
    const { source, transport } = await rig();
    const chunks = reader(await transport.send(watch()));
    await nextText(chunks);
    await textOf(await transport.send(get('/')));
    const { connections } = transport.stats();
    source.files = { ...source.settings, ca: `${source.settings.ca}\n` };
    expect(await transport.refreshTls()).toBe(true);
    await until('unused ones are gone', () => transport.stats().connections === 1);
    const { handshakes } = transport.stats();
    expect(await textOf(await transport.send(get('/')))).toBe('first');
    expect(transport.stats()).toMatchObject({ connections: 2, streams: 1, handshakes: handshakes + 1 });
    await chunks.return?.();
    await until('the old one ends with its watch', () => transport.stats().connections === 1);
    expect(connections).toBe(protocol === 'h1' ? 2 : 1);
  });

  test('F10, G23: a connection of an old authority is not used again after the request it carried', async () => {
    const { authority, pair } = certs();
    let finish = (): void => {};
    const server = await serve({
      pair,
      protocol,
      handler: (request, answer) => {
        if (request.url !== '/slow') return answer.end('fast');
        answer.writeHead(200);
        answer.write('slow');
        finish = () => void answer.end();
        return undefined;
      },
    });
    const source = new ChangingTls({ ca: authority.ca });
    const transport = transportTo(server, source);
    const slow = await transport.send(get('/slow'));
    source.files = { ca: `${authority.ca}\n` };
    await transport.refreshTls();
    expect(transport.stats()).toMatchObject({ connections: 1, streams: 1 });
    finish();
    expect(await textOf(slow)).toBe('slow');
    await until('the old one is gone', () => transport.stats().connections === 0);
    expect(await textOf(await transport.send(get('/')))).toBe('fast');
    expect(server.handshakes).toBe(2);
  });

  test('F10, G23: a certificate that changes while a connection is made is the one that is shown', async () => {
    const { authority, server, source } = await rig();
    let resolveName = (): void => {};
    let lookups = 0;
    const lookup = ((_: string, __: object, callback: (error: null, all: object[]) => void) => {
      lookups += 1;
      const answer = (): void => callback(null, [{ address: '127.0.0.1', family: 4 }]);
      if (lookups > 1) answer();
      else resolveName = answer;
    }) as unknown as LookupFunction;
    const transport = transportTo(new URL(`https://localhost:${server.port}`), source, { lookup });
    const asked = transport.send(get('/'));
    await until('the name is looked up', () => lookups === 1);
    source.files = { ...source.settings, certificate: authority.client('second') };
    await transport.refreshTls();
    resolveName();
    expect(await textOf(await asked)).toBe('second');
    await until('the first attempt is gone', () => transport.stats().connections === 1);
  });

  test('F10, G23: a server with a certificate of a new authority is found without a restart', async () => {
    const { server, source, transport } = await rig();
    expect(await textOf(await transport.send(get('/')))).toBe('first');
    const next = new TestAuthority('next');
    (server.server as tls.Server).setSecureContext({ ...next.server(), ca: source.settings.ca as string });
    server.reset();
    // Not in the file yet: refused, by its name.
    const error = await failure(transport.send(get('/')));
    expect(isTransportTrustFailure(error)).toBe(true);
    source.files = { ...source.settings, ca: next.ca };
    expect(await textOf(await transport.send(get('/')))).toBe('first');
  });

  test('F10: an expired client certificate is replaced while watches run, automatically', async () => {
    const { authority, server, source } = await rig();
    const env = fakeEnv();
    const transport = transportTo(server, source, { env, limits: { tlsRefreshMs: 50 } });
    const chunks = reader(await transport.send(watch()));
    await nextText(chunks);
    source.files = { ...source.settings, certificate: authority.client('second') };
    const failing = failure(chunks.next());
    await env.clock.advance(50);
    expect((await failing).cause.code).toBe('ERR_CERTIFICATE_CHANGED');
    const { reads } = source;
    await env.clock.advance(500);
    expect(source.reads).toBe(reads); // no request runs, so the files are not checked
  });

  test('F10: when files cannot be read, the old settings stay in use', async () => {
    const { source, transport } = await rig();
    source.refresh = () => Promise.reject(new Error('no such file'));
    expect(await textOf(await transport.send(get('/')))).toBe('first');
    await expect(transport.refreshTls()).rejects.toThrow('no such file');
  });

  test('F10: a certificate that cannot be parsed is TRANSPORT and does not print the key', async () => {
    const { authority, server } = await rig();
    const { cert } = authority.client('me');
    const source = new ChangingTls({ ca: authority.ca, certificate: { cert, key: 'topsecret' } });
    const error = await failure(transportTo(server, source).send(get('/')));
    expect(error.code).toBe('TRANSPORT');
    expect(inspect(error)).not.toContain('topsecret');
  });
});
