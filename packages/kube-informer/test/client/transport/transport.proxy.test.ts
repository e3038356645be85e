import { createServer as createHttp } from 'node:http';
import { connect, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { isUnsentTransportFailure } from '../../../src/client/transport/transport-failure.ts';
import { Listening, rawTcp } from '../rig/scripted-server.ts';
import {
  certificates,
  ChangingTls,
  echo,
  failure,
  get,
  serve,
  stopLater,
  textOf,
  transportTo,
  until,
} from '../rig/transport-rig.ts';

const certs = certificates();

async function rig(protocol: 'h1' | 'h2' = 'h2') {
  const { authority, pair } = certs();
  const server = await serve({ pair, protocol, handler: echo });
  const through = (proxy: URL, more = {}) => transportTo(server, authority.ca, { proxy, ...more });
  return { server, authority, through };
}

/** A CONNECT proxy. `answer` decides what it says. */
async function connectProxy(answer?: string) {
  const asked: { url: string; authorization: string | undefined }[] = [];
  const server = createHttp();
  server.on('connect', (request, near: Socket) => {
    asked.push({ url: request.url as string, authorization: request.headers['proxy-authorization'] });
    near.on('error', () => {});
    if (answer !== undefined) return near.end(answer);
    const { hostname, port } = new URL(`http://${request.url}`);
    const far = connect(Number(port), hostname, () => near.write('HTTP/1.1 200 Connection established\r\n\r\n'));
    far.on('error', () => near.destroy());
    near.pipe(far).pipe(near);
    return undefined;
  });
  const listening = await stopLater(new Listening(server).listen());
  const url = (user = ''): URL => new URL(`http://${user}127.0.0.1:${listening.port}`);
  return { asked, listening, url };
}

/** SOCKS 5 with or without a password; `reply` other than 0 is a refusal. */
async function socksProxy(options: { password?: string; reply?: number } = {}) {
  const targets: string[] = [];
  const listening = await stopLater(
    rawTcp((near) => {
      let stage: 'hello' | 'password' | 'connect' | 'open' = 'hello';
      near.on('error', () => {});
      near.on('data', (data: Buffer) => {
        if (stage === 'hello') {
          const wanted = options.password === undefined ? 0 : 2;
          const offered = data.subarray(2, 2 + (data[1] as number)).includes(wanted);
          near.write(Buffer.from([5, offered ? wanted : 255]));
          stage = wanted === 0 ? 'connect' : 'password';
        } else if (stage === 'password') {
          const nameEnd = 2 + (data[1] as number);
          const given = `${data.subarray(2, nameEnd).toString()}:${data.subarray(nameEnd + 1).toString()}`;
          near.write(Buffer.from([1, given === options.password ? 0 : 1]));
          stage = 'connect';
        } else if (stage === 'connect') {
          const isName = data[3] === 3;
          const host = isName ? data.subarray(5, 5 + (data[4] as number)).toString() : data.subarray(4, 8).join('.');
          const port = data.readUInt16BE(data.length - 2);
          targets.push(`${host}:${port}`);
          stage = 'open';
          const { reply = 0 } = options;
          // Byte by byte: a proxy may split its answer anywhere.
          for (const byte of [5, reply, 0, 1, 127, 0, 0, 1, 0, 80]) near.write(Buffer.from([byte]));
          if (reply !== 0) return void near.end();
          const far = connect(port, '127.0.0.1');
          far.on('error', () => near.destroy());
          near.removeAllListeners('data');
          near.pipe(far).pipe(near);
        }
        return undefined;
      });
    }),
  );
  const url = (user = ''): URL => new URL(`socks5://${user}127.0.0.1:${listening.port}`);
  return { targets, listening, url };
}

describe.each(['h1', 'h2'] as const)('proxies, to a server with %s', (protocol) => {
  test('S7: CONNECT opens a tunnel, and the proxy sees neither requests nor tokens', async () => {
    const { server, through } = await rig(protocol);
    const proxy = await connectProxy();
    const transport = through(proxy.url('us%65r:p%40ss@'));
    for (let i = 0; i < 3; i += 1) {
      expect(await textOf(await transport.send(get('/a', { headers: { authorization: 'Bearer t' } })))).toBe('/a');
    }
    expect(proxy.asked).toEqual([
      { url: server.url.host, authorization: `Basic ${Buffer.from('user:p@ss').toString('base64')}` },
    ]);
    expect(server.seen[0]?.headers['proxy-authorization']).toBeUndefined();
  });

  test('SOCKS 5, with and without a password; names are resolved by the proxy', async () => {
    const { authority } = certs();
    const pair = authority.server(['api.test']);
    const server = await serve({ pair, protocol, handler: echo });
    for (const [password, user] of [
      [undefined, ''],
      ['me:p@ss', 'me:p%40ss@'],
    ] as const) {
      const proxy = await socksProxy(password === undefined ? {} : { password });
      const url = new URL(`https://api.test:${server.port}`);
      const transport = transportTo(url, authority.ca, { proxy: proxy.url(user) });
      expect(await textOf(await transport.send(get('/a')))).toBe('/a');
      expect(
        await textOf(
          await transportTo(server, new ChangingTls({ ca: authority.ca, serverName: 'api.test' }), {
            proxy: proxy.url(user),
          }).send(get('/b')),
        ),
      ).toBe('/b');
      expect(proxy.targets).toEqual([`api.test:${server.port}`, server.url.host]);
    }
  });
});

test('S7: a % in a password that is not an escape is literal', async () => {
  const { through } = await rig();
  const http = await connectProxy();
  expect(await textOf(await through(http.url('me:50%off@')).send(get('/a')))).toBe('/a');
  expect(http.asked).toMatchObject([{ authorization: `Basic ${btoa('me:50%off')}` }]);
  const socks = await socksProxy({ password: 'me:50%off' });
  expect(await textOf(await through(socks.url('me:50%off@')).send(get('/a')))).toBe('/a');
});

describe('proxies that fail', () => {
  test('S24: a refusal names the proxy and its status, and no password', async () => {
    const { through } = await rig();
    const proxy = await connectProxy('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n');
    const error = await failure(through(proxy.url('me:topsecret@')).send(get('/')));
    expect(error).toMatchObject({ code: 'TRANSPORT', cause: { code: 'ERR_PROXY' } });
    expect(error.message).toBe(`GET /: the proxy ${proxy.url().host} responded with 407`);
    expect(inspect(error, { depth: 9 })).not.toContain('topsecret');
    expect(inspect(error, { depth: 9 })).not.toContain(Buffer.from('me:topsecret').toString('base64'));
    expect(isUnsentTransportFailure(error)).toBe(true);
    await until('its socket is gone', () => proxy.listening.sockets.size === 0);
  });

  test('a SOCKS proxy that refuses, wants another password, or speaks another protocol: the error says so', async () => {
    const { through } = await rig();
    const refusing = await socksProxy({ reply: 5 });
    expect((await failure(through(refusing.url()).send(get('/')))).message).toContain('connection refused');
    const strict = await socksProxy({ password: 'me:right' });
    expect((await failure(through(strict.url('me:wrong@')).send(get('/')))).message).toContain('password is wrong');
    expect((await failure(through(strict.url()).send(get('/')))).message).toContain('an unsupported way of signing in');
    const http = await connectProxy();
    const misnamed = new URL(`socks5://127.0.0.1:${http.listening.port}`);
    expect((await failure(through(misnamed).send(get('/')))).code).toBe('TRANSPORT');
    const rude = await stopLater(rawTcp((socket) => socket.end()));
    const closing = new URL(`socks5://127.0.0.1:${rude.port}`);
    expect((await failure(through(closing).send(get('/')))).cause.code).toBe('ERR_PROXY');
  });

  test('F9: a proxy that never responds fails after the connect timeout, and an abort ends the wait', async () => {
    const { through } = await rig();
    const mute = await stopLater(rawTcp());
    for (const scheme of ['http', 'socks5', 'https']) {
      const proxy = new URL(`${scheme}://127.0.0.1:${mute.port}`);
      const slow = through(proxy, { limits: { connectTimeoutMs: 100 } });
      expect((await failure(slow.send(get('/')))).cause.code).toBe('ERR_CONNECT_TIMEOUT');
      const stop = new AbortController();
      const before = mute.accepted;
      const waiting = failure(through(proxy).send(get('/', { signal: stop.signal })));
      await until('it is asked', () => mute.accepted > before);
      stop.abort();
      expect(await waiting).toMatchObject({ code: 'ABORTED' });
    }
    await until('its sockets are gone', () => mute.sockets.size === 0);
  });

  test('F7: a proxy that is not there is a refused connection', async () => {
    const { through } = await rig();
    const gone = await stopLater(rawTcp());
    const proxy = new URL(`http://127.0.0.1:${gone.port}`);
    await gone.stop();
    expect((await failure(through(proxy).send(get('/')))).cause.code).toBe('ECONNREFUSED');
  });
});
