import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { deflateSync } from 'node:zlib';
import { fakeEnv, seededRandom } from 'kube-informer/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { HANDSHAKE, openWebSocket, type RawWebSocket } from '../../../../test/conformance/rig/web-socket.ts';
import { SPDY_HEADER_DICTIONARY } from '../../src/http/spdy/spdy-header-dictionary.ts';
import { type ApiServer, type ApiServerOptions, type ExecRequest, startApiServer } from '../../src/index.ts';
import { numbers, openSpdy, SpdyClient, type SpdyWire } from '../rig/spdy-client.ts';

const POD = '/api/v1/namespaces/default/pods/p';
const EXEC = `${POD}/exec?command=cat&stdin=true&stdout=true&stderr=true`;

let server: ApiServer;
const loopbacks: Server[] = [];
afterEach(async () => {
  await server.close();
  for (const one of loopbacks.splice(0)) one.close();
});

async function start(nodes: ApiServerOptions['nodes'], options: ApiServerOptions = { tls: false }): Promise<void> {
  server = await startApiServer({ ...options, ...(nodes === undefined ? {} : { nodes }) });
  const spec = { nodeName: 'node-1', containers: [{ name: 'c', image: 'i' }] };
  server.load([{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'default' }, spec }]);
}

async function connect(path = EXEC, protocols?: string[]): Promise<SpdyClient> {
  const { client, status, body } = await openSpdy(server, path, protocols);
  if (client === undefined) throw new Error(`${status} ${body}`);
  return client;
}

/** Opens the streams that every command has. */
async function openExec(client: SpdyClient): Promise<void> {
  for (const [index, streamType] of ['error', 'stdin', 'stdout', 'stderr'].entries())
    await client.open(2 * index + 1, { streamtype: streamType });
}
const [ERROR, STDIN, STDOUT, STDERR] = [1, 3, 5, 7];

const echo = async ({ stdin, stdout }: ExecRequest): Promise<void> => {
  for await (const chunk of stdin) await stdout(chunk);
};

async function listening(serve: (socket: Socket) => void): Promise<number> {
  const loopback = createServer({ allowHalfOpen: true }, serve).listen(0, '127.0.0.1');
  loopbacks.push(loopback);
  await once(loopback, 'listening');
  return (loopback.address() as AddressInfo).port;
}

test('the dictionary of headers has the checksum that every client of SPDY/3 sends', async () => {
  await start({});
  // The start of a stream of zlib names its dictionary by Adler-32.
  expect(deflateSync('', { dictionary: SPDY_HEADER_DICTIONARY }).subarray(2, 6).toString('hex')).toBe('e3c6a7c2');
});

