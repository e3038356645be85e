import { expect, test } from 'vitest';
import { type ApiServerOptions, startApiServer } from '../../src/index.ts';
import { ask } from '../rig/http-client.ts';
import { CONFIG_MAPS, open, until } from '../rig/stream-client.ts';

const rig = (options: ApiServerOptions = {}) => startApiServer({ tls: false, ...options });

/** The result of a request on a new connection. */
async function attempt(server: Awaited<ReturnType<typeof rig>>): Promise<string> {
  const probe = open(server, '/version');
  await until(() => probe.outcome !== undefined);
  return probe.outcome ?? '';
}

test('clear makes the server listen again', async () => {
  await using server = await rig();
  await server.faults.refuseConnections();
  expect(await attempt(server)).toBe('ECONNREFUSED');
  server.faults.clear();
  await until(async () => (await attempt(server)) === 'end');
});

test('clear accepts the connections that were stalled', async () => {
  await using server = await rig();
  await server.faults.stallConnections();
  const waiting = open(server, '/version');
  server.faults.clear();
  await until(() => waiting.outcome === 'end');
});

test('clear replaces an expired certificate and keeps the authority', async () => {
  await using server = await startApiServer();
  const { ca } = server;
  server.faults.rotateCertificates({ expired: true });
  expect(await attempt(server)).toBe('CERT_HAS_EXPIRED');
  server.faults.clear();
  expect(await attempt(server)).toBe('end');
  expect(server.ca).toBe(ca);
});

test('clear resets the clock', async () => {
  await using server = await rig();
  server.faults.clockSkew(86_400_000);
  const date = async () => Date.parse((await ask(server, 'GET', CONFIG_MAPS)).headers.date ?? '');
  expect((await date()) - Date.now()).toBeGreaterThan(80_000_000);
  server.faults.clear();
  expect(Math.abs((await date()) - Date.now())).toBeLessThan(80_000_000);
});

test('of two changes of the listener the last applies, and when it is undone, the one before it', async () => {
  await using server = await rig();
  await server.faults.refuseConnections();
  const stalled = await server.faults.stallConnections();
  stalled.remove();
  await until(async () => (await attempt(server)) === 'ECONNREFUSED');
});

test('a server that is closed while it refuses connections does not listen again', async () => {
  const server = await rig();
  const { url } = server;
  await server.faults.refuseConnections();
  await server.close();
  await using next = await rig({ port: Number(new URL(url).port) });
  expect(next.url).toBe(url);
});
