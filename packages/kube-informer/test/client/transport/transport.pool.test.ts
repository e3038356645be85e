import { describe, expect, test } from 'vitest';
import { fakeEnv } from '../../../src/testing/fake-clock.ts';
import { isUnsentTransportFailure } from '../../../src/client/transport/transport-failure.ts';
import { onRequest, rawTcp } from '../rig/scripted-server.ts';
import {
  certificates,
  failure,
  frameRig,
  get,
  nextText,
  rawRig,
  reader,
  stopLater,
  textOf,
  transportRig,
  type TransportRigOptions,
  transportTo,
  until,
  watch,
} from '../rig/transport-rig.ts';

const certs = certificates();

const rig = (protocol: 'h1' | 'h2', options: TransportRigOptions = {}) => transportRig(certs, { protocol, ...options });

describe('how many connections are made', () => {
  test('F16: 100 requests one after the other on HTTP/1.1 make at most 2 TLS handshakes', async () => {
    const { server, transport } = await rig('h1');
    for (let i = 0; i < 100; i += 1) expect(await textOf(await transport.send(get(`/${i}`)))).toBe(`/${i}`);
    expect(server.handshakes).toBeLessThanOrEqual(2);
    expect(transport.stats()).toEqual({ connections: 1, streams: 0, handshakes: server.handshakes });
  });

  test('F16: 100 requests one after the other, then 50 at a time, use one HTTP/2 connection', async () => {
    const { server, transport } = await rig('h2');
    for (let i = 0; i < 100; i += 1) expect(await textOf(await transport.send(get(`/${i}`)))).toBe(`/${i}`);
    await Promise.all(Array.from({ length: 50 }, async (_, i) => textOf(await transport.send(get(`/${i}`)))));
    expect(server.handshakes).toBe(1);
    expect(transport.stats()).toEqual({ connections: 1, streams: 0, handshakes: 1 });
  });

  test('F16: 150 watches at once on HTTP/2 open a second connection, and none waits', async () => {
    const { transport } = await rig('h2', { maxStreams: 100 });
    const watches = await Promise.all(Array.from({ length: 150 }, (_, i) => transport.send(watch(`/watch/${i}`))));
    const first = await Promise.all(watches.map((one) => nextText(reader(one))));
    expect(first).toEqual(Array.from({ length: 150 }, () => 'line\n'));
    expect(transport.stats()).toEqual({ connections: 2, streams: 150, handshakes: 2 });
    // A request beside them is answered too.
    expect(await textOf(await transport.send(get('/beside')))).toBe('/beside');
    expect(transport.stats().connections).toBe(2);
  });

  test('F16: an HTTP/2 connection never gets more streams than the server allows, however few', async () => {
    const { server, transport } = await rig('h2', { maxStreams: 2 });
    const watches: AsyncIterator<Uint8Array>[] = [];
    for (let i = 0; i < 5; i += 1) watches.push(reader(await transport.send(watch())));
    expect(await Promise.all(watches.map(nextText))).toEqual(Array.from({ length: 5 }, () => 'line\n'));
    expect(server.handshakes).toBe(3);
  });

  test('F16: an HTTP/2 stream that was read to its end makes room at once', async () => {
    const { server, transport } = await rig('h2', { maxStreams: 1 });
    for (let i = 0; i < 20; i += 1) expect(await textOf(await transport.send(get(`/${i}`)))).toBe(`/${i}`);
    expect(server.handshakes).toBe(1);
  });

  test('F16: five watches on HTTP/1.1 have a connection each and do not block requests', async () => {
    const { transport } = await rig('h1');
    const watches = await Promise.all(Array.from({ length: 5 }, () => transport.send(watch())));
    expect(await Promise.all(watches.map((one) => nextText(reader(one))))).toHaveLength(5);
    for (let i = 0; i < 20; i += 1) await textOf(await transport.send(get('/')));
    expect(transport.stats()).toEqual({ connections: 6, streams: 5, handshakes: 6 });
  });

  test('an HTTP/2 connection that is no longer needed is closed', async () => {
    const { transport } = await rig('h2', { maxStreams: 20 });
    const watches = await Promise.all(Array.from({ length: 30 }, () => transport.send(watch())));
    expect(transport.stats().connections).toBe(2);
    for (const one of watches) await reader(one).return?.();
    await until('one connection is left', () => transport.stats().connections === 1);
    expect(await textOf(await transport.send(get('/after')))).toBe('/after');
    expect(transport.stats().handshakes).toBe(2);
  });

  test('at most the given number of unused HTTP/1.1 connections is kept, and none beyond its time', async () => {
    const env = fakeEnv();
    const { transport } = await rig('h1', { env, limits: { maxIdleSockets: 2, idleSocketMs: 60_000 } });
    await Promise.all(Array.from({ length: 6 }, async () => textOf(await transport.send(get('/')))));
    await until('two are kept', () => transport.stats().connections === 2);
    await env.clock.advance(60_000);
    await textOf(await transport.send(get('/')));
    await until('the old ones are gone', () => transport.stats().connections === 1);
    expect(transport.stats().handshakes).toBe(7);
  });

  test('the keep-alive timeout of the server is honoured', async () => {
    const { server, transport } = await rig('h1', {
      handler: (_, answer) => {
        answer.writeHead(200, { 'keep-alive': 'timeout=1, max=100' });
        answer.end('x');
      },
    });
    for (let i = 0; i < 3; i += 1) await textOf(await transport.send(get('/')));
    expect(server.handshakes).toBe(3);
  });
});

