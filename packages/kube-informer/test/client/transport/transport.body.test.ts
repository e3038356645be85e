import { createServer } from 'node:http';
import { createGzip, gzipSync } from 'node:zlib';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { NodeTransportOptions } from '../../../src/client/transport/node/node-transport.ts';
import { fakeEnv } from '../../../src/testing/fake-clock.ts';
import { type Answer, flood, type FramePeer, type Handler, Listening, onRequest } from '../rig/scripted-server.ts';
import {
  certificates,
  clientSockets,
  echo,
  failure,
  frameRig,
  get,
  nextText,
  rawRig,
  reader,
  stopLater,
  textOf,
  transportRig,
  transportTo,
  until,
  watch,
} from '../rig/transport-rig.ts';

const certs = certificates();

const rig = (protocol: 'h1' | 'h2', handler: Handler, options: Partial<NodeTransportOptions> = {}) =>
  transportRig(certs, { protocol, handler, ...options });

/** A list of empty items that compresses a thousand to one, and one of pods. Made once: compressing them takes seconds. */
const zippedLists = ((): (() => { readonly bomb: Buffer; readonly real: Buffer }) => {
  let made: { readonly bomb: Buffer; readonly real: Buffer } | undefined;
  const pod = (at: number): string =>
    JSON.stringify({
      metadata: { name: `web-${at}`, labels: { app: 'web', tier: 'front' }, annotations: { a: 'x'.repeat(200) } },
      spec: {},
    });
  return () =>
    (made ??= {
      bomb: gzipSync(`{"kind":"PodList","apiVersion":"v1","items":[${'{},'.repeat(12 << 20)}{}]}`),
      real: gzipSync(`{"items":[${Array.from({ length: 60_000 }, (_, at) => pod(at)).join()}]}`),
    });
})();

