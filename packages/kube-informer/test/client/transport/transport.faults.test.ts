import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type LookupFunction, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { NodeTransportLimits } from '../../../src/client/transport/node-transport-limits.ts';
import { isUnsentTransportFailure } from '../../../src/client/transport/transport-failure.ts';
import { fakeEnv } from '../../../src/testing/fake-clock.ts';
import {
  type Answer,
  FaultProxy,
  type FramePeer,
  type Handler,
  onRequest,
  rawTcp,
  rawTls,
  ScriptedServer,
} from '../rig/scripted-server.ts';
import {
  certificates,
  clientSockets,
  echo,
  failure,
  frameRig,
  get,
  nextText,
  proxiedRig,
  rawRig,
  reader,
  serve,
  stopLater,
  textOf,
  transportTo,
  until,
  watch,
} from '../rig/transport-rig.ts';

const certs = certificates();

/** Real sockets, and a clock that moves only when told: a machine that stands still for a while is not a dead peer. */
async function rig(protocol: 'h1' | 'h2', handler: Handler = echo, limits: Partial<NodeTransportLimits> = {}) {
  const env = fakeEnv();
  return { clock: env.clock, ...(await proxiedRig(certs, { protocol, handler, env, limits })) };
}

/** An HTTP/2 server frame by frame, on the same kind of clock. */
async function framesRig(
  script: (peer: FramePeer) => void,
  limits: Partial<NodeTransportLimits>,
  turn: () => Promise<void> = () => Promise.resolve(),
) {
  const env = { ...fakeEnv(), yield: turn };
  return { clock: env.clock, ...(await frameRig(certs, script, { env, limits })) };
}

/** Longer than a dead connection may stay unnoticed, by silence and by pings. */
const LONG_MS = 100_000;

const DEAD = { h1: 'ERR_SILENT', h2: 'ERR_PING_TIMEOUT' } as const;
const SAYS = { h1: 'silent', h2: 'ping timeout' } as const;

describe.each(['h1', 'h2'] as const)('a network that fails, on %s', (protocol) => {
  test('F1: a peer that vanishes silently is noticed, and a new request uses a new connection', async () => {
    const { proxy, transport, server, clock } = await rig(protocol);
    const chunks = reader(await transport.send(watch()));
    expect(await nextText(chunks)).toBe('line\n');
    proxy.freeze();
    const failing = failure(chunks.next());
    await clock.advance(LONG_MS);
    const error = await failing;
    expect(error).toMatchObject({ code: 'TRANSPORT', cause: { code: DEAD[protocol] } });
    expect(error.message).toContain(SAYS[protocol]);
    await until('nothing is left', () => transport.stats().connections === 0 && transport.stats().streams === 0);
    proxy.freeze('none');
    expect(await nextText(reader(await transport.send(watch())))).toBe('line\n');
    expect(server.handshakes).toBe(2);
  });

  test('F3: a connection that loses only the server’s packets is noticed as well', async () => {
    const { proxy, transport, clock } = await rig(protocol);
    const chunks = reader(await transport.send(watch()));
    await nextText(chunks);
    proxy.freeze('to-client');
    const failing = failure(chunks.next());
    await clock.advance(LONG_MS);
    expect((await failing).cause.code).toBe(DEAD[protocol]);
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
    // It stays one for every later call.
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
      expect(isUnsentTransportFailure(error)).toBe(true);
    }
    await stopLater(FaultProxy.start(server.port, port));
    expect(await textOf(await transport.send(get('/back')))).toBe('/back');
  });

  test('F8: the name is looked up for every new connection, so a changed address is found', async () => {
    const { authority } = certs();
    const pair = authority.server(['api.test']);
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
    const answers: Answer[] = [];
    const { transport, clock } = await rig(
      protocol,
      (_, answer) => {
        answer.writeHead(200);
        answer.flushHeaders();
        answers.push(answer);
      },
      { pingAfterMs: 1_000, pingTimeoutMs: 1_000, silenceMs: 1_000 },
    );
    const bodies = (await Promise.all([transport.send(watch()), transport.send(get('/'))])).map(reader);
    for (let i = 0; i < 30; i += 1) {
      const bytes = bodies.map(nextText);
      await clock.advance(900);
      for (const answer of answers) answer.write('x');
      expect(await Promise.all(bytes)).toEqual(['x', 'x']);
    }
    for (const answer of answers) answer.end();
    expect(await Promise.all(bodies.map(nextText))).toEqual(['<end>', '<end>']);
  });

  test('F13: a stall during our own back-pressure is found after we read on', async () => {
    let writeOn = (): void => {};
    const { proxy, transport, clock } = await rig(
      protocol,
      (_, answer) => {
        answer.writeHead(200);
        answer.write('first');
        writeOn = () => void answer.write('second');
      },
      { pingAfterMs: 1_000, pingTimeoutMs: 300, silenceMs: 400 },
    );
    const chunks = reader(await transport.send(watch()));
    expect(await nextText(chunks)).toBe('first');
    // Longer than silence may last, but no request is open: no failure.
    await clock.advance(650);
    writeOn();
    expect(await nextText(chunks)).toBe('second');
    proxy.freeze();
    if (protocol === 'h1') await clock.advance(650); // no request is repeated, and no connection is left to respond
    const failing = failure(chunks.next());
    await clock.advance(1_300);
    expect((await failing).cause.code).toBe(DEAD[protocol]);
  });

  test('F17: headers that do not come fail with their own timeout and a hint', async () => {
    const { server, transport, clock } = await rig(protocol, () => {}, { longLivedHeadersTimeoutMs: 100 });
    const failing = failure(transport.send(watch()));
    await until('it is asked', () => server.seen.length === 1);
    await clock.advance(100);
    const error = await failing;
    expect(error).toMatchObject({ code: 'TRANSPORT', cause: { code: 'ERR_HEADERS_TIMEOUT' } });
    expect(error.message).toContain('proxy');
    expect(transport.stats().streams).toBe(0);
    const other = failure(transport.send(get('/', { headersTimeoutMs: 50 })));
    await until('it is asked', () => server.seen.length === 2);
    await clock.advance(50);
    expect((await other).message).toContain('within 50 ms');
  });

  test('S9: slow headers, a line at a time, do not stretch the headers timeout', async () => {
    if (protocol === 'h2') return; // frames have no slow lines
    const slow = (socket: Socket): void =>
      onRequest(socket, () => {
        socket.write('HTTP/1.1 200 OK\r\n');
        const drip = setInterval(() => socket.write('x-slow: 1\r\n'), 20);
        socket.on('close', () => clearInterval(drip));
      });
    const { listening, transport } = await rawRig(certs, slow, { limits: { headersTimeoutMs: 150 } });
    expect((await failure(transport.send(get('/')))).cause.code).toBe('ERR_HEADERS_TIMEOUT');
    await until('the socket is gone', () => listening.sockets.size === 0);
  });
});

