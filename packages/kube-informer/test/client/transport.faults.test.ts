import type { LookupFunction } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { NodeTransportLimits } from '../../src/client/node-transport-limits.ts';
import { wasNotSent } from '../../src/client/transport-failure.ts';
import { FaultProxy, type Handler, onRequest, rawH2, rawTcp, rawTls, ScriptedServer } from './scripted-server.ts';
import {
  certificates,
  echo,
  failure,
  get,
  nextText,
  reader,
  serve,
  stopLater,
  textOf,
  transportTo,
  until,
  watch,
} from './transport-rig.ts';

const certs = certificates();

/** Dead connections are found fast, but not so fast that a busy machine looks dead. */
const FAST: Partial<NodeTransportLimits> = { pingAfterMs: 100, pingTimeoutMs: 300, silenceMs: 400 };

async function rig(protocol: 'h1' | 'h2', handler: Handler = echo, limits: Partial<NodeTransportLimits> = FAST) {
  const { authority, pair } = certs();
  const server = await serve({ pair, protocol, handler });
  const proxy = await stopLater(FaultProxy.start(server.port));
  return { server, proxy, transport: transportTo(proxy, authority.ca, { limits }) };
}

const DEAD = { h1: 'ERR_SILENT', h2: 'ERR_PING_TIMEOUT' } as const;
const SAYS = { h1: 'silent', h2: 'ping timeout' } as const;