describe.each(['h1', 'h2'] as const)('bodies, on %s', (protocol) => {
  test('method, path, headers and body arrive as they were given, several values as several headers', async () => {
    let came = '';
    const { server, transport } = await rig(protocol, (request, answer) => {
      request.on('data', (chunk: Buffer) => (came += chunk.toString()));
      request.on('end', () => {
        answer.writeHead(201, { 'X-Two': ['a', 'b'], 'content-type': 'text/plain' });
        answer.end('done');
      });
    });
    const headers = { accept: 'application/json', 'impersonate-group': ['one', 'two'], connection: 'close' };
    const answer = await transport.send(get('/a/b?c=d%20e', { method: 'PATCH', headers, body: '{"ü":1}' }));
    expect(answer.status).toBe(201);
    expect(answer.headers.get('x-two')).toBe('a, b');
    expect(answer.headers.get('content-type')).toBe('text/plain');
    expect([...answer.headers.keys()].some((name) => name.startsWith(':'))).toBe(false);
    expect(await textOf(answer)).toBe('done');
    expect(came).toBe('{"ü":1}');
    expect(server.seen[0]).toMatchObject({
      method: 'PATCH',
      url: '/a/b?c=d%20e',
      headers: { accept: 'application/json', 'impersonate-group': 'one, two', 'content-length': '8' },
    });
    const seen = server.seen[0]?.headers;
    expect(seen?.['host'] ?? seen?.[':authority']).toBe(server.url.host);
    // The caller has no say about connections.
    await textOf(await transport.send(get('/', { method: 'DELETE', body: new Uint8Array([123, 125]) })));
    expect(server.handshakes).toBe(1);
  });

  test('responses without a body free their connection unread', async () => {
    const { server, transport } = await rig(protocol, (request, answer) => {
      const length = request.method === 'HEAD' ? { 'content-length': '100' } : {};
      answer.writeHead(request.method === 'HEAD' ? 200 : request.url === '/304' ? 304 : 204, { 'x-a': 'b', ...length });
      answer.end();
    });
    for (const request of [get('/', { method: 'HEAD' }), get('/304'), get('/204'), get('/', { method: 'DELETE' })]) {
      const answer = await transport.send(request);
      expect(answer.headers.get('x-a')).toBe('b');
      if (protocol === 'h1') expect(transport.stats().streams).toBe(0);
    }
    await until('nothing is open', () => transport.stats().streams === 0);
    expect(transport.stats().connections).toBe(1);
    expect(server.handshakes).toBe(1);
  });

  test('S9: gzip is requested and decompressed, also in several members', async () => {
    const parts = ['first ', 'second ', 'ü'.repeat(50_000)];
    const { server, transport } = await rig(protocol, (_, answer) => {
      answer.writeHead(200, { 'content-encoding': 'gzip' });
      for (const part of parts) answer.write(gzipSync(part));
      answer.end();
    });
    expect(await textOf(await transport.send(get('/')))).toBe(parts.join(''));
    await textOf(await transport.send(get('/', { headers: { 'accept-encoding': 'identity' } })));
    expect(server.seen.map(({ headers }) => headers['accept-encoding'])).toEqual(['gzip', 'identity']);
  });

  test('S9: a flushed piece of a compressed watch is delivered at once', async () => {
    const { transport } = await rig(protocol, (_, answer) => {
      answer.writeHead(200, { 'content-encoding': 'gzip' });
      const zip = createGzip();
      zip.on('data', (chunk: Uint8Array) => answer.write(chunk));
      zip.write('line\n');
      zip.flush();
    });
    expect(await nextText(reader(await transport.send(watch())))).toBe('line\n');
  });

  test('S9: with disableCompression gzip is not requested', async () => {
    const { server, transport } = await rig(protocol, echo, { disableCompression: true });
    await textOf(await transport.send(get('/')));
    expect(server.seen[0]?.headers['accept-encoding']).toBeUndefined();
  });

  test('F11: compressed bytes count as activity, also before they decompress to anything', async () => {
    const zipped = gzipSync('late');
    const env = fakeEnv();
    const sockets = clientSockets();
    let answered: Answer | undefined;
    const { transport } = await rig(
      protocol,
      (_, answer) => {
        answer.writeHead(200, { 'content-encoding': 'gzip' });
        answer.flushHeaders();
        answered = answer;
      },
      { env, limits: { silenceMs: 250 } },
    );
    const text = textOf(await transport.send(get('/')));
    // The first letter is readable after half of it.
    for (let at = 0; at < zipped.length; at += 3) {
      const before = sockets[0]?.bytesRead ?? 0;
      answered?.write(zipped.subarray(at, at + 3));
      await until('they have come', () => (sockets[0]?.bytesRead ?? 0) > before);
      await env.clock.advance(200);
    }
    answered?.end();
    expect(await text).toBe('late');
  });

  test('S9: a gzip bomb ends at the limit of decompressed bytes, with little memory', async () => {
    const bomb = gzipSync(Buffer.alloc(64 << 20)); // 64 KB for 64 MB
    const { transport } = await rig(
      protocol,
      (_, answer) => {
        answer.writeHead(200, { 'content-encoding': 'gzip' });
        answer.end(bomb);
      },
      { limits: { maxResponseBytes: 1 << 20 } },
    );
    let bytes = 0;
    const error = await failure(
      (async () => {
        for await (const chunk of (await transport.send(get('/'))).body) bytes += chunk.length;
      })(),
    );
    expect(error).toMatchObject({ code: 'TRANSPORT', cause: { code: 'ERR_BODY_TOO_LARGE' } });
    expect(error.message).toContain('maxResponseBytes (1048576 bytes)');
    expect(bytes).toBeLessThanOrEqual(1 << 20);
    expect(transport.stats().streams).toBe(0);
  });

  test('S90: a list of empty items that compresses a thousand to one is refused early, a real one is not', async () => {
    const { bomb, real } = zippedLists();
    expect(bomb.length).toBeLessThan(110_000);
    const { transport } = await rig(protocol, (request, answer) => {
      answer.writeHead(200, { 'content-encoding': 'gzip' });
      answer.end(request.url === '/bomb' ? bomb : real);
    });
    let bytes = 0;
    const read = async (path: string): Promise<void> => {
      for await (const chunk of (await transport.send(get(path))).body) bytes += chunk.length;
    };
    const error = await failure(read('/bomb'));
    expect(error).toMatchObject({ code: 'TRANSPORT', cause: { code: 'ERR_COMPRESSION_RATIO' } });
    expect(error.message).toContain('at most 250 to 1');
    expect(bytes).toBeLessThan(32 << 20);
    bytes = 0;
    await read('/real');
    expect(bytes).toBeGreaterThan(16 << 20);
  });

  test('S9: an endless line ends at the limit; a long-lived body has none', async () => {
    const endless: Handler = (_, answer) => {
      answer.writeHead(200);
      const more = (): void => {
        while (answer.writable && answer.write('x'.repeat(65_536)));
      };
      answer.on('drain', more);
      more();
    };
    const { transport } = await rig(protocol, endless, { limits: { maxResponseBytes: 1 << 20 } });
    expect((await failure(textOf(await transport.send(get('/'))))).cause.code).toBe('ERR_BODY_TOO_LARGE');
    let bytes = 0;
    for await (const chunk of (await transport.send(watch())).body) if ((bytes += chunk.length) > 4 << 20) break;
    expect(bytes).toBeGreaterThan(4 << 20);
  });

  test('S9: an abandoned compressed response does not disturb the next request on its connection', async () => {
    const zipped = gzipSync(Buffer.alloc(8 << 20));
    const waiting: Answer[] = [];
    const sockets = clientSockets();
    const { server, transport } = await rig(protocol, (request, answer) => {
      if (request.url !== '/zip') return void waiting.push(answer);
      answer.writeHead(200, { 'content-encoding': 'gzip' });
      return answer.end(zipped);
    });
    for (const how of ['abort', 'leave']) {
      const stop = new AbortController();
      const before = sockets[0]?.bytesRead ?? 0;
      const chunks = reader(await transport.send(get('/zip', { signal: stop.signal })));
      await chunks.next();
      // All compressed bytes are here, most of the others are not.
      await until('they have come', () => (sockets[0]?.bytesRead ?? 0) - before > zipped.length);
      const beside = transport.send(get('/'));
      await until('it is asked', () => waiting.length === 1);
      if (how === 'abort') stop.abort();
      else await chunks.return?.();
      waiting.pop()?.end('unharmed');
      expect(await textOf(await beside)).toBe('unharmed');
    }
    expect(server.handshakes).toBe(1);
  });

  test('S9: broken and truncated gzip is TRANSPORT', async () => {
    const whole = gzipSync('x'.repeat(10_000));
    const { transport } = await rig(protocol, (request, answer) => {
      answer.writeHead(200, { 'content-encoding': 'gzip' });
      answer.end(request.url === '/cut' ? whole.subarray(0, 30) : Buffer.from('not gzip at all'));
    });
    expect(await failure(textOf(await transport.send(get('/cut'))))).toMatchObject({ cause: { code: 'Z_BUF_ERROR' } });
    expect(await failure(textOf(await transport.send(get('/bad'))))).toMatchObject({ cause: { code: 'Z_DATA_ERROR' } });
    expect(transport.stats().streams).toBe(0);
  });

  test('a reader that does not ask stops the server, and gets everything when it does', async () => {
    const total = 64 << 20;
    let written = (): number => 0;
    const { transport } = await rig(protocol, (_, answer) => {
      answer.writeHead(200);
      written = flood(answer, total);
    });
    const { body } = await transport.send(get('/'));
    for (let before = -1; written() !== before; await sleep(100)) before = written();
    expect(written()).toBeLessThan(16 << 20); // the size of socket buffers and windows
    let bytes = 0;
    for await (const chunk of body) bytes += chunk.length;
    expect(bytes).toBe(total);
  });

  test('leaving the iteration early ends the stream, or the connection on HTTP/1.1', async () => {
    const { server, transport } = await rig(protocol, echo);
    let closed = 0;
    server.server.on('request', (_, answer: Answer) => answer.on('close', () => (closed += 1)));
    for await (const _ of (await transport.send(watch())).body) break;
    await until('the server knows', () => closed === 1);
    expect(transport.stats().streams).toBe(0);
    await until('as the version has it', () => transport.stats().connections === (protocol === 'h1' ? 0 : 1));
    // A reader that never began may leave as well.
    await reader(await transport.send(watch())).return?.();
    await until('the server knows', () => closed === 2);
  });

  test('leaving a body that has fully arrived keeps the connection', async () => {
    const { server, transport } = await rig(protocol, (_, answer) => void answer.end('short'));
    for (let i = 0; i < 3; i += 1) {
      const answer = await transport.send(get('/'));
      await sleep(20);
      await reader(answer).return?.();
      expect(transport.stats().streams).toBe(0);
    }
    expect(server.handshakes).toBe(1);
  });

  test('an abort while reading throws ABORTED at once and frees everything, also when it is not read', async () => {
    const { server, transport } = await rig(protocol, echo);
    let closed = 0;
    server.server.on('request', (_, answer: Answer) => answer.on('close', () => (closed += 1)));
    for (const reading of [true, false]) {
      const stop = new AbortController();
      const chunks = reader(await transport.send(watch('/watch', { signal: stop.signal })));
      await nextText(chunks);
      const waiting = reading ? failure(chunks.next()) : undefined;
      stop.abort(new Error('stop'));
      expect(transport.stats().streams).toBe(0);
      expect(await (waiting ?? failure(chunks.next()))).toMatchObject({ code: 'ABORTED', cause: { message: 'stop' } });
    }
    await until('the server knows', () => closed === 2);
  });

  test('an abort while waiting for headers rejects at once and ends the request', async () => {
    let closed = false;
    const { server, transport } = await rig(protocol, (_, answer) => void answer.on('close', () => (closed = true)));
    const stop = new AbortController();
    const waiting = failure(transport.send(get('/', { signal: stop.signal })));
    await until('it is asked', () => server.seen.length === 1);
    expect(transport.stats().streams).toBe(1);
    stop.abort();
    expect(await waiting).toMatchObject({ code: 'ABORTED' });
    await until('the server knows', () => closed);
    await expect(transport.send(get('/', { signal: stop.signal }))).rejects.toMatchObject({ code: 'ABORTED' });
  });
});

