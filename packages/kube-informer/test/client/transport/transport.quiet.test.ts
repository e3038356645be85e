import { describe, expect, test } from 'vitest';
import { fakeEnv } from '../../../src/testing/fake-clock.ts';
import { type FramePeer } from '../rig/scripted-server.ts';
import {
  certificates,
  failure,
  frameRig,
  get,
  nextText,
  QUIET,
  reader,
  serve,
  textOf,
  type TransportRigOptions,
  transportTo,
  until,
  watch,
} from '../rig/transport-rig.ts';

const certs = certificates();

/** A server frame by frame, and a clock that can be moved on, so that a connection grows old at once. */
async function rig(script: (peer: FramePeer, number: number) => void, options: TransportRigOptions = {}) {
  let skew = 0;
  const env = { ...QUIET, now: () => QUIET.now() + skew, random: () => 0.5 };
  return { pass: (ms: number) => void (skew += ms), ...(await frameRig(certs, script, { env, ...options })) };
}

const answer = (peer: FramePeer, id: number, text = 'ok'): void => {
  peer.headers(id);
  peer.data(id, text, true);
};

const answering = (peer: FramePeer): void => {
  peer.onRequest = (id) => answer(peer, id);
};

const post = (more = {}) => get('/', { method: 'POST', body: '{}', ...more });

describe('bodies that may be silent', () => {
  test('F2, F12: on HTTP/1.1 silence does not end them, and an abort still does', async () => {
    const { authority, pair } = certs();
    let later = (): void => {};
    const server = await serve({
      pair,
      protocol: 'h1',
      handler: ({ url }, said) => {
        said.writeHead(200);
        said.write('first');
        if (url === '/log') later = () => void said.write('second');
      },
    });
    const env = fakeEnv();
    const transport = transportTo(server, authority.ca, { env, limits: { silenceMs: 60 } });
    const stop = new AbortController();
    const chunks = reader(await transport.send(watch('/log', { mayBeSilent: true, signal: stop.signal })));
    expect(await nextText(chunks)).toBe('first');
    const other = reader(await transport.send(watch('/watch')));
    const second = nextText(chunks);
    await nextText(other);
    const silent = failure(other.next());
    await env.clock.advance(60);
    expect((await silent).cause.code).toBe('ERR_SILENT'); // so much time has passed
    later();
    expect(await second).toBe('second');
    stop.abort();
    expect(await failure(chunks.next())).toMatchObject({ code: 'ABORTED' });
  });
});

describe('an HTTP/2 connection that was idle for long', () => {
  test('F1, F2: a write waits for the response to a ping; a dead connection is replaced', async () => {
    const asked: number[] = [];
    const { peers, transport, pass } = await rig(
      (peer, number) => {
        peer.onRequest = (id) => {
          asked.push(number);
          answer(peer, id);
        };
      },
      { limits: { pingTimeoutMs: 100 } },
    );
    await textOf(await transport.send(get('/')));
    (peers[0] as FramePeer).answerPings = false;
    pass(31_000);
    expect(await textOf(await transport.send(post()))).toBe('ok');
    expect(asked).toEqual([1, 2]);
    expect(peers[0]?.pings).toBe(1);
    await until('the dead one is gone', () => transport.stats().connections === 1);
  });

  test('F2: writes share one ping, a live connection is kept, and a read does not wait', async () => {
    const { peers, transport, pass } = await rig(answering);
    await textOf(await transport.send(get('/')));
    await textOf(await transport.send(post()));
    expect(peers[0]?.pings).toBe(0); // heard a moment ago
    pass(31_000);
    const texts = await Promise.all([1, 2, 3].map(async () => textOf(await transport.send(post()))));
    expect(texts).toEqual(['ok', 'ok', 'ok']);
    expect([peers.length, peers[0]?.pings]).toEqual([1, 1]);
    (peers[0] as FramePeer).answerPings = false;
    pass(31_000);
    expect(await textOf(await transport.send(get('/')))).toBe('ok');
    expect(peers.length).toBe(1);
  });

  test('F2: a request aborted during the ping rejects at once, and its stream is free again', async () => {
    const { peers, transport, pass } = await rig(answering, { maxStreams: 1 });
    await textOf(await transport.send(get('/')));
    const [peer] = peers as [FramePeer];
    peer.answerPings = false;
    pass(31_000);
    const leave = new AbortController();
    const leaving = failure(transport.send(post({ signal: leave.signal })));
    await until('it is pinged', () => peer.pings === 1);
    leave.abort();
    expect(await leaving).toMatchObject({ code: 'ABORTED' });
    expect(transport.stats().streams).toBe(0);
    expect(await textOf(await transport.send(get('/')))).toBe('ok');
    expect(peers.length).toBe(1);
  });

  test('F16: idle for longer than idleSocketMs it is not reused, and with a stream on it it is', async () => {
    const { peers, transport, pass } = await rig((peer) => {
      peer.onRequest = (id) => (id === 3 ? peer.headers(id) : answer(peer, id));
    });
    await textOf(await transport.send(get('/')));
    const running = reader(await transport.send(watch()));
    pass(61_000);
    await textOf(await transport.send(get('/')));
    expect(peers.length).toBe(1);
    await running.return?.();
    pass(59_000);
    await textOf(await transport.send(get('/')));
    expect(peers.length).toBe(1);
    pass(61_000);
    await textOf(await transport.send(get('/')));
    expect(peers.length).toBe(2);
    await until('the old one is gone', () => transport.stats().connections === 1);
  });
});