describe.each(['h1', 'h2'] as const)('a network that fails, on %s', (protocol) => {
  test('F1: a peer that is gone without a word is noticed, and a new request uses a new connection', async () => {
    const { proxy, transport, server } = await rig(protocol);
    const chunks = reader(await transport.send(watch()));
    expect(await nextText(chunks)).toBe('line\n');
    proxy.freeze();
    const error = await failure(chunks.next());
    expect(error).toMatchObject({ code: 'TRANSPORT', cause: { code: DEAD[protocol] } });
    expect(error.message).toContain(SAYS[protocol]);
    await until('nothing is left', () => transport.stats().connections === 0 && transport.stats().streams === 0);
    proxy.freeze('none');
    expect(await nextText(reader(await transport.send(watch())))).toBe('line\n');
    expect(server.handshakes).toBe(2);
  });

  test('F3: when only the way from the server is lost, it is noticed as well', async () => {
    const { proxy, transport } = await rig(protocol);
    const chunks = reader(await transport.send(watch()));
    await nextText(chunks);
    proxy.freeze('to-client');
    expect((await failure(chunks.next())).cause.code).toBe(DEAD[protocol]);
  });

  test('F4: a reset in mid-line gives what came before it, then TRANSPORT with the system error', async () => {
    const { proxy, transport } = await rig(protocol, (_, answer) => {
      answer.writeHead(200);
      answer.write('{"type":"ADD');
    });
    const chunks = reader(await transport.send(watch()));
    expect(await nextText(chunks)).toBe('{"type":"ADD');
    proxy.reset();
    expect(await failure(chunks.next())).toMatchObject({ code: 'TRANSPORT', cause: { code: 'ECONNRESET' } });
  });

  test('F5: a FIN in mid-line is a failure, never a clean end', async () => {
    const { proxy, transport } = await rig(protocol, (_, answer) => {
      answer.writeHead(200);
      answer.write(Buffer.from('{"name":"ü').subarray(0, 10)); // cut in mid-character
    });
    const chunks = reader(await transport.send(watch()));
    await chunks.next();
    proxy.fin();
    expect(await failure(chunks.next())).toMatchObject({ code: 'TRANSPORT' });
    // It stays one, whoever asks again.
    await expect(chunks.next()).rejects.toMatchObject({ code: 'TRANSPORT' });
  });

  test('F6: a reset between the headers and the first byte leaves the status and fails the body', async () => {
    const { proxy, transport } = await rig(protocol, (_, answer) => {
      answer.writeHead(200);
      answer.flushHeaders();
    });
    const answer = await transport.send(watch());
    expect(answer.status).toBe(200);
    proxy.reset();
    expect(await failure(reader(answer).next())).toMatchObject({ code: 'TRANSPORT', cause: { code: 'ECONNRESET' } });
  });

  test('F7: a refused connection is TRANSPORT at once, and the server that came back is found', async () => {
    const { server, proxy, transport } = await rig(protocol);
    const { port } = proxy;
    await proxy.stop();
    for (let i = 0; i < 3; i += 1) {
      const error = await failure(transport.send(get('/')));
      expect(error).toMatchObject({ code: 'TRANSPORT', cause: { code: 'ECONNREFUSED' } });
      expect(wasNotSent(error)).toBe(true);
    }
    await stopLater(FaultProxy.start(server.port, port));
    expect(await textOf(await transport.send(get('/back')))).toBe('/back');
  });

  test('F8: the name is looked up for every new connection, so a changed address is found', async () => {
    const { authority } = certs();
    const pair = await authority.server('DNS:api.test');
    const old = await serve({ pair, protocol, handler: (_, answer) => void answer.end('old') });
    let address: string | undefined;
    const asked: string[] = [];
    const lookup: LookupFunction = (hostname, options, callback) => {
      asked.push(hostname);
      if (address === undefined) {
        const error = Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' });
        return callback(error, '', 0);
      }
      return options.all === true ? callback(null, [{ address, family: 4 }]) : callback(null, address, 4);
    };
    const transport = transportTo(new URL(`https://api.test:${old.port}`), authority.ca, { lookup });
    expect(await failure(transport.send(get('/')))).toMatchObject({ code: 'TRANSPORT', cause: { code: 'ENOTFOUND' } });
    address = '127.0.0.1';
    expect(await textOf(await transport.send(get('/')))).toBe('old');
    // The server moves to another address.
    const moved = await ScriptedServer.start({
      pair,
      protocol,
      handler: (_, answer) => void answer.end('moved'),
      listen: { host: '127.0.0.2', port: old.port },
    });
    await stopLater(Promise.resolve(moved));
    await old.stop();
    address = '127.0.0.2';
    expect(await textOf(await transport.send(get('/')))).toBe('moved');
    expect(asked).toEqual(['api.test', 'api.test', 'api.test']);
  });

  test('F11: one byte at a time is a living connection', async () => {
    const { transport } = await rig(
      protocol,
      (_, answer) => {
        answer.writeHead(200);
        let left = 30;
        const drip = setInterval(() => {
          answer.write('x');
          if ((left -= 1) > 0) return;
          clearInterval(drip);
          answer.end();
        }, 50);
      },
      { pingAfterMs: 1_000, pingTimeoutMs: 1_000, silenceMs: 1_000 },
    );
    const answers = await Promise.all([transport.send(watch()), transport.send(get('/'))]);
    expect(await Promise.all(answers.map(textOf))).toEqual(['x'.repeat(30), 'x'.repeat(30)]);
  });

  test('F13: a stall during our own back-pressure is found after we read on', async () => {
    const { proxy, transport } = await rig(protocol, (_, answer) => {
      answer.writeHead(200);
      answer.write('first');
      setTimeout(() => answer.write('second'), 550);
    });
    const chunks = reader(await transport.send(watch()));
    expect(await nextText(chunks)).toBe('first');
    // Longer than silence may last, but nobody is asking: no failure.
    await sleep(650);
    if (protocol === 'h1') proxy.freeze();
    expect(await nextText(chunks)).toBe('second');
    proxy.freeze();
    expect((await failure(chunks.next())).cause.code).toBe(DEAD[protocol]);
  });

  test('F17: headers that are held back are a timeout of their own, with a hint', async () => {
    const { transport } = await rig(protocol, () => {}, { longLivedHeadersTimeoutMs: 100 });
    const error = await failure(transport.send(watch()));
    expect(error).toMatchObject({ code: 'TRANSPORT', cause: { code: 'ERR_HEADERS_TIMEOUT' } });
    expect(error.message).toContain('proxy');
    expect(transport.stats().streams).toBe(0);
    const other = await failure(transport.send(get('/', { headersTimeoutMs: 50 })));
    expect(other.message).toContain('within 50 ms');
  });

  test('S9: slow headers, a line at a time, do not stretch the headers timeout', async () => {
    if (protocol === 'h2') return; // frames have no slow lines
    const { authority, pair } = certs();
    const listening = await stopLater(
      rawTls(pair, 'http/1.1', (socket) => {
        onRequest(socket, () => {
          socket.write('HTTP/1.1 200 OK\r\n');
          const drip = setInterval(() => socket.write('x-slow: 1\r\n'), 20);
          socket.on('close', () => clearInterval(drip));
        });
      }),
    );
    const transport = transportTo(listening, authority.ca, { limits: { headersTimeoutMs: 150 } });
    expect((await failure(transport.send(get('/')))).cause.code).toBe('ERR_HEADERS_TIMEOUT');
    await until('the socket is gone', () => listening.sockets.size === 0);
  });
});