describe('a connection that cannot be opened', () => {
  test('F9: a server that accepts and sends nothing fails after the connect timeout, not the headers timeout', async () => {
    const { authority, pair } = certs();
    const mute = await stopLater(rawTcp());
    const limits = { connectTimeoutMs: 150, headersTimeoutMs: 60_000, longLivedHeadersTimeoutMs: 60_000 };
    const transport = transportTo(mute, authority.ca, { limits });
    const error = await failure(transport.send(watch()));
    expect(error).toMatchObject({ code: 'TRANSPORT', cause: { code: 'ERR_CONNECT_TIMEOUT' } });
    expect(error.message).toContain('150 ms');
    expect(isUnsentTransportFailure(error)).toBe(true);
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

test('F1: a reset that Node does not report, because HTTP/2 was writing, is noticed within a second', async () => {
  const { transport, clock } = await rig('h2');
  const chunks = reader(await transport.send(watch()));
  expect(await nextText(chunks)).toBe('line\n');
  const failing = failure(chunks.next());
  await clock.advance(900);
  // The handle of a connection that was reset has no peer.
  const probe = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void probe.close());
  await once(probe, 'listening');
  const socket = connect((probe.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const { _handle: handle } = socket as unknown as { _handle: object };
  const spy = vi.spyOn(Object.getPrototypeOf(handle) as { getpeername(): number }, 'getpeername').mockReturnValue(-107);
  onTestFinished(() => spy.mockRestore());
  await clock.advance(1_100);
  expect(await failing).toMatchObject({ code: 'TRANSPORT', cause: { code: 'ECONNRESET' } });
  await until('nothing is left', () => transport.stats().connections === 0 && transport.stats().streams === 0);
});

describe('quiet but healthy', () => {
  test('F2, F12: a quiet HTTP/2 watch is pinged again and again and stays open', async () => {
    const { peers, transport, clock } = await framesRig(
      (peer) => {
        peer.onRequest = (id) => peer.headers(id);
      },
      // The answers come in real time, so they may take as long as they like.
      { pingAfterMs: 40, pingTimeoutMs: 100_000_000, silenceMs: 100 },
    );
    const chunks = reader(await transport.send(watch()));
    const line = nextText(chunks);
    for (let count = 1; count <= 5; count += 1) {
      await until(`ping ${count}`, async () => (await clock.advance(40), peers[0]?.pings === count));
    }
    peers[0]?.data(1, 'late');
    expect(await line).toBe('late');
    await chunks.return?.();
    // Nothing to watch, nothing to ping; one may be on its way.
    await until('nobody waits for a time to come', () => clock.sleeping === 0);
  });

  test('F3: an unanswered ping is a black hole only when nothing else comes either', async () => {
    const { peers, transport, clock } = await framesRig(
      (peer) => {
        peer.answerPings = false;
        peer.onRequest = (id) => peer.headers(id);
      },
      { pingAfterMs: 50, pingTimeoutMs: 150 },
    );
    const sockets = clientSockets();
    const chunks = reader(await transport.send(watch()));
    const failing = failure(chunks.next());
    for (let count = 1; count <= 4; count += 1) {
      await clock.advance(50);
      await until(`ping ${count}`, () => peers[0]?.pings === count);
      const before = sockets[0]?.bytesRead ?? 0;
      peers[0]?.frame(8, 0, 0, Buffer.from([0, 0, 0, 1])); // WINDOW_UPDATE
      await until('it has come', () => (sockets[0]?.bytesRead ?? 0) > before);
      await clock.advance(150);
    }
    expect(transport.stats().streams).toBe(1);
    await clock.advance(50);
    expect(transport.stats().streams).toBe(1);
    await clock.advance(150);
    expect((await failing).cause.code).toBe('ERR_PING_TIMEOUT');
    expect(peers[0]?.pings).toBeGreaterThan(4);
  });

  test('F64: after a suspension, bytes that arrived meanwhile are read before a connection counts as dead', async () => {
    const sockets = clientSockets();
    // The turn of the event loop in which what lies there is read.
    let turn = (): Promise<void> => Promise.resolve();
    const { peers, transport, clock } = await framesRig(
      (peer) => {
        peer.answerPings = false;
        peer.onRequest = (id) => peer.headers(id);
      },
      { pingAfterMs: 50, pingTimeoutMs: 150 },
      () => turn(),
    );
    const chunks = reader(await transport.send(watch()));
    const failing = failure(chunks.next());
    let turns = 0;
    turn = async () => {
      turns += 1;
      const before = sockets[0]?.bytesRead ?? 0;
      peers[0]?.frame(8, 0, 0, Buffer.from([0, 0, 0, 1])); // WINDOW_UPDATE
      await until('it has come', () => (sockets[0]?.bytesRead ?? 0) > before);
    };
    await clock.advance(50);
    await clock.advance(150);
    await until('the next ping', async () => (await clock.advance(50), peers[0]?.pings === 2));
    expect([turns, transport.stats().streams]).toEqual([1, 1]);
    turn = () => Promise.resolve();
    await clock.advance(150);
    expect((await failing).cause.code).toBe('ERR_PING_TIMEOUT');
  });

  test('F12: a quiet HTTP/1.1 watch fails with ERR_SILENT after the silence timeout, and not before', async () => {
    const { transport, clock } = await rig('h1', echo, { silenceMs: 300 });
    const chunks = reader(await transport.send(watch()));
    await nextText(chunks);
    const failing = failure(chunks.next());
    await clock.advance(299);
    expect(transport.stats().streams).toBe(1);
    await clock.advance(1);
    expect((await failing).cause.code).toBe('ERR_SILENT');
  });

  test('F12: an ordinary body that stops fails on HTTP/2 too, although pings get a response', async () => {
    const { transport, clock } = await rig('h2', echo, { silenceMs: 200, pingAfterMs: 50, pingTimeoutMs: LONG_MS });
    const chunks = reader(await transport.send(get('/watch')));
    await nextText(chunks);
    const failing = failure(chunks.next());
    await clock.advance(200);
    expect((await failing).cause.code).toBe('ERR_SILENT');
    // The connection is innocent.
    expect(transport.stats()).toMatchObject({ connections: 1, streams: 0 });
  });

  test('F1: a dead HTTP/2 connection that was idle is found within the ping timeout of the next request', async () => {
    const { proxy, transport, server, clock } = await rig('h2', echo, { pingAfterMs: 100, pingTimeoutMs: 200 });
    await textOf(await transport.send(get('/')));
    proxy.freeze();
    await clock.advance(150);
    // Given up by their callers before the ping is: the connection must not survive on that.
    const leave = new AbortController();
    const leaving = failure(transport.send(get('/', { signal: leave.signal })));
    await until('it is asked', () => transport.stats().streams === 1);
    await clock.advance(20);
    leave.abort();
    expect(await leaving).toMatchObject({ code: 'ABORTED' });
    expect(transport.stats().connections).toBe(1);
    await clock.advance(180);
    await until('the connection is known to be dead', () => transport.stats().connections === 0);
    proxy.freeze('none');
    expect(await textOf(await transport.send(get('/new')))).toBe('/new');
    expect(server.handshakes).toBe(2);
  });
});

test('S100: a switch to another protocol fails at once', async () => {
  const { transport } = await rawRig(certs, (socket) =>
    onRequest(socket, () =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n'),
    ),
  );
  const error = await failure(transport.send(get('/api/v1/pods')));
  expect([error.code, error.cause.code]).toEqual(['TRANSPORT', 'ERR_UPGRADE']);
});
