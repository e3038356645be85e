import { connect } from 'node:http2';
import { connect as tcp } from 'node:net';
import { connect as tls } from 'node:tls';
import { fakeEnv } from 'kube-informer/testing';
import { describe, expect, test } from 'vitest';
import { type ApiServerOptions, startApiServer } from '../../src/index.ts';
import { ask } from '../rig/http-client.ts';
import { aWhile, CONFIG_MAPS, configMap, open, until, watch, watchPath } from '../rig/stream-client.ts';

const rig = (options: ApiServerOptions = {}) => startApiServer(options);
const plain = (options: ApiServerOptions = {}) => startApiServer({ tls: false, ...options });

describe('cut', () => {
  test.each(['rst', 'fin', 'goaway', 'rst-stream'] as const)(
    '%s ends a watch over HTTP/1.1 without a last chunk',
    async (kind) => {
      await using server = await rig();
      const stream = await watch(server);
      server.load([configMap('a')]);
      await until(() => stream.frames().length === 1);
      expect(server.faults.cutWatches({ resource: 'configmaps' }, kind)).toBe(1);
      await until(() => stream.outcome !== undefined);
      expect(stream.outcome).toBe('ECONNRESET');
      await until(() => server.requests.at(-1)?.fault === `cut ${kind}`);
      await until(() => server.watchers().length === 0);
    },
  );

  test('rst-stream over HTTP/2 ends the one stream, with its code, and leaves the connection', async () => {
    await using server = await rig();
    const stream = await watch(server, { http2: true });
    server.faults.add({ match: { verb: 'watch' }, do: { cut: 'rst-stream', code: 8 } });
    await until(() => stream.outcome === 'reset 8');
    const again = open(server, CONFIG_MAPS, { http2: true, session: stream.session! });
    await until(() => again.outcome === 'end');
    stream.close();
  });

  test('goaway over HTTP/2 sends GOAWAY and closes the connection', async () => {
    await using server = await rig();
    const stream = await watch(server, { http2: true });
    const codes: number[] = [];
    stream.session?.on('goaway', (code) => codes.push(code));
    server.faults.cutWatches({}, 'goaway');
    await until(() => stream.session?.destroyed === true && stream.outcome !== undefined);
    expect(new Set(codes)).toEqual(new Set([0]));
  });

  test.each(['rst', 'fin'] as const)('%s over HTTP/2 takes the connection down', async (kind) => {
    await using server = await rig();
    const stream = await watch(server, { http2: true });
    server.faults.cutWatches({}, kind);
    await until(() => stream.outcome !== undefined && stream.session?.destroyed === true);
  });

  test('GOAWAY without a cut: the stream continues, the next request needs another connection', async () => {
    await using server = await rig();
    const stream = await watch(server, { http2: true });
    const goodbye = new Promise((resolve) => stream.session?.once('goaway', resolve));
    server.faults.add({ match: { verb: 'watch' }, do: { goaway: true } });
    await goodbye;
    server.load([configMap('a')]);
    await until(() => stream.frames().length === 1);
    stream.close();
  });

  test('after a number of events: those before the cut arrive', async () => {
    await using server = await rig();
    server.faults.add({ match: { verb: 'watch' }, at: { event: 3 }, do: { cut: 'rst' } });
    const stream = await watch(server);
    server.load(['a', 'b', 'c', 'd'].map((name) => configMap(name)));
    await until(() => stream.outcome === 'ECONNRESET');
    expect(stream.frames().map(({ object }) => object.metadata.name)).toEqual(['a', 'b', 'c']);
  });

  test('in the middle of an event, by bytes', async () => {
    await using server = await rig();
    server.faults.add({ match: { verb: 'watch' }, at: { event: 2, offset: 25 }, do: { cut: 'rst' } });
    const stream = await watch(server);
    server.load(['a', 'b'].map((name) => configMap(name)));
    await until(() => stream.outcome === 'ECONNRESET');
    const [first, rest] = stream.text().split('\n');
    expect(JSON.parse(first as string).object.metadata.name).toBe('a');
    expect(rest).toBe('{"type":"ADDED","object":');
  });

  test.each([
    ['the event has one', 'grün'],
    ['the event has none', 'green'],
  ])('in the middle of a character, where %s', async (_title, text) => {
    await using server = await rig();
    server.faults.add({ match: { verb: 'watch' }, at: { event: 1, offset: 'mid-utf8' }, do: { cut: 'rst' } });
    const stream = await watch(server);
    server.load([configMap('a', text)]);
    await until(() => stream.outcome === 'ECONNRESET');
    expect(stream.bytes().at(-1)).toBe(0xc3);
    expect(stream.text().endsWith('\ufffd')).toBe(true);
  });

  test('after a number of bytes, of a watch and of a list', async () => {
    await using server = await rig();
    server.load([configMap('a'), configMap('b')]);
    server.faults.add({ match: { verb: 'list' }, at: { bytes: 100 }, do: { cut: 'rst' } });
    server.faults.add({ match: { verb: 'watch' }, at: { bytes: 50 }, do: { cut: 'fin' } });
    const list = open(server, CONFIG_MAPS);
    await until(() => list.outcome !== undefined);
    expect([list.outcome, list.bytes().length]).toEqual(['ECONNRESET', 100]);
    const stream = open(server, `${CONFIG_MAPS}?watch=true&resourceVersion=0`);
    await until(() => stream.outcome !== undefined);
    expect([stream.outcome, stream.bytes().length]).toEqual(['ECONNRESET', 50]);
  });

  test('after a time, of the injected clock', async () => {
    const env = fakeEnv();
    await using server = await plain({ env });
    server.faults.add({ match: { verb: 'watch' }, at: { ms: 5000 }, do: { cut: 'rst' } });
    const stream = await watch(server);
    await env.clock.advance(4999);
    await aWhile();
    expect(stream.outcome).toBeUndefined();
    await env.clock.advance(1);
    await until(() => stream.outcome === 'ECONNRESET');
  });

  test('before the request is executed, and after it but before the response', async () => {
    await using server = await rig();
    const create = (name: string) => ask(server, 'POST', CONFIG_MAPS, { body: configMap(name) });
    server.faults.add({ match: { verb: 'create' }, do: { cut: 'rst' } });
    await expect(create('a')).rejects.toThrow('ECONNRESET');
    server.faults.add({ match: { verb: 'create' }, at: 'head', do: { cut: 'rst' } });
    await expect(create('b')).rejects.toThrow('ECONNRESET');
    expect((await ask(server, 'GET', `${CONFIG_MAPS}/a`)).status).toBe(404);
    expect((await ask(server, 'GET', `${CONFIG_MAPS}/b`)).status).toBe(200);
  });

  test('instead of a clean end', async () => {
    const env = fakeEnv();
    await using server = await plain({ env });
    server.faults.add({ match: { verb: 'watch' }, at: 'end', do: { cut: 'fin' } });
    const stream = await watch(server, { more: '&timeoutSeconds=5' });
    await env.clock.advance(5000);
    await until(() => stream.outcome === 'ECONNRESET');
  });

  test('a clean end right after the headers, repeatedly', async () => {
    await using server = await rig();
    server.load([configMap('a')]);
    server.faults.add({ match: { verb: 'watch' }, at: { event: 0 }, do: { end: true }, times: 3 });
    for (let i = 0; i < 3; i += 1) {
      const stream = open(server, `${CONFIG_MAPS}?watch=true&resourceVersion=0`);
      await until(() => stream.outcome === 'end');
      expect([stream.status, stream.text()]).toEqual([200, '']);
    }
    const fourth = open(server, `${CONFIG_MAPS}?watch=true&resourceVersion=0`);
    await until(() => fourth.frames().length === 1);
    fourth.close();
  });

  test('a rule applies to open watches and counts events from when it was added', async () => {
    await using server = await rig();
    const stream = await watch(server);
    server.load([configMap('a'), configMap('b')]);
    await until(() => stream.frames().length === 2);
    server.faults.add({ match: { verb: 'watch' }, at: { event: 1 }, do: { cut: 'rst' } });
    server.load([configMap('c'), configMap('d')]);
    await until(() => stream.outcome === 'ECONNRESET');
    expect(stream.frames()).toHaveLength(3);
  });
});