describe('a connection that does not come about', () => {
  test('F9: a server that accepts and never speaks fails after the connect timeout, not that for headers', async () => {
    const { authority, pair } = certs();
    const mute = await stopLater(rawTcp());
    const limits = { connectTimeoutMs: 150, headersTimeoutMs: 60_000, longLivedHeadersTimeoutMs: 60_000 };
    const transport = transportTo(mute, authority.ca, { limits });
    const error = await failure(transport.send(watch()));
    expect(error).toMatchObject({ code: 'TRANSPORT', cause: { code: 'ERR_CONNECT_TIMEOUT' } });
    expect(error.message).toContain('150 ms');
    expect(wasNotSent(error)).toBe(true);
    await until('the socket is gone', () => mute.sockets.size === 0);
    // TLS is done, but HTTP/2 never begins.
    const half = await stopLater(rawTls(pair, 'h2', () => {}));
    expect((await failure(transportTo(half, authority.ca, { limits }).send(get('/')))).cause.code).toBe(
      'ERR_CONNECT_TIMEOUT',
    );
    await until('the socket is gone', () => half.sockets.size === 0);
  });

  test('F9: a connection closed during the handshake is TRANSPORT with the reason', async () => {
    const { authority } = certs();
    const rude = await stopLater(rawTcp((socket) => socket.destroy()));
    expect(await failure(transportTo(rude, authority.ca).send(get('/')))).toMatchObject({
      code: 'TRANSPORT',
      cause: { code: 'ECONNRESET' },
    });
  });

  test('F7: several addresses, none reachable: the message names them', async () => {
    const { authority } = certs();
    const gone = await stopLater(rawTcp());
    const { port } = gone;
    await gone.stop();
    const lookup = ((_: string, __: object, callback: (error: null, all: object[]) => void) =>
      callback(null, [
        { address: '127.0.0.1', family: 4 },
        { address: '127.0.0.2', family: 4 },
      ])) as unknown as LookupFunction;
    const error = await failure(
      transportTo(new URL(`https://api.test:${port}`), authority.ca, { lookup }).send(get('/')),
    );
    expect(error.message).toContain(`127.0.0.1:${port}`);
    expect(error.message).toContain(`127.0.0.2:${port}`);
    expect(error.cause.code).toBe('ECONNREFUSED');
  });
});

describe('quiet but healthy', () => {
  test('F2, F12: a quiet HTTP/2 watch is pinged again and again and stays open', async () => {
    const { authority, pair } = certs();
    const { listening, peers } = await rawH2(pair, (peer) => {
      peer.onRequest = (id) => peer.headers(id);
    });
    await stopLater(Promise.resolve(listening));
    const transport = transportTo(listening, authority.ca, {
      limits: { pingAfterMs: 40, pingTimeoutMs: 400, silenceMs: 100 },
    });
    const chunks = reader(await transport.send(watch()));
    const line = nextText(chunks);
    await until('five pings', () => (peers[0]?.pings ?? 0) >= 5);
    peers[0]?.data(1, 'late');
    expect(await line).toBe('late');
    await chunks.return?.();
    const { pings } = peers[0] as { pings: number };
    await sleep(400);
    expect(peers[0]?.pings).toBeLessThanOrEqual(pings + 1); // nothing to watch, nothing to ping; one was on its way
  });

  test('F3: an unanswered ping is a black hole only when nothing else comes either', async () => {
    const { authority, pair } = certs();
    const { listening, peers } = await rawH2(pair, (peer) => {
      peer.answerPings = false;
      peer.onRequest = (id) => {
        peer.headers(id);
        const drip = setInterval(() => peer.frame(8, 0, 0, Buffer.from([0, 0, 0, 1])), 30); // WINDOW_UPDATE
        setTimeout(() => clearInterval(drip), 500);
      };
    });
    await stopLater(Promise.resolve(listening));
    const transport = transportTo(listening, authority.ca, { limits: { pingAfterMs: 50, pingTimeoutMs: 150 } });
    const began = Date.now();
    const error = await failure(reader(await transport.send(watch())).next());
    expect(error.cause.code).toBe('ERR_PING_TIMEOUT');
    expect(Date.now() - began).toBeGreaterThan(500);
    expect(peers[0]?.pings).toBeGreaterThan(1);
  });

  test('F12: a quiet HTTP/1.1 watch is not ended before the silence is too long, and then by name', async () => {
    const { transport } = await rig('h1', echo, { silenceMs: 300 });
    const chunks = reader(await transport.send(watch()));
    await nextText(chunks);
    const began = Date.now();
    const error = await failure(chunks.next());
    expect(error.cause.code).toBe('ERR_SILENT');
    expect(Date.now() - began).toBeGreaterThanOrEqual(290);
  });

  test('F12: an ordinary body that stops is ended on HTTP/2 too, though pings are answered', async () => {
    const { transport } = await rig('h2', echo, { silenceMs: 200, pingAfterMs: 50 });
    const chunks = reader(await transport.send(get('/watch')));
    await nextText(chunks);
    expect((await failure(chunks.next())).cause.code).toBe('ERR_SILENT');
    // The connection is innocent.
    expect(transport.stats()).toMatchObject({ connections: 1, streams: 0 });
  });

  test('F1: a dead HTTP/2 connection that was idle is found within the ping timeout of the next request', async () => {
    const { proxy, transport, server } = await rig('h2', echo, { pingAfterMs: 100, pingTimeoutMs: 200 });
    await textOf(await transport.send(get('/')));
    proxy.freeze();
    await sleep(150);
    // Given up by their callers before the ping is: the connection must not survive on that.
    const leave = AbortSignal.timeout(20);
    expect(await failure(transport.send(get('/', { signal: leave })))).toMatchObject({ code: 'ABORTED' });
    await until('the connection is known to be dead', () => transport.stats().connections === 0, 1_000);
    proxy.freeze('none');
    expect(await textOf(await transport.send(get('/new')))).toBe('/new');
    expect(server.handshakes).toBe(2);
  });
});