describe('connections that end while they are used', () => {
  test('F14: after GOAWAY the running stream continues to its end and new requests use a new connection', async () => {
    const { peers, transport } = await frameRig(certs, (peer) => {
      peer.onRequest = (id) => {
        peer.headers(id);
        peer.data(id, 'first ');
      };
    });
    const chunks = reader(await transport.send(watch()));
    expect(await nextText(chunks)).toBe('first ');
    peers[0]?.goaway(1);
    peers[0]?.data(1, 'after ');
    expect(await nextText(chunks)).toBe('after ');
    const second = reader(await transport.send(watch()));
    expect(await nextText(second)).toBe('first ');
    expect(peers).toHaveLength(2);
    peers[0]?.data(1, 'last', true);
    expect(await nextText(chunks)).toBe('last');
    expect(await nextText(chunks)).toBe('<end>');
    await until('the old connection ends', () => transport.stats().connections === 1);
  });

  test('F14: a request the server did not process is sent again on a new connection, also a write', async () => {
    for (const how of ['goaway', 'refused'] as const) {
      const { peers, transport } = await frameRig(certs, (peer, number) => {
        peer.onRequest = (id) => {
          if (number > 1) {
            peer.headers(id);
            return peer.data(id, 'done', true);
          }
          return how === 'goaway' ? peer.goaway(0) : peer.rst(id, 7);
        };
      });
      expect(await textOf(await transport.send(get('/', { method: 'POST', body: '{}' })))).toBe('done');
      expect(peers.length).toBe(2);
    }
  });

  test('F14: GOAWAY with an error fails the running streams and says why', async () => {
    const { peers, transport } = await frameRig(certs, (peer) => {
      peer.onRequest = (id) => {
        peer.headers(id);
        peer.data(id, 'x');
      };
    });
    const chunks = reader(await transport.send(watch()));
    expect(await nextText(chunks)).toBe('x');
    peers[0]?.goaway(1, 11); // ENHANCE_YOUR_CALM
    const error = await failure(chunks.next());
    expect(error).toMatchObject({ code: 'TRANSPORT', cause: { code: 'ERR_HTTP2_SESSION_ERROR' } });
  });

  test('F14: a request is not sent forever to a server that refuses every stream', async () => {
    let asked = 0;
    const { transport } = await frameRig(certs, (peer) => {
      peer.onRequest = (id) => {
        asked += 1;
        peer.rst(id, 7);
      };
    });
    const error = await failure(transport.send(get('/')));
    expect(error).toMatchObject({ code: 'TRANSPORT', cause: { code: 'ERR_HTTP2_STREAM_REFUSED' } });
    expect(isUnsentTransportFailure(error)).toBe(true);
    expect(asked).toBe(3);
  });

  test('F16: a server that allows no streams at all is an error, not a wait', async () => {
    const { transport } = await frameRig(certs, () => {}, { maxStreams: 0 });
    const error = await failure(transport.send(get('/')));
    expect(error.cause.code).toBe('ERR_HTTP2_NO_STREAMS');
    expect(transport.stats().connections).toBe(0);
  });

  test('F15: when a shared HTTP/2 connection dies all its streams fail, and come back on one new connection', async () => {
    const { server, transport } = await rig('h2');
    const open = () => Promise.all(Array.from({ length: 40 }, async () => reader(await transport.send(watch()))));
    const watches = await open();
    await Promise.all(watches.map(nextText));
    server.reset();
    const errors = await Promise.all(watches.map((one) => failure(one.next())));
    expect(errors.every(({ code }) => code === 'TRANSPORT')).toBe(true);
    expect(errors[0]?.cause.code).toBe('ECONNRESET');
    await Promise.all((await open()).map(nextText));
    expect(server.handshakes).toBe(2);
    expect(transport.stats()).toEqual({ connections: 1, streams: 40, handshakes: 2 });
  });

  /** The first answer on a connection is good; the second request on it meets a reset. */
  async function closing() {
    const heads: string[] = [];
    const { transport } = await rawRig(certs, (socket, listening) => {
      let answered = 0;
      onRequest(socket, (head) => {
        heads.push(head.slice(0, head.indexOf('\r\n')));
        answered += 1;
        if (answered === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
        else listening().reset();
      });
    });
    return { heads, transport };
  }

  test('F4: a read on an idle connection that died unnoticed is sent again on a new one', async () => {
    const { heads, transport } = await closing();
    expect(await textOf(await transport.send(get('/1')))).toBe('ok');
    expect(await textOf(await transport.send(get('/2')))).toBe('ok');
    expect(heads).toEqual(['GET /1 HTTP/1.1', 'GET /2 HTTP/1.1', 'GET /2 HTTP/1.1']);
  });

  test('F4: the same on HTTP/2, and a write is not sent again', async () => {
    let asked = 0;
    const { peers, transport } = await frameRig(certs, (peer) => {
      peer.onRequest = (id) => {
        asked += 1;
        if (id > 1) return void peer.socket.destroy();
        peer.headers(id);
        return peer.data(id, 'ok', true);
      };
    });
    expect(await textOf(await transport.send(get('/1')))).toBe('ok');
    expect(await textOf(await transport.send(get('/2')))).toBe('ok');
    expect([asked, peers.length]).toEqual([3, 2]);
    const error = await failure(transport.send(get('/3', { method: 'POST', body: 'x' })));
    expect(error).toMatchObject({ code: 'TRANSPORT' });
    expect([asked, peers.length]).toEqual([4, 2]);
  });

  test('F4: a write is never sent twice when its connection dies', async () => {
    const { heads, transport } = await closing();
    expect(await textOf(await transport.send(get('/1')))).toBe('ok');
    const error = await failure(transport.send(get('/2', { method: 'POST', body: 'x' })));
    expect(error).toMatchObject({ code: 'TRANSPORT' });
    expect(isUnsentTransportFailure(error)).toBe(false);
    expect(heads).toEqual(['GET /1 HTTP/1.1', 'POST /2 HTTP/1.1']);
  });

  test('F4: a write does not use an idle connection that the server has already closed', async () => {
    const { server, transport } = await rig('h1');
    for (let i = 0; i < 20; i += 1) {
      await textOf(await transport.send(get('/')));
      const closed = [...server.sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
      for (const socket of server.sockets) socket.destroy();
      await Promise.all(closed); // the FIN is on this machine, our side has not looked yet
      expect(await textOf(await transport.send(get('/w', { method: 'POST', body: 'x' })))).toBe('/w');
    }
  });

  test('S9: unexpected bytes close an idle connection', async () => {
    let say: (text: string) => void = () => {};
    const { transport } = await rawRig(certs, (socket) => {
      say = (text) => void socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`);
      onRequest(socket, () => say('ok'));
    });
    expect(await textOf(await transport.send(get('/')))).toBe('ok');
    say('evil');
    await until('the connection is gone', () => transport.stats().connections === 0);
    expect(await textOf(await transport.send(get('/')))).toBe('ok');
  });
});

describe('waiting for a connection', () => {
  test('one of two requests that wait for a connection may be aborted; the other gets it', async () => {
    const { transport, server } = await rig('h2');
    const leave = new AbortController();
    const leaving = transport.send(get('/1', { signal: leave.signal }));
    const staying = transport.send(get('/2'));
    leave.abort(new Error('enough'));
    expect(await failure(leaving)).toMatchObject({ code: 'ABORTED', cause: { message: 'enough' } });
    expect(await textOf(await staying)).toBe('/2');
    expect(server.handshakes).toBe(1);
  });

  test('when all waiting requests are aborted, the dial is cancelled at once, and the next request starts another', async () => {
    const { authority } = certs();
    const silent = await stopLater(rawTcp());
    const transport = transportTo(silent, authority.ca);
    const leave = new AbortController();
    const both = [1, 2].map(() => failure(transport.send(get('/', { signal: leave.signal }))));
    await until('somebody connects', () => silent.accepted === 1);
    leave.abort();
    // Newcomers at every moment of the giving up: none of them may share its fate.
    const newcomers: Promise<{ cause: { code?: string } }>[] = [];
    for (let i = 0; i < 20; i += 1) {
      await Promise.resolve();
      newcomers.push(failure(transport.send(get('/'))));
    }
    expect((await Promise.all(both)).map(({ code }) => code)).toEqual(['ABORTED', 'ABORTED']);
    await until('the newcomers connect', () => silent.accepted === 2);
    await until('the first socket is gone', () => silent.sockets.size === 1);
    await transport.close();
    const codes = (await Promise.all(newcomers)).map(({ cause }) => cause.code);
    expect(codes).toEqual(Array.from({ length: 20 }, () => 'ERR_TRANSPORT_CLOSED'));
  });
});

describe.each(['h1', 'h2'] as const)('closing, on %s', (protocol) => {
  test('close fails running requests, leaves no socket, and refuses later requests', async () => {
    const { server, transport } = await rig(protocol);
    const chunks = reader(await transport.send(watch()));
    await nextText(chunks);
    const waiting = failure(chunks.next());
    await Promise.all([transport.close(), transport.close()]);
    expect(await waiting).toMatchObject({ code: 'TRANSPORT', cause: { code: 'ERR_TRANSPORT_CLOSED' } });
    expect(transport.stats()).toMatchObject({ connections: 0, streams: 0 });
    await until('the server sees no connection', () => server.sockets.size === 0);
    expect(await failure(transport.send(get('/')))).toMatchObject({ code: 'ILLEGAL_STATE' });
  });
});