describe('commands over SPDY', () => {
  test.each([true, false])('streams, exit code and end of a command (TLS: %s)', async (tls) => {
    await start(
      {
        async exec({ stdin, stdout, stderr }) {
          for await (const chunk of stdin) await stdout(`<${chunk.toString()}>`);
          await stderr('no more');
          return { stdout: 'last', exitCode: 3 };
        },
      },
      { tls },
    );
    using client = await connect();
    await openExec(client);
    client.data(STDIN, 'héllo', true);
    const texts = await client.texts();
    expect([texts[STDOUT], texts[STDERR]]).toEqual(['<héllo>last.', 'no more.']);
    expect(JSON.parse(texts[ERROR]?.slice(0, -1) ?? '')).toMatchObject({
      status: 'Failure',
      reason: 'NonZeroExitCode',
      details: { causes: [{ reason: 'ExitCode', message: '3' }] },
    });
  });

  test('each stream is answered with headers that a client of zlib can read, and pings come back', async () => {
    await start({ exec: echo });
    using client = await connect();
    await client.open(1, { streamtype: 'error' });
    const first = await client.find(2);
    expect([first.id, client.headersIn(first)]).toEqual([1, 0]);
    await client.open(3, { streamtype: 'stdin' });
    const second = await client.find(2);
    expect([second.id, client.headersIn(second)]).toEqual([3, 0]);
    client.control(6, numbers(41));
    expect((await client.find(6)).id).toBe(41);
  });

  test('protocols: the newest common one is chosen, before v4 the end is a text, others are refused', async () => {
    await start({ exec: () => ({ exitCode: 1 }) });
    const { headers, client: newest } = await openSpdy(server, EXEC, ['channel.k8s.io', 'v4.channel.k8s.io']);
    newest?.[Symbol.dispose]();
    expect([headers.upgrade, headers['x-stream-protocol-version']]).toEqual(['SPDY/3.1', 'v4.channel.k8s.io']);
    using old = await connect(EXEC, ['channel.k8s.io']);
    await openExec(old);
    expect((await old.texts())[ERROR]).toBe('command terminated with non-zero exit code: exit status 1.');
    expect(await openSpdy(server, EXEC, ['v9'])).toMatchObject({ status: 403 });
    expect(await openSpdy(server, EXEC, [])).toMatchObject({ status: 400 });
  });

  test('a client that does not read holds up the command', async () => {
    let written = 0;
    await start({
      async exec({ stdout, signal }) {
        for (; !signal.aborted && written < 1_000; written += 1) await stdout(Buffer.alloc(64 * 1024));
      },
    });
    using client = await connect();
    client.pause();
    await openExec(client);
    let before = 0;
    const hasSettled = (): boolean => before === (before = written) && written > 0;
    await expect.poll(hasSettled, { interval: 200, timeout: 10_000 }).toBe(true);
    expect(written).toBeLessThan(500);
  });

  test('a client that does not open its streams is disconnected after 30 s, one that goes ends the command', async () => {
    const env = fakeEnv();
    const ends: string[] = [];
    await start(
      {
        async exec({ stdin, signal }) {
          signal.addEventListener('abort', () => ends.push('gone'));
          for await (const _ of stdin);
          ends.push('end of input');
        },
      },
      { tls: false, env },
    );
    using idle = await connect();
    await idle.open(1, { streamtype: 'error' });
    await idle.find(2);
    await env.clock.advance(30_000);
    expect((await idle.find(7)).payload).toEqual(numbers(1, 0));
    const client = await connect();
    await openExec(client);
    for (let replies = 0; replies < 4; replies += 1) await client.find(2);
    client[Symbol.dispose]();
    await expect.poll(() => ends.toSorted()).toEqual(['end of input', 'gone']);
  });
});

