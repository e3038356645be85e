import { EventEmitter } from 'node:events';
import { seededRandom } from 'kube-informer/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { HANDSHAKE, openWebSocket, type RawWebSocket } from '../../../../test/conformance/rig/web-socket.ts';
import { type ApiServer, type ApiServerOptions, startApiServer } from '../../src/index.ts';
import { FrameReader, OPCODE } from '../../src/http/web-socket/web-socket-frames.ts';
import {
  openWatchSocket,
  type SocketExchange,
  type WatchSocketOptions,
} from '../../src/http/web-socket/watch-socket.ts';
import { CONFIG_MAPS } from '../rig/stream-client.ts';

let server: ApiServer | undefined;
afterEach(async () => server?.close());

async function opened(
  options: ApiServerOptions = {},
  headers: Record<string, string> = {},
  prepare: (started: ApiServer) => void = () => {},
): Promise<RawWebSocket> {
  server = await startApiServer(options);
  prepare(server);
  const { url, ca, token } = server;
  const target = { url, token, ...(ca === undefined ? {} : { ca }) };
  const all = { ...HANDSHAKE, authorization: `Bearer ${token}`, ...headers };
  const { socket, status, body } = await openWebSocket(target, `${CONFIG_MAPS}?watch=true&resourceVersion=1`, all);
  if (socket === undefined) throw new Error(`${status} ${body}`);
  return socket;
}

const create = (name: string): void => {
  const metadata = { name, namespace: 'default' };
  server?.local.create('', 'configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata });
};

describe('watches over WebSocket', () => {
  test('a fault that cuts a watch at an event cuts a WebSocket too', async () => {
    using watch = await opened();
    const cut = server?.faults.add({ match: { verb: 'watch' }, at: { event: 2 }, do: { cut: 'rst' } });
    for (const name of ['a', 'b', 'c']) create(name);
    expect((await watch.event()).object.metadata.name).toBe('a');
    await cut?.hit;
    for (let message = await watch.next(); message !== undefined; message = await watch.next())
      expect(message.payload.toString()).not.toContain('"c"');
  });

  test('the watch is listed, logged with status 101, and ends when the server closes', async () => {
    using watch = await opened({ tls: false });
    expect(server?.watchers()).toHaveLength(1);
    create('a');
    await watch.event();
    await server?.close();
    expect((await watch.next())?.opcode).toBe(8);
    expect(await watch.next()).toBe(undefined);
    expect(server?.requests.at(-1)).toMatchObject({ verb: 'watch', status: 101 });
  });

  test('an error of the stream is an ERROR event in a message, and then the end', async () => {
    using watch = await opened({}, {}, (started) => {
      started.local.create('', 'configmaps', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'a', namespace: 'default' },
      });
      started.history.compact();
    });
    expect(await watch.event()).toMatchObject({ type: 'ERROR', object: { kind: 'Status', code: 410 } });
    expect(await watch.next()).toEqual({ opcode: 8, payload: Buffer.of(3, 232) });
  });

  test('a client that disconnects is no longer listed', async () => {
    const watch = await opened();
    watch[Symbol.dispose]();
    await expect.poll(() => server?.watchers()).toEqual([]);
  });

  test('without authentication pages of other origins are refused', async () => {
    await expect(opened({ auth: 'open', tls: false }, { origin: 'https://evil.example' })).rejects.toThrow('403');
  });
});

/** A frame as a client sends it. */
function clientFrame(opcode: number, payload: Buffer, mask: Buffer = Buffer.of(1, 2, 3, 4)): Buffer {
  const { length } = payload;
  const head = length <= 125 ? [0x80 | length] : [0xfe, length >> 8, length & 0xff];
  const masked = payload.map((byte, at) => byte ^ (mask[at % 4] as number));
  return Buffer.concat([Buffer.of(0x80 | opcode, ...head), mask, masked]);
}