describe('silence', () => {
  test('nothing more arrives, not even an end, and the connection stays open; the next watch works', async () => {
    const env = fakeEnv();
    await using server = await plain({ env });
    const stream = await watch(server, { more: '&timeoutSeconds=5' });
    expect(server.faults.silence()).toBe(1);
    server.load([configMap('a')]);
    await env.clock.advance(6000);
    await aWhile();
    expect([stream.text(), stream.outcome]).toEqual(['', undefined]);
    const next = open(server, `${CONFIG_MAPS}?watch=true&resourceVersion=0`);
    await until(() => next.frames().length === 1);
    next.close();
    stream.close();
  });

  test('a silent peer responds to PINGs, a deaf one does not', async () => {
    await using server = await rig();
    const ping = (stream: { session?: { ping(callback: () => void): boolean } }) => {
      const answer = { came: false };
      stream.session?.ping(() => (answer.came = true));
      return answer;
    };
    const silent = await watch(server, { http2: true });
    server.faults.silence();
    const first = ping(silent);
    await until(() => first.came);
    const deaf = await watch(server, { http2: true });
    server.faults.silence({}, { deaf: true });
    await aWhile();
    const second = ping(deaf);
    await aWhile();
    expect(second.came).toBe(false);
    silent.close();
    deaf.close();
  });

  test('in the middle of a list', async () => {
    await using server = await rig();
    server.load([configMap('a')]);
    server.faults.add({ match: { verb: 'list' }, at: { bytes: 10 }, do: { silence: true } });
    const list = open(server, CONFIG_MAPS);
    await until(() => list.bytes().length === 10);
    await aWhile();
    expect(list.outcome).toBeUndefined();
    list.close();
  });

  test('no response at all', async () => {
    await using server = await rig();
    server.faults.add({ do: { hang: 'headers' } });
    const list = open(server, CONFIG_MAPS);
    await until(() => server.faults.fired.length === 1);
    await aWhile();
    expect([list.status, list.outcome]).toEqual([0, undefined]);
    list.close();
  });
});