describe('ports over SPDY', () => {
  const pair = async (client: SpdyClient, id: number, port: number): Promise<void> => {
    const headers = { port: String(port), requestid: String(id) };
    await client.open(id, { streamtype: 'error', ...headers }, 1);
    await client.open(id + 2, { streamtype: 'data', ...headers });
  };

  const wires = {
    'a connection': async (): Promise<SpdyClient> => connect(`${POD}/portforward`, ['portforward.k8s.io']),
    'a tunnel in a WebSocket': async (): Promise<SpdyClient> => {
      const { origin: _origin, ...handshake } = HANDSHAKE;
      const headers = {
        ...handshake,
        authorization: `Bearer ${server.token}`,
        'sec-websocket-protocol': 'SPDY/3.1+portforward.k8s.io',
      };
      const opened = await openWebSocket({ url: server.url, token: server.token }, `${POD}/portforward`, headers);
      expect(opened.headers['sec-websocket-protocol']).toBe('SPDY/3.1+portforward.k8s.io');
      return new SpdyClient(tunnelWire(opened.socket as RawWebSocket));
    },
  };

  test.each(Object.entries(wires))('connections go to servers on the loopback, over %s', async (_, open) => {
    const port = await listening((socket) => socket.pipe(socket));
    await start({ portForward: ({ port: wanted }) => (wanted === 80 ? port : undefined) });
    using client = await open();
    await pair(client, 1, 80);
    await pair(client, 5, 81);
    client.data(3, 'ping', true);
    const texts: Record<number, string> = {};
    const ended = new Set<number>();
    while (ended.size < 3) {
      const frame = await client.next();
      if (frame === undefined) throw new Error('closed');
      if (frame.type === 0) texts[frame.id] = (texts[frame.id] ?? '') + frame.payload.toString();
      if ((frame.type === 0 && frame.flags === 1) || frame.type === 3) ended.add(frame.id);
    }
    expect(texts[3]).toBe('ping');
    expect(texts[5]).toBe('error forwarding port 81 to pod p: nothing listens on port 81');
  });

  test('a reset of a stream ends its connection, and of the client all of them', async () => {
    const open = new Set<Socket>();
    const port = await listening((socket) => {
      open.add(socket);
      socket.on('error', () => {});
      socket.resume().on('end', () => socket.end());
      socket.on('close', () => open.delete(socket));
      socket.write('hello');
    });
    await start({ portForward: () => port });
    const client = await wires['a connection']();
    await pair(client, 1, 80);
    await pair(client, 5, 80);
    for (const _ of [1, 2]) await client.find(0);
    client.control(3, numbers(3, 5));
    await expect.poll(() => open.size).toBe(1);
    client[Symbol.dispose]();
    await expect.poll(() => open.size).toBe(0);
  });

  test('streams without a port, of another type or without their other half do not reach a server', async () => {
    await start({ portForward: () => 1 });
    using client = await wires['a connection']();
    await client.open(1, { streamtype: 'data', port: '0' });
    await client.open(3, { streamtype: 'other', port: '80' });
    await client.open(5, { streamtype: 'data', port: '80', requestid: '1' });
    await client.open(7, { streamtype: 'data', port: '80', requestid: '1' });
    const resets = [await client.find(3), await client.find(3), await client.find(3)];
    expect(resets.map(({ id }) => id)).toEqual([1, 3, 7]);
  });
});

