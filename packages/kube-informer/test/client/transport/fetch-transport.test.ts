import { getEventListeners } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  createFetchTransport,
  type FetchResponse,
  type FetchLike,
  type FetchTransportOptions,
} from '../../../src/client/transport/fetch/fetch-transport.ts';
import { fakeEnv } from '../../../src/testing/fake-clock.ts';
import { flood, onRequest, rawTcp } from '../rig/scripted-server.ts';
import { failure, get, nextText, QUIET, reader, stopLater, textOf, until, watch } from '../rig/transport-rig.ts';

async function rig(listener: RequestListener, options: Partial<FetchTransportOptions> = {}) {
  let closed = 0;
  const server = createServer((request, answer) => {
    answer.on('close', () => (closed += 1));
    listener(request, answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const transport = createFetchTransport({ server: url, env: QUIET, ...options });
  onTestFinished(() => transport.close());
  return { url, transport, closed: () => closed };
}

/** A platform's fetch in the hands of the test. */
function scripted(fetch: FetchLike) {
  return createFetchTransport({ server: new URL('https://127.0.0.1:1'), env: QUIET, fetch });
}

const answerOf = (chunks: (string | Error)[], more: Partial<FetchResponse> = {}): FetchResponse => ({
  status: 200,
  type: 'basic',
  headers: new Headers(),
  body: {
    getReader: () => ({
      read: () => {
        const next = chunks.shift();
        if (next instanceof Error) return Promise.reject(next);
        return Promise.resolve(next === undefined ? { done: true } : { done: false, value: Buffer.from(next) });
      },
      cancel: () => Promise.resolve(),
    }),
  },
  ...more,
});

describe('the fetch transport', () => {
  test('sends the request unchanged and returns status, headers and bytes', async () => {
    let seen: unknown;
    const { transport } = await rig((request, answer) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        seen = { method: request.method, url: request.url, body, token: request.headers.authorization };
        answer.writeHead(201, { 'X-A': 'b', 'content-encoding': 'gzip' });
        answer.end(Buffer.concat([gzipSync('one '), gzipSync('two')]));
      });
    });
    const answer = await transport.send(
      get('/p?q=1', { method: 'PATCH', headers: { authorization: 'Bearer t' }, body: '{}' }),
    );
    expect(answer.status).toBe(201);
    expect(answer.headers.get('x-a')).toBe('b');
    expect(await textOf(answer)).toBe('one two');
    expect(seen).toEqual({ method: 'PATCH', url: '/p?q=1', body: '{}', token: 'Bearer t' });
  });

  test('S6, S7: returns redirects unchanged, and refuses those that a browser hides', async () => {
    let asked = 0;
    const { transport } = await rig((_, answer) => {
      asked += 1;
      answer.writeHead(307, { location: '/elsewhere' }).end();
    });
    const answer = await transport.send(get('/', { headers: { authorization: 'Bearer t' } }));
    expect([answer.status, answer.headers.get('location'), asked]).toEqual([307, '/elsewhere', 1]);
    await reader(answer).return?.();
    let mode = '';
    const browser = scripted((_, { redirect }) => {
      mode = redirect;
      return Promise.resolve(answerOf([], { status: 0, type: 'opaqueredirect' }));
    });
    expect(await failure(browser.send(get('/')))).toMatchObject({
      code: 'TRANSPORT',
      cause: { code: 'ERR_REDIRECT_HIDDEN' },
    });
    expect(mode).toBe('manual');
  });

  test('F5: a body cut short is TRANSPORT, also where the platform says nothing', async () => {
    const chunked = await stopLater(
      rawTcp((socket) =>
        onRequest(socket, () => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nshort\r\n')),
      ),
    );
    const transport = createFetchTransport({ server: new URL(`http://127.0.0.1:${chunked.port}`), env: QUIET });
    expect((await failure(textOf(await transport.send(get('/'))))).code).toBe('TRANSPORT');
    const careless = scripted(() =>
      Promise.resolve(answerOf(['short'], { headers: new Headers({ 'content-length': '10' }) })),
    );
    expect((await failure(textOf(await careless.send(get('/'))))).cause.code).toBe('ERR_STREAM_PREMATURE_CLOSE');
    const zipped = new Headers({ 'content-length': '10', 'content-encoding': 'gzip' });
    const fine = scripted(() => Promise.resolve(answerOf(['short'], { headers: zipped })));
    expect(await textOf(await fine.send(get('/')))).toBe('short');
    const broken = scripted(() => Promise.resolve(answerOf(['a', new TypeError('network error')])));
    expect(await failure(textOf(await broken.send(get('/'))))).toMatchObject({
      code: 'TRANSPORT',
      cause: { name: 'TypeError' },
    });
  });

  test('F7: a server that is not there is TRANSPORT with the cause', async () => {
    const error = await failure(
      createFetchTransport({ server: new URL('http://127.0.0.1:1'), env: QUIET }).send(get('/')),
    );
    expect(error).toMatchObject({ code: 'TRANSPORT', cause: { name: 'TypeError' } });
  });

  test('F1, F13: silence ends a body only while the reader waits', async () => {
    const env = fakeEnv();
    let writeOn = (): void => {};
    const { transport } = await rig(
      (_, answer) => {
        answer.writeHead(200).write('first');
        writeOn = () => void answer.write('second');
      },
      { env, silenceMs: 150 },
    );
    const chunks = reader(await transport.send(watch()));
    expect(await nextText(chunks)).toBe('first');
    await env.clock.advance(300);
    const second = nextText(chunks);
    await env.clock.advance(149);
    writeOn();
    expect(await second).toBe('second');
    const failing = failure(chunks.next());
    await env.clock.advance(150);
    expect((await failing).cause.code).toBe('ERR_SILENT');
  });

  test('F2: a body that may be silent is not ended by silence', async () => {
    const env = fakeEnv();
    let later = (): void => {};
    const { transport } = await rig(
      (request, answer) => {
        answer.writeHead(200).write('first');
        if (request.url === '/log') later = () => void answer.write('second');
      },
      { env, silenceMs: 50 },
    );
    const chunks = reader(await transport.send(watch('/log', { mayBeSilent: true })));
    expect(await nextText(chunks)).toBe('first');
    const second = nextText(chunks);
    const other = reader(await transport.send(watch('/watch')));
    await nextText(other);
    const silent = failure(other.next());
    await env.clock.advance(50);
    expect((await silent).cause.code).toBe('ERR_SILENT'); // so much time has passed
    later();
    expect(await second).toBe('second');
  });

  test('F17, F9: no headers in time is TRANSPORT, also with a fetch that ignores its signal', async () => {
    let asked = 0;
    const { transport, closed } = await rig(() => (asked += 1), { longLivedHeadersTimeoutMs: 50 });
    // On a busy machine the time may be over before the server has the request.
    do expect((await failure(transport.send(watch()))).cause.code).toBe('ERR_HEADERS_TIMEOUT');
    while (asked === 0);
    await until('the server knows', () => closed() === asked);
    const deaf = scripted(() => new Promise(() => {}));
    expect((await failure(deaf.send(get('/', { headersTimeoutMs: 30 })))).cause.code).toBe('ERR_HEADERS_TIMEOUT');
  });

  test('S9: the limit counts bytes after decompression, and long-lived bodies have none', async () => {
    const bomb = gzipSync(Buffer.alloc(4 << 20));
    const { transport } = await rig(
      (_, answer) => void answer.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
      {
        maxResponseBytes: 100_000,
      },
    );
    const error = await failure(textOf(await transport.send(get('/'))));
    expect(error.message).toContain('maxResponseBytes (100000 bytes)');
    expect((await textOf(await transport.send(watch()))).length).toBe(4 << 20);
  });

  test('an abort at any moment rejects at once, closes the request and leaves no listener', async () => {
    const { transport, closed } = await rig((request, answer) => {
      if (request.url === '/open') answer.writeHead(200).write('line');
    });
    const stop = new AbortController();
    const waiting = failure(transport.send(get('/never', { signal: stop.signal })));
    const chunks = reader(await transport.send(watch('/open', { signal: stop.signal })));
    await nextText(chunks);
    const reading = failure(chunks.next());
    stop.abort(new Error('enough'));
    for (const error of [await waiting, await reading]) {
      expect(error).toMatchObject({ code: 'ABORTED', cause: { message: 'enough' } });
    }
    expect(await failure(transport.send(get('/', { signal: stop.signal })))).toMatchObject({ code: 'ABORTED' });
    await until('the server knows', () => closed() === 2);
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
  });

  test('leaving early and close end the connection; after close nothing is sent', async () => {
    const { transport, closed } = await rig((_, answer) => void answer.writeHead(200).write('line'));
    const { signal } = new AbortController();
    for await (const _ of (await transport.send(watch('/', { signal }))).body) break;
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    await until('the server knows', () => closed() === 1);
    const chunks = reader(await transport.send(watch()));
    await nextText(chunks);
    const reading = failure(chunks.next());
    await transport.close();
    expect(await reading).toMatchObject({ code: 'TRANSPORT', cause: { code: 'ERR_TRANSPORT_CLOSED' } });
    await until('the server knows', () => closed() === 2);
    expect(await failure(transport.send(get('/')))).toMatchObject({ code: 'ILLEGAL_STATE' });
  });

  test('S8: several values of one header, which fetch would join, and line breaks are refused before anything is sent', async () => {
    let asked = 0;
    const transport = scripted(() => Promise.resolve(answerOf([String((asked += 1))])));
    expect(await failure(transport.send(get('/', { headers: { 'impersonate-group': ['a', 'b'] } })))).toMatchObject({
      code: 'INVALID_OPTION',
    });
    expect(await failure(transport.send(get('/', { headers: { authorization: 'a\nb' } })))).toMatchObject({
      code: 'INVALID_OPTION',
    });
    expect(asked).toBe(0);
    expect(await textOf(await transport.send(get('/', { headers: { 'impersonate-group': ['a'] } })))).toBe('1');
  });

  test('a reader that does not ask stops the server', async () => {
    let written = (): number => 0;
    const { transport } = await rig((_, answer) => void (written = flood(answer, 64 << 20)));
    const { body } = await transport.send(get('/'));
    for (let before = -1; written() !== before; await sleep(100)) before = written();
    expect(written()).toBeLessThan(16 << 20);
    let bytes = 0;
    for await (const chunk of body) bytes += chunk.length;
    expect(bytes).toBe(64 << 20);
  });
});