test('S115: a client that pings and does not read fills no memory', async () => {
  class UnreadSocket extends EventEmitter {
    writableEnded = false;
    writableLength = 0;
    write(bytes: Buffer): void {
      this.writableLength += bytes.length;
    }
    end(): void {}
  }
  const socket = new UnreadSocket();
  const exchange = {
    request: { headers: { ...HANDSHAKE }, socket },
    response: { flushHeaders: () => {}, end: () => {} },
    gone: new AbortController().signal,
    bytes: 0,
  } as unknown as SocketExchange;
  const codec = { encoding: 'json' } as WatchSocketOptions['codec'];
  await openWatchSocket(exchange, { codec, head: async () => true, drained: async () => {} });
  const pings = Buffer.concat(Array.from({ length: 1_000 }, () => clientFrame(OPCODE.ping, Buffer.alloc(125))));
  socket.emit('data', clientFrame(OPCODE.ping, Buffer.from('a')));
  expect(socket.writableLength).toBe(3);
  for (let times = 0; times < 50; times += 1) socket.emit('data', pings);
  expect(socket.writableLength).toBeLessThan(100_000);
});

/** Streams of frames of each run. Set FUZZ_SEED to read those of an earlier run again. */
const BUDGET = 300;
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 32);

test('S116: random frames are read alike in pieces of any size, and keep little', () => {
  console.info(`frames: seed ${SEED}, ${BUDGET} streams; again with FUZZ_SEED=${SEED}`);
  const random = seededRandom(SEED);
  const below = (limit: number): number => Math.floor(random() * limit);
  const pick = <T>(choices: readonly T[]): T => choices[below(choices.length)] as T;
  const bytes = (length: number): Buffer => Buffer.from(Array.from({ length }, () => below(256)));
  /** The requests of a stream, read in pieces. */
  const read = (pieces: readonly Buffer[]): string[] => {
    const seen: string[] = [];
    const reader = new FrameReader({
      ping: (payload) => {
        expect(payload.length).toBeLessThanOrEqual(125);
        seen.push(`ping ${payload.toString('hex')}`);
      },
      close: () => seen.push('close'),
      protocolError: () => seen.push('error'),
    });
    for (const piece of pieces) reader.read(piece);
    return seen;
  };
  const concat = vi.spyOn(Buffer, 'concat');
  let kept = 0;
  for (let count = 0; count < BUDGET; count += 1) {
    /** The requests of the frames, up to the first that is not a frame. */
    const asked: string[] = [];
    let isKnown = true;
    const frames = Array.from({ length: 1 + below(8) }, (_, at) => {
      if (at > 0 && below(8) === 0) {
        isKnown = false;
        // No frame, or a length that is not true, up to 2^63.
        return below(2) === 0 ? bytes(below(40)) : Buffer.concat([Buffer.of(0x80 | below(16), 0xff), bytes(8), bytes(below(40))]);
      }
      const opcode = pick([OPCODE.ping, OPCODE.ping, OPCODE.ping, OPCODE.pong, OPCODE.text, OPCODE.binary, 0, 15, ...(below(4) === 0 ? [OPCODE.close] : [])]);
      const payload = bytes(below(3) === 0 ? below(400) : below(20));
      if (isKnown && opcode === OPCODE.ping) asked.push(`ping ${payload.subarray(0, 125).toString('hex')}`);
      if (isKnown && opcode === OPCODE.close) asked.push('close');
      if (opcode === OPCODE.close) isKnown = false;
      return clientFrame(opcode, payload, bytes(4));
    });
    const whole = Buffer.concat(frames);
    const pieces: Buffer[] = [];
    for (let at = 0, length = 0; at < whole.length; at += length) {
      length = 1 + below(9);
      pieces.push(whole.subarray(at, at + length));
    }
    const seen = read([whole]);
    expect(seen.slice(0, asked.length), whole.toString('hex')).toEqual(asked);
    if (isKnown) expect(seen).toHaveLength(asked.length);
    concat.mockClear();
    expect(read(pieces), whole.toString('hex')).toEqual(seen);
    for (const [[head]] of concat.mock.calls) kept = Math.max(kept, head?.length ?? 0);
    // Nothing follows a close, and there is one.
    expect(seen.slice(0, -1)).not.toContain('close');
    expect(seen.slice(0, -1)).not.toContain('error');
  }
  concat.mockRestore();
  expect(kept).toBeGreaterThan(0);
  expect(kept).toBeLessThan(140);
}); // prettier-ignore