describe('pace', () => {
  test('a throttled stream arrives in chunks at its rate on the clock', async () => {
    const env = fakeEnv();
    await using server = await plain({ env });
    server.faults.add({ match: { verb: 'watch' }, do: { throttle: { bytesPerSecond: 100, chunk: 10 } } });
    const stream = await watch(server);
    server.load([configMap('a')]);
    await server.idle();
    await env.clock.advance(1000);
    await until(() => stream.bytes().length === 110);
    expect(stream.chunks.every(({ length }) => length === 10)).toBe(true);
    await env.clock.advance(60_000);
    await until(() => stream.frames().length === 1);
    stream.close();
  });

  test('every event in three chunks, or byte by byte, is still the event', async () => {
    await using server = await rig();
    server.faults.add({ match: { verb: 'watch' }, do: { split: 3 } });
    server.faults.add({ match: { verb: 'list' }, do: { throttle: { bytesPerSecond: 1_000_000, chunk: 1 } } });
    const stream = await watch(server);
    server.load([configMap('a')]);
    await until(() => stream.frames().length === 1);
    expect(stream.chunks).toHaveLength(3);
    const list = await ask(server, 'GET', CONFIG_MAPS);
    expect(list.body.items).toHaveLength(1);
    stream.close();
  });

  test('the events of a period in one chunk', async () => {
    const env = fakeEnv();
    await using server = await plain({ env });
    server.faults.add({ match: { verb: 'watch' }, do: { merge: { ms: 100 } } });
    const stream = await watch(server);
    for (const name of ['a', 'b', 'c']) {
      server.load([configMap(name)]);
      await env.clock.advance(20);
    }
    expect(stream.chunks).toEqual([]);
    await env.clock.advance(100);
    await until(() => stream.frames().length === 3);
    expect(stream.chunks).toHaveLength(1);
    stream.close();
  });

  test('a slow list has the state at its request', async () => {
    const env = fakeEnv();
    await using server = await plain({ env });
    server.load([configMap('a')]);
    const slow = server.faults.slowLists(5000);
    const list = ask(server, 'GET', CONFIG_MAPS);
    await slow.hit;
    server.load([configMap('b')]);
    await env.clock.advance(5000);
    expect((await list).body.items).toHaveLength(1);
    slow.remove();
    expect((await ask(server, 'GET', CONFIG_MAPS)).body.items).toHaveLength(2);
  });

  test('a delay before the start makes a write happen later', async () => {
    const env = fakeEnv();
    await using server = await plain({ env });
    const rule = server.faults.add({ match: { verb: 'create' }, at: 'start', do: { delay: { ms: 1000 } } });
    const created = ask(server, 'POST', CONFIG_MAPS, { body: configMap('a') });
    await rule.hit;
    expect((await ask(server, 'GET', `${CONFIG_MAPS}/a`)).status).toBe(404);
    await env.clock.advance(1000);
    expect((await created).status).toBe(201);
  });
});

