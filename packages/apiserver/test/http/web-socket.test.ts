import { afterEach, describe, expect, test } from 'vitest';
import { HANDSHAKE, openWebSocket, type RawWebSocket } from '../../../../test/conformance/rig/web-socket.ts';
import { type ApiServer, type ApiServerOptions, startApiServer } from '../../src/index.ts';
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