describe('S131: a hostile client of SPDY is disconnected or refused within limits', () => {
  const PROTOCOL_ERROR = 1;
  const goAway = async (client: SpdyClient): Promise<number> => (await client.find(7)).payload.readUInt32BE(4);

  test('S131: frames that are too long, of another version, or too short for what they are end the connection', async () => {
    await start({ exec: echo });
    const headless = Buffer.concat([numbers(1, 0), Buffer.alloc(2)]);
    const attacks: Record<string, (client: SpdyClient) => unknown> = {
      'a frame of 16 MB': (client) => client.raw(Buffer.concat([numbers(1), Buffer.of(0, 0xff, 0xff, 0xff)])),
      'another version': (client) => client.raw(Buffer.of(0x80, 2, 0, 1, 0, 0, 0, 0)),
      'a ping without a number': (client) => client.control(6, Buffer.alloc(0)),
      'a stream without a number': (client) => client.control(1, Buffer.of(1)),
      'headers that are not zlib': (client) => client.control(1, Buffer.concat([headless, Buffer.alloc(40, 0xaa)])),
      'headers of another dictionary': (client) =>
        client.control(1, Buffer.concat([headless, deflateSync('', { dictionary: Buffer.from('other') })])),
      'headers that decompress to megabytes': (client) =>
        client.control(1, Buffer.concat([headless, deflateSync(Buffer.alloc(8_000_000), DICTIONARY)])),
      'a stream of zlib that has ended': (client) => {
        const ended = Buffer.concat([headless, deflateSync(numbers(0), DICTIONARY), Buffer.alloc(9)]);
        client.control(1, ended);
        client.control(8, ended);
      },
      'a header that is longer than its block': (client) =>
        client.control(1, Buffer.concat([headless, deflateSync(numbers(1, 0xffff_ffff, 0), DICTIONARY)])),
      'a million headers': (client) =>
        client.control(1, Buffer.concat([headless, deflateSync(numbers(1_000_000), DICTIONARY)])),
    };
    for (const [name, attack] of Object.entries(attacks)) {
      using client = await connect();
      attack(client);
      expect([name, await goAway(client)]).toEqual([name, PROTOCOL_ERROR]);
      expect(await client.next()).toBeUndefined();
    }
  });

  test('S131: even, repeated, unknown and too many streams are reset, and the connection stays open', async () => {
    await start({ exec: echo });
    using client = await connect();
    const reset = async (): Promise<number[]> => {
      const { payload } = await client.find(3);
      return [payload.readUInt32BE(0), payload.readUInt32BE(4)];
    };
    await client.open(2, {});
    expect(await reset()).toEqual([2, 1]);
    client.data(99, 'x');
    expect(await reset()).toEqual([99, 2]);
    await client.open(1, { streamtype: 'error' });
    await client.open(1, { streamtype: 'error' });
    expect(await reset()).toEqual([1, 1]);
    for (let id = 3; id <= 2_003; id += 2) await client.open(id, { streamtype: `${id}` });
    expect(await reset()).toEqual([2_001, 3]);
    client.control(6, numbers(7));
    expect((await client.find(6)).id).toBe(7);
  });

  test('S131: pings of a client that reads nothing are not answered without end', async () => {
    await start({ exec: echo });
    using client = await connect();
    client.pause();
    const pings = Buffer.concat(Array.from({ length: 10_000 }, () => Buffer.of(0x80, 3, 0, 6, 0, 0, 0, 4, 0, 0, 0, 1)));
    const before = process.memoryUsage().rss;
    for (let sent = 0; sent < 300; sent += 1) client.raw(pings);
    // Another client is served meanwhile.
    using other = await connect();
    other.control(6, numbers(9));
    expect((await other.find(6)).id).toBe(9);
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * 1024 * 1024);
  });

  test('S131: garbage never ends the process, and the next client is served', async () => {
    const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 32);
    const random = seededRandom(seed);
    const below = (limit: number): number => Math.floor(random() * limit);
    await start({ exec: echo, portForward: () => 1 });
    for (let round = 0; round < 150; round += 1) {
      const isForward = round % 2 === 0;
      using client = isForward ? await connect(`${POD}/portforward`, ['portforward.k8s.io']) : await connect();
      const frames = 1 + below(12);
      for (let i = 0; i < frames; i += 1) {
        const bytes = Buffer.from(Array.from({ length: below(60) }, () => below(256)));
        const way = below(5);
        if (way === 0) client.raw(bytes);
        else if (way === 1) client.control(below(12), bytes, below(4));
        else if (way === 2) client.data(below(8), bytes, below(2) === 0);
        else if (way === 3) client.control(below(10), numbers(below(8), below(4)));
        else await client.open(below(9), { streamtype: ['error', 'data', 'stdin', ''][below(4)] ?? '', port: '80' });
      }
    }
    using client = await connect();
    await openExec(client);
    client.data(STDIN, 'alive', true);
    expect([seed, (await client.texts())[STDOUT]]).toEqual([seed, 'alive.']);
  });
});

const DICTIONARY = { dictionary: SPDY_HEADER_DICTIONARY };

/** Bytes in messages of a WebSocket. */
function tunnelWire(socket: RawWebSocket): SpdyWire {
  const listeners: Record<string, (bytes: Buffer) => void> = {};
  void (async () => {
    for (let message = await socket.next(); message?.opcode === 2; message = await socket.next())
      listeners['data']?.(message.payload);
    listeners['close']?.(Buffer.alloc(0));
  })();
  return {
    write: (bytes) => void socket.send(2, bytes),
    on: (event: string, listener: (bytes: Buffer) => void) => (listeners[event] = listener),
    destroy: () => socket[Symbol.dispose](),
  };
}