describe('bodies that end too early', () => {
  async function h1(...answers: string[]) {
    return (await rawRig(certs, (socket) => onRequest(socket, () => void socket.end(answers.shift() ?? '')))).transport;
  }

  test('F5: less than the declared length, and a chunked body without its end, are failures', async () => {
    const transport = await h1(
      'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nshort',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nshort\r\n',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n10\r\nsho',
    );
    for (let i = 0; i < 3; i += 1) {
      const error = await failure(textOf(await transport.send(get('/'))));
      expect(error).toMatchObject({ code: 'TRANSPORT', cause: { code: 'ERR_STREAM_PREMATURE_CLOSE' } });
      expect(error.message).toBe('GET /: the connection ended before the end of the body');
    }
  });

  test('F5: a body that by declaration ends with the connection ends cleanly with it', async () => {
    const transport = await h1('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nall of it');
    expect(await textOf(await transport.send(get('/')))).toBe('all of it');
  });

  test('F5: what is not HTTP is TRANSPORT', async () => {
    const transport = await h1(
      'SSH-2.0-OpenSSH_9.9\r\n',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
    );
    expect((await failure(transport.send(get('/')))).code).toBe('TRANSPORT');
    expect((await failure(textOf(await transport.send(get('/'))))).code).toBe('TRANSPORT');
  });

  async function h2(script: (peer: FramePeer, id: number) => void) {
    const { transport } = await frameRig(certs, (peer) => {
      peer.onRequest = (id) => script(peer, id);
    });
    return transport;
  }

  test.each([
    [0, 'ERR_STREAM_PREMATURE_CLOSE'],
    [8, 'ERR_STREAM_PREMATURE_CLOSE'],
    [2, 'ERR_HTTP2_STREAM_ERROR'],
    [7, 'ERR_HTTP2_STREAM_ERROR'],
  ])('F5: an HTTP/2 stream reset with code %i before its end is a failure', async (code, reason) => {
    for (const delay of [0, 30]) {
      const transport = await h2((peer, id) => {
        peer.headers(id);
        peer.data(id, 'part');
        setTimeout(() => peer.rst(id, code), delay);
      });
      const error = await failure(textOf(await transport.send(get('/'))));
      expect(error).toMatchObject({ code: 'TRANSPORT', cause: { code: reason } });
    }
  });

  test('F5: an HTTP/2 stream reset with code 0 after its end is complete', async () => {
    const transport = await h2((peer, id) => {
      peer.headers(id);
      peer.data(id, 'whole', true);
      peer.rst(id, 0);
    });
    expect(await textOf(await transport.send(get('/')))).toBe('whole');
    expect(await textOf(await transport.send(get('/', { method: 'POST', body: 'x' })))).toBe('whole');
  });

  test('F5: an HTTP/2 response of headers only is complete', async () => {
    const transport = await h2((peer, id) => peer.headers(id, { end: true }));
    expect(await textOf(await transport.send(get('/')))).toBe('');
    expect(transport.stats().streams).toBe(0);
  });

  test('F5: less than the declared length is a failure on HTTP/2 too', async () => {
    const transport = await h2((peer, id) => {
      // content-length: 10, literal with the name from the static table
      peer.headers(id, { more: Buffer.from([0x0f, 0x0d, 2, 0x31, 0x30]) });
      peer.data(id, 'short', true);
    });
    expect((await failure(textOf(await transport.send(get('/'))))).code).toBe('TRANSPORT');
  });
});

test('plain http, as kubectl proxy speaks it, needs no certificates', async () => {
  const server = createServer((request, answer) => void answer.end(request.url));
  const listening = await stopLater(new Listening(server).listen());
  const transport = transportTo(new URL(`http://127.0.0.1:${listening.port}`), certs().authority.ca);
  expect(await textOf(await transport.send(get('/api')))).toBe('/api');
  expect(await textOf(await transport.send(get('/api')))).toBe('/api');
  expect(transport.stats()).toEqual({ connections: 1, streams: 0, handshakes: 0 });
  onTestFinished(() => server.closeAllConnections());
});