describe('connections and certificates', () => {
  const portOf = (url: string): number => Number(new URL(url).port);
  const connects = (port: number): Promise<string> =>
    new Promise((resolve) => {
      const socket = tcp(port, '127.0.0.1');
      socket.on('connect', () => {
        socket.destroy();
        resolve('connected');
      });
      socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
    });

  test('new connections are refused for a while, and open ones continue', async () => {
    await using server = await rig();
    const stream = await watch(server);
    const closed = await server.faults.refuseConnections();
    expect(await connects(portOf(server.url))).toBe('ECONNREFUSED');
    server.load([configMap('a')]);
    await until(() => stream.frames().length === 1);
    closed.remove();
    await until(async () => (await connects(portOf(server.url))) === 'connected');
    expect((await ask(server, 'GET', CONFIG_MAPS)).status).toBe(200);
    stream.close();
  });

  test('a handshake stalls and continues when the fault is removed', async () => {
    await using server = await rig();
    const stalled = await server.faults.stallConnections();
    const list = open(server, CONFIG_MAPS);
    await aWhile();
    expect([list.status, list.outcome]).toEqual([0, undefined]);
    stalled.remove();
    await until(() => list.outcome === 'end');
    expect(list.status).toBe(200);
  });

  const certificateOf = (url: string): Promise<{ serial: string; expires: string }> =>
    new Promise((resolve, reject) => {
      const socket = tls(portOf(url), '127.0.0.1', { rejectUnauthorized: false }, () => {
        const { serialNumber: serial, valid_to: expires } = socket.getPeerCertificate();
        socket.destroy();
        resolve({ serial, expires });
      });
      socket.on('error', reject);
    });

  test('another certificate of the same authority: clients do not notice', async () => {
    await using server = await rig();
    const before = await certificateOf(server.url);
    const { ca } = server;
    server.faults.rotateCertificates();
    expect((await certificateOf(server.url)).serial).not.toBe(before.serial);
    expect(server.ca).toBe(ca);
    expect((await ask(server, 'GET', CONFIG_MAPS)).status).toBe(200);
  });

  test('another authority: new connections of clients that trust the old one fail, open connections and client certificates stay valid', async () => {
    await using server = await rig();
    const { certificate: cert, key } = server.issueClientCertificate({ name: 'jane' });
    const ca = server.ca as string;
    const stream = await watch(server);
    server.faults.rotateCertificates({ newAuthority: true });
    const old = open(server, CONFIG_MAPS, { ca });
    await until(() => old.outcome !== undefined);
    expect(old.outcome).toMatch(/CERT|SIGNATURE|UNABLE/);
    server.load([configMap('a')]);
    await until(() => stream.frames().length === 1);
    expect((await ask(server, 'GET', CONFIG_MAPS)).status).toBe(200);
    expect((await ask(server, 'GET', CONFIG_MAPS, { token: '', tls: { cert, key } })).status).toBe(200);
    stream.close();
  });

  test('an expired certificate', async () => {
    await using server = await rig();
    server.faults.rotateCertificates({ expired: true });
    const list = open(server, CONFIG_MAPS);
    await until(() => list.outcome === 'CERT_HAS_EXPIRED');
  });

  test('there is nothing to rotate without TLS', async () => {
    await using server = await plain();
    expect(() => server.faults.rotateCertificates()).toThrow('tls: false');
  });

  test('an expired token: 401 for new requests, open watches continue unless cutWatches is set', async () => {
    await using server = await rig();
    const { token } = server;
    const stream = await watch(server);
    const next = server.faults.expireToken();
    expect((await ask(server, 'GET', CONFIG_MAPS, { token })).status).toBe(401);
    expect((await ask(server, 'GET', CONFIG_MAPS, { token: next })).status).toBe(200);
    expect(server.token).toBe(next);
    server.load([configMap('a')]);
    await until(() => stream.frames().length === 1);
    server.faults.expireToken({ cutWatches: true });
    await until(() => stream.outcome === 'ECONNRESET');
  });

  test('a client that disconnects leaves nothing behind', async () => {
    await using server = await rig();
    server.faults.add({ match: { verb: 'watch' }, do: { delay: { ms: 60_000 } }, times: Infinity });
    const session = connect(server.url, { ca: server.ca as string });
    const stream = open(server, watchPath(server), { http2: true, session });
    await until(() => stream.status === 200);
    server.load([configMap('a')]);
    session.destroy();
    await server.waitFor(() => server.watchers().length === 0);
  });
});
