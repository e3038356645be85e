import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { listenerConnection } from '../../src/http/listener/listener-connections.ts';
import { startApiServer } from '../../src/index.ts';
import { CONFIG_MAPS } from '../rig/stream-client.ts';

/** Stops reading, as Node does during a write; a write that failed never ends. */
function stopReading(socket: object | undefined): void {
  (socket as { _handle: { readStop(): void } })._handle.readStop();
}

test('a connection that was reset without an event of its socket ends its watches', async () => {
  const server = await startApiServer();
  onTestFinished(() => server.close());
  const { hostname, port } = new URL(server.url);
  const below = connect(Number(port), hostname);
  const session = connectHttp2(server.url, {
    createConnection: () =>
      connectTls({ socket: below, ca: server.ca, ALPNProtocols: ['h2'], servername: 'localhost' }),
  });
  for (const each of [session, below]) each.on('error', () => {});
  const path = `${CONFIG_MAPS}?watch=1`;
  const stream = session.request({ ':path': path, authorization: `Bearer ${server.token}` });
  stream.on('error', () => {});
  await server.waitFor({ watches: 1 });
  const remotePort = server.watchers()[0]?.port;
  stopReading(listenerConnection({ localPort: Number(port), remoteAddress: hostname, remotePort }));
  below.resetAndDestroy();
  await expect.poll(() => server.watchers().length, { timeout: 60_000 }).toBe(0);
  expect(server.requests.map(({ verb }) => verb)).toEqual(['watch']);
}, 90_000);