describe('an HTTP/2 connection that refuses', () => {
  test('F14: after a refused stream others use a new connection, and running streams on the old one continue', async () => {
    const { peers, transport } = await rig((peer, number) => {
      peer.onRequest = (id) => {
        if (number === 1 && id > 1) return peer.rst(id, 7);
        peer.headers(id);
        return peer.data(id, `from ${number}`, number > 1);
      };
    });
    const chunks = reader(await transport.send(watch()));
    expect(await nextText(chunks)).toBe('from 1');
    expect(await textOf(await transport.send(post()))).toBe('from 2');
    expect(await textOf(await transport.send(get('/')))).toBe('from 2');
    peers[0]?.data(1, 'still here', true);
    expect(await nextText(chunks)).toBe('still here');
    await until('the old one ends with its last stream', () => transport.stats().connections === 1);
    expect(peers.length).toBe(2);
  });

  test('F14: between refused sends there is a pause that grows, and an abort ends it', async () => {
    const at: number[] = [];
    const env = fakeEnv({ random: 0.5 });
    const { clock } = env;
    const { peers, transport } = await rig(
      (peer) => {
        peer.onRequest = (id) => {
          at.push(clock.now());
          peer.rst(id, 7);
        };
      },
      { env },
    );
    const refused = failure(transport.send(post()));
    await until('it was sent three times', async () => (await clock.advance(5), at.length === 3));
    expect((await refused).cause.code).toBe('ERR_HTTP2_STREAM_REFUSED');
    expect(peers.length).toBe(3);
    const [first = 0, second = 0, third = 0] = at;
    expect(second - first).toBeGreaterThanOrEqual(50);
    expect(third - second).toBeGreaterThanOrEqual(100);
    const leave = new AbortController();
    const leaving = failure(transport.send(post({ signal: leave.signal })));
    await until('it was refused', () => at.length === 4);
    leave.abort();
    expect(await leaving).toMatchObject({ code: 'ABORTED' });
    expect(at.length).toBe(4);
  });

  test.each([
    ['INTERNAL_ERROR', 2],
    ['CANCEL', 8],
  ])('F14: a connection is retired after the server has reset two streams in a row with %s', async (_, code) => {
    const { peers, transport } = await rig((peer, number) => {
      // The second request is answered, so the first reset alone counts for nothing.
      peer.onRequest = (id) => (number === 1 && id !== 3 ? peer.rst(id, code) : answer(peer, id, `from ${number}`));
    });
    await failure(transport.send(get('/1')));
    expect(await textOf(await transport.send(get('/3')))).toBe('from 1');
    await failure(transport.send(get('/5')));
    expect(peers.length).toBe(1);
    await failure(transport.send(get('/7')));
    expect(await textOf(await transport.send(get('/')))).toBe('from 2');
  });

  test('F14: streams that we end do not count against the connection', async () => {
    let isAnswering = false;
    const { peers, transport } = await rig((peer) => {
      peer.onRequest = (id) => void (isAnswering && answer(peer, id));
    });
    for (let i = 0; i < 4; i += 1) {
      expect((await failure(transport.send(get('/', { headersTimeoutMs: 20 })))).cause.code).toBe(
        'ERR_HEADERS_TIMEOUT',
      );
    }
    isAnswering = true;
    expect(await textOf(await transport.send(get('/')))).toBe('ok');
    expect(peers.length).toBe(1);
  });
});
